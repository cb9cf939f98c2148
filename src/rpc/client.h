// SPDX-License-Identifier: Apache-2.0
/* rpc/client.h: sends one message to one place, once.
 *
 * Whether and when to try again is the caller's decision (exporter.h); the
 * answer says what the protocol allows. A client keeps its connections, and
 * messages of several signals may go through one client. It belongs to one
 * thread at a time, with SIGPIPE blocked or ignored: TLS may raise it. */
#ifndef OP_RPC_CLIENT_H
#define OP_RPC_CLIENT_H

#include "rpc/config.h"
#include "rpc/retry.h"

struct op_client;

struct op_answer {
	enum op_verdict verdict;
	uint64_t delay_ns; /* the server asks to wait so long; 0: it does not */
	uint64_t rejected; /* profiles or records that it did not take */
	char text[232];	   /* what went wrong or was said; "": nothing */
};

int op_client_new(struct op_client **c, struct op_err *err);
void op_client_free(struct op_client *c);

/* One try. message is protobuf, a request of the signal that `to` is about,
 * whatever the protocol. */
void op_client_send(struct op_client *c, const struct op_rpc_config *to,
		    struct op_view message, struct op_answer *a);

/* From any thread: a try under way ends, and it and those to come have the
 * verdict OP_VERDICT_RETRY. */
void op_client_stop(struct op_client *c);

#endif
