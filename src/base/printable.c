// SPDX-License-Identifier: Apache-2.0
/* base/printable.c: escapes what a terminal would act on. */
#include "base/printable.h"

#include "base/utf8.h"

static bool is_control(uint8_t c)
{
	return c < ' ' || c == 0x7f;
}

/* The character at v, which is valid and takes two or three bytes. */
static uint32_t code_of(struct op_view v)
{
	if (*v.p < 0xe0)
		return (v.p[0] & 0x1fu) << 6 | (v.p[1] & 0x3fu);
	return (v.p[0] & 0xfu) << 12 | (v.p[1] & 0x3fu) << 6 | (v.p[2] & 0x3fu);
}

static bool is_obeyed(uint32_t code)
{
	return code < 0xa0 || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

static size_t length_of(uint8_t first)
{
	return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t op_unprintable(struct op_view v)
{
	size_t n = length_of(*v.p);

	if (n == 1)
		return is_control(*v.p);
	if (n > v.n || !op_utf8_valid(op_view(v.p, n)))
		return op_utf8_bad(v);
	return n < 4 && is_obeyed(code_of(v)) ? n : 0;
}

/* How many bytes at the start are to stay. */
static size_t plain_run(struct op_view v, const char *keep)
{
	size_t i = 0;

	while (i < v.n) {
		uint8_t c = v.p[i];

		if (c >= 0x80) {
			if (op_unprintable(op_view(v.p + i, v.n - i)))
				break;
			i += length_of(c);
		} else {
			if (is_control(c) && (!c || !strchr(keep, c)))
				break;
			i++;
		}
	}
	return i;
}

void op_buf_printable(struct op_buf *out, struct op_view v, const char *keep)
{
	while (v.n && !out->err->code) {
		size_t n = plain_run(v, keep);

		op_buf_view(out, op_view(v.p, n));
		v = op_view(v.p + n, v.n - n);
		if (!v.n)
			break;
		n = op_unprintable(v);
		if (*v.p < 0x80)
			op_buf_printf(out, "\\u%04x", *v.p);
		else if (op_utf8_valid(op_view(v.p, n)))
			op_buf_printf(out, "\\u%04x", code_of(v));
		else
			op_buf_z(out, "\xef\xbf\xbd");
		v = op_view(v.p + n, v.n - n);
	}
}

void op_make_printable(char *s, const char *keep)
{
	struct op_view v = op_view_z(s);
	char *to = s;

	while (v.n) {
		size_t n = plain_run(v, keep);

		memmove(to, v.p, n);
		to += n;
		v = op_view(v.p + n, v.n - n);
		if (!v.n)
			break;
		n = op_unprintable(v);
		*to++ = '?';
		v = op_view(v.p + n, v.n - n);
	}
	*to = 0;
}
