// SPDX-License-Identifier: Apache-2.0
/* A thread walks up and down: each stack is the one before without some of its
 * leaves, and with others in their place. So stacks begin alike, and some are
 * the root end of others, as in what profilers see. */
#include "otep_gen.h"

#include <stdio.h>
#include <stdlib.h>

#include "fmt/pprof/fields.h"

enum { DEEPEST = 512, S_FIXED = 6, MAX_LABELS = 64 };

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return below ? (uint32_t)((uint64_t)*seed * below >> 32) : 0;
}

/* A location that a location calls: one of few. */
static uint32_t callee(const struct otep_gen *g, uint32_t *seed, uint32_t from)
{
	return (from * 7 + draw(seed, 4) * 31 + 1) % g->locations + 1;
}

struct stack {
	uint32_t n;
	uint32_t frames[DEEPEST]; /* root first */
};

static void step(const struct otep_gen *g, uint32_t *seed, struct stack *s)
{
	uint32_t spread = g->deepest - g->shallowest + 1;
	uint32_t want = g->shallowest + draw(seed, spread);
	uint32_t keep = s->n ? s->n - draw(seed, s->n / 4 + 2) : 0;

	if (keep > s->n)
		keep = 0;
	/* Often no more than a return. */
	if (draw(seed, 2) && keep >= g->shallowest)
		want = keep;
	s->n = keep < want ? keep : want;
	while (s->n < want) {
		uint32_t from = s->n ? s->frames[s->n - 1] : 0;

		s->frames[s->n++] = callee(g, seed, from);
	}
}

/* --- the message, from the end --- */

static void tables_write(const struct otep_gen *g, struct op_pbw *w)
{
	static const char *const fixed[S_FIXED] = {
		"", "samples", "count", "cpu", "nanoseconds", "label"
	};
	char text[80];

	for (uint32_t i = g->labels; i--;) {
		snprintf(text, sizeof(text), "value-%u", i);
		op_pbw_bytes(w, PPROF_STRING, op_view_z(text));
	}
	for (uint32_t i = g->functions; i--;) {
		snprintf(text, sizeof(text), "app.module%u.Class%u#method_%u",
			 i % 17, i % 211, i);
		op_pbw_bytes(w, PPROF_STRING, op_view_z(text));
	}
	for (uint32_t i = S_FIXED; i--;)
		op_pbw_bytes(w, PPROF_STRING, op_view_z(fixed[i]));
	for (uint32_t i = g->functions; i--;) {
		size_t end = op_pbw_mark(w);

		op_pbw_uint(w, PPROF_FUNCTION_SYSTEM_NAME, S_FIXED + i);
		op_pbw_uint(w, PPROF_FUNCTION_NAME, S_FIXED + i);
		op_pbw_uint(w, PPROF_ROW_ID, i + 1);
		op_pbw_len(w, PPROF_FUNCTION, end);
	}
	for (uint32_t i = g->locations; i--;) {
		size_t end = op_pbw_mark(w);

		op_pbw_uint(w, PPROF_LINE_LINE, i % 900 + 1);
		op_pbw_uint(w, PPROF_LINE_FUNCTION, i % g->functions + 1);
		op_pbw_len(w, PPROF_LOCATION_LINE, end);
		op_pbw_uint(w, PPROF_LOCATION_MAPPING, 1);
		op_pbw_uint(w, PPROF_ROW_ID, i + 1);
		op_pbw_len(w, PPROF_LOCATION, end);
	}
}

static void sample_write(const struct otep_gen *g, uint32_t *seed,
			 const struct stack *s, struct op_pbw *w)
{
	size_t end = op_pbw_mark(w), part;
	uint32_t count = 1 + draw(seed, 3);

	if (g->labels > 1) {
		op_pbw_uint(w, PPROF_LABEL_STR,
			    S_FIXED + g->functions + draw(seed, g->labels));
		op_pbw_uint(w, PPROF_LABEL_KEY, S_FIXED - 1);
		op_pbw_len(w, PPROF_SAMPLE_LABEL, end);
	}
	part = op_pbw_mark(w);
	op_pbw_varint(w, count * UINT64_C(10000000));
	op_pbw_varint(w, count);
	op_pbw_len(w, PPROF_SAMPLE_VALUE, part);
	part = op_pbw_mark(w);
	for (uint32_t i = 0; i < s->n; i++)
		op_pbw_varint(w, s->frames[i]);
	op_pbw_len(w, PPROF_SAMPLE_LOCATION, part);
	op_pbw_len(w, PPROF_SAMPLE, end);
}

void otep_gen(const struct otep_gen *g, struct op_pbw *w)
{
	static struct stack s;
	uint32_t seed = g->seed;
	size_t end;

	s.n = 0;
	tables_write(g, w);
	end = op_pbw_mark(w);
	op_pbw_uint(w, PPROF_ROW_ID, 1);
	op_pbw_len(w, PPROF_MAPPING, end);
	for (uint32_t i = 0; i < g->samples; i++) {
		step(g, &seed, &s);
		sample_write(g, &seed, &s, w);
	}
	for (uint32_t t = 2; t--;) {
		end = op_pbw_mark(w);
		op_pbw_uint(w, PPROF_TYPE_UNIT, 2 + 2 * t);
		op_pbw_uint(w, PPROF_TYPE_TYPE, 1 + 2 * t);
		op_pbw_len(w, PPROF_SAMPLE_TYPE, end);
	}
}
