// SPDX-License-Identifier: Apache-2.0
/* record/ranges.c: which parts of the map of ranges belong to which process.
 *
 * Sizes are powers of two, and each has a list of free places. */
#include "record/ranges.h"

#include <string.h>

/* OP_RANGES_CLASSES: it is too large. */
static uint32_t class_of(uint32_t nr)
{
	uint32_t class = 0;

	while (class < OP_RANGES_CLASSES &&
	       (uint32_t)OP_RANGES_MIN << class < nr)
		class ++;
	return class;
}

static uint64_t pack(uint32_t first, uint32_t class)
{
	return (uint64_t)first << 32 | class;
}

bool op_ranges_alloc(struct op_ranges *r, uint32_t nr, uint32_t *first)
{
	uint32_t class = class_of(nr), size = (uint32_t)OP_RANGES_MIN << class;

	if (class >= OP_RANGES_CLASSES)
		return false;
	if (r->free[class].n) {
		*first = r->free[class].p[--r->free[class].n];
		return true;
	}
	if (size > r->max - r->next)
		return false;
	*first = r->next;
	r->next += size;
	return true;
}

/* A place for which there is no memory to remember it is lost until the next
 * reset. */
void op_ranges_free(struct op_ranges *r, uint32_t first, uint32_t nr)
{
	op_arena_tells(r->mem, OP_IGNORED);
	(void)op_vec_push(r->mem, &r->old[1], pack(first, class_of(nr)));
}

void op_ranges_tick(struct op_ranges *r)
{
	OP_VEC(uint64_t) swap;

	op_arena_tells(r->mem, OP_IGNORED);
	for (size_t i = 0; i < r->old[0].n; i++) {
		uint32_t class = (uint32_t)r->old[0].p[i];

		(void)op_vec_push(r->mem, &r->free[class],
				  (uint32_t)(r->old[0].p[i] >> 32));
	}
	r->old[0].n = 0;
	memcpy(&swap, &r->old[0], sizeof(swap));
	memcpy(&r->old[0], &r->old[1], sizeof(swap));
	memcpy(&r->old[1], &swap, sizeof(swap));
}

void op_ranges_reset(struct op_ranges *r)
{
	r->next = 0;
	r->old[0].n = r->old[1].n = 0;
	for (int i = 0; i < OP_RANGES_CLASSES; i++)
		r->free[i].n = 0;
}
