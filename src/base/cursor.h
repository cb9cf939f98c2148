// SPDX-License-Identifier: Apache-2.0
/* base/cursor.h: a bounds-checked reader over bytes.
 *
 * The error is carried inside: after the first failure the cursor stands at
 * its end and every read gives zeros, so a format is read without a check
 * behind each call. Everything here is inlined and no function keeps the
 * cursor's address, so that a loop has it in registers.
 */
#ifndef OP_BASE_CURSOR_H
#define OP_BASE_CURSOR_H

#include "base/err.h"
#include "base/view.h"

struct op_cur {
	const uint8_t *p;
	const uint8_t *end;
	const uint8_t *base; /* start of the whole input, for offsets */
	struct op_err *err;
};

op_inline struct op_cur op_cur(struct op_view in, struct op_err *err)
{
	return (struct op_cur){ in.p, in.p + in.n, in.p, err };
}

/* A cursor on a part of the same input; offsets in errors stay absolute. */
op_inline struct op_cur op_cur_sub(const struct op_cur *c, struct op_view v)
{
	return (struct op_cur){ v.p, v.p + v.n, c->base, c->err };
}

op_inline size_t op_cur_left(const struct op_cur *c)
{
	return (size_t)(c->end - c->p);
}

op_inline struct op_view op_cur_rest(const struct op_cur *c)
{
	return (struct op_view){ c->p, op_cur_left(c) };
}

/* True while there is something to read and nothing has gone wrong, here or
 * in another cursor on the same input. */
op_inline bool op_cur_more(const struct op_cur *c)
{
	return op_likely(c->p < c->end) && op_likely(!c->err->code);
}

/* Fails at a place in the input and ends the cursor. */
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
			    "%llu bytes announced, %zu are left",
			    (unsigned long long)n, left);
		return (struct op_view){ 0 };
	}
	c->p += n;
	return (struct op_view){ p, (size_t)n };
}

struct op_varint {
	const uint8_t *p; /* behind the value; NULL if it is broken */
	uint64_t v;
};

/* A varint of any length. */
struct op_varint op_varint_read(const uint8_t *p, const uint8_t *end);

/* Records what is wrong with the varint at p. */
int op_varint_fail(const struct op_cur *c, const uint8_t *p);

op_inline uint64_t op_cur_varint(struct op_cur *c)
{
	struct op_varint r;

	if (op_likely(c->end - c->p >= 2)) {
		if (op_likely(c->p[0] < 0x80))
			return *c->p++;
		if (op_likely(c->p[1] < 0x80)) {
			c->p += 2;
			return (c->p[-2] & 0x7fu) | (uint64_t)c->p[-1] << 7;
		}
	}
	r = op_varint_read(c->p, c->end);
	if (op_unlikely(!r.p)) {
		op_varint_fail(c, c->p);
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
