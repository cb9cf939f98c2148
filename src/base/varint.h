// SPDX-License-Identifier: Apache-2.0
/* base/varint.h: writes varints, and reads those that we wrote. Untrusted
 * varints are read by base/cursor.h. */
#ifndef OP_BASE_VARINT_H
#define OP_BASE_VARINT_H

#include "base/cursor.h"

enum { OP_VARINT_MAX = 10 }; /* bytes */

op_inline unsigned int op_varint_size(uint64_t v)
{
	/* A byte has seven bits, and 37 / 256 is close enough to 1 / 7 here. */
	return ((63 - (unsigned int)__builtin_clzll(v | 1)) * 37 >> 8) + 1;
}

/* Writes v and returns its length. There must be room for OP_VARINT_MAX bytes,
 * and bytes past the length may be written. Lengths are unpredictable, so there
 * is no branch on them: halves of 28, 14 and 7 bits are moved apart. */
op_inline unsigned int op_varint_put(uint8_t *p, uint64_t v)
{
	unsigned int n = op_varint_size(v);

	if (op_likely(v < UINT64_C(1) << 56)) {
		v += 15 * (v & 0x00fffffff0000000u);
		v += 3 * (v & 0x0fffc0000fffc000u);
		v += v & 0x3f803f803f803f80u;
		v |= 0x8080808080808080u & ((UINT64_C(1) << 8 * (n - 1)) - 1);
		memcpy(p, &v, sizeof(v));
		return n;
	}
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p = (uint8_t)v;
	return n;
}

/* Reads what op_varint_put() wrote and advances past it. Eight bytes at *p must
 * be readable. */
op_inline uint64_t op_varint_get(const uint8_t **p)
{
	struct op_varint x = { *p + 1, **p };

	if (x.v >= 0x80)
		x = op_varint_word(*p);
	if (op_unlikely(!x.p))
		x = op_varint_read(*p, *p + OP_VARINT_MAX);
	*p = x.p;
	return x.v;
}

#endif
