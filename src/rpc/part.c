// SPDX-License-Identifier: Apache-2.0
/* rpc/part.c: which rows a part has, and what they take when encoded.
 *
 * Sizes are those of fmt/otlp/encode.c: each field number is below 16, so that
 * a tag is one byte. An id is counted as it will be; only mappings are put in
 * the order of their table in the end, and their ids counted as the largest. */
#include "rpc/part.h"

#include "base/intern.h"

/* --- sizes --- */

op_inline size_t varint_bytes(uint64_t v)
{
	return (size_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

/* A number, which is left out if it is zero. */
op_inline size_t number_bytes(uint64_t v)
{
	return v ? 1 + varint_bytes(v) : 0;
}

/* A field of n bytes. */
op_inline size_t field_bytes(size_t n)
{
	return 1 + varint_bytes(n) + n;
}

static size_t text_bytes(struct op_view v)
{
	return v.n ? field_bytes(v.n) : 0;
}

/* --- parts --- */

static bool map_new(struct op_part *p, uint32_t **map, uint32_t nr,
		    struct op_id_vec *rows)
{
	*map = op_new_raw(&p->mem, uint32_t, nr);
	if (!*map)
		return false;
	memset(*map, 0xff, nr * sizeof(**map));
	(*map)[0] = 0;
	return op_vec_push(&p->mem, rows, 0);
}

static void nomem(struct op_part *p)
{
	op_fail(p->err, OP_ENOMEM, "no memory to split a message");
}

int op_part_init(struct op_part *p, const struct op_model *from, size_t max,
		 struct op_err *err)
{
	enum { DICTIONARY = 6, ZERO_ROW = 2 };
	const struct op_dict *d = &from->dict;
	bool ok = true;

	*p = (struct op_part){ .from = from, .err = err, .max = max };
	for (int t = 0; t < OP_NR_TABLES && ok; t++)
		ok = map_new(p, &p->map[t], d->nr[t], &p->rows[t]);
	if (!ok || !map_new(p, &p->set_map, d->sets.nr, &p->sets))
		nomem(p);
	p->bytes = DICTIONARY + ZERO_ROW * OP_NR_TABLES;
	return err->code;
}

void op_part_fini(struct op_part *p)
{
	op_arena_free(&p->mem);
	op_arena_free(&p->model_mem);
}

struct op_part_mark op_part_mark(const struct op_part *p)
{
	struct op_part_mark mark = {
		.sets = p->sets.n,
		.pieces = p->pieces.n,
		.profiles = p->profiles.n,
		.bytes = p->bytes,
	};

	for (int t = 0; t < OP_NR_TABLES; t++)
		mark.rows[t] = p->rows[t].n;
	return mark;
}

static void rows_back(struct op_id_vec *rows, uint32_t *map, size_t n)
{
	while (rows->n > n)
		map[rows->p[--rows->n]] = OP_NO_ID;
}

void op_part_back(struct op_part *p, const struct op_part_mark *mark)
{
	for (int t = 0; t < OP_NR_TABLES; t++)
		rows_back(&p->rows[t], p->map[t], mark->rows[t]);
	rows_back(&p->sets, p->set_map, mark->sets);
	p->pieces.n = mark->pieces;
	p->profiles.n = mark->profiles;
	p->bytes = mark->bytes;
}

/* --- rows --- */

/* Nothing more need be looked at. */
static bool is_done(const struct op_part *p)
{
	return op_part_is_over(p) || p->err->code;
}

static uint32_t row_add(struct op_part *p, enum op_table t, uint32_t id,
			size_t bytes)
{
	uint32_t row = (uint32_t)p->rows[t].n;

	if (!op_vec_push(&p->mem, &p->rows[t], id)) {
		nomem(p);
		return 0;
	}
	p->map[t][id] = row;
	p->bytes += field_bytes(bytes);
	return row;
}

static uint32_t put_string(struct op_part *p, uint32_t id)
{
	uint32_t row = p->map[OP_STRINGS][id];

	if (row != OP_NO_ID)
		return row;
	return row_add(p, OP_STRINGS, id, p->from->dict.strings[id].n);
}

/* What a value takes, its strings being put. Recursion is bounded by the depth
 * that readers and builders allow. */
static size_t put_any(struct op_part *p, const struct op_any *v);

static size_t put_kv(struct op_part *p, const struct op_kv *kv)
{
	size_t value = put_any(p, &kv->value);
	size_t key = kv->key_id ? number_bytes(put_string(p, kv->key_id)) :
				  text_bytes(kv->key);

	return field_bytes(key + (value ? field_bytes(value) : 0));
}

static size_t put_any(struct op_part *p, const struct op_any *v)
{
	size_t n = 0;

	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_BYTES:
		return field_bytes(v->bytes.n);
	case OP_ANY_BOOL:
		return 2;
	case OP_ANY_INT:
		return 1 + varint_bytes((uint64_t)v->num);
	case OP_ANY_DOUBLE:
		return 9;
	case OP_ANY_STRING_ID:
		return 1 + varint_bytes(put_string(p, v->string_id));
	case OP_ANY_ARRAY:
		for (uint32_t i = 0; i < v->n && !is_done(p); i++)
			n += field_bytes(put_any(p, &v->array[i]));
		return field_bytes(n);
	case OP_ANY_KVLIST:
		for (uint32_t i = 0; i < v->n && !is_done(p); i++)
			n += put_kv(p, &v->kvlist[i]);
		return field_bytes(n);
	default:
		return 0;
	}
}

static uint32_t put_attr(struct op_part *p, uint32_t id)
{
	const struct op_attr *a = &p->from->dict.attrs[id];
	uint32_t row = p->map[OP_ATTRS][id];
	size_t n, value;

	if (row != OP_NO_ID)
		return row;
	value = put_any(p, &a->value);
	n = number_bytes(put_string(p, a->key)) +
	    number_bytes(put_string(p, a->unit)) +
	    (value ? field_bytes(value) : 0);
	return row_add(p, OP_ATTRS, id, n);
}

/* What the list of ids takes where a set is referred to. */
static size_t put_set(struct op_part *p, uint32_t id)
{
	struct op_ids ids = op_list(&p->from->dict.sets, id);
	size_t n = 0;

	for (uint32_t i = 0; i < ids.n && !is_done(p); i++)
		n += varint_bytes(put_attr(p, ids.p[i]));
	if (p->set_map[id] == OP_NO_ID) {
		if (op_vec_push(&p->mem, &p->sets, id))
			p->set_map[id] = (uint32_t)p->sets.n - 1;
		else
			nomem(p);
	}
	return n ? field_bytes(n) : 0;
}

static uint32_t put_function(struct op_part *p, uint32_t id)
{
	const struct op_function *f = &p->from->dict.functions[id];
	uint32_t row = p->map[OP_FUNCTIONS][id];

	if (row != OP_NO_ID)
		return row;
	return row_add(p, OP_FUNCTIONS, id,
		       number_bytes(put_string(p, f->name)) +
			       number_bytes(put_string(p, f->system_name)) +
			       number_bytes(put_string(p, f->filename)) +
			       number_bytes((uint64_t)f->start_line));
}

static void put_mapping(struct op_part *p, uint32_t id)
{
	const struct op_mapping *m = &p->from->dict.mappings[id];

	if (p->map[OP_MAPPINGS][id] == OP_NO_ID)
		row_add(p, OP_MAPPINGS, id,
			number_bytes(m->start) + number_bytes(m->limit) +
				number_bytes(m->offset) +
				number_bytes(put_string(p, m->filename)) +
				put_set(p, m->attrs));
}

static uint32_t put_location(struct op_part *p, uint32_t id)
{
	const struct op_dict *d = &p->from->dict;
	const struct op_location *l = &d->locations[id];
	uint32_t row = p->map[OP_LOCATIONS][id];
	size_t n = 0;

	if (row != OP_NO_ID)
		return row;
	for (uint32_t i = 0; i < l->nr_lines && !is_done(p); i++) {
		const struct op_line *k = &d->lines[l->first_line + i];

		n += field_bytes(number_bytes(put_function(p, k->function)) +
				 number_bytes((uint64_t)k->line) +
				 number_bytes((uint64_t)k->column));
	}
	put_mapping(p, l->mapping);
	if (l->mapping)
		n += number_bytes(d->nr[OP_MAPPINGS]);
	n += number_bytes(l->address) + put_set(p, l->attrs);
	return row_add(p, OP_LOCATIONS, id, n);
}

static uint32_t put_stack(struct op_part *p, uint32_t id)
{
	struct op_ids ids = op_list(&p->from->dict.stacks, id);
	uint32_t row = p->map[OP_STACKS][id];
	size_t n = 0;

	if (row != OP_NO_ID)
		return row;
	for (uint32_t i = 0; i < ids.n && !is_done(p); i++)
		n += varint_bytes(put_location(p, ids.p[i]));
	return row_add(p, OP_STACKS, id, n ? field_bytes(n) : 0);
}

static uint32_t put_link(struct op_part *p, uint32_t id)
{
	enum { IDS = 18 + 10 };
	uint32_t row = p->map[OP_LINKS][id];

	return row != OP_NO_ID ? row : row_add(p, OP_LINKS, id, IDS);
}

/* --- profiles and samples --- */

enum { LENGTH = 6 }; /* tag and length of what may be large */

static size_t kvs_bytes(struct op_part *p, struct op_kvs kvs)
{
	size_t n = 0;

	for (uint32_t i = 0; i < kvs.n && !is_done(p); i++)
		n += put_kv(p, &kvs.p[i]);
	return n;
}

static size_t texts_bytes(const struct op_view *v, uint32_t n)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += field_bytes(v[i].n);
	return sum;
}

