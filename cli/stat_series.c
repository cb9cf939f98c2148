// SPDX-License-Identifier: Apache-2.0
/* cli/stat_series.c: `stat --series`. */
#include "base/text_width.h"
#include "query/series.h"
#include "show.h"
#include "stat.h"

enum { VALUE_WIDTH = 10, PERCENT_WIDTH = 7, MIN_CHART = 20 };

/* The number of characters left in a line for the chart. */
static uint32_t chart_width(const struct stat_view *x,
			    const struct op_totals *t)
{
	uint32_t used = VALUE_WIDTH + PERCENT_WIDTH + 4;

	for (uint32_t k = 0; k < x->a.by.nr_labels; k++) {
		uint32_t widest = 6;

		for (size_t i = 0; i < t->list.n && i < x->a.nr_rows; i++) {
			struct op_view v = op_group_text(&t->groups,
							 t->list.p[i].group, k);
			uint32_t n = op_text_columns(v);

			if (n > widest)
				widest = n;
		}
		used += (widest < STAT_LABEL ? widest : STAT_LABEL) + 2;
	}
	return x->chart.width > used + MIN_CHART ? x->chart.width - used :
						   MIN_CHART;
}

/* The requested buckets, else round ones that fit. */
static int opts_choose(struct stat_view *x, struct op_series_opts *o)
{
	struct op_totals t = { 0 };
	uint32_t n;

	o->max_groups = x->a.nr_rows < UINT32_MAX ? (uint32_t)x->a.nr_rows : 0;
	o->nr_columns = (uint32_t)x->buckets;
	if (!op_totals_build(&t, &x->a.m, x->a.like, &x->a.by, x->a.err)) {
		op_totals_sort(&t);
		n = chart_width(x, &t);
		if (!x->buckets && t.all.time.to)
			o->width = chart_step(
				(t.all.time.to - t.all.time.from - 1) / n + 1);
	}
	op_totals_free(&t);
	return x->a.err->code;
}

static void labels(struct stat_view *x, struct table *t,
		   const struct op_series *s, uint32_t i)
{
	if (!s->has_others || i + 1 < s->nr) {
		stat_labels(x, t, &s->totals.groups, s->totals.list.p[i].group);
		return;
	}
	for (uint32_t k = 0; k < x->a.by.nr_labels; k++) {
		x->text.n = 0;
		op_buf_printf(&x->text, "(%zu others)", s->totals.list.n - i);
		table_text(t, op_view(x->text.p, x->text.n));
	}
}

static int64_t largest(const struct op_series *s, uint32_t nr)
{
	int64_t max = 0;

	for (size_t i = 0; i < (size_t)nr * s->buckets.nr; i++)
		if (s->cells[i].value > max)
			max = s->cells[i].value;
	return max;
}

/* All series have the same scale. "Others" would be the highest, so its chart
 * is omitted. */
static void text_print(struct stat_view *x, const struct op_series *s)
{
	uint32_t nr = s->has_others ? s->nr - 1 : s->nr;
	int64_t max = largest(s, nr);
	struct table t;
	size_t at;

	stat_column(x, "value", TABLE_VALUE, NULL);
	stat_column(x, "percent", TABLE_PERCENT, NULL);
	stat_label_columns(x, &x->a.by);
	stat_column(x, "over time", TABLE_TEXT, NULL);
	t = answer_table(&x->a, x->columns, x->nr_columns);
	table_begin(&t);
	for (uint32_t i = 0; i < nr && !x->a.err->code; i++) {
		table_value(&t, s->totals.list.p[i].value);
		table_percent(&t, s->totals.list.p[i].value,
			      s->totals.all.value);
		labels(x, &t, s, i);
		x->text.n = 0;
		for (uint32_t b = 0; b < s->buckets.nr; b++) {
			int64_t v = op_series_row(s, i)[b].value;

			if (v < 0)
				op_buf_byte(&x->text, '-');
			else
				chart_height(&x->text, &x->chart,
					     (double)v / (double)max);
		}
		table_text(&t, op_view(x->text.p, x->text.n));
	}
	table_end(&t);
	table_free(&t);
	stat_left_out(x, &s->totals, nr);
	at = x->a.out.n;
	stat_axis(x, s->buckets.range, s->buckets.width, "character");
	op_buf_z(&x->a.out, ", the highest is ");
	units_text(&x->a.out, &x->a.units, max, " ");
	op_buf_byte(&x->a.out, '\n');
	text_wrap(&x->a.out, at);
}

/* One row per bucket and series. */
static void rows_print(struct stat_view *x, const struct op_series *s)
{
	bool has_date = stat_has_date(x, x->a.like, s->buckets.range);
	struct table t;

	if (x->a.json) {
		op_json_key(&x->a.w, "bucket_nano");
		op_json_uint(&x->a.w, s->buckets.width);
	}
	stat_label_columns(x, &x->a.by);
	stat_time_column(x, has_date);
	stat_column(x, "value", TABLE_VALUE, NULL);
	stat_column(x, "observations", TABLE_COUNT, NULL);
	t = answer_table(&x->a, x->columns, x->nr_columns);
	table_begin(&t);
	for (uint32_t i = 0; i < s->nr; i++) {
		for (uint32_t b = 0; b < s->buckets.nr && !x->a.err->code;
		     b++) {
			const struct op_series_cell *c = &op_series_row(s,
									i)[b];

			labels(x, &t, s, i);
			stat_time(&t, has_date, op_bucket_begin(&s->buckets, b),
				  s->buckets.range.from);
			table_value(&t, c->value);
			table_count(&t, c->count);
		}
	}
	table_end(&t);
	table_free(&t);
}

void stat_series(struct stat_view *x)
{
	struct op_series s = { 0 };
	struct op_series_opts o = { 0 };

	if (!opts_choose(x, &o) &&
	    !op_series_build(&s, &x->a.m, x->a.like, &x->a.by, &o, x->a.err) &&
	    (s.nr || !stat_no_times(x, "series"))) {
		answer_head(&x->a);
		if (answer_is_text(&x->a))
			text_print(x, &s);
		else
			rows_print(x, &s);
		stat_untimed(x, s.totals.all.nr_untimed, s.nr_outside);
		answer_tail(&x->a);
	}
	op_series_free(&s);
}
