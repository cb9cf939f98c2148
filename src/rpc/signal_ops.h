// SPDX-License-Identifier: Apache-2.0
/* rpc/signal_ops.h: operations on the messages of a signal. */
#ifndef OP_RPC_SIGNAL_OPS_H
#define OP_RPC_SIGNAL_OPS_H

#include "base/buf.h"
#include "fmt/otlp/split.h"

struct op_signal_ops {
	const char *rows; /* what a server accepts or rejects */
	/* A message as OTLP/JSON, into an empty buffer. */
	int (*to_json)(struct op_view message, struct op_buf *out,
		       struct op_err *err);
	/* Splits a message into smaller ones (fmt/otlp/split.h); NULL: it
	 * cannot be split. */
	int (*split)(struct op_view message, const struct op_split_opts *opts,
		     op_message_fn *fn, void *ctx, struct op_err *err);
};

extern const struct op_signal_ops op_signals[OP_NR_SIGNALS];

#endif
