// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/read_tables.c: the tables of a pprof file as rows of the
 * builder. */
#include "fmt/pprof/read_int.h"

#include "base/hash.h"
#include "base/hex.h"
#include "model/semconv.h"

static uint64_t offset_of(const struct op_pprof_reader *r, const uint8_t *at)
{
	return (uint64_t)(at - r->file.base);
}

/* --- rows by id --- */

static uint64_t row_id(struct op_cur c)
{
	struct op_pb_field f;
	uint64_t id = 0;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(PPROF_ROW_ID, OP_PB_VARINT))
			id = f.v;
	return id;
}

void op_pprof_row_found(struct op_pprof_reader *r, struct op_pprof_rows *rows,
			const struct op_pb_field *f)
{
	uint64_t id = row_id(op_pb_sub(&r->file, f));

	if (r->err->code)
		return;
	if (!id)
		op_fail_at(r->err, OP_EFORMAT, offset_of(r, f->bytes.p),
			   "a %s without an id", rows->name);
	(void)op_vec_push(&r->scratch, &rows->found, f->bytes);
	(void)op_vec_push(&r->scratch, &rows->ids, id);
}

static bool id_eq(const void *table, uint32_t i, const void *key)
{
	return ((const uint64_t *)table)[i] == *(const uint64_t *)key;
}

static uint32_t id_hash(uint64_t id)
{
	return op_hash_words(&id, 1);
}

/* Where an id has its slot; OP_NO_ID if nowhere. */
static uint32_t slot_of(const struct op_pprof_rows *rows, uint64_t id)
{
	if (op_likely(rows->dense))
		return id < rows->nr && rows->bytes[id].p ? (uint32_t)id :
							    OP_NO_ID;
	return op_intern_find(&rows->index, id_hash(id), id_eq, rows->ids.p,
			      &id);
}

static void index_twice(struct op_pprof_reader *r, struct op_pprof_rows *rows,
			size_t i)
{
	op_fail_at(r->err, OP_EFORMAT, offset_of(r, rows->found.p[i].p),
		   "duplicate %s with the id %llu", rows->name,
		   (unsigned long long)rows->ids.p[i]);
}

static void fill_dense(struct op_pprof_reader *r, struct op_pprof_rows *rows)
{
	rows->bytes = op_new(&r->scratch, struct op_view, rows->nr);
	for (size_t i = 0; rows->bytes && i < rows->ids.n; i++) {
		struct op_view *slot = &rows->bytes[rows->ids.p[i]];

		if (slot->p)
			index_twice(r, rows, i);
		*slot = rows->found.p[i];
	}
}

static void fill_sparse(struct op_pprof_reader *r, struct op_pprof_rows *rows)
{
	rows->bytes = rows->found.p;
	for (size_t i = 0; i < rows->ids.n; i++) {
		uint64_t id = rows->ids.p[i];

		if (slot_of(rows, id) != OP_NO_ID)
			index_twice(r, rows, i);
		if (!op_intern_add(&rows->index, &r->scratch, id_hash(id),
				   (uint32_t)i))
			return;
	}
}

void op_pprof_rows_index(struct op_pprof_reader *r, struct op_pprof_rows *rows)
{
	uint64_t most = 0;

	if (r->err->code)
		return;
	for (size_t i = 0; i < rows->ids.n; i++)
		if (rows->ids.p[i] > most)
			most = rows->ids.p[i];
	rows->dense = most < 2 * (uint64_t)rows->ids.n + 64;
	rows->nr = (uint32_t)(rows->dense ? most + 1 : rows->ids.n);
	if (rows->dense)
		fill_dense(r, rows);
	else
		fill_sparse(r, rows);
	rows->made = op_new_ids(&r->scratch, rows->nr);
}

uint32_t op_pprof_slot(struct op_pprof_reader *r, struct op_pprof_rows *rows,
		       uint64_t id, const uint8_t *at)
{
	uint32_t slot = slot_of(rows, id);

	if (op_unlikely(slot == OP_NO_ID))
		op_fail_at(r->err, OP_EFORMAT, offset_of(r, at),
			   "there is no %s with the id %llu", rows->name,
			   (unsigned long long)id);
	return slot;
}

