// SPDX-License-Identifier: Apache-2.0
/* Any text as the value of variables. Whatever it is, there is a URL of HTTP in
 * the end, which is an endpoint again and stays what it is, and there is no
 * header that is two. A list of pairs, written again, is the same list. */
#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "fuzz/prop.h"
#include "rpc/config.h"
#include "rpc/endpoint.h"
#include "base/pairs.h"

struct vars {
	const char *key; /* the end of the name of the one that is set */
	const char *value;
	bool is_grpc;
};

static const char *value_of(void *ctx, const char *name)
{
	const struct vars *v = ctx;

	if (v->is_grpc && op_view_ends(op_view_z(name), "OTLP_PROTOCOL"))
		return "grpc";
	return op_view_ends(op_view_z(name), v->key) ? v->value : NULL;
}

static void prop_url(const struct op_rpc_config *c)
{
	struct op_endpoint e = { .signal = c->signal, .protocol = c->protocol };
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	const char *again;

	PROP(!strncmp(c->url, "http://", 7) || !strncmp(c->url, "https://", 8));
	for (const char *p = c->url; *p; p++)
		PROP((uint8_t)*p > ' ' && *p != 0x7f);
	again = op_endpoint_url(&mem, &e, c->url, NULL, &err);
	PROP(again && !strcmp(again, c->url));
	op_arena_free(&mem);
}

static void config(const char *key, const char *value, bool is_grpc)
{
	struct vars v = { key, value, is_grpc };
	struct op_rpc_env env = { .get = value_of, .ctx = &v };
	struct op_rpc_config c;
	struct op_err err = { 0 };

	PROP(!op_rpc_config_read(&c, OP_SIGNAL_PROFILES, NULL, &env, &err));
	prop_url(&c);
	for (size_t i = 0; i < c.headers.n; i++) {
		PROP(strchr(c.headers.p[i], ':') > c.headers.p[i]);
		PROP(!strpbrk(c.headers.p[i], "\r\n"));
	}
	op_rpc_config_free(&c);
}

static void escape(struct op_buf *out, const char *s)
{
	for (; *s; s++)
		if (isalnum((unsigned char)*s))
			op_buf_byte(out, *s);
		else
			op_buf_printf(out, "%%%02X", (unsigned char)*s);
}

static void pairs(const char *text)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_pairs a = { 0 }, b = { 0 };
	struct op_buf again = { .err = &err };

	if (op_pairs_read(&a, &mem, text, &err)) {
		PROP(err.code == OP_EUSAGE && err.has_at &&
		     err.at <= strlen(text));
		op_arena_free(&mem);
		return;
	}
	for (size_t i = 0; i < a.n; i++) {
		escape(&again, a.p[i].key);
		op_buf_byte(&again, '=');
		escape(&again, a.p[i].value);
		op_buf_byte(&again, ',');
	}
	op_buf_byte(&again, 0);
	PROP(!op_pairs_read(&b, &mem, (const char *)again.p, &err));
	PROP(a.n == b.n);
	for (size_t i = 0; i < a.n; i++)
		PROP(!strcmp(a.p[i].key, b.p[i].key) &&
		     !strcmp(a.p[i].value, b.p[i].value));
	op_buf_free(&again);
	op_arena_free(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	char *text = strndup((const char *)p, n);

	if (!text)
		return 0;
	config("OTLP_ENDPOINT", text, false);
	config("OTLP_ENDPOINT", text, true);
	config("PROFILES_ENDPOINT", text, false);
	config("HEADERS", text, true);
	config("TIMEOUT", text, false);
	config("PROTOCOL", text, false);
	pairs(text);
	free(text);
	return 0;
}
