// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/cursor.h: integers as JFR writes them.
 *
 * Packed: seven bits a byte, the low ones first, up to eight bytes; a ninth
 * gives all of its eight bits. Else big-endian in the width of the type. */
#ifndef OP_FMT_JFR_CURSOR_H
#define OP_FMT_JFR_CURSOR_H

#include "base/cursor.h"

struct op_jfr_cur {
	struct op_cur c;
	bool packed;
};

/* One that the fast way could not read. */
uint64_t op_jfr_varint_slow(struct op_cur *c);

op_inline uint64_t op_jfr_varint(struct op_cur *c)
{
	const uint8_t *p = c->p;
	struct op_varint r;

	if (op_likely(p < c->end && *p < 0x80)) {
		c->p = p + 1;
		return *p;
	}
	if (op_likely(p < c->words_end)) {
		r = op_varint_word(p);
		if (op_likely(r.p && r.p <= c->end)) {
			c->p = r.p;
			return r.v;
		}
	}
	return op_jfr_varint_slow(c);
}

uint64_t op_jfr_wide(struct op_cur *c, unsigned int width);

op_inline uint64_t op_jfr_uint(struct op_jfr_cur *in, unsigned int width)
{
	return op_likely(in->packed) ? op_jfr_varint(&in->c) :
				       op_jfr_wide(&in->c, width);
}

op_inline uint64_t op_jfr_int(struct op_jfr_cur *in)
{
	return op_jfr_uint(in, 4);
}

op_inline uint64_t op_jfr_long(struct op_jfr_cur *in)
{
	return op_jfr_uint(in, 8);
}

op_inline uint8_t op_jfr_byte(struct op_jfr_cur *in)
{
	struct op_view v = op_cur_take(&in->c, 1);

	return v.n ? *v.p : 0;
}

#endif
