// SPDX-License-Identifier: Apache-2.0
/* rpc/client.h: sends one message to one endpoint, once.
 *
 * The caller decides whether and when to retry (exporter.h); the reply says
 * what the protocol allows. A client keeps its connections, and messages of
 * several signals may use one client. It belongs to one thread at a time, with
 * SIGPIPE blocked or ignored, because TLS may raise it. */
#ifndef OP_RPC_CLIENT_H
#define OP_RPC_CLIENT_H

#include "rpc/config.h"
#include "rpc/retry.h"

struct op_client;

struct op_answer {
	enum op_verdict verdict;
	uint64_t delay_ns; /* delay that the server asks for; 0: none */
	uint64_t rejected; /* profiles or records that it rejected */
	char text[232];	   /* error or message of the server; "": none */
};

int op_client_new(struct op_client **c, struct op_err *err);
void op_client_free(struct op_client *c);

/* One attempt. message is protobuf, a request of the signal that `to` is for,
 * whatever the protocol. */
void op_client_send(struct op_client *c, const struct op_rpc_config *to,
		    struct op_view message, struct op_answer *a);

/* From any thread: ends the attempt in flight. It and later ones have the
 * verdict OP_VERDICT_RETRY. */
void op_client_stop(struct op_client *c);

#endif
