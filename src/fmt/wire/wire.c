// SPDX-License-Identifier: Apache-2.0
/* fmt/wire/wire.c: values, attributes, resources, scopes and links. */
#include "fmt/wire/wire.h"

#include "fmt/otlp/fields.h"

/* The string that a field refers to. */
static uint32_t string_id(struct op_wire *w, const struct op_cur *c,
			  const struct op_pb_field *f)
{
	if (f->v < w->nr_strings)
		return (uint32_t)f->v;
	if (w->unchecked)
		return UINT32_MAX;
	op_fail_at(w->err, OP_EFORMAT, (uint64_t)(f->bytes.p - c->base),
		   "string index %lld is out of range for a table of %u",
		   (long long)f->v, w->nr_strings);
	return 0;
}

/* Room for one more in an array of *n rows whose size doubles. */
static void *row_add(struct op_wire *w, void *rows, uint32_t *n, size_t size)
{
	bool full = !(*n & (*n - 1)); /* 0 and powers of two */
	size_t cap = *n ? (size_t)*n * 2 : 1;
	void *p = rows;

	if (full)
		p = op_arena_resize(w->mem, *n ? rows : NULL, *n * size,
				    cap * size);
	if (!p)
		return NULL;
	memset((uint8_t *)p + *n * size, 0, size);
	(*n)++;
	return p;
}

static void array_add(struct op_wire *w, struct op_cur c, struct op_any *out,
		      unsigned int depth)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_any *p;

		if (op_pb_key(&f) != OP_PB(LIST_VALUES, OP_PB_LEN))
			continue;
		p = row_add(w, out->array, &out->n, sizeof(*p));
		if (!p)
			return;
		out->array = p;
		op_wire_any(w, op_pb_sub(&c, &f), &p[out->n - 1], depth + 1);
	}
}

static void kvlist_add(struct op_wire *w, struct op_cur c, struct op_any *out,
		       unsigned int depth)
{
	struct op_kvs kvs = { out->kvlist, out->n };
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(LIST_VALUES, OP_PB_LEN))
			op_wire_kv_add(w, op_pb_sub(&c, &f), &kvs, depth + 1);
	out->kvlist = kvs.p;
	out->n = kvs.n;
}

/* Makes out a value of this kind; a list that is one already goes on. */
static void become(struct op_any *out, enum op_any_kind kind)
{
	if (out->kind != kind)
		*out = (struct op_any){ .kind = kind };
}

/* style: one case a kind. Recursion ends at OP_WIRE_DEPTH. */
void op_wire_any(struct op_wire *w, struct op_cur c, struct op_any *out,
		 unsigned int depth)
{
	struct op_pb_field f;

	if (depth >= OP_WIRE_DEPTH) {
		op_cur_fail(&c, c.p, OP_ELIMIT,
			    "values nested more than %d deep", OP_WIRE_DEPTH);
		return;
	}
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(ANY_STRING, OP_PB_LEN):
			become(out, OP_ANY_STRING);
			out->bytes = f.bytes;
			break;
		case OP_PB(ANY_BOOL, OP_PB_VARINT):
			become(out, OP_ANY_BOOL);
			out->num = f.v != 0;
			break;
		case OP_PB(ANY_INT, OP_PB_VARINT):
		case OP_PB(ANY_DOUBLE, OP_PB_I64):
			become(out,
			       f.num == ANY_INT ? OP_ANY_INT : OP_ANY_DOUBLE);
			out->num = (int64_t)f.v;
			break;
		case OP_PB(ANY_ARRAY, OP_PB_LEN):
			become(out, OP_ANY_ARRAY);
			array_add(w, sub, out, depth);
			break;
		case OP_PB(ANY_KVLIST, OP_PB_LEN):
			become(out, OP_ANY_KVLIST);
			kvlist_add(w, sub, out, depth);
			break;
		case OP_PB(ANY_BYTES, OP_PB_LEN):
			become(out, OP_ANY_BYTES);
			out->bytes = f.bytes;
			break;
		case OP_PB(ANY_STRING_ID, OP_PB_VARINT):
			become(out, OP_ANY_STRING_ID);
			out->string_id = string_id(w, &c, &f);
			break;
		}
	}
}

void op_wire_kv_add(struct op_wire *w, struct op_cur c, struct op_kvs *kvs,
		    unsigned int depth)
{
	struct op_kv *p = row_add(w, kvs->p, &kvs->n, sizeof(*p));
	struct op_kv *kv;
	struct op_pb_field f;

	if (!p)
		return;
	kvs->p = p;
	kv = &p[kvs->n - 1];
	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(KV_KEY, OP_PB_LEN):
			kv->key = f.bytes;
			break;
		case OP_PB(KV_VALUE, OP_PB_LEN):
			op_wire_any(w, op_pb_sub(&c, &f), &kv->value, depth);
			break;
		case OP_PB(KV_KEY_ID, OP_PB_VARINT):
			kv->key_id = string_id(w, &c, &f);
			break;
		}
	}
}

