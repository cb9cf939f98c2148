// SPDX-License-Identifier: Apache-2.0
#include "perf_fixture.h"

static void add(void *ctx, struct op_view kind, uint64_t count, uint64_t bytes)
{
	char *text = ctx;
	size_t n = strlen(text);

	/* How small packed records are is up to the library. */
	if (op_view_is(kind, "COMPRESSED"))
		bytes = 0;
	snprintf(text + n, 1000 - n, "%.*s %llu %llu\n", (int)kind.n,
		 (const char *)kind.p, (unsigned long long)count,
		 (unsigned long long)bytes);
}

static const struct row rows[] = {
	{ "events, then other records",
	  "event cycles has=ip+time+id\nevent faults has=ip+time+id\n"
	  "comm 1/1 a\ncomm 1/1 b\nround\nround\nround\n"
	  "sample 0 #1 @1\nsample 0 #2 @1\nsample 0 #2 @1\n",
	  "faults 2 64\ncycles 1 32\nFINISHED_ROUND 3 24\nCOMM 2 80\n" },
	{ "packed ones too",
	  "event cycles has=ip+time\npack\nsample 0 @1\nsample 0 @2\nflush 3\n"
	  "flush\nplain\nrecord 999 0 1\n",
	  "cycles 2 48\nCOMPRESSED 2 0\nother records 1 16\n" },
	{ "broken", "event cycles has=ip+time\nbytes 1i\n",
	  "error: invalid record size: 0 bytes, 4 are left\n" },
	{ "a sample of nobody's",
	  "event a has=ip+time+id\nevent b has=ip+time+id\nrecord 9 2 1 5 9\n",
	  "SAMPLE 1 32\n" },
};

TEST(count)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		char text[1000] = "";
		struct op_err err = { 0 };
		struct perf p;

		perf_begin(&p, "file");
		perf_lines(&p, rows[i].lines);
		if (op_format_perf.info(perf_end(&p), add, text, &err))
			snprintf(text, sizeof(text), "error: %.200s\n",
				 err.text);
		CHECK_STR(text, rows[i].want);
		perf_free(&p);
	}
}

TEST(oom)
{
	struct perf p;

	perf_begin(&p, "pipe");
	perf_lines(&p, rows[1].lines);
	perf_end(&p);
	EACH_ALLOC_FAILS(k) {
		char text[1000] = "";
		struct op_err err = { 0 };

		op_format_perf.info(op_view(p.out.p, p.out.n), add, text, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
	}
	perf_free(&p);
}

TEST_MAIN(count, oom)
