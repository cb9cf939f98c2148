// SPDX-License-Identifier: Apache-2.0
/* Asserts are on even where NDEBUG switches those of the C library off. */
#define NDEBUG 1
#include "base/assert.h"

#include "child.h"

static void claim(const void *ctx)
{
	const bool *holds = ctx;

	op_assert(*holds);
}

TEST(what_holds_says_nothing)
{
	char said[256];
	int status = child_run(claim, &(bool){ true }, said, sizeof(said));

	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(!*said);
}

TEST(what_does_not_hold_aborts)
{
	char said[256];
	int status = child_run(claim, &(bool){ false }, said, sizeof(said));

	CHECK(child_aborted(status));
	CHECK(strstr(said, "assert_test.c:"));
	CHECK(strstr(said, "this cannot happen: !(*holds)"));
}

/* The condition is evaluated once, and the else is that of the if. */
TEST(is_one_statement)
{
	int n = 0;

	if (n == 0)
		op_assert(++n == 1);
	else
		n = 5;
	CHECK_EQ(n, 1);
}

TEST_MAIN(what_holds_says_nothing, what_does_not_hold_aborts, is_one_statement)
