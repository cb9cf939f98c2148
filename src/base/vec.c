// SPDX-License-Identifier: Apache-2.0
/* base/vec.c: growth of vectors in an arena. */
#include "base/vec.h"

enum { FIRST_CAP = 16 };

void *op_vec_grow(struct op_arena *mem, void *p, size_t *cap, size_t need,
		  size_t size)
{
	size_t want = *cap ? *cap : FIRST_CAP;
	void *grown;

	if (need > OP_VEC_MAX)
		return op_arena_refuse(mem, need);
	while (want < need)
		want *= 2;
	if (want > OP_VEC_MAX)
		want = OP_VEC_MAX;
	if (want > SIZE_MAX / size)
		return op_arena_refuse(mem, SIZE_MAX);
	grown = op_arena_resize(mem, p, *cap * size, want * size);
	if (grown)
		*cap = want;
	return grown;
}
