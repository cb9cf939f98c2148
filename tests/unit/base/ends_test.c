// SPDX-License-Identifier: Apache-2.0
/* The ways to find ends agree on any bytes, and with a loop that is plain. */
#include "base/ends.h"

#include "random.h"
#include "test.h"

/* Bytes of which about one in 2^rare ends a varint. */
static void fill(uint8_t *p, size_t n, uint64_t *x, unsigned int rare)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t r = random_next(x);

		p[i] = (uint8_t)(r >> 56) | 0x80;
		if (!(r >> 30 & ((1u << rare) - 1)))
			p[i] &= 0x7f;
	}
}

static void check(const uint8_t *p)
{
	uint32_t want = 0, nr = 0, run = 0, longest = 0;

	for (uint32_t i = 0; i < 32; i++) {
		want |= (uint32_t)(p[i] < 0x80) << i;
		nr += p[i] < 0x80;
		run = p[i] < 0x80 ? 0 : run + 1;
		longest = run > longest ? run : longest;
	}
	CHECK_EQ(op_ends_portable(p), want);
	CHECK_EQ(op_ends(p), want);
	CHECK_EQ(op_ends_count(want), nr);
	CHECK_EQ(op_ends_has_long(want), longest >= 8);
}

TEST(random_bytes)
{
	uint8_t bytes[32 + 16];
	uint64_t x = 1;

	for (int i = 0; i < 20000; i++) {
		fill(bytes, sizeof(bytes), &x, (unsigned int)i % 6);
		check(bytes + i % 16);
	}
}

TEST(each_byte_alone)
{
	uint8_t bytes[32];

	for (int other = 0; other < 256; other += 127)
		for (uint32_t i = 0; i < 32; i++)
			for (int v = 0; v < 256; v++) {
				memset(bytes, other, sizeof(bytes));
				bytes[i] = (uint8_t)v;
				check(bytes);
			}
}

TEST(values)
{
	uint8_t bytes[16];
	uint64_t x = 2;

	for (int i = 0; i < 20000; i++) {
		struct op_varint want;

		fill(bytes, sizeof(bytes), &x, (unsigned int)i % 4);
		want = op_varint_word(bytes);
		if (!want.p)
			continue;
		CHECK(op_ends_value(bytes, (unsigned int)(want.p - bytes)) ==
		      want.v);
	}
}

TEST_MAIN(random_bytes, each_byte_alone, values)
