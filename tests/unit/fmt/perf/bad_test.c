// SPDX-License-Identifier: Apache-2.0
/* What the reader refuses, each with one sentence and its place, and what it
 * makes of it if asked to. */
#include "perf_fixture.h"

#define EVENT "event cpu-clock has=ip+tid+time\n"
#define SAMPLE "sample 0/0 @5 ip=1\n"
/* Records begin at 256: the head, an event of 144 bytes, an id. */

static const struct row heads[] = {
	{ "another size", EVENT SAMPLE "head 8 100\n",
	  "error: a header of 100 bytes, expected 104 or 16 at 8\n" },
	{ "no events", "round\n", "error: no events at 24\n" },
	{ "events past the end", EVENT SAMPLE "head 32 100000\n",
	  "error: the events are outside the file at 24\n" },
	{ "events far past the end", EVENT SAMPLE "head 24 -1\n",
	  "error: the events are outside the file at 24\n" },
	{ "events of no size", EVENT SAMPLE "head 16 0\n",
	  "error: the events are outside the file at 24\n" },
	{ "events that are too small", EVENT SAMPLE "head 16 40\n",
	  "error: an event description of 24 bytes is too short at 104\n" },
	{ "ids past the end",
	  "event cpu-clock branch=0x7fffffff has=ip+tid+time\n" SAMPLE
	  "head 16 88\n",
	  "error: the ids of an event are outside the file at 176\n" },
	{ "an event in few bytes",
	  "event cpu-clock bytes=56 has=ip+time\n"
	  "sample 0 @5 ip=1\n",
	  "error: an event description of 56 bytes is too short at 104\n" },
	{ "records past the end", EVENT SAMPLE "head 40 100000\n",
	  "error: the records are outside the file at 40\n" },
	{ "no size of the records", EVENT SAMPLE "head 48 0\n",
	  "error: the recording is not complete: --recover reads the "
	  "intact part at 48\n" },
	{ "more records than there are", EVENT SAMPLE "head 48 100000\n",
	  "error: the recording is not complete: --recover reads the "
	  "intact part at 48\n" },
};

TEST(head)
{
	CHECK_ROWS(heads);
}

static const struct row records[] = {
	{ "of no size", EVENT "bytes 9i 0s 0s\n",
	  "error: invalid record size: 0 bytes, 8 are left at 256\n" },
	{ "of less than its head", EVENT "bytes 9i 0s 7s\n",
	  "error: invalid record size: 7 bytes, 8 are left at 256\n" },
	{ "past the end", EVENT SAMPLE "bytes 9i 0s 100s\n",
	  "error: invalid record size: 100 bytes, 8 are left at 288\n" },
	{ "half a head", EVENT SAMPLE "bytes 9i\n",
	  "error: invalid record size: 0 bytes, 4 are left at 288\n" },
	{ "a sample", EVENT "record 9 2 1 2\n",
	  "error: truncated sample at 256\n" },
	{ "a chain that lies",
	  "event cpu-clock has=time+chain\n"
	  "record 9 2 5 1000000 1\n",
	  "error: truncated sample at 256\n" },
	{ "a chain of 2^61",
	  "event cpu-clock has=time+chain\n"
	  "record 9 2 5 0x2000000000000001 1\n",
	  "error: truncated sample at 256\n" },
	{ "raw data that lies",
	  "event cpu-clock has=time+raw\n"
	  "record 9 2 5 0xffffffffi 1i\n",
	  "error: truncated sample at 256\n" },
	{ "a stack that lies",
	  "event cpu-clock has=time+stack\n"
	  "record 9 2 5 0xfffffffffffffff8 1\n",
	  "error: truncated sample at 256\n" },
	{ "a group that lies",
	  "event cpu-clock read=0xf has=time+read\n"
	  "record 9 2 5 0xffffffffffffffff 1 1\n",
	  "error: truncated sample at 256\n" },
	{ "branches that lie",
	  "event cpu-clock has=time+branch\n"
	  "record 9 2 5 0xaaaaaaaaaaaaaab\n",
	  "error: truncated sample at 256\n" },
	{ "registers that are missing",
	  "event cpu-clock regs=0xff has=time+regs\nrecord 9 2 5 2 1\n",
	  "error: truncated sample at 256\n" },
	{ "a sample of nobody's",
	  "event a has=ip+time+id\nevent b has=ip+time+id\n"
	  "record 9 2 1 5 9\n",
	  "error: a sample of an unknown event at 408\n" },
	{ "a name", EVENT "record 3 0 1\n",
	  "error: truncated thread name at 256\n" },
	{ "a start", EVENT "record 7 0 1 2\n",
	  "error: truncated thread start at 256\n" },
	{ "an end", EVENT "record 4 0 1 2\n",
	  "error: truncated thread end at 256\n" },
	{ "a mapping", EVENT "record 10 2 1 2 3 4 5 6 7\n",
	  "error: truncated mapping at 256\n" },
	{ "a mapping of the older kind", EVENT "record 1 2 1 2 3\n",
	  "error: truncated mapping at 256\n" },
	{ "a symbol", EVENT "record 17 0 1 2\n",
	  "error: truncated kernel symbol at 256\n" },
	{ "a cgroup", EVENT "record 19 0 1\n",
	  "error: truncated cgroup at 256\n" },
	{ "what was lost", EVENT "record 2 0 1\n",
	  "error: truncated record of lost records at 256\n" },
	{ "samples that were lost", EVENT "record 13 0\n",
	  "error: truncated record of lost records at 256\n" },
	{ "of a type that nobody knows", EVENT "record 999 0 1 2\n" SAMPLE,
	  "samples/count period 1 5+1 cpu-clock since boot\n"
	  "\t?+0x1 @5 swapper 0/0\n" },
};

