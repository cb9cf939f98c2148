// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include <sys/mman.h>

enum {
	KIB = 1024,
	BIG = OP_ARENA_BIG,
	FIRST_BLOCK = 16 * KIB,
	LARGEST_BLOCK = 1024 * KIB,
};

static void fill(uint8_t *p, size_t n, unsigned int seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(seed + i * 7);
}

static bool filled(const uint8_t *p, size_t n, unsigned int seed)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != (uint8_t)(seed + i * 7))
			return false;
	return true;
}

static size_t rounded(size_t n)
{
	return (n + 7) / 8 * 8 + OP_GAP;
}

/* What a block costs besides the bytes it holds. */
static size_t header_bytes(void)
{
	struct op_arena mem = { .err = OP_IGNORED };
	size_t n;

	CHECK(op_arena_alloc(&mem, BIG));
	n = mem.used - BIG;
	op_arena_free(&mem);
	return n;
}

TEST(zero_size)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *a = op_arena_alloc(&mem, 0);
	uint8_t *b = op_new(&mem, uint8_t, 0);
	uint8_t *c = op_arena_array(&mem, 0, SIZE_MAX);
	uint8_t *p = op_arena_alloc(&mem, 8);

	CHECK(a && b && c && p);
	fill(p, 8, 1);
	a = op_arena_resize(&mem, a, 0, 8);
	CHECK(a && a != p);
	fill(a, 8, 2);
	CHECK(filled(p, 8, 1));
	a = op_arena_resize(&mem, a, 8, 0);
	CHECK(a);
	op_arena_drop(&mem, a, 0);
	CHECK(filled(p, 8, 1));
	op_arena_free(&mem);
}

TEST(aligned_and_apart)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *p[200];

	for (unsigned int i = 0; i < op_countof(p); i++) {
		p[i] = op_arena_alloc(&mem, i);
		CHECK_EQ((uintptr_t)p[i] % 8, 0);
		fill(p[i], i, i);
	}
	for (unsigned int i = 0; i < op_countof(p); i++)
		CHECK(filled(p[i], i, i));
	op_arena_free(&mem);
}

