// SPDX-License-Identifier: Apache-2.0
/* query/spans.c: adds up samples by trace, span and thread, then the threads of
 * a span and the spans of a trace. */
#include "query/spans.h"

#include <stdlib.h>

#include "base/hash.h"

enum { TRACE, SPAN, THREAD, NR_LABELS };

struct joining {
	struct op_spans *s;
	struct op_intern traces, spans;
	uint32_t no_trace, no_span; /* texts */
	uint32_t *of_total;	    /* the span of each */
	struct op_err *err;
};

static const uint32_t *texts_of(const struct op_spans *s,
				const struct op_total *t)
{
	return s->totals.groups.members.p + (size_t)t->group * NR_LABELS;
}

static bool trace_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_trace *list = table;

	return list[id].text == *(const uint32_t *)key;
}

static uint32_t trace_of(struct joining *j, uint32_t text)
{
	struct op_trace fresh = { .text = text };
	uint64_t word = text;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&j->traces, hash, trace_eq, j->s->traces.p,
				     &text);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)j->s->traces.n;
	if (!op_vec_push(&j->s->mem, &j->s->traces, fresh) ||
	    !op_intern_add(&j->traces, &j->s->mem, hash, id))
		return OP_NO_ID;
	return id;
}

static bool span_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_span *list = table, *k = key;

	return list[id].trace == k->trace && list[id].text == k->text;
}

static uint32_t span_of(struct joining *j, uint32_t trace, uint32_t text)
{
	struct op_span fresh = { .trace = trace, .text = text };
	uint64_t word = (uint64_t)trace << 32 | text;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&j->spans, hash, span_eq, j->s->spans.p,
				     &fresh);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)j->s->spans.n;
	if (!op_vec_push(&j->s->mem, &j->s->spans, fresh) ||
	    !op_intern_add(&j->spans, &j->s->mem, hash, id))
		return OP_NO_ID;
	if (text != OP_NO_ID)
		j->s->traces.p[trace].nr_spans++;
	return id;
}

/* The span that a total counts to; OP_NO_ID: none. */
static uint32_t total_add(struct joining *j, const struct op_total *t)
{
	const uint32_t *texts = texts_of(j->s, t);
	struct op_trace *trace;
	struct op_span *span;
	uint32_t id;

	if (texts[TRACE] == j->no_trace)
		return OP_NO_ID;
	id = trace_of(j, texts[TRACE]);
	if (id == OP_NO_ID)
		return OP_NO_ID;
	trace = &j->s->traces.p[id];
	trace->value = op_add_sat(trace->value, t->value);
	trace->nr_observations += t->nr_observations;
	op_range_widen(&trace->time, t->time);
	id = span_of(j, id, texts[SPAN] == j->no_span ? OP_NO_ID : texts[SPAN]);
	if (id == OP_NO_ID)
		return OP_NO_ID;
	span = &j->s->spans.p[id];
	span->value = op_add_sat(span->value, t->value);
	span->nr_observations += t->nr_observations;
	op_range_widen(&span->time, t->time);
	span->nr_threads++;
	return id;
}

/* Each span gets room for its threads, then they are put there in the order of
 * the totals. */
static void threads_link(struct joining *j)
{
	struct op_spans *s = j->s;
	uint32_t n = 0;

	if (!op_vec_reserve(&s->mem, &s->threads, s->totals.list.n))
		return;
	for (size_t i = 0; i < s->spans.n; i++) {
		s->spans.p[i].thread = n;
		n += s->spans.p[i].nr_threads;
		s->spans.p[i].nr_threads = 0;
	}
	s->threads.n = n;
	for (size_t i = 0; i < s->totals.list.n; i++) {
		struct op_span *x;

		if (j->of_total[i] == OP_NO_ID)
			continue;
		x = &s->spans.p[j->of_total[i]];
		s->threads.p[x->thread + x->nr_threads++] = texts_of(
			s, &s->totals.list.p[i])[THREAD];
	}
}

int op_spans_build(struct op_spans *s, const struct op_model *m,
		   const struct op_profile *like, struct op_err *err)
{
	struct joining j = { .s = s, .err = err };
	struct op_group_by by;

	op_arena_tells(&s->mem, err);
	if (op_group_by_parse(&by, "trace,span,thread", err) ||
	    op_totals_build(&s->totals, m, like, &by, err))
		return err->code;
	op_totals_sort(&s->totals);
	j.no_trace = op_text_put(&s->totals.groups.texts,
				 op_view_z("(no trace)"), err);
	j.no_span = op_text_put(&s->totals.groups.texts, op_view_z("(no span)"),
				err);
	j.of_total = op_new_ids(&s->mem, s->totals.list.n);
	for (size_t i = 0; i < s->totals.list.n && !err->code; i++)
		j.of_total[i] = total_add(&j, &s->totals.list.p[i]);
	if (!err->code)
		threads_link(&j);
	return err->code;
}

void op_spans_free(struct op_spans *s)
{
	op_totals_free(&s->totals);
	op_arena_free(&s->mem);
	*s = (struct op_spans){ 0 };
}

/* --- order --- */

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static int trace_cmp(const void *a, const void *b, void *spans)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct op_spans *s = spans;
	uint64_t x = size_of(s->traces.p[i].value);
	uint64_t y = size_of(s->traces.p[k].value);

	if (x != y)
		return x < y ? 1 : -1;
	return i < k ? -1 : i > k;
}

static int span_cmp(const void *a, const void *b, void *spans)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct op_spans *s = spans;
	uint64_t x = size_of(s->spans.p[i].value);
	uint64_t y = size_of(s->spans.p[k].value);

	if (x != y)
		return x < y ? 1 : -1;
	return i < k ? -1 : i > k;
}

static uint32_t *sorted(struct op_spans *s, size_t n,
			int (*cmp)(const void *a, const void *b, void *spans),
			struct op_err *err)
{
	uint32_t *ids;

	op_arena_tells(&s->mem, err);
	ids = op_new_raw(&s->mem, uint32_t, n);
	for (uint32_t i = 0; ids && i < n; i++)
		ids[i] = i;
	if (ids && n)
		qsort_r(ids, n, sizeof(*ids), cmp, s);
	return ids;
}

uint32_t *op_traces_sort(struct op_spans *s, struct op_err *err)
{
	return sorted(s, s->traces.n, trace_cmp, err);
}

uint32_t *op_spans_sort(struct op_spans *s, struct op_err *err)
{
	return sorted(s, s->spans.n, span_cmp, err);
}
