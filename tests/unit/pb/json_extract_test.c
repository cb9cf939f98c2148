// SPDX-License-Identifier: Apache-2.0
#include "pb/json_extract.h"

#include "test.h"

/* Text, digits to move the point by, and the number; or why it is none. */
static const struct {
	const char *text;
	unsigned int digits;
	int64_t want;
	const char *why;
} numbers[] = {
	{ "0", 3, 0, NULL },
	{ "12", 3, 12000, NULL },
	{ "-12", 3, -12000, NULL },
	{ "1.5", 3, 1500, NULL },
	{ "1.2345", 3, 1235, NULL },
	{ "-1.2345", 3, -1235, NULL },
	{ "1.9999", 0, 2, NULL },
	{ "1e3", 0, 1000, NULL },
	{ "\"7.25\"", 3, 7250, NULL },
	{ "null", 3, 0, NULL },
	/* Exact where a double is not. */
	{ "1700000000123456.789", 3, 1700000000123456789, NULL },
	{ "4611686018427387904", 0, (int64_t)1 << 62, NULL },
	{ "-4611686018427387904", 0, -((int64_t)1 << 62), NULL },
	{ "4611686018427389999", 0, 0, "not a number, or too large" },
	{ "99999999999999999999", 0, 0, "not a number, or too large" },
	{ "1e300", 9, 0, "not a number, or too large" },
	{ "\"\"", 0, 0, "not a number, or too large" },
	{ "\"1x\"", 0, 0, "not a number, or too large" },
	{ "true", 0, 0, "expected a number" },
	{ "[1]", 0, 0, "expected a number" },
	{ "-", 0, 0, "the JSON text is truncated" },
};

TEST(scaled)
{
	for (size_t i = 0; i < op_countof(numbers); i++) {
		struct op_err err = { 0 };
		struct op_json_in in = op_json_in(op_view_z(numbers[i].text),
						  &err);
		int64_t got = op_json_extract_scaled(&in, numbers[i].digits);

		if (got != numbers[i].want ||
		    strcmp(err.text, numbers[i].why ? numbers[i].why : ""))
			TEST_FAIL("%s: %lld, %.60s", numbers[i].text,
				  (long long)got, err.text);
	}
}

TEST(text_numbers)
{
	int64_t n = 0;

	CHECK(op_text_number(op_view_z("42"), &n) && n == 42);
	CHECK(op_text_number(op_view_z("-42"), &n) && n == -42);
	CHECK(!op_text_number(op_view_z(""), &n));
	CHECK(!op_text_number(op_view_z("0x1"), &n));
	CHECK(!op_text_number(op_view_z("1.5"), &n));
	CHECK(!op_text_number(op_view_z("99999999999999999999"), &n));
}

TEST(texts)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{ "\"a\"", "a" }, { "\"\\u0041\\n\"", "A\n" }, { "\"\"", "" },
		{ "7", "" },	  { "{\"a\":1}", "" },
	};
	struct op_arena mem = { 0 };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_json_in in = op_json_in(op_view_z(rows[i].json),
						  &err);

		CHECK(op_view_is(op_json_extract_text(&in, &mem),
				 rows[i].want));
		op_json_finish(&in);
		CHECK_EQ(err.code, OP_OK);
	}
	op_arena_free(&mem);
}

/* As far as the first bytes show; a key deeper down does not count. */
TEST(keys)
{
	struct op_view v;

	CHECK(op_json_sniff_key(op_view_z("{\"a\":{\"k\":1},\"k\" : 7"), "k",
				&v) &&
	      v.p[0] == '7');
	CHECK(!op_json_sniff_key(op_view_z("{\"a\":{\"k\":1}}"), "k", &v));
	CHECK(!op_json_sniff_key(op_view_z("[\"k\"]"), "k", &v));
	CHECK(!op_json_sniff_key(op_view_z("{\"a\":[1,"), "k", &v));
	CHECK(!op_json_sniff_key(op_view_z("{\"k"), "k", &v));
}

TEST(begins)
{
	static const struct {
		const char *line;
		bool want;
	} rows[] = {
		{ "", false },
		{ "{", true },
		{ "{}", true },
		{ "{\"a\":1}", true },
		{ "{ \"a\":1}", true },
		{ "{closure};b 1", false },
		{ "[", true },
		{ "[{", true },
		{ "[\"a\"]", true },
		{ "[1,2]", true },
		{ "[-1]", true },
		{ "[0];a 1", false },
		{ "[unknown] 3", false },
		{ "a{}", false },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(op_json_begins(op_view_z(rows[i].line)), rows[i].want);
	CHECK(!op_json_begins(op_view("{\0", 2)));
}

TEST_MAIN(scaled, text_numbers, texts, keys, begins)
