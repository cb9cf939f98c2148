// SPDX-License-Identifier: Apache-2.0
#include "record/ranges.h"

#include "random.h"
#include "test.h"

static struct op_err err;
static struct op_arena mem;
static struct op_ranges ranges;

static void begin(uint32_t max)
{
	err = (struct op_err){ 0 };
	mem = (struct op_arena){ .err = &err };
	ranges = (struct op_ranges){ .max = max, .mem = &mem };
}

static uint32_t take(uint32_t nr)
{
	uint32_t first = UINT32_MAX;

	return op_ranges_alloc(&ranges, nr, &first) ? first : UINT32_MAX;
}

/* A place is as large as the next power of two. */
TEST(classes)
{
	begin(1 << 20);
	CHECK_EQ(take(1), 0);
	CHECK_EQ(take(16), 16);
	CHECK_EQ(take(17), 32);
	CHECK_EQ(take(32), 64);
	CHECK_EQ(take(33), 96);
	CHECK_EQ(take(1), 160);
	CHECK_EQ(take((OP_RANGES_MIN << (OP_RANGES_CLASSES - 1)) + 1),
		 UINT32_MAX);
	CHECK_EQ(take(0x80000001), UINT32_MAX);
	CHECK_EQ(take(UINT32_MAX), UINT32_MAX);
	CHECK_EQ(take(OP_RANGES_MIN << (OP_RANGES_CLASSES - 1)), 176);
	op_arena_free(&mem);
}

/* BPF may read a place for two ticks after it was given back. */
TEST(two_ticks)
{
	uint32_t first;

	begin(1 << 20);
	first = take(20);
	op_ranges_free(&ranges, first, 20);
	CHECK(take(20) != first);
	op_ranges_tick(&ranges);
	CHECK(take(20) != first);
	op_ranges_tick(&ranges);
	CHECK(take(16) != first);
	CHECK(take(33) != first);
	CHECK_EQ(take(32), first);
	CHECK(take(32) != first);
	op_arena_free(&mem);
}

TEST(exhaustion)
{
	uint32_t nr = 0;

	begin(100);
	while (take(16) != UINT32_MAX)
		nr++;
	CHECK_EQ(nr, 6);
	op_ranges_free(&ranges, 16, 16);
	CHECK_EQ(take(16), UINT32_MAX);
	op_ranges_tick(&ranges);
	op_ranges_tick(&ranges);
	CHECK_EQ(take(16), 16);
	op_ranges_free(&ranges, 32, 16);
	op_ranges_tick(&ranges);
	op_ranges_free(&ranges, 48, 16);
	op_ranges_reset(&ranges);
	op_ranges_tick(&ranges);
	op_ranges_tick(&ranges);
	CHECK_EQ(take(64), 0);
	CHECK_EQ(take(16), 64);
	op_arena_free(&mem);
}

/* No two have the same place, and memory does not grow. */
TEST(random_walk)
{
	enum { MOST = 64, MAX = 1 << 16 };
	static uint8_t used[MAX];
	struct {
		uint32_t first, nr;
	} list[MOST];
	uint32_t nr = 0;
	uint64_t seed = 7;
	size_t before = 0;

	begin(MAX);
	for (uint32_t round = 0; round < 20000; round++) {
		if (nr < MOST && random_below(&seed, 2)) {
			uint32_t n = 1 + random_below(&seed, 300);
			uint32_t first = take(n);

			CHECK(first < MAX && n <= MAX - first);
			if (first >= MAX)
				break;
			CHECK(!memchr(used + first, 1, n));
			memset(used + first, 1, n);
			list[nr].first = first;
			list[nr++].nr = n;
		} else if (nr) {
			uint32_t i = random_below(&seed, nr);

			memset(used + list[i].first, 0, list[i].nr);
			op_ranges_free(&ranges, list[i].first, list[i].nr);
			list[i] = list[--nr];
		}
		if (!random_below(&seed, 5))
			op_ranges_tick(&ranges);
		if (round == 2000)
			before = mem.used;
	}
	CHECK(mem.used <= 2 * before);
	op_arena_free(&mem);
}

/* A place that nobody can remember is lost, not more. */
TEST(no_memory)
{
	EACH_ALLOC_FAILS(k) {
		uint32_t first;

		begin(1 << 12);
		for (uint32_t i = 0; i < 100; i++) {
			first = take(16);
			CHECK(first != UINT32_MAX);
			op_ranges_free(&ranges, first, 16);
			op_ranges_tick(&ranges);
		}
		CHECK(ranges.next <= 5 * 16);
		CHECK_EQ(err.code, OP_OK);
		op_arena_free(&mem);
	}
}

TEST_MAIN(classes, two_ticks, exhaustion, random_walk, no_memory)
