// SPDX-License-Identifier: Apache-2.0
/* cli/stat_threads.c: `stat --threads`. */
#include "base/text_width.h"
#include "query/lanes.h"
#include "show.h"
#include "stat.h"

enum { TIMES_WIDTH = 20, MIN_CHART = 20, MIN_NAME = 12 };

/* How states are drawn. */
struct legend {
	uint32_t shaded;  /* the state drawn in shades; OP_NO_ID: none */
	uint8_t *letters; /* of the other states, by state */
	uint64_t *time_ns;
};

struct lanes_view {
	struct stat_view *x;
	struct op_lanes l;
	struct legend legend;
	bool processes; /* several processes */
	uint32_t name_width;
	struct op_arena mem, scratch;
	struct op_lane_cell *cells;
};

static void name_put(struct lanes_view *v, const struct op_lane *lane)
{
	struct op_view thread = op_lane_text(&v->l, lane->thread);
	struct op_buf *out = &v->x->text;

	out->n = 0;
	if (v->processes) {
		text_name(out, op_lane_text(&v->l, lane->process));
		op_buf_byte(out, ' ');
	}
	text_name(out, thread);
	text_cut(out, 0, v->name_width);
}

/* --- states --- */

static bool is_taken(const struct legend *g, size_t nr, uint8_t c)
{
	for (size_t i = 0; i < nr; i++)
		if (g->letters[i] == c)
			return true;
	return false;
}

/* A letter of its name that no other state has, else any. */
static uint8_t letter_for(const struct legend *g, size_t nr,
			  struct op_view name)
{
	for (size_t i = 0; i < name.n; i++)
		if (((name.p[i] | 0x20) >= 'a' && (name.p[i] | 0x20) <= 'z') &&
		    !is_taken(g, nr, name.p[i] | 0x20))
			return name.p[i] | 0x20;
	for (uint8_t c = 'A'; c <= 'Z'; c++)
		if (!is_taken(g, nr, c))
			return c;
	return '?';
}

static int legend_make(struct lanes_view *v)
{
	struct legend *g = &v->legend;
	size_t n = v->l.states.n;

	g->letters = op_new(&v->mem, uint8_t, n);
	g->time_ns = op_new(&v->mem, uint64_t, n);
	g->shaded = OP_NO_ID;
	if (!g->letters || !g->time_ns)
		return v->x->a.err->code;
	for (size_t i = 0; i < v->l.parts.n; i++)
		g->time_ns[v->l.parts.p[i].state] += v->l.parts.p[i].time_ns;
	for (size_t i = 0; i < n; i++)
		if (!v->l.states.p[i].waits &&
		    (g->shaded == OP_NO_ID ||
		     g->time_ns[i] > g->time_ns[g->shaded]))
			g->shaded = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		if (i != g->shaded)
			g->letters[i] = letter_for(
				g, i,
				op_lane_text(&v->l, v->l.states.p[i].text));
	return OP_OK;
}

static void legend_print(struct lanes_view *v)
{
	struct op_buf *out = &v->x->a.out;
	uint32_t shaded = v->legend.shaded;
	const char *comma = "";
	size_t at = out->n;

	if (shaded != OP_NO_ID) {
		chart_shade(out, &v->x->chart, 0.01);
		op_buf_z(out, " to ");
		chart_shade(out, &v->x->chart, 1);
		op_buf_byte(out, ' ');
		text_name(out, op_lane_text(&v->l, v->l.states.p[shaded].text));
		comma = ", ";
	}
	for (size_t i = 0; i < v->l.states.n; i++) {
		if (i == shaded)
			continue;
		op_buf_printf(out, "%s%c ", comma, v->legend.letters[i]);
		text_name(out, op_lane_text(&v->l, v->l.states.p[i].text));
		comma = ", ";
	}
	op_buf_byte(out, '\n');
	text_wrap(out, at);
}

/* --- text --- */

static void cells_put(struct lanes_view *v, uint32_t lane)
{
	struct op_buf *out = &v->x->text;

	out->n = 0;
	if (op_lane_cells(&v->l, lane, &v->scratch, v->cells, v->x->a.err))
		return;
	for (uint32_t b = 0; b < v->l.buckets.nr; b++) {
		const struct op_lane_cell *c = &v->cells[b];

		if (c->state == OP_NO_ID)
			op_buf_byte(out, ' ');
		else if (c->state == v->legend.shaded)
			chart_shade(out, &v->x->chart, c->share);
		else
			op_buf_byte(out, v->legend.letters[c->state]);
	}
}

