// SPDX-License-Identifier: Apache-2.0
/* query/series.c: counts observations into buckets of time. */
#include "query/series.h"

#include <stdlib.h>

#include "base/budget.h"
#include "model/aggregate.h"
#include "query/default_profile.h"

enum { STEPS_A_BUCKET = 8 };

struct timed {
	uint64_t time;
	uint32_t k;
};

struct counting {
	struct op_series *s;
	const struct op_model *m;
	uint32_t *row_of; /* the series of a group */
	/* How many intervals more cover a bucket than the one before it: what
	 * covers many buckets costs no more than what covers two. */
	int64_t *cover;
	OP_VEC(struct timed) order; /* of one sample */
	uint64_t steps;
	struct op_err *err;
};

static void add(int64_t *to, int64_t value)
{
	*to = op_add_sat(*to, value);
}

static void outside(struct counting *c, int64_t value)
{
	c->s->nr_outside++;
	add(&c->s->outside, value);
}

static void point_add(struct counting *c, struct op_series_cell *row,
		      uint64_t time, int64_t value)
{
	uint32_t b = op_bucket_of(&c->s->buckets, time);

	if (b == OP_MAX_BUCKETS) {
		outside(c, value);
		return;
	}
	add(&row[b].value, value);
	row[b].count++;
}

static void points_add(struct counting *c, struct op_series_cell *row,
		       struct op_times t, struct op_values v)
{
	const struct op_buckets b = c->s->buckets;

	for (uint32_t k = 0; k < t.n; k++) {
		int64_t value = op_observed(v, k);
		uint32_t i = op_bucket_of(&b, t.p[k]);

		if (op_unlikely(i == OP_MAX_BUCKETS)) {
			outside(c, value);
			continue;
		}
		add(&row[i].value, value);
		row[i].count++;
	}
}

/* --- what lasts --- */

struct spread {
	struct op_series_cell *row;
	int64_t *cover;
	struct op_range span, inside;
	int64_t value;
	uint32_t first, last; /* buckets */
};

/* Each nanosecond is worth one: buckets in the middle have their length. */
static void spread_evenly(struct counting *c, const struct spread *x)
{
	const struct op_buckets *b = &c->s->buckets;

	if (x->first == x->last) {
		add(&x->row[x->first].value,
		    (int64_t)(x->inside.to - x->inside.from));
		return;
	}
	add(&x->row[x->first].value,
	    (int64_t)(op_bucket_begin(b, x->first + 1) - x->inside.from));
	add(&x->row[x->last].value,
	    (int64_t)(x->inside.to - op_bucket_begin(b, x->last)));
	x->cover[x->first + 1]++;
	x->cover[x->last]--;
}

/* Weights are worth more than a nanosecond each, and are rounded. */
static void spread_shares(struct counting *c, const struct spread *x)
{
	const struct op_buckets *b = &c->s->buckets;
	uint64_t n = (uint64_t)x->last - x->first + 1;

	if (n > 1 && !op_steps(&c->steps, n * STEPS_A_BUCKET, c->err))
		return;
	for (uint32_t i = x->first; i <= x->last; i++) {
		struct op_range part = { op_bucket_begin(b, i),
					 op_bucket_begin(b, i + 1) };

		if (i == x->first)
			part.from = x->inside.from;
		if (i == x->last)
			part.to = x->inside.to;
		add(&x->row[i].value,
		    op_interval_share(x->value, x->span, part));
	}
}

static void span_add(struct counting *c, struct spread *x)
{
	const struct op_buckets *b = &c->s->buckets;
	x->inside = x->span;
	if (x->inside.from < b->range.from)
		x->inside.from = b->range.from;
	if (x->inside.to > b->range.to)
		x->inside.to = b->range.to;
	if (x->inside.from >= x->inside.to) {
		outside(c, x->value);
		return;
	}
	if (op_unlikely(x->inside.from != x->span.from ||
			x->inside.to != x->span.to))
		outside(c, x->value - op_interval_share(x->value, x->span,
							x->inside));
	x->first = op_bucket_of(b, x->inside.from);
	x->last = op_bucket_of(b, x->inside.to - 1);
	x->row[x->first].count++;
	if ((uint64_t)x->value == x->span.to - x->span.from)
		spread_evenly(c, x);
	else
		spread_shares(c, x);
}

static void spans_add(struct counting *c, uint32_t series,
		      struct op_interval_kind kind, struct op_times t,
		      struct op_values v)
{
	size_t at = (size_t)series * c->s->buckets.nr;

	for (uint32_t k = 0; k < t.n && !c->err->code; k++) {
		struct spread x = {
			.row = c->s->cells + at,
			.cover = c->cover + at,
			.value = op_observed(v, k),
		};

		x.span = op_interval_span(kind, x.value, t.p[k]);
		if (x.span.from == x.span.to)
			point_add(c, x.row, t.p[k], x.value);
		else
			span_add(c, &x);
	}
}