/* Memory that comes back from a drop is dirty; op_new() cleans it. */
TEST(new_is_zeroed)
{
	struct op_arena mem = { .err = OP_IGNORED };
	static const size_t sizes[] = { 8, 1000, BIG };

	for (size_t i = 0; i < op_countof(sizes); i++) {
		uint8_t *p = op_arena_alloc(&mem, sizes[i]);
		size_t set = 0;

		memset(p, 0xff, sizes[i]);
		op_arena_drop(&mem, p, sizes[i]);
		p = op_new(&mem, uint8_t, sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			set += p[k] != 0;
		CHECK_EQ(set, 0);
	}
	op_arena_free(&mem);
}

TEST(size_overflow)
{
	static const struct {
		const char *name;
		size_t nr, size;
	} rows[] = {
		{ "product one past the end", SIZE_MAX / 8 + 1, 8 },
		{ "square", (size_t)1 << 32, (size_t)1 << 32 },
		{ "all by two", SIZE_MAX, 2 },
		{ "no overflow, no such memory", SIZE_MAX, 1 },
		{ "header does not fit", SIZE_MAX - 8, 1 },
		{ "more than half of all", SIZE_MAX / 2 + 1, 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_arena mem = { .err = OP_IGNORED };
		uint8_t *big = op_arena_alloc(&mem, BIG);
		size_t used = mem.used;
		size_t nr = rows[i].nr, size = rows[i].size;
		int before = test_failed;

		fill(big, BIG, 3);
		CHECK(!op_arena_array(&mem, nr, size));
		CHECK(!op_arena_calloc(&mem, nr, size));
		if (size == 1)
			CHECK(!op_arena_resize(&mem, big, BIG, nr));
		CHECK(filled(big, BIG, 3));
		CHECK_EQ(mem.used, used);
		CHECK_EQ(mem.nr_blocks, 1);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_arena_free(&mem);
	}
}

/* Across the size at which blocks become mappings, up and down. */
TEST(large_objects_move_whole)
{
	static const size_t sizes[] = { BIG,	  4000000, 4200000, 9000001,
					40000000, 5000000, 4100000, BIG };
	struct op_arena mem = { .err = OP_IGNORED };
	size_t n = sizes[0];
	uint8_t *p = op_arena_alloc(&mem, n);

	fill(p, n, 9);
	for (size_t i = 1; i < op_countof(sizes); i++) {
		p = op_arena_resize(&mem, p, n, sizes[i]);
		CHECK(p && filled(p, n < sizes[i] ? n : sizes[i], 9));
		n = sizes[i];
		fill(p, n, 9);
		CHECK_EQ(mem.nr_blocks, 1);
	}
	op_arena_drop(&mem, p, n);
	CHECK_EQ(mem.used, 0);
	op_arena_free(&mem);
}

TEST(blocks_double)
{
	struct op_arena mem = { .err = OP_IGNORED };
	size_t header = header_bytes();
	size_t cap = FIRST_BLOCK, used = 0;

	for (size_t blocks = 1; blocks <= 9; blocks++) {
		while (mem.nr_blocks < blocks)
			CHECK(op_arena_alloc(&mem, 1000));
		used += cap + header;
		CHECK_EQ(mem.used, used);
		if (cap < LARGEST_BLOCK)
			cap *= 2;
	}
	op_arena_free(&mem);
	CHECK_EQ(mem.used, 0);
	CHECK_EQ(mem.nr_blocks, 0);
}

TEST(newest_resizes_in_place)
{
	static const size_t sizes[] = { 8, 9, 100, 4000, 24, 1, 0, 16, 15000 };
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *old = op_arena_alloc(&mem, 40);
	uint8_t *p = op_arena_alloc(&mem, 0);
	size_t n = 0;

	fill(old, 40, 9);
	for (size_t i = 0; i < op_countof(sizes); i++) {
		size_t kept = n < sizes[i] ? n : sizes[i];

		fill(p, n, (unsigned int)i);
		CHECK(op_arena_resize(&mem, p, n, sizes[i]) == p);
		CHECK(filled(p, kept, (unsigned int)i));
		n = sizes[i];
	}
	CHECK_EQ(mem.nr_blocks, 1);
	CHECK(filled(old, 40, 9));
	/* What a shrink gives back, the next object gets. */
	CHECK(op_arena_resize(&mem, p, n, 64) == p);
	CHECK((uint8_t *)op_arena_alloc(&mem, 8) == p + rounded(64));
	op_arena_free(&mem);
}

TEST(older_moves_when_it_grows)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *a = op_arena_alloc(&mem, 100);
	uint8_t *b = op_arena_alloc(&mem, 100);
	uint8_t *moved;

	fill(a, 100, 1);
	fill(b, 100, 2);
	moved = op_arena_resize(&mem, a, 100, 200);
	CHECK(moved && moved != a);
	CHECK(filled(moved, 100, 1));
	CHECK(filled(b, 100, 2));
	op_arena_free(&mem);
}

/* A shrink has its bytes already, so it needs neither memory nor a move. */
TEST(older_shrinks_where_it_stands)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *a = op_arena_alloc(&mem, 100);
	uint8_t *b = op_arena_alloc(&mem, 100);
	uint8_t *same;

	fill(a, 100, 1);
	fill(b, 100, 2);
	op_alloc_fail_at(1);
	same = op_arena_resize(&mem, a, 100, 20);
	CHECK(same == a);
	CHECK(!op_alloc_failed());
	CHECK(!same || filled(same, 20, 1));
	CHECK(filled(b, 100, 2));
	op_arena_free(&mem);
}

/* The newest object that no longer fits its block goes to a new one. */
TEST(newest_moves_to_next_block)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *p = op_arena_alloc(&mem, 8000);
	uint8_t *moved;

	fill(p, 8000, 5);
	moved = op_arena_resize(&mem, p, 8000, 20000);
	CHECK(moved && moved != p);
	CHECK(filled(moved, 8000, 5));
	CHECK_EQ(mem.nr_blocks, 2);
	op_arena_free(&mem);
}

