// SPDX-License-Identifier: Apache-2.0
/* Recordings of pipes as older and newer versions of perf write them, and what
 * a reader has to skip of a recording. */
#include "perf_fixture.h"

#define EVENT "event - type=0 period=9 has=ip+time\n"
#define HEAD "samples/count period 9 5+2 cycles since boot\n"
#define SAMPLES "sample 0 @5 ip=1\nsample 0 @6 ip=1\n"
#define READ HEAD "\t?+0x1 @5 @6\n"

/* The same event as a row of the feature that has names: type, bytes, config,
 * period, has, read, flags; the rest of its 128 bytes. */
#define ATTR "0i 128i 0 9 5 0 0x40000 0 0 0 0 0 0 0 0 0 0 "
#define OTHER "0i 128i 0 8 5 0 0x40000 0 0 0 0 0 0 0 0 0 0 "
#define FEATURE(attr) "feature 12 1i 128i " attr "1i text\"slow\" 70\n"

static const struct row events[] = {
	{ "no ids", "event - type=0 period=9 ids= has=ip+time\n" SAMPLES,
	  READ },
	{ "a feature before the event",
	  FEATURE(ATTR) "event - type=0 period=9 ids= has=ip+time\n" SAMPLES,
	  "samples/count period 9 5+2 slow since boot\n\t?+0x1 @5 @6\n" },
	{ "a feature before two events",
	  FEATURE(ATTR) "event - type=0 period=9 ids=70 has=ip+time+id\n"
			"event - type=0 period=9 ids=71 has=ip+time+id\n"
			"sample 0 #70 @5 ip=1\nsample 0 #71 @6 ip=2\n",
	  "samples/count period 9 5+2 slow since boot\n\t?+0x1 @5\n"
	  "samples/count period 9 5+2 cycles since boot\n\t?+0x2 @6\n" },
	{ "a feature of another event",
	  FEATURE(OTHER) "event - type=0 period=9 ids= has=ip+time\n" SAMPLES,
	  "error: a sample of an unknown event at 325\n" },
	{ "a sample without an id is of the first event",
	  "event a has=identifier+ip+time\nevent b has=identifier+ip+time\n"
	  "record 9 2 0 1 5\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n\t?+0x1 @5\n" },
};

TEST(event)
{
	for (size_t i = 0; i < op_countof(events); i++)
		check_row(&events[i], "pipe");
}

/* Name and system of a tracepoint, 113 bytes and 7 up to a multiple of 8. */
#define TRACING                                                                \
	"record 66 0 113i\n"                                                   \
	"bytes 23b 8b 'Dtracing0.5' 0b 8b 4096i 'header_page' 0 "              \
	"'header_event' 0 0i 1i 'probe' 1i 26 'name: main\\nID: 77\\nformat:'" \
	" 0b 0s 0i\n"

static const struct row tracepoints[] = {
	{ "named",
	  TRACING "event - type=2 config=77 has=ip+time\n"
		  "sample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 probe:main since boot\n\t?+0x1 @5\n" },
	{ "of another number",
	  TRACING "event - type=2 config=78 has=ip+time\nsample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 tracepoint:78 since boot\n"
	  "\t?+0x1 @5\n" },
};

TEST(tracepoint)
{
	for (size_t i = 0; i < op_countof(tracepoints); i++)
		check_row(&tracepoints[i], "pipe");
}

#define PLAIN "event - type=0 period=9 has=ip+time\n" SAMPLES

static const struct {
	struct row row;
	const char *how, *note;
} skipped[] = {
	{ { "what perf prints at the end",
	    PLAIN "bytes '[ perf record: Woken up 1 times ]\\n'\ncut 1\n",
	    READ },
	  "pipe",
	  "34 bytes of text after the records skipped" },
	{ { "text, but not in a file",
	    PLAIN "bytes '[ perf record: Woken up 1 times ]\\n'\n",
	    "error: invalid record size: 29216 bytes, 35 are left at 304\n" },
	  "file",
	  "" },
	{ { "not text", PLAIN "bytes '[ perf record: Woken up 1 times ]\\n'\n",
	    "error: invalid record size: 29216 bytes, 35 are left at 208\n" },
	  "pipe",
	  "" },
	{ { "samples of events that are not described",
	    "event - type=0 period=9 has=ip+time+id\n"
	    "event - has=ip+time+id\nrecord 9 2 1 5 9\n"
	    "sample 0 @5 ip=1\nsample 0 @6 ip=1\n",
	    READ },
	  "pipe",
	  "1 samples of unknown events skipped" },
	{ { "records of unknown types", PLAIN "record 999 0 1\n", READ },
	  "file",
	  "1 records of unknown types skipped" },
	{ { "a hardware trace", PLAIN "record 71 0 16 0 0 0 0 0\nbytes 1 2\n",
	    READ },
	  "pipe",
	  "16 bytes of a hardware trace skipped: traces are not decoded" },
};

TEST(skip)
{
	for (size_t i = 0; i < op_countof(skipped); i++) {
		check_row(&skipped[i].row, skipped[i].how);
		CHECK_STR(perf_note, skipped[i].note);
	}
}

/* "PERFFILE", and a head without features. */
static const struct row versions[] = {
	{ "the first", PLAIN "head 0 0x454c494646524550\n", READ },
	{ "the first, without features",
	  PLAIN "head 0 0x454c494646524550\nhead 8 72\n", READ },
	{ "none of these", PLAIN "head 8 80\n",
	  "error: a header of 80 bytes, expected 104 or 16 at 8\n" },
};

TEST(version)
{
	CHECK_ROWS(versions);
}

TEST(oom)
{
	struct perf p;

	perf_begin(&p, "pipe");
	perf_lines(&p, FEATURE(ATTR) EVENT TRACING
		   "event - type=2 config=77 ids=9 has=ip+time\n" SAMPLES);
	EACH_ALLOC_FAILS(k) {
		struct op_model m;
		struct op_err err;

		read_with(&m, perf_end(&p), NULL, &err);
		CHECK(!err.code || err.code == OP_ENOMEM ||
		      err.code == OP_EFORMAT);
		op_model_free(&m);
		p.out.n = 0;
	}
	perf_free(&p);
}

TEST_MAIN(event, tracepoint, skip, version, oom)
