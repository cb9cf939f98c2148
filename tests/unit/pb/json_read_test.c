// SPDX-License-Identifier: Apache-2.0
#include "pb/json_read.h"

#include <stdlib.h>

#include "test.h"

/* A copy that ends where the text ends, so that ASan sees a byte too far. */
static struct op_view copy_of(const char *text, size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	if (!p)
		abort();
	memcpy(p, text, n);
	return op_view(p, n);
}

static void copy_free(struct op_view v)
{
	free((void *)v.p);
}

/* Any value, with nothing behind it. */
static int value(struct op_view v, struct op_err *err)
{
	struct op_json_in in = op_json_in(v, err);

	op_json_skip(&in);
	if (op_json_peek(&in) || in.p < in.end)
		op_json_bad(&in, in.p, "something follows");
	return err->code;
}

static const char *const good[] = {
	"0",
	"-0",
	"10",
	"1234567890123456789012345678901234567890",
	"0.5",
	"-1.25e+3",
	"1E400",
	"1e-0",
	"true",
	"false",
	"null",
	"\"\"",
	"\"abc\"",
	"\"a longer text, of more than one word\"",
	"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fc\\uD83D\\udd25\"",
	"\"\x7f\xc3\xbc\xff\"", /* DEL is no control character; UTF-8 is free */
	"[]",
	"[ ]",
	"{}",
	" { } ",
	"\t\r\n [1 , 2\n]",
	"[[],[[]],{}]",
	"{\"a\":1}",
	"{\"a\" : [ {\"b\":{}} , null ] , \"a\":2}",
	"[\"]\",\"}\",\"\\\"\"]",
};

TEST(good_texts)
{
	for (size_t i = 0; i < op_countof(good); i++) {
		struct op_err err = { 0 };
		struct op_view v = copy_of(good[i], strlen(good[i]));

		if (value(v, &err))
			TEST_FAIL("%.40s: %.80s at %d", good[i], err.text,
				  (int)err.at);
		copy_free(v);
	}
}

static const struct {
	const char *text;
	unsigned int at;
	const char *why;
} bad[] = {
	{ "", 0, "is truncated" },
	{ "  ", 2, "is truncated" },
	{ "x", 0, "expected a value" },
	{ "nul", 0, "expected a value" },
	{ "True", 0, "expected a value" },
	{ "nullx", 4, "something follows" },
	{ "'a'", 0, "expected a value" },
	{ "\x01", 0, "expected a value" },
	{ "1 2", 2, "something follows" },
	/* numbers */
	{ "-", 1, "is truncated" },
	{ "-x", 1, "not a number" },
	{ "+1", 0, "expected a value" },
	{ ".5", 0, "expected a value" },
	{ "01", 0, "not a number" },
	{ "-012", 1, "not a number" },
	{ "1.", 2, "is truncated" },
	{ "1.x", 2, "not a number" },
	{ "1e", 2, "is truncated" },
	{ "1e+]", 3, "not a number" },
	{ "0x10", 1, "something follows" },
	{ "NaN", 0, "expected a value" },
	{ "Infinity", 0, "expected a value" },
	/* strings */
	{ "\"", 1, "is truncated" },
	{ "\"abc", 4, "is truncated" },
	{ "\"0123456789abcdef", 17, "is truncated" },
	{ "\"a\\", 2, "invalid escape" },
	{ "\"a\\x\"", 2, "invalid escape" },
	{ "\"\\u12\"", 1, "invalid escape" },
	{ "\"\\u12g4\"", 1, "invalid escape" },
	{ "\"\\u123", 1, "invalid escape" },
	{ "\"a\nb\"", 2, "control character" },
	{ "\"0123456789\t\"", 11, "control character" },
	{ "\"0123\x1f 6789\"", 5, "control character" },
	/* arrays */
	{ "[", 1, "is truncated" },
	{ "[1", 2, "is truncated" },
	{ "[1,", 3, "is truncated" },
	{ "[1,]", 3, "expected a value" },
	{ "[,1]", 1, "expected a value" },
	{ "[1 2]", 3, "expected ',' or ']'" },
	{ "[[] []]", 4, "expected ',' or ']'" },
	{ "[1}", 2, "expected ',' or ']'" },
	{ "[1]]", 3, "something follows" },
	/* objects */
	{ "{", 1, "is truncated" },
	{ "{\"a\"", 4, "is truncated" },
	{ "{\"a\":", 5, "is truncated" },
	{ "{\"a\":1", 6, "is truncated" },
	{ "{\"a\":1,", 7, "is truncated" },
	{ "{\"a\":1,}", 7, "expected a string" },
	{ "{a:1}", 1, "expected a string" },
	{ "{1:1}", 1, "expected a string" },
	{ "{\"a\" 1}", 5, "expected ':'" },
	{ "{\"a\":}", 5, "expected a value" },
	{ "{\"a\":1 \"b\":2}", 7, "expected ',' or '}'" },
	{ "{\"a\":{} \"b\":2}", 8, "expected ',' or '}'" },
	{ "{\"a\":1]", 6, "expected ',' or '}'" },
};

