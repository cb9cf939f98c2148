// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split_part.c: the rows of a part, and their encoded size. */
#include "fmt/otlp/split_part.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"

/* Of a tag and a length: the final length may be longer than the measured one.
 */
enum { TAG = 2, MAX_TAG = 6, LENGTH_GROWTH = 4 };

static const size_t row_sizes[] = {
	[OP_MAPPINGS] = sizeof(struct op_mapping),
	[OP_LOCATIONS] = sizeof(struct op_location),
	[OP_FUNCTIONS] = sizeof(struct op_function),
	[OP_LINKS] = sizeof(struct op_link),
	[OP_STRINGS] = sizeof(struct op_view),
	[OP_ATTRS] = sizeof(struct op_attr),
	[OP_STACKS] = sizeof(uint32_t),
	[OP_PART_SETS] = sizeof(uint32_t),
};

/* The limit is reached: nothing more is examined. */
static bool is_done(const struct op_part *p)
{
	return op_part_is_over(p) || p->err->code;
}

/* --- what rows take --- */

/* The rows of a table from a given one on. */
static void *rows_from(const struct op_part *p, int t, size_t first)
{
	return (char *)p->tables[t].rows + first * row_sizes[t];
}

/* Lists end where the next one would begin. */
static struct op_lists lists_from(const struct op_part *p, int t, size_t first,
				  const struct op_id_vec *items)
{
	size_t n = p->tables[t].ids.n;
	uint32_t *at = rows_from(p, t, first);

	at[n - first] = (uint32_t)items->n;
	return op_lists(at, items->p, (uint32_t)(n - first));
}

/* The rows since a mark as a dictionary, with all of the sets. */
static struct op_dict dict_since(const struct op_part *p,
				 const struct op_part_mark *mark)
{
	const size_t *n = mark->rows;
	struct op_dict d = {
		.mappings = rows_from(p, OP_MAPPINGS, n[OP_MAPPINGS]),
		.locations = rows_from(p, OP_LOCATIONS, n[OP_LOCATIONS]),
		.functions = rows_from(p, OP_FUNCTIONS, n[OP_FUNCTIONS]),
		.links = rows_from(p, OP_LINKS, n[OP_LINKS]),
		.strings = rows_from(p, OP_STRINGS, n[OP_STRINGS]),
		.attrs = rows_from(p, OP_ATTRS, n[OP_ATTRS]),
		.stacks = lists_from(p, OP_STACKS, n[OP_STACKS], &p->frames),
		.sets = lists_from(p, OP_PART_SETS, 0, &p->members),
		.lines = p->lines.p,
		.nr_lines = (uint32_t)p->lines.n,
	};

	for (int t = 0; t < OP_NR_TABLES; t++)
		d.nr[t] = (uint32_t)(p->tables[t].ids.n - n[t]);
	return d;
}

static size_t rows_bytes(struct op_part *p, const struct op_dict *d)
{
	p->w.p = p->w.end;
	op_otlp_rows_write(&p->w, d);
	return op_pbw_mark(&p->w);
}

/* Ends an addition; so many bytes are not from rows. While rows were added,
 * p->bytes was at most their size. */
static void settle(struct op_part *p, const struct op_part_mark *mark,
		   size_t bytes)
{
	struct op_dict d;

	if (is_done(p))
		return;
	d = dict_since(p, mark);
	p->bytes = mark->bytes + bytes + rows_bytes(p, &d);
}

/* --- rows --- */

/* Adds a row of at least so many bytes. There is always room for one more. */
static uint32_t row_add(struct op_part *p, int t, uint32_t id, const void *row,
			size_t least)
{
	struct op_part_table *to = &p->tables[t];
	size_t n = to->ids.n;
	void *rows = to->rows;

	if (to->cap < n + 2)
		rows = op_vec_grow(&p->mem, rows, &to->cap, n + 2,
				   row_sizes[t]);
	if (!rows || !op_vec_push(&p->mem, &to->ids, id))
		return 0;
	to->rows = rows;
	memcpy(rows_from(p, t, n), row, row_sizes[t]);
	to->map[id] = (uint32_t)n;
	p->bytes += least;
	return (uint32_t)n;
}

static bool has_row(const struct op_part *p, int t, uint32_t id, uint32_t *out)
{
	*out = p->tables[t].map[id];
	return *out != OP_NO_ID;
}

static uint32_t put_string(struct op_part *p, uint32_t id)
{
	const struct op_view *row = &p->from->dict.strings[id];
	uint32_t has;

	return has_row(p, OP_STRINGS, id, &has) ?
		       has :
		       row_add(p, OP_STRINGS, id, row, TAG + row->n);
}

