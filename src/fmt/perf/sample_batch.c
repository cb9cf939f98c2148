// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/sample_batch.c: samples on their way into profiles.
 *
 * The stacks of a large recording do not fit into a cache: to find one means to
 * wait for memory. So they are gathered and found many at a time. Samples of
 * an event stay in their order. */
#include "fmt/perf/sample_batch.h"

#include "fmt/perf/event.h"
#include "fmt/perf/facts.h"
#include "fmt/perf/perf_int.h"

static void stacks_find(struct op_perf *f, uint32_t *out)
{
	struct op_ids stacks[OP_PERF_BATCH];

	for (uint32_t i = 0; i < f->batch.nr; i++)
		stacks[i] = (struct op_ids){
			f->rows.frames.p + f->batch.pending[i].frames_at,
			f->batch.pending[i].nr_frames,
		};
	op_build_stacks(&f->b, stacks, f->batch.nr, out);
}

/* Those that wait of one event, from a place on; is_done is a bit for each. */
static void event_end(struct op_perf *f, uint32_t from, const uint32_t *stacks,
		      uint64_t *is_done)
{
	struct op_perf_event *e =
		&f->events.rows.p[f->batch.pending[from].event];
	struct op_identity ids[OP_PERF_BATCH];
	uint32_t at[OP_PERF_BATCH], samples[OP_PERF_BATCH], n = 0;

	op_perf_profile(f, e, f->batch.pending[from].period);
	for (uint32_t i = from; i < f->batch.nr; i++) {
		const struct op_perf_pending *w = &f->batch.pending[i];

		if (w->event != f->batch.pending[from].event)
			continue;
		*is_done |= (uint64_t)1 << i;
		ids[n] = (struct op_identity){ stacks[i], w->set, 0 };
		at[n++] = i;
	}
	op_build_samples(&f->b, e->profile, ids, n, samples);
	for (uint32_t i = 0; i < n && !f->err->code; i++)
		op_perf_observe(f, e, &f->batch.pending[at[i]], samples[i]);
}

void op_perf_batch_end(struct op_perf *f)
{
	uint32_t stacks[OP_PERF_BATCH];
	uint64_t is_done = 0;

	stacks_find(f, stacks);
	for (uint32_t i = 0; i < f->batch.nr && !f->err->code; i++)
		if (!(is_done >> i & 1))
			event_end(f, i, stacks, &is_done);
	f->batch.nr = 0;
	f->rows.frames.n = 0;
}

void op_perf_batch_add(struct op_perf *f, const struct op_perf_pending *w)
{
	f->batch.pending[f->batch.nr++] = *w;
	if (f->batch.nr == OP_PERF_BATCH)
		op_perf_batch_end(f);
}