static struct op_view *view_add(struct op_wire *w, struct op_view *views,
				uint32_t *n, struct op_view v)
{
	struct op_view *p = row_add(w, views, n, sizeof(*p));

	if (!p)
		return views;
	p[*n - 1] = v;
	return p;
}

static void entity(struct op_wire *w, struct op_cur c, struct op_entity *e)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(ENTITY_SCHEMA_URL, OP_PB_LEN):
			e->schema_url = f.bytes;
			break;
		case OP_PB(ENTITY_TYPE, OP_PB_LEN):
			e->type = f.bytes;
			break;
		case OP_PB(ENTITY_ID_KEYS, OP_PB_LEN):
			e->id_keys = view_add(w, e->id_keys, &e->nr_id_keys,
					      f.bytes);
			break;
		case OP_PB(ENTITY_DESCRIPTION_KEYS, OP_PB_LEN):
			e->description_keys = view_add(w, e->description_keys,
						       &e->nr_description_keys,
						       f.bytes);
			break;
		}
	}
}

void op_wire_resource(struct op_wire *w, struct op_cur c,
		      struct op_resource *out)
{
	struct op_entity *e;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(RESOURCE_ATTRIBUTES, OP_PB_LEN):
			op_wire_kv_add(w, sub, &out->attrs, 0);
			break;
		case OP_PB(RESOURCE_DROPPED, OP_PB_VARINT):
			out->dropped_attrs = (uint32_t)f.v;
			break;
		case OP_PB(RESOURCE_ENTITIES, OP_PB_LEN):
			e = row_add(w, out->entities, &out->nr_entities,
				    sizeof(*e));
			if (!e)
				return;
			out->entities = e;
			entity(w, sub, &e[out->nr_entities - 1]);
			break;
		}
	}
}

void op_wire_scope(struct op_wire *w, struct op_cur c, struct op_scope *out)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(SCOPE_NAME, OP_PB_LEN):
			out->name = f.bytes;
			break;
		case OP_PB(SCOPE_VERSION, OP_PB_LEN):
			out->version = f.bytes;
			break;
		case OP_PB(SCOPE_ATTRIBUTES, OP_PB_LEN):
			op_wire_kv_add(w, op_pb_sub(&c, &f), &out->attrs, 0);
			break;
		case OP_PB(SCOPE_DROPPED, OP_PB_VARINT):
			out->dropped_attrs = (uint32_t)f.v;
			break;
		}
	}
}

uint8_t op_wire_id(struct op_wire *w, const uint8_t *base, struct op_view v,
		   uint8_t *out, uint8_t want)
{
	if (v.n == want)
		memcpy(out, v.p, want);
	else if (v.n && !w->unchecked)
		op_fail_at(w->err, OP_EFORMAT, (uint64_t)(v.p - base),
			   "an id of %zu bytes, must be %u", v.n, want);
	return v.n < UINT8_MAX ? (uint8_t)v.n : UINT8_MAX;
}

void op_wire_link(struct op_wire *w, struct op_cur c, struct op_link *out)
{
	struct op_view trace = { 0 }, span = { 0 };
	struct op_link r = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(LINK_TRACE_ID, OP_PB_LEN))
			trace = f.bytes;
		if (op_pb_key(&f) == OP_PB(LINK_SPAN_ID, OP_PB_LEN))
			span = f.bytes;
	}
	r.trace_len = op_wire_id(w, c.base, trace, r.trace_id,
				 sizeof(r.trace_id));
	r.span_len = op_wire_id(w, c.base, span, r.span_id, sizeof(r.span_id));
	*out = r;
}

/* --- writing --- */

void op_wire_scalar_write(struct op_pbw *w, const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_BOOL:
		op_wire_oneof_uint(w, ANY_BOOL, v->flag);
		break;
	case OP_ANY_INT:
		op_wire_oneof_uint(w, ANY_INT, (uint64_t)v->num);
		break;
	case OP_ANY_DOUBLE:
		op_pbw_raw(w, op_view(&v->real, sizeof(v->real)));
		op_pbw_varint(w, OP_PB(ANY_DOUBLE, OP_PB_I64));
		break;
	case OP_ANY_BYTES:
		op_pbw_bytes(w, ANY_BYTES, v->bytes);
		break;
	default:
		break;
	}
}
