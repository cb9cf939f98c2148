// SPDX-License-Identifier: Apache-2.0
/* base/ends.h: finds where varints end, 32 bytes at a time.
 *
 * The start of a varint depends on the length of the one before, so reading
 * them one by one is a chain of dependencies. A mask of the bytes that end a
 * varint breaks the chain: the n-th end is found without looking at the values.
 */
#ifndef OP_BASE_ENDS_H
#define OP_BASE_ENDS_H

#include "base/cursor.h"

/* Bit i: byte i of 32 is below 0x80, so it ends a varint. */
op_inline uint32_t op_ends_portable(const uint8_t *p)
{
	uint32_t bits = 0;

	for (unsigned int i = 0; i < 4; i++) {
		uint64_t w;

		memcpy(&w, p + 8 * i, sizeof(w));
		/* The product moves the lowest bit of each byte to the top. */
		w = (op_varint_ends(w) >> 7) * 0x0102040810204080u >> 56;
		bits |= (uint32_t)w << 8 * i;
	}
	return bits;
}

#ifdef OP_SSE2
op_inline uint32_t op_ends_sse2(const uint8_t *p)
{
	__m128i low = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i high = _mm_loadu_si128((const __m128i *)(const void *)(p + 16));

	return ~((uint32_t)_mm_movemask_epi8(low) |
		 (uint32_t)_mm_movemask_epi8(high) << 16);
}
#endif

op_inline uint32_t op_ends(const uint8_t *p)
{
#ifdef OP_SSE2
	return op_ends_sse2(p);
#else
	return op_ends_portable(p);
#endif
}

/* How many there are: bits added up in pairs, fours and eights, as not every
 * machine has an instruction for it. */
op_inline unsigned int op_ends_count(uint32_t ends)
{
	ends -= ends >> 1 & 0x55555555;
	ends = (ends & 0x33333333) + (ends >> 2 & 0x33333333);
	return ((ends + (ends >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

/* Whether eight consecutive bytes contain no end. */
op_inline bool op_ends_has_long(uint32_t ends)
{
	uint32_t run = ~ends;

	run &= run >> 1;
	run &= run >> 2;
	run &= run >> 4;
	return run;
}

/* A varint of n bytes, 1 to 8, whose last byte ends it or whose value does not
 * matter. Reads eight bytes. */
op_inline uint64_t op_ends_value(const uint8_t *p, unsigned int n)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return op_varint_join(w & UINT64_MAX >> (64 - 8 * n));
}

#endif
