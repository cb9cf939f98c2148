// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/pprof.h: pprof's profile.proto to and from the model. */
#ifndef OP_FMT_PPROF_PPROF_H
#define OP_FMT_PPROF_PPROF_H

#include "fmt/format.h"
#include "pb/write.h"

/* Reads a message into an empty model, whose quota may be set. On failure the
 * model is to be freed. */
int op_pprof_decode(struct op_model *m, struct op_view msg, struct op_err *err);

/* The same for the body of a log record. Splunk's library for Python has no
 * empty string: its first one is the key of labels that say none. It writes IDs
 * of traces and spans without zeros in front. */
int op_pprof_decode_body(struct op_model *m, struct op_view msg,
			 struct op_err *err);

/* A message of one profile only, as logs carry it. */
struct op_pprof_part {
	const struct op_profile *profile;
	const struct op_scope *scope; /* it is in */
	uint64_t first, nr;	      /* which of its observations */
	/* No types and no values: every sample is one. */
	bool is_bare;
	/* A label with the time in ms, beside ours, which is then there only
	 * where that is not exact. */
	const char *time_ms;
	struct op_kvs labels; /* of every sample; texts and numbers */
	uint64_t *nr_frames;  /* gets the frames of all samples */
	bool *is_lossy;	      /* set if attributes of frames are lost */
	/* Set if samples have attributes with the names of these labels, which
	 * are then left out. */
	bool *has_reserved;
};

/* Writes it to w; the caller ends w. */
int op_pprof_encode_part(const struct op_model *m,
			 const struct op_pprof_part *part, struct op_pbw *w);

/* Writes the profiles of a model as one message to w; the caller ends w. opts
 * may be NULL. */
int op_pprof_encode(const struct op_model *m, const struct op_write_opts *opts,
		    struct op_pbw *w);

#endif
