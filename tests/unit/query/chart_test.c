// SPDX-License-Identifier: Apache-2.0
#include "query/chart.h"

#include "test.h"
#include "write/sketch.h"

/* Of more observations than may stay, at most so many do, one for each column
 * and depth, and the longest of them. */
TEST(thins)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct sketch s = { .type = "park" };
	struct op_chart_opts o = { .nr_columns = 50, .limit = 256 };
	struct op_chart c = { 0 };
	struct op_model m;
	bool found = false;

	for (int i = 0; i < 2000; i++)
		op_buf_printf(&text, "main%s;f%d %d@%d\n", i % 2 ? ";deep" : "",
			      i % 7, i == 777 ? 5000 : 1, 10 * i);
	op_buf_byte(&text, 0);
	s.samples = (const char *)text.p;
	sketch_one(&m, &s);
	CHECK_EQ(op_chart_build(&c, &m, m.resources[0].scopes[0].profiles, &o,
				&err),
		 OP_OK);
	CHECK_EQ(c.nr, 2000);
	CHECK(c.rows.n >= 50 && c.rows.n <= 100);
	CHECK_EQ(c.step, (c.range.to - c.range.from) / 2000);
	for (size_t i = 0; i < c.rows.n; i++) {
		found |= c.rows.p[i].length == 5000;
		CHECK(!i || c.rows.p[i - 1].time <= c.rows.p[i].time);
		CHECK(c.rows.p[i].node && c.rows.p[i].node < c.flame.nodes.n);
	}
	CHECK(found);
	op_chart_free(&c);
	op_model_free(&m);
	op_buf_free(&text);
}

/* The node of each row is that of its stack, by number in the order in which
 * trees are written. */
TEST(nodes)
{
	struct sketch s = { .samples = "a;b 1@10\na 9@20\nc 5@30\n- 1@40",
			    .period = 7,
			    .period_unit = "nanoseconds" };
	static const uint32_t want[] = { 2, 1, 3, 0 };
	struct op_chart_opts o = { .nr_columns = 1, .limit = 256 };
	struct op_err err = { 0 };
	struct op_chart c = { 0 };
	struct op_model m;

	sketch_one(&m, &s);
	CHECK_EQ(op_chart_build(&c, &m, m.resources[0].scopes[0].profiles, &o,
				&err),
		 OP_OK);
	CHECK_EQ(c.rows.n, 4);
	for (size_t i = 0; i < c.rows.n; i++)
		CHECK_EQ(c.rows.p[i].node, want[i]);
	CHECK_EQ(c.step, 7);
	CHECK_EQ(c.flame.total, 16);
	CHECK_EQ(c.flame.nodes.p[0].self, 1);
	op_chart_free(&c);
	op_model_free(&m);
}

/* What is not asked for is that of the observations. */
TEST(ranges)
{
	static const struct {
		struct op_range asked, range;
		uint64_t nr;
	} rows[] = {
		{ { 0, 0 }, { 10, 41 }, 3 },
		{ { 0, 35 }, { 10, 35 }, 2 },
		{ { 20, UINT64_MAX }, { 20, 41 }, 2 },
		{ { 20, 30 }, { 20, 30 }, 1 },
		{ { 50, UINT64_MAX }, { 50, 41 }, 0 },
	};
	struct sketch s = { .samples = "a 1@10\na 9@20\nc 5@40" };
	struct op_model m;

	sketch_one(&m, &s);
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_chart_opts o = { rows[i].asked, 1, 256 };
		struct op_err err = { 0 };
		struct op_chart c = { 0 };

		CHECK_EQ(op_chart_build(&c, &m,
					m.resources[0].scopes[0].profiles, &o,
					&err),
			 OP_OK);
		CHECK_EQ(c.range.from, rows[i].range.from);
		CHECK_EQ(c.range.to, rows[i].range.to);
		CHECK_EQ(c.nr, rows[i].nr);
		op_chart_free(&c);
	}
	op_model_free(&m);
}

TEST_MAIN(thins, nodes, ranges)
