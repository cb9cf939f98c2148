// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/pprof.h: pprof's profile.proto to and from the model. */
#ifndef OP_FMT_PPROF_PPROF_H
#define OP_FMT_PPROF_PPROF_H

#include "fmt/format.h"
#include "pb/write.h"

/* Reads a message into an empty model, whose quota may be set. On failure the
 * model is to be freed. */
int op_pprof_decode(struct op_model *m, struct op_view msg, struct op_err *err);

/* Writes the profiles of a model as one message to w; the caller ends w. opts
 * may be NULL. */
int op_pprof_encode(const struct op_model *m, const struct op_write_opts *opts,
		    struct op_pbw *w);

#endif
