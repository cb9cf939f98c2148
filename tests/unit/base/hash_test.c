// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include "test.h"

/* The values that XXH3 without a seed is published with: what is stored
 * under a hash today is found under it tomorrow. */
TEST(known_values)
{
	static const struct {
		const char *in;
		uint32_t h32;
		uint64_t lo, hi;
	} rows[] = {
		{ "", 0x38d394c2, 0x6001c324468d497f, 0x99aa06d3014798d8 },
		{ "a", 0x1e964e1f, 0xe6c632b61e964e1f, 0xa96faf705af16834 },
		{ "abc", 0x892f3950, 0x78af5f94892f3950, 0x06b05ab6733a6185 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		size_t n = strlen(rows[i].in);
		struct op_hash128 h = op_hash128(rows[i].in, n);
		int before = test_failed;

		CHECK_EQ(op_hash_fixed(rows[i].in, n), rows[i].h32);
		CHECK(h.lo == rows[i].lo);
		CHECK(h.hi == rows[i].hi);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].in);
	}
}

TEST(nothing_has_a_hash)
{
	CHECK_EQ(op_hash32(NULL, 0), op_hash32("", 0));
	CHECK(op_hash128(NULL, 0).lo == op_hash128("", 0).lo);
}

/* Texts whose low 32 bits of XXH3 are equal do not collide in our tables, and
 * words that a fixed sum of products maps to one value do not either. */
TEST(seeded)
{
	uint64_t a[2] = { 0, 5 }, b[2] = { 0, 5 };
	unsigned int equal = 0;

	CHECK(op_hash_seed.odd[0] != op_hash_seed.odd[1]);
	for (unsigned int i = 0; i < OP_HASH_WORDS; i++)
		CHECK(op_hash_seed.odd[i] % 2);
	for (uint64_t k = 1; k < 1000; k++) {
		a[0] = k * 0xd6e8feb86659fd93u;
		b[0] = (k + 1) * 0xd6e8feb86659fd93u;
		equal += op_hash_words(a, 2) == op_hash_words(b, 2);
		equal += op_hash32(&k, sizeof(k)) ==
			 op_hash_fixed(&k, sizeof(k));
	}
	CHECK(equal < 3);
}

/* Each bit of each word counts, and so do the order and the number. */
TEST(words)
{
	uint64_t w[3] = { 1, 2, 3 }, swapped[3] = { 2, 1, 3 };
	uint32_t h = op_hash_words(w, 3);

	CHECK_EQ(op_hash_words(w, 3), h);
	CHECK(op_hash_words(swapped, 3) != h);
	CHECK(op_hash_words(w, 2) != h);
	for (unsigned int bit = 0; bit < 3 * 64; bit++) {
		w[bit / 64] ^= (uint64_t)1 << bit % 64;
		CHECK(op_hash_words(w, 3) != h);
		w[bit / 64] ^= (uint64_t)1 << bit % 64;
	}
}

/* Small numbers, as ids are, spread over the slots of a table. */
TEST(words_spread)
{
	static uint8_t seen[65536];
	size_t taken = 0;

	for (uint64_t i = 0; i < 65536; i++) {
		uint64_t w[2] = { i << 32, 0 };
		uint32_t slot = op_hash_words(w, 2) & 0xffff;

		taken += !seen[slot];
		seen[slot] = 1;
	}
	/* 1 - 1/e of the slots, if it were chance; the worst of 60,000 seeds
	 * takes 40 %. */
	CHECK(taken > 65536 * 25 / 100);
}

TEST_MAIN(known_values, seeded, nothing_has_a_hash, words, words_spread)