TEST(resize_without_object)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *p = op_arena_resize(&mem, NULL, 0, 50);

	CHECK(p);
	fill(p, 50, 1);
	CHECK(op_arena_resize(&mem, NULL, 0, 0));
	CHECK(op_arena_resize(&mem, NULL, 0, BIG));
	CHECK(filled(p, 50, 1));
	op_arena_free(&mem);
}

/* Objects of BIG bytes and more have a block each; the table goes over the
 * border both ways. used beyond the one shared block is exactly theirs. */
TEST(resize_over_the_border)
{
	static const struct {
		const char *name;
		size_t from, to;
	} rows[] = {
		{ "small to largest small", 10, BIG - 1 },
		{ "largest small to smallest big", BIG - 1, BIG },
		{ "small to big", 10, 3 * BIG },
		{ "nothing to big", 0, BIG },
		{ "big grows by one", BIG, BIG + 1 },
		{ "big grows far", BIG, 40 * BIG },
		{ "big shrinks to the border", 5 * BIG, BIG },
		{ "smallest big to largest small", BIG, BIG - 1 },
		{ "big to small", 3 * BIG, 10 },
		{ "big to nothing", BIG, 0 },
		{ "big stays", BIG + 5, BIG + 5 },
	};
	size_t header = header_bytes();

	for (size_t i = 0; i < op_countof(rows); i++) {
		size_t from = rows[i].from, to = rows[i].to;
		size_t kept = from < to ? from : to;
		struct op_arena mem = { .err = OP_IGNORED };
		uint8_t *p = op_arena_alloc(&mem, from);
		size_t was = from >= BIG ? from + header : 0;
		size_t is = to >= BIG ? to + header : 0;
		size_t shared = mem.used - was;
		int before = test_failed;

		fill(p, from, 77);
		p = op_arena_resize(&mem, p, from, to);
		CHECK(p);
		CHECK(filled(p, kept, 77));
		fill(p, to, 78);
		if (to >= BIG)
			CHECK_EQ(mem.used, shared + is);
		else if (from >= BIG)
			CHECK_EQ(mem.nr_blocks, 1);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_arena_free(&mem);
		CHECK_EQ(mem.used, 0);
	}
}

/* Big objects leave in any order and the others stay as they are. */
TEST(big_drops)
{
	static const unsigned int orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	size_t header = header_bytes();

	for (size_t o = 0; o < op_countof(orders); o++) {
		struct op_arena mem = { .err = OP_IGNORED };
		size_t used = 0;
		uint8_t *p[3];

		for (unsigned int i = 0; i < 3; i++) {
			p[i] = op_arena_alloc(&mem, BIG + i);
			fill(p[i], BIG + i, i);
			used += BIG + i + header;
		}
		CHECK_EQ(mem.used, used);
		for (unsigned int i = 0; i < 3; i++) {
			unsigned int out = orders[o][i];

			CHECK(filled(p[out], BIG + out, out));
			op_arena_drop(&mem, p[out], BIG + out);
			used -= BIG + out + header;
			CHECK_EQ(mem.used, used);
			CHECK_EQ(mem.nr_blocks, 2 - i);
		}
		op_arena_free(&mem);
	}
}

TEST(big_resize_keeps_neighbours)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *p[3];

	for (unsigned int i = 0; i < 3; i++) {
		p[i] = op_arena_alloc(&mem, BIG);
		fill(p[i], BIG, i);
	}
	for (size_t n = BIG; n < 8 * BIG; n += BIG) {
		p[1] = op_arena_resize(&mem, p[1], n, n + BIG);
		CHECK(filled(p[1], BIG, 1));
	}
	op_arena_drop(&mem, p[2], BIG);
	p[1] = op_arena_resize(&mem, p[1], 8 * BIG, BIG);
	op_arena_drop(&mem, p[0], BIG);
	CHECK(filled(p[1], BIG, 1));
	CHECK_EQ(mem.nr_blocks, 1);
	op_arena_free(&mem);
}