static size_t resource_bytes(struct op_part *p, const struct op_resource *r)
{
	size_t n = kvs_bytes(p, r->attrs) + number_bytes(r->dropped_attrs);

	for (uint32_t i = 0; i < r->nr_entities; i++) {
		const struct op_entity *e = &r->entities[i];

		n += field_bytes(text_bytes(e->schema_url) +
				 text_bytes(e->type) +
				 texts_bytes(e->id_keys, e->nr_id_keys) +
				 texts_bytes(e->description_keys,
					     e->nr_description_keys));
	}
	return LENGTH + field_bytes(n) + text_bytes(r->schema_url);
}

static size_t scope_bytes(struct op_part *p, const struct op_scope *s)
{
	size_t n = kvs_bytes(p, s->attrs) + number_bytes(s->dropped_attrs) +
		   text_bytes(s->name) + text_bytes(s->version);

	return LENGTH + field_bytes(n) + text_bytes(s->schema_url);
}

static size_t type_bytes(struct op_part *p, struct op_value_type t)
{
	return field_bytes(number_bytes(put_string(p, t.type)) +
			   number_bytes(put_string(p, t.unit)));
}

static size_t head_bytes(struct op_part *p, const struct op_profile *f,
			 bool is_whole)
{
	enum { TIME = 9, ID = 18 };
	size_t n = LENGTH + TIME + ID;

	n += type_bytes(p, f->sample_type) + type_bytes(p, f->period_type);
	n += number_bytes((uint64_t)f->period) + number_bytes(f->duration_ns);
	n += number_bytes(f->dropped_attrs) + put_set(p, f->attrs);
	if (is_whole)
		n += text_bytes(f->payload_format) + text_bytes(f->payload);
	return n;
}

