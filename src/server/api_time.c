// SPDX-License-Identifier: Apache-2.0
/* server/api_time.c: what happened when: series, heat map, threads. */
#include <math.h>
#include <stdlib.h>

#include "query/heatmap.h"
#include "query/lanes.h"
#include "server/api_int.h"

/* Numbers that an answer has at most; more are a wrong request. */
enum { MAX_CELLS = 1 << 22, MAX_COLUMNS = 20000 };

static void cells_check(struct op_request *r, uint64_t columns, uint64_t rows,
			const char *name)
{
	if (!r->err->code && columns * rows > MAX_CELLS)
		op_fail(r->err, OP_EUSAGE,
			"columns times %s is more than %d: ask for fewer", name,
			MAX_CELLS);
}

static void counted_put(struct op_request *r, const char *key, uint64_t nr,
			int64_t value)
{
	op_api_open(&r->w, key, '{');
	op_api_uint(&r->w, "observations", nr);
	op_api_int(&r->w, "value", value);
	op_json_close(&r->w, '}');
}

/* Where buckets begin and end. Without times there are none. */
static void axis_put(struct op_request *r, const struct op_buckets *b)
{
	op_api_time(r, "from", b->nr ? b->range.from : r->api->origin_ns);
	op_api_uint(&r->w, "width", b->width);
	op_api_uint(&r->w, "columns", b->nr_columns);
	op_api_time(r, "range_to", b->nr ? b->range.to : r->api->origin_ns);
}

/* --- series --- */

static void series_text(struct op_request *r, const struct op_series *s,
			uint32_t i)
{
	const struct op_groups *g = &s->totals.groups;
	struct op_buf text = { .err = r->err };
	bool others = s->has_others && i + 1 == s->nr;

	if (others)
		op_buf_printf(&text, "(%zu others)", s->totals.list.n - i);
	for (uint32_t k = 0; !others && k < g->by.nr_labels; k++) {
		op_buf_z(&text, k ? ", " : "");
		op_buf_view(&text,
			    op_group_text(g, s->totals.list.p[i].group, k));
	}
	op_api_text(&r->w, "text", op_view(text.p, text.n));
	op_buf_free(&text);
}

/* The last series may be that of several groups. */
static int64_t series_total(const struct op_series *s, uint32_t i)
{
	size_t end = i + 1 == s->nr ? s->totals.list.n : i + (size_t)1;
	int64_t sum = 0;

	for (size_t k = i; k < end; k++)
		sum = op_add_sat(sum, s->totals.list.p[k].value);
	return sum;
}

static void series_row(struct op_request *r, const struct op_series *s,
		       uint32_t i)
{
	const struct op_series_cell *row = op_series_row(s, i);

	op_json_open(&r->w, '{');
	series_text(r, s, i);
	op_api_int(&r->w, "total", series_total(s, i));
	op_api_open(&r->w, "values", '[');
	for (uint32_t b = 0; b < s->buckets.nr; b++)
		op_json_int(&r->w, row[b].value);
	op_json_close(&r->w, ']');
	op_api_open(&r->w, "counts", '[');
	for (uint32_t b = 0; b < s->buckets.nr; b++)
		op_json_uint(&r->w, row[b].count);
	op_json_close(&r->w, ']');
	op_json_close(&r->w, '}');
}

static void series_put(struct op_request *r, const struct op_selection *sel,
		       const struct op_series *s)
{
	op_json_open(&r->w, '{');
	op_api_type(r, sel->m, sel->like);
	axis_put(r, &s->buckets);
	op_api_open(&r->w, "series", '[');
	for (uint32_t i = 0; i < s->nr && !r->err->code; i++)
		series_row(r, s, i);
	op_json_close(&r->w, ']');
	op_api_bool(&r->w, "has_others", s->has_others);
	counted_put(r, "untimed", s->totals.all.nr_untimed,
		    s->totals.all.untimed);
	counted_put(r, "outside", s->nr_outside, s->outside);
	op_json_close(&r->w, '}');
}

static int series_by(struct op_request *r, const struct op_selection *s,
		     struct op_group_by *by)
{
	const struct op_model *m[] = { s->whole.m, NULL };

	*by = (struct op_group_by){ 0 };
	if (!op_param(r->params, "by") || op_api_by(r, "by", m, by))
		return r->err->code;
	if (by->frame)
		op_fail(r->err, OP_EUSAGE,
			"by expects labels of samples, not of frames");
	return r->err->code;
}

void op_api_series(struct op_request *r)
{
	struct op_selection sel = { 0 };
	struct op_series_opts o = { 0 };
	struct op_series s = { 0 };
	struct op_group_by by;

	o.nr_columns = op_api_number(r, "columns", 600, MAX_COLUMNS);
	o.max_groups = op_api_number(r, "limit", 8, 1000);
	cells_check(r, o.nr_columns, o.max_groups, "limit");
	if (!r->err->code && !op_selection_open(&sel, r, "", OP_FOR_TIMES) &&
	    !series_by(r, &sel, &by) &&
	    !op_series_build(&s, sel.m, sel.like, &by, &o, r->err))
		series_put(r, &sel, &s);
	op_series_free(&s);
	op_selection_close(&sel);
}

