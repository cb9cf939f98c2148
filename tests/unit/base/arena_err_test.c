// SPDX-License-Identifier: Apache-2.0
/* What an arena records when it runs out. */
#include "test.h"

enum { BIG = OP_ARENA_BIG };

/* Whoever says no, the arena records it, once. */
TEST(refusals_are_recorded)
{
	struct op_err err = { 0 }, first;
	struct op_arena mem = { .err = &err };

	op_alloc_fail_at(1);
	CHECK(!op_arena_alloc(&mem, 40));
	CHECK_EQ(err.code, OP_ENOMEM);
	CHECK_STR(err.text, "no memory for 40 bytes");
	first = err;
	op_alloc_fail_at(1);
	CHECK(!op_arena_alloc(&mem, 50));
	CHECK_STR(err.text, first.text);

	err = (struct op_err){ 0 };
	CHECK(!op_arena_array(&mem, SIZE_MAX, 2));
	CHECK_EQ(err.code, OP_ENOMEM);
	err = (struct op_err){ 0 };
	mem.quota = 1000;
	CHECK(!op_arena_alloc(&mem, 2000));
	CHECK_STR(err.text, "no memory for 2000 bytes");
	err = (struct op_err){ 0 };
	CHECK(!op_arena_calloc(&mem, 3, BIG));
	CHECK_EQ(err.code, OP_ENOMEM);
	op_arena_free(&mem);
}

/* What grows says how large it was to be, and is as it was. */
TEST(refused_growth_is_recorded)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	uint8_t *small = op_arena_alloc(&mem, 40), *big;

	big = op_arena_alloc(&mem, BIG);
	CHECK(small && big && op_arena_alloc(&mem, 8));
	op_alloc_fail_at(1);
	CHECK(!op_arena_resize(&mem, small, 40, 5000));
	CHECK_STR(err.text, "no memory for 5000 bytes");
	err = (struct op_err){ 0 };
	op_alloc_fail_at(1);
	CHECK(!op_arena_resize(&mem, big, BIG, 200 * 1024));
	CHECK_STR(err.text, "no memory for 204800 bytes");
	err = (struct op_err){ 0 };
	mem.quota = mem.used;
	CHECK(!op_arena_resize(&mem, big, BIG, 200 * 1024));
	CHECK_EQ(err.code, OP_ENOMEM);
	op_arena_free(&mem);
}

/* Nobody is told of what was tried only, and the one before is told again. */
TEST(another_error_for_a_block)
{
	struct op_err err = { 0 }, inner = { 0 };
	struct op_arena mem = { .err = &err };

	{
		op_arena_tells(&mem, &inner);
		op_alloc_fail_at(1);
		CHECK(!op_arena_alloc(&mem, 40));
	}
	CHECK_EQ(inner.code, OP_ENOMEM);
	CHECK_EQ(err.code, OP_OK);
	{
		op_arena_tells(&mem, OP_IGNORED);
		op_alloc_fail_at(1);
		CHECK(!op_arena_alloc(&mem, 40));
	}
	CHECK_EQ(err.code, OP_OK);
	CHECK_STR(OP_IGNORED->text, "");
	CHECK(mem.err == &err);
	op_arena_free(&mem);
}

TEST_MAIN(refusals_are_recorded, refused_growth_is_recorded,
	  another_error_for_a_block)