TEST(small_drops)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *a, *b;

	op_arena_drop(&mem, NULL, 0);
	op_arena_drop(&mem, NULL, 100);
	CHECK_EQ(mem.used, 0);
	a = op_arena_alloc(&mem, 100);
	b = op_arena_alloc(&mem, 50);
	op_arena_drop(&mem, b, 50);
	CHECK((uint8_t *)op_arena_alloc(&mem, 60) == b);
	/* One that is not the newest stays where it is, unused. */
	fill(b, 60, 1);
	op_arena_drop(&mem, a, 100);
	CHECK(op_arena_alloc(&mem, 100) != a);
	CHECK(filled(b, 60, 1));
	op_arena_free(&mem);
}

TEST(quota)
{
	size_t header = header_bytes();
	const struct {
		const char *name;
		size_t quota, n;
		bool ok;
	} rows[] = {
		{ "none", 0, 50 * BIG, true },
		{ "a first block fits", FIRST_BLOCK + header, 10, true },
		{ "less than a first block, enough for the object", 1000, 100,
		  true },
		{ "exactly the object", header + rounded(64), 64, true },
		{ "a byte short of the object", header + rounded(64) - 1, 64,
		  false },
		{ "no room for a header", 8, 8, false },
		{ "exactly the big object", header + BIG, BIG, true },
		{ "a byte short of the big object", header + BIG - 1, BIG,
		  false },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_arena mem = { .err = OP_IGNORED,
					.quota = rows[i].quota };
		int before = test_failed;

		CHECK_EQ(op_arena_alloc(&mem, rows[i].n) != NULL, rows[i].ok);
		CHECK(!mem.quota || mem.used <= mem.quota);
		CHECK_EQ(mem.nr_blocks, rows[i].ok);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_arena_free(&mem);
		CHECK_EQ(mem.quota, rows[i].quota);
	}
}

/* Every byte up to the quota can be had, then no more, and what is there
 * stays usable. */
TEST(quota_runs_out)
{
	struct op_arena mem = { .err = OP_IGNORED, .quota = 300 * KIB };
	uint8_t *p, *last = NULL;
	size_t got = 0;

	while ((p = op_arena_alloc(&mem, 1024))) {
		fill(p, 1024, 1);
		last = p;
		got += 1024;
	}
	CHECK(got > 250 * KIB);
	CHECK(mem.used <= mem.quota);
	CHECK(!op_arena_alloc(&mem, BIG));
	CHECK(last && filled(last, 1024, 1));
	op_arena_free(&mem);
	CHECK(op_arena_alloc(&mem, 1024));
	op_arena_free(&mem);
}

TEST(quota_of_big_objects)
{
	size_t header = header_bytes();
	struct op_arena mem = { .err = OP_IGNORED,
				.quota = 2 * (BIG + header) };
	uint8_t *a = op_arena_alloc(&mem, BIG);
	uint8_t *b = op_arena_alloc(&mem, BIG);

	fill(a, BIG, 1);
	CHECK(a && b);
	CHECK(!op_arena_resize(&mem, a, BIG, BIG + 1));
	CHECK(!op_arena_resize(&mem, a, BIG, SIZE_MAX));
	CHECK(filled(a, BIG, 1));
	CHECK_EQ(mem.used, mem.quota);
	/* What is dropped counts no more. */
	op_arena_drop(&mem, b, BIG);
	a = op_arena_resize(&mem, a, BIG, 2 * BIG + header);
	CHECK(a && filled(a, BIG, 1));
	CHECK_EQ(mem.used, mem.quota);
	op_arena_free(&mem);
}

