// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_top.c: otprof top: the functions, threads, ... with the most of it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "answer.h"
#include "query/top.h"
#include "show.h"

enum { MAX_COLUMNS = OP_MAX_LABELS + 6, MAX_NAME = 64 };

struct top {
	struct answer a;
	bool by_cum;

	struct op_top t;
	struct table_column columns[MAX_COLUMNS];
	char names[OP_MAX_LABELS][MAX_NAME];
	uint32_t nr_columns;
};

static void column(struct top *x, const char *name, enum table_kind kind)
{
	x->columns[x->nr_columns++] = (struct table_column){ name, kind, NULL };
}

/* Without frames flat and cum are the same. */
static void columns_choose(struct top *x)
{
	const struct op_group_by *by = &x->a.by;

	if (by->frame) {
		column(x, "flat", TABLE_VALUE);
		column(x, "flat%", TABLE_PERCENT);
		column(x, "sum%", TABLE_PERCENT);
		column(x, "cum", TABLE_VALUE);
		column(x, "cum%", TABLE_PERCENT);
	} else {
		column(x, "value", TABLE_VALUE);
		column(x, "percent", TABLE_PERCENT);
	}
	for (uint32_t i = 0; i < by->nr_labels; i++) {
		snprintf(x->names[i], MAX_NAME, "%.*s",
			 (int)by->labels[i].name.n,
			 (const char *)by->labels[i].name.p);
		column(x, x->names[i], TABLE_TEXT);
	}
	if (!by->frame)
		return;
	column(x, op_frame_parts_name(by->frame), TABLE_TEXT);
	x->columns[x->nr_columns - 1].key = "name";
}

static void row(struct top *x, struct table *t, const struct op_top_row *r,
		int64_t sum)
{
	int64_t total = x->t.total;

	table_value(t, r->flat);
	table_percent(t, r->flat, total);
	if (x->a.by.frame) {
		table_percent(t, sum, total);
		table_value(t, r->cum);
		table_percent(t, r->cum, total);
	}
	for (uint32_t k = 0; k < x->a.by.nr_labels; k++)
		table_text(t, op_group_text(&x->t.groups, r->group, k));
	if (x->a.by.frame)
		table_text(t, op_top_name(&x->t, r));
}

/* What the rows that were not shown add up to. */
static void left_out(struct top *x, uint64_t shown)
{
	uint64_t nr = x->t.rows.n - shown;
	int64_t sum = 0;

	for (uint64_t i = shown; i < x->t.rows.n; i++)
		sum = op_add_sat(sum, x->t.rows.p[i].flat);
	if (x->a.json) {
		op_json_key(&x->a.w, "left_out");
		op_json_open(&x->a.w, '{');
		op_json_key(&x->a.w, "rows");
		op_json_uint(&x->a.w, nr);
		op_json_key(&x->a.w, x->a.by.frame ? "flat" : "value");
		op_json_int(&x->a.w, sum);
		op_json_close(&x->a.w, '}');
	} else if (nr && answer_is_text(&x->a)) {
		op_buf_z(&x->a.out, "and ");
		text_number(&x->a.out, (int64_t)nr);
		op_buf_printf(&x->a.out, " more, %s%%\n",
			      op_fixed_text(table_share(sum, x->t.total), 2).s);
	}
}

static void print(struct top *x)
{
	uint64_t n = x->t.rows.n < x->a.nr_rows ? x->t.rows.n : x->a.nr_rows;
	struct table t = answer_table(&x->a, x->columns, x->nr_columns);
	int64_t sum = 0;

	answer_head(&x->a);
	table_begin(&t);
	for (uint64_t i = 0; i < n && !x->a.err->code; i++) {
		sum = op_add_sat(sum, x->t.rows.p[i].flat);
		row(x, &t, &x->t.rows.p[i], sum);
	}
	table_end(&t);
	left_out(x, n);
	answer_tail(&x->a);
	table_free(&t);
}

int cmd_top(const struct op_cmd *cmd, int argc, char **argv, struct op_err *err)
{
	struct top x = { .a = { .has = ANSWER_BY | ANSWER_CSV | ANSWER_ROWS,
				.nr_rows = 20 } };
	const struct op_opt own[] = {
		{ OP_OPT_FLAG, 0, "cum", NULL,
		  "sort by cum, which includes callees, not by flat",
		  &x.by_cum },
		{ 0 },
	};
	int first = answer_begin(&x.a, cmd, own, argc, argv, err);

	if (first > 0 && !answer_read(&x.a, argv + first, argc - first) &&
	    !op_top_build(&x.t, &x.a.m, x.a.like, &x.a.by, err)) {
		op_top_sort(&x.t, x.by_cum ? OP_TOP_CUM : OP_TOP_FLAT);
		columns_choose(&x);
		print(&x);
	}
	op_top_free(&x.t);
	return answer_end(&x.a, first);
}
