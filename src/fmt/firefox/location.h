// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/location.h: what Gecko calls a frame, in one string:
 *
 *	0x7fff7d962da1                              an address
 *	nsThread::Run() (in xul) + 12               a symbol and its library
 *	onLoad (https://example.com/app.js:12:5)[3] a function of a script
 *	https://example.com/app.js:12               a script itself
 *	Startup::XRE_Main                           a label
 */
#ifndef OP_FMT_FIREFOX_LOCATION_H
#define OP_FMT_FIREFOX_LOCATION_H

#include "base/arena.h"
#include "base/view.h"

struct op_gecko_location {
	struct op_view name;	/* empty: it is only an address or a script */
	struct op_view file;	/* the script; empty: none */
	struct op_view library; /* empty: none */
	int64_t line, column;	/* of the function's start; 0: unknown */
	uint64_t address;
	bool has_address;
};

struct op_gecko_location op_gecko_location(struct op_view text);

/* The same where it is known to be of a script, or a label. */
struct op_gecko_location op_gecko_script(struct op_view text);

/* "0x" and at most 16 hex digits. */
bool op_gecko_is_address(struct op_view text, uint64_t *out);

/* "file:12": takes the number off the end of the text. */
bool op_gecko_take_number(struct op_view *text, int64_t *out);

#endif
