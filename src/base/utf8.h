// SPDX-License-Identifier: Apache-2.0
/* base/utf8.h: validates, repairs and writes UTF-8. */
#ifndef OP_BASE_UTF8_H
#define OP_BASE_UTF8_H

#include "base/view.h"

/* The length of the longest valid prefix; v.n if all of it is UTF-8. Overlong
 * forms, surrogates and code points above U+10FFFF are invalid. */
size_t op_utf8_prefix(struct op_view v);

/* The number of bytes that one U+FFFD replaces after a valid prefix: the
 * longest start of a sequence that could have become valid, at least one byte.
 */
size_t op_utf8_bad(struct op_view v);

op_inline bool op_utf8_valid(struct op_view v)
{
	return op_utf8_prefix(v) == v.n;
}

/* The size of v with each invalid sequence replaced by U+FFFD (3 bytes). */
size_t op_utf8_fixed_size(struct op_view v);

/* Writes op_utf8_fixed_size(v) bytes to out. */
void op_utf8_fix(struct op_view v, uint8_t *out);

/* Writes a code point as one to four bytes and returns their number. */
op_inline size_t op_utf8_put(uint8_t *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xc0 | c >> 6);
		out[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xe0 | c >> 12);
		out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | c >> 18);
	out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

#endif
