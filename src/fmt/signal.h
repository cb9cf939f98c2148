// SPDX-License-Identifier: Apache-2.0
/* fmt/signal.h: the signals of OTLP that are sent, and what can be done with
 * their messages. */
#ifndef OP_FMT_SIGNAL_H
#define OP_FMT_SIGNAL_H

#include "base/buf.h"

enum op_signal { OP_SIGNAL_PROFILES, OP_SIGNAL_LOGS, OP_NR_SIGNALS };

struct op_split_opts;

/* Takes a message, valid during the call. */
typedef int op_message_fn(void *ctx, struct op_view message,
			  struct op_err *err);

struct op_signal_ops {
	const char *rows; /* what a server takes or rejects */
	/* A message as OTLP/JSON, into an empty buffer. */
	int (*to_json)(struct op_view message, struct op_buf *out,
		       struct op_err *err);
	/* A message as smaller ones (fmt/otlp/split.h); NULL: it cannot be
	 * split. */
	int (*split)(struct op_view message, const struct op_split_opts *opts,
		     op_message_fn *fn, void *ctx, struct op_err *err);
};

extern const struct op_signal_ops op_signals[OP_NR_SIGNALS];

#endif
