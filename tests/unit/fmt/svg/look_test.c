// SPDX-License-Identifier: Apache-2.0
#include "fmt/svg/svg_int.h"

#include "test.h"

TEST(values)
{
	static const struct {
		int64_t v;
		const char *unit, *want;
	} rows[] = {
		{ 0, "count", "0" },
		{ 1234567, "count", "1,234,567" },
		{ -1234, "", "-1,234" },
		{ 12, "1", "12" },
		{ 12, "<x>", "12 &lt;x&gt;" },
		{ INT64_MIN, "count", "-9,223,372,036,854,775,808" },
		{ 0, "nanoseconds", "0 ns" },
		{ 999, "ns", "999 ns" },
		{ 1500, "nanoseconds", "1.50 \xc2\xb5s" },
		{ 12345678, "nanoseconds", "12.3 ms" },
		{ 250, "milliseconds", "250 ms" },
		{ 2000000000, "nanoseconds", "2 s" },
		{ -1500, "us", "-1.50 ms" },
		{ 1023, "bytes", "1023 B" },
		{ 1536, "bytes", "1.50 KiB" },
		{ 5 << 20, "By", "5 MiB" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		op_svg_value(&b, rows[i].v, op_view_z(rows[i].unit));
		op_buf_byte(&b, 0);
		CHECK_STR((char *)b.p, rows[i].want);
		op_buf_free(&b);
	}
}

/* What of a colour counts: which of red, green and blue is the most. */
static char most(struct op_svg_colour c)
{
	unsigned int r, g, b;

	CHECK_EQ(sscanf(c.text, "#%2x%2x%2x", &r, &g, &b), 3);
	return r >= g && r >= b ? 'r' : g >= b ? 'g' : 'b';
}

TEST(colours)
{
	struct op_view name = op_view_z("main");

	CHECK_EQ(most(op_svg_kind(op_view_z("jvm"), name, false)), 'g');
	CHECK_EQ(most(op_svg_kind(op_view_z("kernel"), name, false)), 'r');
	CHECK_EQ(most(op_svg_kind(op_view_z("cpython"), name, false)), 'b');
	CHECK_EQ(most(op_svg_kind(op_view_z("no such"), name, false)), 'r');
	CHECK_EQ(most(op_svg_change(1)), 'r');
	CHECK_EQ(most(op_svg_change(-2)), 'b');
	CHECK_STR(op_svg_change(1).text, op_svg_change(7).text);
	CHECK(strcmp(op_svg_kind(op_view_z("jvm"), name, false).text,
		     op_svg_kind(op_view_z("jvm"), name, true).text));
}

TEST_MAIN(values, colours)
