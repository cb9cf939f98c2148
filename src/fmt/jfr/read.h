// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/read.h: a recording, chunk by chunk. */
#ifndef OP_FMT_JFR_READ_H
#define OP_FMT_JFR_READ_H

#include "fmt/format.h"
#include "fmt/source.h"

struct op_jfr;

void op_jfr_begin(struct op_jfr *j, struct op_model *m, struct op_err *err);
/* The chunks that begin from one byte to before another. */
void op_jfr_chunks_read(struct op_jfr *j, const struct op_source *file,
			uint64_t from, uint64_t to);

/* Reads a file that is in memory, or in parts if nothing is recovered. */
int op_jfr_read(const struct op_source *in, const struct op_read_opts *opts,
		op_model_fn *fn, void *ctx, struct op_err *err);

#endif
