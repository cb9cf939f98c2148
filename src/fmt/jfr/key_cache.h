// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/key_cache.h: what became of packed numbers that came before, found by
 * their bytes.
 *
 * The same frame and the same identity of an event come again and again: what
 * is known by its bytes need not be decoded. Open addressing, linear probing, a
 * power of two of slots at most half full; the key is in the slot, so that one
 * that is found costs one line of memory. */
#ifndef OP_FMT_JFR_KEY_CACHE_H
#define OP_FMT_JFR_KEY_CACHE_H

#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"

enum { OP_JFR_KEY = 2 };

/* The bytes, and zeros behind them. */
struct op_jfr_key {
	uint64_t w[OP_JFR_KEY];
};

struct op_jfr_key_cache_slot {
	struct op_jfr_key key;
	uint32_t is_used;
	uint32_t what;
};

/* All zero is an empty one. */
struct op_jfr_key_cache {
	struct op_jfr_key_cache_slot *slots;
	uint32_t nr_slots, nr;
	unsigned int shift; /* of a hash, to the number of its slot */
};

/* The n-th end of a word and those above it; 0: there are fewer. */
op_inline uint64_t op_jfr_ends_from(uint64_t ends, uint32_t n)
{
	while (--n)
		ends &= ends - 1;
	return ends;
}

/* Leaves of a word what is not behind the first of these ends, and says how
 * many bytes that is. */
op_inline size_t op_jfr_key_cut(uint64_t *w, uint64_t ends)
{
	*w = op_varint_first(*w, ends);
	return (size_t)__builtin_ctzll(ends) / 8 + 1;
}

/* The bytes of the next nr packed numbers, and how many they are. False if
 * there are more than fit, or a number so long that it does not end as others
 * do. */
op_inline bool op_jfr_key(const struct op_cur *c, uint32_t nr,
			  struct op_jfr_key *key, size_t *n)
{
	uint64_t ends, from;
	unsigned int nr_ends;

	if (op_unlikely(c->words_end - c->p <= 8))
		return false;
	memcpy(key, c->p, sizeof(*key));
	ends = op_varint_ends(key->w[0]);
	from = op_jfr_ends_from(ends, nr);
	if (op_likely(from)) {
		*n = op_jfr_key_cut(&key->w[0], from);
		key->w[1] = 0;
		return *n <= op_cur_left(c);
	}
	nr_ends = op_varint_count(ends);
	from = op_varint_ends(key->w[1]);
	if (!nr_ends || !from ||
	    __builtin_clzll(ends) / 8 + __builtin_ctzll(from) / 8 >= 8)
		return false;
	from = op_jfr_ends_from(from, nr - nr_ends);
	if (!from)
		return false;
	*n = 8 + op_jfr_key_cut(&key->w[1], from);
	return *n <= op_cur_left(c);
}

/* Its highest bits are the best. Random factors: no file can make its keys
 * collide. */
op_inline uint64_t op_jfr_key_hash(const struct op_jfr_key *key)
{
	return key->w[0] * op_hash_seed.odd[0] +
	       key->w[1] * op_hash_seed.odd[1];
}

op_inline bool op_jfr_key_eq(const struct op_jfr_key *a,
			     const struct op_jfr_key *b)
{
	return !((a->w[0] ^ b->w[0]) | (a->w[1] ^ b->w[1]));
}

/* What was added with the key; NULL: nothing. */
op_inline const uint32_t *
op_jfr_key_cache_find(const struct op_jfr_key_cache *k,
		      const struct op_jfr_key *key)
{
	uint32_t mask = k->nr_slots - 1;

	if (op_unlikely(!k->nr_slots))
		return NULL;
	for (uint64_t i = op_jfr_key_hash(key) >> k->shift;;
	     i = (i + 1) & mask) {
		const struct op_jfr_key_cache_slot *s = &k->slots[i];

		if (op_unlikely(!s->is_used))
			return NULL;
		if (op_likely(op_jfr_key_eq(&s->key, key)))
			return &s->what;
	}
}

/* Adds what op_jfr_key_cache_find() did not find. False if there is no
 * memory. */
bool op_jfr_key_cache_add(struct op_jfr_key_cache *k, struct op_arena *mem,
			  const struct op_jfr_key *key, uint32_t what);

/* Makes an empty one as large as another. False if there is no memory. */
bool op_jfr_key_cache_begin(struct op_jfr_key_cache *k, struct op_arena *mem,
			    const struct op_jfr_key_cache *like);

/* Those met last among the keys of up to eight bytes: one place each, where the
 * next one displaces it, so that nothing is ever searched. */
enum { OP_JFR_RECENT_BITS = 10 };

struct op_jfr_recent {
	struct op_jfr_recent_slot {
		uint64_t bytes; /* all ones, as no key has: free */
		uint32_t what;
	} slots[1 << OP_JFR_RECENT_BITS];
};

op_inline void op_jfr_recent_init(struct op_jfr_recent *recent)
{
	memset(recent, 0xff, sizeof(*recent));
}

op_inline struct op_jfr_recent_slot *
op_jfr_recent_slot(struct op_jfr_recent *recent, uint64_t bytes)
{
	return &recent->slots[bytes * op_hash_seed.odd[0] >>
			      (64 - OP_JFR_RECENT_BITS)];
}

#endif
