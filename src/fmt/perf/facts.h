// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/facts.h: what the file says of the machine; heads of the
 * profiles. */
#ifndef OP_FMT_PERF_FACTS_H
#define OP_FMT_PERF_FACTS_H

#include "model/model.h"

/* What time it was by the wall when the clock of the records had its time. */
struct op_perf_clock {
	bool is_known;
	uint64_t clock_ns, wall_ns;
};

struct op_perf;
struct op_perf_event;
struct op_perf_pending;

/* Takes a time into that of the profiles. */
void op_perf_widen(struct op_perf *f, uint64_t ns);
void op_perf_fact(struct op_perf *f, const char *key, const struct op_any *v);
/* Makes the profile of an event, if it has none. */
void op_perf_profile(struct op_perf *f, struct op_perf_event *e,
		     uint64_t period);
void op_perf_observe(struct op_perf *f, struct op_perf_event *e,
		     const struct op_perf_pending *w, uint32_t sample);
void op_perf_facts_end(struct op_perf *f);
/* A time of the recording as one since 1970, if it says how. */
uint64_t op_perf_wall(const struct op_perf *f, uint64_t time);

#endif
