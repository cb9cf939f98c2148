// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/cpuprofile_int.h: between the files of V8's format. */
#ifndef OP_FMT_CPUPROFILE_CPUPROFILE_INT_H
#define OP_FMT_CPUPROFILE_CPUPROFILE_INT_H

#include "fmt/format.h"

int op_cpuprofile_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err);

int op_cpuprofile_write(const struct op_model *m,
			const struct op_write_opts *opts, struct op_sink *sink,
			struct op_err *err);

#endif
