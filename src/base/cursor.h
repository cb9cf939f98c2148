// SPDX-License-Identifier: Apache-2.0
/* base/cursor.h: a bounds-checked reader over bytes.
 *
 * The cursor carries the error: after the first failure it is at its end and
 * every read returns zeros, so a decoder needs no check after each call.
 * Everything here is inlined, and the rest takes the parts of the cursor by
 * value, so that a loop keeps them in registers. Passing the address of a
 * cursor to a function slows down the loop around it.
 */
#ifndef OP_BASE_CURSOR_H
#define OP_BASE_CURSOR_H

#include "base/err.h"
#include "base/view.h"

struct op_cur {
	const uint8_t *p;
	const uint8_t *end;
	const uint8_t *base; /* start of the whole input, for offsets */
	/* Eight bytes can be loaded anywhere before this address: near its end,
	 * a part of the input may load what follows it, but not consume it. */
	const uint8_t *words_end;
	struct op_err *err;
};

op_inline struct op_cur op_cur(struct op_view in, struct op_err *err)
{
	const uint8_t *end = in.p + in.n;

	return (struct op_cur){ in.p, end, in.p, in.n >= 8 ? end - 7 : in.p,
				err };
}

/* A cursor on a part of the same input; offsets in errors stay absolute. */
op_inline struct op_cur op_cur_sub(const struct op_cur *c, struct op_view v)
{
	return (struct op_cur){ v.p, v.p + v.n, c->base, c->words_end, c->err };
}

op_inline size_t op_cur_left(const struct op_cur *c)
{
	return (size_t)(c->end - c->p);
}

op_inline struct op_view op_cur_rest(const struct op_cur *c)
{
	return (struct op_view){ c->p, op_cur_left(c) };
}

/* True while there is something to read and nothing has failed, here or in
 * another cursor on the same input. */
op_inline bool op_cur_more(const struct op_cur *c)
{
	return op_likely(c->p < c->end) && op_likely(!c->err->code);
}

/* Fails at a position in the input and ends the cursor. */
#define op_cur_fail(c, at_p, why, ...)                         \
	__extension__({                                        \
		uint64_t at_ = (uint64_t)((at_p) - (c)->base); \
		(c)->p = (c)->end;                             \
		op_fail_at((c)->err, why, at_, __VA_ARGS__);   \
	})

/* The next n bytes as a view of the input; an empty view after an error. */
op_inline struct op_view op_cur_take(struct op_cur *c, uint64_t n)
{
	const uint8_t *p = c->p;
	size_t left = op_cur_left(c);

	if (op_unlikely(n > left)) {
		op_cur_fail(c, p, OP_EFORMAT,
			    "%llu bytes declared, but only %zu are left",
			    (unsigned long long)n, left);
		return (struct op_view){ 0 };
	}
	c->p += n;
	return (struct op_view){ p, (size_t)n };
}

struct op_varint {
	const uint8_t *p; /* after the value; NULL if invalid */
	uint64_t v;
};

/* A varint of any length. */
struct op_varint op_varint_read(const uint8_t *p, const uint8_t *end);

/* Records the error of the varint at p. */
op_cold int op_varint_fail(struct op_err *err, const uint8_t *base,
			   const uint8_t *p, const uint8_t *end);

/* The lengths of varints in real data cannot be predicted, and a mispredicted
 * branch costs as much as reading five of them. So varints longer than a byte
 * are extracted from a word of eight, without branching on their length. In
 * such a word the top bit of a byte is clear where a varint ends.
 */
op_inline uint64_t op_varint_ends(uint64_t word)
{
	return ~word & 0x8080808080808080u;
}

/* Number of varints that end in the word. */
op_inline unsigned int op_varint_count(uint64_t ends)
{
	return (unsigned int)((ends >> 7) * 0x0101010101010101u >> 56);
}

/* The bytes of a word up to and including its first end. */
op_inline uint64_t op_varint_first(uint64_t word, uint64_t ends)
{
	return word & (ends ^ (ends - 1));
}

/* The value of a varint of up to eight bytes, followed by zeros: seven bits of
 * each byte, joined in pairs, fours and eights. */
op_inline uint64_t op_varint_join(uint64_t w)
{
	w = (w & 0x007f007f007f007fu) | (w & 0x7f007f007f007f00u) >> 1;
	w = (w & 0x00003fff00003fffu) | (w & 0x3fff00003fff0000u) >> 2;
	return (w & 0x000000000fffffffu) | (w & 0x0fffffff00000000u) >> 4;
}

/* A varint of up to eight bytes; p is NULL if it does not end in them. */
op_inline struct op_varint op_varint_word(const uint8_t *p)
{
	uint64_t w, ends;

	memcpy(&w, p, sizeof(w));
	ends = op_varint_ends(w);
	if (op_unlikely(!ends))
		return (struct op_varint){ 0 };
	w = op_varint_join(op_varint_first(w, ends));
	return (struct op_varint){ p + (__builtin_ctzll(ends) + 1) / 8, w };
}

/* Two varints of up to four bytes each, the first in the low half. */
struct op_varint_pair {
	uint64_t v;
	size_t bytes; /* 0: there are no two such varints */
};

op_inline struct op_varint_pair op_varint_pair(const uint8_t *p)
{
	uint64_t w, ends, rest;
	unsigned int a, b; /* bits up to and including each */

	memcpy(&w, p, sizeof(w));
	ends = op_varint_ends(w);
	rest = ends & (ends - 1);
	if (op_unlikely(!rest))
		return (struct op_varint_pair){ 0 };
	a = (unsigned int)__builtin_ctzll(ends) + 1;
	b = (unsigned int)__builtin_ctzll(rest) + 1;
	if (op_unlikely(a > 32 || b - a > 32))
		return (struct op_varint_pair){ 0 };
	w = op_varint_first(w, rest) >> a << 32 | op_varint_first(w, ends);
	w = (w & 0x007f007f007f007fu) | (w & 0x7f007f007f007f00u) >> 1;
	w = (w & 0x00003fff00003fffu) | (w & 0x3fff00003fff0000u) >> 2;
	return (struct op_varint_pair){ w, b / 8 };
}

op_inline uint64_t op_cur_varint(struct op_cur *c)
{
	const uint8_t *p = c->p;
	struct op_varint r = { 0 };

	if (op_likely(p < c->end && *p < 0x80)) {
		c->p = p + 1;
		return *p;
	}
	if (op_likely(p < c->words_end))
		r = op_varint_word(p);
	if (op_unlikely(!r.p))
		r = op_varint_read(p, c->end);
	if (op_unlikely(!r.p || r.p > c->end)) {
		op_varint_fail(c->err, c->base, p, c->end);
		c->p = c->end;
		return 0;
	}
	c->p = r.p;
	return r.v;
}

/* The next n <= 8 bytes as a little-endian number. */
op_inline uint64_t op_cur_le(struct op_cur *c, unsigned int n)
{
	struct op_view v = op_cur_take(c, n);
	uint64_t x = 0;

	if (op_likely(v.n == n))
		memcpy(&x, v.p, n);
	return x;
}

#endif
