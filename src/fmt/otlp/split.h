// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split.h: encodes profiles as messages to be sent.
 *
 * A message has at most `max` bytes, and each of its profiles has an ID, so
 * that a receiver can drop a duplicate. Profiles stay whole if they fit; a
 * profile that is too large is split between its samples, and a sample that is
 * too large between its observations. Each message has the rows that it needs.
 * Each part of a profile has its time, attributes, resource and scope, an ID of
 * its own, and no original payload. */
#ifndef OP_FMT_OTLP_SPLIT_H
#define OP_FMT_OTLP_SPLIT_H

#include "fmt/format.h"
#include "fmt/signal.h"

struct op_split_opts {
	size_t max; /* bytes of a message */
	/* Receives a message about data that is too large even by itself and
	 * was dropped; may be NULL. */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
	/* The format to write, NULL: OTLP; and its options. */
	const struct op_format *format;
	const struct op_write_opts *write;
};

int op_split_model(const struct op_model *m, const struct op_split_opts *opts,
		   op_message_fn *fn, void *ctx, struct op_err *err);

/* The same for an OTLP message. One of the current wire version that is small
 * enough and whose profiles have IDs is passed on as is, without being decoded.
 */
int op_split_message(struct op_view message, const struct op_split_opts *opts,
		     op_message_fn *fn, void *ctx, struct op_err *err);

#endif
