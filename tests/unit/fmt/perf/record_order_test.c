// SPDX-License-Identifier: Apache-2.0
/* The order of records, and packed ones. */
#include "perf_fixture.h"

#define EVENT "event cpu-clock has=ip+tid+time\n"
#define MAP "mmap 10 0x1000+0x1000@0x400 /bin/x @1\n"

static const struct row orders[] = {
	{ "by time",
	  EVENT "sample 0/0 @9 ip=9\nsample 0/0 @5 ip=5\n"
		"sample 0/0 @7 ip=7\n",
	  "samples/count period 1 5+5 cpu-clock since boot\n"
	  "\t?+0x5 @5 swapper 0/0\n\t?+0x7 @7 swapper 0/0\n"
	  "\t?+0x9 @9 swapper 0/0\n" },
	{ "at the same time as in the file",
	  EVENT "sample 0/0 @5 ip=9\nsample 0/0 @3 ip=1\nsample 0/0 @5 ip=2\n"
		"sample 0/0 @5 ip=4\n",
	  "samples/count period 1 3+3 cpu-clock since boot\n"
	  "\t?+0x1 @3 swapper 0/0\n\t?+0x9 @5 swapper 0/0\n"
	  "\t?+0x2 @5 swapper 0/0\n\t?+0x4 @5 swapper 0/0\n" },
	{ "a mapping that stands behind its sample",
	  EVENT "sample 10/10 @5 ip=0x1010\n" MAP,
	  "samples/count period 1 5+1 cpu-clock since boot\n"
	  "\tx+0x410 @5 10/10 process.executable.name=x\n" },
	{ "a round later",
	  EVENT "sample 10/10 @5 ip=0x1010\nround\n"
		"mmap 10 0x1000+0x1000@0x400 /bin/x @4\nround\nround\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n"
	  "\tx+0x410 @5 10/10 process.executable.name=x\n" },
	{ "two rounds later it is too late",
	  EVENT "sample 10/10 @5 ip=0x1010\nround\nround\n"
		"mmap 10 0x1000+0x1000@0x400 /bin/x @4\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n"
	  "\t?+0x1010 @5 10/10\n" },
	{ "without a time it is from before",
	  EVENT "sample 10/10 @5 ip=0x1010\n"
		"mmap 10 0x1000+0x1000@0x400 /bin/x\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n"
	  "\tx+0x410 @5 10/10 process.executable.name=x\n" },
};

TEST(order)
{
	CHECK_ROWS(orders);
}

/* Any number of runs of any length. */
TEST(runs)
{
	for (unsigned int nr = 1; nr < 40; nr += 3) {
		struct op_model m;
		struct op_err err;
		struct perf p;
		uint64_t last = 0;

		perf_begin(&p, "file");
		perf_lines(&p, EVENT);
		for (unsigned int i = 0; i < 100; i++) {
			char line[64];

			snprintf(line, sizeof(line), "sample 0/0 @%u ip=1\n",
				 1 + i % nr * 100 + i / nr);
			perf_lines(&p, line);
			if (i % 50 == 49)
				perf_lines(&p, "round\n");
		}
		CHECK_EQ(read_with(&m, perf_end(&p), NULL, &err), 0);
		CHECK_EQ(op_profile_observations(m.resources->scopes->profiles),
			 100);
		for (unsigned int i = 0; i < 100; i++) {
			uint64_t t = m.resources->scopes->profiles->times[i];

			CHECK(t >= last);
			last = t;
		}
		op_model_free(&m);
		perf_free(&p);
	}
}

#define PACKED                                              \
	"samples/count period 1 5+3 cpu-clock since boot\n" \
	"\tx+0x410 @5 @7 10/10 process.executable.name=x\n"

static const struct row packs[] = {
	{ "packed",
	  EVENT "pack\n" MAP "sample 10/10 @5 ip=0x1010\n"
		"sample 10/10 @7 ip=0x1010\nflush\n",
	  PACKED },
	{ "some of them",
	  EVENT MAP "sample 10/10 @7 ip=0x1010\n"
		    "pack\nsample 10/10 @5 ip=0x1010\nflush\n",
	  PACKED },
	{ "one stream in several records",
	  EVENT "pack\n" MAP "flush\nsample 10/10 @5 ip=0x1010\nflush\n"
		"sample 10/10 @7 ip=0x1010\nflush\n",
	  PACKED },
	{ "a record in two",
	  EVENT "pack\n" MAP "sample 10/10 @5 ip=0x1010\n"
		"sample 10/10 @7 ip=0x1010\n"
		"flush 100\nflush 7\nflush\n",
	  PACKED },
	{ "a head in two",
	  EVENT "pack\n" MAP "flush 3\nflush 2\n"
		"sample 10/10 @5 ip=0x1010\n"
		"sample 10/10 @7 ip=0x1010\nflush\n",
	  PACKED },
	{ "others between",
	  EVENT "pack\n" MAP "flush 20\nplain\n"
		"sample 10/10 @7 ip=0x1010\npack\n"
		"sample 10/10 @5 ip=0x1010\nflush\n",
	  PACKED },
	{ "the other kind of record",
	  EVENT "pack\n" MAP "flush2\nsample 10/10 @5 ip=0x1010\n"
		"sample 10/10 @7 ip=0x1010\nflush2\n",
	  PACKED },
	{ "with rounds",
	  EVENT "pack\n" MAP "flush\nplain\nround\npack\n"
		"sample 10/10 @5 ip=0x1010\nflush\nplain\n"
		"round\npack\nsample 10/10 @7 ip=0x1010\n"
		"flush\nplain\nround\nround\nround\n",
	  PACKED },
	{ "the end is missing",
	  EVENT "pack\n" MAP "sample 10/10 @5 ip=0x1010\n"
		"sample 10/10 @7 ip=0x1010\n"
		"sample 10/10 @9 ip=0x1010\nflush 168\n",
	  PACKED },
};

TEST(pack)
{
	CHECK_ROWS(packs);
	for (size_t i = 0; i < op_countof(packs); i++)
		check_row(&packs[i], "pipe big");
}

TEST_MAIN(order, runs, pack)
