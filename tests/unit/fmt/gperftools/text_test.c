// SPDX-License-Identifier: Apache-2.0
/* Text profiles of gperftools, Go and Java. */
#include "gperftools_fixture.h"

#define HEAP(kind) "heap profile: 3: 60 [ 3: 60] @ " kind "\n"

static const struct gperf_row heaps[] = {
	{ "a heap without sampling",
	  HEAP("heapprofile") "   1:  20 [  1:  20] @ 0x11 0x21\n"
			      "   2:  40 [  2:  40] @ 0x11\n",
	  "profile space/bytes period 1\n\t0x10 40 bytes=20\n"
	  "\t0x20;0x10 20 bytes=20\n"
	  "profile objects/count period 1\n\t0x10 2 bytes=20\n"
	  "\t0x20;0x10 1 bytes=20\n",
	  NULL },
	{ "what is freed again has its own types",
	  "heap profile: 1: 20 [ 3: 90] @ heapprofile\n"
	  "1: 20 [3: 90] @ 0x11\n0: 0 [1: 8] @ 0x11\n",
	  "profile inuse_space/bytes period 1\n"
	  "\t0x10 0 bytes=8\n\t0x10 20 bytes=20\n"
	  "profile alloc_objects/count period 1\n"
	  "\t0x10 1 bytes=8\n\t0x10 3 bytes=20\n"
	  "profile alloc_space/bytes period 1\n"
	  "\t0x10 8 bytes=8\n\t0x10 90 bytes=20\n"
	  "profile inuse_objects/count period 1\n"
	  "\t0x10 0 bytes=8\n\t0x10 1 bytes=20\n",
	  NULL },
	{ "samples of 512 KiB",
	  HEAP("heap_v2/524288") "1: 9216 [1: 9216] @ 0x11\n",
	  "profile space/bytes period 524288\n\t0x10 528909 bytes=9216\n"
	  "profile objects/count period 524288\n\t0x10 57 bytes=9216\n",
	  NULL },
	{ "Go says twice its rate, and has statistics",
	  HEAP("heap/1048576") "1: 9216 [1: 9216] @ 0x11\n\n"
			       "# runtime.MemStats\n# Alloc = 1\n",
	  "profile space/bytes period 524288\n\t0x10 528909 bytes=9216\n"
	  "profile objects/count period 524288\n\t0x10 57 bytes=9216\n",
	  NULL },
	{ "a rate of 0 is none",
	  HEAP("heapz_v2/0") "1: 9216 [1: 9216] @ 0x11\n",
	  "profile space/bytes\n\t0x10 9216 bytes=9216\n"
	  "profile objects/count\n\t0x10 1 bytes=9216\n",
	  NULL },
	{ "growth", HEAP("growthz") "1: 8 [1: 8] @ 0x11\n",
	  "profile space/bytes period 1\n\t0x10 8 bytes=8\n"
	  "profile objects/count period 1\n\t0x10 1 bytes=8\n",
	  NULL },
	{ "fragmentation, below 0, without a stack",
	  HEAP("fragmentation") "-1: -8 [0: 0] @\n",
	  "profile space/bytes period 1\n\t- -8 bytes=8\n"
	  "profile objects/count period 1\n\t- -1 bytes=8\n",
	  NULL },
	{ "Windows' ends of lines",
	  "heap profile: 1: 8 [1: 8] @ growth\r\n1: 8 [1: 8] @ 0x11\r\n",
	  "profile space/bytes period 1\n\t0x10 8 bytes=8\n"
	  "profile objects/count period 1\n\t0x10 1 bytes=8\n",
	  NULL },
	{ "nothing allocated", "heap profile: 0: 0 [0: 0] @ heapprofile\n",
	  "profile space/bytes period 1\nprofile objects/count period 1\n",
	  NULL },
};

TEST(heap)
{
	gperf_says(heaps, op_countof(heaps));
}

