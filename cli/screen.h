// SPDX-License-Identifier: Apache-2.0
/* cli/screen.h: the terminal as a screen of its own: keys come one by one, and
 * the lines before are there again at the end, however that comes.
 *
 *	if (!screen_open(err)) {
 *		while (... && (key = screen_key()) != SCREEN_END)
 *			screen_draw(&text);
 *		screen_close();
 *	}
 */
#ifndef OP_CLI_SCREEN_H
#define OP_CLI_SCREEN_H

#include "base/buf.h"

/* What screen_key() gives besides bytes. */
enum {
	SCREEN_END = 256, /* the terminal is gone */
	SCREEN_REDRAW,	  /* the size changed, or the program went on */
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_ESCAPE,
	SCREEN_OTHER,
};

enum screen_colours { SCREEN_PLAIN, SCREEN_8, SCREEN_256 };

/* Whether standard input and output are a terminal that can do it. */
bool screen_can(void);

int screen_open(struct op_err *err);
void screen_close(void);

void screen_size(uint32_t *rows, uint32_t *columns);

/* By TERM and NO_COLOR. */
enum screen_colours screen_colours(void);

/* Waits for a key. */
int screen_key(void);

/* Appends the sequence that moves to a place, from 0. */
void screen_at(struct op_buf *out, uint32_t row, uint32_t column);

/* Writes what was made for the screen, in which foreign text is printable, and
 * empties it. */
void screen_draw(struct op_buf *out);

#endif
