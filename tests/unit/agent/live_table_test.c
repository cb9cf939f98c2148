// SPDX-License-Identifier: Apache-2.0
#include "agent/live_table.h"

#include "test.h"

static struct op_live_table table;

static uint64_t address_of(uint64_t i)
{
	return 0x7f0000000000 + 48 * i;
}

static bool add(uint64_t i, uint64_t id)
{
	uint64_t old;
	bool ok = op_live_table_add(&table, address_of(i), id, &old);

	CHECK_EQ(old, 0);
	return ok;
}

TEST(adds_and_takes)
{
	enum { NR = 20000 };
	uint64_t nr_added = 0;

	memset(&table, 0, sizeof(table));
	for (uint64_t i = 1; i <= NR; i++)
		nr_added += add(i, i);
	CHECK_EQ(nr_added, NR);
	for (uint64_t i = 1; i <= NR; i++) {
		CHECK(op_live_maybe(&table, address_of(i)));
		CHECK_EQ(op_live_table_take(&table, address_of(i)), i);
		CHECK_EQ(op_live_table_take(&table, address_of(i)), 0);
	}
	/* Nothing is left that a free() would have to look up. */
	for (uint64_t i = 1; i <= NR; i++)
		CHECK(!op_live_maybe(&table, address_of(i)));
}

TEST(an_unknown_address)
{
	memset(&table, 0, sizeof(table));
	CHECK(!op_live_maybe(&table, 0));
	CHECK_EQ(op_live_table_take(&table, address_of(1)), 0);
	CHECK(add(1, 7));
	CHECK_EQ(op_live_table_take(&table, address_of(2)), 0);
	CHECK_EQ(op_live_table_take(&table, address_of(1)), 7);
}

/* A place that was used before is used again, so that it never fills up with
 * what is gone. */
TEST(places_are_used_again)
{
	memset(&table, 0, sizeof(table));
	for (uint64_t i = 0; i < 4 * OP_LIVE_SLOTS; i++) {
		if (!add(i, i + 1) ||
		    op_live_table_take(&table, address_of(i)) != i + 1) {
			TEST_FAIL("address %llu", (unsigned long long)i);
			return;
		}
	}
}

TEST(a_full_table_says_so)
{
	uint64_t nr = 0;

	memset(&table, 0, sizeof(table));
	for (uint64_t i = 0; i < 2 * OP_LIVE_SLOTS; i++)
		nr += add(i, i + 1);
	CHECK(nr > OP_LIVE_SLOTS / 2 && nr <= OP_LIVE_SLOTS);
}

/* It was freed in a way that nobody saw. */
TEST(an_address_that_comes_again)
{
	uint64_t old;

	memset(&table, 0, sizeof(table));
	CHECK(add(1, 7));
	CHECK(op_live_table_add(&table, address_of(1), 8, &old));
	CHECK_EQ(old, 7);
	CHECK_EQ(op_live_table_take(&table, address_of(1)), 8);
	CHECK_EQ(op_live_table_take(&table, address_of(1)), 0);
}

TEST_MAIN(adds_and_takes, an_unknown_address, places_are_used_again,
	  a_full_table_says_so, an_address_that_comes_again)
