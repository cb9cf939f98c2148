// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include "test.h"

#define BYTES(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })
#define R "\xef\xbf\xbd" /* U+FFFD */

static const struct {
	const char *name;
	struct op_view in;
} valid[] = {
	{ "nothing", BYTES("") },
	{ "ascii", BYTES("plain text, longer than a word of the machine") },
	{ "nul", BYTES("\x00") },
	{ "U+007F", BYTES("\x7f") },
	{ "U+0080", BYTES("\xc2\x80") },
	{ "U+07FF", BYTES("\xdf\xbf") },
	{ "U+0800", BYTES("\xe0\xa0\x80") },
	{ "U+0FFF", BYTES("\xe0\xbf\xbf") },
	{ "U+1000", BYTES("\xe1\x80\x80") },
	{ "U+CFFF", BYTES("\xec\xbf\xbf") },
	{ "U+D7FF, before the surrogates", BYTES("\xed\x9f\xbf") },
	{ "U+E000, behind the surrogates", BYTES("\xee\x80\x80") },
	{ "U+FFFD", BYTES(R) },
	{ "U+FFFF", BYTES("\xef\xbf\xbf") },
	{ "U+10000", BYTES("\xf0\x90\x80\x80") },
	{ "U+3FFFF", BYTES("\xf0\xbf\xbf\xbf") },
	{ "U+40000", BYTES("\xf1\x80\x80\x80") },
	{ "U+10FFFF", BYTES("\xf4\x8f\xbf\xbf") },
	{ "all lengths", BYTES("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z") },
};

TEST(valid_sequences)
{
	for (size_t i = 0; i < op_countof(valid); i++) {
		struct op_view in = valid[i].in;
		uint8_t out[64];
		int before = test_failed;

		CHECK(op_utf8_valid(in));
		CHECK_EQ(op_utf8_prefix(in), in.n);
		CHECK_EQ(op_utf8_fixed_size(in), in.n);
		op_utf8_fix(in, out);
		CHECK(op_view_eq(op_view(out, in.n), in));
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", valid[i].name);
	}
}

