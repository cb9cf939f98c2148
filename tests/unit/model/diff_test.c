// SPDX-License-Identifier: Apache-2.0
#include "model/diff.h"

#include "model/filter.h"
#include "model/merge.h"
#include "model/semconv.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

#define DIFF " otprof.diff=true\n"
#define CPU "profile cpu/nanoseconds"
#define HEAD "resource\nscope \n"

static const struct {
	const char *name;
	struct sketch a, b;
	struct op_diff_opts o;
	const char *result;
} rows[] = {
	{ "after less before",
	  { .samples = "main;f 5\nmain;g 1" },
	  { .samples = "main;f 7\nmain;h 4" },
	  { 0 },
	  HEAD CPU DIFF "\tmain;f 2\n\tmain;g -1\n\tmain;h 4\n" },
	{ "what did not change is left out",
	  { .samples = "main;f 5\nmain;g 1" },
	  { .samples = "main;f 5\nmain;g 2" },
	  { 0 },
	  HEAD CPU DIFF "\tmain;g 1\n" },
	{ "nothing changed",
	  { .samples = "main;f 5" },
	  { .samples = "main;f 5" },
	  { 0 },
	  HEAD CPU DIFF },
	{ "a type on either side",
	  { .samples = "f 5", .type = "alloc", .unit = "bytes" },
	  { .samples = "f 7" },
	  { 0 },
	  HEAD "profile alloc/bytes" DIFF "\tf -5\n" CPU DIFF "\tf 7\n" },
	{ "units differ",
	  { .samples = "f 5", .unit = "ms" },
	  { .samples = "f 7" },
	  { 0 },
	  HEAD "profile cpu/ms" DIFF "\tf -5\n" CPU DIFF "\tf 7\n" },
	{ "observations are summed",
	  { .samples = "f 5@1 6@2" },
	  { .samples = "f 7" },
	  { 0 },
	  HEAD CPU DIFF "\tf -4\n" },
	{ "of gauges the last counts",
	  { .samples = "f 5@1 6@2", .type = "inuse_space" },
	  { .samples = "f 7@9 9@3", .type = "inuse_space" },
	  { 0 },
	  HEAD "profile inuse_space/nanoseconds" DIFF "\tf 1\n" },
	{ "attributes and links do not count",
	  { .samples = "f 5 thread=1 #1\nf 1 thread=2" },
	  { .samples = "f 7 thread=3" },
	  { 0 },
	  HEAD CPU DIFF "\tf 1\n" },
	{ "or do",
	  { .samples = "f 5 thread=1 #1\nf 1 thread=2" },
	  { .samples = "f 7 thread=2" },
	  { .exact = true },
	  HEAD CPU DIFF "\tf -5 thread=1 #1\n\tf 6 thread=2\n" },
	{ "the time is that after",
	  { .samples = "f 5", .time_ns = 10, .duration_ns = 5 },
	  { .samples = "f 6", .time_ns = 20, .duration_ns = 7 },
	  { 0 },
	  HEAD CPU " 20+7" DIFF "\tf 1\n" },
	{ "or before, if there is none after",
	  { .samples = "f 5", .time_ns = 10, .duration_ns = 5 },
	  { .samples = "f 6", .type = "wall" },
	  { 0 },
	  HEAD CPU " 10+5" DIFF "\tf -5\nprofile wall/nanoseconds" DIFF
		   "\tf 6\n" },
	{ "attributes of both resources, one scope",
	  { .samples = "f 5", .resource = "a=1 b=2 c=3", .scope = "s" },
	  { .samples = "f 6", .resource = "c=3 b=9 a=1", .scope = "s" },
	  { 0 },
	  "resource a=1 c=3\nscope s\n" CPU DIFF "\tf 1\n" },
	{ "two scopes",
	  { .samples = "f 5", .scope = "s" },
	  { .samples = "f 6", .scope = "t" },
	  { 0 },
	  HEAD CPU DIFF "\tf 1\n" },
	{ "totals made equal",
	  { .samples = "f 10\ng 30" },
	  { .samples = "f 5\ng 5" },
	  { .normalize = true },
	  HEAD CPU DIFF "\tf 2\n\tg -3\n" },
	{ "of the same shape nothing is left",
	  { .samples = "f 10\ng 30" },
	  { .samples = "f 1\ng 3" },
	  { .normalize = true },
	  HEAD CPU DIFF },
	{ "a total of nothing is left as it is",
	  { .samples = "f 10\ng 30" },
	  { .samples = "" },
	  { .normalize = true },
	  HEAD CPU DIFF "\tf -10\n\tg -30\n" },
	{ "the least number",
	  { .samples = "f -9223372036854775808\ng -9223372036854775808" },
	  { .samples = "f -9223372036854775808\ng -1" },
	  { 0 },
	  HEAD CPU DIFF "\tg 9223372036854775807\n" },
	{ "the ends of numbers",
	  { .samples = "f -9223372036854775807\ng 9223372036854775807" },
	  { .samples = "f 9223372036854775807\ng -9223372036854775807" },
	  { 0 },
	  HEAD CPU DIFF "\tf 9223372036854775807\n\tg -9223372036854775808\n" },
};