static uint32_t put_link(struct op_part *p, uint32_t id)
{
	const struct op_link *row = &p->from->dict.links[id];
	uint32_t has;

	return has_row(p, OP_LINKS, id, &has) ?
		       has :
		       row_add(p, OP_LINKS, id, row, TAG);
}

/* The size of an attribute without its key. Measured once: many sets may ask
 * for a large one that does not fit. */
static size_t attr_bytes(struct op_part *p, uint32_t id)
{
	struct op_attr row = { .value = p->from->dict.attrs[id].value };
	struct op_dict d = { .attrs = &row, .nr[OP_ATTRS] = 1 };

	if (!p->attr_bytes[id])
		p->attr_bytes[id] = rows_bytes(p, &d);
	return p->attr_bytes[id];
}

static uint32_t put_attr(struct op_part *p, uint32_t id)
{
	struct op_attr row = p->from->dict.attrs[id];
	uint32_t has;

	if (has_row(p, OP_ATTRS, id, &has))
		return has;
	row.key = put_string(p, row.key);
	row.unit = put_string(p, row.unit);
	return row_add(p, OP_ATTRS, id, &row, attr_bytes(p, id));
}

/* A list of rows that put() adds. */
static uint32_t put_list(struct op_part *p, int t, uint32_t id,
			 const struct op_lists *from, struct op_id_vec *items,
			 uint32_t (*put)(struct op_part *p, uint32_t id))
{
	struct op_ids ids = op_list(from, id);
	uint32_t has, begin = (uint32_t)items->n;

	if (has_row(p, t, id, &has))
		return has;
	for (uint32_t i = 0; i < ids.n && !is_done(p); i++)
		(void)op_vec_push(&p->mem, items, put(p, ids.p[i]));
	return row_add(p, t, id, &begin, ids.n);
}

static uint32_t put_set(struct op_part *p, uint32_t id)
{
	return put_list(p, OP_PART_SETS, id, &p->from->dict.sets, &p->members,
			put_attr);
}

static uint32_t put_function(struct op_part *p, uint32_t id)
{
	struct op_function row = p->from->dict.functions[id];
	uint32_t has;

	if (has_row(p, OP_FUNCTIONS, id, &has))
		return has;
	row.name = put_string(p, row.name);
	row.system_name = put_string(p, row.system_name);
	row.filename = put_string(p, row.filename);
	return row_add(p, OP_FUNCTIONS, id, &row, TAG);
}

static struct op_mapping mapping_row(struct op_part *p, uint32_t id)
{
	struct op_mapping row = p->from->dict.mappings[id];

	row.filename = put_string(p, row.filename);
	row.attrs = put_set(p, row.attrs);
	return row;
}

static void put_mapping(struct op_part *p, uint32_t id)
{
	struct op_mapping row;
	uint32_t has;

	if (has_row(p, OP_MAPPINGS, id, &has))
		return;
	row = mapping_row(p, id);
	row_add(p, OP_MAPPINGS, id, &row, TAG);
}

static uint32_t put_location(struct op_part *p, uint32_t id)
{
	struct op_location row = p->from->dict.locations[id];
	const struct op_line *lines = p->from->dict.lines + row.first_line;
	uint32_t has;

	if (has_row(p, OP_LOCATIONS, id, &has))
		return has;
	row.first_line = (uint32_t)p->lines.n;
	for (uint32_t i = 0; i < row.nr_lines && !is_done(p); i++) {
		struct op_line line = lines[i];

		line.function = put_function(p, line.function);
		(void)op_vec_push(&p->mem, &p->lines, line);
	}
	put_mapping(p, row.mapping);
	row.attrs = put_set(p, row.attrs);
	return row_add(p, OP_LOCATIONS, id, &row,
		       TAG * (1 + (size_t)row.nr_lines));
}

static uint32_t put_stack(struct op_part *p, uint32_t id)
{
	return put_list(p, OP_STACKS, id, &p->from->dict.stacks, &p->frames,
			put_location);
}

void op_part_rows(struct op_part *p, uint32_t stack, uint32_t set)
{
	struct op_part_mark mark = op_part_mark(p);

	put_stack(p, stack);
	put_set(p, set);
	settle(p, &mark, 0);
}

/* --- begin, undo, end --- */

static bool table_new(struct op_part *p, int t)
{
	const struct op_dict *d = &p->from->dict;
	uint32_t nr = t == OP_PART_SETS ? d->sets.nr : d->nr[t];
	uint32_t *map = op_new_raw(&p->mem, uint32_t, nr);

	if (map)
		memset(map, 0xff, nr * sizeof(*map));
	p->tables[t].map = map;
	return map;
}

