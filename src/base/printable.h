// SPDX-License-Identifier: Apache-2.0
/* base/printable.h: removes terminal control characters from text.
 *
 * Unprintable are the control characters of ASCII and Latin-1 (C0, DEL, C1),
 * the overrides and isolates of bidirectional text, which change the displayed
 * order of a line, and invalid UTF-8.
 */
#ifndef OP_BASE_PRINTABLE_H
#define OP_BASE_PRINTABLE_H

#include "base/buf.h"

/* The length in bytes of the unprintable character that v begins with; 0: v
 * begins with a printable one. v must not be empty. */
size_t op_unprintable(struct op_view v);

/* Appends v with unprintable characters except those in keep escaped as in JSON
 * (\u001b); each invalid UTF-8 sequence becomes U+FFFD. JSON stays equivalent
 * JSON. */
void op_buf_printable(struct op_buf *out, struct op_view v, const char *keep);

/* Replaces each unprintable character except those in keep by a question mark,
 * in place. */
void op_make_printable(char *s, const char *keep);

#endif
