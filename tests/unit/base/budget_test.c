// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include "base/arena.h"
#include "base/buf.h"
#include "test.h"

/* 10 MB of input: below 1 GB and, at a nanosecond a step, below 5 s. */
TEST(limits_of_ten_megabytes)
{
	struct op_budget b = { .input = 10000000, .times = 1 };

	CHECK(op_budget_memory(&b) < 1000000000);
	CHECK(op_budget_work(&b) < 5 * UINT64_C(1000000000));
	b.times = 3;
	CHECK(op_budget_memory(&b) > 2000000000);
	b.times = 0;
	CHECK_EQ(op_budget_memory(&b), UINT64_MAX);
	b = (struct op_budget){ .input = UINT64_MAX, .times = 1 };
	CHECK_EQ(op_budget_work(&b), UINT64_MAX);
}

TEST(memory_is_counted_and_given_back)
{
	struct op_budget b = { .times = 1 };
	struct op_budget *before = op_budget_use(&b);
	struct op_err err = { 0 };
	struct op_buf buf = { .err = &err };
	struct op_arena mem = { .err = OP_IGNORED };
	uint8_t *p;

	CHECK(!before);
	op_buf_reserve(&buf, 1 << 20);
	CHECK(b.memory >= 1 << 20);
	p = op_arena_alloc(&mem, 1 << 20);
	p = op_arena_resize(&mem, p, 1 << 20, 8 << 20);
	CHECK(b.memory >= 9 << 20);
	op_arena_resize(&mem, p, 8 << 20, 1 << 20);
	CHECK(b.memory < 3 << 20);
	CHECK(op_arena_alloc(&mem, 100));
	op_arena_free(&mem);
	op_buf_free(&buf);
	CHECK(b.memory <= 0);
	CHECK(b.peak >= 9 << 20);
	CHECK(op_budget_use(before) == &b);
}

/* The one that is refused is as it was, and the sentence names the option. */
TEST(memory_ends)
{
	struct op_budget b = { .times = 1 };
	struct op_budget *before = op_budget_use(&b);
	struct op_err err = { 0 };
	struct op_buf buf = { .err = &err };
	struct op_err of_arena = { 0 };
	struct op_arena mem = { .err = &of_arena };
	size_t most = op_budget_memory(&b);

	CHECK(!op_arena_alloc(&mem, most + 1));
	CHECK_EQ(of_arena.code, OP_ENOMEM);
	CHECK(strstr(of_arena.text, "--budget"));
	CHECK_EQ(b.memory, 0);
	op_buf_z(&buf, "kept");
	CHECK(!op_buf_reserve(&buf, most));
	CHECK(op_view_is(op_view(buf.p, buf.n), "kept"));
	CHECK_EQ(err.code, OP_ENOMEM);
	CHECK(strstr(err.text, "--budget"));
	op_buf_free(&buf);
	op_budget_use(before);
}

TEST(work_ends)
{
	struct op_budget b = { .times = 1 };
	struct op_budget *before = op_budget_use(&b);
	struct op_err err = { 0 };
	uint64_t most = op_budget_work(&b);

	CHECK(!op_work(most, &err));
	CHECK(!op_budget_is_spent(&err));
	CHECK_EQ(op_work(1, &err), OP_ELIMIT);
	CHECK(op_budget_is_spent(&err));
	CHECK(strstr(err.text, "--budget"));
	/* More input allows more. */
	err = (struct op_err){ 0 };
	op_budget_input(1);
	CHECK(!op_work(0, &err));
	op_budget_use(before);
}

/* Without a budget nothing is limited. */
TEST(none)
{
	struct op_err err = { 0 };

	CHECK(!op_budget());
	CHECK(!op_work(UINT64_MAX, &err));
	CHECK(op_budget_take(SIZE_MAX));
	op_budget_give(SIZE_MAX);
}

TEST_MAIN(limits_of_ten_megabytes, memory_is_counted_and_given_back,
	  memory_ends, work_ends, none)
