// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/tables.c: the rows of the tables, made when they are asked for. */
#include "fmt/draft/read.h"

#include "base/hash.h"
#include "base/hex.h"
#include "fmt/otlp/fields.h"
#include "model/semconv.h"

static const char *const names[OP_NR_TABLES] = {
	[OP_MAPPINGS] = "mapping",   [OP_LOCATIONS] = "location",
	[OP_FUNCTIONS] = "function", [OP_LINKS] = "link",
	[OP_STRINGS] = "string",     [OP_STACKS] = "stack",
};

/* --- noting rows --- */

static void clear(struct op_draft *r)
{
	for (int t = 0; t < OP_NR_TABLES; t++) {
		r->tables[t].rows.n = 0;
		r->tables[t].made.n = 0;
		r->tables[t].ids.n = 0;
		r->tables[t].by_id = (struct op_intern){ 0 };
	}
	r->unit_rows.n = r->units.n = 0;
	r->unit_index = (struct op_intern){ 0 };
	r->by_id = false;
}

static void row_add(struct op_draft *r, const struct op_pb_field *f)
{
	if (f->num == r->layout->units)
		(void)op_vec_push(&r->scratch, &r->unit_rows, f->bytes);
	for (int t = 0; t < OP_NR_TABLES; t++) {
		struct op_draft_table *table = &r->tables[t];

		if (f->num != r->layout->table[t])
			continue;
		(void)op_vec_push(&r->scratch, &table->rows, f->bytes);
		(void)op_vec_push(&r->scratch, &table->made, OP_NO_ID);
	}
}

static void rows_add(struct op_draft *r, struct op_cur c)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (f.wire == OP_PB_LEN)
			row_add(r, &f);
}

void op_draft_tables(struct op_draft *r, struct op_cur c)
{
	const struct op_draft_table *strings = &r->tables[OP_STRINGS];
	const struct op_draft_layout *y = r->layout;
	struct op_pb_field f;

	clear(r);
	if (!y->dictionary)
		rows_add(r, c);
	while (y->dictionary && op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(y->dictionary, OP_PB_LEN))
			rows_add(r, op_pb_sub(&c, &f));
	if (!y->lenient && strings->rows.n && strings->rows.p[0].n)
		op_fail_at(r->err, OP_EFORMAT,
			   (uint64_t)(strings->rows.p[0].p - r->file.base),
			   "the first string is not empty");
	for (size_t i = 0; i < r->unit_rows.n && !r->err->code; i++)
		op_draft_unit_add(r, op_cur_sub(&r->file, r->unit_rows.p[i]));
}

/* --- ids --- */

/* The id that a row has; 0: none. */
static uint64_t row_id(struct op_draft *r, struct op_view row)
{
	struct op_cur c = op_cur_sub(&r->file, row);
	struct op_pb_field f;
	uint64_t id = 0;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(OP_DRAFT_ROW_ID, OP_PB_VARINT))
			id = f.v;
	return id;
}

bool op_draft_has_ids(struct op_draft *r, enum op_table t)
{
	const struct op_draft_table *table = &r->tables[t];

	for (size_t i = 0; i < table->rows.n; i++)
		if (!row_id(r, table->rows.p[i]))
			return false;
	return table->rows.n;
}

static bool id_eq(const void *table, uint32_t i, const void *key)
{
	return ((const uint64_t *)table)[i] == *(const uint64_t *)key;
}

static void ids_index(struct op_draft *r, struct op_draft_table *t)
{
	for (uint32_t i = 0; i < t->rows.n && !r->err->code; i++) {
		uint64_t id = row_id(r, t->rows.p[i]);

		if (op_vec_push(&r->scratch, &t->ids, id))
			op_intern_add(&t->by_id, &r->scratch,
				      op_hash_words(&id, 1), i);
	}
}

void op_draft_use_ids(struct op_draft *r)
{
	r->by_id = true;
	ids_index(r, &r->tables[OP_MAPPINGS]);
	ids_index(r, &r->tables[OP_LOCATIONS]);
	ids_index(r, &r->tables[OP_FUNCTIONS]);
}

