// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/attrs.c: attributes, their units and their sets. */
#include "fmt/draft/read.h"

#include "base/hash.h"
#include "fmt/otlp/fields.h"
#include "model/semconv.h"

/* --- units --- */

static bool unit_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_draft_unit *units = table;

	return op_view_eq(units[id].key, *(const struct op_view *)key);
}

/* Which unit the values of a key have; the first one counts. */
void op_draft_unit_add(struct op_draft *r, struct op_cur c)
{
	enum { KEY = 1, UNIT = 2 };
	struct op_view first = op_draft_remark(r, 0, c.p);
	struct op_draft_unit u = { first, first };
	struct op_pb_field f;
	uint32_t hash;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(KEY, OP_PB_VARINT))
			u.key = op_draft_remark(r, f.v, f.bytes.p);
		if (op_pb_key(&f) == OP_PB(UNIT, OP_PB_VARINT))
			u.unit = op_draft_remark(r, f.v, f.bytes.p);
	}
	hash = op_hash32(u.key.p, u.key.n);
	if (r->err->code || op_intern_find(&r->unit_index, hash, unit_eq,
					   r->units.p, &u.key) != OP_NO_ID)
		return;
	if (op_vec_push(&r->scratch, &r->units, u))
		op_intern_add(&r->unit_index, &r->scratch, hash,
			      (uint32_t)r->units.n - 1);
}

static struct op_view unit_of(struct op_draft *r, struct op_view key)
{
	uint32_t id = op_intern_find(&r->unit_index, op_hash32(key.p, key.n),
				     unit_eq, r->units.p, &key);

	return id == OP_NO_ID ? (struct op_view){ 0 } : r->units.p[id].unit;
}

uint32_t op_draft_pair(struct op_draft *r, struct op_cur kv)
{
	struct op_kvs kvs = { 0 };

	op_wire_kv_add(&r->wire, kv, &kvs, 0);
	if (!kvs.n || r->err->code)
		return 0;
	return op_build_attr(&r->b, kvs.p->key, &kvs.p->value,
			     unit_of(r, kvs.p->key), NULL);
}

uint32_t op_draft_text_attr(struct op_draft *r, const char *key,
			    struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING };

	v.bytes = text;
	return op_build_attr(&r->b, op_view_z(key), &v, (struct op_view){ 0 },
			     NULL);
}

uint32_t op_draft_flag_attr(struct op_draft *r, const char *key)
{
	struct op_any yes = { .kind = OP_ANY_BOOL };

	yes.flag = true;
	return op_build_attr(&r->b, op_view_z(key), &yes, (struct op_view){ 0 },
			     NULL);
}

void op_draft_attr_push(struct op_draft *r, struct op_id_vec *out,
			uint32_t attr)
{
	(void)op_vec_push(&r->scratch, out, attr);
}

uint32_t op_draft_set(struct op_draft *r, struct op_id_vec *attrs)
{
	uint32_t set = op_build_set(&r->b, attrs->p, (uint32_t)attrs->n);

	attrs->n = 0;
	return set;
}

void op_draft_comments(struct op_draft *r, const struct op_draft_numbers *ix,
		       const uint8_t *at, struct op_id_vec *out)
{
	struct op_any list = { .kind = OP_ANY_ARRAY, .n = (uint32_t)ix->n };

	if (!list.n)
		return;
	list.array = op_new(&r->scratch, struct op_any, list.n);
	if (!list.array)
		return;
	for (uint32_t i = 0; i < list.n; i++) {
		list.array[i].kind = OP_ANY_STRING;
		list.array[i].bytes = op_draft_remark(r, ix->p[i], at);
	}
	if (!r->err->code)
		op_draft_attr_push(
			r, out,
			op_build_attr(&r->b, op_view_z(OP_ATTR_COMMENT), &list,
				      (struct op_view){ 0 }, NULL));
}

/* --- rows of the table --- */

/* A pair whose texts are strings of the table. */
static void ref_value(struct op_draft *r, struct op_cur c, struct op_any *out,
		      unsigned int depth);

static void ref_read(struct op_draft *r, struct op_cur c, struct op_kv *out,
		     unsigned int depth)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(KV_KEY, OP_PB_VARINT))
			out->key = op_draft_text(r, f.v, f.bytes.p);
		if (op_pb_key(&f) == OP_PB(KV_VALUE, OP_PB_LEN))
			ref_value(r, op_pb_sub(&c, &f), &out->value, depth);
	}
}

/* The values of a list or of a list of pairs. */
static void ref_list(struct op_draft *r, struct op_cur c, struct op_any *out,
		     unsigned int depth)
{
	struct op_cur count = c;
	struct op_pb_field f;
	uint32_t nr = 0;

	while (op_pb_next(&count, &f))
		nr += op_pb_key(&f) == OP_PB(LIST_VALUES, OP_PB_LEN);
	if (out->kind == OP_ANY_KVLIST)
		out->kvlist = op_new(&r->scratch, struct op_kv, nr);
	else
		out->array = op_new(&r->scratch, struct op_any, nr);
	if (!out->array)
		return;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (op_pb_key(&f) != OP_PB(LIST_VALUES, OP_PB_LEN))
			continue;
		if (out->kind == OP_ANY_KVLIST)
			ref_read(r, sub, &out->kvlist[out->n++], depth + 1);
		else
			ref_value(r, sub, &out->array[out->n++], depth + 1);
	}
}

