// SPDX-License-Identifier: Apache-2.0
/* agent/live_table.c: sampled allocations that were not freed yet. */
#include "agent/live_table.h"

enum { NEVER, AGAIN, MANY = 255 };

/* A count of many stays: it is not known how many there are. */
static void filter_add(struct op_live_table *t, uint32_t hash, int by)
{
	uint8_t *p = &t->filter[hash % OP_LIVE_FILTER];
	uint8_t old = __atomic_load_n(p, __ATOMIC_RELAXED);

	while (old != MANY &&
	       !__atomic_compare_exchange_n(p, &old, (uint8_t)(old + by), true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static bool claim(struct op_live_slot *s, uint64_t address)
{
	uint64_t old = __atomic_load_n(&s->address, __ATOMIC_RELAXED);

	return (old == NEVER || old == AGAIN) &&
	       __atomic_compare_exchange_n(&s->address, &old, address, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool op_live_table_add(struct op_live_table *t, uint64_t address, uint64_t id,
		       uint64_t *old)
{
	uint32_t hash = op_live_hash(address);

	*old = op_live_maybe(t, address) ? op_live_table_take(t, address) : 0;
	for (uint32_t i = 0; i < OP_LIVE_PROBES; i++) {
		struct op_live_slot *s = &t->slots[(hash + i) % OP_LIVE_SLOTS];

		if (!claim(s, address))
			continue;
		s->id = id;
		filter_add(t, hash, 1);
		return true;
	}
	return false;
}

uint64_t op_live_table_take(struct op_live_table *t, uint64_t address)
{
	uint32_t hash = op_live_hash(address);

	for (uint32_t i = 0; i < OP_LIVE_PROBES; i++) {
		struct op_live_slot *s = &t->slots[(hash + i) % OP_LIVE_SLOTS];
		uint64_t at = __atomic_load_n(&s->address, __ATOMIC_ACQUIRE);
		uint64_t id = s->id;

		if (at == NEVER)
			return 0;
		if (at != address)
			continue;
		__atomic_store_n(&s->address, AGAIN, __ATOMIC_RELEASE);
		filter_add(t, hash, -1);
		return id;
	}
	return 0;
}