/* --- heat map --- */

static void heatmap_put(struct op_request *r, const struct op_selection *sel,
			const struct op_heatmap *h)
{
	const struct op_series *s = &h->series;
	uint32_t nr = s->nr ? s->buckets.nr : 0;

	op_json_open(&r->w, '{');
	op_api_type(r, sel->m, sel->like);
	axis_put(r, &s->buckets);
	op_api_uint(&r->w, "rows", s->buckets.nr_rows);
	op_api_open(&r->w, "counts", '[');
	for (uint32_t i = 0; i < nr; i++)
		op_json_uint(&r->w, s->cells[i].count);
	op_json_close(&r->w, ']');
	op_api_open(&r->w, "values", '[');
	for (uint32_t i = 0; i < nr; i++)
		op_json_int(&r->w, s->cells[i].value);
	op_json_close(&r->w, ']');
	op_api_uint(&r->w, "max_count", h->max_count);
	op_api_int(&r->w, "max_value", h->max_value);
	counted_put(r, "untimed", s->totals.all.nr_untimed,
		    s->totals.all.untimed);
	op_json_close(&r->w, '}');
}

void op_api_heatmap(struct op_request *r)
{
	struct op_selection sel = { 0 };
	struct op_series_opts o = { 0 };
	struct op_heatmap h = { 0 };

	o.nr_rows = op_api_number(r, "rows", OP_HEATMAP_ROWS, 1000);
	o.width = op_param_number(r->params, "width", OP_HEATMAP_COLUMN,
				  INT64_MAX, r->err);
	if (!r->err->code && !o.width)
		op_fail(r->err, OP_EUSAGE, "width expects nanoseconds, not 0");
	if (!r->err->code && !op_selection_open(&sel, r, "", OP_FOR_TIMES) &&
	    !op_heatmap_build(&h, sel.m, sel.like, &o, r->err))
		heatmap_put(r, &sel, &h);
	op_heatmap_free(&h);
	op_selection_close(&sel);
}

/* --- threads --- */

struct lanes {
	struct op_request *r;
	struct op_lanes l;
	struct op_regex *match; /* NULL: all */
	uint32_t limit;
	struct op_arena mem, scratch;
	struct op_lane_cell *cells;
	struct op_api_where processes, threads;
	struct op_buf where;
};