TEST(reset)
{
	struct op_arena mem = { .err = OP_IGNORED };
	size_t header = header_bytes();

	op_arena_reset(&mem);
	CHECK_EQ(mem.used, 0);
	CHECK(op_arena_alloc(&mem, 2 * BIG));
	op_arena_reset(&mem);
	CHECK_EQ(mem.nr_blocks, 0);
	for (int i = 0; i < 100; i++)
		CHECK(op_arena_alloc(&mem, 1000));
	CHECK(op_arena_alloc(&mem, BIG));
	op_arena_reset(&mem);
	CHECK_EQ(mem.nr_blocks, 1);
	CHECK_EQ(mem.used, 4 * FIRST_BLOCK + header);
	/* The kept block takes as much as it is large. */
	for (int i = 0; i < 60; i++)
		fill(op_arena_alloc(&mem, 1000), 1000, 1);
	CHECK_EQ(mem.nr_blocks, 1);
	op_arena_free(&mem);
	CHECK_EQ(mem.used, 0);
}

/* Near the quota the newest block is a small one; it is not what to keep. */
TEST(reset_keeps_the_largest)
{
	size_t header = header_bytes();
	struct op_arena mem = { .err = OP_IGNORED,
				.quota = FIRST_BLOCK + 2 * header + 2000 };

	while (mem.nr_blocks < 2)
		CHECK(op_arena_alloc(&mem, 1000));
	op_arena_reset(&mem);
	CHECK_EQ(mem.nr_blocks, 1);
	CHECK_EQ(mem.used, FIRST_BLOCK + header);
	op_arena_free(&mem);
}

/* A block of a big object serves the next of about its size. */
TEST(recycle)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *a = op_arena_alloc(&mem, 4 * BIG), *b;

	fill(op_arena_alloc(&mem, 100), 100, 1);
	op_arena_recycle(&mem);
	CHECK(op_arena_alloc(&mem, BIG) != a); /* too small for it */
	CHECK(op_arena_alloc(&mem, 5 * BIG) != a);
	b = op_arena_alloc(&mem, 3 * BIG);
	CHECK(b == a);
	fill(b, 3 * BIG, 1);
	/* It shrinks and grows where it stands. */
	CHECK(op_arena_resize(&mem, b, 3 * BIG, 2 * BIG) == b);
	CHECK(op_arena_resize(&mem, b, 2 * BIG, 4 * BIG) == b);
	CHECK(filled(b, 2 * BIG, 1));
	b = op_arena_resize(&mem, b, 4 * BIG, 6 * BIG);
	CHECK(b && filled(b, 2 * BIG, 1));
	op_arena_free(&mem);
	CHECK_EQ(mem.used, 0);
	CHECK_EQ(mem.nr_blocks, 0);
}

TEST(recycle_frees_what_is_not_used)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *dropped;

	CHECK(op_arena_alloc(&mem, BIG));
	op_arena_recycle(&mem);
	dropped = op_arena_alloc(&mem, 4 * BIG);
	op_arena_drop(&mem, dropped, 4 * BIG);
	CHECK_EQ(mem.nr_blocks, 2);
	op_arena_recycle(&mem); /* the first was not taken, the second was */
	CHECK_EQ(mem.nr_blocks, 1);
	CHECK(op_arena_alloc(&mem, 4 * BIG) == dropped);
	op_arena_reset(&mem);
	CHECK_EQ(mem.nr_blocks, 0);
}

/* What is kept does not count against new objects. */
TEST(recycle_near_the_quota)
{
	size_t header = header_bytes();
	struct op_arena mem = { .err = OP_IGNORED, .quota = 3 * BIG + header };

	CHECK(op_arena_alloc(&mem, BIG));
	op_arena_recycle(&mem);
	CHECK(op_arena_alloc(&mem, 3 * BIG));
	CHECK_EQ(mem.nr_blocks, 1);
	CHECK(!op_arena_alloc(&mem, BIG));
	op_arena_free(&mem);
	CHECK_EQ(mem.used, 0);
}

TEST(free_is_repeatable)
{
	struct op_arena mem = { .err = OP_IGNORED };

	op_arena_free(&mem);
	for (int i = 0; i < 3; i++) {
		fill(op_arena_alloc(&mem, 100), 100, 1);
		fill(op_arena_alloc(&mem, BIG), BIG, 1);
		op_arena_free(&mem);
		op_arena_free(&mem);
		CHECK_EQ(mem.used, 0);
		CHECK_EQ(mem.nr_blocks, 0);
		CHECK(!mem.shared && !mem.big);
	}
}