/* No array is NULL from here on. */
static bool arrays_new(struct op_part *p)
{
	uint32_t nr_attrs = p->from->dict.nr[OP_ATTRS];
	bool ok = op_vec_push(&p->mem, &p->value_at, 0) &&
		  op_vec_push(&p->mem, &p->time_at, 0) &&
		  op_vec_reserve(&p->mem, &p->frames, 1) &&
		  op_vec_reserve(&p->mem, &p->members, 1) &&
		  op_vec_reserve(&p->mem, &p->lines, 1) &&
		  op_vec_reserve(&p->mem, &p->slices, 1) &&
		  op_vec_reserve(&p->mem, &p->stack, 1) &&
		  op_vec_reserve(&p->mem, &p->set, 1) &&
		  op_vec_reserve(&p->mem, &p->link, 1) &&
		  op_vec_reserve(&p->mem, &p->values, 1) &&
		  op_vec_reserve(&p->mem, &p->times, 1);

	for (int t = 0; t < OP_PART_TABLES && ok; t++)
		ok = table_new(p, t);
	p->attr_bytes = op_new(&p->mem, size_t, nr_attrs);
	return ok && p->attr_bytes;
}

int op_part_init(struct op_part *p, const struct op_model *from, size_t max,
		 struct op_err *err)
{
	enum { MARKED = 2 }; /* see op_otlp_marked() */
	struct op_part_mark none = { .bytes = MAX_TAG + MARKED };

	*p = (struct op_part){
		.from = from,
		.err = err,
		.max = max,
		.w.err = err,
		.mem.err = err,
		.head_mem.err = err,
	};
	if (!arrays_new(p))
		return err->code;
	/* Row 0 of every table. */
	put_string(p, 0);
	put_location(p, 0);
	put_function(p, 0);
	put_link(p, 0);
	put_attr(p, 0);
	put_stack(p, 0);
	p->bytes = 0;
	settle(p, &none, 0);
	return err->code;
}

void op_part_fini(struct op_part *p)
{
	op_pbw_free(&p->w);
	op_arena_free(&p->mem);
	op_arena_free(&p->head_mem);
}

struct op_part_mark op_part_mark(const struct op_part *p)
{
	struct op_part_mark mark = {
		.lines = p->lines.n,
		.frames = p->frames.n,
		.members = p->members.n,
		.profiles = p->profiles.n,
		.samples = p->slices.n,
		.bytes = p->bytes,
	};

	for (int t = 0; t < OP_PART_TABLES; t++)
		mark.rows[t] = p->tables[t].ids.n;
	return mark;
}

void op_part_undo(struct op_part *p, const struct op_part_mark *mark)
{
	size_t n = mark->samples;

	for (int t = 0; t < OP_PART_TABLES; t++) {
		struct op_part_table *table = &p->tables[t];

		while (table->ids.n > mark->rows[t])
			table->map[table->ids.p[--table->ids.n]] = OP_NO_ID;
	}
	p->lines.n = mark->lines;
	p->frames.n = mark->frames;
	p->members.n = mark->members;
	p->profiles.n = mark->profiles;
	p->slices.n = p->stack.n = p->set.n = p->link.n = p->times.n = n;
	p->value_at.n = p->time_at.n = n + 1;
	p->values.n = p->value_at.p[n];
	p->bytes = mark->bytes;
}

/* --- resources, scopes and profiles --- */

static struct op_any any_copy(struct op_part *p, const struct op_any *v);

static struct op_kv *kvlist_copy(struct op_part *p, const struct op_kv *kvs,
				 uint32_t n)
{
	struct op_kv *out = op_new(&p->head_mem, struct op_kv, n);

	for (uint32_t i = 0; i < n && !is_done(p); i++) {
		out[i] = kvs[i];
		out[i].key_id = put_string(p, kvs[i].key_id);
		out[i].value = any_copy(p, &kvs[i].value);
	}
	return out;
}

/* The value with the string IDs of the part. Readers and builders limit the
 * depth. */
static struct op_any any_copy(struct op_part *p, const struct op_any *v)
{
	struct op_any out = *v;

	if (v->kind == OP_ANY_STRING_ID)
		out.string_id = put_string(p, v->string_id);
	if (v->kind == OP_ANY_KVLIST)
		out.kvlist = kvlist_copy(p, v->kvlist, v->n);
	if (v->kind == OP_ANY_ARRAY) {
		out.array = op_new(&p->head_mem, struct op_any, v->n);
		for (uint32_t i = 0; i < v->n && !is_done(p); i++)
			out.array[i] = any_copy(p, &v->array[i]);
	}
	return out;
}

