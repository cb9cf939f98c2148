// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/read_dictionary.c: the tables of a ProfilesDictionary.
 *
 * Rows are counted first, by skipping from one to the next. Thus each table is
 * allocated once, and IDs can be checked while they are read, in whatever order
 * the tables are. */
#include "fmt/otlp/read_int.h"

#include "base/hash.h"
#include "base/ids.h"
#include "fmt/otlp/fields.h"

static const char *const table_names[OP_NR_TABLES] = {
	[OP_MAPPINGS] = "mapping",   [OP_LOCATIONS] = "location",
	[OP_FUNCTIONS] = "function", [OP_LINKS] = "link",
	[OP_STRINGS] = "string",     [OP_ATTRS] = "attribute",
	[OP_STACKS] = "stack",
};

uint32_t op_dec_id_past(struct op_dec *d, uint64_t at, uint64_t v,
			enum op_table t)
{
	if (d->wire.unchecked)
		return UINT32_MAX;
	op_fail_at(d->err, OP_EFORMAT, at,
		   "%s index %lld is out of range for a table of %u",
		   table_names[t], (long long)v, d->limit[t]);
	return 0;
}

void op_dec_ids_add(struct op_dec *d, struct op_cur run, enum op_table t,
		    struct op_id_vec *v)
{
	uint32_t limit = d->limit[t]; /* the stores below do not change it */
	struct op_ids_end got;

	if (!op_vec_reserve(d->mem, v, op_cur_left(&run) + OP_IDS_SPARE))
		return;
	got.to = v->p + v->n;
	while (run.p < run.end) {
		uint64_t id, at;

		got = op_ids_read(run.p, run.end, run.words_end, limit, got.to);
		run.p = got.p;
		if (op_likely(run.p == run.end))
			break;
		at = (uint64_t)(run.p - run.base);
		id = op_cur_varint(&run);
		if (op_unlikely(id >= limit))
			id = op_dec_id_past(d, at, id, t);
		*got.to++ = (uint32_t)id;
	}
	v->n = (size_t)(got.to - v->p);
}

/* --- attribute sets --- */

static bool set_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_dec *d = table;
	const struct op_id_vec *ids = key;
	uint32_t at = d->set_at.p[id];

	return d->set_at.p[id + 1] - at == ids->n &&
	       !memcmp(d->members.p + at, ids->p, ids->n * sizeof(*ids->p));
}

static op_cold uint32_t set_new(struct op_dec *d, uint32_t hash)
{
	uint32_t id = (uint32_t)d->set_at.n - 1;
	size_t n = d->scratch.n;

	if (!op_vec_reserve(d->mem, &d->members, n) ||
	    !op_vec_reserve(d->mem, &d->set_at, 1) ||
	    !op_intern_add(&d->sets, d->mem, hash, id))
		return 0;
	memcpy(d->members.p + d->members.n, d->scratch.p,
	       n * sizeof(*d->scratch.p));
	d->members.n += n;
	d->set_at.p[d->set_at.n++] = (uint32_t)d->members.n;
	return id;
}

uint32_t op_dec_set(struct op_dec *d)
{
	uint32_t hash, id;

	if (!d->scratch.n)
		return 0;
	hash = op_hash32(d->scratch.p, d->scratch.n * sizeof(*d->scratch.p));
	id = op_intern_find(&d->sets, hash, set_eq, d, &d->scratch);
	if (op_unlikely(id == OP_NO_ID))
		id = set_new(d, hash);
	d->scratch.n = 0;
	return id;
}

uint32_t op_dec_set_more(struct op_dec *d, struct op_cur run, uint32_t set)
{
	uint32_t at = d->set_at.p[set];
	uint32_t n = d->set_at.p[set + 1] - at;

	if (!op_vec_reserve(d->mem, &d->scratch, n))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		d->scratch.p[d->scratch.n++] = d->members.p[at + i];
	op_dec_ids_add(d, run, OP_ATTRS, &d->scratch);
	return op_dec_set(d);
}

/* --- dictionary rows --- */

static void mapping(struct op_dec *d, struct op_cur c, struct op_mapping *out)
{
	struct op_mapping r = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(MAPPING_START, OP_PB_VARINT):
			r.start = f.v;
			break;
		case OP_PB(MAPPING_LIMIT, OP_PB_VARINT):
			r.limit = f.v;
			break;
		case OP_PB(MAPPING_OFFSET, OP_PB_VARINT):
			r.offset = f.v;
			break;
		case OP_PB(MAPPING_FILENAME, OP_PB_VARINT):
			r.filename = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		case OP_PB(MAPPING_ATTRIBUTES, OP_PB_LEN):
		case OP_PB(MAPPING_ATTRIBUTES, OP_PB_VARINT):
			r.attrs = op_dec_attrs(d, &c, &f, r.attrs);
			break;
		}
	}
	*out = r;
}

