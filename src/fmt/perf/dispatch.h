// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/dispatch.h: what each record means. */
#ifndef OP_FMT_PERF_DISPATCH_H
#define OP_FMT_PERF_DISPATCH_H

struct op_perf;
struct op_perf_record;

void op_perf_dispatch(struct op_perf *f, const struct op_perf_record *r);

#endif
