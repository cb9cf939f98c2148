// SPDX-License-Identifier: Apache-2.0
/* model/builder.c: the dictionary of the builder. */
#include "model/builder_int.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "model/invariants.h"

/* Adds the last row to the index. This is the last step, so that a failure
 * leaves a row that no lookup finds. */
static uint32_t added(struct op_builder *b, struct op_intern *index,
		      uint32_t hash, size_t nr)
{
	uint32_t id = (uint32_t)nr - 1;

	return op_intern_add(index, &b->m->mem, hash, id) ? id : 0;
}

struct op_view op_build_copy(struct op_builder *b, struct op_view v)
{
	uint8_t *p;

	if (!v.n)
		return (struct op_view){ 0 };
	p = op_arena_alloc(&b->m->mem, v.n);
	if (!p)
		return (struct op_view){ 0 };
	memcpy(p, v.p, v.n);
	return op_view(p, v.n);
}

struct op_view op_build_text(struct op_builder *b, struct op_view v)
{
	size_t n;
	uint8_t *p;

	if (op_likely(op_utf8_valid(v)))
		return op_build_copy(b, v);
	n = op_utf8_fixed_size(v);
	p = op_arena_alloc(&b->m->mem, n);
	if (!p)
		return (struct op_view){ 0 };
	op_utf8_fix(v, p);
	b->has_fixed = true;
	return op_view(p, n);
}

/* --- strings --- */

static bool string_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_view *rows = table;

	return op_view_eq(rows[id], *(const struct op_view *)key);
}

uint32_t op_build_string(struct op_builder *b, struct op_view s)
{
	struct op_intern *index = &b->index[OP_STRINGS];
	uint32_t hash = op_hash32(s.p, s.n);
	uint32_t id;

	if (op_unlikely(b->err->code))
		return 0;
	id = op_intern_find(index, hash, string_eq, b->strings.p, &s);
	if (op_likely(id != OP_NO_ID))
		return id;
	b->has_fixed = false;
	s = op_build_text(b, s);
	if (op_unlikely(b->has_fixed)) {
		/* Converted, it may equal a row. */
		hash = op_hash32(s.p, s.n);
		id = op_intern_find(index, hash, string_eq, b->strings.p, &s);
		if (id != OP_NO_ID) {
			op_arena_drop(&b->m->mem, (void *)s.p, s.n);
			return id;
		}
	}
	if (b->err->code || !op_vec_push(&b->m->mem, &b->strings, s))
		return 0;
	return added(b, index, hash, b->strings.n);
}

/* --- rows of fixed shape --- */

static bool mapping_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_mapping *a = (const struct op_mapping *)table + id;

	return !memcmp(a, key, sizeof(*a)); /* no padding */
}

uint32_t op_build_mapping(struct op_builder *b, const struct op_mapping *row)
{
	struct op_intern *index = &b->index[OP_MAPPINGS];
	uint32_t hash = op_hash32(row, sizeof(*row));
	uint32_t id;

	if (op_unlikely(b->err->code))
		return 0;
	id = op_intern_find(index, hash, mapping_eq, b->mappings.p, row);
	if (op_likely(id != OP_NO_ID))
		return id;
	if (!op_vec_push(&b->m->mem, &b->mappings, *row))
		return 0;
	return added(b, index, hash, b->mappings.n);
}

static bool function_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_function *a = (const struct op_function *)table + id;
	const struct op_function *k = key;

	return a->start_line == k->start_line && a->name == k->name &&
	       a->system_name == k->system_name && a->filename == k->filename;
}

uint32_t op_build_function(struct op_builder *b, const struct op_function *row)
{
	struct op_intern *index = &b->index[OP_FUNCTIONS];
	uint64_t words[] = {
		(uint64_t)row->start_line,
		(uint64_t)row->name << 32 | row->system_name,
		row->filename,
	};
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id;

	if (op_unlikely(b->err->code))
		return 0;
	id = op_intern_find(index, hash, function_eq, b->functions.p, row);
	if (op_likely(id != OP_NO_ID))
		return id;
	if (!op_vec_push(&b->m->mem, &b->functions, *row))
		return 0;
	return added(b, index, hash, b->functions.n);
}

