// SPDX-License-Identifier: Apache-2.0
/* agent/helper_heap.h: from sampled allocations to events: what was allocated,
 * and what is still in use.
 *
 * An allocation of S bytes is sampled with the probability p = 1 - exp(-S / R),
 * where R is the mean distance of sample points. So it stands for 1 / p
 * allocations, and S / p bytes. */
#ifndef OP_AGENT_HELPER_HEAP_H
#define OP_AGENT_HELPER_HEAP_H

#include "agent/channel.h"
#include "base/arena.h"
#include "base/err.h"

/* An allocation that was not freed yet. */
struct op_heap_block {
	uint64_t id; /* 0: none */
	double objects, bytes;
	struct op_channel_alloc head;
	uint64_t *frames;
};

struct op_agent_heap {
	struct op_heap_block *blocks; /* by hash */
	size_t nr, room;	      /* room is a power of 2, or 0 */
};

/* For how many allocations one of so many bytes stands. */
double op_heap_weight(uint64_t size);

/* frames are copied. */
bool op_agent_heap_add(struct op_agent_heap *h,
		       const struct op_channel_alloc *a, const uint64_t *frames,
		       struct op_err *err);
void op_agent_heap_drop(struct op_agent_heap *h, uint64_t id);
void op_agent_heap_fini(struct op_agent_heap *h);

#endif
