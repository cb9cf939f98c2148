// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/event_context.c: what an event says of others: that memory was given
 * back, what a thread was doing, what a request was. */
#include "fmt/jfr/event_context.h"

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/link.h"
#include "fmt/jfr/native_leaks.h"
#include "fmt/jfr/plan.h"
#include "fmt/jfr/rows.h"
#include "fmt/jfr/spans.h"

void op_jfr_event_malloc(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			 const uint64_t *nums, uint32_t sample)
{
	struct op_jfr_block block = {
		.address = nums[OP_JFR_N_ADDRESS],
		.malloc_ns = op_jfr_time_ns(&c->h, nums[OP_JFR_N_TIME]),
		.size = (int64_t)nums[OP_JFR_N_VALUE + 1],
		.sample = sample,
	};

	c->j->mallocs.profile = p->ids[0];
	op_jfr_malloc_add(c->j, &block);
}

static struct op_view context_text(struct op_jfr_chunk *c,
				   const struct op_jfr_plan *p,
				   const uint64_t *words, int i)
{
	uint32_t at = p->context_words[i];

	if (at == OP_NO_ID)
		return (struct op_view){ 0 };
	return op_jfr_word_text(c, &p->words[at], words[at]);
}

static void interval(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		     const uint64_t *nums, const uint64_t *words)
{
	struct op_jfr_interval row = {
		.from_ns = op_jfr_time_ns(&c->h, nums[OP_JFR_N_TIME]),
	};
	struct op_jfr_activity activity = { .tag = context_text(c, p, words,
								1) };
	int64_t ns = op_jfr_span_ns(&c->h, p->units[OP_JFR_N_DURATION],
				    nums[OP_JFR_N_DURATION]);

	if (ns <= 0 ||
	    __builtin_add_overflow(row.from_ns, (uint64_t)ns, &row.to_ns))
		return;
	if (p->has_link)
		op_jfr_link(c, p, words, &activity.link);
	if (op_jfr_thread_ids(c, words[p->context_words[0]], row.thread))
		op_jfr_interval_add(c->j, &row, &activity);
}

static void endpoint(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		     const uint64_t *words)
{
	struct op_jfr_endpoint row = {
		.root = words[p->context_words[0]],
		.endpoint = context_text(c, p, words, 1),
		.operation = context_text(c, p, words, 2),
	};

	op_jfr_endpoint_add(c->j, &row);
}

void op_jfr_event_context(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			  const uint64_t *nums, const uint64_t *words)
{
	if (p->context == OP_JFR_FREE)
		op_jfr_free_add(c->j, nums[OP_JFR_N_ADDRESS],
				op_jfr_time_ns(&c->h, nums[OP_JFR_N_TIME]));
	else if (p->context == OP_JFR_INTERVAL)
		interval(c, p, nums, words);
	else if (p->context == OP_JFR_ENDPOINT)
		endpoint(c, p, words);
}