static bool link_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_link *a = (const struct op_link *)table + id;

	return !memcmp(a, key, sizeof(*a)); /* bytes only: no padding */
}

uint32_t op_build_link(struct op_builder *b, const struct op_link *row)
{
	static const struct op_link zeros;
	struct op_intern *index = &b->index[OP_LINKS];
	struct op_link link = *row;
	uint32_t hash, id;

	if (op_unlikely(b->err->code))
		return 0;
	/* IDs of zeros do not count. */
	if (!memcmp(link.trace_id, zeros.trace_id, sizeof(link.trace_id)) &&
	    !memcmp(link.span_id, zeros.span_id, sizeof(link.span_id)))
		return 0;
	link.trace_len = sizeof(link.trace_id);
	link.span_len = sizeof(link.span_id);
	hash = op_hash32(&link, sizeof(link));
	id = op_intern_find(index, hash, link_eq, b->links.p, &link);
	if (op_likely(id != OP_NO_ID))
		return id;
	if (!op_vec_push(&b->m->mem, &b->links, link))
		return 0;
	return added(b, index, hash, b->links.n);
}

/* --- locations --- */

struct location_key {
	const struct op_location *row;
	const struct op_line *lines;
	uint32_t nr_lines;
};

static bool location_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_builder *b = table;
	const struct op_location *a = &b->locations.p[id];
	const struct location_key *k = key;

	return a->address == k->row->address && a->mapping == k->row->mapping &&
	       a->attrs == k->row->attrs && a->nr_lines == k->nr_lines &&
	       (!k->nr_lines || !memcmp(b->lines.p + a->first_line, k->lines,
					k->nr_lines * sizeof(*k->lines)));
}

uint32_t op_build_location(struct op_builder *b, const struct op_location *row,
			   const struct op_line *lines, uint32_t nr_lines)
{
	struct op_intern *index = &b->index[OP_LOCATIONS];
	struct location_key key = { row, lines, nr_lines };
	struct op_location r = *row;
	uint64_t words[] = {
		row->address,
		(uint64_t)row->mapping << 32 | row->attrs,
		nr_lines ? op_hash32(lines, nr_lines * sizeof(*lines)) : 0,
	};
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id;

	if (op_unlikely(b->err->code))
		return 0;
	id = op_intern_find(index, hash, location_eq, b, &key);
	if (op_likely(id != OP_NO_ID))
		return id;
	r.first_line = (uint32_t)b->lines.n;
	r.nr_lines = nr_lines;
	if (!op_vec_reserve(&b->m->mem, &b->lines, nr_lines) ||
	    !op_vec_push(&b->m->mem, &b->locations, r))
		return 0;
	if (nr_lines)
		memcpy(b->lines.p + b->lines.n, lines,
		       nr_lines * sizeof(*lines));
	b->lines.n += nr_lines;
	return added(b, index, hash, b->locations.n);
}

/* --- lists: stacks and sets --- */

struct list_table {
	const uint32_t *at;
	const uint32_t *items;
};

static bool list_eq(const void *table, uint32_t id, const void *key)
{
	const struct list_table *t = table;
	const struct op_ids *k = key;
	uint32_t at = t->at[id];

	return t->at[id + 1] - at == k->n &&
	       !memcmp(t->items + at, k->p, k->n * sizeof(*k->p));
}

static uint32_t list_hash(struct op_ids key)
{
	return op_hash32(key.p, key.n * sizeof(*key.p));
}

static bool list_append(struct op_builder *b, struct op_id_vec *at,
			struct op_id_vec *items, struct op_ids key)
{
	if (!op_vec_reserve(&b->m->mem, items, key.n) ||
	    !op_vec_reserve(&b->m->mem, at, 1))
		return false;
	memcpy(items->p + items->n, key.p, key.n * sizeof(*key.p));
	items->n += key.n;
	at->p[at->n++] = (uint32_t)items->n;
	return true;
}

