// SPDX-License-Identifier: Apache-2.0
#include "base/utf16.h"

#include "test.h"

#define BYTES(text)                    \
	{                              \
		text, sizeof(text) - 1 \
	}

static const struct {
	const char *name;
	bool big_endian;
	struct {
		const char *p;
		size_t n;
	} in;
	const char *out; /* NULL: refused */
} rows[] = {
	{ "nothing", false, BYTES(""), "" },
	{ "ASCII", false, BYTES("a\0;\0b\0"), "a;b" },
	{ "big end first", true, BYTES("\0a\0;\0b"), "a;b" },
	{ "two bytes", false, BYTES("\xe9\0"), "\xc3\xa9" },
	{ "three bytes", false, BYTES("\xac\x20"), "\xe2\x82\xac" },
	{ "a pair", false, BYTES("\x3d\xd8\x25\xdd"), "\xf0\x9f\x94\xa5" },
	{ "a high half alone", false, BYTES("\x3d\xd8\x61\0"),
	  "\xef\xbf\xbd"
	  "a" },
	{ "at the end", false, BYTES("\x3d\xd8"), "\xef\xbf\xbd" },
	{ "a low half alone", false, BYTES("\x25\xdd"), "\xef\xbf\xbd" },
	{ "half a character", false, BYTES("a\0b"), NULL },
};

TEST(decode)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		op_utf16_decode(op_view(rows[i].in.p, rows[i].in.n),
				rows[i].big_endian, &out);
		op_buf_byte(&out, 0);
		if (!rows[i].out)
			CHECK_EQ(err.code, OP_EFORMAT);
		else if (err.code || strcmp((char *)out.p, rows[i].out))
			TEST_FAIL("%s", rows[i].name);
		op_buf_free(&out);
	}
}

/* No more than it may take. */
TEST(limit)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err, .limit = 2 };

	CHECK_EQ(op_utf16_decode(op_view("a\0b\0c\0", 6), false, &out),
		 OP_ELIMIT);
	op_buf_free(&out);
}

TEST_MAIN(decode, limit)
