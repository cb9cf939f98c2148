// SPDX-License-Identifier: Apache-2.0
/* Telling pprof from other bytes, and messages of which nothing is left. */
#include "fmt/format.h"
#include "test.h"
#include "write/wire.h"

#define F (&op_format_pprof)

static const struct {
	const char *text;
	int score;
} rows[] = {
	{ "1{1:1 2:2} 6'' 6'cpu' 6'ns'", 90 },
	{ "1{1:1 2:2} 2{1[1] 2[5]} 6'' 6'cpu'", 90 },
	/* Types of which nothing is said. */
	{ "1{} 2{1[1] 2[5]} 6''", 90 },
	{ "2{1[1] 2[5]} 6''", 95 },
	{ "1{1:1 2:2}", 30 },
	{ "6'' 6'a'", 30 },
	{ "13:1 6''", 30 },
	{ "13[1 2] 6''", 30 },
	{ "9:1", 0 },
	/* The first string is empty, types are numbers, and so are others. */
	{ "1{1:1 2:2} 6'cpu'", 0 },
	{ "1'text' 6''", 0 },
	{ "1{3:1} 6''", 0 },
	{ "1:1 6''", 0 },
	{ "9'text' 6''", 0 },
	{ "13@1 6''", 0 },
	/* Cut off. */
	{ "1{1:1 2:2} =32", 20 },
	{ "=32", 0 },
};

TEST(sniffed)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(rows); i++) {
		int score;

		wire_set(&w, rows[i].text);
		score = F->sniff(wire_view(&w));
		if (score != rows[i].score)
			TEST_FAIL("%s: %d, not %d", rows[i].text, score,
				  rows[i].score);
	}
}

static int drop(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	++*(int *)ctx;
	op_model_free(m);
	return OP_OK;
}

/* A message without samples has to be one of pprof at least. */
TEST(empty)
{
	static struct wire w;
	struct op_err err = { 0 };
	int nr = 0;

	wire_set(&w, "1{1:1 2:2} 6'' 6'cpu' 6'ns'");
	CHECK_EQ(F->read(wire_view(&w), NULL, drop, &nr, &err), OP_OK);
	CHECK_EQ(nr, 1);
	wire_set(&w, "6'' 70'what pprof has no field for'");
	CHECK_EQ(F->read(wire_view(&w), NULL, drop, &nr, &err), OP_EFORMAT);
	CHECK_STR(err.text,
		  "no samples, and most of it has no meaning in pprof");
	CHECK_EQ(nr, 1);
}

TEST_MAIN(sniffed, empty)
