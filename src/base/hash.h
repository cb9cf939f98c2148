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

/* A hash of up to eight words, for keys of fixed shape: a sum of products,
 * which do not wait for one another, folded. */
op_inline uint32_t op_hash_words(const uint64_t *w, unsigned int n)
{
	static const uint64_t odd[8] = {
		0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u, 0xbf58476d1ce4e5b9u,
		0x94d049bb133111ebu, 0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u,
		0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu,
	};
	uint64_t h = 0;

	for (unsigned int i = 0; i < n; i++)
		h += (w[i] ^ odd[(i + 1) % 8]) * odd[i];
	h = (h ^ h >> 32) * odd[1];
	return (uint32_t)(h ^ h >> 32);
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
