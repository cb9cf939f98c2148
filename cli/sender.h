// SPDX-License-Identifier: Apache-2.0
/* cli/sender.h: what `otprof send` sends with: an exporter and its client, a
 * line of progress, and patience that ends. */
#ifndef OP_CLI_SENDER_H
#define OP_CLI_SENDER_H

#include "cli.h"
#include "rpc/sender.h"

struct sender_opts {
	const char *cmd;
	struct op_rpc_opts rpc;
	enum op_signal signal; /* that rpc is about */
	const char *spool;     /* NULL: none */
	uint64_t retry_ns;     /* without success it gives up after that */
};

struct sender {
	struct sender_opts opts;
	struct op_sender out;
	uint64_t nr_done;  /* messages that were answered for good */
	uint64_t since_ns; /* when that last grew */
	bool gave_up;
	bool was_reported; /* nothing more is to be said */
};

/* Reads how to send the signal; sender_close() is due either way. */
int sender_open(struct sender *s, const struct sender_opts *opts,
		struct op_err *err);

/* Puts a message, as op_exporter_put() does, when there is room. Fails if it
 * gave up, or a signal came; then release is not called. */
int sender_put(struct sender *s, struct op_view message,
	       void (*release)(void *ctx), void *ctx, struct op_err *err);

/* Waits until all is sent, or it gives up; after a signal not for long. */
void sender_flush(struct sender *s);

/* Says what was sent and what was not. The exit status, 0 or 1. */
int sender_report(struct sender *s);

void sender_close(struct sender *s);

#endif
