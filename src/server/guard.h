// SPDX-License-Identifier: Apache-2.0
/* server/guard.h: who may ask a server on this machine.
 *
 * The address has a random token, which other users and other pages do not
 * know. As a second line of defense the headers of a browser are checked: Host
 * must be this server's (a foreign name that was made to lead here is not), and
 * Origin and Sec-Fetch-Site must not be of another page.
 */
#ifndef OP_SERVER_GUARD_H
#define OP_SERVER_GUARD_H

#include "base/err.h"
#include "server/request.h"

enum { OP_TOKEN_CHARS = 32 }; /* 128 bits */

struct op_guard {
	char token[OP_TOKEN_CHARS + 1];
	uint16_t port;
};

/* Makes a token. */
int op_guard_init(struct op_guard *g, struct op_err *err);

/* Why a request is refused, as a sentence; NULL: it is not. */
const char *op_guard_refuses(const struct op_guard *g,
			     const struct op_request *r);

/* Takes "/TOKEN" off the front of a path; false: it is not there. */
bool op_guard_enter(const struct op_guard *g, struct op_view *path);

#endif
