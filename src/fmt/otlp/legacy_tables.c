// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/legacy_tables.c: the tables of v1.4 to v1.7.
 *
 * They have no null element, so rows are not taken as they come: the raw rows
 * are noted, and what is asked for goes through the builder, once. */
#include "fmt/otlp/legacy_int.h"

#include "base/hash.h"
#include "fmt/otlp/fields.h"
#include "model/semconv.h"

static struct op_arena *mem_of(struct op_legacy *l)
{
	return l->d.mem;
}

/* --- raw tables --- */

void op_legacy_tables_clear(struct op_legacy *l)
{
	for (int t = 0; t < OP_NR_TABLES; t++)
		l->tables[t].rows.n = l->tables[t].ids.n = 0;
	l->unit_index = (struct op_intern){ 0 };
	l->nr_units_read = l->units.n = 0;
}

/* Notes the table rows of a message by the layout's field numbers. */
void op_legacy_tables_add(struct op_legacy *l, struct op_cur c)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		for (int t = 0; t < OP_NR_TABLES; t++) {
			struct op_legacy_table *table = &l->tables[t];

			if (f.num != l->layout->table[t] || f.wire != OP_PB_LEN)
				continue;
			if (!op_vec_push(mem_of(l), &table->rows, f.bytes) ||
			    !op_vec_push(mem_of(l), &table->ids, OP_NO_ID))
				op_dec_nomem(&l->d);
		}
	}
}

/* A cursor on row i, or a failure at at if there is none. */
static bool row_of(struct op_legacy *l, struct op_cur *c, const uint8_t *at,
		   int table, uint64_t i, struct op_cur *out)
{
	const struct op_legacy_table *t = &l->tables[table];

	if (i >= t->rows.n) {
		op_fail_at(c->err, OP_EFORMAT, (uint64_t)(at - c->base),
			   "index %lld is past its table of %zu", (long long)i,
			   t->rows.n);
		return false;
	}
	*out = op_cur_sub(c, t->rows.p[i]);
	return true;
}

/* The builder's id of row i, which build makes when it is first asked for.
 * Rows only refer to rows of tables below theirs, so this ends. */
static uint32_t id_of(struct op_legacy *l, struct op_cur *c, const uint8_t *at,
		      enum op_table t, uint64_t i,
		      uint32_t (*build)(struct op_legacy *l, struct op_cur row))
{
	struct op_cur row;
	uint32_t id;

	if (!row_of(l, c, at, (int)t, i, &row))
		return 0;
	id = l->tables[t].ids.p[i];
	if (id == OP_NO_ID) {
		id = build(l, row);
		l->tables[t].ids.p[i] = id;
	}
	return id;
}

static uint32_t string_build(struct op_legacy *l, struct op_cur row)
{
	return op_build_string(&l->b, op_cur_rest(&row));
}

uint32_t op_legacy_string(struct op_legacy *l, struct op_cur *c,
			  const struct op_pb_field *f)
{
	/* A missing table still has the empty string. */
	if (!f->v && !l->tables[OP_STRINGS].rows.n)
		return 0;
	return id_of(l, c, f->bytes.p, OP_STRINGS, f->v, string_build);
}

struct op_view op_legacy_string_at(const struct op_legacy *l, uint64_t i)
{
	const struct op_legacy_table *t = &l->tables[OP_STRINGS];

	return i < t->rows.n ? t->rows.p[i] : (struct op_view){ 0 };
}

static bool unit_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_legacy *l = table;

	return op_view_eq(op_legacy_string_at(l, l->units.p[id].key),
			  *(const struct op_view *)key);
}

/* Notes which unit belongs to which attribute key; the first one counts. */
static void units_read(struct op_legacy *l, struct op_cur c)
{
	struct op_legacy_unit u = { 0 };
	struct op_view key;
	struct op_pb_field f;
	uint32_t hash;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(1, OP_PB_VARINT))
			u.key = f.v;
		if (op_pb_key(&f) == OP_PB(2, OP_PB_VARINT))
			u.unit = f.v;
	}
	key = op_legacy_string_at(l, u.key);
	hash = op_hash32(key.p, key.n);
	if (op_intern_find(&l->unit_index, hash, unit_eq, l, &key) != OP_NO_ID)
		return;
	if (!op_vec_push(mem_of(l), &l->units, u) ||
	    !op_intern_add(&l->unit_index, mem_of(l), hash,
			   (uint32_t)l->units.n - 1))
		op_dec_nomem(&l->d);
}

/* The unit that belongs to an attribute key. */
static struct op_view unit_of(struct op_legacy *l, struct op_cur *c,
			      struct op_view key)
{
	const struct op_legacy_table *t = &l->tables[OP_LEGACY_UNITS];
	uint32_t id;

	while (l->nr_units_read < t->rows.n)
		units_read(l, op_cur_sub(c, t->rows.p[l->nr_units_read++]));
	id = op_intern_find(&l->unit_index, op_hash32(key.p, key.n), unit_eq, l,
			    &key);
	if (id == OP_NO_ID)
		return (struct op_view){ 0 };
	return op_legacy_string_at(l, l->units.p[id].unit);
}

uint32_t op_legacy_attr(struct op_legacy *l, struct op_cur row)
{
	struct op_kvs kvs = { 0 };

	op_dec_kv_add(&l->d, row, &kvs, 0);
	if (!kvs.n)
		return 0;
	return op_build_attr(&l->b, kvs.p->key, &kvs.p->value,
			     unit_of(l, &row, kvs.p->key), NULL);
}