/* --- strings --- */

uint32_t op_pprof_string_at(struct op_pprof_reader *r,
			    const struct op_pb_field *f)
{
	if (op_likely(f->v < r->strings.n))
		return (uint32_t)f->v;
	if (f->v)
		op_fail_at(r->err, OP_EFORMAT, offset_of(r, f->bytes.p),
			   "string index %llu is out of range for a table of "
			   "%zu",
			   (unsigned long long)f->v, r->strings.n);
	return 0;
}

uint32_t op_pprof_string_made(struct op_pprof_reader *r, uint32_t at)
{
	if (!at)
		return 0;
	if (r->string_ids[at] == OP_NO_ID)
		r->string_ids[at] = op_build_string(&r->b, r->strings.p[at]);
	return r->string_ids[at];
}

uint32_t op_pprof_string(struct op_pprof_reader *r, const struct op_pb_field *f)
{
	return op_pprof_string_made(r, op_pprof_string_at(r, f));
}

/* --- mappings --- */

static uint32_t set_flag(struct op_pprof_reader *r, uint32_t set,
			 const char *key)
{
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };

	return op_build_set_with(&r->b, set,
				 op_build_attr(&r->b, op_view_z(key), &yes,
					       (struct op_view){ 0 }, NULL));
}

static uint32_t set_build_id(struct op_pprof_reader *r, uint32_t set,
			     uint32_t string)
{
	struct op_any value = { .kind = OP_ANY_STRING_ID };
	const char *key = OP_ATTR_BUILD_ID_GO;

	if (!string || r->err->code)
		return set;
	value.string_id = string;
	/* A GNU build ID is hex; Go's has slashes and more letters. */
	if (op_is_hex(r->b.strings.p[string]))
		key = OP_ATTR_BUILD_ID_GNU;
	return op_build_set_with(&r->b, set,
				 op_build_attr(&r->b, op_view_z(key), &value,
					       (struct op_view){ 0 }, NULL));
}

static uint32_t mapping_make(struct op_pprof_reader *r, struct op_view msg)
{
	static const char *const flags[] = {
		OP_ATTR_HAS_FUNCTIONS,
		OP_ATTR_HAS_FILENAMES,
		OP_ATTR_HAS_LINE_NUMBERS,
		OP_ATTR_HAS_INLINE_FRAMES,
	};
	struct op_cur c = op_cur_sub(&r->file, msg);
	bool has[op_countof(flags)] = { 0 };
	struct op_mapping row = { 0 };
	struct op_pb_field f;
	uint32_t build = 0;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		switch (f.num) {
		case PPROF_MAPPING_START:
			row.start = f.v;
			break;
		case PPROF_MAPPING_LIMIT:
			row.limit = f.v;
			break;
		case PPROF_MAPPING_OFFSET:
			row.offset = f.v;
			break;
		case PPROF_MAPPING_FILENAME:
			row.filename = op_pprof_string(r, &f);
			break;
		case PPROF_MAPPING_BUILD_ID:
			build = op_pprof_string(r, &f);
			break;
		case PPROF_MAPPING_HAS_FUNCTIONS:
		case PPROF_MAPPING_HAS_FILENAMES:
		case PPROF_MAPPING_HAS_LINE_NUMBERS:
		case PPROF_MAPPING_HAS_INLINE_FRAMES:
			has[f.num - PPROF_MAPPING_HAS_FUNCTIONS] = f.v != 0;
			break;
		}
	}
	row.attrs = set_build_id(r, 0, build);
	for (size_t i = 0; i < op_countof(flags); i++)
		if (has[i])
			row.attrs = set_flag(r, row.attrs, flags[i]);
	return op_build_mapping(&r->b, &row);
}

bool op_pprof_mappings_used(struct op_pprof_reader *r)
{
	size_t n = r->b.mappings.n, used = 1;
	bool *seen;

	op_arena_tells(&r->scratch, OP_IGNORED);
	seen = op_new(&r->scratch, bool, n);
	for (size_t i = 0; seen && i < r->b.locations.n; i++) {
		uint32_t id = r->b.locations.p[i].mapping;

		used += id && !seen[id];
		seen[id] = true;
	}
	return used == n;
}

