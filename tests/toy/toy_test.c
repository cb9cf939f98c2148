// SPDX-License-Identifier: Apache-2.0
#include "fmt/format.h"

#include "test.h"

static int total(void *ctx, struct op_model *m, struct op_err *err)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		*(int64_t *)ctx += op_profile_total(w.profile);
	op_model_free(m);
	return err->code;
}

TEST(rows)
{
	static const struct {
		const char *text;
		int64_t total;
		int at; /* of the error; -1: none */
	} rows[] = {
		{ "toy 1\n", 0, -1 },
		{ "toy 1\n12 a\n3 b\n", 15, -1 },
		{ "toy 2\n", 0, 0 },
		{ "toy 1\n12\n", 0, 6 },
		{ "toy 1\n1 a\nx b\n", 0, 10 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		int64_t sum = 0;

		op_format_toy.read(op_view_z(rows[i].text), NULL, total, &sum,
				   &err);
		CHECK_EQ(sum, rows[i].total);
		CHECK_EQ(err.code ? (int)err.at : -1, rows[i].at);
	}
}

TEST_MAIN(rows)
