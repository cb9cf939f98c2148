// SPDX-License-Identifier: Apache-2.0
#include "fmt/name_list.h"

#include "test.h"

TEST(names)
{
	struct op_name_list l = { 0 };

	CHECK_STR(op_name_list_text(&l), "none");
	op_name_list_add(&l, op_view_z("cycles"), NULL);
	CHECK_STR(op_name_list_text(&l), "cycles");
	op_name_list_add(&l, op_view_z("a\033b"), "kind");
	CHECK_STR(op_name_list_text(&l), "cycles, a?b (kind)");
}

/* Whatever the length of names, they end or go on with "...". */
TEST(full)
{
	for (size_t n = 1; n < 200; n++) {
		struct op_name_list l = { 0 };
		char name[200];

		memset(name, 'x', sizeof(name));
		for (int i = 0; i < 200; i++)
			op_name_list_add(&l, op_view(name, n),
					 i % 2 ? "k" : NULL);
		CHECK(l.n < sizeof(l.text));
		CHECK_EQ(strlen(l.text), l.n);
		CHECK_STR(l.text + l.n - 3, "...");
	}
}

TEST_MAIN(names, full)
