// SPDX-License-Identifier: Apache-2.0
/* server/api_chart.c: observations one by one, as a flame chart. */
#include "query/chart.h"
#include "query/flame_json.h"
#include "server/api_int.h"

static void tree_put(struct op_request *r, struct op_chart *c)
{
	struct op_flame_json x = { .w = &r->w };

	op_api_open(&r->w, "tree", '{');
	if (!op_flame_json_tree(&x, &c->flame, r->err))
		op_flame_json_frames(&x, &c->flame, r->err);
	op_json_close(&r->w, '}');
	op_flame_json_free(&x);
}

static void chart_put(struct op_request *r, const struct op_selection *s,
		      struct op_chart *c)
{
	uint64_t origin = r->api->origin_ns;
	bool any = c->range.from < c->range.to;

	op_json_open(&r->w, '{');
	op_api_type(r, s->m, s->like);
	op_api_time(r, "from", any ? c->range.from : origin);
	op_api_time(r, "to", any ? c->range.to : origin);
	op_api_uint(&r->w, "nr", c->nr);
	op_api_uint(&r->w, "shown", c->rows.n);
	op_api_uint(&r->w, "step", c->step);
	tree_put(r, c);
	op_api_open(&r->w, "at", '[');
	for (size_t i = 0; i < c->rows.n; i++) {
		op_api_time_put(r, c->rows.p[i].time);
		op_json_uint(&r->w, c->rows.p[i].length);
		op_json_uint(&r->w, c->rows.p[i].node);
	}
	op_json_close(&r->w, ']');
	op_json_close(&r->w, '}');
}

void op_api_chart(struct op_request *r)
{
	struct op_chart_opts o = { 0 };
	struct op_selection s = { 0 };
	struct op_chart c = { 0 };

	o.nr_columns = op_api_number(r, "columns", 1000, 4000);
	o.limit = op_api_number(r, "limit", 50000, 1000000);
	if (!r->err->code && o.limit < OP_CHART_DEPTHS)
		op_fail(r->err, OP_EUSAGE, "limit expects at least %d",
			OP_CHART_DEPTHS);
	if (!r->err->code && !op_selection_open(&s, r, "", OP_FOR_RANGE)) {
		o.range = s.range;
		if (!op_chart_build(&c, s.m, s.like, &o, r->err))
			chart_put(r, &s, &c);
	}
	op_chart_free(&c);
	op_selection_close(&s);
}
