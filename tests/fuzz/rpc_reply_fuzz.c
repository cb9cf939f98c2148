// SPDX-License-Identifier: Apache-2.0
/* Any bytes as the answer of a server. The first byte says what they are the
 * body or a header of; whatever they say becomes one clean line of text, and a
 * delay that can be added to a time. What is not understood says nothing. */
#include "base/utf8.h"
#include "fuzz/prop.h"
#include "rpc/reply.h"
#include "rpc/retry.h"

static void prop_line(const char *text, size_t max)
{
	struct op_view v = op_view(text, strnlen(text, max));

	PROP(v.n < max);
	PROP(op_utf8_valid(v));
	for (size_t i = 0; i < v.n; i++)
		PROP(v.p[i] >= ' ' && v.p[i] != 0x7f);
	PROP(!v.n || (v.p[0] != ' ' && v.p[v.n - 1] != ' '));
	PROP(!strstr(text, "  "));
}

static void prop_delay(uint64_t ns)
{
	PROP(ns / 1000000000 <= UINT32_MAX);
}

static void prop_reply(const struct op_reply *r, bool is_good)
{
	prop_line(r->text, sizeof(r->text));
	prop_delay(r->delay_ns);
	PROP(r->has_delay || !r->delay_ns);
	PROP(is_good || (!r->rejected && !r->has_delay && !r->text[0]));
}

static void bodies(struct op_view in)
{
	static const enum op_reply_form forms[] = {
		OP_REPLY_PROTOBUF, OP_REPLY_JSON, OP_REPLY_TEXT, OP_REPLY_HTML
	};
	struct op_reply r;

	for (size_t i = 0; i < op_countof(forms); i++) {
		bool is_good = op_reply_export(in, forms[i], &r);

		prop_reply(&r, is_good);
		is_good = op_reply_status(in, forms[i], &r);
		prop_reply(&r, is_good);
	}
}

/* The message and the details of a trailer, with a NUL between. */
static void trailers(struct op_view in)
{
	const uint8_t *mid = in.n ? memchr(in.p, 0, in.n) : NULL;
	size_t n = mid ? (size_t)(mid - in.p) : in.n;
	struct op_reply r;

	op_grpc_reply(op_view(in.p, n),
		      mid ? op_view(mid + 1, in.n - n - 1) : op_view(NULL, 0),
		      &r);
	prop_reply(&r, true);
}

static void headers(struct op_view in)
{
	struct op_view message;
	bool is_packed;
	uint64_t ns = 0;
	int code = op_grpc_status(in);

	PROP(code >= -1 && code <= 999);
	op_grpc_verdict(code, false);
	op_grpc_name(code);
	if (op_retry_after(in, 784111777, &ns))
		prop_delay(ns);
	op_reply_form(in, OP_REPLY_TEXT);
	if (op_grpc_frame(in, &message, &is_packed))
		PROP(message.n + 5 == in.n && message.p == in.p + 5);
}

/* A text that is clean stays as it is; of one that was cut a prefix does. */
static void lines(struct op_view in)
{
	char once[100], twice[100];

	for (size_t n = 1; n <= sizeof(once); n++) {
		op_reply_clean(once, n, in);
		prop_line(once, n);
		op_reply_clean(twice, n, op_view_z(once));
		PROP(!strcmp(once, twice));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static void (*const parts[])(struct op_view in) = { bodies, trailers,
							    headers, lines };

	if (n)
		parts[p[0] % op_countof(parts)](op_view(p + 1, n - 1));
	return 0;
}
