// SPDX-License-Identifier: Apache-2.0
#include "base/vec.h"

#include "test.h"

struct row {
	uint64_t a;
	uint32_t b;
};

/* OP_VEC(uint32_t) with a name, to be passed on. */
struct ids {
	uint32_t *p;
	size_t n;
	size_t cap;
};

static bool counts_up(const struct ids *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v->p[i] != (uint32_t)i)
			return false;
	return v->n == n;
}

/* All zero is an empty vector; growth doubles from the first capacity. */
TEST(growth_doubles)
{
	struct op_arena mem = { .err = OP_IGNORED };
	struct ids v = { 0 };
	size_t cap = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		CHECK(op_vec_push(&mem, &v, i));
		if (v.cap == cap)
			continue;
		CHECK(!cap || v.cap == 2 * cap);
		CHECK(counts_up(&v, i + 1));
		cap = v.cap;
	}
	CHECK(counts_up(&v, 100000));
	CHECK_EQ(v.cap, 131072);
	op_arena_free(&mem);
}

TEST(elements_of_any_size)
{
	struct op_arena mem = { .err = OP_IGNORED };
	OP_VEC(struct row) rows = { 0 };
	OP_VEC(uint8_t) bytes = { 0 };

	for (uint32_t i = 0; i < 5000; i++) {
		CHECK(op_vec_push(&mem, &rows, ((struct row){ i, ~i })));
		CHECK(op_vec_push(&mem, &bytes, (uint8_t)i));
	}
	for (uint32_t i = 0; i < 5000; i++) {
		CHECK_EQ(rows.p[i].a, i);
		CHECK_EQ(rows.p[i].b, ~i);
		CHECK_EQ(bytes.p[i], (uint8_t)i);
	}
	op_arena_free(&mem);
}

