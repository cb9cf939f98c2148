// SPDX-License-Identifier: Apache-2.0
/* cli/chart.h: bars and shades in text: block characters on a terminal with
 * UTF-8, ASCII anywhere else. */
#ifndef OP_CLI_CHART_H
#define OP_CLI_CHART_H

#include "base/buf.h"

struct chart {
	bool utf8;
	bool colours;
	uint32_t width; /* of a line */
};

/* By the environment and standard output. */
void chart_init(struct chart *c);

/* Appends a bar of this share of a width. */
void chart_bar(struct op_buf *out, const struct chart *c, double share,
	       uint32_t width);

/* Appends one character: a bar from the bottom, or a shade. Something is never
 * shown as nothing. */
void chart_height(struct op_buf *out, const struct chart *c, double share);
void chart_shade(struct op_buf *out, const struct chart *c, double share);

/* Appends two shades, one above the other, as a character in two colours; only
 * with colours and UTF-8. */
void chart_colours(struct op_buf *out, double upper, double lower);
extern const char chart_plain[];

/* The shortest time that people count in, of this length at least. */
uint64_t chart_step(uint64_t ns);

#endif
