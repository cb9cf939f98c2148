// SPDX-License-Identifier: Apache-2.0
/* query/totals.c: adds up samples by group. */
#include "query/totals.h"

#include <stdlib.h>

#include "model/aggregate.h"
#include "query/default_profile.h"
#include "query/stack_sums.h"

struct op_interval_kind op_lasting_kind(const struct op_model *m,
					const struct op_walk *at)
{
	if (op_aggregator_of(m, at->profile) == OP_LAST)
		return (struct op_interval_kind){ .stamp = OP_STAMP_POINT };
	return op_interval_kind(m, at->scope, at->profile);
}

void op_range_widen(struct op_range *r, struct op_range by)
{
	if (!by.to)
		return;
	if (!r->to || by.from < r->from)
		r->from = by.from;
	if (by.to > r->to)
		r->to = by.to;
}

/* A point lasts until the next nanosecond: the end is not part of a range. */
static struct op_range closed(uint64_t first, uint64_t last)
{
	return (struct op_range){ first, last < UINT64_MAX ? last + 1 : last };
}

static struct op_range points_range(struct op_times t)
{
	uint64_t first = t.p[0], last = first;

	for (uint32_t k = 1; k < t.n; k++) {
		uint64_t at = t.p[k];

		first = at < first ? at : first;
		last = at > last ? at : last;
	}
	return closed(first, last);
}

static struct op_range spans_range(struct op_interval_kind kind,
				   struct op_times t, struct op_values v)
{
	struct op_range all = { 0 };

	for (uint32_t k = 0; k < t.n; k++) {
		struct op_range span = op_interval_span(kind, op_observed(v, k),
							t.p[k]);

		if (span.from == span.to)
			span = closed(span.from, span.from);
		op_range_widen(&all, span);
	}
	return all;
}

struct op_range op_times_range(struct op_interval_kind kind, struct op_times t,
			       struct op_values v)
{
	return kind.stamp == OP_STAMP_POINT ? points_range(t) :
					      spans_range(kind, t, v);
}

/* What holds for all samples of a profile. */
struct profile_kind {
	enum op_aggregator how; /* values add up */
	struct op_interval_kind lasting;
};

/* What one sample is, as a total of its own. */
static struct op_total sample_total(const struct op_profile *p, uint32_t i,
				    struct profile_kind kind)
{
	struct op_times t = op_sample_times(p, i);
	struct op_values v = op_sample_values(p, i);
	struct op_total x = {
		.value = op_sample_amount(kind.how, p, i),
		.nr_samples = 1,
		.nr_observations = t.n ? t.n : v.n,
		.nr_untimed = t.n ? 0 : v.n,
	};

	if (!t.n)
		x.untimed = x.value;
	else
		x.time = op_times_range(kind.lasting, t, v);
	return x;
}

static void add(struct op_total *to, const struct op_total *x)
{
	to->value = op_add_sat(to->value, x->value);
	to->nr_samples += x->nr_samples;
	to->nr_observations += x->nr_observations;
	to->nr_untimed += x->nr_untimed;
	to->untimed = op_add_sat(to->untimed, x->untimed);
	op_range_widen(&to->time, x->time);
}

static void profile_add(struct op_totals *t, const struct op_model *m,
			const struct op_walk *w, struct op_err *err)
{
	const struct op_profile *p = w->profile;
	struct profile_kind kind = { op_aggregator_of(m, p),
				     op_lasting_kind(m, w) };

	t->nr_profiles++;
	op_groups_profile(&t->groups, w, err);
	for (uint32_t i = 0; i < p->nr_samples && !err->code; i++) {
		uint32_t group = op_groups_sample(&t->groups, p, i, err);
		struct op_total x = sample_total(p, i, kind);
		struct op_total fresh = { .group = group };

		if (group == t->list.n && !err->code)
			(void)op_vec_push(&t->mem, &t->list, fresh);
		if (err->code)
			return;
		add(&t->list.p[group], &x);
		add(&t->all, &x);
	}
}

int op_totals_build(struct op_totals *t, const struct op_model *m,
		    const struct op_profile *like, const struct op_group_by *by,
		    struct op_err *err)
{
	struct op_walk w = { 0 };

	op_arena_tells(&t->mem, err);
	if (op_groups_init(&t->groups, m, by, err))
		return err->code;
	while (!err->code && op_walk_next(m, &w))
		if (op_same_type(m, like, w.profile))
			profile_add(t, m, &w, err);
	return err->code;
}

void op_totals_free(struct op_totals *t)
{
	op_groups_free(&t->groups);
	op_arena_free(&t->mem);
	*t = (struct op_totals){ 0 };
}

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static int total_cmp(const void *a, const void *b, void *groups)
{
	const struct op_total *x = a, *y = b;
	const struct op_groups *g = groups;
	int c = 0;

	if (size_of(x->value) != size_of(y->value))
		return size_of(x->value) < size_of(y->value) ? 1 : -1;
	if (x->nr_observations != y->nr_observations)
		return x->nr_observations < y->nr_observations ? 1 : -1;
	for (uint32_t k = 0; !c && k < g->by.nr_labels; k++)
		c = op_view_cmp(op_group_text(g, x->group, k),
				op_group_text(g, y->group, k));
	return c;
}

void op_totals_sort(struct op_totals *t)
{
	if (t->list.n)
		qsort_r(t->list.p, t->list.n, sizeof(*t->list.p), total_cmp,
			&t->groups);
}