/* The place of a row; OP_NO_ID for none, and after a failure. */
static uint32_t place_of(struct op_draft *r, enum op_table t, uint64_t i,
			 const uint8_t *at)
{
	const struct op_draft_table *table = &r->tables[t];
	uint32_t found;

	if (!i && (r->by_id || (!table->rows.n && !r->layout->optional)))
		return OP_NO_ID;
	if (!r->by_id) {
		if (i < table->rows.n)
			return (uint32_t)i;
		op_draft_fail(r, at, names[t], i, table->rows.n);
		return OP_NO_ID;
	}
	found = op_intern_find(&table->by_id, op_hash_words(&i, 1), id_eq,
			       table->ids.p, &i);
	if (found == OP_NO_ID)
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(at - r->file.base),
			   "there is no %s with the id %llu", names[t],
			   (unsigned long long)i);
	return found;
}

typedef uint32_t build_fn(struct op_draft *r, struct op_cur row);

/* The builder's id of the row at a place, which build makes when it is first
 * asked for. Rows only refer to rows of tables below theirs, so this ends. */
static uint32_t id_at(struct op_draft *r, enum op_table t, uint32_t place,
		      build_fn *build)
{
	uint32_t id;

	if (place == OP_NO_ID)
		return 0;
	id = r->tables[t].made.p[place];
	if (id == OP_NO_ID) {
		id = build(r, op_cur_sub(&r->file, r->tables[t].rows.p[place]));
		r->tables[t].made.p[place] = id;
	}
	return id;
}

static uint32_t id_of(struct op_draft *r, enum op_table t, uint64_t i,
		      const uint8_t *at, build_fn *build)
{
	return id_at(r, t, place_of(r, t, i, at), build);
}

/* --- strings --- */

struct op_view op_draft_text(struct op_draft *r, uint64_t i, const uint8_t *at)
{
	const struct op_draft_table *t = &r->tables[OP_STRINGS];

	if (i < t->rows.n)
		return t->rows.p[i];
	if (i)
		op_draft_fail(r, at, names[OP_STRINGS], i, t->rows.n);
	return (struct op_view){ 0 };
}

struct op_view op_draft_remark(struct op_draft *r, uint64_t i,
			       const uint8_t *at)
{
	if (r->layout->lenient && i >= r->tables[OP_STRINGS].rows.n)
		return (struct op_view){ 0 };
	return op_draft_text(r, i, at);
}

uint32_t op_draft_string(struct op_draft *r, const struct op_pb_field *f)
{
	struct op_draft_table *t = &r->tables[OP_STRINGS];
	struct op_view text = op_draft_text(r, f->v, f->bytes.p);

	if (!text.n)
		return 0;
	if (t->made.p[f->v] == OP_NO_ID)
		t->made.p[f->v] = op_build_string(&r->b, text);
	return t->made.p[f->v];
}

/* --- mappings --- */

static void build_id_add(struct op_draft *r, struct op_view id, uint64_t kind)
{
	const char *key = OP_ATTR_BUILD_ID_GO;

	if (!id.n)
		return;
	if (kind == OP_DRAFT_ID_HASH)
		key = OP_ATTR_BUILD_ID_HTLHASH;
	else if (op_is_hex(id))
		key = OP_ATTR_BUILD_ID_GNU;
	op_draft_attr_push(r, &r->row_attrs, op_draft_text_attr(r, key, id));
}

static void flags_add(struct op_draft *r, unsigned int flags)
{
	static const char *const keys[] = {
		OP_ATTR_HAS_FUNCTIONS,
		OP_ATTR_HAS_FILENAMES,
		OP_ATTR_HAS_LINE_NUMBERS,
		OP_ATTR_HAS_INLINE_FRAMES,
	};

	for (size_t i = 0; i < op_countof(keys); i++)
		if (flags & 1u << i)
			op_draft_attr_push(r, &r->row_attrs,
					   op_draft_flag_attr(r, keys[i]));
}