static bool cover_init(struct counting *c)
{
	if (!c->cover)
		c->cover = op_new(&c->s->mem, int64_t,
				  (size_t)c->s->nr * c->s->buckets.nr);
	return c->cover;
}

static void cover_add(struct counting *c)
{
	const struct op_buckets *b = &c->s->buckets;

	for (uint32_t r = 0; r < c->s->nr; r++) {
		size_t at = (size_t)r * b->nr;
		int64_t covers = 0, sum;

		for (uint32_t i = 0; i < b->nr; i++) {
			covers += c->cover[at + i];
			if (!covers)
				continue;
			if (__builtin_mul_overflow(
				    covers, op_bucket_length(b, i), &sum))
				sum = INT64_MAX;
			add(&c->s->cells[at + i].value, sum);
		}
	}
}

/* --- gauges --- */

static int timed_cmp(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->k < y->k ? -1 : 1;
}

/* Makes the order of a sample's observations by time. */
static bool order_make(struct counting *c, struct op_times t)
{
	bool is_sorted = true;

	c->order.n = 0;
	if (!op_vec_reserve(&c->s->mem, &c->order, t.n))
		return false;
	for (uint32_t k = 0; k < t.n; k++) {
		is_sorted &= !k || t.p[k - 1] <= t.p[k];
		c->order.p[k] = (struct timed){ t.p[k], k };
	}
	c->order.n = t.n;
	if (!is_sorted)
		qsort(c->order.p, t.n, sizeof(*c->order.p), timed_cmp);
	return true;
}

static void states_add(struct counting *c, struct op_series_cell *row,
		       struct op_times t, struct op_values v)
{
	const struct op_buckets *b = &c->s->buckets;

	if (!order_make(c, t))
		return;
	for (uint32_t i = 0; i < t.n; i++) {
		uint32_t at = op_bucket_of(b, c->order.p[i].time);
		int64_t value = op_observed(v, c->order.p[i].k);

		if (i + 1 < t.n &&
		    op_bucket_of(b, c->order.p[i + 1].time) == at)
			value = 0;
		point_add(c, row, c->order.p[i].time, value);
	}
}

/* --- all of them --- */

static void profile_add(struct counting *c, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	struct op_interval_kind kind = op_lasting_kind(c->m, w);
	enum op_aggregator how = op_aggregator_of(c->m, p);
	struct op_groups *groups = &c->s->totals.groups;

	op_groups_profile(groups, w, c->err);
	if (kind.stamp != OP_STAMP_POINT && !cover_init(c))
		return;
	for (uint32_t i = 0; i < p->nr_samples && !c->err->code; i++) {
		uint32_t group = op_groups_sample(groups, p, i, c->err);
		uint32_t series = c->row_of[group];
		struct op_series_cell *row = c->s->cells +
					     (size_t)series * c->s->buckets.nr;
		struct op_times t = op_sample_times(p, i);
		struct op_values v = op_sample_values(p, i);

		if (how == OP_LAST)
			states_add(c, row, t, v);
		else if (kind.stamp == OP_STAMP_POINT)
			points_add(c, row, t, v);
		else
			spans_add(c, series, kind, t, v);
	}
}

/* The largest groups have a series each. */
static void rows_init(struct counting *c, uint32_t max_groups)
{
	struct op_series *s = c->s;
	uint32_t nr = (uint32_t)s->totals.list.n;

	op_totals_sort(&s->totals);
	s->has_others = max_groups && nr > max_groups;
	s->nr = s->has_others ? max_groups + 1 : nr;
	s->cells = op_new(&s->mem, struct op_series_cell,
			  (size_t)s->nr * s->buckets.nr);
	c->row_of = op_new(&s->mem, uint32_t, nr);
	if (!s->cells || !c->row_of)
		return;
	for (uint32_t i = 0; i < nr; i++)
		c->row_of[s->totals.list.p[i].group] = i < s->nr ? i :
								   s->nr - 1;
}

int op_series_build(struct op_series *s, const struct op_model *m,
		    const struct op_profile *like, const struct op_group_by *by,
		    const struct op_series_opts *opts, struct op_err *err)
{
	struct counting c = { .s = s, .m = m, .err = err };
	struct op_range range = opts->range;
	struct op_walk w = { 0 };

	if (op_totals_build(&s->totals, m, like, by, err))
		return err->code;
	if (!range.to)
		range = s->totals.all.time;
	if (range.from >= range.to)
		return OP_OK;
	if (op_buckets_init(&s->buckets, range, opts->width, opts->nr_columns,
			    opts->nr_rows, err))
		return err->code;
	op_arena_tells(&s->mem, err);
	rows_init(&c, opts->max_groups);
	while (!err->code && op_walk_next(m, &w))
		if (op_same_type(m, like, w.profile))
			profile_add(&c, &w);
	if (!err->code && c.cover)
		cover_add(&c);
	return err->code;
}

void op_series_free(struct op_series *s)
{
	op_totals_free(&s->totals);
	op_arena_free(&s->mem);
	*s = (struct op_series){ 0 };
}
