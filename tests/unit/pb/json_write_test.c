// SPDX-License-Identifier: Apache-2.0
#include "pb/json_write.h"

#include <inttypes.h>
#include <math.h>

#include "test.h"

static struct op_err err;
static struct op_buf out = { .err = &err };

static bool is(const char *want)
{
	bool same = op_view_is(op_view(out.p, out.n), want);

	if (!same)
		fprintf(stderr, "  it is %.*s\n", (int)out.n, (char *)out.p);
	out.n = 0;
	return same;
}

/* The same calls, compact and pretty. */
static void example(struct op_json *w)
{
	static const uint32_t ids[] = { 1, 20, 300 };
	static const int64_t values[] = { -1, 5 };

	op_json_open(w, '{');
	op_json_key(w, "a");
	op_json_uint(w, 1);
	op_json_key_view(w, op_view_z("b\n"));
	op_json_open(w, '[');
	op_json_null(w);
	op_json_open(w, '{');
	op_json_close(w, '}');
	op_json_open(w, '[');
	op_json_close(w, ']');
	op_json_bool(w, true);
	op_json_close(w, ']');
	op_json_key(w, "c");
	op_json_ids(w, ids, 3);
	op_json_key(w, "d");
	op_json_int_texts(w, values, 2);
	op_json_key(w, "e");
	op_json_uint_texts(w, NULL, 0);
	op_json_close(w, '}');
}

TEST(shape)
{
	struct op_json w = { .out = &out };

	example(&w);
	CHECK(is("{\"a\":1,\"b\\u000a\":[null,{},[],true],\"c\":[1,20,300],"
		 "\"d\":[\"-1\",\"5\"],\"e\":[]}"));
	w = (struct op_json){ .out = &out, .pretty = true };
	example(&w);
	CHECK(is("{\n  \"a\": 1,\n  \"b\\u000a\": [\n    null,\n    {},\n"
		 "    [],\n    true\n  ],\n  \"c\": [1, 20, 300],\n"
		 "  \"d\": [\"-1\", \"5\"],\n  \"e\": []\n}"));
	/* Values at the top are not joined by commas. */
	w = (struct op_json){ .out = &out };
	op_json_uint(&w, 1);
	op_json_uint(&w, 2);
	CHECK(is("12"));
}

/* Around every power of two and of ten. */
static void number(uint64_t v)
{
	struct op_json w = { .out = &out };
	char want[64];

	snprintf(want, sizeof(want), "%" PRIu64, v);
	op_json_uint(&w, v);
	CHECK(is(want));
	snprintf(want, sizeof(want), "%" PRId64, (int64_t)v);
	op_json_int(&w, (int64_t)v);
	CHECK(is(want));
	snprintf(want, sizeof(want), "\"%" PRIu64 "\"", v);
	op_json_uint_text(&w, v);
	CHECK(is(want));
	snprintf(want, sizeof(want), "\"%" PRId64 "\"", (int64_t)v);
	op_json_int_text(&w, (int64_t)v);
	CHECK(is(want));
}

TEST(integers)
{
	uint64_t p = 1;

	for (int i = 0; i < 64; i++) {
		uint64_t v = UINT64_C(1) << i;

		number(v - 1);
		number(v);
		number(v + 1);
		number(-v);
	}
	for (int i = 0; i < 20; i++, p *= 10) {
		number(p - 1);
		number(p);
		number(p * 9);
		number(-p);
	}
	/* Each pair and four of digits. */
	for (uint32_t i = 0; i < 10000; i++) {
		char want[16];

		snprintf(want, sizeof(want), "%u", i * 10001);
		op_json_uint(&(struct op_json){ .out = &out }, i * 10001);
		CHECK(is(want));
	}
}