TEST(diff_rows)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_model a, b, out = { 0 };
		struct op_err err = { 0 };
		int before = test_failed;

		sketch_one(&a, &rows[i].a);
		sketch_one(&b, &rows[i].b);
		CHECK_EQ(op_diff(&a, &b, &rows[i].o, &out, &err), OP_OK);
		CHECK_STR(sketch_text(&out), rows[i].result);
		CHECK(out.normal);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s':\n%s", rows[i].name,
				sketch_text(&out));
		op_model_free(&out);
		op_model_free(&a);
		op_model_free(&b);
	}
}

/* All resources and scopes of a side are one. */
TEST(resources_are_joined)
{
	static const struct sketch three[] = {
		{ .samples = "f 1", .resource = "host=a os=l" },
		{ .samples = "f 2", .resource = "host=b os=l" },
		{ .samples = "f 4", .resource = "host=b os=l", .scope = "s" },
	};
	struct op_diff_opts o = { 0 };
	struct op_model a = { 0 }, b, out = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(sketch_model(&a, three, 3, &err), OP_OK);
	sketch_one(&b, three);
	CHECK_EQ(op_diff(&b, &a, &o, &out, &err), OP_OK);
	CHECK_STR(sketch_text(&out),
		  "resource os=l\nscope \n" CPU DIFF "\tf 6\n");
	op_model_free(&out);
	op_model_free(&a);
	op_model_free(&b);
}

/* Two builds of one program: other addresses and lines, other inlining. */
TEST(two_builds)
{
	static const char *const text[] = {
		"2{ 1{} 1{ 1:1 4:3 } 2{} 2{ 1:1 2:16 3{ 1:1 2:5 } "
		"3{ 1:2 2:7 } } 2{ 1:1 2:64 } 3{} 3{ 1:1 3:3 } 3{ 1:2 } 4{} "
		"5'' 5'f' 5'main' 5'app' 6{} 7{} 7{ 1[1] } 7{ 1[2] } } "
		"1{ 2{ 2{ 2{ 1:1 4[10] } 2{ 1:2 4[3] } } } } ",
		"2{ 1{} 1{ 1:9 4:3 } 2{} 2{ 1:1 2:32 3{ 1:1 2:6 } } "
		"2{ 1:1 2:48 3{ 1:2 2:8 } } 2{ 1:1 2:64 } 3{} 3{ 1:1 } "
		"3{ 2:2 } 4{} 5'' 5'f' 5'main' 5'app' 6{} 7{} 7{ 1[1 2] } "
		"7{ 1[3] } } "
		"1{ 2{ 2{ 2{ 1:1 4[11] } 2{ 1:2 4[3] } } } } ",
	};
	static const char *const results[] = {
		HEAD "profile /" DIFF "\tmain;f 1\n",
		HEAD "profile /" DIFF "\t0x40 -3\n\t0x40 3\n\t;f 11\n"
		     "\tmain>f -10\n",
	};
	struct op_model m[2];
	struct op_err err = { 0 };

	for (int i = 0; i < 2; i++) {
		static struct wire w[2];

		wire_set(&w[i], text[i]);
		CHECK_EQ(wire_decode(&m[i], wire_view(&w[i]), NULL, &err),
			 OP_OK);
	}
	for (int exact = 0; exact < 2; exact++) {
		struct op_diff_opts o = { .exact = exact };
		struct op_model out = { 0 };

		CHECK_EQ(op_diff(&m[0], &m[1], &o, &out, &err), OP_OK);
		CHECK_STR(sketch_text(&out), results[exact]);
		op_model_free(&out);
	}
	op_model_free(&m[0]);
	op_model_free(&m[1]);
}

/* --- laws --- */

