// SPDX-License-Identifier: Apache-2.0
/* query/lane_cells.c: what a thread did most in each bucket of time. */
#include "base/budget.h"
#include "query/lanes.h"

enum { STEPS_A_BUCKET = 4 };

struct shading {
	const struct op_lanes *l;
	double *ns; /* of one part, per bucket */
	uint64_t steps;
	struct op_err *err;
};

/* A point that stands for more time than a bucket has fills those after it,
 * too, up to the next point. */
static void points_shade(struct shading *s, const struct op_lane_part *p)
{
	const struct op_buckets *buckets = &s->l->buckets;
	bool is_known = p->time_ns && !p->nr_intervals;
	double each = is_known ? (double)p->time_ns / (double)p->nr_points :
				 s->l->point_ns;
	double rest = 0;

	if (!p->points)
		return;
	for (uint32_t b = 0; b < buckets->nr; b++) {
		double length = (double)op_bucket_length(buckets, b);

		if (p->points[b]) {
			s->ns[b] += each * (double)p->points[b];
			rest = is_known ? each : 0;
		} else if (rest > 0) {
			s->ns[b] += length;
		}
		rest -= length;
	}
}

static void interval_shade(struct shading *s, struct op_range span)
{
	const struct op_buckets *b = &s->l->buckets;
	uint32_t first = op_bucket_of(b, span.from);
	uint32_t last = span.to > span.from ? op_bucket_of(b, span.to - 1) :
					      first;

	if (first == OP_MAX_BUCKETS || last == OP_MAX_BUCKETS ||
	    !op_steps(&s->steps, (last - first + 1ull) * STEPS_A_BUCKET,
		      s->err))
		return;
	for (uint32_t i = first; i <= last; i++) {
		uint64_t from = op_bucket_begin(b, i);
		uint64_t to = op_bucket_begin(b, i + 1);

		if (from < span.from)
			from = span.from;
		if (to > span.to)
			to = span.to;
		/* A wait too short for the clock is still one. */
		s->ns[i] += to > from ? (double)(to - from) : 1;
	}
}

static void part_shade(struct shading *s, const struct op_lane_part *p,
		       struct op_lane_cell *out)
{
	const struct op_buckets *b = &s->l->buckets;

	if (!op_steps(&s->steps, (uint64_t)b->nr * STEPS_A_BUCKET, s->err))
		return;
	memset(s->ns, 0, b->nr * sizeof(*s->ns));
	points_shade(s, p);
	for (uint32_t i = 0; i < p->nr_intervals && !s->err->code; i++)
		interval_shade(s, s->l->intervals.p[p->interval + i].span);
	for (uint32_t i = 0; i < b->nr; i++) {
		double share = s->ns[i] / (double)op_bucket_length(b, i);

		if (share > out[i].share)
			out[i] = (struct op_lane_cell){ p->state,
							share < 1 ? share : 1 };
	}
}

int op_lane_cells(const struct op_lanes *l, uint32_t lane,
		  struct op_arena *scratch, struct op_lane_cell *out,
		  struct op_err *err)
{
	const struct op_lane *x = &l->lanes.p[lane];
	struct shading s = { .l = l, .err = err };

	op_arena_tells(scratch, err);
	op_arena_reset(scratch);
	s.ns = op_new_raw(scratch, double, l->buckets.nr);
	if (!s.ns)
		return err->code;
	for (uint32_t b = 0; b < l->buckets.nr; b++)
		out[b] = (struct op_lane_cell){ .state = OP_NO_ID };
	for (uint32_t k = 0; k < x->nr_parts && !err->code; k++)
		part_shade(&s, &l->parts.p[x->part + k], out);
	return err->code;
}
