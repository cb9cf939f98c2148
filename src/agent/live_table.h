// SPDX-License-Identifier: Apache-2.0
/* agent/live_table.h: sampled allocations that were not freed yet, by address.
 *
 * Without locks: an address is added before its owner has it and taken by who
 * frees it, so that no two threads work on one address at the same time. Each
 * free() of the program asks, so the answer "no" takes one load. */
#ifndef OP_AGENT_LIVE_TABLE_H
#define OP_AGENT_LIVE_TABLE_H

#include "base/port.h"

enum {
	OP_LIVE_SLOTS = 128 << 10,
	OP_LIVE_PROBES = 32,
	OP_LIVE_FILTER = 64 << 10,
};

struct op_live_slot {
	uint64_t address; /* 0: never used; 1: free again */
	uint64_t id;
};

struct op_live_table {
	uint8_t filter[OP_LIVE_FILTER]; /* how many have this hash; 255: many */
	struct op_live_slot slots[OP_LIVE_SLOTS];
};

op_inline uint32_t op_live_hash(uint64_t address)
{
	return (uint32_t)((address >> 4) * 0x9e3779b97f4a7c15 >> 40);
}

/* Whether it may have been sampled. */
op_inline bool op_live_maybe(const struct op_live_table *t, uint64_t address)
{
	return t->filter[op_live_hash(address) % OP_LIVE_FILTER];
}

/* False: there is no room near its place. *old is the ID that the address had,
 * if it was freed in a way that nobody saw, else 0. */
bool op_live_table_add(struct op_live_table *t, uint64_t address, uint64_t id,
		       uint64_t *old);
/* Its id, which it then no longer has; 0: it was not sampled. */
uint64_t op_live_table_take(struct op_live_table *t, uint64_t address);

#endif
