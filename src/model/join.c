// SPDX-License-Identifier: Apache-2.0
/* model/join.c: adds the contents of one builder to another before either is
 * finished: rows by import, observations as packed pieces. */
#include "model/builder_int.h"
#include "model/merge.h"

bool op_import_builder(struct op_import *im, struct op_builder *to,
		       struct op_builder *from)
{
	op_build_dict(from);
	return op_import_init(im, to, from->m);
}

/* The target of the samples of a profile; NULL without memory. */
static uint32_t *samples_map(struct op_import *im,
			     const struct op_build_profile *from, uint32_t to)
{
	uint32_t nr = (uint32_t)from->samples.n;
	uint32_t *map = op_new_raw(&im->scratch, uint32_t, nr);

	for (uint32_t i = 0; map && i < nr; i++) {
		struct op_identity id = from->samples.p[i];

		id.stack = op_import_stack(im, id.stack);
		id.set = op_import_set(im, id.set);
		id.link = op_import_link(im, id.link);
		map[i] = op_build_sample(im->to, to, id);
	}
	return map;
}

static bool observations_join(struct op_builder *b, struct op_build_profile *to,
			      const struct op_build_profile *from,
			      const uint32_t *map)
{
	struct op_arena *mem = &b->m->mem;

	if (!op_build_shape_is(b, to, OP_SHAPE_TIMED))
		return true; /* an error was reported before */
	if (from->has_values && !op_build_values_begin(b, to))
		return false;
	if (!op_obs_join_times(&to->times, mem, &from->times, map))
		return false;
	to->nr_times += from->nr_times;
	if (!from->has_values)
		return !to->has_values || op_build_pad(b, to, 1);
	to->nr_values += from->nr_times;
	return op_obs_join_values(&to->values, mem, &from->values, map);
}

/* The profile that it is like was joined before. There each sample has the
 * timestamps of this part after its earlier ones, which may lack a value. */
static bool values_join(struct op_builder *b, struct op_build_profile *to,
			const struct op_build_profile *from)
{
	const struct op_build_profile *base = from->like;
	struct op_arena *mem = &b->m->mem;

	if (!op_build_shape_is(b, to, OP_SHAPE_TIMED))
		return true;
	for (uint32_t i = 0; i < base->times.rows.n; i++) {
		uint32_t sample = base->joined[i];
		uint32_t before = op_obs_count(&to->like->times, sample) -
				  op_obs_count(&base->times, i);

		if (!op_obs_pad(&to->values, mem, sample, before, 0))
			return false;
	}
	to->nr_values = 0; /* they were not counted */
	return op_obs_join_values(&to->values, mem, &from->values,
				  base->joined);
}

const uint32_t *op_import_built(struct op_import *im, struct op_builder *from,
				uint32_t profile, uint32_t to)
{
	struct op_builder *b = im->to;
	struct op_build_profile *dst, *src;
	const uint32_t *went;
	uint32_t *map = NULL;
	bool ok = true;

	if (b->err->code || from->err->code)
		return NULL;
	dst = b->profiles.p[to];
	src = from->profiles.p[profile];
	if (!src->like) {
		map = samples_map(im, src, to);
		ok = map != NULL;
		src->joined = map;
	}
	went = src->like ? src->like->joined : map;
	if (ok && src->shape == OP_SHAPE_TIMED)
		ok = src->like ? values_join(b, dst, src) :
				 observations_join(b, dst, src, map);
	for (size_t i = 0;
	     ok && src->shape == OP_SHAPE_SUMS && went && i < src->sums.n; i++)
		op_build_add(b, to, went[i], src->sums.p[i]);
	for (size_t i = 0; ok && went && i < src->counts.n; i++)
		op_build_count(b, dst, went[i], src->counts.p[i]);
	return map;
}