#ifdef OP_ASAN
static bool poisoned(const uint8_t *p)
{
	return __asan_address_is_poisoned(p);
}

/* One byte past an object of any size is a report, and so is one byte
 * before the next. */
TEST(poisoned_gap)
{
	struct op_arena mem = { .err = OP_IGNORED };

	for (size_t n = 0; n < 70; n++) {
		uint8_t *p = op_arena_alloc(&mem, n);
		uint8_t *next = op_arena_alloc(&mem, 8);

		for (size_t i = 0; i < n; i++)
			CHECK(!poisoned(p + i));
		for (const uint8_t *gap = p + n; gap < next; gap++)
			CHECK(poisoned(gap));
		CHECK(next - (p + n) >= OP_GAP);
	}
	op_arena_free(&mem);
}

TEST(poisoned_after_resize)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *p = op_arena_alloc(&mem, 100);

	op_arena_resize(&mem, p, 100, 13);
	CHECK(!poisoned(p + 12) && poisoned(p + 13) && poisoned(p + 99));
	op_arena_resize(&mem, p, 13, 64);
	CHECK(!poisoned(p + 63) && poisoned(p + 64));
	op_arena_alloc(&mem, 8);
	CHECK(op_arena_resize(&mem, p, 64, 200) != p);
	CHECK(poisoned(p) && poisoned(p + 63));
	op_arena_free(&mem);
}

TEST(poisoned_after_drop_and_reset)
{
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *old = op_arena_alloc(&mem, 100);
	uint8_t *p = op_arena_alloc(&mem, 100);

	CHECK(poisoned(p + 1000));
	op_arena_drop(&mem, old, 100);
	CHECK(poisoned(old) && poisoned(old + 99) && !poisoned(p));
	op_arena_drop(&mem, p, 100);
	CHECK(poisoned(p) && poisoned(p + 99));
	p = op_arena_alloc(&mem, 100);
	op_arena_reset(&mem);
	CHECK(poisoned(p) && poisoned(p + 99));
	op_arena_free(&mem);
}
#else
TEST(poisoned_gap)
{
	CHECK_EQ(OP_GAP, 0);
}

TEST(poisoned_after_resize)
{
	CHECK_EQ(OP_GAP, 0);
}

TEST(poisoned_after_drop_and_reset)
{
	CHECK_EQ(OP_GAP, 0);
}
#endif

TEST(hook_fires_once)
{
	struct op_arena mem = { .err = OP_IGNORED };

	op_alloc_fail_at(3);
	CHECK(op_arena_alloc(&mem, 8));
	CHECK(op_arena_alloc(&mem, BIG));
	CHECK(!op_alloc_failed());
	CHECK(!op_arena_alloc(&mem, 8));
	CHECK(op_alloc_failed());
	CHECK(op_arena_alloc(&mem, 8));
	op_alloc_fail_at(1);
	CHECK(!op_alloc_failed());
	CHECK(!op_heap_resize(NULL, 8, OP_IGNORED));
	op_alloc_fail_at(1);
	op_alloc_fail_at(0);
	CHECK(op_arena_alloc(&mem, 8));
	CHECK(!op_alloc_failed());
	op_arena_free(&mem);
}

/* A refused call changes nothing, and the same call goes well afterwards. */
TEST(each_alloc_fails)
{
	static const size_t sizes[] = { 40,	 5000,	  BIG - 1, BIG,
					9 * BIG, 2 * BIG, 100,	   0 };
	long rounds = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_arena mem = { .err = OP_IGNORED };
		uint8_t *p = NULL;
		size_t n = 0;

		rounds = k;
		for (size_t i = 0; i < op_countof(sizes); i++) {
			size_t want = sizes[i], used = mem.used;
			uint8_t *next = op_arena_resize(&mem, p, n, want);
			size_t kept = n < want ? n : want;

			if (!next) {
				CHECK(op_alloc_failed());
				CHECK_EQ(mem.used, used);
				CHECK(filled(p, n, 4));
				next = op_arena_resize(&mem, p, n, want);
			}
			CHECK(next && filled(next, kept, 4));
			p = next;
			n = want;
			fill(p, n, 4);
		}
		op_arena_free(&mem);
		CHECK_EQ(mem.used, 0);
	}
	CHECK(rounds > 4);
}

