// SPDX-License-Identifier: Apache-2.0
/* server/api_spans.c: traces, and the spans that samples are linked to. */
#include "query/spans.h"
#include "server/api_int.h"

/* First and last; null if there are no times. */
static void times_put(struct op_request *r, struct op_range time)
{
	if (time.to) {
		op_api_time(r, "first", time.from);
		op_api_time(r, "last", time.to);
		return;
	}
	op_json_key(&r->w, "first");
	op_json_null(&r->w);
	op_json_key(&r->w, "last");
	op_json_null(&r->w);
}

/* --- traces --- */

static void trace_put(struct op_request *r, const struct op_spans *s,
		      const struct op_trace *t)
{
	op_json_open(&r->w, '{');
	op_api_text(&r->w, "trace", op_span_text(s, t->text));
	op_api_int(&r->w, "value", t->value);
	op_api_uint(&r->w, "observations", t->nr_observations);
	times_put(r, t->time);
	op_api_uint(&r->w, "spans", t->nr_spans);
	op_json_close(&r->w, '}');
}

static void traces_put(struct op_request *r, struct op_spans *s, uint32_t limit)
{
	uint32_t *ids = op_traces_sort(s, r->err);
	uint64_t nr_rest = 0;
	int64_t rest = 0;

	if (!ids)
		return;
	op_json_open(&r->w, '{');
	op_api_uint(&r->w, "nr", s->traces.n);
	op_api_open(&r->w, "traces", '[');
	for (size_t i = 0; i < s->traces.n; i++) {
		const struct op_trace *t = &s->traces.p[ids[i]];

		if (i < limit) {
			trace_put(r, s, t);
		} else {
			nr_rest++;
			rest = op_add_sat(rest, t->value);
		}
	}
	op_json_close(&r->w, ']');
	op_api_rest(r, nr_rest, "value", rest);
	op_json_close(&r->w, '}');
}

void op_api_traces(struct op_request *r)
{
	uint32_t limit = op_api_number(r, "limit", 200, 100000);
	struct op_selection sel = { 0 };
	struct op_spans s = { 0 };

	if (!r->err->code && !op_selection_open(&sel, r, "", OP_FOR_TIMES) &&
	    !op_spans_build(&s, sel.m, sel.like, r->err))
		traces_put(r, &s, limit);
	op_spans_free(&s);
	op_selection_close(&sel);
}

/* --- spans --- */

static void span_put(struct op_request *r, const struct op_spans *s,
		     const struct op_span *x)
{
	op_json_open(&r->w, '{');
	op_api_text(&r->w, "trace",
		    op_span_text(s, s->traces.p[x->trace].text));
	op_api_text(&r->w, "span", op_span_text(s, x->text));
	op_api_int(&r->w, "value", x->value);
	op_api_uint(&r->w, "observations", x->nr_observations);
	times_put(r, x->time);
	op_api_open(&r->w, "threads", '[');
	for (uint32_t i = 0; i < x->nr_threads; i++)
		op_json_string(&r->w,
			       op_span_text(s, s->threads.p[x->thread + i]));
	op_json_close(&r->w, ']');
	op_json_close(&r->w, '}');
}

static void spans_put(struct op_request *r, struct op_spans *s,
		      const char *trace, uint32_t limit)
{
	uint32_t *ids = op_spans_sort(s, r->err);
	uint64_t nr = 0, nr_rest = 0;
	int64_t rest = 0;

	if (!ids)
		return;
	op_json_open(&r->w, '{');
	op_api_text(&r->w, "trace", op_view_z(trace));
	op_api_open(&r->w, "spans", '[');
	for (size_t i = 0; i < s->spans.n && !r->err->code; i++) {
		const struct op_span *x = &s->spans.p[ids[i]];

		if (trace &&
		    !op_view_is(op_span_text(s, s->traces.p[x->trace].text),
				trace))
			continue;
		if (nr++ < limit) {
			span_put(r, s, x);
		} else {
			nr_rest++;
			rest = op_add_sat(rest, x->value);
		}
	}
	op_json_close(&r->w, ']');
	op_api_uint(&r->w, "nr", nr);
	op_api_rest(r, nr_rest, "value", rest);
	op_json_close(&r->w, '}');
}

void op_api_spans(struct op_request *r)
{
	uint32_t limit = op_api_number(r, "limit", 2000, 100000);
	struct op_selection sel = { 0 };
	struct op_spans s = { 0 };

	if (!r->err->code && !op_selection_open(&sel, r, "", OP_FOR_TIMES) &&
	    !op_spans_build(&s, sel.m, sel.like, r->err))
		spans_put(r, &s, op_param(r->params, "trace"), limit);
	op_spans_free(&s);
	op_selection_close(&sel);
}
