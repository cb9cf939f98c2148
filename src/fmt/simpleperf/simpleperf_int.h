// SPDX-License-Identifier: Apache-2.0
/* fmt/simpleperf/simpleperf_int.h: between the files of simpleperf's reports.
 *
 *	report.c      records of a file
 *	read.c        into the model
 *	simpleperf.c  the format, and what records a file has
 */
#ifndef OP_FMT_SIMPLEPERF_SIMPLEPERF_INT_H
#define OP_FMT_SIMPLEPERF_SIMPLEPERF_INT_H

#include "fmt/format.h"
#include "fmt/simpleperf/report.h"

int op_simpleperf_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err);

#endif
