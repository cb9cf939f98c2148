// SPDX-License-Identifier: Apache-2.0
/* agent/ring.c: records from a program to its helper. */
#include "agent/ring.h"

#include <string.h>

_Static_assert(OP_CHANNEL_RING % 8 == 0 &&
		       !(OP_CHANNEL_RING & (OP_CHANNEL_RING - 1)),
	       "positions are counted modulo 2^64");

static uint32_t room_to_end(uint64_t at)
{
	return OP_CHANNEL_RING - (uint32_t)(at & (OP_CHANNEL_RING - 1));
}

static struct op_channel_record *record_at(struct op_channel *c, uint64_t at)
{
	return (void *)(c->ring + (at & (OP_CHANNEL_RING - 1)));
}

/* Records are not split: one that does not fit before the end of the ring
 * begins at its start. */
static uint32_t pad_before(uint64_t at, uint32_t bytes)
{
	uint32_t room = room_to_end(at);

	return bytes > room ? room : 0;
}

void *op_ring_reserve(struct op_channel *c, uint32_t bytes)
{
	uint64_t tail = __atomic_load_n(&c->tail, __ATOMIC_ACQUIRE);
	uint32_t pad = pad_before(c->head, bytes);

	if (c->head - tail + pad + bytes > OP_CHANNEL_RING)
		return NULL;
	if (pad)
		*record_at(c, c->head) = (struct op_channel_record){
			pad, OP_CHANNEL_PAD
		};
	return record_at(c, c->head + pad);
}

void op_ring_commit(struct op_channel *c, uint32_t bytes)
{
	__atomic_store_n(&c->head, c->head + pad_before(c->head, bytes) + bytes,
			 __ATOMIC_RELEASE);
}

static const struct op_channel_record *broken(struct op_ring_reader *r)
{
	r->is_broken = true;
	return NULL;
}

const struct op_channel_record *op_ring_next(struct op_ring_reader *r)
{
	struct op_channel *c = r->channel;
	struct op_channel_record head;
	uint64_t end;

	for (;;) {
		/* The last record was copied. */
		__atomic_store_n(&c->tail, r->at, __ATOMIC_RELEASE);
		end = __atomic_load_n(&c->head, __ATOMIC_ACQUIRE);
		if (r->is_broken || end == r->at)
			return NULL;
		if (end - r->at > OP_CHANNEL_RING || end % 8)
			return broken(r);
		memcpy(&head, record_at(c, r->at), sizeof(head));
		if (head.bytes < sizeof(head) || head.bytes % 8 ||
		    head.bytes > end - r->at || head.bytes > room_to_end(r->at))
			return broken(r);
		if (head.type != OP_CHANNEL_PAD)
			break;
		r->at += head.bytes;
	}
	if (head.bytes > sizeof(r->record))
		return broken(r);
	memcpy(r->record, record_at(c, r->at), head.bytes);
	memcpy(r->record, &head, sizeof(head));
	r->at += head.bytes;
	return (const struct op_channel_record *)r->record;
}
