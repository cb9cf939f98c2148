// SPDX-License-Identifier: Apache-2.0
/* rpc/watchdog.h: ends requests that a server keeps open.
 *
 * libcurl checks its clock only when it delivers parts of a response. A server
 * that sends data which is never delivered (empty frames, pings, settings,
 * endless headers) keeps it busy far beyond the timeout. So a thread of our own
 * shuts the sockets down: on timeout, when more bytes were received than any
 * response has, or on request. It sleeps while there is no request. */
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

/* A request starts. 0 ms: no time limit. max_bytes: from the server, per
 * connection. */
void op_watchdog_begin(struct op_watchdog *w, uint64_t timeout_ms,
		       uint64_t max_bytes);

/* The request ended. Returns whether it was aborted. */
enum op_cut op_watchdog_end(struct op_watchdog *w);

/* Whether the request in flight was aborted; cheap. */
enum op_cut op_watchdog_cut(const struct op_watchdog *w);

/* A socket of requests, which may be reused. False: the request was aborted, or
 * there are too many sockets. It must be removed before it is closed. */
bool op_watchdog_add(struct op_watchdog *w, int fd);
void op_watchdog_remove(struct op_watchdog *w, int fd);

/* From any thread: aborts the request in flight and all later ones. */
void op_watchdog_stop(struct op_watchdog *w);

#endif
