// SPDX-License-Identifier: Apache-2.0
#include "pb/shape.h"

#include "test.h"
#include "write/wire.h"

static const struct op_pb_shape inner = { .varint = OP_PB_BITS(1, 3) };
static const struct op_pb_shape outer = {
	.varint = OP_PB_BIT(1),
	.i64 = OP_PB_BIT(2),
	.i32 = OP_PB_BIT(3),
	.len = OP_PB_BIT(4),
	.sub = { { 5, &inner } },
};

static const struct {
	const char *name, *text;
	size_t looked_at, explained;
} rows[] = {
	{ "nothing", "", 0, 0 },
	{ "a number", "1:5", 2, 2 },
	{ "of another type", "2:5", 2, 0 },
	{ "of a field that is not known", "9:5", 2, 0 },
	{ "eight bytes", "2@5", 9, 9 },
	{ "bytes", "4'abc'", 5, 5 },
	{ "a message", "5{ 1:1 3:300 4:1 }", 7, 5 },
	{ "an empty message", "5{}", 0, 0 },
	{ "a message that is broken explains nothing", "5{ 1:1 =0a } 1:5", 5,
	  2 },
	{ "a number where a message is expected", "5:5", 2, 0 },
	{ "numbers past the bits", "32:1 1000:1", 6, 0 },
};

TEST(share)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_pb_share s;

		wire_set(&w, rows[i].text);
		s = op_pb_explain(wire_view(&w), &outer, SIZE_MAX);
		CHECK_EQ(s.looked_at, rows[i].looked_at);
		CHECK_EQ(s.explained, rows[i].explained);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

/* What comes behind the limit is not looked at. */
TEST(limit)
{
	static struct wire w;
	struct op_pb_share s;

	wire_set(&w, "1:1 1:1 1:1 9:1 9:1 9:1 9:1");
	s = op_pb_explain(wire_view(&w), &outer, 6);
	CHECK_EQ(s.looked_at, 6);
	CHECK(op_pb_is_explained(s));
	CHECK(!op_pb_is_explained(
		op_pb_explain(wire_view(&w), &outer, SIZE_MAX)));
}

TEST_MAIN(share, limit)
