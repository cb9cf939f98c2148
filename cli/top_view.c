// SPDX-License-Identifier: Apache-2.0
/* cli/top_view.c: prints rows of functions or labels, the largest first. */
#include "top_view.h"

#include <stdio.h>

#include "query/top.h"
#include "show.h"

enum { MAX_COLUMNS = OP_MAX_LABELS + 6, MAX_NAME = 64 };

struct top {
	struct answer *a;
	int64_t whole;
	struct op_top t;
	struct table_column columns[MAX_COLUMNS];
	char names[OP_MAX_LABELS][MAX_NAME];
	uint32_t nr_columns;
};

static void column(struct top *x, const char *name, enum table_kind kind)
{
	x->columns[x->nr_columns++] = (struct table_column){ name, kind, NULL };
}

/* Without frames flat and cum are equal. */
static void columns_choose(struct top *x)
{
	const struct op_group_by *by = &x->a->by;

	if (by->frame) {
		column(x, "flat", TABLE_VALUE);
		column(x, "flat%", TABLE_PERCENT);
		column(x, "sum%", TABLE_SUM);
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
	int64_t whole = x->whole;

	table_value(t, r->flat);
	table_percent(t, r->flat, whole);
	if (x->a->by.frame) {
		table_percent(t, sum, whole);
		table_value(t, r->cum);
		table_percent(t, r->cum, whole);
	}
	for (uint32_t k = 0; k < x->a->by.nr_labels; k++)
		table_text(t, op_group_text(&x->t.groups, r->group, k));
	if (x->a->by.frame)
		table_text(t, op_top_name(&x->t, r));
}

/* The sum of the rows that were not shown. */
static void left_out(struct top *x, uint64_t shown)
{
	uint64_t nr = x->t.rows.n - shown;
	int64_t sum = 0;

	for (uint64_t i = shown; i < x->t.rows.n; i++)
		sum = op_add_sat(sum, x->t.rows.p[i].flat);
	if (x->a->json) {
		op_json_key(&x->a->w, "left_out");
		op_json_open(&x->a->w, '{');
		op_json_key(&x->a->w, "rows");
		op_json_uint(&x->a->w, nr);
		op_json_key(&x->a->w, x->a->by.frame ? "flat" : "value");
		op_json_int(&x->a->w, sum);
		op_json_close(&x->a->w, '}');
	} else if (nr && answer_is_text(x->a)) {
		op_buf_z(&x->a->out, "and ");
		text_number(&x->a->out, (int64_t)nr);
		op_buf_printf(&x->a->out, " more, %s%%\n",
			      op_fixed_text(table_share(sum, x->whole), 2).s);
	}
}

static void print(struct top *x)
{
	uint64_t n = x->t.rows.n < x->a->nr_rows ? x->t.rows.n : x->a->nr_rows;
	struct table t = answer_table(x->a, x->columns, x->nr_columns);
	int64_t sum = 0;

	table_begin(&t);
	for (uint64_t i = 0; i < n && !x->a->err->code; i++) {
		sum = op_add_sat(sum, x->t.rows.p[i].flat);
		row(x, &t, &x->t.rows.p[i], sum);
	}
	table_end(&t);
	left_out(x, n);
	table_free(&t);
}

void top_show(struct answer *a, bool by_cum, int64_t whole)
{
	struct top x = { .a = a, .whole = whole };

	if (!op_top_build(&x.t, &a->m, a->like, &a->by, a->err)) {
		op_top_sort(&x.t, by_cum ? OP_TOP_CUM : OP_TOP_FLAT);
		columns_choose(&x);
		print(&x);
	}
	op_top_free(&x.t);
}
