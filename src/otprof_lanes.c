// SPDX-License-Identifier: Apache-2.0
/* src/otprof_lanes.c: threads over time, for include/otprof.h. */
#include "otprof_view.h"
#include "query/lanes.h"

enum { DEFAULT_BUCKETS = 60 };

struct otprof_lanes {
	struct otprof_view_ view;
	struct op_lanes l;
	struct otprof_lanes_info info;
};

static struct otprof_interval *intervals_make(struct otprof_lanes *x)
{
	const struct op_lanes *l = &x->l;
	size_t n = l->intervals.n;
	struct otprof_interval *out = op_new(&x->view.mem,
					     struct otprof_interval, n);

	for (size_t i = 0; out && i < n; i++)
		out[i] = (struct otprof_interval){ l->intervals.p[i].span.from,
						   l->intervals.p[i].span.to };
	return out;
}

static struct otprof_lane_state *states_make(struct otprof_lanes *x)
{
	const struct op_lanes *l = &x->l;
	size_t n = l->parts.n;
	struct otprof_interval *intervals = intervals_make(x);
	struct otprof_lane_state *out = op_new(&x->view.mem,
					       struct otprof_lane_state, n);

	if (!intervals)
		return NULL;
	for (size_t i = 0; out && i < n; i++) {
		const struct op_lane_part *p = &l->parts.p[i];
		const struct op_lane_state *s = &l->states.p[p->state];

		out[i] = (struct otprof_lane_state){
			.sz = sizeof(*out),
			.state = otprof_str_of(op_lane_text(l, s->text)),
			.waits = s->waits,
			.time_nano = p->time_ns,
			.nr_points = p->nr_points,
			.points = p->points,
			.nr_intervals = p->nr_intervals,
			.intervals = intervals + p->interval,
		};
	}
	return out;
}

static int lanes_rows(struct otprof_lanes *x, struct op_err *err)
{
	const struct op_lanes *l = &x->l;
	size_t n = l->lanes.n;
	struct otprof_lane_state *states = states_make(x);
	struct otprof_lane *rows = op_new(&x->view.mem, struct otprof_lane, n);

	if (!states || !rows)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		const struct op_lane *r = &l->lanes.p[i];

		rows[i] = (struct otprof_lane){
			.sz = sizeof(*rows),
			.process = otprof_str_of(op_lane_text(l, r->process)),
			.thread = otprof_str_of(op_lane_text(l, r->thread)),
			.from_unix_nano = r->time.from,
			.to_unix_nano = r->time.to,
			.busy_nano = r->busy_ns,
			.waiting_nano = r->waiting_ns,
			.nr_states = r->nr_parts,
			.states = states + r->part,
		};
	}
	x->info.rows = rows;
	x->info.nr_rows = n;
	return OP_OK;
}

static int lanes_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_lanes *x = (struct otprof_lanes *)v;
	struct op_lanes_opts o = { .like = q->like,
				   .types = q->o.type,
				   .nr_columns = q->o.nr_steps };

	if (!o.nr_columns)
		o.nr_columns = DEFAULT_BUCKETS;
	if (op_lanes_build(&x->l, q->m, &o, q->err))
		return q->err->code;
	x->info = (struct otprof_lanes_info){
		.from_unix_nano = x->l.buckets.range.from,
		.to_unix_nano = x->l.buckets.range.to,
		.step_nano = x->l.buckets.width,
		.nr_buckets = x->l.buckets.nr,
		.nr_untimed = x->l.nr_untimed,
	};
	return lanes_rows(x, q->err);
}

static void lanes_fini(struct otprof_view_ *v)
{
	op_lanes_free(&((struct otprof_lanes *)v)->l);
}

static const struct otprof_view_kind_ lanes_kind = {
	.name = "lanes",
	.size = sizeof(struct otprof_lanes),
	.make = lanes_make,
	.fini = lanes_fini,
};

OTPROF_VIEW_(lanes, &lanes_kind)
