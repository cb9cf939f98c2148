// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split.h: encodes profiles as messages that may be sent.
 *
 * A message is at most `max` bytes, and each of its profiles has an id, so that
 * a receiver can drop a repeat. Profiles stay whole where they fit; a profile
 * that is too large is cut between its samples, and a sample that is too large
 * between its observations. Each message has the rows that it needs. A profile
 * that is cut has its time, attributes, resource and scope in each part, an id
 * of its own in each, and no original payload. */
#ifndef OP_FMT_OTLP_SPLIT_H
#define OP_FMT_OTLP_SPLIT_H

#include "fmt/format.h"
#include "fmt/signal.h"

struct op_split_opts {
	size_t max; /* bytes of a message */
	/* Receives a sentence about what is too large even by itself and was
	 * left out; may be NULL. */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
	/* What to write, NULL: OTLP; and how. */
	const struct op_format *format;
	const struct op_write_opts *write;
};

int op_split_model(const struct op_model *m, const struct op_split_opts *opts,
		   op_message_fn *fn, void *ctx, struct op_err *err);

/* The same of an OTLP message. One of today's wire version that is small enough
 * and whose profiles have ids is passed on as it is, without being decoded. */
int op_split_message(struct op_view message, const struct op_split_opts *opts,
		     op_message_fn *fn, void *ctx, struct op_err *err);

#endif
