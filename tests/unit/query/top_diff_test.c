// SPDX-License-Identifier: Apache-2.0
#include "query/top_diff.h"

#include "test.h"
#include "write/sketch.h"

static const struct sketch was = { .samples = "main;a 10 thread.name=t\n"
					      "main;b 20 thread.name=u" };
static const struct sketch is = { .samples = "main;a 15 thread.name=t\n"
					     "main;c 1 thread.name=t\n"
					     "main 20 thread.name=v" };

static int build(struct op_top_diff *t, struct op_difference *d,
		 const char *by_text, bool normalize, struct op_err *err)
{
	struct op_model before = { 0 }, after = { 0 };
	struct op_group_by by;

	if (!sketch_model(&before, &was, 1, err) &&
	    !sketch_model(&after, &is, 1, err) &&
	    !op_group_by_parse(&by, by_text, err) &&
	    !op_difference_build(d, &before, &after, normalize, err))
		op_top_diff_build(t, d, d->m.resources[0].scopes[0].profiles,
				  &by, err);
	op_model_free(&before);
	op_model_free(&after);
	return err->code;
}

/* "name labels flat before>after cum before>after;" for each row. */
static const char *rows_of(struct op_top_diff *t, enum op_top_order order)
{
	static char text[600];
	struct op_err err = { 0 };
	uint32_t *ids = op_top_diff_sort(t, order, &err);
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; ids && i < t->rows.n; i++) {
		const struct op_top_diff_row *r = &t->rows.p[ids[i]];
		struct op_view name = op_top_diff_name(t, ids[i]), label;

		label = t->side[0].by.nr_labels ?
				op_top_diff_label(t, ids[i], 0) :
				op_view_z("");
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%.*s %.*s %lld>%lld %lld>%lld;",
				      (int)name.n, (const char *)name.p,
				      (int)label.n, (const char *)label.p,
				      (long long)r->flat[0],
				      (long long)r->flat[1],
				      (long long)r->cum[0],
				      (long long)r->cum[1]);
	}
	return text;
}

TEST(rows)
{
	static const struct {
		const char *by;
		enum op_top_order order;
		bool normalize;
		const char *want;
	} rows[] = {
		{ NULL, OP_TOP_FLAT, false,
		  "main  0>20 30>36;b  20>0 20>0;a  10>15 10>15;"
		  "c  0>1 0>1;" },
		{ NULL, OP_TOP_CUM, false,
		  "b  20>0 20>0;main  0>20 30>36;a  10>15 10>15;"
		  "c  0>1 0>1;" },
		{ NULL, OP_TOP_FLAT, true,
		  "b  24>0 24>0;main  0>20 36>36;a  12>15 12>15;"
		  "c  0>1 0>1;" },
		{ "thread", OP_TOP_FLAT, false,
		  " v 0>20 0>20; u 20>0 20>0; t 10>16 10>16;" },
		{ "thread,module", OP_TOP_CUM, false,
		  "(no module) v 0>20 0>20;(no module) u 20>0 20>0;"
		  "(no module) t 10>16 10>16;" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_difference d = { 0 };
		struct op_top_diff t = { 0 };
		struct op_err err = { 0 };

		CHECK_EQ(build(&t, &d, rows[i].by, rows[i].normalize, &err),
			 OP_OK);
		CHECK_STR(rows_of(&t, rows[i].order), rows[i].want);
		op_top_diff_free(&t);
		op_difference_free(&d);
	}
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_difference d = { 0 };
		struct op_top_diff t = { 0 };
		struct op_err err = { 0 };

		if (build(&t, &d, "thread,function", false, &err))
			CHECK_EQ(err.code, OP_ENOMEM);
		op_top_diff_free(&t);
		op_difference_free(&d);
	}
}

TEST_MAIN(rows, oom)
