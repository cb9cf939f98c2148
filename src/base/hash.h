// SPDX-License-Identifier: Apache-2.0
/* base/hash.h: XXH3. It is not collision-resistant: whoever finds a row by
 * its hash compares the content too. */
#ifndef OP_BASE_HASH_H
#define OP_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/view.h"

op_inline uint32_t op_hash32(const void *p, size_t n)
{
	return (uint32_t)XXH3_64bits(p, n);
}

/* A hash of few words, for keys of fixed shape. */
op_inline uint32_t op_hash_words(const uint64_t *w, unsigned int n)
{
	uint64_t h = 0x9e3779b97f4a7c15u;

	for (unsigned int i = 0; i < n; i++) {
		h = (h ^ w[i]) * 0xd6e8feb86659fd93u;
		h ^= h >> 32;
	}
	return (uint32_t)(h ^ h >> 29);
}

/* 128 bits, where the hash itself is the name of the content. */
struct op_hash128 {
	uint64_t lo, hi;
};

op_inline struct op_hash128 op_hash128(const void *p, size_t n)
{
	XXH128_hash_t h = XXH3_128bits(p, n);

	return (struct op_hash128){ h.low64, h.high64 };
}

#endif
