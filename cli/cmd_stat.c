// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_stat.c: otprof stat: totals by type and label, and over time. */
#include <stdio.h>

#include "base/printable.h"
#include "base/time.h"
#include "model/select.h"
#include "model/semconv.h"
#include "query/default_profile.h"
#include "query/heatmap.h"
#include "query/label_list.h"
#include "show.h"
#include "stat.h"

enum { BAR = 20, MAX_VALUES = 12, WIDE = 110 };

/* --- what the views share --- */

void stat_column(struct stat_view *x, const char *name, enum table_kind kind,
		 const char *key)
{
	x->columns[x->nr_columns++] = (struct table_column){ name, kind, key };
}

void stat_label_columns(struct stat_view *x, const struct op_group_by *by)
{
	for (uint32_t i = 0; i < by->nr_labels; i++) {
		snprintf(x->names[i], STAT_NAME, "%.*s",
			 (int)by->labels[i].name.n,
			 (const char *)by->labels[i].name.p);
		stat_column(x, x->names[i], TABLE_TEXT, NULL);
	}
}

void stat_labels(struct stat_view *x, struct table *t,
		 const struct op_groups *g, uint32_t group)
{
	for (uint32_t k = 0; k < g->by.nr_labels; k++) {
		struct op_view v = op_group_text(g, group, k);
		bool is_last = t->column + 1 == t->nr_columns;

		x->text.n = 0;
		if (answer_is_text(&x->a) && !is_last) {
			op_buf_printable(&x->text, v, "");
			text_cut(&x->text, 0, STAT_LABEL);
			v = op_view(x->text.p, x->text.n);
		}
		table_text(t, v);
	}
}

bool stat_has_date(const struct stat_view *x, const struct op_profile *like,
		   struct op_range range)
{
	/* Earlier times are of a clock that counts from its start. */
	const uint64_t early = (uint64_t)365 * 24 * 3600 * 1000000000;
	struct op_walk w = { 0 };

	while (op_walk_next(&x->a.m, &w))
		if (op_same_type(&x->a.m, w.profile, like) &&
		    op_set_find(&x->a.m, w.profile->attrs, OP_ATTR_CLOCK))
			return false;
	return range.from > early;
}

void stat_time_column(struct stat_view *x, bool has_date)
{
	if (has_date)
		stat_column(x, "time", TABLE_TIME, "time_unix_nano");
	else
		stat_column(x, "offset", TABLE_DURATION, "offset_nano");
}

void stat_time(struct table *t, bool has_date, uint64_t ns, uint64_t start)
{
	if (has_date)
		table_time(t, ns);
	else
		table_duration(t, ns - start);
}

/* Without fractions of a second. */
static void put_date(struct op_buf *out, uint64_t ns)
{
	size_t at = out->n;
	const uint8_t *point;

	text_time(out, ns);
	point = out->n > at ? memchr(out->p + at, '.', out->n - at) : NULL;
	if (point) {
		out->n = (size_t)(point - out->p);
		op_buf_byte(out, 'Z');
	}
}

void stat_axis(struct stat_view *x, struct op_range range, uint64_t step,
	       const char *what)
{
	struct op_buf *out = &x->a.out;

	if (!answer_is_text(&x->a))
		return;
	units_duration(out, range.to - range.from, " ");
	if (stat_has_date(x, x->a.like, range)) {
		op_buf_z(out, " from ");
		put_date(out, range.from);
	}
	op_buf_printf(out, ", one %s is ", what);
	units_duration(out, step, " ");
}

int stat_no_times(struct stat_view *x, const char *option)
{
	return op_fail(x->a.err, OP_EFORMAT,
		       "no observation has a time, which --%s needs", option);
}

void stat_untimed(struct stat_view *x, uint64_t nr, uint64_t nr_outside)
{
	if (x->a.json) {
		op_json_key(&x->a.w, "observations_without_time");
		op_json_uint(&x->a.w, nr);
	} else if (answer_is_text(&x->a) && nr) {
		text_number(&x->a.out, (int64_t)nr);
		op_buf_printf(&x->a.out,
			      " observation%s without a time left out\n",
			      nr == 1 ? "" : "s");
	}
	/* Only the very last nanosecond is in no range. */
	if (answer_is_text(&x->a) && nr_outside) {
		text_number(&x->a.out, (int64_t)nr_outside);
		op_buf_z(&x->a.out, " past the end of time left out\n");
	}
}

/* --- types --- */

