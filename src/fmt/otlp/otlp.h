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
	/* Keep IDs that point past their table, and IDs of links and profiles
	 * of a wrong length, for op_check() to find; otherwise they are an
	 * error with their byte offset. */
	bool unchecked;
	/* Base of offsets in errors: the position of msg in its file. */
	uint64_t at;
	/* The wire version, if known; NULL: auto-detect. */
	const struct op_dialect *dialect;
	/* Receives notes about the message, and says whether skipped input is
	 * an error; may be NULL. */
	const struct op_read_opts *read;
};

/* Decodes one message of any version from v1.4 on into an empty model, whose
 * quota may be set. The model has views of msg. m->dialect names the version
 * that was found; m->dialect_note is set if another was as likely. On failure
 * the model has no useful content and must be freed. */
int op_otlp_decode(struct op_model *m, struct op_view msg,
		   const struct op_otlp_opts *opts, struct op_err *err);

/* Appends the message in the current version to w; the caller ends w. Repairs
 * strings that are not UTF-8. */
int op_otlp_encode(const struct op_model *m, struct op_pbw *w);

/* Writes the same bytes to a sink; memory does not grow with the number of
 * samples. */
int op_otlp_write(const struct op_model *m, struct op_sink *out,
		  struct op_err *err);

/* Calls fn with each message of a file, which is not empty, undecoded. */
int op_otlp_each(struct op_view in, op_message_fn *fn, void *ctx,
		 struct op_err *err);

/* How much of a message has a meaning in the version that explains most. */
struct op_pb_share op_otlp_explain(struct op_view msg, size_t limit);

/* How well a file looks like OTLP, 0 to 100; it is not empty. */
int op_otlp_sniff(struct op_view in);

#endif
