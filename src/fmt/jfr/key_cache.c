// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/key_cache.c: what became of packed numbers that came before. */
#include "fmt/jfr/key_cache.h"

enum { FIRST = 64 }; /* slots */

static void put(struct op_jfr_key_cache *k,
		const struct op_jfr_key_cache_slot *slot)
{
	uint64_t i = op_jfr_key_hash(&slot->key) >> k->shift;

	while (k->slots[i].is_used)
		i = (i + 1) & (k->nr_slots - 1);
	k->slots[i] = *slot;
}

static bool grow(struct op_jfr_key_cache *k, struct op_arena *mem,
		 uint32_t nr_slots)
{
	struct op_jfr_key_cache more = { .nr_slots = nr_slots, .nr = k->nr };

	more.shift = (unsigned int)__builtin_clz(more.nr_slots) + 33;
	more.slots = op_new(mem, struct op_jfr_key_cache_slot, more.nr_slots);
	if (!more.slots)
		return false;
	for (uint32_t i = 0; i < k->nr_slots; i++)
		if (k->slots[i].is_used)
			put(&more, &k->slots[i]);
	op_arena_drop(mem, k->slots, k->nr_slots * sizeof(*k->slots));
	*k = more;
	return true;
}

bool op_jfr_key_cache_add(struct op_jfr_key_cache *k, struct op_arena *mem,
			  const struct op_jfr_key *key, uint32_t what)
{
	struct op_jfr_key_cache_slot slot = { .key = *key,
					      .is_used = true,
					      .what = what };

	uint32_t nr_slots = k->nr_slots ? 2 * k->nr_slots : FIRST;

	if (k->nr_slots >> 30 && k->nr >= k->nr_slots / 2)
		return op_arena_refuse(mem, SIZE_MAX);
	if (k->nr >= k->nr_slots / 2 && !grow(k, mem, nr_slots))
		return false;
	put(k, &slot);
	k->nr++;
	return true;
}

bool op_jfr_key_cache_begin(struct op_jfr_key_cache *k, struct op_arena *mem,
			    const struct op_jfr_key_cache *like)
{
	return !like->nr_slots || grow(k, mem, like->nr_slots);
}