op_inline void line(struct op_dec *d, struct op_cur c)
{
	struct op_line r = { 0 };
	struct op_pb_field f;

	if (op_pb_take_varint(&c, LINE_FUNCTION, &f))
		r.function = op_dec_id(d, &c, &f, OP_FUNCTIONS);
	if (op_pb_take_varint(&c, LINE_LINE, &f))
		r.line = (int64_t)f.v;
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(LINE_FUNCTION, OP_PB_VARINT):
			r.function = op_dec_id(d, &c, &f, OP_FUNCTIONS);
			break;
		case OP_PB(LINE_LINE, OP_PB_VARINT):
			r.line = (int64_t)f.v;
			break;
		case OP_PB(LINE_COLUMN, OP_PB_VARINT):
			r.column = (int64_t)f.v;
			break;
		}
	}
	(void)op_vec_push(d->mem, &d->lines, r);
}

static void location(struct op_dec *d, struct op_cur c, struct op_location *out)
{
	struct op_location r = { .first_line = (uint32_t)d->lines.n };
	struct op_pb_field f;

	if (op_pb_take_varint(&c, LOCATION_MAPPING, &f))
		r.mapping = op_dec_id(d, &c, &f, OP_MAPPINGS);
	if (op_pb_take_varint(&c, LOCATION_ADDRESS, &f))
		r.address = f.v;
	while (op_pb_take_len(&c, LOCATION_LINES, &f))
		line(d, op_pb_sub(&c, &f));
	if (op_pb_take_len(&c, LOCATION_ATTRIBUTES, &f))
		r.attrs = op_dec_attrs(d, &c, &f, r.attrs);
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(LOCATION_MAPPING, OP_PB_VARINT):
			r.mapping = op_dec_id(d, &c, &f, OP_MAPPINGS);
			break;
		case OP_PB(LOCATION_ADDRESS, OP_PB_VARINT):
			r.address = f.v;
			break;
		case OP_PB(LOCATION_LINES, OP_PB_LEN):
			line(d, op_pb_sub(&c, &f));
			break;
		case OP_PB(LOCATION_ATTRIBUTES, OP_PB_LEN):
		case OP_PB(LOCATION_ATTRIBUTES, OP_PB_VARINT):
			r.attrs = op_dec_attrs(d, &c, &f, r.attrs);
			break;
		}
	}
	r.nr_lines = (uint32_t)d->lines.n - r.first_line;
	*out = r;
}

static void function(struct op_dec *d, struct op_cur c, struct op_function *out)
{
	struct op_function r = { 0 };
	struct op_pb_field f;

	if (op_pb_take_varint(&c, FUNCTION_NAME, &f))
		r.name = op_dec_id(d, &c, &f, OP_STRINGS);
	if (op_pb_take_varint(&c, FUNCTION_SYSTEM_NAME, &f))
		r.system_name = op_dec_id(d, &c, &f, OP_STRINGS);
	if (op_pb_take_varint(&c, FUNCTION_FILENAME, &f))
		r.filename = op_dec_id(d, &c, &f, OP_STRINGS);
	if (op_pb_take_varint(&c, FUNCTION_START_LINE, &f))
		r.start_line = (int64_t)f.v;
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(FUNCTION_NAME, OP_PB_VARINT):
			r.name = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		case OP_PB(FUNCTION_SYSTEM_NAME, OP_PB_VARINT):
			r.system_name = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		case OP_PB(FUNCTION_FILENAME, OP_PB_VARINT):
			r.filename = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		case OP_PB(FUNCTION_START_LINE, OP_PB_VARINT):
			r.start_line = (int64_t)f.v;
			break;
		}
	}
	*out = r;
}

static void attribute(struct op_dec *d, struct op_cur c, struct op_attr *out)
{
	struct op_attr r = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(ATTRIBUTE_KEY, OP_PB_VARINT):
			r.key = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		case OP_PB(ATTRIBUTE_VALUE, OP_PB_LEN):
			op_wire_any(&d->wire, op_pb_sub(&c, &f), &r.value, 0);
			break;
		case OP_PB(ATTRIBUTE_UNIT, OP_PB_VARINT):
			r.unit = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		}
	}
	*out = r;
}

op_inline void stack(struct op_dec *d, struct op_cur c, uint32_t id)
{
	struct op_pb_field f;

	if (op_pb_take_len(&c, STACK_LOCATIONS, &f))
		op_dec_ids_add(d, op_pb_sub(&c, &f), OP_LOCATIONS, &d->frames);
	while (op_pb_next(&c, &f)) {
		if (f.num == STACK_LOCATIONS &&
		    (f.wire == OP_PB_LEN || f.wire == OP_PB_VARINT))
			op_dec_ids_add(d, op_pb_sub(&c, &f), OP_LOCATIONS,
				       &d->frames);
	}
	d->m->dict.stacks.at[id + 1] = (uint32_t)d->frames.n;
}

/* --- the dictionary --- */

static enum op_table table_of(uint32_t field)
{
	static const enum op_table tables[] = {
		OP_NR_TABLES, OP_MAPPINGS, OP_LOCATIONS, OP_FUNCTIONS,
		OP_LINKS,     OP_STRINGS,  OP_ATTRS,	 OP_STACKS,
	};

