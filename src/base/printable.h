// SPDX-License-Identifier: Apache-2.0
/* base/printable.h: text without what a terminal would obey.
 *
 * Unprintable are the control characters of ASCII and of Latin-1 (C0, DEL, C1),
 * the overrides and isolates of bidirectional text, which show a line in
 * another order than it has, and bytes that are not UTF-8.
 */
#ifndef OP_BASE_PRINTABLE_H
#define OP_BASE_PRINTABLE_H

#include "base/buf.h"

/* The bytes of the unprintable character that v begins with; 0: it begins with
 * another. v is not empty. */
size_t op_unprintable(struct op_view v);

/* Appends v with unprintable characters as JSON would escape them (\u001b), but
 * for those in keep; each bad part of UTF-8 becomes U+FFFD. What is JSON stays
 * the same JSON. */
void op_buf_printable(struct op_buf *out, struct op_view v, const char *keep);

/* Replaces each unprintable character by a question mark, in place, but for
 * those in keep. */
void op_make_printable(char *s, const char *keep);

#endif
