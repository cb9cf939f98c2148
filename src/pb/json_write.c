// SPDX-License-Identifier: Apache-2.0
#include "pb/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

static void new_line(struct op_json *w)
{
	if (!w->pretty)
		return;
	op_buf_byte(w->out, '\n');
	for (int i = 0; i < w->depth; i++)
		op_buf_z(w->out, "  ");
}

/* What stands before a value or a key. */
static void before(struct op_json *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (!w->depth)
		return;
	if (!w->first)
		op_buf_byte(w->out, ',');
	w->first = false;
	new_line(w);
}

void op_json_open(struct op_json *w, char bracket)
{
	before(w);
	op_buf_byte(w->out, bracket);
	w->depth++;
	w->first = true;
}

void op_json_close(struct op_json *w, char bracket)
{
	w->depth--;
	if (!w->first)
		new_line(w);
	op_buf_byte(w->out, bracket);
	w->first = false;
}

void op_json_key_view(struct op_json *w, struct op_view key)
{
	before(w);
	op_quote(w->out, key);
	op_buf_z(w->out, w->pretty ? ": " : ":");
	w->after_key = true;
}

void op_json_key(struct op_json *w, const char *key)
{
	op_json_key_view(w, op_view_z(key));
}

void op_json_string(struct op_json *w, struct op_view v)
{
	before(w);
	op_quote(w->out, v);
}

void op_json_z(struct op_json *w, const char *s)
{
	op_json_string(w, op_view_z(s));
}

void op_json_int(struct op_json *w, int64_t v)
{
	before(w);
	op_buf_printf(w->out, "%lld", (long long)v);
}

void op_json_uint(struct op_json *w, uint64_t v)
{
	before(w);
	op_buf_printf(w->out, "%llu", (unsigned long long)v);
}

void op_json_double(struct op_json *w, double v)
{
	before(w);
	if (isnan(v))
		op_buf_z(w->out, "\"NaN\"");
	else if (isinf(v))
		op_buf_z(w->out, v < 0 ? "\"-Infinity\"" : "\"Infinity\"");
	else
		op_buf_z(w->out, op_double_text(v).s);
}

void op_json_bool(struct op_json *w, bool v)
{
	before(w);
	op_buf_z(w->out, v ? "true" : "false");
}

void op_json_null(struct op_json *w)
{
	before(w);
	op_buf_z(w->out, "null");
}

void op_json_hex(struct op_json *w, struct op_view v)
{
	before(w);
	op_buf_byte(w->out, '"');
	op_buf_hex(w->out, v);
	op_buf_byte(w->out, '"');
}

static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* One character that is not plain ASCII; returns the bytes it took. */
static size_t quote_char(struct op_buf *out, struct op_view v)
{
	size_t n = *v.p >= 0xf0 ? 4 : *v.p >= 0xe0 ? 3 : 2;

	if (*v.p >= 0x80) {
		if (n <= v.n && op_utf8_valid(op_view(v.p, n))) {
			op_buf_view(out, op_view(v.p, n));
			return n;
		}
		op_buf_z(out, "\xef\xbf\xbd");
		return op_utf8_bad(v);
	}
	if (*v.p == '"' || *v.p == '\\')
		op_buf_printf(out, "\\%c", *v.p);
	else
		op_buf_printf(out, "\\u%04x", *v.p);
	return 1;
}

void op_quote(struct op_buf *out, struct op_view v)
{
	op_buf_byte(out, '"');
	while (v.n) {
		size_t n = 0;

		while (n < v.n && is_plain(v.p[n]))
			n++;
		op_buf_view(out, op_view(v.p, n));
		if (n < v.n)
			n += quote_char(out, op_view(v.p + n, v.n - n));
		v = op_view(v.p + n, v.n - n);
	}
	op_buf_byte(out, '"');
}

struct op_double_text op_double_text(double v)
{
	struct op_double_text t = { "nan" };

	if (isnan(v))
		return t;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(t.s, sizeof(t.s), "%.*g", digits, v);
		if (strtod(t.s, NULL) == v)
			break;
	}
	if (!strpbrk(t.s, ".ein"))
		strncat(t.s, ".0", sizeof(t.s) - strlen(t.s) - 1);
	return t;
}
