// SPDX-License-Identifier: Apache-2.0
/* rpc/part_model.c: the rows that a part has, under their new ids. */
#include <stdlib.h>

#include "base/hash.h"
#include "rpc/part.h"

/* An array of the part's model; NULL without memory. */
#define NEW(p, T, nr) op_new_raw(&(p)->model_mem, T, nr)

static void *fail(struct op_part *p)
{
	op_fail(p->err, OP_ENOMEM, "no memory to split a message");
	return NULL;
}

static uint32_t string_of(const struct op_part *p, uint32_t id)
{
	return p->map[OP_STRINGS][id];
}

/* --- values --- */

static struct op_any any_of(struct op_part *p, const struct op_any *v);

static struct op_kv *kvlist_of(struct op_part *p, const struct op_kv *kvs,
			       uint32_t n)
{
	struct op_kv *out = NEW(p, struct op_kv, n);

	if (!out)
		return fail(p);
	for (uint32_t i = 0; i < n; i++) {
		out[i] = kvs[i];
		out[i].key_id = string_of(p, kvs[i].key_id);
		out[i].value = any_of(p, &kvs[i].value);
	}
	return out;
}

/* The value with the part's ids of strings. The depth is bounded by readers and
 * builders. */
static struct op_any any_of(struct op_part *p, const struct op_any *v)
{
	struct op_any out = *v;

	if (v->kind == OP_ANY_STRING_ID)
		out.string_id = string_of(p, v->string_id);
	if (v->kind == OP_ANY_KVLIST)
		out.kvlist = kvlist_of(p, v->kvlist, v->n);
	if (v->kind == OP_ANY_ARRAY) {
		out.array = NEW(p, struct op_any, v->n);
		for (uint32_t i = 0; out.array && i < v->n; i++)
			out.array[i] = any_of(p, &v->array[i]);
		if (!out.array)
			fail(p);
	}
	if (p->err->code)
		out = (struct op_any){ 0 };
	return out;
}

static struct op_kvs kvs_of(struct op_part *p, struct op_kvs kvs)
{
	return (struct op_kvs){ kvlist_of(p, kvs.p, kvs.n), kvs.n };
}

/* --- tables --- */

static int id_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The first mapping is the program, so their order stays. */
static void mappings_sort(struct op_part *p)
{
	struct op_id_vec *rows = &p->rows[OP_MAPPINGS];

	qsort(rows->p, rows->n, sizeof(*rows->p), id_cmp);
	for (uint32_t i = 0; i < rows->n; i++)
		p->map[OP_MAPPINGS][rows->p[i]] = i;
}

static void strings_make(struct op_part *p, struct op_dict *d)
{
	const struct op_id_vec *rows = &p->rows[OP_STRINGS];

	d->strings = NEW(p, struct op_view, rows->n);
	for (size_t i = 0; d->strings && i < rows->n; i++)
		d->strings[i] = p->from->dict.strings[rows->p[i]];
}

static void mappings_make(struct op_part *p, struct op_dict *d)
{
	const struct op_id_vec *rows = &p->rows[OP_MAPPINGS];

	d->mappings = NEW(p, struct op_mapping, rows->n);
	for (size_t i = 0; d->mappings && i < rows->n; i++) {
		struct op_mapping *m = &d->mappings[i];

		*m = p->from->dict.mappings[rows->p[i]];
		m->filename = string_of(p, m->filename);
		m->attrs = p->set_map[m->attrs];
	}
}

static void functions_make(struct op_part *p, struct op_dict *d)
{
	const struct op_id_vec *rows = &p->rows[OP_FUNCTIONS];

	d->functions = NEW(p, struct op_function, rows->n);
	for (size_t i = 0; d->functions && i < rows->n; i++) {
		struct op_function *f = &d->functions[i];

		*f = p->from->dict.functions[rows->p[i]];
		f->name = string_of(p, f->name);
		f->system_name = string_of(p, f->system_name);
		f->filename = string_of(p, f->filename);
	}
}

static size_t lines_count(const struct op_part *p)
{
	const struct op_id_vec *rows = &p->rows[OP_LOCATIONS];
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += p->from->dict.locations[rows->p[i]].nr_lines;
	return n;
}

