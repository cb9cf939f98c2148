// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/link.c: ids of traces and spans.
 *
 *	spanId, localRootSpanId       numbers: Datadog's profiler
 *	contextId                     a number: Grafana's async-profiler
 *	traceId, spanId               numbers: Datadog's scopes; hex digits:
 *	                              OpenTelemetry's and Zipkin's events
 *	traceIdHigh                   a number, the upper half
 *
 * Of half a link none is made. */
#include "fmt/jfr/link.h"

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/plan.h"

struct op_view op_jfr_word_text(struct op_jfr_chunk *c,
				const struct op_jfr_word *w, uint64_t v)
{
	switch (w->form) {
	case OP_JFR_IN_TEXTS:
		return c->texts.p[v];
	case OP_JFR_IN_POOL:
		return op_jfr_pool_text(c, w->type, v);
	default:
		return (struct op_view){ 0 };
	}
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool op_jfr_is_id(struct op_view text, bool is_trace)
{
	if (text.n != 16 && !(is_trace && text.n == 32))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (digit(text.p[i]) < 0)
			return false;
	return true;
}

static void put_number(uint8_t *to, uint64_t id)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(id >> (56 - 8 * i));
}

/* Into the last of n bytes. */
static void put_word(struct op_jfr_chunk *c, const struct op_jfr_word *w,
		     uint64_t v, uint8_t *to, size_t n)
{
	struct op_view text;

	if (w->form == OP_JFR_NUMBER) {
		put_number(to + n - 8, v);
		return;
	}
	text = op_jfr_word_text(c, w, v);
	if (!op_jfr_is_id(text, n == 16))
		return;
	to += n - text.n / 2;
	for (size_t i = 0; i < text.n; i += 2)
		*to++ = (uint8_t)(digit(text.p[i]) << 4 | digit(text.p[i + 1]));
}

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

bool op_jfr_link(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		 const uint64_t *words, struct op_link *link)
{
	uint64_t root = 0;

	*link = (struct op_link){ 0 };
	for (uint32_t i = 0; i < p->nr_words; i++) {
		const struct op_jfr_word *w = &p->words[i];

		if (w->role == OP_JFR_ROOT_SPAN)
			root = words[i];
		else if (w->role == OP_JFR_CONTEXT)
			put_number(link->span_id, root = words[i]);
		else if (w->role == OP_JFR_SPAN)
			put_word(c, w, words[i], link->span_id, 8);
		else if (w->role == OP_JFR_TRACE)
			put_word(c, w, words[i], link->trace_id, 16);
	}
	for (uint32_t i = 0; i < p->nr_words; i++)
		if (p->words[i].role == OP_JFR_TRACE_HIGH)
			put_number(link->trace_id, words[i]);
	if (is_zero(link->trace_id, 16))
		put_number(link->trace_id + 8, root);
	return !is_zero(link->trace_id, 16) && !is_zero(link->span_id, 8);
}
