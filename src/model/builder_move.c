// SPDX-License-Identifier: Apache-2.0
/* model/builder_move.c: moves observations to other samples, once more is known
 * about them. */
#include "model/builder_int.h"

#include "base/hash.h"

/* The values of a profile, or of one that shares its timestamps, and their new
 * place. */
struct list {
	struct op_build_profile *bp;
	struct op_obs to;
	struct op_obs_values from;
};

struct moving {
	struct op_builder *b;
	op_build_move_fn *fn;
	void *ctx;
	struct op_obs times; /* their new place */
	OP_VEC(struct list) lists;
	uint64_t *piece; /* of times */
	bool any;	 /* has moved */
};

static bool observation_move(struct moving *m, uint32_t sample, uint64_t t)
{
	struct op_arena *mem = &m->b->m->mem;
	uint32_t to = m->fn(m->ctx, sample, t);

	m->any |= to != sample;
	if (to != OP_NO_ID && !op_obs_push_time(&m->times, mem, to, t))
		return false;
	for (size_t k = 0; k < m->lists.n; k++) {
		uint64_t v = op_obs_next_value(&m->lists.p[k].from);

		if (to != OP_NO_ID &&
		    !op_obs_push_value(&m->lists.p[k].to, mem, to, v))
			return false;
	}
	return true;
}

static bool sample_move(struct moving *m, const struct op_obs *times,
			uint32_t sample)
{
	struct op_obs_walk w;
	uint32_t n;

	for (size_t k = 0; k < m->lists.n; k++)
		op_obs_values(&m->lists.p[k].from, &m->lists.p[k].bp->values,
			      sample);
	op_obs_walk(&w, times, sample);
	while ((n = op_obs_next_times(&w, (uint8_t *)m->piece)))
		for (uint32_t i = 0; i < n && !m->b->err->code; i++)
			if (!observation_move(m, sample, m->piece[i]))
				return false;
	return true;
}

static bool lists_begin(struct moving *m, struct op_build_profile *bp)
{
	struct op_arena *mem = &m->b->m->mem;

	m->piece = op_new_raw(mem, uint64_t, OP_OBS_MAX);
	if (!m->piece)
		return false;
	for (size_t i = 0; i < m->b->profiles.n; i++) {
		struct list l = { .bp = m->b->profiles.p[i] };

		if (l.bp->like != bp && (l.bp != bp || !bp->has_values))
			continue;
		if (!op_build_pad(m->b, l.bp, 0) ||
		    !op_vec_push(mem, &m->lists, l))
			return false;
	}
	return true;
}

static void lists_end(struct moving *m, struct op_build_profile *bp)
{
	struct op_arena *mem = &m->b->m->mem;

	op_obs_drop(&bp->times, mem);
	bp->times = m->times;
	bp->nr_times = 0;
	for (uint32_t i = 0; i < bp->times.rows.n; i++)
		bp->nr_times += op_obs_count(&bp->times, i);
	for (size_t k = 0; k < m->lists.n; k++) {
		struct list *l = &m->lists.p[k];

		op_obs_drop(&l->bp->values, mem);
		l->bp->values = l->to;
		l->bp->nr_values = bp->nr_times;
	}
}

/* True if any was moved. */
static bool observations_move(struct moving *m, struct op_build_profile *bp)
{
	struct op_obs times = bp->times;
	bool ok = lists_begin(m, bp);

	/* Samples that are added meanwhile are not visited. */
	for (uint32_t i = 0; ok && i < times.rows.n && !m->b->err->code; i++)
		ok = sample_move(m, &times, i);
	if (!m->any || m->b->err->code)
		return false;
	lists_end(m, bp);
	return true;
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

static void rows_close_up(struct op_obs *c, const struct op_obs *times)
{
	size_t n = 0;

	for (uint32_t i = 0; i < c->rows.n; i++)
		if (op_obs_count(times, i))
			c->rows.p[n++] = c->rows.p[i];
	c->rows.n = n;
}

/* Removes the samples that have lost all their observations. */
static void samples_close_up(struct moving *m, struct op_build_profile *bp)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < bp->samples.n; i++)
		if (op_obs_count(&bp->times, i))
			bp->samples.p[n++] = bp->samples.p[i];
	bp->samples.n = bp->sums.n = n;
	for (size_t k = 0; k < m->lists.n; k++)
		rows_close_up(&m->lists.p[k].bp->values, &bp->times);
	rows_close_up(&bp->times, &bp->times);
	index_again(m->b, bp);
}

bool op_build_move(struct op_builder *b, uint32_t profile, op_build_move_fn *fn,
		   void *ctx)
{
	struct moving m = { .b = b, .fn = fn, .ctx = ctx };
	struct op_build_profile *bp;

	if (b->err->code)
		return false;
	bp = b->profiles.p[profile];
	if (bp->shape != OP_SHAPE_TIMED || bp->like ||
	    !observations_move(&m, bp))
		return false;
	samples_close_up(&m, bp);
	return true;
}
