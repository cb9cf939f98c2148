// SPDX-License-Identifier: Apache-2.0
/* pb/json_write.c: writes JSON. */
#include "pb/json_write.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/utf8.h"

bool op_json_grow(struct op_json *w, size_t n)
{
	if (w->spill && w->out->n)
		w->spill(w);
	return op_buf_reserve(w->out, n);
}

static void new_line(struct op_json *w)
{
	op_buf_byte(w->out, '\n');
	for (int i = 0; i < w->depth; i++)
		op_buf_z(w->out, "  ");
}

void op_json_break(struct op_json *w)
{
	if (!w->after_key && w->depth) {
		if (w->comma)
			op_buf_byte(w->out, ',');
		new_line(w);
	}
	w->after_key = w->comma = false;
}

void op_json_close(struct op_json *w, char bracket)
{
	w->depth--;
	if (w->pretty && w->comma)
		new_line(w);
	w->comma = true;
	if (op_json_room(w, 1))
		w->out->p[w->out->n++] = (uint8_t)bracket;
}

void op_json_key_view(struct op_json *w, struct op_view key)
{
	op_json_string(w, key);
	op_buf_z(w->out, w->pretty ? ": " : ":");
	w->comma = false;
	w->after_key = w->pretty;
}

/* A value that is text as it stands. */
static void plain(struct op_json *w, const char *text)
{
	size_t n = strlen(text);
	uint8_t *p = op_json_begin(w, n);

	if (!p)
		return;
	memcpy(p, text, n);
	op_json_end(w, p + n);
}

void op_json_string(struct op_json *w, struct op_view v)
{
	/* With room for the usual string, so that a full buffer is emptied. */
	uint8_t *p = op_json_begin(w, v.n + 16);

	if (!p)
		return;
	op_json_end(w, p);
	op_quote(w->out, v);
}

void op_json_z(struct op_json *w, const char *s)
{
	op_json_string(w, op_view_z(s));
}

void op_json_double(struct op_json *w, double v)
{
	if (isnan(v))
		plain(w, "\"NaN\"");
	else if (isinf(v))
		plain(w, v < 0 ? "\"-Infinity\"" : "\"Infinity\"");
	else
		plain(w, op_double_text(v).s);
}

void op_json_bool(struct op_json *w, bool v)
{
	plain(w, v ? "true" : "false");
}

void op_json_null(struct op_json *w)
{
	plain(w, "null");
}

void op_json_hex(struct op_json *w, struct op_view v)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t *p = op_json_begin(w, 2 * v.n + 2);

	if (!p)
		return;
	*p++ = '"';
	for (size_t i = 0; i < v.n; i++) {
		*p++ = (uint8_t)digits[v.p[i] >> 4];
		*p++ = (uint8_t)digits[v.p[i] & 15];
	}
	*p++ = '"';
	op_json_end(w, p);
}

/* Three bytes as four characters; fewer with '=' in place of the rest. */
uint8_t *op_put_base64(uint8_t *p, struct op_view v)
{
	static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i = 0;

	for (; i + 3 <= v.n; i += 3) {
		uint32_t x = (uint32_t)v.p[i] << 16 |
			     (uint32_t)v.p[i + 1] << 8 | v.p[i + 2];

		*p++ = (uint8_t)chars[x >> 18];
		*p++ = (uint8_t)chars[x >> 12 & 63];
		*p++ = (uint8_t)chars[x >> 6 & 63];
		*p++ = (uint8_t)chars[x & 63];
	}
	if (i < v.n) {
		uint32_t two = i + 1 < v.n ? v.p[i + 1] : 0;
		uint32_t x = (uint32_t)v.p[i] << 16 | two << 8;

		*p++ = (uint8_t)chars[x >> 18];
		*p++ = (uint8_t)chars[x >> 12 & 63];
		*p++ = (uint8_t)(i + 1 < v.n ? chars[x >> 6 & 63] : '=');
		*p++ = '=';
	}
	return p;
}

void op_json_base64(struct op_json *w, struct op_view v)
{
	enum { SLICE = 3 * 4096 };
	uint8_t *p = op_json_begin(w, 1);

	if (!p)
		return;
	*p = '"';
	op_json_end(w, p + 1);
	while (v.n) {
		size_t n = v.n < SLICE ? v.n : SLICE;

		if (!op_json_room(w, n / 3 * 4 + 4))
			return;
		p = op_put_base64(w->out->p + w->out->n, op_view(v.p, n));
		op_json_end(w, p);
		v = op_view(v.p + n, v.n - n);
	}
	if (op_json_room(w, 1))
		w->out->p[w->out->n++] = '"';
}