/* The empty resources, scopes and profiles of a part. */
static struct op_resource resource_head(struct op_part *p,
					const struct op_resource *from)
{
	struct op_resource r = *from;

	r.attrs.p = kvlist_copy(p, r.attrs.p, r.attrs.n);
	r.nr_scopes = 0;
	return r;
}

static struct op_scope scope_head(struct op_part *p,
				  const struct op_scope *from)
{
	struct op_scope s = *from;

	s.attrs.p = kvlist_copy(p, s.attrs.p, s.attrs.n);
	s.nr_profiles = 0;
	return s;
}

static struct op_profile profile_head(struct op_part *p,
				      const struct op_part_profile *of)
{
	struct op_profile f = *of->at.profile;

	f.sample_type.type = put_string(p, f.sample_type.type);
	f.sample_type.unit = put_string(p, f.sample_type.unit);
	f.period_type.type = put_string(p, f.period_type.type);
	f.period_type.unit = put_string(p, f.period_type.unit);
	f.attrs = put_set(p, f.attrs);
	f.nr_samples = 0;
	if (!of->is_whole)
		f.payload = f.payload_format = (struct op_view){ 0 };
	return f;
}

static bool is_same_resource(const struct op_part *p, size_t i)
{
	return i && p->profiles.p[i - 1].at.r == p->profiles.p[i].at.r;
}

static bool is_same_scope(const struct op_part *p, size_t i)
{
	return is_same_resource(p, i) &&
	       p->profiles.p[i - 1].at.s == p->profiles.p[i].at.s;
}

void op_part_profile(struct op_part *p, const struct op_walk *at, bool is_whole)
{
	struct op_part_profile of = { .at = *at,
				      .first_sample = p->slices.n,
				      .is_whole = is_whole };
	struct op_part_mark mark = op_part_mark(p);
	struct op_dict sets = { 0 };
	struct op_resource r = { 0 };
	struct op_scope s = { 0 };
	struct op_profile f;
	size_t payload, i = p->profiles.n;

	if (!op_vec_push(&p->mem, &p->profiles, of))
		return;
	op_arena_reset(&p->head_mem);
	if (!is_same_resource(p, i))
		r = resource_head(p, at->resource);
	if (!is_same_scope(p, i))
		s = scope_head(p, at->scope);
	f = profile_head(p, &of);
	payload = f.payload.n ? MAX_TAG + f.payload.n : 0;
	p->bytes += payload;
	if (is_done(p))
		return;
	f.payload.n = 0;
	s.profiles = &f;
	s.nr_profiles = 1;
	r.scopes = &s;
	r.nr_scopes = 1;
	sets = dict_since(p, &mark);
	p->w.p = p->w.end;
	op_otlp_resource_write(&p->w, &sets, &r);
	settle(p, &mark, op_pbw_mark(&p->w) + 3 * LENGTH_GROWTH + payload);
}

/* --- samples --- */

/* Assigns the samples from a given one on to a profile. */
static void samples_set(const struct op_part *p, size_t first,
			struct op_profile *f)
{
	f->stack = p->stack.p + first;
	f->set = p->set.p + first;
	f->link = p->link.p + first;
	f->value_at = p->value_at.p + first;
	f->values = p->values.p;
	f->time_at = p->time_at.p + first;
	f->times = NULL;
	f->time_views = p->times.p + first;
}

static bool sample_push(struct op_part *p, const struct op_profile *f,
			struct op_slice slice)
{
	struct op_values values = op_sample_values(f, slice.sample);
	struct op_times times = op_sample_times(f, slice.sample);
	uint32_t nr = slice.to - slice.from;
	uint32_t stack = put_stack(p, f->stack[slice.sample]);
	uint32_t set = put_set(p, f->set[slice.sample]);
	uint32_t link = put_link(p, f->link[slice.sample]);
	uint32_t nr_times = p->time_at.p[p->slices.n] + (times.n ? nr : 0);
	const void *at = times.n ? times.p + slice.from : NULL;

	if (is_done(p) || !op_vec_reserve(&p->mem, &p->values, nr))
		return false;
	if (values.n && nr)
		memcpy(p->values.p + p->values.n, values.p + slice.from,
		       nr * sizeof(*values.p));
	p->values.n += values.n ? nr : 0;
	return op_vec_push(&p->mem, &p->value_at, (uint32_t)p->values.n) &&
	       op_vec_push(&p->mem, &p->time_at, nr_times) &&
	       op_vec_push(&p->mem, &p->times, at) &&
	       op_vec_push(&p->mem, &p->set, set) &&
	       op_vec_push(&p->mem, &p->link, link) &&
	       op_vec_push(&p->mem, &p->stack, stack) &&
	       op_vec_push(&p->mem, &p->slices, slice);
}

