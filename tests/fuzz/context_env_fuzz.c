// SPDX-License-Identifier: Apache-2.0
/* Any text as OTEL_RESOURCE_ATTRIBUTES, of which otprof_context.h makes
 * resource attributes. It accepts what the parser of src/base accepts, if that
 * is UTF-8, and a reader of process contexts sees the same attributes. */
#include "otprof_context.h"

#include "base/pairs.h"
#include "base/utf8.h"
#include "fuzz/prop.h"
#include "host/context_int.h"

static bool is_text(const struct op_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (!op_utf8_valid(op_view_z(pairs->p[i].key)) ||
		    !op_utf8_valid(op_view_z(pairs->p[i].value)))
			return false;
	return pairs->n <= OTPROF_MAX_ATTRIBUTES_;
}

/* The last of its key. */
static bool is_last(const struct op_pairs *pairs, size_t i)
{
	for (size_t k = i + 1; k < pairs->n; k++)
		if (!strcmp(pairs->p[k].key, pairs->p[i].key))
			return false;
	return true;
}

static void compare(const struct op_pairs *pairs, const struct op_context *c)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct op_kv *kv = &c->resource.p[nr];

		if (!is_last(pairs, i))
			continue;
		PROP(nr++ < c->resource.n);
		PROP(op_view_is(kv->key, pairs->p[i].key));
		PROP(op_view_is(kv->value.bytes, pairs->p[i].value));
	}
	PROP(nr == c->resource.n);
}

static void check(const char *text, struct op_arena *mem)
{
	static unsigned char bytes[2 * OTPROF_PAYLOAD_BYTES_];
	static char scratch[OTPROF_PAYLOAD_BYTES_];
	struct otprof_out_ body = { bytes + 4, 0, sizeof(bytes) - 4 };
	struct otprof_out_ all = { bytes, 0, sizeof(bytes) };
	struct op_pairs pairs = { 0 };
	struct op_context c = { 0 };
	struct op_err err = { 0 };
	bool is_valid = !op_pairs_read(&pairs, mem, text, &err) &&
			is_text(&pairs);

	PROP(otprof_list_decode_(text, scratch) == is_valid);
	if (!is_valid)
		return;
	otprof_out_list_(&body, scratch, 0);
	PROP(body.n <= body.max);
	otprof_out_head_(&all, 0x0a, body.n);
	memmove(bytes + all.n, body.p, body.n);
	PROP(!op_context_decode(op_view(bytes, all.n + body.n), mem, &c, &err));
	compare(&pairs, &c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	char *text = op_new_raw(&mem, char, n + 1);

	/* As long as a variable may be, without NUL. */
	if (text && n < OTPROF_PAYLOAD_BYTES_ / 2) {
		if (n)
			memcpy(text, data, n);
		text[n] = 0;
		check(text, &mem);
	}
	op_arena_free(&mem);
	return 0;
}
