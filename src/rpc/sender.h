// SPDX-License-Identifier: Apache-2.0
/* rpc/sender.h: combines configuration, client and exporter, for otprof.h and
 * the send command. */
#ifndef OP_RPC_SENDER_H
#define OP_RPC_SENDER_H

#include "rpc/exporter.h"
#include "rpc/resource.h"

struct op_sender_opts {
	/* The endpoint is that of one signal. It serves the others too if it
	 * has no path and they have no endpoint of their own. */
	struct op_rpc_opts rpc;
	enum op_signal signal;
	const char *endpoints[OP_NR_SIGNALS]; /* NULL: as above */
	/* Whether a signal is sent: its configuration is read at once, or when
	 * a message of it is found in the spool. */
	enum { OP_SEND_NEVER, OP_SEND_NOW, OP_SEND_LATER } when[OP_NR_SIGNALS];
	bool is_splunk; /* logs carry Splunk's profiles (op_rpc_opts) */
	/* send, stop and clock are not used. queue_requests: the queue holds
	 * this many requests of maximum size, whatever queue_bytes says. */
	struct op_exporter_opts exporter;
	unsigned int queue_requests;
};

struct op_sender {
	struct op_sender_opts opts;
	struct op_rpc_env env; /* of the process; each warning is given once */
	struct op_rpc_config to[OP_NR_SIGNALS];
	bool has_to[OP_NR_SIGNALS];
	struct op_rpc_resource resource; /* from the variables */
	struct op_client *client;
	struct op_exporter *exporter;
	uint32_t warned[16]; /* hashes */
	size_t nr_warned;
};

/* The caller owns the strings of opts. They are used only during the call, or
 * as long as the sender if a signal is configured later. Call op_sender_close()
 * in either case. */
int op_sender_open(struct op_sender *s, const struct op_sender_opts *opts,
		   struct op_err *err);
void op_sender_close(struct op_sender *s);

/* The maximum size of a message of a signal, before compression. */
size_t op_sender_max(const struct op_sender *s, enum op_signal signal);

#endif
