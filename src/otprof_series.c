// SPDX-License-Identifier: Apache-2.0
/* src/otprof_series.c: totals by label, series and heat maps, for
 * include/otprof.h. */
#include "otprof_view.h"
#include "query/heatmap.h"
#include "query/series.h"

enum { DEFAULT_BUCKETS = 60 };

/* Cells are handed out as they are. */
_Static_assert(sizeof(struct otprof_cell) == sizeof(struct op_series_cell) &&
		       offsetof(struct otprof_cell, nr_observations) ==
			       offsetof(struct op_series_cell, count),
	       "one layout");

static const struct otprof_cell *cells_of(const struct op_series_cell *c)
{
	return (const struct otprof_cell *)c;
}

/* --- totals --- */

struct otprof_totals {
	struct otprof_view_ view;
	struct op_totals t;
	struct otprof_totals_info info;
};

static int totals_rows(struct otprof_totals *x, struct op_err *err)
{
	const struct op_totals *t = &x->t;
	size_t n = t->list.n, nr_labels = t->groups.by.nr_labels;
	struct otprof_total *rows = op_new(&x->view.mem, struct otprof_total,
					   n);
	struct otprof_str *labels = otprof_labels_(&x->view.mem, &t->groups);

	if (!rows || !labels)
		return err->code;
	for (size_t i = 0; i < n; i++) {
		const struct op_total *r = &t->list.p[i];

		rows[i] = (struct otprof_total){
			.sz = sizeof(*rows),
			.labels = labels + r->group * nr_labels,
			.value = r->value,
			.nr_samples = r->nr_samples,
			.nr_observations = r->nr_observations,
			.from_unix_nano = r->time.from,
			.to_unix_nano = r->time.to,
		};
	}
	x->info.rows = rows;
	x->info.nr_rows = n;
	x->info.nr_labels = nr_labels;
	x->info.total = t->all.value;
	return OP_OK;
}

static int totals_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_totals *x = (struct otprof_totals *)v;

	if (op_totals_build(&x->t, q->m, q->like, &q->by, q->err))
		return q->err->code;
	op_totals_sort(&x->t);
	x->info.type = q->type;
	x->info.unit = q->unit;
	return totals_rows(x, q->err);
}

static void totals_fini(struct otprof_view_ *v)
{
	op_totals_free(&((struct otprof_totals *)v)->t);
}

static const struct otprof_view_kind_ totals_kind = {
	.name = "totals",
	.size = sizeof(struct otprof_totals),
	.by = OTPROF_BY_LABELS_,
	.make = totals_make,
	.fini = totals_fini,
};

OTPROF_VIEW_(totals, &totals_kind)

/* --- series --- */

struct otprof_series {
	struct otprof_view_ view;
	struct op_series s;
	struct otprof_series_info info;
};

static int64_t others_value(const struct op_series *s)
{
	int64_t sum = 0;

	for (size_t i = s->nr - 1; i < s->totals.list.n; i++)
		sum = op_add_sat(sum, s->totals.list.p[i].value);
	return sum;
}

static int series_rows(struct otprof_series *x, struct op_err *err)
{
	const struct op_series *s = &x->s;
	size_t nr_labels = s->totals.groups.by.nr_labels;
	struct otprof_series_row *rows = op_new(
		&x->view.mem, struct otprof_series_row, s->nr);
	struct otprof_str *labels = otprof_labels_(&x->view.mem,
						   &s->totals.groups);

	if (!rows || !labels)
		return err->code;
	for (uint32_t i = 0; i < s->nr; i++) {
		const struct op_total *t = &s->totals.list.p[i];
		bool is_others = s->has_others && i + 1 == s->nr;

		rows[i] = (struct otprof_series_row){
			.sz = sizeof(*rows),
			.labels = is_others ? NULL :
					      labels + t->group * nr_labels,
			.value = is_others ? others_value(s) : t->value,
			.cells = cells_of(op_series_row(s, i)),
		};
	}
	x->info.rows = rows;
	x->info.nr_rows = s->nr;
	x->info.nr_labels = nr_labels;
	return OP_OK;
}