void op_part_profile(struct op_part *p, const struct op_walk *at, bool is_whole)
{
	struct op_part_profile f = { *at, p->pieces.n, is_whole };
	const struct op_part_profile *last =
		p->profiles.n ? &p->profiles.p[p->profiles.n - 1] : NULL;

	if (!last || last->at.r != at->r)
		p->bytes += resource_bytes(p, at->resource);
	if (!last || last->at.r != at->r || last->at.s != at->s)
		p->bytes += scope_bytes(p, at->scope);
	p->bytes += head_bytes(p, at->profile, is_whole);
	if (!op_vec_push(&p->mem, &p->profiles, f))
		nomem(p);
}

uint32_t op_part_nr_observations(const struct op_profile *p, uint32_t sample)
{
	struct op_times times = op_sample_times(p, sample);

	return times.n ? times.n : op_sample_values(p, sample).n;
}

uint64_t op_part_observation_bytes(const struct op_profile *p, uint32_t sample,
				   uint32_t k)
{
	struct op_values values = op_sample_values(p, sample);
	size_t n = op_sample_times(p, sample).n ? sizeof(uint64_t) : 0;

	return n + (values.n ? varint_bytes((uint64_t)values.p[k]) : 0);
}

static size_t observations_bytes(const struct op_profile *f,
				 struct op_piece piece)
{
	struct op_values values = op_sample_values(f, piece.sample);
	uint32_t nr = piece.to - piece.from;
	size_t n = 0;

	for (uint32_t i = piece.from; values.n && i < piece.to; i++)
		n += varint_bytes((uint64_t)values.p[i]);
	if (n)
		n = field_bytes(n);
	if (nr && op_sample_times(f, piece.sample).n)
		n += field_bytes(nr * sizeof(uint64_t));
	return n;
}

void op_part_rows(struct op_part *p, uint32_t stack, uint32_t set)
{
	put_stack(p, stack);
	put_set(p, set);
}

void op_part_sample(struct op_part *p, struct op_piece piece)
{
	const struct op_part_profile *last = &p->profiles.p[p->profiles.n - 1];
	const struct op_profile *f = last->at.profile;
	uint32_t i = piece.sample;
	size_t n = number_bytes(put_stack(p, f->stack[i])) +
		   put_set(p, f->set[i]) +
		   number_bytes(put_link(p, f->link[i]));

	p->bytes += field_bytes(n + observations_bytes(f, piece));
	if (!op_vec_push(&p->mem, &p->pieces, piece))
		nomem(p);
}
