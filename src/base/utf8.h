// SPDX-License-Identifier: Apache-2.0
/* base/utf8.h: validates and repairs UTF-8. */
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

#endif
