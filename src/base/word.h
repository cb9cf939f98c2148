// SPDX-License-Identifier: Apache-2.0
/* base/word.h: eight bytes of text at a time.
 *
 * A test of a word returns a mask with the top bit set in each matching byte.
 * Only the lowest set bit is reliable: bytes above a match may be set by
 * mistake. Masks can be or'ed, and this remains true.
 */
#ifndef OP_BASE_WORD_H
#define OP_BASE_WORD_H

#include <string.h>

#include "base/port.h"

op_inline uint64_t op_word_load(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* The byte in all eight positions. */
op_inline uint64_t op_word_all(uint8_t c)
{
	return 0x0101010101010101u * c;
}

/* Bytes below c, which is at most 0x80. */
op_inline uint64_t op_word_below(uint64_t w, uint8_t c)
{
	return (w - op_word_all(c)) & ~w & op_word_all(0x80);
}

op_inline uint64_t op_word_equal(uint64_t w, uint8_t c)
{
	return op_word_below(w ^ op_word_all(c), 1);
}

/* Bytes that are not ASCII. */
op_inline uint64_t op_word_high(uint64_t w)
{
	return w & op_word_all(0x80);
}

/* Number of bytes before the first match; there must be one. */
op_inline unsigned int op_word_first(uint64_t mask)
{
	return (unsigned int)__builtin_ctzll(mask) / 8;
}

/* Bytes that are not a decimal digit. Exact for each byte. */
op_inline uint64_t op_word_not_digit(uint64_t w)
{
	uint64_t d = w ^ op_word_all('0'); /* digits become 0 to 9 */

	return op_word_high(((d & op_word_all(0x7f)) + op_word_all(0x76)) | d);
}

/* The number in the first n bytes, 1 to 8 digits, the first of which is the
 * lowest byte: pairs, fours and eights are joined by one multiplication each.
 * The shift prepends zeros. */
op_inline uint32_t op_word_number(uint64_t w, unsigned int n)
{
	w = (w ^ op_word_all('0')) << (64 - 8 * n);
	w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffu;
	w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffu;
	return (uint32_t)(w * 10000 + (w >> 32));
}

/* The reverse: a number below 10^8 as eight digits 0 to 9, not yet text. */
op_inline uint64_t op_word_of_digits(uint32_t v)
{
	uint64_t w = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t q = w * 10486 >> 20 & 0x0000007f0000007fu; /* by 100 */

	w = q | (w - q * 100) << 16;
	q = w * 103 >> 10 & 0x000f000f000f000fu; /* by 10 */
	return q | (w - q * 10) << 8;
}

#endif
