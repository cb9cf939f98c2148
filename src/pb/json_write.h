// SPDX-License-Identifier: Apache-2.0
/* pb/json_write.h: JSON into a buffer, commas and indentation taken care of.
 *
 *	op_json_open(&w, '{');
 *	op_json_key(&w, "samples");
 *	op_json_uint(&w, 3);
 *	op_json_close(&w, '}');
 */
#ifndef OP_PB_JSON_WRITE_H
#define OP_PB_JSON_WRITE_H

#include "base/buf.h"
#include "base/word.h"

struct op_json {
	struct op_buf *out;
	bool pretty;
	bool comma;	/* one is due before what comes next */
	bool after_key; /* a value follows on the same line */
	int depth;
	/* Empties a full buffer, so that memory does not follow the size of
	 * the text; NULL: the buffer grows. */
	void (*spill)(struct op_json *w);
};

/* Makes room for n bytes; false after an error. */
bool op_json_grow(struct op_json *w, size_t n);

op_inline bool op_json_room(struct op_json *w, size_t n)
{
	return op_likely(w->out->cap - w->out->n >= n) || op_json_grow(w, n);
}

/* The comma and the line feed of a pretty text. */
void op_json_break(struct op_json *w);

/* What stands before a value or key, and room for n bytes of it: where they
 * go, or NULL after an error. The caller ends it with op_json_end(). */
op_inline uint8_t *op_json_begin(struct op_json *w, size_t n)
{
	uint8_t *p;

	if (op_unlikely(w->pretty))
		op_json_break(w);
	if (op_unlikely(!op_json_room(w, n + 1)))
		return NULL;
	p = w->out->p + w->out->n;
	*p = ',';
	p += w->comma && w->depth;
	w->comma = true;
	return p;
}

/* The value or key was written up to p. */
op_inline void op_json_end(struct op_json *w, const uint8_t *p)
{
	w->out->n = (size_t)(p - w->out->p);
}

op_inline void op_json_open(struct op_json *w, char bracket)
{
	uint8_t *p = op_json_begin(w, 1);

	w->depth++;
	w->comma = false;
	if (op_unlikely(!p))
		return;
	*p = (uint8_t)bracket;
	op_json_end(w, p + 1);
}

void op_json_close(struct op_json *w, char bracket);

/* A key that needs no escapes; in C it is best a literal. */
op_inline void op_json_key(struct op_json *w, const char *key)
{
	size_t n = strlen(key);
	uint8_t *p = op_json_begin(w, n + 4);

	w->comma = false;
	w->after_key = w->pretty;
	if (op_unlikely(!p))
		return;
	*p++ = '"';
	memcpy(p, key, n);
	p += n;
	*p++ = '"';
	*p++ = ':';
	*p = ' ';
	op_json_end(w, p + w->pretty);
}

/* Any key. */
void op_json_key_view(struct op_json *w, struct op_view key);

void op_json_string(struct op_json *w, struct op_view v);
void op_json_z(struct op_json *w, const char *s);
/* NaN and the infinities become strings, as protobuf's JSON has them. */
void op_json_double(struct op_json *w, double v);
void op_json_bool(struct op_json *w, bool v);
void op_json_null(struct op_json *w);
void op_json_hex(struct op_json *w, struct op_view v);
void op_json_base64(struct op_json *w, struct op_view v);

/* --- integers --- */

/* Room that the text of any number needs: whole words are written. */
enum { OP_DIGITS_ROOM = 28 };

uint8_t *op_put_digits_large(uint8_t *p, uint64_t v);

/* Writes v in decimal; returns the byte behind it. */
op_inline uint8_t *op_put_digits(uint8_t *p, uint64_t v)
{
	unsigned int skip;
	uint64_t w;

	if (op_unlikely(v >= 100000000))
		return op_put_digits_large(p, v);
	w = op_word_of_digits((uint32_t)v);
	/* Leading zeros go, but not the last digit. */
	skip = (unsigned int)__builtin_ctzll(w | UINT64_C(1) << 56) / 8;
	w = (w | op_word_all('0')) >> 8 * skip;
	memcpy(p, &w, sizeof(w));
	return p + 8 - skip;
}

op_inline uint8_t *op_put_int(uint8_t *p, int64_t v)
{
	*p = '-';
	return op_put_digits(p + (v < 0), v < 0 ? -(uint64_t)v : (uint64_t)v);
}

op_inline void op_json_uint(struct op_json *w, uint64_t v)
{
	uint8_t *p = op_json_begin(w, OP_DIGITS_ROOM);

	if (op_likely(p))
		op_json_end(w, op_put_digits(p, v));
}

op_inline void op_json_int(struct op_json *w, int64_t v)
{
	uint8_t *p = op_json_begin(w, OP_DIGITS_ROOM);

	if (op_likely(p))
		op_json_end(w, op_put_int(p, v));
}

/* Between quotes, as protobuf has what is larger than a double can tell. */
void op_json_uint_text(struct op_json *w, uint64_t v);
void op_json_int_text(struct op_json *w, int64_t v);

/* Arrays, on one line also where the rest is pretty. */
void op_json_ids(struct op_json *w, const uint32_t *v, size_t n);
void op_json_uint_texts(struct op_json *w, const op_unaligned_u64 *v, size_t n);
void op_json_int_texts(struct op_json *w, const int64_t *v, size_t n);

/* --- parts --- */

/* Bytes that base64 makes of n, which overflows for none that exist. */
op_inline size_t op_base64_size(size_t n)
{
	return n / 3 * 4 + (n % 3 ? 4 : 0);
}

/* Writes op_base64_size(v.n) bytes; returns the byte behind them. */
uint8_t *op_put_base64(uint8_t *p, struct op_view v);

/* A quoted string on its own: control characters as \u00XX, what is not UTF-8
 * as U+FFFD. */
void op_quote(struct op_buf *out, struct op_view v);

#endif