static const struct gperf_row locks[] = {
	{ "cycles and samples become nanoseconds and all",
	  "--- contentionz 1 ---\ncycles/second = 2000000000\n"
	  "sampling period = 100\nms since reset = 5\n"
	  "discarded samples = 0\n  40   3 @ 0x11 0x21\n",
	  "profile delay/nanoseconds period 100 0+5000000\n"
	  "\t0x20;0x10 2000\n"
	  "profile contentions/count period 100 0+5000000\n"
	  "\t0x20;0x10 300\n",
	  NULL },
	{ "Go's, with comments",
	  "--- contention:\ncycles/second=1000000000\n40 3 @ 0x11\n"
	  "#\t0x10\tmain.f+0x1\t/a b.go:7\n\n2 1 @ 0x11\n",
	  "profile delay/nanoseconds period 1\n\tmain.f 42\n"
	  "profile contentions/count period 1\n\tmain.f 4\n",
	  NULL },
	{ "without cycles", "--- mutex:\nsampling period=5\n40 3 @ 0x11\n",
	  "profile delay/nanoseconds period 5\n\t0x10 40\n"
	  "profile contentions/count period 5\n\t0x10 15\n",
	  NULL },
	{ "other sections",
	  "--- mutex:\n40 3 @ 0x11\n--- Other: ---\nwhat\n"
	  "MAPPED_LIBRARIES:\nwhat\n",
	  "profile delay/nanoseconds period 1\n\t0x10 40\n"
	  "profile contentions/count period 1\n\t0x10 3\n",
	  "1 unknown lines skipped\n" },
};

TEST(contention)
{
	gperf_says(locks, op_countof(locks));
}

#define THREAD(n) "--- Thread " n " (name: a b/" n ") stack: ---\n"

#define HEAD "--- threadz 1 ---\n"

static const struct gperf_row threads[] = {
	{ "threads, their names and creators",
	  HEAD "\n" THREAD("1") "  PC:  0x10: leaf(int)\n  0x21: main\n" THREAD(
		  "2") "  PC: 0x30 0x41\n     0x51\n"
		       "     creator: 0x61\n" THREAD(
			       "3") "  [same as previous thread]\n"
				    "--- Memory map: ---\n",
	  "profile thread/count period 1\n\t0x60;0x50;0x40;0x30 2\n"
	  "\tmain;leaf(int) 1\n",
	  NULL },
	{ "a leaf that is there twice",
	  HEAD THREAD("1") "PC: 0x10\n0x10\n0x21\n",
	  "profile thread/count period 1\n\t0x20;0x10 1\n", NULL },
	{ "an address of two names has none",
	  HEAD THREAD("1") "PC: 0x10: f\n" THREAD("2") "0x10: g\n0x21: h\n",
	  "profile thread/count period 1\n\t0x10 1\n\th;0x10 1\n", NULL },
	{ "some have no stack",
	  THREAD("1") "  0x10\n" THREAD("2") "---- no stack trace for 3\nx\n",
	  "profile thread/count period 1\n\t0x10 2\n", NULL },
	{ "the first has no stack, and a line is no address",
	  HEAD THREAD("1") THREAD("2") "PC: 0x10\nwhat\n",
	  "profile thread/count period 1\n\t0x10 1\n",
	  "2 unknown lines skipped\n" },
	{ "a second head", THREAD("1") HEAD "0x10\n" THREAD("2") "0x11\n",
	  "profile thread/count period 1\n\t0x11 1\n",
	  "1 unknown lines skipped\n" },
};

TEST(stacks_of_threads)
{
	gperf_says(threads, op_countof(threads));
}

