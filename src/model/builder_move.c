// SPDX-License-Identifier: Apache-2.0
/* model/builder_move.c: observations that become those of other samples, once
 * more is known of them. */
#include "model/builder_int.h"

#include "base/hash.h"

/* Values of profiles that are like this one move along. */
static void values_drop(struct op_builder *b, const struct op_build_profile *bp,
			size_t from, size_t to)
{
	for (size_t i = 0; bp->has_like && i < b->profiles.n; i++) {
		struct op_build_profile *other = b->profiles.p[i];

		if (other->like == bp && from < other->obs_value.n)
			other->obs_value.p[to] = other->obs_value.p[from];
	}
}

static void values_cut(struct op_builder *b, const struct op_build_profile *bp,
		       size_t n)
{
	for (size_t i = 0; bp->has_like && i < b->profiles.n; i++) {
		struct op_build_profile *other = b->profiles.p[i];

		if (other->like == bp && other->obs_value.n > n)
			other->obs_value.n = n;
	}
}

/* Asks for each; what is dropped leaves no gap. */
static bool observations_move(struct op_builder *b, struct op_build_profile *bp,
			      op_build_move_fn *fn, void *ctx)
{
	size_t n = 0, nr = bp->obs_time.n;
	bool any = false;

	for (size_t i = 0; i < nr && !b->err->code; i++) {
		uint32_t old = bp->obs_sample.p[i];
		uint32_t sample = fn(ctx, old, bp->obs_time.p[i]);

		any |= sample != old;
		if (sample == OP_NO_ID)
			continue;
		bp->obs_sample.p[n] = sample;
		if (n != i) {
			bp->obs_time.p[n] = bp->obs_time.p[i];
			if (bp->has_values)
				bp->obs_value.p[n] = bp->obs_value.p[i];
			values_drop(b, bp, i, n);
		}
		n++;
	}
	if (b->err->code)
		return false;
	bp->obs_sample.n = bp->obs_time.n = n;
	if (bp->has_values)
		bp->obs_value.n = n;
	values_cut(b, bp, n);
	return any;
}

static bool index_again(struct op_builder *b, struct op_build_profile *bp)
{
	if (bp->index.nr_slots)
		memset(bp->index.slots, 0,
		       bp->index.nr_slots * sizeof(*bp->index.slots));
	bp->index.nr = 0;
	for (uint32_t i = 0; i < bp->samples.n; i++)
		if (!op_intern_add(&bp->index, &b->m->mem,
				   op_identity_hash(&bp->samples.p[i]), i))
			return false;
	return true;
}

/* Samples that have lost all they had are gone, the others close up. */
static void samples_close_up(struct op_builder *b, struct op_build_profile *bp)
{
	uint32_t *to = op_new(&b->m->mem, uint32_t, bp->samples.n);
	uint32_t n = 0;

	if (!to) {
		op_build_nomem(b);
		return;
	}
	for (size_t i = 0; i < bp->obs_sample.n; i++)
		to[bp->obs_sample.p[i]] = 1;
	for (uint32_t i = 0; i < bp->samples.n; i++) {
		if (!to[i])
			continue;
		bp->samples.p[n] = bp->samples.p[i];
		to[i] = n++;
	}
	for (size_t i = 0; i < bp->obs_sample.n; i++)
		bp->obs_sample.p[i] = to[bp->obs_sample.p[i]];
	op_arena_drop(&b->m->mem, to, bp->samples.n * sizeof(*to));
	bp->samples.n = bp->sums.n = n;
	if (!index_again(b, bp))
		op_build_nomem(b);
}

bool op_build_move(struct op_builder *b, uint32_t profile, op_build_move_fn *fn,
		   void *ctx)
{
	struct op_build_profile *bp;

	if (b->err->code)
		return false;
	bp = b->profiles.p[profile];
	if (bp->shape != OP_SHAPE_TIMED || bp->like)
		return false;
	if (!observations_move(b, bp, fn, ctx))
		return false;
	samples_close_up(b, bp);
	return true;
}