/* --- integers --- */

/* Eight digits, zeros at the front with them. */
static uint8_t *eight_put(uint8_t *p, uint32_t v)
{
	uint64_t w = op_word_of_digits(v) | op_word_all('0');

	memcpy(p, &w, sizeof(w));
	return p + sizeof(w);
}

uint8_t *op_put_digits_large(uint8_t *p, uint64_t v)
{
	const uint32_t base = 100000000;
	uint64_t high = v / base;

	if (high < base) {
		p = op_put_digits(p, high);
	} else {
		p = op_put_digits(p, high / base);
		p = eight_put(p, (uint32_t)(high % base));
	}
	return eight_put(p, (uint32_t)(v % base));
}

void op_json_uint_text(struct op_json *w, uint64_t v)
{
	uint8_t *p = op_json_begin(w, OP_DIGITS_ROOM + 2);

	if (!p)
		return;
	*p++ = '"';
	p = op_put_digits(p, v);
	*p++ = '"';
	op_json_end(w, p);
}

void op_json_int_text(struct op_json *w, int64_t v)
{
	uint8_t *p = op_json_begin(w, OP_DIGITS_ROOM + 2);

	if (!p)
		return;
	*p++ = '"';
	p = op_put_int(p, v);
	*p++ = '"';
	op_json_end(w, p);
}

/* How the elements of an array of integers are written. */
enum element { ID, UINT_TEXT, INT_TEXT };

op_inline uint8_t *element_put(uint8_t *p, enum element how, const void *v,
			       size_t i)
{
	if (how == ID)
		return op_put_digits(p, ((const uint32_t *)v)[i]);
	*p++ = '"';
	if (how == UINT_TEXT)
		p = op_put_digits(p, ((const op_unaligned_u64 *)v)[i]);
	else
		p = op_put_int(p, ((const int64_t *)v)[i]);
	*p++ = '"';
	return p;
}

/* Room is made for a slice of them at once. */
op_inline void elements(struct op_json *w, enum element how, const void *v,
			size_t n)
{
	enum { SLICE = 64 };
	uint8_t *p = op_json_begin(w, 2);
	size_t i = 0;

	if (!p)
		return;
	*p++ = '[';
	while (i < n) {
		size_t stop = n - i > SLICE ? i + SLICE : n;

		op_json_end(w, p);
		if (!op_json_room(w, SLICE * (OP_DIGITS_ROOM + 4) + 1))
			return;
		p = w->out->p + w->out->n;
		while (i < stop) {
			p = element_put(p, how, v, i++);
			*p++ = ',';
			*p = ' ';
			p += w->pretty;
		}
	}
	p -= n ? 1 + w->pretty : 0; /* the last comma */
	*p++ = ']';
	op_json_end(w, p);
}

void op_json_ids(struct op_json *w, const uint32_t *v, size_t n)
{
	elements(w, ID, v, n);
}

void op_json_uint_texts(struct op_json *w, const op_unaligned_u64 *v, size_t n)
{
	elements(w, UINT_TEXT, v, n);
}

void op_json_int_texts(struct op_json *w, const int64_t *v, size_t n)
{
	elements(w, INT_TEXT, v, n);
}

/* --- strings --- */

static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Copies what needs no escape, by the word, so that up to eight bytes more
 * than it says are written; returns their number. */
static size_t plain_copy(uint8_t *to, struct op_view v)
{
	size_t i = 0;

	for (; v.n - i >= 8; i += 8) {
		uint64_t w = op_word_load(v.p + i);
		uint64_t stop = op_word_equal(w, '"') | op_word_equal(w, '\\') |
				op_word_below(w, ' ') | op_word_equal(w, 0x7f) |
				op_word_high(w);

		memcpy(to + i, &w, sizeof(w));
		if (stop)
			return i + op_word_first(stop);
	}
	for (; i < v.n && is_plain(v.p[i]); i++)
		to[i] = v.p[i];
	return i;
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
	while (v.n && op_buf_reserve(out, v.n + 8)) {
		size_t n = plain_copy(out->p + out->n, v);

		out->n += n;
		if (n < v.n)
			n += quote_char(out, op_view(v.p + n, v.n - n));
		v = op_view(v.p + n, v.n - n);
	}
	op_buf_byte(out, '"');
}