	return field < op_countof(tables) ? tables[field] : OP_NR_TABLES;
}

void op_dec_dictionary_count(struct op_cur c, struct op_dec_counts *out)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		enum op_table t = table_of(f.num);

		if (f.wire != OP_PB_LEN || t == OP_NR_TABLES)
			continue;
		out->nr[t]++;
		if (t == OP_STACKS)
			out->stack_bytes += f.bytes.n;
	}
}

void op_dec_dictionary(struct op_dec *d, struct op_cur c)
{
	struct op_dict *dict = &d->m->dict;
	uint32_t *fill = d->fill;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_cur row = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(DICT_MAPPING, OP_PB_LEN):
			mapping(d, row, &dict->mappings[fill[OP_MAPPINGS]++]);
			break;
		case OP_PB(DICT_LOCATION, OP_PB_LEN):
			location(d, row,
				 &dict->locations[fill[OP_LOCATIONS]++]);
			break;
		case OP_PB(DICT_FUNCTION, OP_PB_LEN):
			function(d, row,
				 &dict->functions[fill[OP_FUNCTIONS]++]);
			break;
		case OP_PB(DICT_LINK, OP_PB_LEN):
			op_wire_link(&d->wire, row,
				     &dict->links[fill[OP_LINKS]++]);
			break;
		case OP_PB(DICT_STRING, OP_PB_LEN):
			dict->strings[fill[OP_STRINGS]++] = f.bytes;
			break;
		case OP_PB(DICT_ATTRIBUTE, OP_PB_LEN):
			attribute(d, row, &dict->attrs[fill[OP_ATTRS]++]);
			break;
		case OP_PB(DICT_STACK, OP_PB_LEN):
			stack(d, row, fill[OP_STACKS]++);
			break;
		}
	}
}

/* One per typical set, up to 64 KiB. */
static bool memo_new(struct op_dec *d, size_t nr_stacks)
{
	size_t n = 64;

	d->memo_shift = 64 - 6;
	while (n < 4096 && n < nr_stacks) {
		n *= 2;
		d->memo_shift--;
	}
	d->memo = op_new(d->mem, struct op_set_memo, n);
	return d->memo;
}

bool op_dec_tables_new(struct op_dec *d, const struct op_dec_counts *counts)
{
	const size_t *nr = counts->nr;
	struct op_dict *dict = &d->m->dict;
	struct op_arena *mem = d->mem;

	for (int t = 0; t < OP_NR_TABLES; t++) {
		if (nr[t] > INT32_MAX)
			return !op_fail(d->err, OP_ELIMIT,
					"%zu rows in the %s table", nr[t],
					table_names[t]);
		dict->nr[t] = (uint32_t)nr[t];
		d->limit[t] = nr[t] ? (uint32_t)nr[t] : 1;
		if (d->wire.unchecked)
			d->limit[t] = UINT32_MAX;
	}
	d->wire.nr_strings = d->limit[OP_STRINGS];
	dict->mappings = op_new(mem, struct op_mapping, nr[OP_MAPPINGS]);
	dict->locations = op_new_raw(mem, struct op_location, nr[OP_LOCATIONS]);
	dict->functions = op_new_raw(mem, struct op_function, nr[OP_FUNCTIONS]);
	dict->links = op_new(mem, struct op_link, nr[OP_LINKS]);
	dict->strings = op_new_raw(mem, struct op_view, nr[OP_STRINGS]);
	dict->attrs = op_new(mem, struct op_attr, nr[OP_ATTRS]);
	dict->stacks.nr = (uint32_t)nr[OP_STACKS];
	dict->stacks.at = op_new_raw(mem, uint32_t, nr[OP_STACKS] + 1);
	if (!dict->mappings || !dict->locations || !dict->functions ||
	    !dict->links || !dict->strings || !dict->attrs || !dict->stacks.at)
		return false;
	dict->stacks.at[0] = 0;
	/* Two-byte IDs need half the bytes; if that is too few, it grows. */
	return memo_new(d, nr[OP_STACKS]) &&
	       op_vec_reserve(mem, &d->frames, counts->stack_bytes / 2) &&
	       op_vec_reserve(mem, &d->lines, nr[OP_LOCATIONS]) &&
	       op_vec_push(mem, &d->set_at, 0) &&
	       op_vec_push(mem, &d->set_at, 0);
}

int op_dec_tables_finish(struct op_dec *d)
{
	struct op_dict *dict = &d->m->dict;

	op_vec_trim(d->mem, &d->lines);
	op_vec_trim(d->mem, &d->frames);
	dict->lines = d->lines.p;
	dict->nr_lines = (uint32_t)d->lines.n;
	dict->stacks = op_lists(dict->stacks.at, d->frames.p, dict->stacks.nr);
	dict->sets = op_lists(d->set_at.p, d->members.p,
			      (uint32_t)d->set_at.n - 1);
	return op_dict_complete(dict, d->mem);
}
