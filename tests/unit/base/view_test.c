// SPDX-License-Identifier: Apache-2.0
#include "base/view.h"

#include "test.h"

#define BYTES(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

TEST(compares)
{
	static const struct {
		const char *name;
		struct op_view a, b;
		int cmp;
	} rows[] = {
		{ "nothing and nothing", { 0 }, { 0 }, 0 },
		{ "nothing and empty", { 0 }, BYTES(""), 0 },
		{ "nothing and something", { 0 }, BYTES("a"), -1 },
		{ "the same", BYTES("abc"), BYTES("abc"), 0 },
		{ "the last differs", BYTES("abc"), BYTES("abd"), -1 },
		{ "the first differs", BYTES("bbc"), BYTES("abd"), 1 },
		{ "one begins the other", BYTES("ab"), BYTES("abc"), -1 },
		{ "length counts last", BYTES("b"), BYTES("abc"), 1 },
		{ "bytes have no sign", BYTES("\x7f"), BYTES("\x80"), -1 },
		{ "nul is a byte", BYTES("a\0b"), BYTES("a\0c"), -1 },
		{ "nul does not end", BYTES("a\0"), BYTES("a"), 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_view a = rows[i].a, b = rows[i].b;
		int before = test_failed;

		CHECK_EQ(sign(op_view_cmp(a, b)), rows[i].cmp);
		CHECK_EQ(sign(op_view_cmp(b, a)), -rows[i].cmp);
		CHECK_EQ(op_view_eq(a, b), rows[i].cmp == 0);
		CHECK_EQ(op_view_eq(b, a), rows[i].cmp == 0);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

TEST(ends)
{
	static const struct {
		const char *name;
		struct op_view in;
		const char *end;
		bool is;
	} rows[] = {
		{ "with it", BYTES("a.otlp"), ".otlp", true },
		{ "is it", BYTES(".otlp"), ".otlp", true },
		{ "shorter than it", BYTES("otlp"), ".otlp", false },
		{ "not at the end", BYTES("a.otlp.gz"), ".otlp", false },
		{ "with nothing", BYTES("a"), "", true },
		{ "nothing with something", { 0 }, "a", false },
		{ "nothing with nothing", { 0 }, "", true },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;

		CHECK_EQ(op_view_ends(rows[i].in, rows[i].end), rows[i].is);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

TEST(of_c_strings)
{
	struct op_view v = op_view_z("ab");

	CHECK_EQ(v.n, 2);
	CHECK_EQ(op_view_z("").n, 0);
	CHECK_EQ(op_view_z(NULL).n, 0);
	CHECK(!op_view_z(NULL).p);
	CHECK(op_view_is(v, "ab"));
	CHECK(!op_view_is(v, "abc"));
	CHECK(!op_view_is(v, "a"));
	CHECK(op_view_is((struct op_view){ 0 }, ""));
	CHECK(op_view_is((struct op_view){ 0 }, NULL));
	CHECK(!op_view_is(op_view("ab\0c", 4), "ab"));
}

TEST(nocase)
{
	CHECK(op_view_eq_nocase(op_view_z("Content-TITLE"),
				op_view_z("content-title")));
	CHECK(op_view_eq_nocase(op_view_z(""), op_view_z("")));
	CHECK(!op_view_eq_nocase(op_view_z("a"), op_view_z("ab")));
	CHECK(!op_view_eq_nocase(op_view_z("["), op_view_z("{")));
	CHECK(!op_view_eq_nocase(op_view_z("\xc9"), op_view_z("\xe9")));
}

TEST_MAIN(nocase, compares, ends, of_c_strings)
