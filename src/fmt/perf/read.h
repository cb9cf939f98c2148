// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/read.h: a recording as a model. */
#ifndef OP_FMT_PERF_READ_H
#define OP_FMT_PERF_READ_H

#include "fmt/format.h"

int op_perf_read(struct op_view in, const struct op_read_opts *opts,
		 op_model_fn *fn, void *ctx, struct op_err *err);

#endif
