// SPDX-License-Identifier: Apache-2.0
/* agent/walk.h: unwinds stacks of this process with the maps and tables that
 * the helper has written. Safe in signal handlers. */
#ifndef OP_AGENT_WALK_H
#define OP_AGENT_WALK_H

#include "agent/channel.h"
#include "agent/memory.h"
#include "sym/unwind.h"

struct op_agent_walk {
	const struct op_channel_map *map;
	const uint8_t *tables;
	struct op_memory memory;
	bool has_unknown; /* a frame was in no range of the map */
};

/* The newest map; NULL: there is none. */
const struct op_channel_map *op_agent_map(const struct op_channel *c);

/* The registers in the third argument of a signal handler. */
void op_agent_regs(const void *context, struct op_unwind_regs *out);

/* Stores up to max frames, as a sample has them; the number of them, and why
 * there are no more. */
uint32_t op_agent_unwind(struct op_agent_walk *c,
			 const struct op_unwind_regs *regs, uint64_t *frames,
			 uint32_t max, uint8_t *end);

#endif
