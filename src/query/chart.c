// SPDX-License-Identifier: Apache-2.0
/* query/chart.c: finds observations in a range of time, and thins them out. */
#include "query/chart.h"

#include <stdlib.h>

#include "query/default_profile.h"
#include "query/flame_int.h"
#include "query/flame_walk.h"
#include "query/totals.h"

struct finding {
	struct op_chart *c;
	const struct op_model *m;
	const struct op_profile *like;
	struct op_err *err;
	/* While observations are thinned out: */
	struct op_chart_row *cells; /* per column and depth; no time: free */
	bool *is_taken;
	uint32_t nr_columns;
	uint64_t width;
	uint32_t nr_taken;
};

typedef void take_fn(struct finding *f, const struct op_chart_row *row);

/* --- observations --- */

static void sample_each(struct finding *f, struct op_interval_kind kind,
			const struct op_profile *p, uint32_t i, take_fn *take)
{
	struct op_times t = op_sample_times(p, i);
	struct op_values v = op_sample_values(p, i);
	struct op_range range = f->c->range;

	for (uint32_t k = 0; k < t.n && !f->err->code; k++) {
		int64_t value = op_observed(v, k);
		struct op_range span = op_interval_span(kind, value, t.p[k]);
		struct op_chart_row row = { .time = span.from,
					    .length = span.to - span.from,
					    .value = value,
					    .stack = p->stack[i] };

		if (span.from < range.to &&
		    (span.to > range.from || span.from >= range.from))
			take(f, &row);
	}
}

static void each(struct finding *f, take_fn *take)
{
	struct op_walk w = { 0 };

	while (!f->err->code && op_walk_next(f->m, &w)) {
		struct op_interval_kind kind;

		if (!op_same_type(f->m, f->like, w.profile))
			continue;
		kind = op_lasting_kind(f->m, &w);
		for (uint32_t i = 0; i < w.profile->nr_samples && !f->err->code;
		     i++)
			sample_each(f, kind, w.profile, i, take);
	}
}

static void count(struct finding *f, const struct op_chart_row *row)
{
	(void)row;
	f->c->nr++;
}

static void keep(struct finding *f, const struct op_chart_row *row)
{
	(void)op_vec_push(&f->c->mem, &f->c->rows, *row);
}

/* --- the range --- */

static void range_find(struct finding *f, struct op_range asked)
{
	struct op_group_by by = { 0 };
	struct op_totals t = { 0 };
	bool has_end = asked.to && asked.to < UINT64_MAX;

	op_totals_build(&t, f->m, f->like, &by, f->err);
	f->c->range = t.all.time;
	if (t.all.time.to && asked.from)
		f->c->range.from = asked.from;
	if (t.all.time.to && has_end)
		f->c->range.to = asked.to;
	op_totals_free(&t);
}

/* --- thinning out --- */

static uint32_t depth_of(const struct op_model *m, uint32_t stack)
{
	struct op_ids locs = op_list(&m->dict.stacks, stack);
	uint32_t depth = 0;

	for (uint32_t i = 0; i < locs.n && depth < OP_CHART_DEPTHS; i++)
		depth += op_frame_count(&m->dict.locations[locs.p[i]]);
	return depth < OP_CHART_DEPTHS ? depth : OP_CHART_DEPTHS - 1;
}

/* What began before the range is in its first column. */
static void thin(struct finding *f, const struct op_chart_row *row)
{
	uint64_t begin = f->c->range.from;
	uint64_t column = row->time > begin ? (row->time - begin) / f->width :
					      0;
	size_t at = column * OP_CHART_DEPTHS + depth_of(f->m, row->stack);
	struct op_chart_row *cell = &f->cells[at];

	if (!f->is_taken[at]) {
		f->is_taken[at] = true;
		f->nr_taken++;
	} else if (row->length < cell->length ||
		   (row->length == cell->length && row->time >= cell->time)) {
		return;
	}
	*cell = *row;
}

/* With fewer columns until they fit. */
static void thin_all(struct finding *f, uint32_t nr_columns, uint32_t limit)
{
	struct op_range range = f->c->range;
	size_t nr = (size_t)nr_columns * OP_CHART_DEPTHS;

	f->cells = op_new_raw(&f->c->mem, struct op_chart_row, nr);
	f->is_taken = op_new_raw(&f->c->mem, bool, nr);
	if (!f->cells || !f->is_taken)
		return;
	f->nr_columns = nr_columns;
	do {
		nr = (size_t)f->nr_columns * OP_CHART_DEPTHS;
		memset(f->is_taken, 0, nr);
		f->nr_taken = 0;
		f->width = (range.to - range.from - 1) / f->nr_columns + 1;
		each(f, thin);
		f->nr_columns = (f->nr_columns + 1) / 2;
	} while (f->nr_taken > limit && !f->err->code);
	for (size_t i = 0; i < nr && !f->err->code; i++)
		if (f->is_taken[i])
			keep(f, &f->cells[i]);
}