/* Finds or appends a list in the table of at and items. */
static uint32_t list_put_at(struct op_builder *b, struct op_intern *index,
			    struct op_id_vec *at, struct op_id_vec *items,
			    struct op_ids key, uint32_t hash)
{
	struct list_table table = { at->p, items->p };
	uint32_t id = op_intern_find(index, hash, list_eq, &table, &key);

	if (op_likely(id != OP_NO_ID))
		return id;
	if (!list_append(b, at, items, key))
		return 0;
	return added(b, index, hash, at->n - 1);
}

static uint32_t list_put(struct op_builder *b, struct op_intern *index,
			 struct op_id_vec *at, struct op_id_vec *items,
			 struct op_ids key)
{
	return list_put_at(b, index, at, items, key, list_hash(key));
}

uint32_t op_build_stack(struct op_builder *b, const uint32_t *locations,
			uint32_t n)
{
	struct op_ids key = { locations, n };

	if (op_unlikely(b->err->code) || !n)
		return 0;
	return list_put(b, &b->index[OP_STACKS], &b->stack_at, &b->frames, key);
}

enum { GROUP = 32 }; /* rows that are looked up together */

/* Each step runs for all of them before the next: slot, row, frames. */
static void stacks_hint(const struct op_builder *b, const uint32_t *hashes,
			uint32_t n)
{
	const struct op_intern *index = &b->index[OP_STACKS];
	uint32_t ids[GROUP];

	for (uint32_t i = 0; i < n; i++) {
		ids[i] = op_intern_guess(index, hashes[i]);
		if (ids[i] != OP_NO_ID)
			__builtin_prefetch(b->stack_at.p + ids[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *frames;

		if (ids[i] == OP_NO_ID)
			continue;
		frames = b->frames.p + b->stack_at.p[ids[i]];
		__builtin_prefetch(frames);
		__builtin_prefetch(frames + 16);
	}
}

void op_build_stacks(struct op_builder *b, const struct op_ids *stacks,
		     uint32_t n, uint32_t *out)
{
	uint32_t hashes[GROUP];

	for (uint32_t from = 0, k; from < n; from += k) {
		k = n - from < GROUP ? n - from : GROUP;
		for (uint32_t i = 0; i < k; i++) {
			hashes[i] = list_hash(stacks[from + i]);
			op_intern_hint(&b->index[OP_STACKS], hashes[i]);
		}
		stacks_hint(b, hashes, k);
		for (uint32_t i = 0; i < k; i++)
			out[from + i] = b->err->code || !stacks[from + i].n ?
						0 :
						list_put_at(
							b, &b->index[OP_STACKS],
							&b->stack_at,
							&b->frames,
							stacks[from + i],
							hashes[i]);
	}
}

static int id_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sets are small: insertion sort, except for a large one. */
uint32_t op_set_sort(uint32_t *attrs, uint32_t n)
{
	enum { SMALL = 32 };
	uint32_t unique = 0;

	if (n > SMALL)
		qsort(attrs, n, sizeof(*attrs), id_cmp);
	for (uint32_t i = 1; n <= SMALL && i < n; i++) {
		uint32_t id = attrs[i], k = i;

		for (; k && attrs[k - 1] > id; k--)
			attrs[k] = attrs[k - 1];
		attrs[k] = id;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!i || attrs[i] != attrs[i - 1])
			attrs[unique++] = attrs[i];
	return unique;
}

uint32_t op_build_set(struct op_builder *b, const uint32_t *attrs, uint32_t n)
{
	struct op_ids key;

	if (op_unlikely(b->err->code) || !n)
		return 0;
	b->scratch.n = 0;
	if (!op_vec_reserve(&b->m->mem, &b->scratch, n))
		return 0;
	memcpy(b->scratch.p, attrs, n * sizeof(*attrs));
	key = (struct op_ids){ b->scratch.p, op_set_sort(b->scratch.p, n) };
	return list_put(b, &b->set_index, &b->set_at, &b->members, key);
}

uint32_t op_build_set_with(struct op_builder *b, uint32_t set, uint32_t attr)
{
	uint32_t at, n, id;
	uint32_t *ids;

	if (op_unlikely(b->err->code))
		return 0;
	at = b->set_at.p[set];
	n = b->set_at.p[set + 1] - at;
	ids = op_new_raw(&b->m->mem, uint32_t, n + 1);
	if (!ids)
		return 0;
	if (n)
		memcpy(ids, b->members.p + at, n * sizeof(*ids));
	ids[n] = attr;
	id = op_build_set(b, ids, n + 1);
	op_arena_drop(&b->m->mem, ids, (n + 1) * sizeof(*ids));
	return id;
}

/* --- values and attributes --- */

/* The string ID of a model, or of the builder itself. */
static struct op_view string_in(const struct op_builder *b,
				const struct op_model *from, uint32_t id)
{
	return from ? op_string(from, id) : b->strings.p[id];
}

static struct op_view text_in(const struct op_builder *b,
			      const struct op_model *from,
			      const struct op_any *v)
{
	return v->kind == OP_ANY_STRING ? v->bytes :
					  string_in(b, from, v->string_id);
}

static struct op_kv build_kv(struct op_builder *b, const struct op_kv *kv,
			     const struct op_model *from, bool refs)
{
	struct op_kv out = { 0 };
	struct op_view key = kv->key;

	if (kv->key_id)
		key = string_in(b, from, kv->key_id);
	if (refs)
		out.key_id = op_build_string(b, key);
	else
		out.key = op_build_text(b, key);
	out.value = op_build_any(b, &kv->value, from, refs);
	return out;
}

static void build_elements(struct op_builder *b, const struct op_any *v,
			   const struct op_model *from, struct op_any *out,
			   bool refs)
{
	bool kvs = v->kind == OP_ANY_KVLIST;
	void *p = op_arena_calloc(&b->m->mem, v->n,
				  kvs ? sizeof(struct op_kv) :
					sizeof(struct op_any));

	out->n = 0;
	out->array = p;
	if (!p)
		return;
	for (uint32_t i = 0; i < v->n; i++) {
		if (kvs)
			out->kvlist[i] = build_kv(b, &v->kvlist[i], from, refs);
		else
			out->array[i] = op_build_any(b, &v->array[i], from,
						     refs);
	}
	out->n = v->n;
}

/* The depth that readers allow limits the recursion. */
struct op_any op_build_any(struct op_builder *b, const struct op_any *v,
			   const struct op_model *from, bool refs)
{
	struct op_any out = *v;
	struct op_view text;

	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		text = text_in(b, from, v);
		out = (struct op_any){ .kind = OP_ANY_STRING };
		/* An empty string is not a reference: ID 0 means none. */
		if (refs && text.n) {
			out.kind = OP_ANY_STRING_ID;
			out.string_id = op_build_string(b, text);
		} else {
			out.bytes = op_build_text(b, text);
		}
		break;
	case OP_ANY_BYTES:
		out.bytes = op_build_copy(b, v->bytes);
		break;
	case OP_ANY_ARRAY:
	case OP_ANY_KVLIST:
		build_elements(b, v, from, &out, refs);
		break;
	}
	return out;
}

struct attr_key {
	uint32_t key, unit;
	const struct op_any *value;
	const struct op_model *from;
};

static bool attr_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_builder *b = table;
	const struct op_attr *a = &b->attrs.p[id];
	const struct attr_key *k = key;

	return a->key == k->key && a->unit == k->unit &&
	       op_any_eq(b->m, &a->value, k->from, k->value);
}