static const struct gperf_row counts[] = {
	{ "counts",
	  "\n# a comment\nthreadcreate profile: total 3\n"
	  "1 @ 0x11 0x21\n2 @ 0x31\n",
	  "profile threadcreate/count period 1\n\t0x20;0x10 1\n\t0x30 2\n",
	  NULL },
	{ "none", "sub/dir-ect_o.ry profile: total 0\n",
	  "profile sub/dir-ect_o.ry/count period 1\n", NULL },
	{ "names of calls, of inlined ones too",
	  "goroutine profile: total 2\n1 @ 0x11 0x21 0x31 0x31\n"
	  "#\t0x10\tf+0x1\t\t/f.go:1\n#\t0x10\tg+0x1\t/g.go:2\n"
	  "#\t0x30\tr+0x1\t/r.go:3\n#\t0x30\tr+0x1\t/r.go:3\n\n"
	  "1 @ 0x21\n",
	  "profile goroutine/count period 1\n\t0x20 1\n\tr;r;0x20;g>f 1\n",
	  NULL },
	{ "as older releases have it",
	  "goroutine profile: total 1\n1 @ 0x11\n#\t0x11\tf+0x1\t/f.go:1\n",
	  "profile goroutine/count period 1\n\tf 1\n", NULL },
	{ "names that cannot be told apart, or are none",
	  "goroutine profile: total 1\n1 @ 0x11 0x11\n"
	  "#\t0x10\tf+0x1\t/f.go:1\n#\t0x10\tg+0x1\t/f.go:1\n"
	  "#\t0x10\tg+0x1\t/f.go:1\n#\t0x99\tg+0x1\t/f.go:1\n#\t0x11\n"
	  "#\t0x11\tno offset\t/f.go:1\n#\t0x11\tf+0x1\tno line\n",
	  "profile goroutine/count period 1\n\t0x10;0x10 1\n", NULL },
	{ "labels",
	  "goroutine profile: total 2\n1 @ 0x11\n"
	  "# labels: {\"a\":\"b\", \"c\":\"d\\\"\"}\n"
	  "#\t0x10\tf+0x1\t/f.go:1\n\n1 @ 0x11\n",
	  "profile goroutine/count period 1\n\tf 1\n\tf 1 a=b c=d\"\n", NULL },
	{ "labels that cannot be read",
	  "goroutine profile: total 2\n1 @ 0x11\n# labels: {\"a\":\"\\x01\"}\n"
	  "# labels: {\"a\":1}\n# labels: {\"a\":\"\", \"a\":\"\"}\n"
	  "# labels: {\"bytes\":\"1\"}\n# labels: {} {}\n",
	  "profile goroutine/count period 1\n\t0x10 1\n",
	  "5 unknown lines skipped\n" },
};

TEST(counts_of_go)
{
	gperf_says(counts, op_countof(counts));
}

static const struct gperf_row java[] = {
	{ "heap",
	  "--- heapz 1 ---\nformat = java\nresolution = bytes\n"
	  "   9216   1 @ 0x00000003 0x00000004\n\n"
	  " 0x00000003 com.example.f (Source.java:12)\n"
	  " 0x00000004 read (/lib/libc.so)\n 0x9 unused\n",
	  "profile inuse_space/bytes\n\tread;com.example.f 528909 "
	  "bytes=9216\n"
	  "profile inuse_objects/count\n\tread;com.example.f 57 bytes=9216\n",
	  NULL },
	{ "contention",
	  "--- contentionz 1 ---\nformat = java\nresolution = microseconds\n"
	  "sampling period = 100\nms since reset = 5\n"
	  "  14  2 @ 0x3 0x4 0x5\n  0x3 GC\n0x5 x (generated stub/JIT)\n",
	  "profile delay/microseconds period 100 0+5000000\n"
	  "\tx;0x0;GC 1400\n"
	  "profile contentions/count period 100 0+5000000\n"
	  "\tx;0x0;GC 200\n",
	  NULL },
	{ "lines and names that say nothing",
	  "--- heapz 1 ---\nresolution = bytes\n8 8 @ 0x1 0x2 0x3\n"
	  "0x1 f (F.java:-1)\n0x2 generated stub/JIT\n0x3 (odd)\nwhat\n",
	  "profile inuse_space/bytes\n\t(odd);STUB;f 4194308 bytes=1\n"
	  "profile inuse_objects/count\n\t(odd);STUB;f 4194308 bytes=1\n",
	  "1 unknown lines skipped\n" },
};

TEST(names_of_java)
{
	gperf_says(java, op_countof(java));
}

