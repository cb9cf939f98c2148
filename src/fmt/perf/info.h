// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/info.h: what records a recording holds, for show. */
#ifndef OP_FMT_PERF_INFO_H
#define OP_FMT_PERF_INFO_H

#include "fmt/format.h"

/* Calls fn for each event with samples, then for each type of record, the most
 * frequent first. */
int op_perf_info(struct op_view in, op_info_fn *fn, void *ctx,
		 struct op_err *err);

#endif
