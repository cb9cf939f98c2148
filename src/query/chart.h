// SPDX-License-Identifier: Apache-2.0
/* query/chart.h: observations one by one in the order of time, with the tree of
 * their stacks: a flame chart.
 *
 * Of more observations than can be drawn, those stay that fill a place of their
 * own: for each column of time and each depth of a stack the longest.
 */
#ifndef OP_QUERY_CHART_H
#define OP_QUERY_CHART_H

#include "model/interval.h"
#include "query/flame.h"

enum { OP_CHART_DEPTHS = 256 }; /* deeper stacks count as so deep */

struct op_chart_opts {
	struct op_range range; /* from 0, to 0: of the observations */
	uint32_t nr_columns;   /* at least 1 */
	uint32_t limit;	       /* of observations; at least OP_CHART_DEPTHS */
};

struct op_chart_row {
	uint64_t time, length; /* length 0: a point */
	int64_t value;
	uint32_t stack;
	uint32_t node; /* number of its leaf, parents first; 0: no frame */
};

struct op_chart {
	struct op_arena mem;
	struct op_range range;
	uint64_t nr; /* observations that are in the range, or reach into it */
	OP_VEC(struct op_chart_row) rows; /* by time */
	struct op_flame flame;		  /* the tree of their stacks */
	/* How long a point stands for: a period, or the usual distance of
	 * points; 0: there is at most one. */
	uint64_t step;
};

/* Of all profiles that have the type of like. c is all zero; on failure it is
 * to be freed too. */
int op_chart_build(struct op_chart *c, const struct op_model *m,
		   const struct op_profile *like,
		   const struct op_chart_opts *opts, struct op_err *err);
void op_chart_free(struct op_chart *c);

#endif
