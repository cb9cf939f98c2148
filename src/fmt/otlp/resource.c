// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/resource.c: the messages that profiles share with the other
 * signals: values, attributes, resources and scopes. */
#include "fmt/otlp/decode.h"

#include "fmt/otlp/fields.h"

/* Room for one more in an array of *n rows whose size doubles. */
static void *row_add(struct op_dec *d, void *rows, uint32_t *n, size_t size)
{
	bool full = !(*n & (*n - 1)); /* 0 and powers of two */
	size_t cap = *n ? (size_t)*n * 2 : 1;
	void *p = rows;

	if (full)
		p = op_arena_resize(d->mem, *n ? rows : NULL, *n * size,
				    cap * size);
	if (!p) {
		op_dec_nomem(d);
		return NULL;
	}
	memset((uint8_t *)p + *n * size, 0, size);
	(*n)++;
	return p;
}

static void array_add(struct op_dec *d, struct op_cur c, struct op_any *out,
		      unsigned int depth)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_any *p;

		if (op_pb_key(&f) != OP_PB(LIST_VALUES, OP_PB_LEN))
			continue;
		p = row_add(d, out->array, &out->n, sizeof(*p));
		if (!p)
			return;
		out->array = p;
		op_dec_any(d, op_pb_sub(&c, &f), &p[out->n - 1], depth + 1);
	}
}

static void kvlist_add(struct op_dec *d, struct op_cur c, struct op_any *out,
		       unsigned int depth)
{
	struct op_kvs kvs = { out->kvlist, out->n };
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(LIST_VALUES, OP_PB_LEN))
			op_dec_kv_add(d, op_pb_sub(&c, &f), &kvs, depth + 1);
	out->kvlist = kvs.p;
	out->n = kvs.n;
}

/* Makes out a value of this kind; a list that is one already goes on. */
static void become(struct op_any *out, enum op_any_kind kind)
{
	if (out->kind != kind)
		*out = (struct op_any){ .kind = kind };
}

/* style: one case a kind. Recursion ends at OP_DEC_DEPTH. */
void op_dec_any(struct op_dec *d, struct op_cur c, struct op_any *out,
		unsigned int depth)
{
	struct op_pb_field f;

	if (depth >= OP_DEC_DEPTH) {
		op_cur_fail(&c, c.p, OP_ELIMIT,
			    "values nested more than %d deep", OP_DEC_DEPTH);
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
			array_add(d, sub, out, depth);
			break;
		case OP_PB(ANY_KVLIST, OP_PB_LEN):
			become(out, OP_ANY_KVLIST);
			kvlist_add(d, sub, out, depth);
			break;
		case OP_PB(ANY_BYTES, OP_PB_LEN):
			become(out, OP_ANY_BYTES);
			out->bytes = f.bytes;
			break;
		case OP_PB(ANY_STRING_ID, OP_PB_VARINT):
			become(out, OP_ANY_STRING_ID);
			out->string_id = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		}
	}
}

void op_dec_kv_add(struct op_dec *d, struct op_cur c, struct op_kvs *kvs,
		   unsigned int depth)
{
	struct op_kv *p = row_add(d, kvs->p, &kvs->n, sizeof(*p));
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
			op_dec_any(d, op_pb_sub(&c, &f), &kv->value, depth);
			break;
		case OP_PB(KV_KEY_ID, OP_PB_VARINT):
			kv->key_id = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		}
	}
}

static struct op_view *view_add(struct op_dec *d, struct op_view *views,
				uint32_t *n, struct op_view v)
{
	struct op_view *p = row_add(d, views, n, sizeof(*p));

	if (!p)
		return views;
	p[*n - 1] = v;
	return p;
}

static void entity(struct op_dec *d, struct op_cur c, struct op_entity *e)
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
			e->id_keys = view_add(d, e->id_keys, &e->nr_id_keys,
					      f.bytes);
			break;
		case OP_PB(ENTITY_DESCRIPTION_KEYS, OP_PB_LEN):
			e->description_keys = view_add(d, e->description_keys,
						       &e->nr_description_keys,
						       f.bytes);
			break;
		}
	}
}

void op_dec_resource(struct op_dec *d, struct op_cur c, struct op_resource *out)
{
	struct op_entity *e;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(RESOURCE_ATTRIBUTES, OP_PB_LEN):
			op_dec_kv_add(d, sub, &out->attrs, 0);
			break;
		case OP_PB(RESOURCE_DROPPED, OP_PB_VARINT):
			out->dropped_attrs = (uint32_t)f.v;
			break;
		case OP_PB(RESOURCE_ENTITIES, OP_PB_LEN):
			e = row_add(d, out->entities, &out->nr_entities,
				    sizeof(*e));
			if (!e)
				return;
			out->entities = e;
			entity(d, sub, &e[out->nr_entities - 1]);
			break;
		}
	}
}

void op_dec_scope(struct op_dec *d, struct op_cur c, struct op_scope *out)
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
			op_dec_kv_add(d, op_pb_sub(&c, &f), &out->attrs, 0);
			break;
		case OP_PB(SCOPE_DROPPED, OP_PB_VARINT):
			out->dropped_attrs = (uint32_t)f.v;
			break;
		}
	}
}