TEST(bad_texts)
{
	for (size_t i = 0; i < op_countof(bad); i++) {
		int before = test_failed;
		struct op_err err = { 0 };
		struct op_view v = copy_of(bad[i].text, strlen(bad[i].text));

		CHECK_EQ(value(v, &err), OP_EFORMAT);
		CHECK(err.has_at);
		CHECK_EQ(err.at, bad[i].at);
		CHECK(strstr(err.text, bad[i].why));
		if (test_failed != before)
			fprintf(stderr, "  of %s: %s\n", bad[i].text, err.text);
		copy_free(v);
	}
}

/* A zero byte is not the end. */
TEST(zero_bytes)
{
	static const struct {
		const char *text;
		size_t n, at;
	} rows[] = {
		{ "\0", 1, 0 },	   { "1\0", 2, 1 },    { "[\0]", 3, 1 },
		{ "[1\0]", 4, 2 }, { "\"\0\"", 3, 1 }, { "\"\\\0\"", 4, 1 },
		{ "{\0}", 3, 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_view v = copy_of(rows[i].text, rows[i].n);

		CHECK_EQ(value(v, &err), OP_EFORMAT);
		CHECK_EQ(err.at, rows[i].at);
		copy_free(v);
	}
}

TEST(depth)
{
	static char text[2 * OP_JSON_DEPTH + 2];
	struct op_err err = { 0 };

	memset(text, '[', OP_JSON_DEPTH);
	memset(text + OP_JSON_DEPTH, ']', OP_JSON_DEPTH);
	CHECK_EQ(value(op_view(text, 2 * OP_JSON_DEPTH), &err), OP_OK);
	memset(text, '[', OP_JSON_DEPTH + 1);
	memset(text + OP_JSON_DEPTH + 1, ']', OP_JSON_DEPTH + 1);
	CHECK_EQ(value(op_view(text, 2 * OP_JSON_DEPTH + 2), &err), OP_ELIMIT);
	CHECK_EQ(err.at, OP_JSON_DEPTH);
}

/* Strings as they stand, and what their escapes say. */
static const struct {
	const char *text, *raw, *plain; /* plain NULL: it has no escapes */
} strings[] = {
	{ "\"\"", "", NULL },
	{ "\"a\"", "a", NULL },
	{ "\"twelve chars\"", "twelve chars", NULL },
	{ "\"a\\nb\"", "a\\nb", "a\nb" },
	{ "\"\\b\\f\\n\\r\\t\\/\\\\\\\"\"", "\\b\\f\\n\\r\\t\\/\\\\\\\"",
	  "\b\f\n\r\t/\\\"" },
	{ "\"\\u0041\"", "\\u0041", "A" },
	{ "\"\\u00fC\"", "\\u00fC", "\xc3\xbc" },
	{ "\"\\u20ac.\"", "\\u20ac.", "\xe2\x82\xac." },
	{ "\"\\ud83d\\udd25\"", "\\ud83d\\udd25", "\xf0\x9f\x94\xa5" },
	{ "\"\\uD800\\uDC00\"", "\\uD800\\uDC00", "\xf0\x90\x80\x80" },
	{ "\"\\uDBFF\\uDFFF\"", "\\uDBFF\\uDFFF", "\xf4\x8f\xbf\xbf" },
	/* halves of pairs */
	{ "\"\\ud83d\"", "\\ud83d", "\xef\xbf\xbd" },
	{ "\"\\ud83dx\"", "\\ud83dx", "\xef\xbf\xbdx" },
	{ "\"\\udd25\"", "\\udd25", "\xef\xbf\xbd" },
	{ "\"\\ud83d\\n\"", "\\ud83d\\n", "\xef\xbf\xbd\n" },
	{ "\"\\ud83d\\u0041\"", "\\ud83d\\u0041",
	  "\xef\xbf\xbd"
	  "A" },
	{ "\"\\ud83d\\ud83d\\udd25\"", "\\ud83d\\ud83d\\udd25",
	  "\xef\xbf\xbd\xf0\x9f\x94\xa5" },
};

TEST(string_rows)
{
	for (size_t i = 0; i < op_countof(strings); i++) {
		struct op_err err = { 0 };
		struct op_view v = copy_of(strings[i].text,
					   strlen(strings[i].text));
		struct op_json_in in = op_json_in(v, &err);
		struct op_json_text s = op_json_extract_string(&in);
		uint8_t out[64];

		CHECK_EQ(err.code, OP_OK);
		CHECK(op_view_is(s.raw, strings[i].raw));
		CHECK_EQ(s.escaped, strings[i].plain != NULL);
		CHECK(in.p == in.end);
		if (strings[i].plain) {
			size_t n = op_json_unescape(s.raw, out);

			CHECK(op_view_is(op_view(out, n), strings[i].plain));
		}
		copy_free(v);
	}
}

/* A stop at each place of a word, and at each distance from the end. */
TEST(string_stops)
{
	char text[40];

	for (size_t n = 0; n < 30; n++) {
		struct op_err err = { 0 };
		struct op_json_in in;
		struct op_view v;

		memset(text, 'x', sizeof(text));
		text[0] = text[n + 1] = '"';
		v = copy_of(text, n + 2);
		in = op_json_in(v, &err);
		CHECK_EQ(op_json_extract_string(&in).raw.n, n);
		copy_free(v);
		in = op_json_in(op_view(text, sizeof(text)), &err);
		CHECK_EQ(op_json_extract_string(&in).raw.n, n);
	}
}

/* The loop of the header's example, over members and elements. */
TEST(walk)
{
	const char *text = "{\"a\": [1, -2.5e3 ,\"x\"], \"b\" :null}";
	struct op_err err = { 0 };
	struct op_json_in in = op_json_in(op_view_z(text), &err);
	bool first = true, first_element = true;

	op_json_take(&in, '{', "expected an object");
	CHECK(op_json_more(&in, '}', &first));
	CHECK(op_view_is(op_json_extract_key(&in).raw, "a"));
	op_json_take(&in, '[', "an array expected");
	CHECK(op_json_more(&in, ']', &first_element));
	CHECK(op_view_is(op_json_extract_number(&in), "1"));
	CHECK(op_json_more(&in, ']', &first_element));
	CHECK(op_view_is(op_json_extract_number(&in), "-2.5e3"));
	CHECK(op_json_more(&in, ']', &first_element));
	CHECK(op_view_is(op_json_extract_string(&in).raw, "x"));
	CHECK(!op_json_more(&in, ']', &first_element));
	CHECK(op_json_more(&in, '}', &first));
	CHECK(op_view_is(op_json_extract_key(&in).raw, "b"));
	op_json_peek(&in);
	CHECK(!op_json_extract_word(&in, "true"));
	CHECK(op_json_extract_word(&in, "null"));
	CHECK(!op_json_more(&in, '}', &first));
	CHECK(in.p == in.end);
	CHECK_EQ(err.code, OP_OK);
	/* Behind the end everything fails and stays quiet. */
	op_json_take(&in, '{', "expected an object");
	CHECK_EQ(err.at, strlen(text));
	CHECK_EQ(op_json_extract_key(&in).raw.n, 0);
	CHECK_EQ(op_json_extract_number(&in).n, 0);
	op_json_skip(&in);
	CHECK_EQ(err.at, strlen(text));
}

TEST_MAIN(good_texts, bad_texts, zero_bytes, depth, string_rows, string_stops,
	  walk)
