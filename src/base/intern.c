// SPDX-License-Identifier: Apache-2.0
/* base/intern.c: growth of hash indexes. */
#include "base/intern.h"

#include <string.h>

enum { FIRST_SLOTS = 16 };
#define MAX_SLOTS ((size_t)1 << 31)

uint32_t *op_new_ids(struct op_arena *mem, size_t nr)
{
	uint32_t *ids = op_new_raw(mem, uint32_t, nr);

	if (ids)
		memset(ids, 0xff, nr * sizeof(*ids));
	return ids;
}

static void put(struct op_slot *slots, uint32_t mask, struct op_slot s)
{
	uint32_t i = s.hash & mask;

	while (slots[i].id1)
		i = (i + 1) & mask;
	slots[i] = s;
}

static bool fits(size_t nr, size_t nr_slots)
{
	return nr <= nr_slots / 3 * 2;
}

bool op_intern_reserve(struct op_intern *t, struct op_arena *mem, size_t nr)
{
	size_t want = t->nr_slots ? t->nr_slots : FIRST_SLOTS;
	struct op_slot *slots;

	if (!fits(nr, MAX_SLOTS))
		return op_arena_refuse(mem, SIZE_MAX);
	while (!fits(nr, want))
		want *= 2;
	if (want == t->nr_slots)
		return true;
	slots = op_new(mem, struct op_slot, want);
	if (!slots)
		return false;
	for (uint32_t i = 0; i < t->nr_slots; i++)
		if (t->slots[i].id1)
			put(slots, (uint32_t)want - 1, t->slots[i]);
	op_arena_drop(mem, t->slots, t->nr_slots * sizeof(*slots));
	t->slots = slots;
	t->nr_slots = (uint32_t)want;
	return true;
}

bool op_intern_add(struct op_intern *t, struct op_arena *mem, uint32_t hash,
		   uint32_t id)
{
	if (!fits((size_t)t->nr + 1, t->nr_slots) &&
	    !op_intern_reserve(t, mem, (size_t)t->nr + 1))
		return false;
	put(t->slots, t->nr_slots - 1, (struct op_slot){ hash, id + 1 });
	t->nr++;
	return true;
}

/* Slots behind the one that becomes free move up, unless that would put them
 * before the place where a search for them begins. */
void op_intern_remove(struct op_intern *t, uint32_t hash, uint32_t id)
{
	uint32_t mask = t->nr_slots - 1, i = hash & mask, j;

	if (!t->nr_slots)
		return;
	while (t->slots[i].id1 && t->slots[i].id1 != id + 1)
		i = (i + 1) & mask;
	if (!t->slots[i].id1)
		return;
	for (j = (i + 1) & mask; t->slots[j].id1; j = (j + 1) & mask) {
		uint32_t home = t->slots[j].hash & mask;

		if (((j - home) & mask) < ((j - i) & mask))
			continue;
		t->slots[i] = t->slots[j];
		i = j;
	}
	t->slots[i].id1 = 0;
	t->nr--;
}
