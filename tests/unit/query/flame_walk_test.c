// SPDX-License-Identifier: Apache-2.0
#include "query/flame_walk.h"

#include "test.h"
#include "write/sketch.h"

/* Wide as what changed, whichever way. */
TEST(weights)
{
	static const struct {
		const char *samples;
		int64_t want;
	} rows[] = {
		{ "", 0 },
		{ "a 5\nb 3", 8 },
		{ "a;b 5\na;c -3", 8 },
		{ "a -9223372036854775808\nb 1", INT64_MAX },
		{ "a 9223372036854775807\nb 1", INT64_MAX },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .samples = rows[i].samples };
		struct op_flame f = { 0 };
		struct op_err err = { 0 };
		struct op_model m;
		int64_t *w;

		sketch_one(&m, &s);
		op_flame_build(&f, &m, m.resources[0].scopes[0].profiles, &err);
		w = op_flame_weights(&f, &err);
		CHECK_EQ(err.code, OP_OK);
		CHECK_EQ(w[0], rows[i].want);
		op_flame_free(&f);
		op_model_free(&m);
	}
}

/* Parents before their children, and nothing below what is skipped. */
TEST(order)
{
	struct sketch s = { .samples = "a;b 5\na;c 3\nd 1" };
	struct op_flame f = { 0 };
	struct op_err err = { 0 };
	struct op_model m;
	uint32_t node = 0, depth = 0;
	char text[40] = "";

	sketch_one(&m, &s);
	op_flame_build(&f, &m, m.resources[0].scopes[0].profiles, &err);
	while ((node = op_flame_next(&f, node, false, &depth)) != OP_NO_NODE)
		snprintf(text + strlen(text), 8, "%.1s%u ",
			 (const char *)f.names.p[f.nodes.p[node].name].text.p,
			 depth);
	CHECK_STR(text, "a1 b2 c2 d1 ");
	node = op_flame_next(&f, 0, false, &depth);
	node = op_flame_next(&f, node, true, &depth);
	CHECK(op_view_is(f.names.p[f.nodes.p[node].name].text, "d"));
	op_flame_free(&f);
	op_model_free(&m);
}

static size_t nr_above(const int64_t *w, size_t n, uint64_t least)
{
	size_t nr = 0;

	for (size_t i = 1; i < n; i++)
		nr += (uint64_t)w[i] >= least;
	return nr;
}

/* As many as may stay do, but for those of equal weight. */
TEST(least)
{
	static const struct {
		size_t limit, want;
	} rows[] = {
		{ 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 4 },
		{ 5, 5 }, { 6, 5 }, { 7, 7 }, { 9, 7 },
	};
	static const int64_t w[] = {
		1, INT64_MAX, 1LL << 40, 300, 300, 7, 0, 0
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		uint64_t least = op_flame_least(w, op_countof(w),
						rows[i].limit);

		CHECK_EQ(nr_above(w, op_countof(w), least), rows[i].want);
	}
	CHECK_EQ(op_flame_least(w, 1, 0), 0);
}

TEST_MAIN(weights, order, least)