static const struct {
	const char *text, *quoted;
} strings[] = {
	{ "", "\"\"" },
	{ "plain text of several words", "\"plain text of several words\"" },
	{ "a\"b\\c/", "\"a\\\"b\\\\c/\"" },
	{ "\x01\x1f\x7f\n", "\"\\u0001\\u001f\\u007f\\u000a\"" },
	{ "s\xc3\xbc\xc3\x9f \xf0\x9f\x94\xa5", "\"s\xc3\xbc\xc3\x9f "
						"\xf0\x9f\x94\xa5\"" },
	{ "\xff.", "\"\xef\xbf\xbd.\"" },
	{ "12345678\xc3", "\"12345678\xef\xbf\xbd\"" },
	{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
};

TEST(strings_rows)
{
	for (size_t i = 0; i < op_countof(strings); i++) {
		struct op_json w = { .out = &out };

		op_json_z(&w, strings[i].text);
		CHECK(is(strings[i].quoted));
	}
}

/* An escape at each place of a word. */
TEST(escape_places)
{
	char text[32], want[48];

	for (size_t n = 0; n < 20; n++) {
		memset(text, 'x', n);
		snprintf(text + n, sizeof(text) - n, "\"tail of it");
		snprintf(want, sizeof(want), "\"%.*s\\\"tail of it\"", (int)n,
			 text);
		op_quote(&out, op_view_z(text));
		CHECK(is(want));
	}
}

TEST(bytes)
{
	static const char *const rows[] = { "\"\"", "\"Zg==\"", "\"Zm8=\"",
					    "\"Zm9v\"", "\"Zm9vYg==\"" };
	struct op_json w = { .out = &out };

	for (size_t i = 0; i < op_countof(rows); i++) {
		op_json_base64(&w, op_view("foob", i));
		CHECK(is(rows[i]));
	}
	op_json_hex(&w, op_view("\x00\xff\x1a", 3));
	CHECK(is("\"00ff1a\""));
}

TEST(doubles)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = {
		{ 0, "0.0" },
		{ -0.0, "-0.0" },
		{ 0.1, "0.1" },
		{ 1e300, "1e+300" },
		{ NAN, "\"NaN\"" },
		{ INFINITY, "\"Infinity\"" },
		{ -INFINITY, "\"-Infinity\"" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		op_json_double(&(struct op_json){ .out = &out }, rows[i].v);
		CHECK(is(rows[i].text));
	}
}

/* --- a buffer that is emptied when it is full --- */

struct spilling {
	struct op_json json; /* first */
	struct op_buf all;
	size_t largest;
};

static void spill(struct op_json *w)
{
	struct spilling *s = (struct spilling *)w;

	if (w->out->cap > s->largest)
		s->largest = w->out->cap;
	op_buf_view(&s->all, op_view(w->out->p, w->out->n));
	w->out->n = 0;
}

static void much(struct op_json *w)
{
	static uint32_t ids[5000];
	static uint8_t bytes[100000];

	op_json_open(w, '[');
	for (uint32_t i = 0; i < op_countof(ids); i++) {
		ids[i] = i * 977;
		op_json_z(w, "some \"text\"");
	}
	op_json_ids(w, ids, op_countof(ids));
	op_json_base64(w, op_view(bytes, sizeof(bytes)));
	op_json_close(w, ']');
}

TEST(spilling)
{
	struct spilling s = { .all.err = &err };
	struct op_buf small = { .err = &err };

	much(&(struct op_json){ .out = &out });
	s.json = (struct op_json){ .out = &small, .spill = spill };
	op_buf_reserve(&small, 20000);
	much(&s.json);
	spill(&s.json);
	CHECK(op_view_eq(op_view(out.p, out.n), op_view(s.all.p, s.all.n)));
	CHECK(s.largest < 40000);
	out.n = 0;
	op_buf_free(&small);
	op_buf_free(&s.all);
}

TEST(allocation_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err mine = { 0 };
		struct op_buf b = { .err = &mine };

		much(&(struct op_json){ .out = &b });
		CHECK_EQ(mine.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_buf_free(&b);
	}
	op_buf_free(&out);
}

TEST_MAIN(shape, integers, strings_rows, escape_places, bytes, doubles,
	  spilling, allocation_fails)
