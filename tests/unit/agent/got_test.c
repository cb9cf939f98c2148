// SPDX-License-Identifier: Apache-2.0
#include "agent/got.h"

#include <stdlib.h>

#include "test.h"

static int nr_calls;
/* The compiler does not know what it does. */
static char *(*volatile copy_text)(const char *) = strdup;

static void *counted(size_t n)
{
	nr_calls++;
	return malloc(n);
}

/* This object itself is left alone, and strdup() is of another, which calls
 * malloc() through its table. */
TEST(calls_lead_elsewhere_and_back)
{
	const struct op_got_hook hook = { "malloc", counted };
	const struct op_got_hook original = { "malloc", malloc };
	bool is_pending = true;
	char *text;

	if (OP_SLOW)
		TEST_SKIP("strdup() is the sanitizer's");
	CHECK(op_got_patch(&hook, 1, &is_pending) > 0);
	nr_calls = 0;
	free(malloc(100));
	CHECK(!is_pending);
	CHECK_EQ(nr_calls, 0);
	text = copy_text("a text");
	CHECK_EQ(nr_calls, 1);
	CHECK_STR(text, "a text");
	free(text);
	/* All slots lead there already. */
	CHECK_EQ(op_got_patch(&hook, 1, &is_pending), 0);
	CHECK(op_got_patch(&original, 1, &is_pending) > 0);
	free(copy_text("another"));
	CHECK_EQ(nr_calls, 1);
}

TEST(an_unknown_name)
{
	const struct op_got_hook hook = { "no_such_function", counted };
	bool is_pending;

	CHECK_EQ(op_got_patch(&hook, 1, &is_pending), 0);
}

TEST_MAIN(calls_lead_elsewhere_and_back, an_unknown_name)