static uint64_t chain(uint64_t h, uint64_t v)
{
	return (h ^ v) * op_hash_seed.odd[0];
}

/* The recursion is limited like that of op_any_eq(). */
static uint64_t any_hash(const struct op_any *v, const struct op_model *from)
{
	uint64_t h = v->n;
	struct op_view text;

	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		text = op_any_text(from, v);
		return op_hash64(text.p, text.n);
	case OP_ANY_BYTES:
		return op_hash64(v->bytes.p, v->bytes.n);
	case OP_ANY_ARRAY:
		for (uint32_t i = 0; i < v->n; i++)
			h = chain(h, any_hash(&v->array[i], from));
		return h;
	case OP_ANY_KVLIST:
		for (uint32_t i = 0; i < v->n; i++) {
			text = op_kv_key(from, &v->kvlist[i]);
			h = chain(h, op_hash64(text.p, text.n));
			h = chain(h, any_hash(&v->kvlist[i].value, from));
		}
		return h;
	case OP_ANY_NONE:
		return 0;
	case OP_ANY_BOOL:
		return v->flag;
	default:
		return (uint64_t)v->num;
	}
}

/* The row that equals the value, or OP_NO_ID; sets *hash_out in both cases. */
static uint32_t attr_find(struct op_builder *b, const struct attr_key *k,
			  uint32_t *hash_out)
{
	uint64_t words[] = { (uint64_t)k->key << 32 | k->unit,
			     any_hash(k->value, k->from) };

	*hash_out = op_hash_words(words, op_countof(words));
	return op_intern_find(&b->index[OP_ATTRS], *hash_out, attr_eq, b, k);
}