static void type_times(struct stat_view *x, struct table *t,
		       const struct op_profile *like, struct op_range time)
{
	x->text.n = 0;
	if (!x->has_type_times) {
		; /* there is no room for them */
	} else if (!time.to || !stat_has_date(x, like, time)) {
		table_blank(t);
	} else if (answer_is_text(&x->a)) {
		put_date(&x->text, time.from);
		table_text(t, op_view(x->text.p, x->text.n));
	} else {
		table_time(t, time.from);
	}
	if (time.to)
		table_duration(t, time.to - time.from);
	else
		table_blank(t);
}

/* In text the value has its unit. */
static void type_names(struct stat_view *x, struct table *t,
		       const struct op_profile *p)
{
	struct op_view type = op_string(&x->a.m, p->sample_type.type);
	struct op_view event = op_profile_event(&x->a.m, p);

	if (!answer_is_text(&x->a)) {
		table_text(t, type);
		table_text(t, op_string(&x->a.m, p->sample_type.unit));
		table_text(t, event);
		return;
	}
	x->text.n = 0;
	op_buf_view(&x->text, type);
	if (event.n) {
		op_buf_z(&x->text, " (");
		op_buf_view(&x->text, event);
		op_buf_byte(&x->text, ')');
	}
	table_text(t, op_view(x->text.p, x->text.n));
}

static void type_row(struct stat_view *x, struct table *t,
		     const struct op_type_row *row)
{
	struct op_group_by by = { 0 };
	struct op_totals totals = { 0 };
	struct op_err quiet = { 0 };
	struct units u;

	units_init(&u, &x->a.m, row->like, NULL, &quiet);
	if (!op_totals_build(&totals, &x->a.m, row->like, &by, x->a.err)) {
		t->units = &u;
		table_value(t, totals.all.value);
		table_count(t, totals.all.nr_samples);
		table_count(t, totals.all.nr_observations);
		type_times(x, t, row->like, totals.all.time);
		type_names(x, t, row->like);
	}
	op_totals_free(&totals);
}

static void types_columns(struct stat_view *x)
{
	bool is_text = answer_is_text(&x->a);

	/* Types are told apart by their names; the head has a time too. */
	x->has_type_times = !is_text || !table_line_width() ||
			    x->chart.width >= WIDE;
	x->nr_columns = 0;
	stat_column(x, "total", TABLE_VALUE, NULL);
	stat_column(x, "samples", TABLE_COUNT, NULL);
	stat_column(x, "observations", TABLE_COUNT, NULL);
	if (x->has_type_times)
		stat_column(x, "time", is_text ? TABLE_TEXT : TABLE_TIME,
			    "time_unix_nano");
	stat_column(x, "duration", TABLE_DURATION, "duration_nano");
	stat_column(x, "type", TABLE_TEXT, NULL);
	if (is_text)
		return;
	stat_column(x, "unit", TABLE_TEXT, NULL);
	stat_column(x, "event", TABLE_TEXT, NULL);
}

/* One row per selected type. */
static void types_print(struct stat_view *x)
{
	struct table t;

	types_columns(x);
	t = answer_table(&x->a, x->columns, x->nr_columns);
	t.json_key = "types";
	table_begin(&t);
	for (uint32_t i = 0; i < x->a.types.nr && !x->a.err->code; i++)
		if (op_type_selected(&x->a.m, x->a.types.rows[i].like,
				     x->a.types_text))
			type_row(x, &t, &x->a.types.rows[i]);
	table_end(&t);
	table_free(&t);
	if (x->a.types.more && answer_is_text(&x->a))
		op_buf_z(&x->a.out, "and more types: see 'otprof show'\n");
}

/* --- totals by label --- */

static void totals_columns(struct stat_view *x, const struct op_group_by *by)
{
	x->nr_columns = 0;
	stat_column(x, "value", TABLE_VALUE, NULL);
	stat_column(x, "percent", TABLE_PERCENT, NULL);
	stat_column(x, "samples", TABLE_COUNT, NULL);
	stat_column(x, "observations", TABLE_COUNT, NULL);
	if (answer_is_text(&x->a))
		stat_column(x, "", TABLE_TEXT, NULL);
	stat_label_columns(x, by);
}

/* The largest has the longest bar. */
static void totals_row(struct stat_view *x, struct table *t,
		       const struct op_totals *totals, uint64_t i)
{
	const struct op_total *r = &totals->list.p[i];
	double most = (double)totals->list.p[0].value;

	table_value(t, r->value);
	table_percent(t, r->value, totals->all.value);
	table_count(t, r->nr_samples);
	table_count(t, r->nr_observations);
	if (answer_is_text(&x->a)) {
		x->text.n = 0;
		chart_bar(&x->text, &x->chart,
			  most != 0 ? (double)r->value / most : 0, BAR);
		table_text(t, op_view(x->text.p, x->text.n));
	}
	stat_labels(x, t, &totals->groups, r->group);
}