TEST(heap)
{
	struct op_err err = { 0 };
	uint8_t *p = op_heap_resize(NULL, 0, OP_IGNORED);

	CHECK(p);
	p = op_heap_resize(p, 100, OP_IGNORED);
	fill(p, 100, 1);
	op_alloc_fail_at(1);
	CHECK(!op_heap_resize(p, 1000, &err));
	CHECK_STR(err.text, "no memory for 1000 bytes");
	CHECK(filled(p, 100, 1));
	p = op_heap_resize(p, 1000, OP_IGNORED);
	CHECK(filled(p, 100, 1));
	op_heap_free(p);
	op_heap_free(NULL);
}

/* Pages of freed objects are given back although a later one is in use. */
TEST(heap_trims)
{
	enum { NR = 64, SIZE = 100 * KIB, PAGE = 4 * KIB };
	uint8_t *p[NR], *last;
	unsigned char is_there = 1;

	for (int i = 0; i < NR; i++) {
		p[i] = op_heap_resize(NULL, SIZE, OP_IGNORED);
		fill(p[i], SIZE, 3);
	}
	last = op_heap_resize(NULL, SIZE, OP_IGNORED);
	fill(last, SIZE, 4);
	for (int i = 0; i < NR; i++)
		op_heap_free(p[i]);
	op_heap_trim();
	CHECK(filled(last, SIZE, 4));
	if (!OP_SLOW) {
		uintptr_t page = (uintptr_t)p[NR / 2] / PAGE * PAGE + PAGE;

		CHECK(mincore((void *)page, PAGE, &is_there) || !is_there);
	}
	op_heap_free(last);
}

struct object {
	uint8_t *p;
	size_t n;
};

/* Changes object o of the arena to a size that x chooses; a third of the
 * sizes are big. */
static void change(struct op_arena *mem, struct object *o, uint32_t x)
{
	size_t n = x % 3 ? x >> 8 & 0xfff : BIG - 64 + (x >> 8 & 0x7fff);
	size_t kept = o->n < n ? o->n : n;

	if (x % 7 == 0) {
		op_arena_drop(mem, o->p, o->n);
		*o = (struct object){ 0 };
		return;
	}
	o->p = op_arena_resize(mem, o->p, o->n, n);
	CHECK(o->p && filled(o->p, kept, 6));
	o->n = n;
	fill(o->p, n, 6);
}

/* A walk with a fixed seed: no object ever touches another. */
TEST(random_walk)
{
	struct object o[16] = { 0 };
	struct op_arena mem = { .err = OP_IGNORED };
	uint32_t x = 12345;

	for (int i = 0; i < 4000; i++) {
		x = x * 1664525 + 1013904223;
		change(&mem, &o[x >> 28], x >> 4);
		if (i % 100)
			continue;
		for (size_t k = 0; k < op_countof(o); k++)
			CHECK(filled(o[k].p, o[k].n, 6));
	}
	op_arena_free(&mem);
	CHECK_EQ(mem.used, 0);
}

TEST_MAIN(zero_size, aligned_and_apart, new_is_zeroed, size_overflow,
	  large_objects_move_whole, blocks_double, newest_resizes_in_place,
	  older_moves_when_it_grows, older_shrinks_where_it_stands,
	  newest_moves_to_next_block, resize_without_object,
	  resize_over_the_border, big_drops, big_resize_keeps_neighbours,
	  small_drops, quota, quota_runs_out, quota_of_big_objects, reset,
	  reset_keeps_the_largest, recycle, recycle_frees_what_is_not_used,
	  recycle_near_the_quota, free_is_repeatable, poisoned_gap,
	  poisoned_after_resize, poisoned_after_drop_and_reset, hook_fires_once,
	  each_alloc_fails, heap, heap_trims, random_walk)
