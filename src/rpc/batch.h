// SPDX-License-Identifier: Apache-2.0
/* rpc/batch.h: makes of profiles the messages that may be sent.
 *
 * A message is at most `max` bytes, and each of its profiles has an id, so that
 * a receiver can drop a repeat. What is too large is split by samples, if it
 * must be by observations; each part has tables of only what it needs and
 * profiles with ids of their own. */
#ifndef OP_RPC_BATCH_H
#define OP_RPC_BATCH_H

#include "model/model.h"

struct op_batch_opts {
	size_t max; /* bytes of a message */
	/* Told of what is too large even by itself and was left out. */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
};

/* Takes a message in protobuf, valid during the call. */
typedef int op_message_fn(void *ctx, struct op_view message,
			  struct op_err *err);

int op_batch_model(const struct op_model *m, const struct op_batch_opts *opts,
		   op_message_fn *fn, void *ctx, struct op_err *err);

/* The same of an OTLP message. One of today's layout that is small enough and
 * whose profiles have ids is passed on as it is, without being decoded. */
int op_batch_message(struct op_view message, const struct op_batch_opts *opts,
		     op_message_fn *fn, void *ctx, struct op_err *err);

#endif
