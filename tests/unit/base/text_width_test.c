// SPDX-License-Identifier: Apache-2.0
#include "base/text_width.h"

#include "random.h"
#include "test.h"

TEST(characters)
{
	static const struct {
		uint32_t code, columns;
	} rows[] = {
		{ 'a', 1 },	{ 0xe9, 1 },	{ 0x2ff, 1 },	 { 0x300, 0 },
		{ 0x36f, 0 },	{ 0x370, 1 },	{ 0x10ff, 1 },	 { 0x1100, 2 },
		{ 0x1160, 0 },	{ 0x200b, 0 },	{ 0x2026, 1 },	 { 0x3042, 2 },
		{ 0x4e00, 2 },	{ 0xac00, 2 },	{ 0xff21, 2 },	 { 0xfffd, 1 },
		{ 0x1f600, 2 }, { 0x20000, 2 }, { 0x3fffd, 2 },	 { 0x40000, 1 },
		{ 0xe0100, 0 }, { 0xe01ef, 0 }, { 0x10ffff, 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_char_columns(rows[i].code) != rows[i].columns)
			TEST_FAIL("U+%04X takes %u", rows[i].code,
				  op_char_columns(rows[i].code));
}

TEST(text)
{
	static const uint8_t cut[] = { 'a', 0xe6, 0xbc };

	CHECK_EQ(op_text_columns(op_view_z("")), 0);
	CHECK_EQ(op_text_columns(op_view_z("a\xe6\xbc\xa2")), 3);
	CHECK_EQ(op_text_columns(op_view_z("e\xcc\x81")), 1);
	CHECK_EQ(op_text_columns(op_view(cut, sizeof(cut))), 1);
}

TEST(columns)
{
	static const struct {
		const char *text;
		uint32_t columns;
		const char *utf8, *ascii;
	} rows[] = {
		{ "main", 6, "main  ", "main  " },
		{ "main", 4, "main", "main" },
		{ "main", 3, "mai", "mai" },
		{ "mainly", 5, "mai..", "mai.." },
		{ "", 2, "  ", "  " },
		{ "x", 0, "", "" },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4, "\xe6\x97\xa5\xe6\x9c\xac",
		  "??  " },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 3, "\xe6\x97\xa5 ", "?? " },
		{ "e\xcc\x81t", 2, "e\xcc\x81t", "e?" },
		{ "a\033[2J", 9, "a\\u001b..", "a\\u001b.." },
		{ "a\xff", 3, "a\xef\xbf\xbd ", "a? " },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		op_buf_columns(&b, op_view_z(rows[i].text), rows[i].columns,
			       true);
		op_buf_byte(&b, 0);
		CHECK_STR((char *)b.p, rows[i].utf8);
		b.n = 0;
		op_buf_columns(&b, op_view_z(rows[i].text), rows[i].columns,
			       false);
		op_buf_byte(&b, 0);
		CHECK_STR((char *)b.p, rows[i].ascii);
		op_buf_free(&b);
	}
}

/* Whatever the bytes are, the text has the width that was asked for. */
TEST(any_bytes)
{
	for (uint64_t round = 0; round < 5000; round++) {
		uint64_t r = round;
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };
		uint8_t text[64];
		uint32_t columns = (uint32_t)(random_next(&r) % 40), used;
		size_t n = random_next(&r) % sizeof(text);

		for (size_t i = 0; i < n; i++)
			text[i] = (uint8_t)random_next(&r);
		op_buf_columns(&b, op_view(text, n), columns, round & 1);
		CHECK_EQ(op_text_fit(op_view(b.p, b.n), UINT32_MAX, &used).n,
			 b.n);
		CHECK_EQ(used, columns);
		op_buf_free(&b);
	}
}

TEST_MAIN(characters, text, columns, any_bytes)