static void locations_make(struct op_part *p, struct op_dict *d)
{
	const struct op_id_vec *rows = &p->rows[OP_LOCATIONS];

	d->locations = NEW(p, struct op_location, rows->n);
	d->lines = NEW(p, struct op_line, lines_count(p));
	for (size_t i = 0; d->locations && d->lines && i < rows->n; i++) {
		struct op_location *l = &d->locations[i];
		const struct op_line *lines;

		*l = p->from->dict.locations[rows->p[i]];
		lines = p->from->dict.lines + l->first_line;
		l->mapping = p->map[OP_MAPPINGS][l->mapping];
		l->attrs = p->set_map[l->attrs];
		l->first_line = d->nr_lines;
		for (uint32_t k = 0; k < l->nr_lines; k++) {
			struct op_line *to = &d->lines[d->nr_lines++];

			*to = lines[k];
			to->function = p->map[OP_FUNCTIONS][to->function];
		}
	}
}

static void links_make(struct op_part *p, struct op_dict *d)
{
	const struct op_id_vec *rows = &p->rows[OP_LINKS];

	d->links = NEW(p, struct op_link, rows->n);
	for (size_t i = 0; d->links && i < rows->n; i++)
		d->links[i] = p->from->dict.links[rows->p[i]];
}

static void attrs_make(struct op_part *p, struct op_dict *d)
{
	const struct op_id_vec *rows = &p->rows[OP_ATTRS];

	d->attrs = NEW(p, struct op_attr, rows->n);
	for (size_t i = 0; d->attrs && i < rows->n; i++) {
		struct op_attr *a = &d->attrs[i];

		*a = p->from->dict.attrs[rows->p[i]];
		a->key = string_of(p, a->key);
		a->unit = string_of(p, a->unit);
		a->value = any_of(p, &a->value);
	}
}

static void lists_make(struct op_part *p, const struct op_lists *from,
		       const struct op_id_vec *rows, const uint32_t *map,
		       struct op_lists *out)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += op_list(from, rows->p[i]).n;
	out->nr = (uint32_t)rows->n;
	out->at = NEW(p, uint32_t, rows->n + 1);
	out->items = NEW(p, uint32_t, n);
	if (!out->at || !out->items) {
		fail(p);
		return;
	}
	n = 0;
	for (size_t i = 0; i < rows->n; i++) {
		struct op_ids ids = op_list(from, rows->p[i]);

		out->at[i] = (uint32_t)n;
		for (uint32_t k = 0; k < ids.n; k++)
			out->items[n++] = map[ids.p[k]];
	}
	out->at[rows->n] = (uint32_t)n;
}

static void dict_make(struct op_part *p, struct op_dict *d)
{
	const struct op_dict *from = &p->from->dict;

	for (int t = 0; t < OP_NR_TABLES; t++)
		d->nr[t] = (uint32_t)p->rows[t].n;
	mappings_sort(p);
	strings_make(p, d);
	mappings_make(p, d);
	functions_make(p, d);
	locations_make(p, d);
	links_make(p, d);
	attrs_make(p, d);
	lists_make(p, &from->stacks, &p->rows[OP_STACKS], p->map[OP_LOCATIONS],
		   &d->stacks);
	lists_make(p, &from->sets, &p->sets, p->map[OP_ATTRS], &d->sets);
	if (!d->strings || !d->mappings || !d->functions || !d->locations ||
	    !d->lines || !d->links || !d->attrs)
		fail(p);
}

/* --- samples --- */

/* The arrays of a profile that is made of n pieces with so many values and
 * times; false without memory. */
static bool columns_new(struct op_part *p, struct op_profile *f, uint32_t n,
			size_t nr_values, size_t nr_times)
{
	f->nr_samples = n;
	f->stack = NEW(p, uint32_t, n);
	f->set = NEW(p, uint32_t, n);
	f->link = NEW(p, uint32_t, n);
	f->value_at = NEW(p, uint32_t, (size_t)n + 1);
	f->time_at = NEW(p, uint32_t, (size_t)n + 1);
	f->values = NEW(p, int64_t, nr_values);
	f->times = NEW(p, uint64_t, nr_times);
	return f->stack && f->set && f->link && f->value_at && f->time_at &&
	       f->values && f->times;
}

static void piece_copy(struct op_part *p, const struct op_profile *from,
		       const struct op_piece *piece, struct op_profile *f,
		       uint32_t to)
{
	struct op_values values = op_sample_values(from, piece->sample);
	struct op_times times = op_sample_times(from, piece->sample);
	uint32_t v = f->value_at[to], t = f->time_at[to];

	f->stack[to] = p->map[OP_STACKS][from->stack[piece->sample]];
	f->set[to] = p->set_map[from->set[piece->sample]];
	f->link[to] = p->map[OP_LINKS][from->link[piece->sample]];
	for (uint32_t k = piece->from; values.n && k < piece->to; k++)
		f->values[v++] = values.p[k];
	for (uint32_t k = piece->from; times.n && k < piece->to; k++)
		f->times[t++] = times.p[k];
	f->value_at[to + 1] = v;
	f->time_at[to + 1] = t;
}