static int row_cmp(const void *a, const void *b)
{
	const struct op_chart_row *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* What lasts longer is further out. */
	if (x->length != y->length)
		return x->length < y->length ? 1 : -1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* --- the tree --- */

static int tree_build(struct finding *f)
{
	struct op_chart *c = f->c;
	struct op_arena mem = { .err = f->err };
	struct op_flame_stack *list;
	uint32_t *of_stack, *number, nr = 0, node = 0, depth = 0;

	list = op_new_raw(&mem, struct op_flame_stack, c->rows.n);
	of_stack = op_new_ids(&mem, f->m->dict.stacks.nr);
	for (size_t i = 0; list && of_stack && i < c->rows.n; i++) {
		const struct op_chart_row *row = &c->rows.p[i];
		uint32_t *id = &of_stack[row->stack];

		if (*id == OP_NO_ID) {
			*id = nr;
			list[nr++] = (struct op_flame_stack){ row->stack, 0,
							      0 };
		}
		list[*id].value = op_add_sat(list[*id].value, row->value);
	}
	c->flame.origins = true;
	if (list && of_stack)
		op_flame_build_stacks(&c->flame, f->m, list, nr, f->err);
	number = f->err->code ? NULL : op_new(&mem, uint32_t, c->flame.nodes.n);
	for (nr = 1; number && (node = op_flame_next(&c->flame, node, false,
						     &depth)) != OP_NO_NODE;)
		number[node] = nr++;
	for (size_t i = 0; number && i < c->rows.n; i++)
		c->rows.p[i].node =
			number[list[of_stack[c->rows.p[i].stack]].node];
	op_arena_free(&mem);
	return f->err->code;
}

/* --- how long a point stands for --- */

static int u64_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The median of what is between two points. */
static uint64_t usual_distance(struct finding *f)
{
	const struct op_chart *c = f->c;
	struct op_arena mem = { .err = f->err };
	uint64_t *gaps = op_new_raw(&mem, uint64_t, c->rows.n);
	uint64_t last = 0, median = 0;
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; gaps && i < c->rows.n; i++) {
		if (c->rows.p[i].length)
			continue;
		if (any && c->rows.p[i].time > last)
			gaps[n++] = c->rows.p[i].time - last;
		last = c->rows.p[i].time;
		any = true;
	}
	if (n) {
		qsort(gaps, n, sizeof(*gaps), u64_cmp);
		median = gaps[n / 2];
	}
	op_arena_free(&mem);
	return median;
}

static void step_find(struct finding *f)
{
	const struct op_profile *p = f->like;
	struct op_view unit = op_string(f->m, p->period_type.unit);

	if (p->period > 1 &&
	    (op_view_is(unit, "nanoseconds") || op_view_is(unit, "ns")))
		f->c->step = (uint64_t)p->period;
	else if (f->c->rows.n < f->c->nr)
		f->c->step = (f->c->range.to - f->c->range.from) / f->c->nr;
	else
		f->c->step = usual_distance(f);
}

int op_chart_build(struct op_chart *c, const struct op_model *m,
		   const struct op_profile *like,
		   const struct op_chart_opts *opts, struct op_err *err)
{
	struct finding f = { .c = c, .m = m, .like = like, .err = err };

	op_arena_tells(&c->mem, err);
	range_find(&f, opts->range);
	if (!err->code && c->range.from < c->range.to) {
		each(&f, count);
		if (c->nr <= opts->limit)
			each(&f, keep);
		else
			thin_all(&f, opts->nr_columns, opts->limit);
	}
	if (err->code)
		return err->code;
	if (c->rows.n)
		qsort(c->rows.p, c->rows.n, sizeof(*c->rows.p), row_cmp);
	if (!tree_build(&f))
		step_find(&f);
	return err->code;
}

void op_chart_free(struct op_chart *c)
{
	op_flame_free(&c->flame);
	op_arena_free(&c->mem);
	*c = (struct op_chart){ 0 };
}