uint32_t op_build_attr(struct op_builder *b, struct op_view key,
		       const struct op_any *value, struct op_view unit,
		       const struct op_model *from)
{
	struct attr_key k = { .value = value };
	struct op_model self = { 0 };
	struct op_attr row;
	uint32_t hash, id;

	k.key = op_build_string(b, key);
	k.unit = op_build_string(b, unit);
	if (op_unlikely(b->err->code))
		return 0;
	self.dict.strings = b->strings.p;
	k.from = from ? from : &self;
	id = attr_find(b, &k, &hash);
	if (op_likely(id != OP_NO_ID))
		return id;
	b->has_fixed = false;
	row = (struct op_attr){ k.key, k.unit,
				op_build_any(b, value, from, false) };
	if (op_unlikely(b->has_fixed)) {
		/* Converted, it may equal a row. */
		k.value = &row.value;
		id = attr_find(b, &k, &hash);
		if (id != OP_NO_ID && row.value.kind == OP_ANY_STRING)
			op_arena_drop(&b->m->mem, (void *)row.value.bytes.p,
				      row.value.bytes.n);
		if (id != OP_NO_ID)
			return id;
	}
	if (b->err->code || !op_vec_push(&b->m->mem, &b->attrs, row))
		return 0;
	return added(b, &b->index[OP_ATTRS], hash, b->attrs.n);
}

/* --- begin and end --- */

int op_builder_init(struct op_builder *b, struct op_model *m,
		    struct op_err *err)
{
	static const struct op_location no_location;
	static const struct op_function no_function;
	static const struct op_mapping no_mapping;
	static const struct op_any no_value;
	struct op_arena *mem = &m->mem;

	*b = (struct op_builder){ .m = m, .err = err };
	b->before = op_arena_tell(mem, err).before;
	if (!op_vec_push(mem, &b->stack_at, 0) ||
	    !op_vec_push(mem, &b->stack_at, 0) ||
	    !op_vec_push(mem, &b->set_at, 0) ||
	    !op_vec_push(mem, &b->set_at, 0) ||
	    !op_vec_push(mem, &b->links, (struct op_link){ 0 }))
		return err->code;
	op_build_string(b, (struct op_view){ 0 });
	op_build_mapping(b, &no_mapping);
	op_build_function(b, &no_function);
	op_build_location(b, &no_location, NULL, 0);
	op_build_attr(b, (struct op_view){ 0 }, &no_value,
		      (struct op_view){ 0 }, NULL);
	return err->code;
}

