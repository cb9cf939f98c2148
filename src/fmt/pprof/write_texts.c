// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/write_texts.c: strings, and attributes as labels.
 *
 *	string                    a text
 *	int                       a number, with its unit
 *	array                     a label for each element, in order
 *	{ value, unit } therein   a number with a unit of its own
 *	anything else             a text: true, 1.5, hex of bytes, JSON
 */
#include "fmt/pprof/write_int.h"

#include <stdlib.h>

#include "base/hash.h"
#include "model/any_text.h"

/* --- strings --- */

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	return op_view_eq(((const struct op_view *)table)[id],
			  *(const struct op_view *)key);
}

uint32_t op_pprof_out_text(struct op_pprof_writer *w, struct op_view v)
{
	uint32_t hash = op_hash32(v.p, v.n);
	uint32_t id = op_intern_find(&w->string_index, hash, text_eq,
				     w->strings.p, &v);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)w->strings.n;
	if (op_vec_push(&w->mem, &w->strings, v))
		op_intern_add(&w->string_index, &w->mem, hash, id);
	return id;
}

uint32_t op_pprof_out_string(struct op_pprof_writer *w, uint32_t id)
{
	if (w->string_ids[id] == OP_NO_ID)
		w->string_ids[id] = op_pprof_out_text(w, op_string(w->m, id));
	return w->string_ids[id];
}

/* The text of a label: number 0 would say that it is none. */
static uint32_t label_text(struct op_pprof_writer *w, struct op_view v)
{
	if (v.n)
		return op_pprof_out_text(w, v);
	if (!w->empty_text) {
		w->empty_text = (uint32_t)w->strings.n;
		(void)op_vec_push(&w->mem, &w->strings, v);
	}
	return w->empty_text;
}

static struct op_view copied(struct op_pprof_writer *w, struct op_view v)
{
	uint8_t *p = op_arena_alloc(&w->mem, v.n);

	if (!p)
		return (struct op_view){ 0 };
	if (v.n)
		memcpy(p, v.p, v.n);
	return op_view(p, v.n);
}

static struct op_view any_text(struct op_pprof_writer *w,
			       const struct op_any *v)
{
	struct op_buf buf = { .err = w->err };
	struct op_view out;

	op_any_plain(&buf, w->m, v);
	out = copied(w, op_view(buf.p, buf.n));
	op_buf_free(&buf);
	return out;
}

/* --- labels --- */

struct label {
	struct op_view key;
	const struct op_any *value;
	uint32_t unit; /* of the model */
	uint32_t key_id;
};

static void label_write(struct op_pbw *p, uint32_t key, uint32_t str,
			int64_t num, uint32_t unit)
{
	size_t end = op_pbw_mark(p);

	op_pbw_uint(p, PPROF_LABEL_UNIT, unit);
	op_pbw_uint(p, PPROF_LABEL_NUM, (uint64_t)num);
	op_pbw_uint(p, PPROF_LABEL_STR, str);
	op_pbw_uint(p, PPROF_LABEL_KEY, key);
	op_pbw_len(p, PPROF_SAMPLE_LABEL, end);
}

/* Whether v is { value: int, unit: text }. */
static bool is_with_unit(const struct op_model *m, const struct op_any *v)
{
	return v->kind == OP_ANY_KVLIST && v->n == 2 &&
	       op_view_is(op_kv_key(m, &v->kvlist[0]), "value") &&
	       v->kvlist[0].value.kind == OP_ANY_INT &&
	       op_view_is(op_kv_key(m, &v->kvlist[1]), "unit") &&
	       (v->kvlist[1].value.kind == OP_ANY_STRING ||
		v->kvlist[1].value.kind == OP_ANY_STRING_ID);
}

static void value_write(struct op_pprof_writer *w, struct op_pbw *p,
			const struct label *l, const struct op_any *v)
{
	const struct op_any *unit;

	switch (v->kind) {
	case OP_ANY_INT:
		label_write(p, l->key_id, 0, v->num,
			    op_pprof_out_string(w, l->unit));
		break;
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		label_write(p, l->key_id, label_text(w, op_any_text(w->m, v)),
			    0, 0);
		break;
	default:
		if (is_with_unit(w->m, v)) {
			unit = &v->kvlist[1].value;
			label_write(p, l->key_id, 0, v->kvlist[0].value.num,
				    op_pprof_out_text(w,
						      op_any_text(w->m, unit)));
			break;
		}
		label_write(p, l->key_id, label_text(w, any_text(w, v)), 0, 0);
	}
}

static bool is_number(const struct op_any *v)
{
	return v->kind == OP_ANY_INT;
}

/* Texts before numbers, each by key, as other writers have it. */
static int label_cmp(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	if (is_number(x->value) != is_number(y->value))
		return is_number(x->value) ? 1 : -1;
	return op_view_cmp(x->key, y->key);
}