/* style: long: one branch a field of the layout */
static uint32_t mapping_build(struct op_draft *r, struct op_cur c)
{
	const struct op_draft_layout *y = r->layout;
	struct op_mapping row = { 0 };
	struct op_view build_id = { 0 };
	unsigned int flags = 0;
	uint64_t kind = 0;
	struct op_pb_field f;

	r->row_attrs.n = 0;
	while (op_pb_next(&c, &f)) {
		if (f.num == y->mapping.attrs)
			op_draft_attrs_add(r, op_pb_sub(&c, &f), &r->row_attrs);
		else if (f.wire != OP_PB_VARINT)
			continue;
		else if (f.num == y->mapping.start)
			row.start = f.v;
		else if (f.num == y->mapping.limit)
			row.limit = f.v;
		else if (f.num == y->mapping.offset)
			row.offset = f.v;
		else if (f.num == y->mapping.filename)
			row.filename = op_draft_string(r, &f);
		else if (f.num == y->mapping.build_id)
			build_id = op_draft_text(r, f.v, f.bytes.p);
		else if (f.num == y->mapping.id_kind)
			kind = f.v;
		else if (f.num == y->mapping.fidelity)
			flags |= f.v == OP_DRAFT_FIDELITY_FULL ? 15 : 0;
		else if (y->mapping.first_flag &&
			 f.num - y->mapping.first_flag < 4 && f.v)
			flags |= 1u << (f.num - y->mapping.first_flag);
	}
	build_id_add(r, build_id, kind);
	flags_add(r, flags);
	row.attrs = op_draft_set(r, &r->row_attrs);
	return r->err->code ? 0 : op_build_mapping(&r->b, &row);
}

/* The place of the mapping that a location names. */
static uint32_t mapping_place(struct op_draft *r, struct op_cur c)
{
	bool has_one = !r->layout->optional;
	const uint8_t *at = c.p;
	struct op_pb_field f;
	uint64_t i = 0;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) !=
		    OP_PB(r->layout->location.mapping, OP_PB_VARINT))
			continue;
		i = f.v;
		at = f.bytes.p;
		has_one = true;
	}
	return has_one ? place_of(r, OP_MAPPINGS, i, at) : OP_NO_ID;
}

void op_draft_mappings(struct op_draft *r)
{
	const struct op_draft_table *locations = &r->tables[OP_LOCATIONS];
	struct op_draft_table *t = &r->tables[OP_MAPPINGS];
	bool *used = op_new(&r->scratch, bool, t->rows.n);

	for (size_t i = 0; i < locations->rows.n && !r->err->code; i++) {
		uint32_t place = mapping_place(
			r, op_cur_sub(&r->file, locations->rows.p[i]));

		if (place != OP_NO_ID)
			used[place] = true;
	}
	for (size_t i = 0; i < t->rows.n && !r->err->code; i++)
		if (used[i])
			t->made.p[i] = mapping_build(
				r, op_cur_sub(&r->file, t->rows.p[i]));
}

/* --- functions and locations --- */

static uint32_t function_build(struct op_draft *r, struct op_cur c)
{
	const struct op_draft_layout *y = r->layout;
	struct op_function row = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == y->function.name)
			row.name = op_draft_string(r, &f);
		else if (f.num == y->function.system_name)
			row.system_name = op_draft_string(r, &f);
		else if (f.num == y->function.filename)
			row.filename = op_draft_string(r, &f);
		else if (f.num == y->function.start_line)
			row.start_line = (int64_t)f.v;
	}
	return op_build_function(&r->b, &row);
}

static void line_add(struct op_draft *r, struct op_cur c)
{
	uint64_t function = 0; /* absent means the first, not none */
	const uint8_t *at = c.p;
	struct op_line line = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == LINE_FUNCTION) {
			function = f.v;
			at = f.bytes.p;
		}
		if (f.num == LINE_LINE)
			line.line = (int64_t)f.v;
		if (f.num == LINE_COLUMN)
			line.column = (int64_t)f.v;
	}
	line.function = id_of(r, OP_FUNCTIONS, function, at, function_build);
	(void)op_vec_push(&r->scratch, &r->lines, line);
}

