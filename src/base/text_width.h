// SPDX-License-Identifier: Apache-2.0
/* base/text_width.h: how many columns of a terminal a text takes.
 *
 * The locale of the process is the host program's, so the widths are ours: no
 * column for marks that combine with the character before, two for wide
 * characters, else one.
 */
#ifndef OP_BASE_TEXT_WIDTH_H
#define OP_BASE_TEXT_WIDTH_H

#include "base/buf.h"

/* Columns of one character: 0, 1 or 2. */
uint32_t op_char_columns(uint32_t code);

/* Columns of a text. If it is not UTF-8, that is a guess. */
uint32_t op_text_columns(struct op_view v);

/* The characters at the start of v, which is UTF-8, that fit into so many
 * columns; *used is what they take. */
struct op_view op_text_fit(struct op_view v, uint32_t columns, uint32_t *used);

/* Appends v in exactly so many columns: made printable, cut if it is too long,
 * and padded with spaces. Without utf8 other characters than ASCII become
 * question marks. */
void op_buf_columns(struct op_buf *out, struct op_view v, uint32_t columns,
		    bool utf8);

/* Appends v made printable, without utf8 as ASCII. */
void op_buf_terminal(struct op_buf *out, struct op_view v, bool utf8);

#endif
