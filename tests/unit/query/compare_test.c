// SPDX-License-Identifier: Apache-2.0
#include "query/compare.h"

#include "test.h"
#include "write/sketch.h"

static struct op_compare_side side_of(const struct op_model *m)
{
	return (struct op_compare_side){ m,
					 m->resources[0].scopes[0].profiles };
}

static const struct {
	const char *a, *b;
	const char *self, *total; /* "name before>after" of each row */
} rows[] = {
	{ "main;f 5\nmain;g 1", "main;f 7\nmain;h 4", "h 0>4 f 5>7 g 1>0",
	  "main 6>11 h 0>4 f 5>7 g 1>0" },
	{ "f 5", "f 5", "", "" },
	{ "", "f 5", "f 0>5", "f 0>5" },
	{ "f 5", "", "f 5>0", "f 5>0" },
	{ "b 1\na 1\nc 1", "b 2\na 0\nc 2", "a 1>0 b 1>2 c 1>2",
	  "a 1>0 b 1>2 c 1>2" },
	{ "f -9223372036854775807", "f 9223372036854775807",
	  "f -9223372036854775807>9223372036854775807",
	  "f -9223372036854775807>9223372036854775807" },
};

static void put_rows(struct op_buf *out, struct op_compare *c, bool by_total)
{
	uint32_t nr = 0;
	uint32_t *ids = op_compare_top(c, by_total, &nr, out->err);

	for (uint32_t i = 0; i < nr; i++) {
		const struct op_compare_row *r = &c->rows.p[ids[i]];
		const int64_t *v = by_total ? r->total : r->self;

		op_buf_z(out, i ? " " : "");
		op_buf_view(out, r->name);
		op_buf_printf(out, " %lld>%lld", (long long)v[0],
			      (long long)v[1]);
	}
	op_buf_byte(out, 0);
}

TEST(compare_rows)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch a = { .samples = rows[i].a };
		struct sketch b = { .samples = rows[i].b };
		struct op_compare c = { 0 };
		struct op_err err = { 0 };
		struct op_model m[2];

		sketch_one(&m[0], &a);
		sketch_one(&m[1], &b);
		CHECK_EQ(op_compare_build(&c, side_of(&m[0]), side_of(&m[1]),
					  &err),
			 OP_OK);
		for (int t = 0; t < 2; t++) {
			struct op_buf text = { .err = &err };

			put_rows(&text, &c, t);
			CHECK_STR((char *)text.p,
				  t ? rows[i].total : rows[i].self);
			op_buf_free(&text);
		}
		op_compare_free(&c);
		op_model_free(&m[0]);
		op_model_free(&m[1]);
	}
}

TEST(each_alloc_fails)
{
	struct sketch s = { .samples = rows[0].a };
	struct op_model m;

	sketch_one(&m, &s);
	EACH_ALLOC_FAILS(k) {
		struct op_compare c = { 0 };
		struct op_err err = { 0 };
		uint32_t nr;

		if (!op_compare_build(&c, side_of(&m), side_of(&m), &err))
			op_compare_top(&c, false, &nr, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_compare_free(&c);
	}
	op_model_free(&m);
}

TEST_MAIN(compare_rows, each_alloc_fails)
