// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include "base/utf8.h"
#include "test.h"

static const struct {
	const char *name, *in, *escaped, *replaced;
} rows[] = {
	{ "nothing", "", "", "" },
	{ "plain", "main(int)", "main(int)", "main(int)" },
	{ "lines and tabs stay", "a\n\tb", "a\n\tb", "a\n\tb" },
	{ "escape", "\033[31mred", "\\u001b[31mred", "?[31mred" },
	{ "bell and return", "a\a\rb", "a\\u0007\\u000db", "a??b" },
	{ "del", "a\177", "a\\u007f", "a?" },
	{ "C1 in UTF-8", "\xc2\x9b\x33\x31m", "\\u009b31m", "?31m" },
	{ "first and last C1", "\xc2\x80\xc2\x9f", "\\u0080\\u009f", "??" },
	{ "what follows C1", "\xc2\xa0\xc2\xb5", "\xc2\xa0\xc2\xb5",
	  "\xc2\xa0\xc2\xb5" },
	{ "C1 as a byte", "\x9b\x33\x31m", "\xef\xbf\xbd\x33\x31m", "?31m" },
	{ "cut UTF-8", "a\xe2\x80", "a\xef\xbf\xbd", "a?" },
	{ "overlong escape", "\xc0\x9b", "\xef\xbf\xbd\xef\xbf\xbd", "??" },
	{ "embedding", "\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac",
	  "\\u202a\\u202b\\u202c", "???" },
	{ "override",
	  "a\xe2\x80\xad\xe2\x80\xae"
	  "b",
	  "a\\u202d\\u202eb", "a??b" },
	{ "isolates", "\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9",
	  "\\u2066\\u2067\\u2068\\u2069", "????" },
	{ "beside them", "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
	  "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
	  "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa" },
	{ "other letters", "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80",
	  "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80",
	  "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80" },
	{ "many in a row", "\033\033\033]0;x\a!",
	  "\\u001b\\u001b\\u001b]0;x"
	  "\\u0007!",
	  "???]0;x?!" },
};

TEST(forms)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		int before = test_failed;
		char text[64];

		op_buf_printable(&out, op_view_z(rows[i].in), "\n\t");
		op_buf_byte(&out, 0);
		CHECK_STR((const char *)out.p, rows[i].escaped);
		op_buf_free(&out);
		snprintf(text, sizeof(text), "%s", rows[i].in);
		op_make_printable(text, "\n\t");
		CHECK_STR(text, rows[i].replaced);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

/* On one line nothing stays, and a NUL is never kept. */
TEST(one_line)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	char text[] = "a\n\tb";

	op_make_printable(text, "");
	CHECK_STR(text, "a??b");
	op_buf_printable(&out, op_view("a\0\n", 3), "\n");
	CHECK(op_view_is(op_view(out.p, out.n), "a\\u0000\n"));
	op_buf_free(&out);
}

/* Two bytes of every kind: what comes out is printable. */
TEST(every_pair)
{
	for (unsigned int i = 0; i < 0x10000; i++) {
		const uint8_t in[] = { (uint8_t)(i >> 8), (uint8_t)i };
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_view v;

		op_buf_printable(&out, op_view(in, 2), "");
		v = op_view(out.p, out.n);
		CHECK(op_utf8_valid(v));
		for (; v.n; v = op_view(v.p + 1, v.n - 1))
			CHECK((*v.p & 0xc0) == 0x80 || !op_unprintable(v));
		op_buf_free(&out);
	}
}

TEST_MAIN(forms, one_line, every_pair)
