// SPDX-License-Identifier: Apache-2.0
#include "sym/helper_wire.h"

#include <stdlib.h>

#include "test.h"

static struct op_sym_frame out[OP_LINES_MAX];
static uint8_t room[OP_HELPER_REPLY_MAX];

static const struct op_sym_frame some[] = {
	{ { (const uint8_t *)"_Zx", 3 },
	  { (const uint8_t *)"x()", 3 },
	  { (const uint8_t *)"a.c", 3 },
	  { (const uint8_t *)"/src", 4 },
	  7,
	  3,
	  5 },
	{ .name = { (const uint8_t *)"main", 4 } },
};

static size_t put(void)
{
	size_t n = 0;

	for (size_t i = 0; i < op_countof(some); i++)
		CHECK(op_helper_frame_put(room, &n, sizeof(room), &some[i]));
	return n;
}

TEST(there_and_back)
{
	size_t n = put();

	CHECK_EQ(op_helper_reply_read(op_view(room, n), 2, out), 2);
	CHECK(op_view_eq(out[0].name, some[0].name));
	CHECK(op_view_eq(out[0].readable, some[0].readable));
	CHECK(op_view_eq(out[0].file, some[0].file));
	CHECK(op_view_eq(out[0].dir, some[0].dir));
	CHECK_EQ(out[0].line, 7);
	CHECK_EQ(out[0].column, 3);
	CHECK_EQ(out[0].function_line, 5);
	CHECK(op_view_is(out[1].name, "main"));
	CHECK_EQ(op_helper_reply_read(op_view(room, 0), 0, out), 0);
}

/* Names are cut, and what does not fit is not begun. */
TEST(too_long)
{
	static uint8_t name[OP_HELPER_NAME + 10];
	struct op_sym_frame f = { .name = op_view(name, sizeof(name)) };
	size_t n = 0, before;

	memset(name, 'a', sizeof(name));
	CHECK(op_helper_frame_put(room, &n, sizeof(room), &f));
	CHECK_EQ(op_helper_reply_read(op_view(room, n), 1, out), 1);
	CHECK_EQ(out[0].name.n, OP_HELPER_NAME);
	before = n;
	CHECK(!op_helper_frame_put(room, &n, n + OP_HELPER_NAME, &f));
	CHECK_EQ(n, before);
}

/* Nothing that a helper may say is believed: whatever byte is another one, or
 * missing, views stay inside of the answer. */
TEST(lies)
{
	size_t n = put();

	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *copy = malloc(cut + 1);

		memcpy(copy, room, cut);
		CHECK_EQ(op_helper_reply_read(op_view(copy, cut), 2, out), -1);
		free(copy);
	}
	CHECK_EQ(op_helper_reply_read(op_view(room, n), 1, out), -1);
	CHECK_EQ(op_helper_reply_read(op_view(room, n), 3, out), -1);
	CHECK_EQ(op_helper_reply_read(op_view(room, n), 0, out), -1);
	CHECK_EQ(op_helper_reply_read(op_view(room, sizeof(room)),
				      OP_LINES_MAX + 1, out),
		 -1);
	for (size_t i = 0; i < n; i++) {
		uint8_t *copy = malloc(n);

		memcpy(copy, room, n);
		copy[i] ^= 0xff;
		op_helper_reply_read(op_view(copy, n), 2, out);
		free(copy);
	}
}

TEST_MAIN(there_and_back, too_long, lies)
