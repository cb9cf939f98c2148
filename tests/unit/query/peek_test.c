// SPDX-License-Identifier: Apache-2.0
#include "query/peek.h"

#include "test.h"
#include "write/sketch.h"

static void put_calls(struct op_buf *out, const struct op_peek *p,
		      const struct op_peek_call *calls, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		op_buf_z(out, i ? " " : "");
		op_buf_view(out, op_peek_name(p, calls[i].name));
		op_buf_printf(out, " %lld", (long long)calls[i].value);
	}
}

/* Rows as "callers > name flat/cum > callees" lines. */
static void expect(const char *samples, const char *pattern, const char *text)
{
	const struct sketch s = { .samples = samples };
	struct op_err err = { 0 };
	struct op_regex *re = op_regex_new(pattern, &err);
	struct op_buf out = { .err = &err };
	struct op_peek p = { 0 };
	struct op_model m;

	sketch_one(&m, &s);
	CHECK_EQ(op_peek_build(&p, &m, m.resources[0].scopes[0].profiles,
			       OP_FRAME_FUNCTION, re, &err),
		 OP_OK);
	for (size_t i = 0; i < p.rows.n; i++) {
		const struct op_peek_row *r = &p.rows.p[i];

		put_calls(&out, &p, p.callers.p + r->first_caller,
			  r->nr_callers);
		op_buf_z(&out, " > ");
		op_buf_view(&out, op_peek_name(&p, r->name));
		op_buf_printf(&out, " %lld/%lld > ", (long long)r->flat,
			      (long long)r->cum);
		put_calls(&out, &p, p.callees.p + r->first_callee,
			  r->nr_callees);
		op_buf_byte(&out, '\n');
	}
	op_buf_byte(&out, 0);
	CHECK_STR((const char *)out.p, text);
	op_buf_free(&out);
	op_regex_free(re);
	op_peek_free(&p);
	op_model_free(&m);
}

TEST(calls)
{
	expect("m;f;g 5\nm;f 2\nn;f;h 3", "f", "m 7 n 3 > f 2/10 > g 5 h 3\n");
	expect("m;f;g 5\nm 2", "m|g", " > m 2/7 > f 5\nf 5 > g 5/5 > \n");
	expect("m;f 5", "none", "");
	expect("m;f 5\nm;f -7 k=v\nm;g 1", "m", " > m 0/-1 > f -2 g 1\n");
}

/* A stack counts once for a pair; a call to itself is none. */
TEST(recursion)
{
	expect("m;f;f;f 5", "f", "m 5 > f 5/5 > \n");
	expect("m;f;g;f;g 4", "f", "g 4 m 4 > f 0/4 > g 4\n");
	expect("f;m;f;m 4\nf;m 1", "f", "m 4 > f 0/5 > m 5\n");
}

TEST_MAIN(calls, recursion)
