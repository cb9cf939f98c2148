// SPDX-License-Identifier: Apache-2.0
/* model/interval.h: observations with a duration.
 *
 * For some sample types (time off the CPU, waits) an observation is an
 * interval: its value is the length in nanoseconds, its timestamp the start.
 * One scope stamps the end instead. If a source samples intervals in proportion
 * to their length d with mean M, the value is a weight, w = d / (1 - e^(-d/M)),
 * and the period of the profile is M.
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
	int64_t mean_ns; /* if not 0, values are weights */
};

struct op_interval_kind op_interval_kind(const struct op_model *m,
					 const struct op_scope *scope,
					 const struct op_profile *p);

/* The length with this weight. The lowest weight is the mean, of length 0;
 * lower weights give 0 too. */
double op_interval_length(double weight, double mean);

/* Times from <= t < to. */
struct op_range {
	uint64_t from, to;
};

/* From when to when an observation lasts, held at the ends of uint64_t; a point
 * begins and ends at its time. */
op_inline struct op_range op_interval_span(struct op_interval_kind kind,
					   int64_t value, uint64_t time_ns)
{
	struct op_range span = { time_ns, time_ns };
	uint64_t length = (uint64_t)value;

	if (kind.stamp == OP_STAMP_POINT || value <= 0)
		return span;
	if (op_unlikely(kind.mean_ns))
		length = (uint64_t)(op_interval_length((double)value,
						       (double)kind.mean_ns) +
				    0.5);
	if (kind.stamp == OP_STAMP_END)
		span.from = span.to < length ? 0 : span.to - length;
	else if (__builtin_add_overflow(span.from, length, &span.to))
		span.to = UINT64_MAX;
	return span;
}

/* What of a value belongs to a part of its span, which is not a point. The
 * shares of all parts add up to the value. */
int64_t op_interval_share(int64_t value, struct op_range span,
			  struct op_range part);

/* Cuts an observation to its overlap with the range, and a weight in
 * proportion. The two parts of an observation cut at one point add up to the
 * whole. False: there is no overlap, and value and time are unchanged. */
bool op_interval_clip(struct op_interval_kind kind, struct op_range range,
		      int64_t *value, uint64_t *time_ns);

#endif
