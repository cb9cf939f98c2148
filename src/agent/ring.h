// SPDX-License-Identifier: Apache-2.0
/* agent/ring.h: records from a program to its helper.
 *
 * One thread writes and one process reads. A record without room is not
 * written. The reader does not trust the writer, whose program may
 * write anywhere: it copies a record before it looks at it. */
#ifndef OP_AGENT_RING_H
#define OP_AGENT_RING_H

#include "agent/channel.h"

enum {
	OP_RING_MAX_RECORD = sizeof(struct op_channel_sample) +
			     8 * OP_AGENT_MAX_FRAMES,
};

/* Room for a record of so many bytes, a multiple of 8; NULL: there is none. The
 * reader sees it after op_ring_commit() with the same number. */
void *op_ring_reserve(struct op_channel *c, uint32_t bytes);
void op_ring_commit(struct op_channel *c, uint32_t bytes);

struct op_ring_reader {
	struct op_channel *channel;
	uint64_t at;
	bool is_broken; /* what was written cannot be right */
	_Alignas(8) uint8_t record[OP_RING_MAX_RECORD];
};

/* Copies the next record; NULL: there is none now, or no more. */
const struct op_channel_record *op_ring_next(struct op_ring_reader *r);

#endif