void op_build_reserve(struct op_builder *b, const struct op_dict *d)
{
	struct op_arena *mem = &b->m->mem;
	const uint32_t *nr = d->nr;

	op_arena_tells(mem, OP_IGNORED);
	(void)op_vec_reserve(mem, &b->mappings, nr[OP_MAPPINGS]);
	(void)op_vec_reserve(mem, &b->locations, nr[OP_LOCATIONS]);
	(void)op_vec_reserve(mem, &b->lines, d->nr_lines);
	(void)op_vec_reserve(mem, &b->functions, nr[OP_FUNCTIONS]);
	(void)op_vec_reserve(mem, &b->links, nr[OP_LINKS]);
	(void)op_vec_reserve(mem, &b->strings, nr[OP_STRINGS]);
	(void)op_vec_reserve(mem, &b->attrs, nr[OP_ATTRS]);
	(void)op_vec_reserve(mem, &b->stack_at, nr[OP_STACKS]);
	(void)op_vec_reserve(mem, &b->frames, d->stacks.at[d->stacks.nr]);
	for (int t = 0; t < OP_NR_TABLES; t++)
		(void)op_intern_reserve(&b->index[t], mem, nr[t]);
}

void op_build_dict(struct op_builder *b)
{
	struct op_dict *d = &b->m->dict;

	d->mappings = b->mappings.p;
	d->locations = b->locations.p;
	d->lines = b->lines.p;
	d->functions = b->functions.p;
	d->links = b->links.p;
	d->strings = b->strings.p;
	d->attrs = b->attrs.p;
	d->stacks = op_lists(b->stack_at.p, b->frames.p,
			     (uint32_t)b->stack_at.n - 1);
	d->sets = op_lists(b->set_at.p, b->members.p,
			   (uint32_t)b->set_at.n - 1);
	d->nr[OP_MAPPINGS] = (uint32_t)b->mappings.n;
	d->nr[OP_LOCATIONS] = (uint32_t)b->locations.n;
	d->nr[OP_FUNCTIONS] = (uint32_t)b->functions.n;
	d->nr[OP_LINKS] = (uint32_t)b->links.n;
	d->nr[OP_STRINGS] = (uint32_t)b->strings.n;
	d->nr[OP_ATTRS] = (uint32_t)b->attrs.n;
	d->nr[OP_STACKS] = d->stacks.nr;
	d->nr_lines = (uint32_t)b->lines.n;
}

/* Rows below a resource or scope were counted as they were added. Here their
 * arrays are allocated, and they are counted again as they are filled in. */
static bool rows_new(struct op_builder *b)
{
	struct op_arena *mem = &b->m->mem;

	for (size_t i = 0; i < b->resources.n; i++) {
		struct op_resource *r = &b->resources.p[i];

		r->scopes = op_new(mem, struct op_scope, r->nr_scopes);
		r->nr_scopes = 0;
		if (!r->scopes)
			return false;
	}
	for (size_t i = 0; i < b->scopes.n; i++) {
		struct op_scope *s = &b->scopes.p[i].scope;

		s->profiles = op_new(mem, struct op_profile, s->nr_profiles);
		s->nr_profiles = 0;
		if (!s->profiles)
			return false;
	}
	return true;
}

static bool rows_finish(struct op_builder *b)
{
	for (size_t i = 0; i < b->profiles.n; i++) {
		struct op_build_profile *bp = b->profiles.p[i];
		struct op_scope *s = &b->scopes.p[bp->scope].scope;

		if (!op_build_profile_finish(b, bp,
					     &s->profiles[s->nr_profiles++]))
			return false;
	}
	for (size_t i = 0; i < b->scopes.n; i++) {
		struct op_build_scope *s = &b->scopes.p[i];
		struct op_resource *r = &b->resources.p[s->resource];

		r->scopes[r->nr_scopes++] = s->scope;
	}
	return true;
}

int op_builder_finish(struct op_builder *b)
{
	struct op_model *m = b->m;
	bool ok = !b->err->code && rows_new(b) && rows_finish(b);

	m->mem.err = b->before;
	if (!ok)
		return b->err->code;
	for (int t = 0; t < OP_NR_TABLES; t++)
		op_arena_drop(&m->mem, b->index[t].slots,
			      b->index[t].nr_slots * sizeof(struct op_slot));
	op_build_dict(b);
	m->resources = b->resources.p;
	m->nr_resources = (uint32_t)b->resources.n;
	op_model_assert_tables(m);
	return OP_OK;
}
