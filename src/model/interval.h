// SPDX-License-Identifier: Apache-2.0
/* model/interval.h: observations that last.
 *
 * Of some sample types (time off the CPU, waits) an observation is an
 * interval: its value is the length in nanoseconds, its timestamp the start.
 * One scope stamps the end. Where a source samples intervals, in proportion to
 * their length d with mean M, the value is a weight, w = d / (1 - e^(-d/M)),
 * and the profile's period is M.
 */
#ifndef OP_MODEL_INTERVAL_H
#define OP_MODEL_INTERVAL_H

#include "model/model.h"

enum op_stamp {
	OP_STAMP_POINT, /* not an interval */
	OP_STAMP_START,
	OP_STAMP_END,
};

struct op_interval_kind {
	enum op_stamp stamp;
	int64_t mean_ns; /* the values are weights; 0: they are lengths */
};

struct op_interval_kind op_interval_kind(const struct op_model *m,
					 const struct op_scope *scope,
					 const struct op_profile *p);

/* The length that has this weight. The least weight is the mean, of length 0:
 * what is less gives 0 too. */
double op_interval_length(double weight, double mean);

/* Times from <= t < to. */
struct op_range {
	uint64_t from, to;
};

/* Cuts an observation to what overlaps the range, a weight by the share that
 * is left. Cut at one point, the two parts add up to the whole. False: nothing
 * is left, and value and time are as they were. */
bool op_interval_clip(struct op_interval_kind kind, struct op_range range,
		      int64_t *value, uint64_t *time_ns);

#endif
