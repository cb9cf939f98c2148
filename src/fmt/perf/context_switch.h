// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/context_switch.h: when threads had a CPU. */
#ifndef OP_FMT_PERF_CONTEXT_SWITCH_H
#define OP_FMT_PERF_CONTEXT_SWITCH_H

#include "base/port.h"

struct op_perf_switches {
	uint32_t intervals[2]; /* profiles of times off and on a CPU */
	bool is_wanted;
	uint32_t state_at, next_at; /* in raw data of sched:sched_switch */
};

struct op_perf;
struct op_perf_event;
struct op_perf_record;
struct op_perf_sample;

void op_perf_switch_begin(struct op_perf *f);
void op_perf_switch(struct op_perf *f, const struct op_perf_record *r);
void op_perf_switch_sample(struct op_perf *f, const struct op_perf_event *e,
			   const struct op_perf_sample *s, size_t frames_at);

#endif
