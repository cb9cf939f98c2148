// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/batch.c: samples on their way into profiles.
 *
 * The stacks of a large recording do not fit into a cache: to find one means to
 * wait for memory. So they are gathered and found many at a time. Samples of
 * an event stay in their order. */
#include "fmt/perf/perf.h"

static void stacks_find(struct op_perf *f, uint32_t *out)
{
	struct op_ids stacks[OP_PERF_BATCH];

	for (uint32_t i = 0; i < f->nr_waiting; i++)
		stacks[i] = (struct op_ids){
			f->frames.p + f->waiting[i].frames_at,
			f->waiting[i].nr_frames,
		};
	op_build_stacks(&f->b, stacks, f->nr_waiting, out);
}

/* Those that wait of one event, from a place on; is_done is a bit for each. */
static void event_end(struct op_perf *f, uint32_t from, const uint32_t *stacks,
		      uint64_t *is_done)
{
	struct op_perf_event *e = &f->events.p[f->waiting[from].event];
	struct op_identity ids[OP_PERF_BATCH];
	uint32_t at[OP_PERF_BATCH], samples[OP_PERF_BATCH], n = 0;

	op_perf_profile(f, e, f->waiting[from].period);
	for (uint32_t i = from; i < f->nr_waiting; i++) {
		const struct op_perf_wait *w = &f->waiting[i];

		if (w->event != f->waiting[from].event)
			continue;
		*is_done |= (uint64_t)1 << i;
		ids[n] = (struct op_identity){ stacks[i], w->set, 0 };
		at[n++] = i;
	}
	op_build_samples(&f->b, e->profile, ids, n, samples);
	for (uint32_t i = 0; i < n && !f->err->code; i++)
		op_perf_observe(f, e, &f->waiting[at[i]], samples[i]);
}

void op_perf_batch_end(struct op_perf *f)
{
	uint32_t stacks[OP_PERF_BATCH];
	uint64_t is_done = 0;

	stacks_find(f, stacks);
	for (uint32_t i = 0; i < f->nr_waiting && !f->err->code; i++)
		if (!(is_done >> i & 1))
			event_end(f, i, stacks, &is_done);
	f->nr_waiting = 0;
	f->frames.n = 0;
}

void op_perf_batch_add(struct op_perf *f, const struct op_perf_wait *w)
{
	f->waiting[f->nr_waiting++] = *w;
	if (f->nr_waiting == OP_PERF_BATCH)
		op_perf_batch_end(f);
}