/* style: one case a kind. Recursion ends at OP_WIRE_DEPTH. */
static void ref_value(struct op_draft *r, struct op_cur c, struct op_any *out,
		      unsigned int depth)
{
	struct op_pb_field f;

	if (depth >= OP_WIRE_DEPTH) {
		op_cur_fail(&c, c.p, OP_ELIMIT,
			    "values nested more than %d deep", OP_WIRE_DEPTH);
		return;
	}
	while (op_pb_next(&c, &f)) {
		struct op_any v = { 0 };

		switch (op_pb_key(&f)) {
		case OP_PB(ANY_STRING, OP_PB_VARINT):
			v.kind = OP_ANY_STRING;
			v.bytes = op_draft_text(r, f.v, f.bytes.p);
			break;
		case OP_PB(ANY_BOOL, OP_PB_VARINT):
			v.kind = OP_ANY_BOOL;
			v.num = f.v != 0;
			break;
		case OP_PB(ANY_INT, OP_PB_VARINT):
		case OP_PB(ANY_DOUBLE, OP_PB_I64):
			v.kind = f.num == ANY_INT ? OP_ANY_INT : OP_ANY_DOUBLE;
			v.num = (int64_t)f.v;
			break;
		case OP_PB(ANY_ARRAY, OP_PB_LEN):
		case OP_PB(ANY_KVLIST, OP_PB_LEN):
			v.kind = f.num == ANY_ARRAY ? OP_ANY_ARRAY :
						      OP_ANY_KVLIST;
			ref_list(r, op_pb_sub(&c, &f), &v, depth);
			break;
		case OP_PB(ANY_BYTES, OP_PB_LEN):
			v.kind = OP_ANY_BYTES;
			v.bytes = f.bytes;
			break;
		default:
			continue;
		}
		*out = v;
	}
}

static uint32_t ref_build(struct op_draft *r, struct op_cur c)
{
	struct op_kv kv = { 0 };

	ref_read(r, c, &kv, 0);
	if (r->err->code)
		return 0;
	return op_build_attr(&r->b, kv.key, &kv.value, (struct op_view){ 0 },
			     NULL);
}

static uint32_t set_build(struct op_draft *r, struct op_cur c)
{
	enum { ATTRIBUTES = 1 };
	struct op_id_vec attrs = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(ATTRIBUTES, OP_PB_LEN))
			op_draft_attr_push(r, &attrs,
					   op_draft_pair(r, op_pb_sub(&c, &f)));
	return op_draft_set(r, &attrs);
}

/* Appends the members of a set of the builder. */
static void members_add(struct op_draft *r, uint32_t set, const uint8_t *at,
			struct op_id_vec *out)
{
	uint32_t from, to;

	if (r->err->code)
		return;
	from = r->b.set_at.p[set];
	to = r->b.set_at.p[set + 1];
	if (!op_draft_allow(r, to - from, at))
		return;
	for (; from < to; from++)
		op_draft_attr_push(r, out, r->b.members.p[from]);
}

/* The builder's attribute or set of a row. */
static uint32_t made_of(struct op_draft *r, uint64_t i)
{
	struct op_draft_table *t = &r->tables[OP_ATTRS];
	struct op_cur row = op_cur_sub(&r->file, t->rows.p[i]);

	if (t->made.p[i] != OP_NO_ID)
		return t->made.p[i];
	if (r->layout->attrs == OP_DRAFT_SETS)
		t->made.p[i] = set_build(r, row);
	else if (r->layout->attrs == OP_DRAFT_REFS)
		t->made.p[i] = ref_build(r, row);
	else
		t->made.p[i] = op_draft_pair(r, row);
	return t->made.p[i];
}

void op_draft_attrs_add(struct op_draft *r, struct op_cur run,
			struct op_id_vec *out)
{
	size_t nr = r->tables[OP_ATTRS].rows.n;
	bool sets = r->layout->attrs == OP_DRAFT_SETS;

	while (op_cur_more(&run)) {
		const uint8_t *at = run.p;
		uint64_t i = op_cur_varint(&run);
		uint32_t id;

		if (r->err->code)
			return;
		/* The first set is none, also of a table without rows. */
		if (sets && !i && !nr)
			continue;
		if (i >= nr) {
			op_draft_fail(r, at,
				      sets ? "attribute set" : "attribute", i,
				      nr);
			return;
		}
		id = made_of(r, i);
		if (sets)
			members_add(r, id, at, out);
		else if (id || !r->layout->lenient)
			op_draft_attr_push(r, out, id);
	}
}

uint32_t op_draft_set_row(struct op_draft *r, uint64_t i, const uint8_t *at)
{
	size_t nr = r->tables[OP_ATTRS].rows.n;

	if (r->err->code || (!i && !nr))
		return 0;
	if (i < nr)
		return made_of(r, i);
	op_draft_fail(r, at, "attribute set", i, nr);
	return 0;
}

bool op_draft_is_time_unit(struct op_cur c)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(KV_KEY, OP_PB_LEN))
			return op_view_is(f.bytes, OP_DRAFT_ATTR_TIMES);
	return false;
}
