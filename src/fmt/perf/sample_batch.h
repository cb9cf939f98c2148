// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/sample_batch.h: samples into profiles, many at a time. */
#ifndef OP_FMT_PERF_SAMPLE_BATCH_H
#define OP_FMT_PERF_SAMPLE_BATCH_H

#include "base/port.h"

/* A sample that was read, and waits to be found. */
struct op_perf_pending {
	uint64_t time, period;
	uint32_t event; /* index */
	uint32_t set;
	uint32_t frames_at, nr_frames; /* of op_perf.rows.frames */
};

enum { OP_PERF_BATCH = 64 }; /* at most the bits of a word */

struct op_perf_batch {
	struct op_perf_pending pending[OP_PERF_BATCH];
	uint32_t nr;
};

struct op_perf;

void op_perf_batch_add(struct op_perf *f, const struct op_perf_pending *w);
/* Puts all that wait into their profiles. */
void op_perf_batch_end(struct op_perf *f);

#endif
