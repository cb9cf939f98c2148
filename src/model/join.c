// SPDX-License-Identifier: Apache-2.0
/* model/join.c: what one builder has into another, before either is finished:
 * rows by import, observations as the packed columns that they are. */
#include "model/builder_int.h"
#include "model/merge.h"

bool op_import_builder(struct op_import *im, struct op_builder *to,
		       struct op_builder *from)
{
	op_build_dict(from);
	return op_import_init(im, to, from->m);
}

/* Where the samples of a profile go; NULL without memory. */
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
		return true; /* there is an error already */
	return op_column_append(&to->obs_sample, mem, &from->obs_sample, map) &&
	       op_column_append(&to->obs_time, mem, &from->obs_time, NULL) &&
	       op_column_append(&to->obs_value, mem, &from->obs_value, NULL);
}

/* The profile that it is like was joined before. */
static bool values_join(struct op_builder *b, struct op_build_profile *to,
			const struct op_build_profile *from)
{
	size_t before = to->like->obs_time.n - from->like->obs_time.n;

	if (!op_build_shape_is(b, to, OP_SHAPE_TIMED))
		return true;
	return op_build_pad(b, to, before, 0) &&
	       op_column_append(&to->obs_value, &b->m->mem, &from->obs_value,
				NULL);
}

const uint32_t *op_import_built(struct op_import *im, struct op_builder *from,
				uint32_t profile, uint32_t to)
{
	struct op_builder *b = im->to;
	struct op_build_profile *dst, *src;
	uint32_t *map = NULL;
	bool ok = true;

	if (b->err->code || from->err->code)
		return NULL;
	dst = b->profiles.p[to];
	src = from->profiles.p[profile];
	if (!src->like) {
		map = samples_map(im, src, to);
		ok = map != NULL;
	}
	if (ok && src->shape == OP_SHAPE_TIMED)
		ok = src->like ? values_join(b, dst, src) :
				 observations_join(b, dst, src, map);
	for (size_t i = 0;
	     ok && src->shape == OP_SHAPE_SUMS && map && i < src->sums.n; i++)
		op_build_add(b, to, map[i], src->sums.p[i]);
	if (!ok)
		op_build_nomem(b);
	return map;
}
