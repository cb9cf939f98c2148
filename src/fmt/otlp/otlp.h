// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/otlp.h: OTLP Profiles messages (ProfilesData, which on the wire is
 * also ExportProfilesServiceRequest) to and from the model. */
#ifndef OP_FMT_OTLP_OTLP_H
#define OP_FMT_OTLP_OTLP_H

#include "fmt/signal.h"
#include "model/model.h"
#include "pb/shape.h"
#include "pb/write.h"

struct op_dialect;
struct op_read_opts;
struct op_sink;

struct op_otlp_opts {
	/* Keep ids that point past their table, and ids of links and profiles
	 * of a wrong length, for op_check() to find; without it they are an
	 * error with their byte offset. */
	bool unchecked;
	/* Base of offsets in errors: where msg begins in its file. */
	uint64_t at;
	/* What the message is, for who knows; NULL: told from its bytes. */
	const struct op_dialect *dialect;
	/* Where remarks about the message go, and whether what has to be
	 * skipped is an error; may be NULL. */
	const struct op_read_opts *read;
};

/* Decodes one message of any dialect from v1.4 on into an empty model, whose
 * quota may be set. The model has views of msg. m->dialect names what was
 * found; m->dialect_note is set if another was as likely. On failure the model
 * holds nothing useful and is to be freed. */
int op_otlp_decode(struct op_model *m, struct op_view msg,
		   const struct op_otlp_opts *opts, struct op_err *err);

/* Appends the message in today's dialect to w; the caller ends w. Strings that
 * are not UTF-8 are made so. */
int op_otlp_encode(const struct op_model *m, struct op_pbw *w);

/* Writes the same bytes into a sink; memory does not grow with the number of
 * samples. */
int op_otlp_write(const struct op_model *m, struct op_sink *out,
		  struct op_err *err);

/* Calls fn with each message of a file, which is not empty, undecoded. */
int op_otlp_each(struct op_view in, op_message_fn *fn, void *ctx,
		 struct op_err *err);

/* How much of a message has a meaning in the dialect that explains most. */
struct op_pb_share op_otlp_explain(struct op_view msg, size_t limit);

/* How well a file looks like OTLP, 0 to 100; it is not empty. */
int op_otlp_sniff(struct op_view in);

#endif
