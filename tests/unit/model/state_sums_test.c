// SPDX-License-Identifier: Apache-2.0
#include "model/state_sums.h"

#include "model/filter.h"
#include "test.h"
#include "write/sketch.h"

static const struct {
	const char *name;
	struct sketch s;
	struct op_filter_opts o;
	const char *text; /* what is left */
} rows[] = {
	{ "states together",
	  { .samples = "x;f 10@1 30@5\ny;f 2@3", .type = "inuse_space" },
	  { .edit.show_from = "^f$" },
	  "\tf 10@1 12@3 32@5\n" },
	{ "their sum is that of the latest",
	  { .samples = "x;f 10@1 30@5\ny;f 2@3", .type = "inuse_space" },
	  { .edit.show_from = "^f$", .aggregate = true },
	  "\tf 32\n" },
	{ "of hidden frames too",
	  { .samples = "x;f 10@5\ny;f 2@3", .type = "inuse_space" },
	  { .edit.hide = "^[xy]$", .aggregate = true },
	  "\tf 12\n" },
	{ "and of a function that calls itself",
	  { .samples = "f;f 10@5\nf 2@3", .type = "inuse_space" },
	  { .edit.collapse = true, .aggregate = true },
	  "\tf 12\n" },
	{ "what stays apart is as it was",
	  { .samples = "x;f 10@1 3@5\nx;g 2@3", .type = "inuse_space" },
	  { .edit.hide = "^x$", .aggregate = true },
	  "\tf 3\n\tg 2\n" },
	{ "in a range of time",
	  { .samples = "x;f 10@1 30@5\ny;f 2@3", .type = "inuse_space" },
	  { .edit.show_from = "^f$", .aggregate = true, .range = { 2, 5 } },
	  "\tf 2\n" },
	{ "flows are added",
	  { .samples = "x;f 10@1 30@5\ny;f 2@3" },
	  { .edit.show_from = "^f$", .aggregate = true },
	  "\tf 42\n" },
};

TEST(of_edited_stacks)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_model m, out = { 0 };
		const char *text;

		sketch_one(&m, &rows[i].s);
		CHECK_EQ(op_filter(&m, &rows[i].o, &out, &err), OP_OK);
		text = strchr(sketch_text(&out), '\t');
		if (!text || strcmp(text, rows[i].text))
			TEST_FAIL("%s: %s", rows[i].name, text ? text : "");
		op_model_free(&out);
		op_model_free(&m);
	}
}

/* A state is one, however often it stands there; sums that do not fit are held
 * at the ends. */
TEST(values)
{
	static const struct {
		uint32_t stack;
		struct op_state_value v;
		int64_t want;
	} values[] = {
		{ 1, { 1, INT64_MAX, 0, 0 }, INT64_MAX },
		{ 2, { 2, INT64_MAX, 0, 0 }, INT64_MAX },
		{ 1, { 3, -7, 0, 0 }, INT64_MAX - 7 },
		{ 2, { 4, INT64_MIN, 0, 0 }, INT64_MIN },
		{ 3, { 1, 5, 1, 0 }, 5 },
		{ 3, { 1, 6, 1, 0 }, 6 },
	};
	struct op_state_sums s = { 0 };
	struct op_err err = { 0 };

	for (size_t i = 0; i < op_countof(values); i++)
		op_state_sums_add(&s,
				  (struct op_identity){ values[i].stack, 0, 0 },
				  values[i].v, &err);
	CHECK_EQ(op_state_sums_make(&s, &err), OP_OK);
	CHECK_EQ(s.list.n, op_countof(values));
	for (size_t i = 0; i < s.list.n; i++)
		CHECK_EQ(s.list.p[i].value, values[i].want);
	op_state_sums_free(&s);
}

TEST(oom)
{
	struct op_model m;

	sketch_one(&m, &rows[0].s);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model out = { 0 };

		CHECK(!op_filter(&m, &rows[0].o, &out, &err) ||
		      err.code == OP_ENOMEM);
		op_model_free(&out);
	}
	op_model_free(&m);
}

TEST_MAIN(of_edited_stacks, values, oom)