void op_legacy_attrs_add(struct op_legacy *l, struct op_cur run,
			 struct op_id_vec *out)
{
	while (run.p < run.end) {
		const uint8_t *at = run.p;
		uint64_t i = op_cur_varint(&run);
		uint32_t id = id_of(l, &run, at, OP_ATTRS, i, op_legacy_attr);

		if (id && !op_vec_push(mem_of(l), out, id))
			op_dec_nomem(&l->d);
	}
}

static void flag_add(struct op_legacy *l, const char *key,
		     struct op_id_vec *out)
{
	struct op_any yes = { .kind = OP_ANY_BOOL };
	uint32_t id;

	yes.flag = true;
	id = op_build_attr(&l->b, op_view_z(key), &yes, (struct op_view){ 0 },
			   NULL);
	if (!op_vec_push(mem_of(l), out, id))
		op_dec_nomem(&l->d);
}

/* The set of the ids in out, which is emptied. */
uint32_t op_legacy_set(struct op_legacy *l, struct op_id_vec *ids)
{
	uint32_t set = op_build_set(&l->b, ids->p, (uint32_t)ids->n);

	ids->n = 0;
	return set;
}

static uint32_t function_build(struct op_legacy *l, struct op_cur c)
{
	struct op_function r = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == FUNCTION_NAME)
			r.name = op_legacy_string(l, &c, &f);
		if (f.num == FUNCTION_SYSTEM_NAME)
			r.system_name = op_legacy_string(l, &c, &f);
		if (f.num == FUNCTION_FILENAME)
			r.filename = op_legacy_string(l, &c, &f);
		if (f.num == FUNCTION_START_LINE)
			r.start_line = (int64_t)f.v;
	}
	return op_build_function(&l->b, &r);
}

static uint32_t mapping_build(struct op_legacy *l, struct op_cur c)
{
	static const char *const flags[] = {
		OP_ATTR_HAS_FUNCTIONS,
		OP_ATTR_HAS_FILENAMES,
		OP_ATTR_HAS_LINE_NUMBERS,
		OP_ATTR_HAS_INLINE_FRAMES,
	};
	enum { FIRST_FLAG = 6 };
	struct op_mapping r = { 0 };
	struct op_id_vec attrs = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.num == MAPPING_ATTRIBUTES)
			op_legacy_attrs_add(l, op_pb_sub(&c, &f), &attrs);
		else if (f.wire != OP_PB_VARINT)
			continue;
		else if (f.num == MAPPING_START)
			r.start = f.v;
		else if (f.num == MAPPING_LIMIT)
			r.limit = f.v;
		else if (f.num == MAPPING_OFFSET)
			r.offset = f.v;
		else if (f.num == MAPPING_FILENAME)
			r.filename = op_legacy_string(l, &c, &f);
		else if (f.num - FIRST_FLAG < op_countof(flags) && f.v)
			flag_add(l, flags[f.num - FIRST_FLAG], &attrs);
	}
	r.attrs = op_legacy_set(l, &attrs);
	return op_build_mapping(&l->b, &r);
}

static struct op_line line_read(struct op_legacy *l, struct op_cur c)
{
	uint64_t function = 0; /* absent means the first, not none */
	const uint8_t *at = c.p;
	struct op_line r = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == LINE_FUNCTION) {
			function = f.v;
			at = f.bytes.p;
		}
		if (f.num == LINE_LINE)
			r.line = (int64_t)f.v;
		if (f.num == LINE_COLUMN)
			r.column = (int64_t)f.v;
	}
	r.function = id_of(l, &c, at, OP_FUNCTIONS, function, function_build);
	return r;
}

static uint32_t location_build(struct op_legacy *l, struct op_cur c)
{
	enum { IS_FOLDED = 4, ATTRIBUTES = 5 };
	OP_VEC(struct op_line) lines = { 0 };
	struct op_location r = { 0 };
	struct op_id_vec attrs = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(LOCATION_MAPPING, OP_PB_VARINT):
			r.mapping = id_of(l, &c, f.bytes.p, OP_MAPPINGS, f.v,
					  mapping_build);
			break;
		case OP_PB(LOCATION_ADDRESS, OP_PB_VARINT):
			r.address = f.v;
			break;
		case OP_PB(LOCATION_LINES, OP_PB_LEN):
			if (!op_vec_push(mem_of(l), &lines,
					 line_read(l, op_pb_sub(&c, &f))))
				op_dec_nomem(&l->d);
			break;
		case OP_PB(IS_FOLDED, OP_PB_VARINT):
			if (f.v)
				flag_add(l, OP_ATTR_IS_FOLDED, &attrs);
			break;
		case OP_PB(ATTRIBUTES, OP_PB_LEN):
		case OP_PB(ATTRIBUTES, OP_PB_VARINT):
			op_legacy_attrs_add(l, op_pb_sub(&c, &f), &attrs);
			break;
		}
	}
	r.attrs = op_legacy_set(l, &attrs);
	return op_build_location(&l->b, &r, lines.p, (uint32_t)lines.n);
}

static uint32_t link_build(struct op_legacy *l, struct op_cur c)
{
	struct op_link r = { 0 };

	op_dec_link(&l->d, c, &r);
	return op_build_link(&l->b, &r);
}

uint32_t op_legacy_location(struct op_legacy *l, struct op_cur *c,
			    const uint8_t *at, uint64_t i)
{
	return id_of(l, c, at, OP_LOCATIONS, i, location_build);
}

uint32_t op_legacy_link(struct op_legacy *l, struct op_cur *c,
			const uint8_t *at, uint64_t i)
{
	return id_of(l, c, at, OP_LINKS, i, link_build);
}
