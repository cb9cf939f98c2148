// SPDX-License-Identifier: Apache-2.0
/* query/lanes.h: threads over time.
 *
 * A thread has a lane, in which observations that last are intervals in some
 * state: that of the label "state", else the sample type, as "park". Points are
 * too many to be kept one by one; they are counted by state in buckets of time.
 * Intervals are those of all types in the model; points are of one type, as
 * time on the CPU and wall-clock time would count the same time twice.
 */
#ifndef OP_QUERY_LANES_H
#define OP_QUERY_LANES_H

#include "query/buckets.h"
#include "query/totals.h"

/* A state that a thread is in. */
struct op_lane_state {
	uint32_t text; /* of texts */
	bool waits;    /* nothing is done in it */
};

/* What a thread does in one state. */
struct op_lane_part {
	uint32_t lane, state;
	uint64_t time_ns; /* of intervals, and of points if it is known */
	uint64_t nr_points;
	uint64_t *points;		 /* per bucket; NULL: there are none */
	uint32_t interval, nr_intervals; /* of intervals, by their start */
};

struct op_lane_interval {
	uint32_t lane, state;
	struct op_range span;
};

struct op_lane {
	uint32_t process, thread; /* of texts */
	struct op_range time;	  /* from its first to its last */
	uint64_t busy_ns, waiting_ns;
	uint64_t nr_points, nr_intervals;
	uint32_t part, nr_parts; /* of parts, the longest first */
};

struct op_lanes {
	struct op_groups groups; /* by process, thread and state */
	struct op_arena mem;
	struct op_buckets buckets;    /* nr 0: there are no times */
	OP_VEC(struct op_lane) lanes; /* the busiest first */
	OP_VEC(struct op_lane_state) states;
	OP_VEC(struct op_lane_part) parts;
	OP_VEC(struct op_lane_interval) intervals;
	/* What a point of time_ns 0 is worth where one has to be compared with
	 * an interval: as if the thread with most of them had never rested. */
	double point_ns;
	uint64_t nr_untimed;
};

struct op_lanes_opts {
	const struct op_profile *like; /* has the type of the points */
	const char *types;   /* of the intervals, as in --type; NULL: all */
	uint32_t nr_columns; /* how many buckets there are */
};

/* l is all zero; on failure it is to be freed too. */
int op_lanes_build(struct op_lanes *l, const struct op_model *m,
		   const struct op_lanes_opts *opts, struct op_err *err);
void op_lanes_free(struct op_lanes *l);

op_inline struct op_view op_lane_text(const struct op_lanes *l, uint32_t text)
{
	return op_text(&l->groups.texts, text);
}

/* Whether a thread that is in a state waits, by its text; for samples without a
 * state of their own by their type, of which lasts says whether they do. */
bool op_lane_state_waits(struct op_view state);
bool op_lane_type_waits(struct op_view type, bool lasts);

/* How many nanoseconds a value of 1 stands for; 0: not known. */
uint64_t op_lane_value_ns(const struct op_model *m, const struct op_profile *p);

/* The state that a thread is in for most of a bucket, and how much of it. */
struct op_lane_cell {
	uint32_t state; /* OP_NO_ID: nothing is known */
	double share;	/* 0 to 1 */
};

/* The cells of a lane: as many as there are buckets. scratch: all zero at
 * first, kept for the next lane, and freed by the caller. */
int op_lane_cells(const struct op_lanes *l, uint32_t lane,
		  struct op_arena *scratch, struct op_lane_cell *out,
		  struct op_err *err);

#endif
