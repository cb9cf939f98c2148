// SPDX-License-Identifier: Apache-2.0
#include "model/column.h"

#include "base/port.h"
#include "test.h"

/* Numbers that need each width, and what is between. */
static uint64_t number(int kind, size_t i)
{
	switch (kind) {
	case 0: /* all alike */
		return 1;
	case 1:
		return i % 250;
	case 2: /* times */
		return 1700000000000000000u + i * 1000003 % 4000000000u;
	case 3:
		return i & 1 ? UINT64_MAX : 0;
	case 4: /* one that is not like the others, now and then */
		return i % 5000 ? 7 : (uint64_t)1 << 40;
	default:
		return (uint64_t)1 << i % 64;
	}
}

enum { NR_KINDS = 6 };

static const size_t sizes[] = {
	0, 1, 2, 4095, 4096, 4097, 8192, 10000, 100000,
};

static void fill(struct op_column *c, struct op_arena *mem, int kind, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CHECK(op_column_push(c, mem, number(kind, i)));
}

/* Numbers of c from the at-th on. */
static void check_numbers(struct op_column_reader *r, int kind, size_t n)
{
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong += op_column_next(r) != number(kind, i);
	CHECK_EQ(wrong, 0);
}

TEST(numbers_come_back)
{
	static struct op_column_reader r;

	for (size_t s = 0; s < op_countof(sizes); s++) {
		for (int kind = 0; kind < NR_KINDS; kind++) {
			struct op_column c = { 0 };
			struct op_arena mem = { 0 };

			fill(&c, &mem, kind, sizes[s]);
			CHECK_EQ(c.n, sizes[s]);
			op_column_read(&r, &c);
			check_numbers(&r, kind, sizes[s]);
			op_column_clear(&c);
			fill(&c, &mem, kind, 5);
			op_column_read(&r, &c);
			check_numbers(&r, kind, 5);
			CHECK_EQ(c.n, 5);
			op_arena_free(&mem);
		}
	}
}

TEST(many_at_once)
{
	static struct op_column_reader r;
	static uint64_t all[100000];

	for (size_t i = 0; i < op_countof(all); i++)
		all[i] = number(2, i);
	for (size_t n = 1; n < op_countof(all); n = n * 3 + 1) {
		struct op_column c = { 0 };
		struct op_arena mem = { 0 };

		for (size_t at = 0, k; at < op_countof(all); at += k) {
			k = op_countof(all) - at < n ? op_countof(all) - at : n;
			CHECK(op_column_push_all(&c, &mem, all + at, k));
		}
		CHECK_EQ(c.n, op_countof(all));
		op_column_read(&r, &c);
		check_numbers(&r, 2, op_countof(all));
		op_arena_free(&mem);
	}
}

TEST(packed)
{
	static const struct {
		int kind;
		size_t most; /* bytes of a number */
	} rows[] = { { 0, 0 }, { 1, 1 }, { 2, 4 }, { 3, 8 } };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_column c = { 0 };
		struct op_arena mem = { 0 };

		fill(&c, &mem, rows[i].kind, 100000);
		CHECK(c.packed.n < 100000 * rows[i].most + 300);
		op_arena_free(&mem);
	}
}

TEST(all_of_one)
{
	for (size_t s = 0; s < op_countof(sizes); s++) {
		struct op_column c = { 0 };
		struct op_arena mem = { 0 };

		fill(&c, &mem, 0, sizes[s]);
		CHECK(op_column_is_all(&c, 1));
		CHECK_EQ(op_column_is_all(&c, 2), !sizes[s]);
		op_column_push(&c, &mem, 2);
		CHECK(!op_column_is_all(&c, 1));
		fill(&c, &mem, 0, sizes[s]);
		CHECK(!op_column_is_all(&c, 1));
		op_arena_free(&mem);
	}
}

TEST(appended)
{
	static struct op_column_reader r;

	for (size_t s = 0; s < op_countof(sizes); s++) {
		for (size_t t = 0; t < op_countof(sizes); t++) {
			struct op_column a = { 0 }, b = { 0 };
			struct op_arena mem = { 0 };

			fill(&a, &mem, 2, sizes[s]);
			fill(&b, &mem, 3, sizes[t]);
			CHECK(op_column_append(&a, &mem, &b, NULL));
			fill(&a, &mem, 4, 3);
			CHECK_EQ(a.n, sizes[s] + sizes[t] + 3);
			op_column_read(&r, &a);
			check_numbers(&r, 2, sizes[s]);
			check_numbers(&r, 3, sizes[t]);
			check_numbers(&r, 4, 3);
			op_arena_free(&mem);
		}
	}
}

TEST(appended_through_a_map)
{
	static struct op_column_reader r;
	static uint32_t map[250];
	struct op_column a = { 0 }, b = { 0 };
	struct op_arena mem = { 0 };
	size_t wrong = 0;

	for (uint32_t i = 0; i < op_countof(map); i++)
		map[i] = 1000000 - i;
	fill(&b, &mem, 1, 10000);
	CHECK(op_column_append(&a, &mem, &b, map));
	op_column_read(&r, &a);
	for (size_t i = 0; i < 10000; i++)
		wrong += op_column_next(&r) != 1000000 - i % 250;
	CHECK_EQ(wrong, 0);
	op_arena_free(&mem);
}

TEST(each_allocation_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct op_column c = { 0 };
		struct op_arena mem = { 0 };
		bool ok = true;

		for (size_t i = 0; i < 20000 && ok; i++)
			ok = op_column_push(&c, &mem, number(2, i));
		CHECK_EQ(ok, !op_alloc_failed());
		op_column_drop(&c, &mem);
		op_arena_free(&mem);
	}
}

TEST_MAIN(numbers_come_back, many_at_once, packed, all_of_one, appended,
	  appended_through_a_map, each_allocation_fails)
