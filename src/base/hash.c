// SPDX-License-Identifier: Apache-2.0
/* base/hash.c: the seed of the hashes, chosen before main(). */
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct op_hash_seed op_hash_seed;

/* Good enough where the system has no random numbers yet: nobody outside
 * knows the addresses of this process. */
static void fall_back(uint64_t *words, size_t n)
{
	struct timespec now;
	uint64_t start[3];

	clock_gettime(CLOCK_MONOTONIC, &now);
	start[0] = (uint64_t)(uintptr_t)&start ^ (uint64_t)getpid() << 48;
	start[1] = (uint64_t)(uintptr_t)&op_hash_seed;
	start[2] = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 32;
	for (size_t i = 0; i < n; i++)
		words[i] = XXH3_64bits_withSeed(start, sizeof(start), i);
}

/* Before main(), so that no thread ever sees it change. */
__attribute__((constructor)) static void seed(void)
{
	struct op_hash_seed *s = &op_hash_seed;
	uint64_t words[OP_HASH_WORDS + 2];

	if (getrandom(words, sizeof(words), GRND_NONBLOCK) != sizeof(words))
		fall_back(words, op_countof(words));
	/* Odd, so that a product loses nothing. */
	for (unsigned int i = 0; i < OP_HASH_WORDS; i++)
		s->odd[i] = words[i] | 1;
	s->fold = words[OP_HASH_WORDS] | 1;
	s->bytes = words[OP_HASH_WORDS + 1];
	XXH3_generateSecret_fromSeed(s->secret, s->bytes);
}
