// SPDX-License-Identifier: Apache-2.0
/* rpc/watchdog.h: ends requests that a server does not let end.
 *
 * libcurl looks at its clock between the pieces of an answer that it hands on.
 * A server that keeps it busy with what is handed on to nobody (empty frames,
 * pings, settings, endless headers) holds it far beyond the timeout. So a
 * thread of our own shuts the sockets down: when the time is over, when more
 * bytes came than any answer has, or when somebody says stop. It sleeps while
 * there is no request. */
#ifndef OP_RPC_WATCHDOG_H
#define OP_RPC_WATCHDOG_H

#include "base/err.h"

struct op_watchdog;

enum op_cut {
	OP_CUT_NONE,
	OP_CUT_TIMEOUT,
	OP_CUT_FLOOD,
	OP_CUT_STOPPED,
};

int op_watchdog_new(struct op_watchdog **out, struct op_err *err);

/* All sockets must have been removed. NULL is allowed. */
void op_watchdog_free(struct op_watchdog *w);

/* A request begins. 0 ms: it may take for ever. max_bytes: from the server, on
 * one connection. */
void op_watchdog_begin(struct op_watchdog *w, uint64_t timeout_ms,
		       uint64_t max_bytes);

/* It ended: whether we cut it short. */
enum op_cut op_watchdog_end(struct op_watchdog *w);

/* Whether the request under way was cut short; cheap. */
enum op_cut op_watchdog_cut(const struct op_watchdog *w);

/* A socket of requests, kept from one to the next. False: the request was cut
 * short, or there are too many. It must be removed before it is closed. */
bool op_watchdog_add(struct op_watchdog *w, int fd);
void op_watchdog_remove(struct op_watchdog *w, int fd);

/* From any thread: cuts the request under way and all that follow. */
void op_watchdog_stop(struct op_watchdog *w);

#endif
