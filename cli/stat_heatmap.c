// SPDX-License-Identifier: Apache-2.0
/* cli/stat_heatmap.c: `stat --heatmap`. */
#include "query/heatmap.h"

#include "show.h"
#include "stat.h"

enum { MARGIN = 8 };

static double share(const struct op_heatmap *h, uint32_t column, uint32_t row)
{
	if (row >= h->series.buckets.nr_rows || !h->max_value)
		return 0;
	return (double)op_heatmap_cell(h, column, row)->value /
	       (double)h->max_value;
}

/* The time of a row within its column, every fifth line. */
static void margin(struct op_buf *out, const struct op_heatmap *h, uint32_t row,
		   uint32_t line)
{
	const struct op_buckets *b = &h->series.buckets;
	size_t at = out->n, n;

	if (line % 5 == 0)
		units_duration(out, row * b->width / b->nr_rows, "");
	n = out->n - at;
	for (; n < MARGIN - 1; n++)
		op_buf_byte(out, ' ');
	op_buf_byte(out, ' ');
}

/* Columns from..to: as many as fit into a line. */
static void panel(struct stat_view *x, const struct op_heatmap *h,
		  uint32_t from, uint32_t to)
{
	bool two = x->chart.utf8 && x->chart.colours;
	uint32_t line = 0;

	for (uint32_t r = 0; r < h->series.buckets.nr_rows; r += two ? 2 : 1) {
		margin(&x->text, h, r, line++);
		for (uint32_t c = from; c < to; c++) {
			if (two)
				chart_colours(&x->text, share(h, c, r),
					      share(h, c, r + 1));
			else
				chart_shade(&x->text, &x->chart,
					    share(h, c, r));
		}
		if (two)
			op_buf_z(&x->text, chart_plain);
		while (!two && x->text.n && x->text.p[x->text.n - 1] == ' ')
			x->text.n--;
		op_buf_byte(&x->text, '\n');
	}
}

static void text_print(struct stat_view *x, const struct op_heatmap *h)
{
	const struct op_buckets *b = &h->series.buckets;
	uint32_t wide = x->chart.width > MARGIN + 10 ? x->chart.width - MARGIN :
						       10;
	size_t at = x->a.out.n;

	stat_axis(x, b->range, b->width, "column");
	op_buf_z(&x->a.out, ", read downwards; the most is ");
	units_text(&x->a.out, &x->a.units, h->max_value, " ");
	op_buf_byte(&x->a.out, '\n');
	text_wrap(&x->a.out, at);
	if (x->a.err->code || cli_flush(&x->a.out))
		return;
	x->text.n = 0;
	for (uint32_t c = 0; c < b->nr_columns; c += wide) {
		uint32_t end = b->nr_columns - c < wide ? b->nr_columns :
							  c + wide;

		op_buf_z(&x->text, c ? "\n" : "");
		panel(x, h, c, end);
		table_write(&x->text);
	}
}

static void rows_print(struct stat_view *x, const struct op_heatmap *h)
{
	const struct op_buckets *b = &h->series.buckets;
	bool has_date = stat_has_date(x, x->a.like, b->range);
	struct table t;

	if (x->a.json) {
		op_json_key(&x->a.w, "column_nano");
		op_json_uint(&x->a.w, b->width);
		op_json_key(&x->a.w, "fractions");
		op_json_uint(&x->a.w, b->nr_rows);
	}
	stat_column(x, "column", TABLE_COUNT, NULL);
	stat_column(x, "row", TABLE_COUNT, NULL);
	stat_time_column(x, has_date);
	stat_column(x, "value", TABLE_VALUE, NULL);
	stat_column(x, "observations", TABLE_COUNT, NULL);
	t = answer_table(&x->a, x->columns, x->nr_columns);
	table_begin(&t);
	for (uint32_t i = 0; i < b->nr && !x->a.err->code; i++) {
		table_count(&t, i / b->nr_rows);
		table_count(&t, i % b->nr_rows);
		stat_time(&t, has_date, op_bucket_begin(b, i), b->range.from);
		table_value(&t, h->series.cells[i].value);
		table_count(&t, h->series.cells[i].count);
	}
	table_end(&t);
	table_free(&t);
}

/* A second, or in text, if that would be too wide, the time that fits. */
static uint64_t column_choose(struct stat_view *x)
{
	struct op_group_by by = { 0 };
	struct op_totals t = { 0 };
	uint64_t ns = OP_HEATMAP_COLUMN, fits = 0;

	if (!op_totals_build(&t, &x->a.m, x->a.like, &by, x->a.err) &&
	    t.all.time.to && x->chart.width > MARGIN)
		fits = chart_step((t.all.time.to - t.all.time.from - 1) /
					  (x->chart.width - MARGIN) +
				  1);
	op_totals_free(&t);
	return answer_is_text(&x->a) && fits > ns ? fits : ns;
}

void stat_heatmap(struct stat_view *x)
{
	struct op_heatmap h = { 0 };
	struct op_series_opts o = { .nr_rows = (uint32_t)x->fractions };

	o.width = x->column_ns ? x->column_ns : column_choose(x);
	if (!x->a.err->code &&
	    !op_heatmap_build(&h, &x->a.m, x->a.like, &o, x->a.err) &&
	    (h.series.nr || !stat_no_times(x, "heatmap"))) {
		answer_head(&x->a);
		if (answer_is_text(&x->a))
			text_print(x, &h);
		else
			rows_print(x, &h);
		stat_untimed(x, h.series.totals.all.nr_untimed,
			     h.series.nr_outside);
		answer_tail(&x->a);
	}
	op_heatmap_free(&h);
}
