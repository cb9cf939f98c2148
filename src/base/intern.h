// SPDX-License-Identifier: Apache-2.0
/* base/intern.h: finds the row of a table that equals a key.
 *
 * The rows live elsewhere (an array of views, of structs, of runs); this is
 * only the index over them: open addressing, linear probing, a power of two
 * of slots at most two thirds full.
 *
 *	slot = { hash 32 bits, row id + 1; 0: free }
 *
 * With the hash beside the id a probe reads a row only when it almost surely
 * is the one, and growing needs no row at all.
 *
 *	uint32_t id = op_intern_find(&t, hash, eq, rows, &key);
 *	if (id == OP_NO_ID) {
 *		append the row;
 *		op_intern_add(&t, hash, new id);
 *	}
 */
#ifndef OP_BASE_INTERN_H
#define OP_BASE_INTERN_H

#include "base/arena.h"

#define OP_NO_ID UINT32_MAX

/* nr times OP_NO_ID; NULL without memory. */
uint32_t *op_new_ids(struct op_arena *mem, size_t nr);

struct op_slot {
	uint32_t hash;
	uint32_t id1;
};

struct op_intern {
	struct op_slot *slots;
	uint32_t nr_slots;
	uint32_t nr;
};

/* Whether row id of the table equals key. */
typedef bool op_intern_eq(const void *table, uint32_t id, const void *key);

/* The id of the row that equals key, or OP_NO_ID. */
op_inline uint32_t op_intern_find(const struct op_intern *t, uint32_t hash,
				  op_intern_eq *eq, const void *table,
				  const void *key)
{
	uint32_t mask = t->nr_slots - 1;

	if (op_unlikely(!t->nr_slots))
		return OP_NO_ID;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		struct op_slot s = t->slots[i];

		if (!s.id1)
			return OP_NO_ID;
		if (s.hash == hash && eq(table, s.id1 - 1, key))
			return s.id1 - 1;
	}
}

/* Tells the processor that a hash will be looked for soon. */
op_inline void op_intern_hint(const struct op_intern *t, uint32_t hash)
{
	if (op_likely(t->nr_slots))
		__builtin_prefetch(t->slots + (hash & (t->nr_slots - 1)));
}

/* The first row that has the hash, which may be another than op_intern_find()
 * will find; OP_NO_ID: there is none. */
op_inline uint32_t op_intern_guess(const struct op_intern *t, uint32_t hash)
{
	uint32_t mask = t->nr_slots - 1;

	if (op_unlikely(!t->nr_slots))
		return OP_NO_ID;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		struct op_slot s = t->slots[i];

		if (!s.id1 || s.hash == hash)
			return s.id1 - 1;
	}
}

/* Makes room for nr rows in all. False if there is no memory; the index is
 * then as it was. */
bool op_intern_reserve(struct op_intern *t, struct op_arena *mem, size_t nr);

/* Adds a row that op_intern_find() did not find. False if there is no
 * memory; the index is then as it was. */
bool op_intern_add(struct op_intern *t, struct op_arena *mem, uint32_t hash,
		   uint32_t id);

/* Forgets a row that was added with this hash. */
void op_intern_remove(struct op_intern *t, uint32_t hash, uint32_t id);

#endif
