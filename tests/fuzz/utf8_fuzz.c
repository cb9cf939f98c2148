// SPDX-License-Identifier: Apache-2.0
/* Any bytes as text: what op_utf8_fix() makes of them is UTF-8, fixing it
 * again changes nothing, and what was UTF-8 stays as it is. A second decoder
 * says what UTF-8 is. A quoted string, unquoted, is the fixed one. */
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz/prop.h"
#include "pb/json_write.h"

/* The code point at p and its length, by arithmetic; 0 if there is none. */
static size_t decode(const uint8_t *p, size_t n, uint32_t *out)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80	   ? 1 :
		     (p[0] & 0xe0) == 0xc0 ? 2 :
		     (p[0] & 0xf0) == 0xe0 ? 3 :
		     (p[0] & 0xf8) == 0xf0 ? 4 :
					     0;
	uint32_t v;

	if (!len || len > n)
		return 0;
	v = len == 1 ? p[0] : p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 0;
	*out = v;
	return len;
}

static size_t naive_prefix(struct op_view v)
{
	size_t at = 0;

	while (at < v.n) {
		uint32_t c;
		size_t len = decode(v.p + at, v.n - at, &c);

		if (!len)
			break;
		at += len;
	}
	return at;
}

static uint32_t hex(const uint8_t *p)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef";
		const char *d = strchr(digits, p[i]);

		PROP(d && p[i]);
		v = v << 4 | (uint32_t)(d - digits);
	}
	return v;
}

/* Undoes op_quote(), as a JSON reader would, for code points below 0x80: no
 * other needs an escape. */
static size_t unquote(struct op_view q, uint8_t *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	size_t n = 0, i = 1;

	PROP(q.n >= 2 && q.p[0] == '"' && q.p[q.n - 1] == '"');
	while (i < q.n - 1) {
		const char *e;
		uint8_t c = q.p[i++];

		PROP(c >= 0x20 && c != '"');
		if (c != '\\') {
			out[n++] = c;
			continue;
		}
		c = q.p[i++];
		PROP(i < q.n);
		if (c == 'u') {
			PROP(q.n - i > 4 && hex(q.p + i) < 0x80);
			out[n++] = (uint8_t)hex(q.p + i);
			i += 4;
			continue;
		}
		e = strchr(from, c);
		PROP(c && e);
		out[n++] = (uint8_t)to[e - from];
	}
	PROP(i == q.n - 1);
	return n;
}

static void check_quote(struct op_view in, struct op_view fixed)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	uint8_t *back;

	op_quote(&out, in);
	PROP(!err.code);
	PROP(op_utf8_valid(op_view(out.p, out.n)));
	back = malloc(out.n);
	if (back) {
		size_t n = unquote(op_view(out.p, out.n), back);

		PROP(op_view_eq(op_view(back, n), fixed));
	}
	free(back);
	op_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_view in = op_view(data, n);
	size_t size = op_utf8_fixed_size(in);
	uint8_t *fixed = malloc(size + 1);
	uint8_t *again = malloc(size + 1);

	if (fixed && again) {
		struct op_view out = op_view(fixed, size);

		PROP(op_utf8_prefix(in) == naive_prefix(in));
		op_utf8_fix(in, fixed);
		PROP(naive_prefix(out) == size);
		PROP(op_utf8_valid(out));
		PROP(op_utf8_fixed_size(out) == size);
		op_utf8_fix(out, again);
		PROP(op_view_eq(out, op_view(again, size)));
		PROP(!op_utf8_valid(in) || op_view_eq(in, out));
		check_quote(in, out);
	}
	free(again);
	free(fixed);
	return 0;
}
