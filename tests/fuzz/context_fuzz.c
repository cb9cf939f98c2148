// SPDX-License-Identifier: Apache-2.0
/* Any bytes as the payload of a process context.
 *
 * What is read is UTF-8, keeps the limits and does not refer to the input;
 * what cannot be read is refused with a place. */
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz/prop.h"
#include "host/context_int.h"

static void text_prop(struct op_view v)
{
	PROP(op_utf8_fixed_size(v) == v.n);
}

static void any_prop(const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_STRING:
		text_prop(v->bytes);
		break;
	case OP_ANY_BYTES:
		prop_view(v->bytes);
		break;
	case OP_ANY_ARRAY:
		for (uint32_t i = 0; i < v->n; i++)
			any_prop(&v->array[i]);
		break;
	case OP_ANY_KVLIST:
		for (uint32_t i = 0; i < v->n; i++) {
			text_prop(v->kvlist[i].key);
			any_prop(&v->kvlist[i].value);
		}
		break;
	default:
		PROP(v->kind <= OP_ANY_BYTES);
	}
}

static void context_prop(const struct op_context *c)
{
	PROP(c->resource.n <= OP_CONTEXT_MAX_ATTRS);
	for (uint32_t i = 0; i < c->resource.n; i++) {
		text_prop(c->resource.p[i].key);
		any_prop(&c->resource.p[i].value);
	}
	text_prop(c->schema_version);
	PROP(c->nr_keys <= OP_CONTEXT_MAX_KEYS);
	for (uint32_t i = 0; i < c->nr_keys; i++)
		text_prop(c->keys[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_err err = { 0 }, no_memory = { 0 };
	struct op_arena mem = { .err = &no_memory, .quota = PROP_QUOTA };
	struct op_context c = { 0 };
	/* Freed before it is looked at. */
	uint8_t *copy = malloc(n + 1);
	int code = 0;

	if (!copy)
		return 0;
	if (n)
		memcpy(copy, p, n);
	code = op_context_decode(op_view(copy, n), &mem, &c, &err);
	free(copy);
	PROP(!no_memory.code);
	if (code)
		prop_error(&err, n);
	else
		context_prop(&c);
	op_arena_free(&mem);
	return 0;
}
