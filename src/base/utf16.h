// SPDX-License-Identifier: Apache-2.0
/* base/utf16.h: converts UTF-16 to UTF-8. */
#ifndef OP_BASE_UTF16_H
#define OP_BASE_UTF16_H

#include "base/buf.h"

/* Appends text, without its byte order mark, to out, whose limit bounds it. An
 * unpaired surrogate becomes U+FFFD. Half a character at the end is OP_EFORMAT.
 */
int op_utf16_decode(struct op_view in, bool big_endian, struct op_buf *out);

#endif
