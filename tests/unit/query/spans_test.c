// SPDX-License-Identifier: Apache-2.0
#include "query/spans.h"

#include "test.h"
#include "write/sketch.h"

/* A span by its link, one by attributes, a trace without a span, and samples
 * without a trace. */
TEST(spans)
{
	struct sketch s = { .samples = "a 5@10 6@30 thread.name=t #1\n"
				       "a 7@20 thread.name=u #1\n"
				       "b 1@5 trace_id=x span_id=y\n"
				       "b 2@6 trace_id=x\n"
				       "c 100@50" };
	struct op_err err = { 0 };
	struct op_spans x = { 0 };
	struct op_model m;
	uint32_t *order;
	const struct op_span *span;

	sketch_one(&m, &s);
	CHECK_EQ(op_spans_build(&x, &m, m.resources[0].scopes[0].profiles,
				&err),
		 OP_OK);
	CHECK_EQ(x.traces.n, 2);
	order = op_traces_sort(&x, &err);
	CHECK_EQ(x.traces.p[order[0]].value, 18);
	CHECK_EQ(x.traces.p[order[0]].nr_spans, 1);
	CHECK_EQ(x.traces.p[order[1]].value, 3);
	CHECK_EQ(x.traces.p[order[1]].nr_spans, 1);
	CHECK(op_view_is(op_span_text(&x, x.traces.p[order[1]].text), "x"));
	CHECK_EQ(x.spans.n, 3);
	order = op_spans_sort(&x, &err);
	span = &x.spans.p[order[0]];
	CHECK_EQ(span->value, 18);
	CHECK_EQ(span->nr_observations, 3);
	CHECK_EQ(span->time.from, 10);
	CHECK_EQ(span->time.to, 31);
	CHECK_EQ(span->nr_threads, 2);
	CHECK(op_view_is(op_span_text(&x, x.threads.p[span->thread]), "t"));
	CHECK(op_view_is(op_span_text(&x, x.threads.p[span->thread + 1]), "u"));
	CHECK_EQ(x.spans.p[order[1]].text, OP_NO_ID);
	CHECK_EQ(op_span_text(&x, OP_NO_ID).n, 0);
	op_spans_free(&x);
	op_model_free(&m);
}

TEST_MAIN(spans)
