// SPDX-License-Identifier: Apache-2.0
/* agent/helper_heap.c: sampled allocations that are in use. */
#include "agent/helper_heap.h"

#include <math.h>
#include <string.h>

#include "agent/alloc.h"

enum { FIRST_ROOM = 1024 };

double op_heap_weight(uint64_t size)
{
	double s = size ? (double)size : 1;

	return 1 / -expm1(-s / OP_ALLOC_MEAN);
}

/* Where it is, or belongs. */
static size_t place_of(const struct op_agent_heap *h, uint64_t id)
{
	size_t i = (size_t)(id * 0x9e3779b97f4a7c15) & (h->room - 1);

	while (h->blocks[i].id && h->blocks[i].id != id)
		i = (i + 1) & (h->room - 1);
	return i;
}

static bool grow(struct op_agent_heap *h, struct op_err *err)
{
	struct op_agent_heap big = { .nr = h->nr,
				     .room = h->room ? 2 * h->room :
						       FIRST_ROOM };

	big.blocks = op_heap_resize(NULL, big.room * sizeof(*big.blocks), err);
	if (!big.blocks)
		return false;
	memset(big.blocks, 0, big.room * sizeof(*big.blocks));
	for (size_t i = 0; i < h->room; i++)
		if (h->blocks[i].id)
			big.blocks[place_of(&big, h->blocks[i].id)] =
				h->blocks[i];
	op_heap_free(h->blocks);
	*h = big;
	return true;
}

bool op_agent_heap_add(struct op_agent_heap *h,
		       const struct op_channel_alloc *a, const uint64_t *frames,
		       struct op_err *err)
{
	double weight = op_heap_weight(a->size);
	struct op_heap_block b = { .id = a->id,
				   .objects = weight,
				   .bytes = weight * (double)a->size,
				   .head = *a };
	size_t bytes = a->nr * sizeof(*frames), at;

	if (!a->id || (2 * h->nr >= h->room && !grow(h, err)))
		return false;
	b.frames = op_heap_resize(NULL, bytes ? bytes : sizeof(*frames), err);
	if (!b.frames)
		return false;
	memcpy(b.frames, frames, bytes);
	at = place_of(h, a->id);
	/* A program may have overwritten what it sends. */
	if (h->blocks[at].id)
		op_heap_free(h->blocks[at].frames);
	else
		h->nr++;
	h->blocks[at] = b;
	return true;
}

/* Those behind it move up, so that they are still found. */
void op_agent_heap_drop(struct op_agent_heap *h, uint64_t id)
{
	struct op_heap_block moved;
	size_t i;

	if (!h->nr || !id)
		return;
	i = place_of(h, id);
	if (!h->blocks[i].id)
		return;
	op_heap_free(h->blocks[i].frames);
	h->blocks[i].id = 0;
	h->nr--;
	for (i = (i + 1) & (h->room - 1); h->blocks[i].id;
	     i = (i + 1) & (h->room - 1)) {
		moved = h->blocks[i];
		h->blocks[i].id = 0;
		h->blocks[place_of(h, moved.id)] = moved;
	}
}

void op_agent_heap_fini(struct op_agent_heap *h)
{
	for (size_t i = 0; i < h->room; i++)
		if (h->blocks[i].id)
			op_heap_free(h->blocks[i].frames);
	op_heap_free(h->blocks);
	*h = (struct op_agent_heap){ 0 };
}
