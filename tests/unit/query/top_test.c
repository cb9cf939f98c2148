// SPDX-License-Identifier: Apache-2.0
#include "query/top.h"

#include "test.h"
#include "write/sketch.h"

/* Rows as "flat cum text" lines, in their order. */
static void expect(const struct sketch *s, size_t n, const char *by_text,
		   const char *text)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_group_by by;
	struct op_model m = { 0 };
	struct op_top t = { 0 };

	CHECK_EQ(sketch_model(&m, s, n, &err), OP_OK);
	CHECK_EQ(op_group_by_parse(&by, by_text, &err), OP_OK);
	CHECK_EQ(op_top_build(&t, &m, m.resources[0].scopes[0].profiles, &by,
			      &err),
		 OP_OK);
	op_top_sort(&t, OP_TOP_FLAT);
	for (size_t i = 0; i < t.rows.n; i++) {
		const struct op_top_row *r = &t.rows.p[i];

		op_buf_printf(&out, "%lld %lld", (long long)r->flat,
			      (long long)r->cum);
		for (uint32_t k = 0; k < by.nr_labels; k++) {
			op_buf_byte(&out, ' ');
			op_buf_view(&out,
				    op_group_text(&t.groups, r->group, k));
		}
		op_buf_byte(&out, ' ');
		op_buf_view(&out, op_top_name(&t, r));
		op_buf_byte(&out, '\n');
	}
	op_buf_byte(&out, 0);
	CHECK_STR((const char *)out.p, text);
	op_buf_free(&out);
	op_top_free(&t);
	op_model_free(&m);
}

/* A function that calls itself counts once; what has no stack has a row; other
 * types do not count, other resources do. */
TEST(functions)
{
	static const struct sketch s[] = {
		{ .samples = "main;f;f 5\nmain 2\n- 1" },
		{ .samples = "main 9", .type = "wall" },
		{ .samples = "main;g 3", .resource = "service.name=b" },
	};

	expect(s, op_countof(s), NULL,
	       "5 5 f\n3 3 g\n2 10 main\n1 1 (no stack)\n");
}

TEST(labels)
{
	static const struct sketch s[] = {
		{ .samples = "main;f 5 thread.name=a\nmain 2 thread.name=b\n"
			     "main;g 4" },
	};

	expect(s, 1, "thread", "5 5 a \n4 4 (no thread) \n2 2 b \n");
	expect(s, 1, "thread,function",
	       "5 5 a f\n4 4 (no thread) g\n2 2 b main\n0 5 a main\n"
	       "0 4 (no thread) main\n");
}

TEST_MAIN(functions, labels)