TEST(record)
{
	CHECK_ROWS(records);
}

static const struct row packs[] = {
	{ "no zstd", EVENT "record 81 0 'abcdefghijklmno'\n",
	  "error: damaged compressed records: Unknown frame descriptor at "
	  "256\n" },
	{ "more than there is", EVENT "record 83 0 9 1\n",
	  "error: truncated compressed records at 256\n" },
	{ "too small for a size", EVENT "record 83 0\n" SAMPLE,
	  "error: truncated compressed records at 256\n" },
	{ "a packed record of no size",
	  EVENT "pack\nrecord 9 0 1\nflush 4\n"
		"plain\n" SAMPLE,
	  "samples/count period 1 5+1 cpu-clock since boot\n"
	  "\t?+0x1 @5 swapper 0/0\n" },
	{ "a sample", EVENT "pack\nrecord 9 0 1\nflush\n",
	  "error: truncated sample at 256\n" },
};

TEST(pack)
{
	CHECK_ROWS(packs);
}

#define READ                                                \
	"samples/count period 1 5+1 cpu-clock since boot\n" \
	"\t?+0x1 @5 swapper 0/0\n"
#define SKIPPED(nr, bytes) "damaged places: " nr ", " bytes " bytes skipped"

static const struct {
	struct row row;
	const char *note;
} recovered[] = {
	{ { "no size of the records",
	    "with recover=yes\n" EVENT SAMPLE "head 48 0\nhead 72 0\ncut 178\n",
	    "samples/count period 1 5+1 cpu-clock since boot\n"
	    "\t?+0x1 @5 swapper 0/0\n" },
	  SKIPPED("1", "0") },
	{ { "cut off", "with recover=yes\n" EVENT SAMPLE SAMPLE "cut 200\n",
	    READ },
	  SKIPPED("2", "10") },
	{ { "a sample that makes no sense",
	    "with recover=yes\n" EVENT "record 9 2 1\n" SAMPLE, READ },
	  SKIPPED("1", "16") },
	{ { "where one cannot go on",
	    "with recover=yes\n" EVENT SAMPLE "bytes 9i 0s 0s 1 2 3\n", READ },
	  SKIPPED("1", "32") },
	{ { "packed records",
	    "with recover=yes\n" EVENT SAMPLE "record 81 0 'abcdefg'\n", READ },
	  SKIPPED("1", "16") },
	{ { "nothing is wrong", "with recover=yes\n" EVENT SAMPLE, READ }, "" },
	{ { "not asked for", "with recover=maybe\n" EVENT SAMPLE,
	    "error: --recover takes yes or no, not 'maybe'\n" },
	  "" },
};

TEST(recover)
{
	for (size_t i = 0; i < op_countof(recovered); i++) {
		check_row(&recovered[i].row, "file");
		CHECK_STR(perf_note, recovered[i].note);
	}
}

/* Wherever it is cut, it is refused with a place, or recovered. */
TEST(cut)
{
	struct perf p;
	struct op_view file;

	perf_begin(&p, "file");
	perf_lines(&p, EVENT "mmap 10 0x1000+0x10@0 /bin/x @1\n" SAMPLE
			     "feature 3 text\"host\"\nbuildid /bin/x 01\n"
			     "pack\n" SAMPLE "flush\n");
	file = perf_end(&p);
	for (size_t n = 0; n <= file.n; n++) {
		struct op_model m;
		struct op_err err;

		if (read_with(&m, op_view(file.p, n), NULL, &err))
			CHECK(err.code == OP_EFORMAT && err.has_at &&
			      err.at <= n);
		op_model_free(&m);
		read_with(&m, op_view(file.p, n), "recover=yes", &err);
		CHECK(!err.code || n < 256);
		op_model_free(&m);
	}
	perf_free(&p);
}

static const struct {
	const char *bytes;
	size_t n;
	int score;
} sniffs[] = {
	{ "PERFILE2\x68\0\0\0\0\0\0\0", 16, 100 },
	{ "2ELIFREP\0\0\0\0\0\0\0\x10", 16, 100 },
	{ "PERFILE2", 8, 0 },
	{ "PERFILE3\x68\0\0\0\0\0\0\0", 16, 0 },
	{ "", 0, 0 },
};

TEST(sniff)
{
	for (size_t i = 0; i < op_countof(sniffs); i++)
		CHECK_EQ(op_format_perf.sniff(
				 op_view(sniffs[i].bytes, sniffs[i].n)),
			 sniffs[i].score);
}

TEST_MAIN(head, record, pack, recover, cut, sniff)
