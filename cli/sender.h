// SPDX-License-Identifier: Apache-2.0
/* cli/sender.h: the sending side of `otprof send`: an exporter and its client,
 * a progress line, and a time limit; and the end of those of other commands. */
#ifndef OP_CLI_SENDER_H
#define OP_CLI_SENDER_H

#include "cli.h"
#include "rpc/sender.h"

struct sender_opts {
	const char *cmd;
	struct op_rpc_opts rpc;
	enum op_signal signal; /* of the messages */
	const char *spool;     /* NULL: none */
	uint64_t retry_ns;     /* gives up after this time without success */
};

struct sender {
	struct sender_opts opts;
	struct op_sender out;
	uint64_t nr_done;  /* messages accepted or rejected for good */
	uint64_t since_ns; /* when that last grew */
	bool gave_up;
	bool was_reported; /* nothing more to report */
};

/* Reads the configuration for the signal; call sender_close() in either case.
 */
int sender_open(struct sender *s, const struct sender_opts *opts,
		struct op_err *err);

/* Puts a message, like op_exporter_put(), when there is room. Fails if the
 * sender gave up or a signal arrived; then release is not called. */
int sender_put(struct sender *s, struct op_view message,
	       void (*release)(void *ctx), void *ctx, struct op_err *err);

/* Waits until everything is sent or the sender gives up; only briefly after a
 * signal. */
void sender_flush(struct sender *s);

/* Reports what was sent and what was not. Returns the exit status, 0 or 1. */
int sender_report(struct sender *s);

void sender_close(struct sender *s);

/* The end of an exporter of a command that does not only send: waits for the
 * server, ten seconds at most, stops, and reports what was not accepted and
 * what waits in the spool, which may be NULL. False: a message was not
 * accepted. */
bool sender_finish(struct op_exporter *e, const char *cmd, const char *spool);

#endif