static struct op_range range_of(const struct otprof_query_ *q)
{
	return (struct op_range){ q->o.from_unix_nano, q->o.to_unix_nano };
}

/* A range that is empty has no buckets. */
static int range_check(const struct otprof_query_ *q)
{
	const struct otprof_view_opts *o = &q->o;

	if (!o->from_unix_nano || o->from_unix_nano < o->to_unix_nano)
		return OP_OK;
	return op_fail(q->err, OP_EUSAGE,
		       o->to_unix_nano ? "the range of time is empty" :
					 "a range of time needs an end");
}

static int series_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_series *x = (struct otprof_series *)v;
	struct op_series_opts o = { .range = range_of(q),
				    .width = q->o.step_nano,
				    .nr_columns = q->o.nr_steps,
				    .max_groups = q->o.max_rows };

	if (!o.width && !o.nr_columns)
		o.nr_columns = DEFAULT_BUCKETS;
	if (range_check(q) ||
	    op_series_build(&x->s, q->m, q->like, &q->by, &o, q->err))
		return q->err->code;
	x->info = (struct otprof_series_info){
		.type = q->type,
		.unit = q->unit,
		.total = x->s.totals.all.value,
		.from_unix_nano = x->s.buckets.range.from,
		.to_unix_nano = x->s.buckets.range.to,
		.step_nano = x->s.buckets.width,
		.nr_buckets = x->s.buckets.nr,
		.nr_untimed = x->s.totals.all.nr_untimed,
		.nr_outside = x->s.nr_outside,
	};
	return series_rows(x, q->err);
}

static void series_fini(struct otprof_view_ *v)
{
	op_series_free(&((struct otprof_series *)v)->s);
}

static const struct otprof_view_kind_ series_kind = {
	.name = "series",
	.size = sizeof(struct otprof_series),
	.by = OTPROF_BY_LABELS_,
	.make = series_make,
	.fini = series_fini,
};

OTPROF_VIEW_(series, &series_kind)

/* --- heat maps --- */

struct otprof_heatmap {
	struct otprof_view_ view;
	struct op_heatmap h;
	struct otprof_heatmap_info info;
};

static int heatmap_make(struct otprof_view_ *v, const struct otprof_query_ *q)
{
	struct otprof_heatmap *x = (struct otprof_heatmap *)v;
	const struct op_series *s = &x->h.series;
	struct op_series_opts o = { .range = range_of(q),
				    .width = q->o.step_nano,
				    .nr_rows = q->o.nr_steps };

	if (range_check(q) ||
	    op_heatmap_build(&x->h, q->m, q->like, &o, q->err))
		return q->err->code;
	x->info = (struct otprof_heatmap_info){
		.type = q->type,
		.unit = q->unit,
		.total = s->totals.all.value,
		.from_unix_nano = s->buckets.range.from,
		.to_unix_nano = s->buckets.range.to,
		.step_nano = s->buckets.width,
		.nr_columns = s->buckets.nr_columns,
		.nr_rows = s->buckets.nr_rows,
		.cells = cells_of(s->cells),
		.max_value = x->h.max_value,
		.nr_untimed = s->totals.all.nr_untimed,
		.nr_outside = s->nr_outside,
	};
	return OP_OK;
}

static void heatmap_fini(struct otprof_view_ *v)
{
	op_heatmap_free(&((struct otprof_heatmap *)v)->h);
}

static const struct otprof_view_kind_ heatmap_kind = {
	.name = "heat maps",
	.size = sizeof(struct otprof_heatmap),
	.make = heatmap_make,
	.fini = heatmap_fini,
};

OTPROF_VIEW_(heatmap, &heatmap_kind)
