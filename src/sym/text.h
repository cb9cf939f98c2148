// SPDX-License-Identifier: Apache-2.0
/* sym/text.h: lines of hexadecimal numbers and names. */
#ifndef OP_SYM_TEXT_H
#define OP_SYM_TEXT_H

#include "base/hex.h"

/* Splits the next line off a text, without its newline. False if there is none;
 * a last line need not end in a newline. */
op_inline bool op_text_line(struct op_view *text, struct op_view *line)
{
	const uint8_t *end;

	if (!text->n)
		return false;
	end = memchr(text->p, '\n', text->n);
	line->p = text->p;
	line->n = end ? (size_t)(end - text->p) : text->n;
	text->p += line->n + (end != NULL);
	text->n -= line->n + (end != NULL);
	return true;
}

/* Splits a number of 1 to 16 hex digits, optionally with "0x", and the space
 * after it off a line. */
op_inline bool op_text_hex(struct op_view *line, uint64_t *out)
{
	size_t i = 0;
	uint64_t v = 0;
	int d;

	if (line->n > 2 && line->p[0] == '0' && line->p[1] == 'x')
		*line = op_view(line->p + 2, line->n - 2);
	while (i < line->n && i < 17 && (d = op_hex_digit(line->p[i])) >= 0) {
		v = v << 4 | (unsigned int)d;
		i++;
	}
	if (!i || i > 16 || i >= line->n || line->p[i] != ' ')
		return false;
	*out = v;
	*line = op_view(line->p + i + 1, line->n - i - 1);
	return true;
}

#endif