void stat_left_out(struct stat_view *x, const struct op_totals *totals,
		   uint64_t shown)
{
	uint64_t nr = totals->list.n - shown;
	int64_t sum = 0;
	double share;

	for (uint64_t i = shown; i < totals->list.n; i++)
		sum = op_add_sat(sum, totals->list.p[i].value);
	if (x->a.json) {
		op_json_key(&x->a.w, "left_out");
		op_json_open(&x->a.w, '{');
		op_json_key(&x->a.w, "rows");
		op_json_uint(&x->a.w, nr);
		op_json_key(&x->a.w, "value");
		op_json_int(&x->a.w, sum);
		op_json_close(&x->a.w, '}');
	} else if (nr && answer_is_text(&x->a)) {
		op_buf_z(&x->a.out, "and ");
		text_number(&x->a.out, (int64_t)nr);
		share = table_share(sum, totals->all.value);
		op_buf_printf(&x->a.out, " more, %s%%\n",
			      op_fixed_text(share, 2).s);
	}
}

static void totals_table(struct stat_view *x, struct op_totals *totals)
{
	uint64_t n = totals->list.n < x->a.nr_rows ? totals->list.n :
						     x->a.nr_rows;
	struct table t;

	op_totals_sort(totals);
	totals_columns(x, &totals->groups.by);
	t = answer_table(&x->a, x->columns, x->nr_columns);
	table_begin(&t);
	for (uint64_t i = 0; i < n && !x->a.err->code; i++)
		totals_row(x, &t, totals, i);
	table_end(&t);
	table_free(&t);
	stat_left_out(x, totals, n);
}

/* --by: one table. */
static void stat_by(struct stat_view *x)
{
	struct op_totals totals = { 0 };

	if (!op_totals_build(&totals, &x->a.m, x->a.like, &x->a.by, x->a.err)) {
		answer_head(&x->a);
		totals_table(x, &totals);
		answer_tail(&x->a);
	}
	op_totals_free(&totals);
}

/* --- the labels that there are --- */

/* Whether no sample has the label, or all have the same value. */
static bool is_dull(const struct op_totals *t)
{
	struct op_view text;

	if (t->list.n != 1)
		return !t->list.n;
	if (t->groups.by.labels[0].kind == OP_LABEL_ATTRIBUTE)
		return true;
	text = op_group_text(&t->groups, t->list.p[0].group, 0);
	return text.n > 4 && !memcmp(text.p, "(no ", 4);
}

static void label_print(struct stat_view *x, struct op_label label)
{
	struct op_group_by by = { .labels = { label }, .nr_labels = 1 };
	struct op_totals totals = { 0 };

	if (!op_totals_build(&totals, &x->a.m, x->a.like, &by, x->a.err) &&
	    !is_dull(&totals)) {
		if (x->a.json) {
			op_json_open(&x->a.w, '{');
			op_json_key(&x->a.w, "label");
			op_json_string(&x->a.w, label.name);
		} else if (answer_is_text(&x->a)) {
			op_buf_byte(&x->a.out, '\n');
		}
		totals_table(x, &totals);
		if (x->a.json)
			op_json_close(&x->a.w, '}');
	}
	op_totals_free(&totals);
}

/* Lists the labels with too many values to be shown by default. */
static void others_print(struct stat_view *x, const struct op_label_list *keys)
{
	const char *before = "\nothers for --by: ";

	for (size_t i = 0; i < keys->rows.n && answer_is_text(&x->a); i++) {
		if (keys->rows.p[i].nr_values <= MAX_VALUES)
			continue;
		op_buf_z(&x->a.out, before);
		text_name(&x->a.out, keys->rows.p[i].name);
		before = ", ";
	}
	if (answer_is_text(&x->a) && keys->more)
		op_buf_z(&x->a.out,
			 *before == ',' ? " and more" : "\nand more labels");
	if (answer_is_text(&x->a) && (*before == ',' || keys->more))
		op_buf_byte(&x->a.out, '\n');
}

static void labels_print(struct stat_view *x)
{
	static const char *const names[] = { "service", "process", "thread",
					     "state", "class" };
	struct op_label_list keys = { 0 };

	for (size_t i = 0; i < op_countof(names) && !x->a.err->code; i++)
		label_print(x, op_label_named(op_view_z(names[i])));
	if (!x->a.err->code)
		op_label_keys(&keys, &x->a.m, x->a.like, x->a.err);
	for (size_t i = 0; i < keys.rows.n && !x->a.err->code; i++)
		if (keys.rows.p[i].nr_values <= MAX_VALUES)
			label_print(x, op_label_named(keys.rows.p[i].name));
	if (!x->a.err->code)
		others_print(x, &keys);
	op_label_list_free(&keys);
}