static void generated(struct op_model *m, uint32_t seed)
{
	static char text[WIRE_MAX];
	static struct wire w;
	struct op_err err = { 0 };

	wire_generate(text, sizeof(text), seed);
	wire_set(&w, text);
	CHECK_EQ(wire_decode(m, wire_view(&w), NULL, &err), OP_OK);
}

static uint64_t nr_samples(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t n = 0;

	while (op_walk_next(m, &w))
		n += w.profile->nr_samples;
	return n;
}

/* With itself there is no difference. */
TEST(with_itself)
{
	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct op_diff_opts o = { .exact = seed & 1,
					  .normalize = seed & 2 };
		struct op_model m, out = { 0 };
		struct op_err err = { 0 };

		generated(&m, seed);
		CHECK_EQ(op_diff(&m, &m, &o, &out, &err), OP_OK);
		CHECK_EQ(nr_samples(&out), 0);
		op_model_free(&out);
		op_model_free(&m);
	}
}

/* From a to a and b is b: as the difference of b and nothing. */
TEST(what_was_added)
{
	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct op_diff_opts o = { .exact = seed & 1 };
		struct op_model m[2], both = { 0 }, none = { 0 };
		struct op_model out = { 0 }, want = { 0 };
		struct op_model *all[] = { &m[0], &m[1] };
		struct op_filter_opts gone = { .focus = "no such name" };
		struct op_err err = { 0 };
		struct op_walk x = { 0 }, y = { 0 };

		generated(&m[0], seed);
		generated(&m[1], seed + 100);
		CHECK_EQ(op_merge(all, 2, &both, &err), OP_OK);
		CHECK_EQ(op_filter(&m[0], &gone, &none, &err), OP_OK);
		CHECK_EQ(op_diff(&m[0], &both, &o, &out, &err), OP_OK);
		CHECK_EQ(op_diff(&none, &m[1], &o, &want, &err), OP_OK);
		while (op_walk_next(&out, &x) && op_walk_next(&want, &y)) {
			CHECK_EQ(x.profile->nr_samples, y.profile->nr_samples);
			CHECK_EQ(op_profile_total(x.profile),
				 op_profile_total(y.profile));
		}
		CHECK_EQ(nr_samples(&out), nr_samples(&want));
		op_model_free(&out);
		op_model_free(&want);
		op_model_free(&both);
		op_model_free(&none);
		op_model_free(&m[0]);
		op_model_free(&m[1]);
	}
}

TEST(added_samples)
{
	struct sketch sa = { .samples = "main;f 1 k=v\nmain;g 2" };
	struct sketch sb = { .samples = "main;f 3 k=v\nmain;h 4 #1" };
	struct op_diff_opts o = { .exact = true };
	struct op_model a, b, both = { 0 }, out = { 0 };
	struct op_model *all[] = { &a, &b };
	struct op_err err = { 0 };

	sketch_one(&a, &sa);
	sketch_one(&b, &sb);
	CHECK_EQ(op_merge(all, 2, &both, &err), OP_OK);
	CHECK_EQ(op_diff(&a, &both, &o, &out, &err), OP_OK);
	CHECK_STR(sketch_text(&out),
		  HEAD CPU DIFF "\tmain;f 3 k=v\n\tmain;h 4 #1\n");
	op_model_free(&out);
	op_model_free(&both);
	op_model_free(&a);
	op_model_free(&b);
}

TEST(of_nothing)
{
	struct op_diff_opts o = { 0 };
	struct op_model none = { 0 }, out = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(sketch_model(&none, NULL, 0, &err), OP_OK);
	CHECK_EQ(op_diff(&none, &none, &o, &out, &err), OP_OK);
	CHECK_STR(sketch_text(&out), HEAD);
	op_model_free(&out);
	op_model_free(&none);
}

TEST(each_alloc_fails)
{
	struct op_model a, b;

	sketch_one(&a, &rows[0].a);
	sketch_one(&b, &rows[3].b);
	for (int exact = 0; exact < 2; exact++) {
		EACH_ALLOC_FAILS(k) {
			struct op_diff_opts o = { exact, true };
			struct op_err err = { 0 };
			struct op_model out = { 0 };
			int code = op_diff(&a, &b, &o, &out, &err);

			CHECK(!code || code == OP_ENOMEM);
			CHECK(op_alloc_failed() || !code);
			op_model_free(&out);
		}
	}
	op_model_free(&a);
	op_model_free(&b);
}

TEST_MAIN(diff_rows, resources_are_joined, two_builds, with_itself,
	  what_was_added, added_samples, of_nothing, each_alloc_fails)