void op_pprof_mappings_make(struct op_pprof_reader *r)
{
	struct op_pprof_rows *maps = &r->mappings;

	/* First those that are referred to are marked with row 0. */
	for (size_t i = 0; i < r->locations.found.n && !r->err->code; i++) {
		struct op_cur c = op_cur_sub(&r->file, r->locations.found.p[i]);
		struct op_pb_field f;

		while (op_pb_next(&c, &f)) {
			uint32_t slot;

			if (op_pb_key(&f) != OP_PB(PPROF_LOCATION_MAPPING,
						   OP_PB_VARINT) ||
			    !f.v)
				continue;
			slot = op_pprof_slot(r, maps, f.v, f.bytes.p);
			if (slot != OP_NO_ID)
				maps->made[slot] = 0;
		}
	}
	for (size_t i = 0; i < maps->found.n && !r->err->code; i++) {
		uint32_t slot = slot_of(maps, maps->ids.p[i]);

		if (maps->made[slot] != OP_NO_ID)
			maps->made[slot] = mapping_make(r, maps->found.p[i]);
	}
}

/* --- functions and locations --- */

static uint32_t function_make(struct op_pprof_reader *r, struct op_view msg)
{
	struct op_cur c = op_cur_sub(&r->file, msg);
	struct op_function row = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		switch (f.num) {
		case PPROF_FUNCTION_NAME:
			row.name = op_pprof_string(r, &f);
			break;
		case PPROF_FUNCTION_SYSTEM_NAME:
			row.system_name = op_pprof_string(r, &f);
			break;
		case PPROF_FUNCTION_FILENAME:
			row.filename = op_pprof_string(r, &f);
			break;
		case PPROF_FUNCTION_START_LINE:
			row.start_line = (int64_t)f.v;
			break;
		}
	}
	return op_build_function(&r->b, &row);
}

static uint32_t function_of(struct op_pprof_reader *r,
			    const struct op_pb_field *f)
{
	struct op_pprof_rows *rows = &r->functions;
	uint32_t slot;

	if (!f->v)
		return 0;
	slot = op_pprof_slot(r, rows, f->v, f->bytes.p);
	if (slot == OP_NO_ID)
		return 0;
	if (rows->made[slot] == OP_NO_ID)
		rows->made[slot] = function_make(r, rows->bytes[slot]);
	return rows->made[slot];
}

static void line_read(struct op_pprof_reader *r, struct op_cur c)
{
	struct op_line line = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		if (f.num == PPROF_LINE_FUNCTION)
			line.function = function_of(r, &f);
		else if (f.num == PPROF_LINE_LINE)
			line.line = (int64_t)f.v;
		else if (f.num == PPROF_LINE_COLUMN)
			line.column = (int64_t)f.v;
	}
	(void)op_vec_push(&r->scratch, &r->lines, line);
}

uint32_t op_pprof_location(struct op_pprof_reader *r, uint32_t slot)
{
	struct op_cur c = op_cur_sub(&r->file, r->locations.bytes[slot]);
	struct op_location row = { 0 };
	struct op_pb_field f;
	uint32_t id;

	r->lines.n = 0;
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(PPROF_LOCATION_MAPPING, OP_PB_VARINT):
			id = f.v ? op_pprof_slot(r, &r->mappings, f.v,
						 f.bytes.p) :
				   OP_NO_ID;
			row.mapping = id == OP_NO_ID ? 0 : r->mappings.made[id];
			break;
		case OP_PB(PPROF_LOCATION_ADDRESS, OP_PB_VARINT):
			row.address = f.v;
			break;
		case OP_PB(PPROF_LOCATION_LINE, OP_PB_LEN):
			line_read(r, op_pb_sub(&c, &f));
			break;
		case OP_PB(PPROF_LOCATION_IS_FOLDED, OP_PB_VARINT):
			row.attrs = f.v ? set_flag(r, 0, OP_ATTR_IS_FOLDED) : 0;
			break;
		}
	}
	id = op_build_location(&r->b, &row, r->lines.p, (uint32_t)r->lines.n);
	r->locations.made[slot] = id;
	return id;
}
