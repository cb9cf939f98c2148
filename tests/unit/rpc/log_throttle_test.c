// SPDX-License-Identifier: Apache-2.0
#include "rpc/log_throttle.h"

#include "test.h"

static const uint64_t second = 1000000000;

/* How many a line is about; 0: none is due. */
static uint64_t told(struct op_log_throttle *t, enum op_trouble kind,
		     uint64_t nr, uint64_t at_s)
{
	uint64_t all = 0;

	return op_log_throttle_due(t, kind, nr, at_s * second, &all) ? all : 0;
}

TEST(once_a_minute)
{
	struct op_log_throttle t = { 0 };
	char line[OP_TOLD_TEXT];

	CHECK_EQ(told(&t, OP_TROUBLE_FULL, 1, 5), 1);
	CHECK_EQ(told(&t, OP_TROUBLE_FULL, 2, 6), 0);
	CHECK_EQ(told(&t, OP_TROUBLE_LATE, 3, 6), 3);
	CHECK_EQ(told(&t, OP_TROUBLE_FULL, 4, 64), 0);
	CHECK_EQ(told(&t, OP_TROUBLE_FULL, 1, 65), 7);
	CHECK(!op_log_throttle_rest(&t, OP_TROUBLE_FULL, line));
	CHECK_EQ(told(&t, OP_TROUBLE_FULL, 9, 66), 0);
	CHECK(op_log_throttle_rest(&t, OP_TROUBLE_FULL, line));
	CHECK_STR(line, "more messages dropped at a limit: 9");
}

/* Where there is no room for a line it is told with the next. */
TEST(too_many_at_once)
{
	struct op_log_throttle t = { .nr_lines = OP_TOLD_LINES };

	CHECK_EQ(told(&t, OP_TROUBLE_FULL, 1, 5), 0);
	t.nr_lines = 0;
	CHECK_EQ(told(&t, OP_TROUBLE_FULL, 1, 5), 2);
	CHECK_EQ(t.nr_lines, 1);
}

TEST_MAIN(once_a_minute, too_many_at_once)
