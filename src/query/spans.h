// SPDX-License-Identifier: Apache-2.0
/* query/spans.h: the traces and spans that samples are linked to. */
#ifndef OP_QUERY_SPANS_H
#define OP_QUERY_SPANS_H

#include "query/totals.h"

struct op_trace {
	uint32_t text; /* of groups */
	int64_t value;
	uint64_t nr_observations;
	struct op_range time; /* 0, 0: no times */
	uint32_t nr_spans;
};

struct op_span {
	uint32_t trace; /* of traces, as they were found */
	uint32_t text;	/* of groups; OP_NO_ID: of the trace only */
	int64_t value;
	uint64_t nr_observations;
	struct op_range time;
	uint32_t thread, nr_threads; /* of threads, the largest first */
};

struct op_spans {
	struct op_totals totals; /* by trace, span and thread */
	struct op_arena mem;
	OP_VEC(struct op_trace) traces;
	OP_VEC(struct op_span) spans;
	struct op_id_vec threads; /* texts of groups */
};

/* Of samples with a trace, of the type of like. s is all zero; on failure it is
 * to be freed too. */
int op_spans_build(struct op_spans *s, const struct op_model *m,
		   const struct op_profile *like, struct op_err *err);
void op_spans_free(struct op_spans *s);

/* Their order, the largest first. NULL: out of memory. */
uint32_t *op_traces_sort(struct op_spans *s, struct op_err *err);
uint32_t *op_spans_sort(struct op_spans *s, struct op_err *err);

op_inline struct op_view op_span_text(const struct op_spans *s, uint32_t text)
{
	return text == OP_NO_ID ? (struct op_view){ 0 } :
				  op_text(&s->totals.groups.texts, text);
}

#endif
