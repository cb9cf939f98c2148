// SPDX-License-Identifier: Apache-2.0
#include "base/regex.h"

#include "test.h"

static const struct {
	const char *pattern, *text;
	bool matches;
	bool plain; /* also holds where a pattern is plain text */
} rows[] = {
	{ "main", "main", true, true },
	{ "main", "domains", true, true },
	{ "main", "mai", false, true },
	{ "main", "", false, true },
	{ "", "", true, true },
	{ "", "x", true, true },
	{ "Main", "main", false, true },
	{ "::run", "a::run()", true, true },
	{ "^main$", "main", true, false },
	{ "^main$", "domain", false, true },
	{ "ma.n|work", "homework", true, false },
	{ "(?i)MAIN", "main", true, false },
	{ "^.$", "\xc3\xa4", true, false }, /* one character */
	{ "^\\w+$", "a_1", true, false },
	{ "b",
	  "a\xff"
	  "b",
	  true, true }, /* not UTF-8 */
	{ "a.b",
	  "a\xff"
	  "b",
	  false, true },
	{ "^(a|b|ab)+$", "abababab", true, false },
};

TEST(matches)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_regex *re = op_regex_new(rows[i].pattern, &err);
		int before = test_failed;

		if (!op_regex_is_full() && !rows[i].plain) {
			op_regex_free(re);
			continue;
		}
		CHECK(re);
		CHECK_EQ(op_regex_matches(re, op_view_z(rows[i].text), &err),
			 rows[i].matches);
		CHECK_EQ(err.code, OP_OK);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s' on '%s'\n",
				rows[i].pattern, rows[i].text);
		op_regex_free(re);
	}
}

/* A NUL is a byte like any other. */
TEST(nul_in_text)
{
	struct op_err err = { 0 };
	struct op_regex *re = op_regex_new("b", &err);

	CHECK(op_regex_matches(re, op_view("a\0b", 3), &err));
	CHECK(!op_regex_matches(re, op_view("a\0c", 3), &err));
	CHECK(!op_regex_matches(re, (struct op_view){ 0 }, &err));
	op_regex_free(re);
	op_regex_free(NULL);
}

TEST(bad_patterns)
{
	static const struct {
		const char *pattern;
		uint64_t at, to;
	} bad[] = {
		{ "a(b", 3, 3 }, { "x*(*", 3, 4 },  { "a[b", 3, 3 },
		{ "a\\", 2, 2 }, { "ab\\C", 2, 4 }, { "a\xff", 1, 1 },
	};

	for (size_t i = 0; op_regex_is_full() && i < op_countof(bad); i++) {
		struct op_err err = { 0 };

		CHECK(!op_regex_new(bad[i].pattern, &err));
		CHECK_EQ(err.code, OP_EUSAGE);
		CHECK(err.has_at);
		CHECK(err.at >= bad[i].at && err.at <= bad[i].to);
		CHECK(strstr(err.text, "bad pattern"));
	}
}

/* Patterns whose cost would double with each character stop at a limit. */
TEST(hostile_patterns)
{
	static const char *const hostile[] = {
		"^(a+)+$",  "^(a|a)*$",	   "^(a|aa)+$",
		"(x+x+)+y", "(?=(a+)+$)b", "^(([a-z])+.)+[A-Z]([a-z])+$",
	};
	char text[4096];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '!';
	for (size_t i = 0; op_regex_is_full() && i < op_countof(hostile); i++) {
		struct op_err err = { 0 };
		struct op_regex *re = op_regex_new(hostile[i], &err);

		CHECK(re);
		CHECK(!op_regex_matches(re, op_view(text, sizeof(text)), &err));
		CHECK(!err.code || err.code == OP_ELIMIT);
		op_regex_free(re);
	}
}

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_regex *re = op_regex_new("^(a|b)+$", &err);

		if (re)
			op_regex_matches(re, op_view_z("abab"), &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		CHECK(re || err.code);
		op_regex_free(re);
	}
}

TEST_MAIN(matches, nul_in_text, bad_patterns, hostile_patterns,
	  each_alloc_fails)
