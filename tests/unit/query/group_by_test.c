// SPDX-License-Identifier: Apache-2.0
#include "query/group_by.h"

#include "test.h"
#include "write/sketch.h"

enum { FUNCTION = OP_FRAME_FUNCTION, FILE_ = OP_FRAME_FILE };

static const struct {
	const char *text;
	int code;
	unsigned int frame;
	uint32_t nr_labels;
} rows[] = {
	{ NULL, OP_OK, FUNCTION, 0 },
	{ "function", OP_OK, FUNCTION, 0 },
	{ "line", OP_OK, FUNCTION | FILE_ | OP_FRAME_LINE, 0 },
	{ "file", OP_OK, FILE_, 0 },
	{ "module", OP_OK, OP_FRAME_MODULE, 0 },
	{ "thread", OP_OK, 0, 1 },
	{ "thread,function", OP_OK, FUNCTION, 1 },
	{ "service,http.route,module", OP_OK, OP_FRAME_MODULE, 2 },
	{ "", OP_EUSAGE, 0, 0 },
	{ "thread,", OP_EUSAGE, 0, 1 },
	{ ",thread", OP_EUSAGE, 0, 0 },
	{ "a,b,c,d,e,f,g,h", OP_OK, 0, 8 },
	{ "a,b,c,d,e,f,g,h,i", OP_EUSAGE, 0, 8 },
};

TEST(reads_labels)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_group_by g;
		int before = test_failed;

		CHECK_EQ(op_group_by_parse(&g, rows[i].text, &err),
			 rows[i].code);
		CHECK_EQ(g.frame, rows[i].frame);
		CHECK_EQ(g.nr_labels, rows[i].nr_labels);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].text);
	}
}

/* Only labels that samples have. */
TEST(checks_labels)
{
	static const struct {
		const char *by;
		bool want;
	} checked[] = {
		{ "thread", true },   { "http.route", true },
		{ "function", true }, { "quality", true },
		{ "trace", false },   { "thread,nosuch", false },
	};
	struct sketch s = { .samples = "a 1 thread.name=t http.route=/" };
	struct op_model m;

	sketch_one(&m, &s);
	for (size_t i = 0; i < op_countof(checked); i++) {
		struct op_err err = { 0 };
		struct op_group_by g;

		CHECK_EQ(op_group_by_parse(&g, checked[i].by, &err), OP_OK);
		CHECK_EQ(op_group_by_check(&g, &m, &err),
			 checked[i].want ? OP_OK : OP_EUSAGE);
	}
	op_model_free(&m);
}

TEST_MAIN(reads_labels, checks_labels)
