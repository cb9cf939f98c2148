// SPDX-License-Identifier: Apache-2.0
/* model/builder_move.c: observations that become those of other samples, once
 * more is known of them. */
#include "model/builder_int.h"

#include "base/hash.h"

/* Whose each observation shall be, OP_NO_ID for those that are dropped; gives
 * how many stay. */
static size_t ask(struct op_builder *b, const struct op_build_profile *bp,
		  op_build_move_fn *fn, void *ctx, struct op_column *whose,
		  bool *any)
{
	struct op_column_reader s, t;
	size_t n = 0;

	op_column_read(&s, &bp->obs_sample);
	op_column_read(&t, &bp->obs_time);
	for (size_t i = 0; i < bp->obs_time.n && !b->err->code; i++) {
		uint32_t old = (uint32_t)op_column_next(&s);
		uint32_t sample = fn(ctx, old, op_column_next(&t));

		*any |= sample != old;
		n += sample != OP_NO_ID;
		if (!op_column_push(whose, &b->m->mem, sample))
			op_build_nomem(b);
	}
	return n;
}

/* What a column has in rows that are not dropped. */
static struct op_column kept(struct op_builder *b, const struct op_column *c,
			     const struct op_column *whose)
{
	struct op_column_reader v, w;
	struct op_column out = { 0 };

	op_column_read(&v, c);
	op_column_read(&w, whose);
	for (size_t i = 0; i < c->n && i < whose->n && !b->err->code; i++) {
		uint64_t number = op_column_next(&v);

		if (op_column_next(&w) != OP_NO_ID &&
		    !op_column_push(&out, &b->m->mem, number))
			op_build_nomem(b);
	}
	return out;
}

static void replace(struct op_builder *b, struct op_column *old,
		    struct op_column new)
{
	op_column_drop(old, &b->m->mem);
	*old = new;
}

/* What is dropped leaves no gap, nor in the profiles that are like this. */
static void rows_drop(struct op_builder *b, struct op_build_profile *bp,
		      const struct op_column *whose)
{
	replace(b, &bp->obs_time, kept(b, &bp->obs_time, whose));
	replace(b, &bp->obs_value, kept(b, &bp->obs_value, whose));
	for (size_t i = 0; bp->nr_like && i < b->profiles.n; i++) {
		struct op_build_profile *other = b->profiles.p[i];

		if (other->like == bp)
			replace(b, &other->obs_value,
				kept(b, &other->obs_value, whose));
	}
}

static bool observations_move(struct op_builder *b, struct op_build_profile *bp,
			      op_build_move_fn *fn, void *ctx)
{
	struct op_column whose = { 0 };
	bool any = false;
	size_t n = ask(b, bp, fn, ctx, &whose, &any);

	if (any && n != whose.n) {
		rows_drop(b, bp, &whose);
		replace(b, &whose, kept(b, &whose, &whose));
	}
	if (any)
		replace(b, &bp->obs_sample, whose);
	else
		op_column_drop(&whose, &b->m->mem);
	return any && !b->err->code;
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
	struct op_column old = bp->obs_sample;
	struct op_column_reader r;
	uint32_t n = 0;

	if (!to) {
		op_build_nomem(b);
		return;
	}
	op_column_read(&r, &old);
	for (size_t i = 0; i < old.n; i++)
		to[op_column_next(&r)] = 1;
	for (uint32_t i = 0; i < bp->samples.n; i++) {
		if (!to[i])
			continue;
		bp->samples.p[n] = bp->samples.p[i];
		to[i] = n++;
	}
	bp->obs_sample = (struct op_column){ 0 };
	if (!op_column_append(&bp->obs_sample, &b->m->mem, &old, to))
		op_build_nomem(b);
	op_column_drop(&old, &b->m->mem);
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