void op_part_sample(struct op_part *p, struct op_slice slice)
{
	const struct op_part_profile *of = &p->profiles.p[p->profiles.n - 1];
	struct op_part_mark mark = op_part_mark(p);
	struct op_profile f = { 0 };
	struct op_dict d;

	p->bytes += slice.to -
		    slice.from; /* lower limit, of values or timestamps */
	if (is_done(p))
		return;
	if (!sample_push(p, of->at.profile, slice))
		return;
	d = dict_since(p, &mark);
	samples_set(p, mark.samples, &f);
	settle(p, &mark,
	       op_otlp_sample_size(&(struct op_otlp_samples){ &d, &f, false },
				   0));
}

/* --- the model --- */

static int id_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The first mapping is the program, so the order is kept. */
static void mappings_sort(struct op_part *p)
{
	struct op_part_table *table = &p->tables[OP_MAPPINGS];
	struct op_location *locations = p->tables[OP_LOCATIONS].rows;
	struct op_mapping *rows = table->rows;
	struct op_id_vec *ids = &table->ids;

	qsort(ids->p, ids->n, sizeof(*ids->p), id_cmp);
	for (uint32_t i = 0; i < ids->n; i++) {
		table->map[ids->p[i]] = i;
		rows[i] = mapping_row(p, ids->p[i]);
	}
	for (size_t i = 0; i < p->tables[OP_LOCATIONS].ids.n; i++)
		locations[i].mapping = table->map[locations[i].mapping];
}

/* The ID of a part of a profile. It depends on the profile and on the number of
 * the part, so that it is the same when the part is made again, and differs
 * from that of a part with the same content. */
static void part_id(struct op_profile *f, const struct op_slice *slices)
{
	struct {
		uint8_t of[sizeof(f->id)];
		struct op_slice first, last;
	} key = { 0 };
	struct op_hash128 h;

	memcpy(key.of, f->id, sizeof(key.of));
	if (f->nr_samples) {
		key.first = slices[0];
		key.last = slices[f->nr_samples - 1];
	}
	h = op_hash128(&key, sizeof(key));
	memcpy(f->id, &h, sizeof(f->id));
	f->id_len = sizeof(f->id);
}

static struct op_profile profile_make(struct op_part *p, size_t i)
{
	const struct op_part_profile *of = &p->profiles.p[i];
	size_t end = i + 1 < p->profiles.n ? of[1].first_sample : p->slices.n;
	struct op_profile f = profile_head(p, of);

	f.nr_samples = (uint32_t)(end - of->first_sample);
	samples_set(p, of->first_sample, &f);
	if (!of->is_whole)
		part_id(&f, p->slices.p + of->first_sample);
	return f;
}

/* Puts the profiles into their resources and scopes, which have room for one of
 * each per profile. */
static void resources_make(struct op_part *p, struct op_model *out,
			   struct op_scope *scopes, struct op_profile *profiles)
{
	struct op_resource *r = out->resources;
	struct op_scope *s = scopes;

	for (size_t i = 0; i < p->profiles.n && !p->err->code; i++) {
		const struct op_walk *at = &p->profiles.p[i].at;

		if (!is_same_resource(p, i)) {
			r = &out->resources[out->nr_resources++];
			*r = resource_head(p, at->resource);
			r->scopes = scopes + i;
		}
		if (!is_same_scope(p, i)) {
			s = &r->scopes[r->nr_scopes++];
			*s = scope_head(p, at->scope);
			s->profiles = profiles + i;
		}
		profiles[i] = profile_make(p, i);
		s->nr_profiles++;
	}
}

int op_part_model(struct op_part *p, struct op_model *out)
{
	static const struct op_part_mark none;
	size_t n = p->profiles.n;
	struct op_scope *scopes;
	struct op_profile *profiles;

	op_arena_reset(&p->head_mem);
	mappings_sort(p);
	*out = (struct op_model){ .dialect = p->from->dialect, .normal = true };
	out->resources = op_new_raw(&p->head_mem, struct op_resource, n);
	scopes = op_new_raw(&p->head_mem, struct op_scope, n);
	profiles = op_new_raw(&p->head_mem, struct op_profile, n);
	if (out->resources && scopes && profiles)
		resources_make(p, out, scopes, profiles);
	out->dict = dict_since(p, &none);
	return p->err->code;
}
