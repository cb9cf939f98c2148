// SPDX-License-Identifier: Apache-2.0
#include "query/difference.h"

#include "query/top.h"
#include "test.h"
#include "write/sketch.h"

/* Builds the difference of two models and lists its rows by label. */
static void expect(const struct sketch *a, const struct sketch *b,
		   const char *by_text, bool normalize, const char *text)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_difference d = { 0 };
	struct op_model before, after;
	const struct op_profile *like;
	struct op_top t = { 0 };
	struct op_group_by by;
	int64_t total[2];

	sketch_one(&before, a);
	sketch_one(&after, b);
	CHECK_EQ(op_difference_build(&d, &before, &after, normalize, &err),
		 OP_OK);
	like = d.m.resources[0].scopes[0].profiles;
	op_difference_totals(&d, like, total);
	op_buf_printf(&out, "%lld %lld:", (long long)total[0],
		      (long long)total[1]);
	CHECK_EQ(op_group_by_parse(&by, by_text, &err), OP_OK);
	CHECK_EQ(op_top_build(&t, &d.m, like, &by, &err), OP_OK);
	op_top_sort(&t, OP_TOP_FLAT);
	for (size_t i = 0; i < t.rows.n; i++) {
		op_buf_byte(&out, ' ');
		op_buf_view(&out, by.frame ?
					  op_top_name(&t, &t.rows.p[i]) :
					  op_group_text(&t.groups,
							t.rows.p[i].group, 0));
		op_buf_printf(&out, " %lld/%lld", (long long)t.rows.p[i].flat,
			      (long long)t.rows.p[i].cum);
	}
	op_buf_byte(&out, 0);
	CHECK_STR((const char *)out.p, text);
	op_buf_free(&out);
	op_top_free(&t);
	op_difference_free(&d);
	op_model_free(&before);
	op_model_free(&after);
}

TEST(values)
{
	static const struct sketch a = {
		.samples = "m;f 5 thread.name=x\nm;g 2 thread.name=y",
		.resource = "service.name=one",
	};
	static const struct sketch b = {
		.samples = "m;f 9 thread.name=x\nm;h 3 thread.name=z",
		.resource = "service.name=two",
	};

	expect(&a, &b, NULL, false, "7 12: f 4/4 h 3/3 g -2/-2 m 0/5");
	expect(&a, &b, "thread", false, "7 12: x 4/4 z 3/3 y -2/-2");
	/* Resources keep their attributes, equal or not. */
	expect(&a, &b, "service", false, "7 12: two 12/12 one -7/-7");
	expect(&a, &a, NULL, false, "7 7:");
}

TEST(normalized)
{
	static const struct sketch a = { .samples = "f 5\ng 5" };
	static const struct sketch b = { .samples = "f 15\ng 5" };
	static const struct sketch none = { .samples = "" };

	expect(&a, &b, NULL, true, "20 20: f 5/5 g -5/-5");
	expect(&none, &b, NULL, true, "0 20: f 15/15 g 5/5");
	expect(&b, &none, NULL, true, "20 0: f -15/-15 g -5/-5");
}

/* Values with times are summed up as their type says. */
TEST(times)
{
	static const struct sketch a = { .samples = "f 5@1 5@2\ng 1@3",
					 .type = "inuse_space",
					 .unit = "bytes" };
	static const struct sketch b = { .samples = "f 7@3",
					 .type = "inuse_space",
					 .unit = "bytes" };

	expect(&a, &b, NULL, false, "6 7: f 2/2 g -1/-1");
}

TEST_MAIN(values, normalized, times)