static void text_print(struct lanes_view *v)
{
	struct stat_view *x = v->x;
	size_t n = v->l.lanes.n < x->a.nr_rows ? v->l.lanes.n : x->a.nr_rows;
	struct table t;

	stat_column(x, "busy", TABLE_DURATION, NULL);
	stat_column(x, "waiting", TABLE_DURATION, NULL);
	stat_column(x, "thread", TABLE_TEXT, NULL);
	stat_column(x, "over time", TABLE_TEXT, NULL);
	t = answer_table(&x->a, x->columns, x->nr_columns);
	stat_axis(x, v->l.buckets.range, v->l.buckets.width, "character");
	op_buf_byte(&x->a.out, '\n');
	legend_print(v);
	table_begin(&t);
	for (size_t i = 0; i < n && !x->a.err->code; i++) {
		const struct op_lane *lane = &v->l.lanes.p[i];

		table_duration(&t, lane->busy_ns);
		table_duration(&t, lane->waiting_ns);
		name_put(v, lane);
		table_text(&t, op_view(x->text.p, x->text.n));
		cells_put(v, (uint32_t)i);
		table_text(&t, op_view(x->text.p, x->text.n));
	}
	table_end(&t);
	table_free(&t);
	if (n < v->l.lanes.n) {
		op_buf_z(&x->a.out, "and ");
		text_number(&x->a.out, (int64_t)(v->l.lanes.n - n));
		op_buf_z(&x->a.out, " more\n");
	}
}

/* --- JSON and CSV: one row for each state of each thread --- */

static void rows_print(struct lanes_view *v)
{
	struct stat_view *x = v->x;
	size_t n = v->l.lanes.n < x->a.nr_rows ? v->l.lanes.n : x->a.nr_rows;
	bool has_date = stat_has_date(x, x->a.like, v->l.buckets.range);
	struct table t;

	stat_column(x, "process", TABLE_TEXT, NULL);
	stat_column(x, "thread", TABLE_TEXT, NULL);
	stat_column(x, "state", TABLE_TEXT, NULL);
	stat_column(x, "duration", TABLE_DURATION, "state_nano");
	stat_column(x, "points", TABLE_COUNT, NULL);
	stat_column(x, "intervals", TABLE_COUNT, NULL);
	stat_time_column(x, has_date);
	stat_column(x, "lasts", TABLE_DURATION, "duration_nano");
	t = answer_table(&x->a, x->columns, x->nr_columns);
	table_begin(&t);
	for (size_t i = 0; i < n; i++) {
		const struct op_lane *lane = &v->l.lanes.p[i];

		for (uint32_t k = 0; k < lane->nr_parts && !x->a.err->code;
		     k++) {
			const struct op_lane_part *p =
				&v->l.parts.p[lane->part + k];

			table_text(&t, op_lane_text(&v->l, lane->process));
			table_text(&t, op_lane_text(&v->l, lane->thread));
			table_text(&t,
				   op_lane_text(&v->l,
						v->l.states.p[p->state].text));
			table_duration(&t, p->time_ns);
			table_count(&t, p->nr_points);
			table_count(&t, p->nr_intervals);
			stat_time(&t, has_date, lane->time.from,
				  v->l.buckets.range.from);
			table_duration(&t, lane->time.to - lane->time.from);
		}
	}
	table_end(&t);
	table_free(&t);
}

/* --- the view --- */

/* The longest name of a thread of the type, with its process. */
static uint32_t longest_name(struct stat_view *x)
{
	struct op_group_by by;
	struct op_totals t = { 0 };
	uint32_t longest = MIN_NAME;

	if (!op_group_by_parse(&by, "process,thread", x->a.err))
		op_totals_build(&t, &x->a.m, x->a.like, &by, x->a.err);
	for (uint32_t i = 0; i < t.groups.nr && !x->a.err->code; i++) {
		uint32_t n = op_text_columns(op_group_text(&t.groups, i, 1));

		if (t.groups.members.p[2 * (size_t)i] != t.groups.members.p[0])
			n = STAT_LABEL;
		if (n > longest)
			longest = n;
	}
	op_totals_free(&t);
	return longest < STAT_LABEL ? longest : STAT_LABEL;
}

/* The number of characters left in a line for the chart. */
static uint32_t columns_choose(const struct lanes_view *v)
{
	uint32_t used = TIMES_WIDTH + v->name_width + 2;

	/* Only text has buckets. */
	if (!answer_is_text(&v->x->a))
		return 1;
	if (v->x->buckets)
		return (uint32_t)v->x->buckets;
	return v->x->chart.width > used + MIN_CHART ? v->x->chart.width - used :
						      MIN_CHART;
}

static void lanes_print(struct lanes_view *v)
{
	struct stat_view *x = v->x;

	for (size_t i = 1; i < v->l.lanes.n; i++)
		if (v->l.lanes.p[i].process != v->l.lanes.p[0].process)
			v->processes = true;
	v->cells = op_new(&v->mem, struct op_lane_cell, v->l.buckets.nr);
	if (!v->cells || legend_make(v))
		return;
	answer_head(&x->a);
	if (answer_is_text(&x->a))
		text_print(v);
	else
		rows_print(v);
	stat_untimed(x, v->l.nr_untimed, 0);
	answer_tail(&x->a);
}

void stat_threads(struct stat_view *x)
{
	struct lanes_view v = { .x = x, .mem.err = x->a.err };
	struct op_lanes_opts o = {
		.like = x->a.like,
		.types = x->a.types_text,
	};

	v.name_width = longest_name(x);
	o.nr_columns = columns_choose(&v);
	if (!x->a.err->code && !op_lanes_build(&v.l, &x->a.m, &o, x->a.err) &&
	    (v.l.lanes.n || !stat_no_times(x, "threads")))
		lanes_print(&v);
	op_lanes_free(&v.l);
	op_arena_free(&v.mem);
	op_arena_free(&v.scratch);
}
