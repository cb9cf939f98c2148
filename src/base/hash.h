// SPDX-License-Identifier: Apache-2.0
/* base/hash.h: XXH3 for bytes, a sum of products for words.
 *
 * Hash tables use a random seed per process, so that no file can make all of
 * its rows collide. Everything else that depends on a hash, such as content ids
 * or colors, uses one without a seed: op_hash128(), op_hash_fixed(). No hash
 * here is collision-resistant: after a lookup by hash, compare the content too.
 */
#ifndef OP_BASE_HASH_H
#define OP_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/view.h"

enum { OP_HASH_WORDS = 8 };

/* Random numbers of this process. */
extern struct op_hash_seed {
	uint64_t odd[OP_HASH_WORDS];
	uint64_t fold;
	uint64_t bytes;
	uint8_t secret[XXH_SECRET_DEFAULT_SIZE];
} op_hash_seed;

op_inline uint64_t op_hash64(const void *p, size_t n)
{
	return XXH3_64bits_withSecretandSeed(p, n, op_hash_seed.secret,
					     sizeof(op_hash_seed.secret),
					     op_hash_seed.bytes);
}

op_inline uint32_t op_hash32(const void *p, size_t n)
{
	return (uint32_t)op_hash64(p, n);
}

/* A hash of up to eight words, for keys of fixed shape: a sum of independent
 * products, folded. */
op_inline uint32_t op_hash_words(const uint64_t *w, unsigned int n)
{
	const struct op_hash_seed *s = &op_hash_seed;
	uint64_t h = 0;

	for (unsigned int i = 0; i < n; i++)
		h += (w[i] ^ s->bytes) * s->odd[i];
	h = (h ^ h >> 32) * s->fold;
	return (uint32_t)(h >> 32);
}

/* The same in every process. */
op_inline uint32_t op_hash_fixed(const void *p, size_t n)
{
	return (uint32_t)XXH3_64bits(p, n);
}

/* 128 bits, for hashes that identify content. */
struct op_hash128 {
	uint64_t lo, hi;
};

op_inline struct op_hash128 op_hash128(const void *p, size_t n)
{
	XXH128_hash_t h = XXH3_128bits(p, n);

	return (struct op_hash128){ h.low64, h.high64 };
}

#endif