/* The labels as bytes; a writer goes from the last to the first. */
static struct op_view labels_bytes(struct op_pprof_writer *w, struct label *l,
				   size_t n)
{
	struct op_pbw p = { .err = w->err };
	struct op_view out;

	if (n)
		qsort(l, n, sizeof(*l), label_cmp);
	for (size_t i = 0; i < n; i++)
		l[i].key_id = op_pprof_out_text(w, l[i].key);
	while (n-- && !w->err->code) {
		const struct op_any *v = l[n].value;

		if (v->kind != OP_ANY_ARRAY)
			value_write(w, &p, &l[n], v);
		else
			for (uint32_t k = v->n; k--;)
				value_write(w, &p, &l[n], &v->array[k]);
	}
	out = copied(w, op_pbw_result(&p));
	op_pbw_free(&p);
	return out;
}

/* Whether whoever reads the message takes the label for something else. */
static bool is_reserved(const struct op_pprof_writer *w, struct op_view key)
{
	const struct op_pprof_part *part = w->part;
	bool found;

	if (!part)
		return false;
	found = part->time_ms && op_view_is(key, part->time_ms);
	for (uint32_t i = 0; i < part->labels.n && !found; i++)
		found = op_view_eq(key, part->labels.p[i].key);
	if (found)
		*part->has_reserved = true;
	return found;
}

struct op_view op_pprof_set_labels(struct op_pprof_writer *w, uint32_t set)
{
	struct op_ids ids = op_list(&w->m->dict.sets, set);
	struct op_view *out = &w->set_labels[set];
	struct label *l;
	size_t n = 0;

	if (out->p || !ids.n)
		return *out;
	l = op_new(&w->mem, struct label, ids.n);
	if (!l)
		return *out;
	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &w->m->dict.attrs[ids.p[i]];
		struct op_view key = op_string(w->m, a->key);

		if (!is_reserved(w, key))
			l[n++] = (struct label){ .key = key,
						 .value = &a->value,
						 .unit = a->unit };
	}
	return *out = labels_bytes(w, l, n);
}

/* An attribute that all resources share tells nothing about a sample. */
static bool is_shared(const struct op_pprof_writer *w, const struct op_kv *kv,
		      uint32_t at)
{
	const struct op_model *m = w->m;
	struct op_view key = op_kv_key(m, kv);

	for (uint32_t r = 0; r < m->nr_resources; r++) {
		struct op_kvs kvs = m->resources[r].attrs;
		uint32_t i = at;

		/* Mostly they stand at the same place. */
		if (i >= kvs.n || !op_view_eq(op_kv_key(m, &kvs.p[i]), key))
			for (i = 0; i < kvs.n; i++)
				if (op_view_eq(op_kv_key(m, &kvs.p[i]), key))
					break;
		if (i == kvs.n || !op_any_eq(m, &kv->value, m, &kvs.p[i].value))
			return false;
	}
	return true;
}

struct op_view op_pprof_resource_labels(struct op_pprof_writer *w, uint32_t r)
{
	struct op_kvs kvs = w->m->resources[r].attrs;
	struct op_view *out = &w->resource_labels[r];
	struct label *l;
	size_t n = 0;

	if (out->p || !w->by_resource)
		return *out;
	l = op_new(&w->mem, struct label, kvs.n);
	if (!l)
		return *out;
	for (uint32_t i = 0; i < kvs.n; i++)
		if (!is_shared(w, &kvs.p[i], i))
			l[n++] = (struct label){
				.key = op_kv_key(w->m, &kvs.p[i]),
				.value = &kvs.p[i].value,
			};
	return *out = labels_bytes(w, l, n);
}

struct op_view op_pprof_kvs_labels(struct op_pprof_writer *w, struct op_kvs kvs)
{
	struct label *l = op_new(&w->mem, struct label, kvs.n);

	if (!l)
		return (struct op_view){ 0 };
	for (uint32_t i = 0; i < kvs.n; i++)
		l[i] = (struct label){ .key = op_kv_key(w->m, &kvs.p[i]),
				       .value = &kvs.p[i].value };
	return labels_bytes(w, l, kvs.n);
}

static struct op_any hex_text(struct op_pprof_writer *w, const uint8_t *p,
			      size_t n)
{
	struct op_any bytes = { .kind = OP_ANY_BYTES };
	struct op_any text = { .kind = OP_ANY_STRING };

	bytes.bytes = op_view(p, n);
	text.bytes = any_text(w, &bytes);
	return text;
}

struct op_view op_pprof_link_labels(struct op_pprof_writer *w, uint32_t link)
{
	const struct op_link *row = &w->m->dict.links[link];
	struct op_view *out = &w->link_labels[link];
	struct op_any trace, span;
	struct label l[2];

	if (out->p || !link)
		return *out;
	trace = hex_text(w, row->trace_id, sizeof(row->trace_id));
	span = hex_text(w, row->span_id, sizeof(row->span_id));
	l[0] = (struct label){ .key = op_view_z(PPROF_KEY_TRACE_ID),
			       .value = &trace };
	l[1] = (struct label){ .key = op_view_z(PPROF_KEY_SPAN_ID),
			       .value = &span };
	return *out = labels_bytes(w, l, 2);
}