TEST(put)
{
	static const struct {
		uint32_t c;
		const char *bytes;
	} rows[] = {
		{ 'z', "z" },
		{ 0x7f, "\x7f" },
		{ 0x80, "\xc2\x80" },
		{ 0x7ff, "\xdf\xbf" },
		{ 0x800, "\xe0\xa0\x80" },
		{ 0xffff, "\xef\xbf\xbf" },
		{ 0x10000, "\xf0\x90\x80\x80" },
		{ 0x10ffff, "\xf4\x8f\xbf\xbf" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		uint8_t out[4];
		size_t n = op_utf8_put(out, rows[i].c);

		CHECK(op_view_eq(op_view(out, n), op_view_z(rows[i].bytes)));
	}
}

/* What the first bad part is, and what the whole becomes: the result of
 * Python's in.decode("utf-8", "replace"). */
static const struct {
	const char *name;
	struct op_view in;
	size_t prefix; /* good bytes before the first bad part */
	size_t bad;    /* its length */
	const char *fixed;
} invalid[] = {
	{ "stray continuation", BYTES("\x80"), 0, 1, R },
	{ "two stray continuations", BYTES("\xbf\xbf"), 0, 1, R R },
	{ "c0 is no lead byte", BYTES("\xc0\x80"), 0, 1, R R },
	{ "c1 is no lead byte", BYTES("\xc1\xbf"), 0, 1, R R },
	{ "lead of 2 cut", BYTES("\xc2"), 0, 1, R },
	{ "lead of 2 then ascii",
	  BYTES("\xc2"
		"A"),
	  0, 1, R "A" },
	{ "lead of 2 then lead", BYTES("\xc2\xc2\xa9"), 0, 1, R "\xc2\xa9" },
	{ "overlong 3 of U+0000", BYTES("\xe0\x80\x80"), 0, 1, R R R },
	{ "overlong 3 of U+07FF", BYTES("\xe0\x9f\xbf"), 0, 1, R R R },
	{ "lead of 3 cut", BYTES("\xe2"), 0, 1, R },
	{ "3 cut behind its second", BYTES("\xe2\x82"), 0, 2, R },
	{ "3 with ascii in third place",
	  BYTES("\xe2\x82"
		"A"),
	  0, 2, R "A" },
	{ "3 with ascii in second place",
	  BYTES("\xe2"
		"A\x82"),
	  0, 1, R "A" R },
	{ "first surrogate", BYTES("\xed\xa0\x80"), 0, 1, R R R },
	{ "last surrogate", BYTES("\xed\xbf\xbf"), 0, 1, R R R },
	{ "surrogate pair", BYTES("\xed\xa0\xbd\xed\xb8\x80"), 0, 1,
	  R R R R R R },
	{ "half a surrogate, cut", BYTES("\xed\xa0"), 0, 1, R R },
	{ "overlong 4 of U+0000", BYTES("\xf0\x80\x80\x80"), 0, 1, R R R R },
	{ "overlong 4 of U+FFFF", BYTES("\xf0\x8f\xbf\xbf"), 0, 1, R R R R },
	{ "lead of 4 cut", BYTES("\xf0"), 0, 1, R },
	{ "4 cut behind its second", BYTES("\xf0\x9f"), 0, 2, R },
	{ "4 cut behind its third", BYTES("\xf0\x9f\x98"), 0, 3, R },
	{ "4 with ascii in fourth place",
	  BYTES("\xf0\x9f\x98"
		"A"),
	  0, 3, R "A" },
	{ "4 with a lead in third place", BYTES("\xf0\x9f\xc3\xa9"), 0, 2,
	  R "\xc3\xa9" },
	{ "U+110000", BYTES("\xf4\x90\x80\x80"), 0, 1, R R R R },
	{ "f5 is no lead byte", BYTES("\xf5\x80\x80\x80"), 0, 1, R R R R },
	{ "five-byte form", BYTES("\xf8\x88\x80\x80\x80"), 0, 1, R R R R R },
	{ "six-byte form", BYTES("\xfc\x84\x80\x80\x80\x80"), 0, 1,
	  R R R R R R },
	{ "fe and ff", BYTES("\xfe\xff"), 0, 1, R R },
	{ "bad between good",
	  BYTES("a\xff"
		"b"),
	  1, 1, "a" R "b" },
	{ "bad behind good of 2", BYTES("\xc3\xa9\xff"), 2, 1, "\xc3\xa9" R },
	{ "bad before good of 4", BYTES("\xff\xf0\x9f\x98\x80"), 0, 1,
	  R "\xf0\x9f\x98\x80" },
	{ "latin 1", BYTES("caf\xe9 au lait"), 3, 1, "caf" R " au lait" },
	{ "unicode's own example",
	  BYTES("a\xf1\x80\x80\xe1\x80\xc2"
		"b\x80"
		"c\x80\xbf"
		"d"),
	  1, 3, "a" R R R "b" R "c" R R "d" },
	{ "non-shortest forms",
	  BYTES("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
		"A"),
	  0, 1, R R R R R R R R "A" },
	{ "ill-formed surrogates",
	  BYTES("\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
		"A"),
	  0, 1, R R R R R R R R "A" },
	{ "other ill-formed",
	  BYTES("\xf4\x91\x92\x93\xff"
		"A\x80\xbf"
		"B"),
	  0, 1, R R R R R "A" R R "B" },
	{ "truncated sequences",
	  BYTES("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
		"A"),
	  0, 2, R R R R "A" },
};

TEST(invalid_sequences)
{
	for (size_t i = 0; i < op_countof(invalid); i++) {
		struct op_view in = invalid[i].in;
		size_t prefix = op_utf8_prefix(in);
		size_t n = op_utf8_fixed_size(in);
		uint8_t out[64] = { 0 };
		int before = test_failed;

		CHECK(!op_utf8_valid(in));
		CHECK_EQ(prefix, invalid[i].prefix);
		CHECK_EQ(op_utf8_bad(op_view(in.p + prefix, in.n - prefix)),
			 invalid[i].bad);
		CHECK_EQ(n, strlen(invalid[i].fixed));
		op_utf8_fix(in, out);
		CHECK(op_view_is(op_view(out, n), invalid[i].fixed));
		CHECK(op_utf8_valid(op_view(out, n)));
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", invalid[i].name);
	}
}

/* The bytes at the ends of all ranges that the format has. */
static const uint8_t edges[] = {
	0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
	0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
	0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff,
};

/* Every sequence of four such bytes, replaced and added up by FNV-1a, against
 * the same in Python:
 *
 *	h = 0xcbf29ce484222325
 *	for q in itertools.product(edges, repeat=4):
 *	    for c in bytes(q).decode("utf-8", "replace").encode():
 *	        h = (h ^ c) * 0x100000001b3 % 2**64
 */
TEST(all_edges)
{
	const size_t nr = op_countof(edges);
	uint64_t h = 0xcbf29ce484222325u;
	size_t invalid_out = 0;

	for (size_t i = 0; i < nr * nr * nr * nr; i++) {
		uint8_t in[4] = { edges[i / nr / nr / nr],
				  edges[i / nr / nr % nr], edges[i / nr % nr],
				  edges[i % nr] };
		size_t n = op_utf8_fixed_size(op_view(in, 4));
		uint8_t out[12];

		if (n > sizeof(out)) {
			TEST_FAIL("%zu bytes out of four", n);
			return;
		}
		op_utf8_fix(op_view(in, 4), out);
		invalid_out += !op_utf8_valid(op_view(out, n));
		for (size_t k = 0; k < n; k++)
			h = (h ^ out[k]) * 0x100000001b3u;
	}
	CHECK(h == 0x60a0063e490dad79u);
	CHECK_EQ(invalid_out, 0);
}

static size_t encode(uint32_t c, uint8_t *p)
{
	if (c < 0x80) {
		p[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (uint8_t)(0xc0 | c >> 6);
		p[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (uint8_t)(0xe0 | c >> 12);
		p[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		p[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	p[0] = (uint8_t)(0xf0 | c >> 18);
	p[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	p[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	p[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

/* A number is a character up to U+10FFFF, but for the surrogates; cut short
 * none is. */
TEST(every_code_point)
{
	size_t wrong = 0;

	for (uint32_t c = 0; c < 0x150000; c++) {
		bool is = c < 0xd800 || (c > 0xdfff && c <= 0x10ffff);
		uint8_t p[4];
		size_t n = encode(c, p);

		wrong += op_utf8_valid(op_view(p, n)) != is;
		wrong += n > 1 && op_utf8_valid(op_view(p, n - 1));
	}
	CHECK_EQ(wrong, 0);
}

/* Text is looked at eight bytes at a time; a bad byte is found at any place
 * of any such word. */
TEST(bad_byte_anywhere)
{
	uint8_t text[40], out[80];

	for (size_t n = 1; n <= sizeof(text); n++) {
		for (size_t at = 0; at < n; at++) {
			memset(text, 'x', n);
			text[at] = 0xff;
			CHECK_EQ(op_utf8_prefix(op_view(text, n)), at);
			CHECK_EQ(op_utf8_fixed_size(op_view(text, n)), n + 2);
			op_utf8_fix(op_view(text, n), out);
			CHECK(!memcmp(out + at, R, 3));
			CHECK(op_utf8_valid(op_view(out, n + 2)));
		}
	}
}

TEST(null_view)
{
	struct op_view none = { 0 };

	CHECK(op_utf8_valid(none));
	CHECK_EQ(op_utf8_fixed_size(none), 0);
	op_utf8_fix(none, NULL);
}

TEST_MAIN(valid_sequences, put, invalid_sequences, all_edges, every_code_point,
	  bad_byte_anywhere, null_view)
