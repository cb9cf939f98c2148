// SPDX-License-Identifier: Apache-2.0
#include "query/default_profile.h"

#include "model/builder.h"
#include "test.h"
#include "write/sketch.h"

enum { MOST = 3 };

struct type {
	const char *type, *period_type;
};

/* Profiles of these types, each in a resource of its own. */
static void types_model(struct op_model *m, const struct type *types)
{
	struct op_err err = { 0 };
	struct op_builder b;

	*m = (struct op_model){ 0 };
	op_builder_init(&b, m, &err);
	for (int i = 0; i < MOST && types[i].type; i++) {
		struct op_resource resource = { 0 };
		struct op_scope scope = { 0 };
		struct op_profile p = { 0 };
		uint32_t r = op_build_resource(&b, &resource, NULL);
		uint32_t s = op_build_scope(&b, r, &scope, NULL);

		p.sample_type.type = op_build_string(&b,
						     op_view_z(types[i].type));
		p.period_type.type = op_build_string(
			&b, op_view_z(types[i].period_type));
		op_build_profile(&b, s, &p);
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
}

TEST(order)
{
	static const struct {
		struct type types[MOST];
		uint32_t best;
	} rows[] = {
		{ { { "heap", "" } }, 0 },
		{ { { "heap", "" }, { "wall", "" } }, 1 },
		{ { { "heap", "" }, { "samples", "" } }, 0 },
		{ { { "wall", "" }, { "samples", "wall" } }, 0 },
		{ { { "wall", "" }, { "samples", "cpu" } }, 1 },
		{ { { "wall", "" }, { "cpu_samples", "" } }, 1 },
		{ { { "heap", "cpu" }, { "samples", "cpu" } }, 1 },
		{ { { "samples", "cpu" }, { "cpu", "cpu" } }, 1 },
		{ { { "wall", "" }, { "cpu", "" }, { "cpu", "" } }, 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		const struct op_profile *p;
		struct op_model m;

		types_model(&m, rows[i].types);
		p = m.resources[rows[i].best].scopes[0].profiles;
		if (op_default_profile(&m) != p)
			TEST_FAIL("row %zu", i);
		op_model_free(&m);
	}
}

TEST(none)
{
	static const struct type no_types[MOST];
	struct op_model m;

	types_model(&m, no_types);
	CHECK(!op_default_profile(&m));
	op_model_free(&m);
}

/* Without time on the CPU the profile counts that says most about calls; what
 * its source declares to be the default comes before that. */
TEST(most_stacks)
{
	static const struct sketch s[] = {
		{ .samples = "- 9\n- 8 thread=a\n- 7 thread=b\n- 6 thread=c",
		  .type = "gauge",
		  .unit = "1" },
		{ .samples = "a 1\nb 1", .type = "few", .unit = "1" },
		{ .samples = "a 1\nb 1\nc 1", .type = "most", .unit = "1" },
		{ .samples = "a 1\nb 1\nd 1", .type = "last", .unit = "1" },
	};
	struct op_err err = { 0 };
	const struct op_profile *p;
	struct op_model m = { 0 };
	struct op_kv kv = {
		.key = op_view_z("pprof.scope.default_sample_type"),
		.value = { .kind = OP_ANY_STRING, .bytes = op_view_z("few") },
	};

	CHECK_EQ(sketch_model(&m, s, op_countof(s), &err), OP_OK);
	p = m.resources[0].scopes[0].profiles;
	CHECK(op_default_profile(&m) == &p[2]);
	CHECK(op_choose_profile(&m, "last,few") == &p[3]);
	CHECK(!op_choose_profile(&m, "none"));
	m.resources[0].scopes[0].attrs = (struct op_kvs){ &kv, 1 };
	CHECK(op_default_profile(&m) == &p[1]);
	op_model_free(&m);
}

/* Events tell profiles of one type apart: their values are never added. */
TEST(events)
{
	static const struct sketch s[] = {
		{ .samples = "a 1",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "otprof.event.type=instructions:u" },
		{ .samples = "a 2",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "otprof.event.type=cycles:u" },
		{ .samples = "",
		  .type = "cpu",
		  .unit = "nanoseconds",
		  .attrs = "otprof.event.type=none" },
		{ .samples = "b 3",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "otprof.event.type=cycles:u" },
		{ .samples = "b 3",
		  .type = "samples",
		  .unit = "count",
		  .period = 1,
		  .period_type = "wall",
		  .attrs = "otprof.event.type=cycles:u" },
	};
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	const struct op_profile *p;
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, op_countof(s), &err), OP_OK);
	p = m.resources[0].scopes[0].profiles;
	CHECK(op_default_profile(&m) == &p[1]);
	CHECK(!op_same_type(&m, &p[0], &p[1]));
	CHECK(op_same_type(&m, &p[1], &p[3]));
	CHECK(!op_same_type(&m, &p[1], &p[4]));
	CHECK_EQ(op_other_types(&m, &p[1], &out), 3);
	op_buf_byte(&out, 0);
	CHECK_STR((const char *)out.p,
		  "samples/count (instructions:u), cpu/nanoseconds (none), "
		  "samples/count (cycles:u)");
	op_buf_free(&out);
	op_model_free(&m);
}

TEST(others)
{
	static const struct {
		struct type types[MOST];
		const char *text;
		uint32_t nr;
	} rows[] = {
		{ { { "cpu", "" } }, "", 0 },
		{ { { "cpu", "" }, { "cpu", "x" } }, "", 0 },
		{ { { "heap", "" }, { "cpu", "" } }, "heap/", 1 },
		{ { { "heap", "" }, { "cpu", "" }, { "heap", "" } },
		  "heap/",
		  1 },
		{ { { "a b\n", "" }, { "\xc3\xa4", "" }, { "cpu", "" } },
		  "a?b?/, ?"
		  "?/",
		  2 },
		{ { { "0123456789012345678901234567890123456789x", "" },
		    { "cpu", "" } },
		  "0123456789012345678901234567890123456789/",
		  1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf text = { .err = &err };
		struct op_model m;

		types_model(&m, rows[i].types);
		CHECK_EQ(op_other_types(&m, op_default_profile(&m), &text),
			 rows[i].nr);
		CHECK(op_view_is(op_view(text.p, text.n), rows[i].text));
		op_buf_free(&text);
		op_model_free(&m);
	}
}

TEST_MAIN(most_stacks, order, events, none, others)