static void samples_make(struct op_part *p, const struct op_part_profile *part,
			 uint32_t n, struct op_profile *f)
{
	const struct op_profile *from = part->at.profile;
	const struct op_piece *pieces = p->pieces.p + part->first;
	size_t nr_values = 0, nr_times = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t nr = pieces[i].to - pieces[i].from;

		if (op_sample_values(from, pieces[i].sample).n)
			nr_values += nr;
		if (op_sample_times(from, pieces[i].sample).n)
			nr_times += nr;
	}
	if (!columns_new(p, f, n, nr_values, nr_times)) {
		fail(p);
		return;
	}
	f->value_at[0] = f->time_at[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		piece_copy(p, from, &pieces[i], f, i);
}

/* --- resources --- */

/* An id for a part of a profile. It follows from the profile and from which
 * part it is, so that it is the same when it is made again, and another than
 * that of a part that looks the same. */
static void part_id(struct op_profile *f, const struct op_piece *pieces,
		    uint32_t n)
{
	struct {
		uint8_t of[sizeof(f->id)];
		struct op_piece first, last;
	} key = { 0 };
	struct op_hash128 h;

	memcpy(key.of, f->id, sizeof(key.of));
	if (n) {
		key.first = pieces[0];
		key.last = pieces[n - 1];
	}
	h = op_hash128(&key, sizeof(key));
	memcpy(f->id, &h, sizeof(f->id));
	f->id_len = sizeof(f->id);
}

static void profile_make(struct op_part *p, size_t i, struct op_profile *out)
{
	const struct op_part_profile *part = &p->profiles.p[i];
	size_t end = i + 1 < p->profiles.n ? p->profiles.p[i + 1].first :
					     p->pieces.n;
	uint32_t n = (uint32_t)(end - part->first);
	struct op_profile f = *part->at.profile;

	f.sample_type.type = string_of(p, f.sample_type.type);
	f.sample_type.unit = string_of(p, f.sample_type.unit);
	f.period_type.type = string_of(p, f.period_type.type);
	f.period_type.unit = string_of(p, f.period_type.unit);
	f.attrs = p->set_map[f.attrs];
	samples_make(p, part, n, &f);
	if (!part->is_whole) {
		f.payload = f.payload_format = (struct op_view){ 0 };
		part_id(&f, p->pieces.p + part->first, n);
	}
	*out = f;
}

/* How many profiles from i on are in the same resource, or scope too. */
static size_t run(const struct op_part *p, size_t i, bool scope)
{
	const struct op_walk *a = &p->profiles.p[i].at;
	size_t n = 0;

	for (; i < p->profiles.n; i++, n++) {
		const struct op_walk *b = &p->profiles.p[i].at;

		if (a->r != b->r || (scope && a->s != b->s))
			break;
	}
	return n;
}

static void resource_make(struct op_part *p, size_t i, size_t n,
			  struct op_resource *r)
{
	struct op_profile *profiles = NEW(p, struct op_profile, n);
	size_t done = 0;

	*r = *p->profiles.p[i].at.resource;
	r->attrs = kvs_of(p, r->attrs);
	r->nr_scopes = 0;
	r->scopes = NEW(p, struct op_scope, n);
	if (!profiles || !r->scopes) {
		fail(p);
		return;
	}
	while (done < n && !p->err->code) {
		struct op_scope *s = &r->scopes[r->nr_scopes++];

		*s = *p->profiles.p[i + done].at.scope;
		s->attrs = kvs_of(p, s->attrs);
		s->nr_profiles = (uint32_t)run(p, i + done, true);
		s->profiles = profiles + done;
		for (uint32_t k = 0; k < s->nr_profiles; k++, done++)
			profile_make(p, i + done, &profiles[done]);
	}
}

int op_part_model(struct op_part *p, struct op_model *out)
{
	size_t n;

	op_arena_reset(&p->model_mem);
	*out = (struct op_model){ .dialect = p->from->dialect, .normal = true };
	dict_make(p, &out->dict);
	out->resources = NEW(p, struct op_resource, p->profiles.n);
	if (!out->resources)
		fail(p);
	for (size_t i = 0; i < p->profiles.n && !p->err->code; i += n) {
		n = run(p, i, false);
		resource_make(p, i, n, &out->resources[out->nr_resources++]);
	}
	return p->err->code;
}