static void folded_add(struct op_draft *r)
{
	op_draft_attr_push(r, &r->row_attrs,
			   op_draft_flag_attr(r, OP_ATTR_IS_FOLDED));
}

static uint32_t location_build(struct op_draft *r, struct op_cur c)
{
	const struct op_draft_layout *y = r->layout;
	struct op_location row = { 0 };
	struct op_view type = { 0 };
	bool is_folded = false;
	struct op_pb_field f;

	row.mapping = id_at(r, OP_MAPPINGS, mapping_place(r, c), mapping_build);
	r->lines.n = r->row_attrs.n = 0;
	while (op_pb_next(&c, &f)) {
		if (f.num == y->location.attrs)
			op_draft_attrs_add(r, op_pb_sub(&c, &f), &r->row_attrs);
		else if (op_pb_key(&f) == OP_PB(y->location.line, OP_PB_LEN))
			line_add(r, op_pb_sub(&c, &f));
		else if (f.wire != OP_PB_VARINT)
			continue;
		else if (f.num == y->location.address)
			row.address = f.v;
		else if (f.num == y->location.is_folded) {
			is_folded = f.v != 0;
			if (is_folded && y->folded_first)
				folded_add(r);
		} else if (f.num == y->location.type)
			type = op_draft_text(r, f.v, f.bytes.p);
	}
	if (is_folded && !y->folded_first)
		folded_add(r);
	if (type.n)
		op_draft_attr_push(r, &r->row_attrs,
				   op_draft_text_attr(r, OP_ATTR_FRAME_TYPE,
						      type));
	row.attrs = op_draft_set(r, &r->row_attrs);
	if (r->err->code)
		return 0;
	return op_build_location(&r->b, &row, r->lines.p, (uint32_t)r->lines.n);
}

uint32_t op_draft_location(struct op_draft *r, uint64_t i, const uint8_t *at)
{
	if (!r->by_id && !r->tables[OP_LOCATIONS].rows.n)
		op_draft_fail(r, at, names[OP_LOCATIONS], i, 0);
	return id_of(r, OP_LOCATIONS, i, at, location_build);
}

static uint32_t link_build(struct op_draft *r, struct op_cur c)
{
	struct op_link row = { 0 };

	op_wire_link(&r->wire, c, &row);
	return r->err->code ? 0 : op_build_link(&r->b, &row);
}

uint32_t op_draft_link(struct op_draft *r, uint64_t i, const uint8_t *at)
{
	size_t nr = r->tables[OP_LINKS].rows.n;

	if (i < nr)
		return id_at(r, OP_LINKS, (uint32_t)i, link_build);
	if (i || r->layout->optional)
		op_draft_fail(r, at, names[OP_LINKS], i, nr);
	return 0;
}

static uint32_t stack_build(struct op_draft *r, struct op_cur c)
{
	struct op_pb_field f;
	uint32_t *p;
	size_t n;

	r->frames.n = 0;
	while (op_pb_next(&c, &f)) {
		struct op_cur run = op_pb_sub(&c, &f);

		while (f.num == STACK_LOCATIONS && op_cur_more(&run)) {
			const uint8_t *at = run.p;
			uint64_t i = op_cur_varint(&run);

			op_draft_attr_push(r, &r->frames,
					   op_draft_location(r, i, at));
		}
	}
	p = r->frames.p;
	n = r->frames.n;
	for (size_t i = 0; r->layout->root_first && i < n / 2; i++) {
		uint32_t other = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = other;
	}
	return op_build_stack(&r->b, p, (uint32_t)n);
}

uint32_t op_draft_stack(struct op_draft *r, uint64_t i, const uint8_t *at)
{
	if (!r->tables[OP_STACKS].rows.n)
		op_draft_fail(r, at, names[OP_STACKS], i, 0);
	return id_of(r, OP_STACKS, i, at, stack_build);
}