/* Without an option: types, then the labels of one. */
static void stat_overview(struct stat_view *x)
{
	if (x->a.csv) {
		types_print(x);
		if (!x->a.err->code)
			cli_flush(&x->a.out);
		return;
	}
	if (x->a.json)
		answer_head(&x->a);
	types_print(x);
	if (x->a.json) {
		op_json_key(&x->a.w, "labels");
		op_json_open(&x->a.w, '[');
	} else {
		op_buf_byte(&x->a.out, '\n');
		answer_head(&x->a);
	}
	labels_print(x);
	if (x->a.json) {
		op_json_close(&x->a.w, ']');
		answer_tail(&x->a);
	} else if (!x->a.err->code) {
		cli_flush(&x->a.out);
	}
}

/* --- the command --- */

static int column_parse(struct stat_view *x)
{
	struct op_time t = { 0 };
	char text[40];

	if (!x->column_text)
		return OP_OK;
	snprintf(text, sizeof(text), "+%s", x->column_text);
	if (op_time_parse(text, &t, x->a.err) || !t.ns) {
		x->a.err->code = OP_OK;
		return op_fail(x->a.err, OP_EUSAGE,
			       "--column expects a time, as in 1s or 500ms");
	}
	x->column_ns = t.ns;
	return OP_OK;
}

static int usage(struct stat_view *x)
{
	struct op_err *err = x->a.err;

	if (x->series + x->heatmap + x->threads > 1)
		return op_fail(err, OP_EUSAGE,
			       "--series, --heatmap and --threads are mutually "
			       "exclusive");
	if (x->a.by_text && (x->heatmap || x->threads))
		return op_fail(err, OP_EUSAGE, "--%s has no --by",
			       x->heatmap ? "heatmap" : "threads");
	if (x->a.by_text && x->a.by.frame)
		return op_fail(err, OP_EUSAGE,
			       "stat is about labels of samples; for frames "
			       "see 'otprof top --by'");
	if (x->buckets > OP_MAX_BUCKETS || x->fractions > OP_MAX_BUCKETS)
		return op_fail(err, OP_EUSAGE, "at most %d buckets",
			       OP_MAX_BUCKETS);
	if (!x->a.by_text)
		x->a.by.frame = 0;
	return column_parse(x);
}

static void print(struct stat_view *x)
{
	chart_init(&x->chart);
	x->text.err = x->a.err;
	if (x->series)
		stat_series(x);
	else if (x->heatmap)
		stat_heatmap(x);
	else if (x->threads)
		stat_threads(x);
	else if (x->a.by_text)
		stat_by(x);
	else
		stat_overview(x);
	op_buf_free(&x->text);
}

int cmd_stat(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct stat_view x = { .a = { .has = ANSWER_CSV | ANSWER_PAGER,
				      .nr_rows = 10 },
			       .fractions = OP_HEATMAP_ROWS };
	const struct op_opt own[] = {
		{ OP_OPT_STRING, 0, "by", "LABEL,...",
		  "totals by thread, process, service, state, ...",
		  &x.a.by_text },
		{ OP_OPT_FLAG, 0, "series", NULL,
		  "show values over time, for each --by", &x.series },
		{ OP_OPT_U64, 0, "buckets", "N",
		  "divide the time of --series or --threads by N", &x.buckets },
		{ OP_OPT_FLAG, 0, "heatmap", NULL,
		  "show each second as a column of fractions", &x.heatmap },
		{ OP_OPT_STRING, 0, "column", "TIME",
		  "time of a column of --heatmap; default: 1s, or what fits",
		  &x.column_text },
		{ OP_OPT_U64, 0, "fractions", "N",
		  "fractions of a column of --heatmap; default: 50",
		  &x.fractions },
		{ OP_OPT_FLAG, 0, "threads", NULL,
		  "show the states of threads over time", &x.threads },
		{ OP_OPT_U64, 'n', "rows", "N",
		  "show at most N rows of a table; 0: all; default: 10",
		  &x.a.nr_rows },
		{ 0 },
	};
	int first = answer_begin(&x.a, cmd, own, argc, argv, err);

	if (first > 0 && !usage(&x) &&
	    !answer_read(&x.a, argv + first, argc - first))
		print(&x);
	return answer_end(&x.a, first);
}
