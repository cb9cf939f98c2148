// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/batch.c: finds samples that are there already.
 *
 * The stacks of a large recording do not fit into a cache, and to look for one
 * means to wait for memory three times. So a few are gathered, and each step
 * is taken for all of them before the next: they wait together. */
#include "fmt/perf/perf.h"

#include "base/hash.h"

struct key {
	const struct op_perf *f;
	const struct op_perf_wait *w;
};

static bool known_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_perf_known *k = (const struct op_perf_known *)table +
					id;
	const struct op_perf *f = ((const struct key *)key)->f;
	const struct op_perf_wait *w = ((const struct key *)key)->w;

	return k->nr_frames == w->nr_frames && k->set == w->set &&
	       k->event == w->event &&
	       (!w->nr_frames || !memcmp(f->b.frames.p + k->frames_at,
					 f->frames.p + w->frames_at,
					 w->nr_frames * sizeof(uint32_t)));
}

/* Makes the sample, whose profile is there. */
static uint32_t known_add(struct op_perf *f, const struct op_perf_wait *w)
{
	struct op_perf_event *e = &f->events.p[w->event];
	struct op_identity id = { .set = w->set };
	struct op_perf_known row = {
		.nr_frames = w->nr_frames,
		.set = w->set,
		.event = w->event,
	};

	id.stack = op_build_stack(&f->b, f->frames.p + w->frames_at,
				  w->nr_frames);
	row.sample = op_build_sample(&f->b, e->profile, id);
	if (f->err->code)
		return 0;
	row.frames_at = f->b.stack_at.p[id.stack];
	if (!op_vec_push(&f->mem, &f->known, row) ||
	    !op_intern_add(&f->known_index, &f->mem, w->hash,
			   (uint32_t)f->known.n - 1))
		op_perf_nomem(f);
	return row.sample;
}

static void wait_end(struct op_perf *f, const struct op_perf_wait *w)
{
	struct op_perf_event *e = &f->events.p[w->event];
	struct key key = { f, w };
	uint32_t id, sample;

	op_perf_profile(f, e, w->period);
	id = op_intern_find(&f->known_index, w->hash, known_eq, f->known.p,
			    &key);
	sample = op_likely(id != OP_NO_ID) ? f->known.p[id].sample :
					     known_add(f, w);
	op_perf_observe(f, e, w, sample);
}

/* The row that is at the place of a hash, if it has the hash. */
static const struct op_perf_known *guess(const struct op_perf *f,
					 const struct op_perf_wait *w)
{
	struct op_slot s =
		f->known_index.slots[w->hash & (f->known_index.nr_slots - 1)];

	return s.id1 && s.hash == w->hash ? &f->known.p[s.id1 - 1] : NULL;
}

static void guess_all(const struct op_perf *f)
{
	const struct op_perf_known *k;

	for (uint32_t i = 0; i < f->nr_waiting; i++) {
		k = guess(f, &f->waiting[i]);
		if (k)
			__builtin_prefetch(k);
	}
	for (uint32_t i = 0; i < f->nr_waiting; i++) {
		k = guess(f, &f->waiting[i]);
		if (!k)
			continue;
		__builtin_prefetch(f->b.frames.p + k->frames_at);
		__builtin_prefetch(f->b.frames.p + k->frames_at + 16);
	}
}

void op_perf_batch_end(struct op_perf *f)
{
	if (f->known_index.nr_slots)
		guess_all(f);
	for (uint32_t i = 0; i < f->nr_waiting && !f->err->code; i++)
		wait_end(f, &f->waiting[i]);
	f->nr_waiting = 0;
	f->frames.n = 0;
}

void op_perf_batch_add(struct op_perf *f, struct op_perf_wait w)
{
	uint64_t seed = (uint64_t)w.set << 32 | w.event;

	w.hash = (uint32_t)XXH3_64bits_withSeed(f->frames.p + w.frames_at,
						w.nr_frames * sizeof(uint32_t),
						seed);
	if (f->known_index.nr_slots)
		__builtin_prefetch(f->known_index.slots +
				   (w.hash & (f->known_index.nr_slots - 1)));
	f->waiting[f->nr_waiting++] = w;
	if (f->nr_waiting == OP_PERF_BATCH)
		op_perf_batch_end(f);
}
