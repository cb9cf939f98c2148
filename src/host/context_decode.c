// SPDX-License-Identifier: Apache-2.0
/* host/context_decode.c: the message in a process context.
 *
 *	ProcessContext { 1 Resource { 1 attributes KeyValue }
 *	                 2 attributes KeyValue }
 *	KeyValue { 1 key, 2 AnyValue }
 *	AnyValue { 1 string, 2 bool, 3 int, 4 double,
 *	           5 ArrayValue { 1 AnyValue }, 6 KeyValueList { 1 KeyValue },
 *	           7 bytes }
 */
#include "base/utf8.h"
#include "host/context_int.h"
#include "pb/read.h"

enum { MAX_DEPTH = 16 };

struct decode {
	struct op_arena *mem;
	struct op_err *err;
	struct op_context *out;
	OP_VEC(struct op_kv) resource;
	unsigned int depth;
};

static struct op_view text(struct decode *d, struct op_view v)
{
	size_t n = op_utf8_fixed_size(v);
	uint8_t *p = op_arena_alloc(d->mem, n);

	if (!p)
		return (struct op_view){ 0 };
	op_utf8_fix(v, p);
	return op_view(p, n);
}

static struct op_view bytes(struct decode *d, struct op_view v)
{
	uint8_t *p = op_arena_alloc(d->mem, v.n);

	if (p && v.n)
		memcpy(p, v.p, v.n);
	return op_view(p, p ? v.n : 0);
}

static void any_read(struct decode *d, struct op_cur c, struct op_any *out);

static void kv_read(struct decode *d, struct op_cur c, struct op_kv *out)
{
	struct op_pb_field f;

	*out = (struct op_kv){ 0 };
	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(1, OP_PB_LEN))
			out->key = text(d, f.bytes);
		else if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			any_read(d, op_pb_sub(&c, &f), &out->value);
	}
}

static void array_read(struct decode *d, struct op_cur c, struct op_any *out)
{
	OP_VEC(struct op_any) all = { 0 };
	struct op_pb_field f;
	struct op_any one;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(1, OP_PB_LEN))
			continue;
		any_read(d, op_pb_sub(&c, &f), &one);
		if (!op_vec_push(d->mem, &all, one))
			return;
	}
	*out = (struct op_any){ .kind = OP_ANY_ARRAY,
				.n = (uint32_t)all.n,
				.array = all.p };
}

static void kvlist_read(struct decode *d, struct op_cur c, struct op_any *out)
{
	OP_VEC(struct op_kv) all = { 0 };
	struct op_pb_field f;
	struct op_kv one;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(1, OP_PB_LEN))
			continue;
		kv_read(d, op_pb_sub(&c, &f), &one);
		if (!op_vec_push(d->mem, &all, one))
			return;
	}
	*out = (struct op_any){ .kind = OP_ANY_KVLIST,
				.n = (uint32_t)all.n,
				.kvlist = all.p };
}

static void any_field(struct decode *d, struct op_cur c,
		      const struct op_pb_field *f, struct op_any *out)
{
	switch (op_pb_key(f)) {
	case OP_PB(1, OP_PB_LEN):
		*out = (struct op_any){ .kind = OP_ANY_STRING,
					.bytes = text(d, f->bytes) };
		break;
	case OP_PB(2, OP_PB_VARINT):
		*out = (struct op_any){ .kind = OP_ANY_BOOL,
					.flag = f->v != 0 };
		break;
	case OP_PB(3, OP_PB_VARINT):
		*out = (struct op_any){ .kind = OP_ANY_INT,
					.num = (int64_t)f->v };
		break;
	case OP_PB(4, OP_PB_I64):
		*out = (struct op_any){ .kind = OP_ANY_DOUBLE };
		memcpy(&out->real, &f->v, sizeof(out->real));
		break;
	case OP_PB(5, OP_PB_LEN):
		array_read(d, op_pb_sub(&c, f), out);
		break;
	case OP_PB(6, OP_PB_LEN):
		kvlist_read(d, op_pb_sub(&c, f), out);
		break;
	case OP_PB(7, OP_PB_LEN):
		*out = (struct op_any){ .kind = OP_ANY_BYTES,
					.bytes = bytes(d, f->bytes) };
		break;
	}
}

/* Of several fields the last counts. */
static void any_read(struct decode *d, struct op_cur c, struct op_any *out)
{
	struct op_pb_field f;

	*out = (struct op_any){ 0 };
	if (d->depth == MAX_DEPTH) {
		op_cur_fail(&c, c.p, OP_ELIMIT, "values nest more than %d deep",
			    MAX_DEPTH);
		return;
	}
	d->depth++;
	while (op_pb_next(&c, &f))
		any_field(d, c, &f, out);
	d->depth--;
}

static void resource_read(struct decode *d, struct op_cur c)
{
	struct op_pb_field f;
	struct op_kv kv;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(1, OP_PB_LEN))
			continue;
		/* Who looks for keys among them looks at all. */
		if (d->resource.n == OP_CONTEXT_MAX_ATTRS) {
			op_cur_fail(&c, f.bytes.p, OP_ELIMIT,
				    "more than %d resource attributes",
				    OP_CONTEXT_MAX_ATTRS);
			return;
		}
		kv_read(d, op_pb_sub(&c, &f), &kv);
		if (!op_vec_push(d->mem, &d->resource, kv))
			return;
	}
}

/* The position of a name is the number of its key, so that one which is not a
 * text has a place, too. */
static void keys_take(struct decode *d, const struct op_any *v)
{
	uint32_t n = v->n < OP_CONTEXT_MAX_KEYS ? v->n : OP_CONTEXT_MAX_KEYS;

	d->out->nr_keys = 0;
	d->out->keys = op_new(d->mem, struct op_view, n);
	for (uint32_t i = 0; d->out->keys && i < n; i++)
		if (v->array[i].kind == OP_ANY_STRING)
			d->out->keys[i] = v->array[i].bytes;
	if (d->out->keys)
		d->out->nr_keys = n;
}

static void attribute_read(struct decode *d, struct op_cur c)
{
	struct op_kv kv;

	kv_read(d, c, &kv);
	if (op_view_is(kv.key, "threadlocal.schema_version") &&
	    kv.value.kind == OP_ANY_STRING)
		d->out->schema_version = kv.value.bytes;
	else if (op_view_is(kv.key, "threadlocal.attribute_key_map") &&
		 kv.value.kind == OP_ANY_ARRAY)
		keys_take(d, &kv.value);
}

int op_context_decode(struct op_view payload, struct op_arena *mem,
		      struct op_context *out, struct op_err *err)
{
	struct decode d = { .mem = mem, .err = err, .out = out };
	struct op_cur c = op_cur(payload, err);
	struct op_pb_field f;

	while (!mem->err->code && op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(1, OP_PB_LEN))
			resource_read(&d, op_pb_sub(&c, &f));
		else if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			attribute_read(&d, op_pb_sub(&c, &f));
	}
	out->resource = (struct op_kvs){ d.resource.p, (uint32_t)d.resource.n };
	return err->code ? err->code : mem->err->code;
}
