// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include "test.h"

TEST(has_each_text_once)
{
	struct op_text_table t = { 0 };
	struct op_err err = { 0 };
	char text[] = "two";

	CHECK_EQ(op_text_put(&t, op_view_z("one"), &err), 0);
	CHECK_EQ(op_text_copy(&t, op_view_z(text), &err), 1);
	text[0] = 'T';
	CHECK_EQ(op_text_copy(&t, op_view_z(text), &err), 2);
	CHECK_EQ(op_text_put(&t, op_view_z("two"), &err), 1);
	CHECK_EQ(op_text_copy(&t, op_view_z(""), &err), 3);
	CHECK_EQ(op_text_put(&t, (struct op_view){ 0 }, &err), 3);
	CHECK_EQ(op_text_find(&t, op_view_z("Two")), 2);
	CHECK_EQ(op_text_find(&t, op_view_z("three")), OP_NO_ID);
	CHECK(op_view_is(op_text(&t, 1), "two"));
	CHECK(op_view_is(op_text(&t, 2), "Two"));
	CHECK_EQ(err.code, OP_OK);
	op_text_table_free(&t);
}

TEST(says_that_there_is_no_memory)
{
	for (long k = 1; k <= 3; k++) {
		struct op_text_table t = { 0 };
		struct op_err err = { 0 };

		op_alloc_fail_at(k);
		op_text_copy(&t, op_view_z("text"), &err);
		CHECK(!op_alloc_failed() || err.code == OP_ENOMEM);
		op_alloc_fail_at(0);
		op_text_table_free(&t);
	}
}

TEST_MAIN(has_each_text_once, says_that_there_is_no_memory)