static const struct {
	const char *in, *why;
	uint64_t at;
} bad[] = {
	{ "what", "not the header of a CPU profile", 0 },
	{ HEAP("heap_v3"), "not the header of a CPU profile", 0 },
	{ HEAP("heap_v2/x"), "not the header of a CPU profile", 0 },
	{ HEAP("growth") "\n1: 8 [1: 8]\n", "not a sample of a heap profile",
	  39 },
	{ HEAP("growth") "1: 8 [1: 8] @ 0x1 ffff\n",
	  "expected an address of a stack", 56 },
	{ HEAP("growth") "1: 8 [1: 8] @ 0x10000000000000000\n",
	  "expected an address of a stack", 52 },
	{ HEAP("growth") "0: 8 [0: 0] @ 0x1\n",
	  "the bytes do not match the objects", 38 },
	{ HEAP("heap_v2/9000000000") "9223372036854775807: 1 [0: 0] @\n",
	  "the bytes do not match the objects", 50 },
	{ HEAP("growth") "9223372036854775808: 1 [0: 0] @ 0x1\n",
	  "not a sample of a heap profile", 38 },
	{ "--- mutex:\nfoo = 1\n", "unknown attribute of a contention profile",
	  11 },
	{ "--- mutex:\nsampling period = x\n", "not a number, or too large",
	  29 },
	{ "--- mutex:\nms since reset = 9223372036854775807\n",
	  "not a number, or too large", 28 },
	{ "--- mutex:\n1 @ 0x1\n", "not a sample of a contention profile", 11 },
	{ "--- mutex:\nsampling period = 9\n1 9223372036854775807 @\n",
	  "values are too large", 31 },
	{ "--- mutex:\nsampling period=9\ncycles/second=1\n"
	  "9223372036854775807 1 @\n",
	  "values are too large", 45 },
	{ "--- threadz 1 ---\n--- what ---\n", "expected a thread", 18 },
	{ THREAD("1") "0x10000000000000000\n", "not a 64-bit address", 38 },
	{ "x profile: total 1\n1 @ 0x1\nx @\n",
	  "not a sample of a profile of counts", 27 },
	{ "--- heapz 1 ---\nformat = c\n", "invalid value of an attribute",
	  25 },
	{ "--- heapz 1 ---\nms since reset = 1\n",
	  "unknown attribute of a Java profile", 16 },
	{ "--- heapz 1 ---\n1 1 @ 0x1\n", "a sample before any resolution",
	  16 },
	{ "--- heapz 1 ---\nresolution=b\n1 0 @ 0x1\n",
	  "invalid values of a sample", 29 },
	{ "--- heapz 1 ---\nresolution=b\nwhat\n",
	  "not a sample of a Java profile", 29 },
};

TEST(refused)
{
	static struct gperf g;

	for (size_t i = 0; i < op_countof(bad); i++) {
		gperf_read(&g, op_view_z(bad[i].in));
		if (strcmp(g.err.text, bad[i].why) || g.err.at != bad[i].at)
			TEST_FAIL("%.60s: \"%.80s\" at %llu", bad[i].in,
				  g.err.text, (unsigned long long)g.err.at);
		op_model_free(&g.m);
	}
}

TEST(not_recognised)
{
	static const char *const texts[] = {
		"a profile: total 7\nb;c 3\n",
		"heap profile: 1: 2 [3: 4] @ what\n",
		"--- Thread 1\n",
		"--- threadz x ---\n",
		"\n",
	};

	for (size_t i = 0; i < op_countof(texts); i++)
		CHECK(op_format_sniff(op_view_z(texts[i])) !=
		      &op_format_gperftools);
}

TEST(strict)
{
	struct op_read_opts opts = { .strict = true };
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	op_format_gperftools.read(op_view_z(threads[4].in), &opts, keep, &m,
				  &err);
	CHECK_STR(err.text, "2 unknown lines skipped (an error with --strict)");
	op_model_free(&m);
}

TEST(oom)
{
	gperf_survives(op_view_z(heaps[1].in));
	gperf_survives(op_view_z(threads[0].in));
	gperf_survives(op_view_z(counts[2].in));
	gperf_survives(op_view_z(counts[5].in));
	gperf_survives(op_view_z(java[0].in));
	gperf_survives(op_view_z(HEAP("growth") "1: 8 [1: 8] @ 0x11 0x21\n"
						"MAPPED_LIBRARIES:\nd=/bin\n"
						"0-11: $d/x abc\n"));
}

TEST_MAIN(heap, contention, stacks_of_threads, counts_of_go, names_of_java,
	  refused, not_recognised, strict, oom)
