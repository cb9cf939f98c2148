// SPDX-License-Identifier: Apache-2.0
#include "rpc/resource.h"

#include "test.h"
#include "write/env.h"
#include "write/wire.h"

static const struct {
	struct env env;
	const char *attrs; /* "key=value;" each */
	const char *warning;
} rows[] = {
	{ { .vars = { NULL } }, "", "" },
	{ { .vars = { "OTEL_SERVICE_NAME=" } }, "", "" },
	{ { .vars = { "OTEL_SERVICE_NAME=shop" } }, "service.name=shop;", "" },
	{ { .vars = { "OTEL_SERVICE_NAME=a%20b, c" } },
	  "service.name=a%20b, c;",
	  "" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES=a=1,b=2" } }, "a=1;b=2;", "" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES= a = 1 ,, b=%2C%3D," } },
	  "a=1;b=,=;",
	  "" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES=a=,a=2,b=" } }, "a=2;b=;", "" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES=service.name=x,b=2",
		      "OTEL_SERVICE_NAME=shop" } },
	  "service.name=shop;b=2;",
	  "" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES=a=1,b",
		      "OTEL_SERVICE_NAME=shop" } },
	  "service.name=shop;",
	  "OTEL_RESOURCE_ATTRIBUTES is ignored: '=' is missing (at byte 4)" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES=a=%4" } },
	  "",
	  "OTEL_RESOURCE_ATTRIBUTES is ignored: bad escape (at byte 2)" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES=a=%00" } },
	  "",
	  "OTEL_RESOURCE_ATTRIBUTES is ignored: bad escape (at byte 2)" },
	{ { .vars = { "OTEL_RESOURCE_ATTRIBUTES==1" } },
	  "",
	  "OTEL_RESOURCE_ATTRIBUTES is ignored: a key is missing "
	  "(at byte 0)" },
};

TEST(variables)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct env env = rows[i].env;
		struct op_rpc_env e = env_of(&env);
		struct op_rpc_resource r;
		struct op_err err = { 0 };
		char text[200] = "";
		size_t n = 0;

		CHECK_EQ(op_rpc_resource_read(&r, &e, &err), OP_OK);
		for (size_t k = 0; k < r.attrs.n; k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s=%s;", r.attrs.p[k].key,
					      r.attrs.p[k].value);
		CHECK_STR(text, rows[i].attrs);
		CHECK_STR(env.warnings, rows[i].warning);
		op_rpc_resource_free(&r);
	}
}

/* Two resources: one has a name, by its string table, the other nothing. */
#define MESSAGE                                                           \
	"1{1{1{3:1 2{1'own'}}}} 1{} 2{" WIRE_ZERO_ROWS "5'service.name' " \
	"}"

static void attrs_text(const struct op_model *m, uint32_t i, char *out,
		       size_t n)
{
	struct op_kvs attrs = m->resources[i].attrs;
	size_t at = 0;

	*out = 0;
	for (uint32_t k = 0; k < attrs.n; k++) {
		struct op_view key = op_kv_key(m, &attrs.p[k]);
		struct op_view value = op_any_text(m, &attrs.p[k].value);

		at += (size_t)snprintf(out + at, n - at, "%.*s=%.*s;",
				       (int)key.n, (const char *)key.p,
				       (int)value.n, (const char *)value.p);
	}
}

TEST(models)
{
	struct env env = { .vars = { "OTEL_RESOURCE_ATTRIBUTES=host.name=h",
				     "OTEL_SERVICE_NAME=shop" } };
	struct op_rpc_env e = env_of(&env);
	struct op_rpc_resource r;
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct wire w = { 0 };
	char text[200];

	wire_set(&w, MESSAGE);
	CHECK_EQ(op_otlp_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	CHECK_EQ(m.nr_resources, 2);
	CHECK_EQ(op_rpc_resource_read(&r, &e, &err), OP_OK);
	CHECK_EQ(op_rpc_resource_apply(&r, &m, &err), OP_OK);
	attrs_text(&m, 0, text, sizeof(text));
	CHECK_STR(text, "service.name=own;host.name=h;");
	attrs_text(&m, 1, text, sizeof(text));
	CHECK_STR(text, "host.name=h;service.name=shop;");
	op_model_free(&m);
	op_rpc_resource_free(&r);
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct env env = { .vars = { "OTEL_RESOURCE_ATTRIBUTES=a=1,b=2",
					     "OTEL_SERVICE_NAME=shop" } };
		struct op_rpc_env e = env_of(&env);
		struct op_rpc_resource r;
		struct op_err err = { 0 };
		struct op_resource one = { 0 };
		struct op_model m = { .resources = &one, .nr_resources = 1 };

		op_rpc_resource_read(&r, &e, &err);
		if (!err.code)
			op_rpc_resource_apply(&r, &m, &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_STR(env.warnings, "");
		op_arena_free(&m.mem);
		op_rpc_resource_free(&r);
	}
}

TEST_MAIN(variables, models, oom)