static void states_put(struct lanes *x)
{
	struct op_json *w = &x->r->w;

	op_api_open(w, "states", '[');
	for (size_t i = 0; i < x->l.states.n; i++) {
		const struct op_lane_state *s = &x->l.states.p[i];

		op_json_open(w, '{');
		op_api_text(w, "text", op_lane_text(&x->l, s->text));
		op_api_bool(w, "waits", s->waits);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void parts_put(struct lanes *x, const struct op_lane *lane)
{
	struct op_json *w = &x->r->w;

	op_api_open(w, "parts", '[');
	for (uint32_t k = 0; k < lane->nr_parts; k++) {
		const struct op_lane_part *p = &x->l.parts.p[lane->part + k];

		op_json_open(w, '{');
		op_api_uint(w, "state", p->state);
		op_api_uint(w, "time", p->time_ns);
		op_api_uint(w, "points", p->nr_points);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

/* In thousandths: less cannot be seen, and there are many of them. */
static void share_put(struct op_json *w, double share)
{
	uint32_t n = (uint32_t)ceil(share * 1000);
	uint8_t *p;

	if (n % 1000 == 0) {
		op_json_uint(w, n / 1000);
		return;
	}
	p = op_json_begin(w, 5);
	if (!p)
		return;
	*p++ = '0';
	*p++ = '.';
	*p++ = (uint8_t)('0' + n / 100);
	*p++ = (uint8_t)('0' + n / 10 % 10);
	*p++ = (uint8_t)('0' + n % 10);
	op_json_end(w, p);
}

static void cells_put(struct lanes *x, uint32_t lane)
{
	struct op_json *w = &x->r->w;

	if (op_lane_cells(&x->l, lane, &x->scratch, x->cells, x->r->err))
		return;
	op_api_open(w, "cells", '[');
	for (uint32_t b = 0; b < x->l.buckets.nr; b++) {
		const struct op_lane_cell *c = &x->cells[b];

		op_json_int(w, c->state == OP_NO_ID ? -1 : (int64_t)c->state);
		share_put(w, c->share);
	}
	op_json_close(w, ']');
}

static void lane_put(struct lanes *x, uint32_t i)
{
	const struct op_lane *lane = &x->l.lanes.p[i];
	struct op_view process = op_lane_text(&x->l, lane->process);
	struct op_view thread = op_lane_text(&x->l, lane->thread);
	struct op_json *w = &x->r->w;

	x->where.n = 0;
	op_api_where_put(&x->processes, op_view_z("process"), process,
			 &x->where);
	op_buf_byte(&x->where, ',');
	op_api_where_put(&x->threads, op_view_z("thread"), thread, &x->where);
	op_json_open(w, '{');
	op_api_text(w, "process", process);
	op_api_text(w, "thread", thread);
	op_api_text(w, "where", op_view(x->where.p, x->where.n));
	op_api_time(x->r, "first", lane->time.from);
	op_api_time(x->r, "last", lane->time.to);
	op_api_uint(w, "busy", lane->busy_ns);
	op_api_uint(w, "waiting", lane->waiting_ns);
	op_api_uint(w, "points", lane->nr_points);
	op_api_uint(w, "intervals", lane->nr_intervals);
	parts_put(x, lane);
	cells_put(x, i);
	op_json_close(w, '}');
}

static int name_cmp(const void *a, const void *b, void *lanes)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct op_lanes *l = lanes;
	const struct op_lane *x = &l->lanes.p[i], *y = &l->lanes.p[k];
	int c = op_view_cmp(op_lane_text(l, x->process),
			    op_lane_text(l, y->process));

	if (!c)
		c = op_view_cmp(op_lane_text(l, x->thread),
				op_lane_text(l, y->thread));
	return c;
}

static bool matches(struct lanes *x, const struct op_lane *lane)
{
	struct op_err *err = x->r->err;

	return !x->match ||
	       op_regex_matches(x->match, op_lane_text(&x->l, lane->thread),
				err) ||
	       op_regex_matches(x->match, op_lane_text(&x->l, lane->process),
				err);
}

/* Those that match, in their order; the busiest are first already. */
static uint32_t *lanes_choose(struct lanes *x, bool by_name, uint32_t *nr)
{
	uint32_t *ids = op_new_raw(&x->mem, uint32_t, x->l.lanes.n);

	*nr = 0;
	for (uint32_t i = 0; ids && i < x->l.lanes.n; i++)
		if (matches(x, &x->l.lanes.p[i]))
			ids[(*nr)++] = i;
	if (ids && by_name && *nr)
		qsort_r(ids, *nr, sizeof(*ids), name_cmp, &x->l);
	return x->r->err->code ? NULL : ids;
}

static uint64_t add_ns(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void wheres_note(struct lanes *x)
{
	for (size_t i = 0; i < x->l.lanes.n; i++) {
		const struct op_lane *lane = &x->l.lanes.p[i];

		op_api_where_note(&x->processes,
				  op_lane_text(&x->l, lane->process),
				  x->r->err);
		op_api_where_note(&x->threads,
				  op_lane_text(&x->l, lane->thread), x->r->err);
	}
}

static void lanes_put(struct lanes *x, bool by_name)
{
	struct op_json *w = &x->r->w;
	uint32_t nr, *ids = lanes_choose(x, by_name, &nr);
	uint64_t rest = 0;

	x->cells = op_new(&x->mem, struct op_lane_cell, x->l.buckets.nr);
	wheres_note(x);
	if (!ids || !x->cells)
		return;
	op_json_open(w, '{');
	axis_put(x->r, &x->l.buckets);
	op_json_key(w, "point_ns");
	op_json_double(w, x->l.point_ns);
	states_put(x);
	op_api_uint(w, "nr", nr);
	op_api_open(w, "lanes", '[');
	for (uint32_t i = 0; i < nr && !x->r->err->code; i++) {
		if (i < x->limit)
			lane_put(x, ids[i]);
		else
			rest = add_ns(rest, x->l.lanes.p[ids[i]].busy_ns);
	}
	op_json_close(w, ']');
	op_api_rest(x->r, nr > x->limit ? nr - x->limit : 0, "busy",
		    rest > INT64_MAX ? INT64_MAX : (int64_t)rest);
	op_api_uint(w, "untimed", x->l.nr_untimed);
	op_json_close(w, '}');
}

void op_api_lanes(struct op_request *r)
{
	static const char *const orders[] = { "busy", "name" };
	static const char *const whose[] = { "all", "type" };
	struct lanes x = { .r = r, .mem.err = r->err, .where.err = r->err };
	bool by_name = op_api_choice(r, "sort", orders, 2);
	bool of_type = op_api_choice(r, "intervals", whose, 2);
	struct op_lanes_opts o = { 0 };
	struct op_selection s = { 0 };

	o.nr_columns = op_api_number(r, "columns", 800, MAX_COLUMNS);
	x.limit = op_api_number(r, "limit", 200, 100000);
	cells_check(r, o.nr_columns, x.limit, "limit");
	x.match = op_api_pattern(r, "match");
	if (!r->err->code &&
	    !op_selection_open(&s, r, "",
			       of_type ? OP_FOR_TIMES : OP_FOR_ALL_TYPES)) {
		o.like = s.like;
		o.types = of_type ? s.types : NULL;
		if (!op_lanes_build(&x.l, s.m, &o, r->err))
			lanes_put(&x, by_name);
	}
	op_regex_free(x.match);
	op_api_where_free(&x.processes);
	op_api_where_free(&x.threads);
	op_lanes_free(&x.l);
	op_buf_free(&x.where);
	op_arena_free(&x.mem);
	op_arena_free(&x.scratch);
	op_selection_close(&s);
}