TEST(reserve)
{
	static const struct {
		const char *name;
		size_t have, more, cap;
	} rows[] = {
		{ "nothing of nothing", 0, 0, 0 },
		{ "one", 0, 1, 16 },
		{ "the first capacity", 0, 16, 16 },
		{ "one more than that", 0, 17, 32 },
		{ "far more at once", 0, 1000, 1024 },
		{ "nothing, when full", 16, 0, 16 },
		{ "what is left", 10, 6, 16 },
		{ "one past what is left", 10, 7, 32 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_arena mem = { .err = OP_IGNORED };
		struct ids v = { 0 };
		int before = test_failed;

		for (uint32_t k = 0; k < rows[i].have; k++)
			CHECK(op_vec_push(&mem, &v, k));
		CHECK(op_vec_reserve(&mem, &v, rows[i].more));
		CHECK_EQ(v.cap, rows[i].cap);
		CHECK(counts_up(&v, rows[i].have));
		/* What was reserved is pushed without memory. */
		op_alloc_fail_at(1);
		for (size_t k = 0; k < rows[i].more; k++)
			CHECK(op_vec_push(&mem, &v, 7));
		op_alloc_fail_at(0);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_arena_free(&mem);
	}
}

/* A vector that grows alone grows in place, so a long one is few blocks. */
TEST(million_is_few_blocks)
{
	struct op_arena mem = { .err = OP_IGNORED };
	struct ids v = { 0 };

	for (uint32_t i = 0; i < 1000000; i++)
		op_vec_push(&mem, &v, i);
	CHECK(counts_up(&v, 1000000));
	CHECK(mem.nr_blocks <= 5);
	CHECK(mem.used < 6 * 1024 * 1024);
	op_arena_free(&mem);
}

/* No index reaches UINT32_MAX, which names nothing. */
TEST(limit)
{
	struct op_arena mem = { .err = OP_IGNORED, .quota = 1 << 20 };
	uint32_t dummy;
	struct ids v = { &dummy, OP_VEC_MAX, OP_VEC_MAX };
	size_t cap = 0;

	CHECK(!op_vec_push(&mem, &v, 1));
	CHECK(!op_vec_reserve(&mem, &v, 1));
	CHECK(v.p == &dummy && v.n == OP_VEC_MAX && v.cap == OP_VEC_MAX);
	CHECK(!op_vec_grow(&mem, NULL, &cap, OP_VEC_MAX + 1, 1));
	CHECK(!op_vec_grow(&mem, NULL, &cap, SIZE_MAX, 1));
	CHECK_EQ(cap, 0);
	CHECK_EQ(mem.used, 0);
}

/* The memory is asked for and never touched; where the system has not that
 * much to promise there is nothing to see. */
TEST(capacity_stays_in_the_limit)
{
	struct op_arena mem = { .err = OP_IGNORED };
	size_t cap = 0;
	void *p = OP_GAP ? NULL :
			   op_vec_grow(&mem, NULL, &cap, OP_VEC_MAX - 9, 1);

	CHECK(!p || (cap >= OP_VEC_MAX - 9 && cap <= OP_VEC_MAX));
	op_arena_free(&mem);
}

TEST(size_overflow)
{
	struct op_arena mem = { .err = OP_IGNORED };
	size_t cap = 0;

	CHECK(!op_vec_grow(&mem, NULL, &cap, 1, SIZE_MAX / 8));
	CHECK(!op_vec_grow(&mem, NULL, &cap, OP_VEC_MAX, (size_t)1 << 33));
	CHECK_EQ(cap, 0);
	CHECK_EQ(mem.used, 0);
}

TEST(trim)
{
	static const uint32_t sizes[] = {
		0, 1, 15, 16, 17, 1000, 40000, 300000
	};

	for (size_t i = 0; i < op_countof(sizes); i++) {
		struct op_arena mem = { .err = OP_IGNORED };
		struct ids v = { 0 };
		size_t used;

		for (uint32_t k = 0; k < sizes[i]; k++)
			op_vec_push(&mem, &v, k);
		used = mem.used;
		op_vec_trim(&mem, &v);
		CHECK_EQ(v.cap, sizes[i]);
		CHECK(counts_up(&v, sizes[i]));
		CHECK(!used || mem.used <= used);
		CHECK(op_vec_push(&mem, &v, sizes[i]));
		CHECK(counts_up(&v, sizes[i] + 1));
		op_arena_free(&mem);
	}
}

/* A trim that cannot be had is none. */
TEST(trim_without_memory)
{
	struct op_arena mem = { .err = OP_IGNORED };
	struct ids v = { 0 };

	for (uint32_t k = 0; k < 40000; k++)
		op_vec_push(&mem, &v, k);
	op_alloc_fail_at(1);
	op_vec_trim(&mem, &v);
	CHECK(op_alloc_failed());
	CHECK(counts_up(&v, 40000));
	CHECK_EQ(v.cap, 65536);
	op_arena_free(&mem);
}

/* A push that fails leaves the vector as it was; the next one goes well. */
TEST(each_alloc_fails)
{
	long rounds = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_arena mem = { .err = OP_IGNORED };
		struct ids v = { 0 }, other = { 0 };

		rounds = k;
		for (uint32_t i = 0; i < 70000; i++) {
			struct ids was = v;

			op_vec_push(&mem, &other, i);
			if (op_vec_push(&mem, &v, i))
				continue;
			CHECK(op_alloc_failed());
			CHECK(!memcmp(&was, &v, sizeof(v)));
			CHECK(counts_up(&v, i));
			CHECK(op_vec_push(&mem, &v, i));
		}
		CHECK(counts_up(&v, 70000));
		CHECK(op_alloc_failed() || counts_up(&other, 70000));
		op_arena_free(&mem);
	}
	CHECK(rounds > 10);
}

TEST_MAIN(growth_doubles, elements_of_any_size, reserve, million_is_few_blocks,
	  limit, capacity_stays_in_the_limit, size_overflow, trim,
	  trim_without_memory, each_alloc_fails)
