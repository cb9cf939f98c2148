// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/tracing.h: names of tracepoints. */
#ifndef OP_FMT_PERF_TRACING_H
#define OP_FMT_PERF_TRACING_H

struct op_perf;

/* Names the tracepoints that have no name yet. */
void op_perf_tracing_names(struct op_perf *f);

#endif
