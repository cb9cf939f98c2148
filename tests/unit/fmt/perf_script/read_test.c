// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "fmt/format.h"
#include "test.h"
#include "write/sketch.h"

static char told_note[200];

/* As perf prints an address of a frame: in 16 columns. */
#define AT(x) "            " #x

static void note(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(told_note, sizeof(told_note), "%s", text);
}

static int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

static int text_read(struct op_model *m, const char *text, const char *setting,
		     struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	struct op_read_opts opts = { .settings = settings, .note = note };
	char *copy = strdup(text);

	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	told_note[0] = 0;
	op_format_perf_script.read(op_view_z(copy), &opts, keep, m, err);
	free(copy);
	return err->code;
}

#define SCOPE "resource\nscope perf\n"
#define CLOCK " otprof.clock=boot otprof.event.type="
#define SAMPLE "x 1/2 5.0: 4 cycles:\n\t 10 g+0x1 (/b)\n\t 20 f (/b)\n\n"

static const struct {
	const char *name, *text, *want;
} rows[] = {
	{ "a sample", SAMPLE,
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\tf;g @5000000000 process.pid=1 thread.id=2 thread.name=x\n" },
	{ "without an empty line at its end",
	  "x 1 5.0: 4 cycles:\n\t 10 g+0x1 (/b)",
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\tg @5000000000 thread.id=1 thread.name=x\n" },
	{ "lines that end as on Windows",
	  "x 1 5.0: 4 cycles:\r\n\t 10 g+0x1 (/b)\r\n\r\n",
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\tg @5000000000 thread.id=1 thread.name=x\n" },
	{ "without callers",
	  "x 1 5.0: 4 cycles:  10 g+0x1 (/b)\n"
	  "x 1 6.0: 4 cycles:  10 g+0x1 (/b)\n",
	  "profile samples/count period 4 5000000000+1000000001" CLOCK
	  "cycles\n\tg @5000000000 @6000000000 thread.id=1 thread.name=x\n" },
	{ "without a stack", "x 1 [002] 5.0: 4 cycles:\n\n",
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\t- @5000000000 cpu.logical_number=2 thread.id=1 "
	  "thread.name=x\n" },
	{ "without times", "x 1 \n\t 10 g\n\nx 1 \n\t 10 g\n\n",
	  "profile samples/count\n\tg 2 thread.id=1 thread.name=x\n" },
	{ "several events", SAMPLE "x 1/2 6.0: 1 page-faults:\n\t 30 h\n\n",
	  "profile samples/count period 4 5000000000+1000000001" CLOCK
	  "cycles\n"
	  "\tf;g @5000000000 process.pid=1 thread.id=2 thread.name=x\n"
	  "profile samples/count period 1 5000000000+1000000001" CLOCK
	  "page-faults\n"
	  "\th @6000000000 process.pid=1 thread.id=2 thread.name=x\n" },
	{ "periods that differ",
	  "x 1 5.0: 4 cycles:\n\n"
	  "x 1 6.0: 5 cycles:\n\n",
	  "profile samples/count 5000000000+1000000001" CLOCK "cycles\n"
	  "\t- @5000000000 @6000000000 thread.id=1 thread.name=x\n"
	  "profile cycles/count 5000000000+1000000001" CLOCK "cycles\n"
	  "\t- 4@5000000000 5@6000000000 thread.id=1 thread.name=x\n" },
	{ "a period that differs after several equal ones",
	  "x 1 5.0: 1 faults:\n\n"
	  "y 1 6.0: 1 faults:\n\n"
	  "x 1 7.0: 1 faults:\n\n"
	  "x 1 8.0: 4 faults:\n\n",
	  "profile samples/count 5000000000+3000000001" CLOCK "faults\n"
	  "\t- @5000000000 @7000000000 @8000000000 thread.id=1 "
	  "thread.name=x\n\t- @6000000000 thread.id=1 thread.name=y\n"
	  "profile faults/count 5000000000+3000000001" CLOCK "faults\n"
	  "\t- 1@5000000000 1@7000000000 4@8000000000 thread.id=1 "
	  "thread.name=x\n\t- 1@6000000000 thread.id=1 thread.name=y\n" },
	{ "periods that differ, without times",
	  "x 1 3 faults:\n\nx 1 3 faults:\n\ny 1 5 faults:\n\n"
	  "x 1 4 faults:\n\n",
	  "profile samples/count otprof.event.type=faults\n"
	  "\t- 1 thread.id=1 thread.name=y\n"
	  "\t- 3 thread.id=1 thread.name=x\n"
	  "profile faults/count otprof.event.type=faults\n"
	  "\t- 10 thread.id=1 thread.name=x\n"
	  "\t- 5 thread.id=1 thread.name=y\n" },
	{ "inlined calls",
	  "x 1 5.0: 4 cycles:\n\t 10 i (inlined)\n"
	  "\t 10 g+0x1 (/b)\n\t 20 f (/b)\n\n",
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\tf;g>i @5000000000 thread.id=1 thread.name=x\n" },
	{ "source lines",
	  "x 1 5.0: 4 cycles:\n\t 10 g+0x1 (/b)\n  g.c:8\n"
	  "\t 20 f (/b)\n  f.c:9\n\n",
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\tf;g @5000000000 thread.id=1 thread.name=x\n" },
	{ "names that are not known",
	  "x 1 5.0: 4 cycles:\n\t 10 [unknown] ([unknown])\n\n",
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\t0x10 @5000000000 thread.id=1 thread.name=x\n" },
	{ "a comm of hex digits",
	  "    dead 1 5.0: 4 cycles:  10 g (/b)\n"
	  "    dead 1 6.0: 4 cycles:  10 g (/b)\n",
	  "profile samples/count period 4 5000000000+1000000001" CLOCK
	  "cycles\n"
	  "\tg @5000000000 @6000000000 thread.id=1 thread.name=dead\n" },
	{ "a comm of hex digits, no frames",
	  "    dead 1 5.0: cycles: \n    dead 1 6.0: cycles: \n",
	  "profile samples/count 5000000000+1000000001" CLOCK "cycles\n"
	  "\t- @5000000000 @6000000000 thread.id=1 thread.name=dead\n" },
	{ "frames that are not indented, no times",
	  "x 1 cycles:\nffffffff81000000 g ([k])\n7f00 f (/b)\n\n"
	  "x 1 cycles:\nffffffff81000000 g ([k])\n",
	  "profile samples/count otprof.event.type=cycles\n"
	  "\tf;g 1 thread.id=1 thread.name=x\n"
	  "\tg 1 thread.id=1 thread.name=x\n" },
	{ "only frames, some samples without",
	  "\n\t" AT(1234) " g\n\t" AT(5678) " f\n\n\n\n"
					    "\n\t" AT(1234) " g\n\n\n\n",
	  "profile samples/count\n\t- 2\n\tf;g 1\n\tg 1\n" },
	{ "only frames, one a line",
	  " " AT(1234) " g\n " AT(1234) " g\n " AT(5678) " f\n",
	  "profile samples/count\n\tf 1\n\tg 2\n" },
	{ "only comm and frames",
	  "Web Content \n\t" AT(1234) " g\n\nx \n\nx \n\t" AT(1234) " g\n\n",
	  "profile samples/count\n\t- 1 thread.name=x\n"
	  "\tg 1 thread.name=Web Content\n\tg 1 thread.name=x\n" },
	{ "only comm and frames, one a line",
	  "  x  " AT(1234) " g\n  y  " AT(1234) " g\n",
	  "profile samples/count\n\tg 1 thread.name=x\n"
	  "\tg 1 thread.name=y\n" },
	{ "only the event and frames",
	  "cycles: \n\t" AT(1234) " g\n\nfaults: \n\t" AT(1234) " g\n\n",
	  "profile samples/count otprof.event.type=cycles\n\tg 1\n"
	  "profile samples/count otprof.event.type=faults\n\tg 1\n" },
	{ "only period and event", "         7 cycles: \n         7 cycles: \n",
	  "profile samples/count period 7 otprof.event.type=cycles\n\t- 2\n" },
	{ "only thread, period and frames",
	  " 12          7 cycles:  " AT(1234) " g\n"
					      " 13          7 cycles:  " AT(
						      1234) " g\n",
	  "profile samples/count period 7 otprof.event.type=cycles\n"
	  "\tg 1 thread.id=12\n\tg 1 thread.id=13\n" },
	{ "an address of decimal digits is no period",
	  "x 1 5.0:  " AT(1234) " g\n",
	  "profile samples/count 5000000000+1 otprof.clock=boot\n"
	  "\tg @5000000000 thread.id=1 thread.name=x\n" },
	{ "a tracepoint with arguments and callers",
	  "x 1 [000] 5.0: sched:sched_switch: prev_comm=x ==> next_pid=12\n"
	  "\t 10 g (/b)\n\n",
	  "profile samples/count 5000000000+1" CLOCK "sched:sched_switch\n"
	  "\tg @5000000000 cpu.logical_number=0 thread.id=1 "
	  "thread.name=x\n" },
	{ "an address of data before the callers",
	  "x 1 5.0: faults:  " AT(1234) " heap (/a)\n\t 10 g (/b)\n\n",
	  "profile samples/count 5000000000+1" CLOCK "faults\n"
	  "\tg @5000000000 thread.id=1 thread.name=x\n" },
	{ "branches and registers behind the frames, no empty line",
	  "x 1 5.0: cycles:\n\t 10 g (/b)\n 0x1/0x2/P/-/-/4/  0x3\n"
	  "x 1 6.0: cycles:\n\t 10 g (/b)\n ABI:2    AX:0x1\n\n",
	  "profile samples/count 5000000000+1000000001" CLOCK "cycles\n"
	  "\tg @5000000000 @6000000000 thread.id=1 thread.name=x\n" },
	{ "a source line behind a frame on the line itself",
	  "x 1 5.0: cycles:  10 g (/b)\n  g.c:8\n"
	  "x 1 6.0: cycles:  10 g (/b)\n  libc.so.6[271f4]\n",
	  "profile samples/count 5000000000+1000000001" CLOCK "cycles\n"
	  "\tg @5000000000 thread.id=1 thread.name=x\n"
	  "\tg @6000000000 thread.id=1 thread.name=x\n" },
	{ "comments and records",
	  "# captured on x\n\nx 1 5.0: PERF_RECORD_COMM exec: x:1/1\n" SAMPLE,
	  "profile samples/count period 4 5000000000+1" CLOCK "cycles\n"
	  "\tf;g @5000000000 process.pid=1 thread.id=2 thread.name=x\n" },
};

TEST(sample)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_model m;
		struct op_err err;
		const char *got;

		CHECK_EQ(text_read(&m, rows[i].text, NULL, &err), 0);
		got = err.code ? err.text : sketch_text(&m);
		if (!strncmp(got, SCOPE, sizeof(SCOPE) - 1))
			got += sizeof(SCOPE) - 1;
		if (strcmp(got, rows[i].want))
			TEST_FAIL("%s: %.150s", rows[i].name, got);
		op_model_free(&m);
	}
}

TEST(option)
{
	static const struct {
		const char *setting;
		int code;
		long long total;
	} wanted[] = {
		{ "event=cycles", 0, 1 },
		{ "event=cycles,faults", 0, 2 },
		{ "event=nothing", OP_EUSAGE, 0 },
		{ "thread=x", 0, 1 },
		{ "thread=", 0, 2 },
	};

	for (size_t i = 0; i < op_countof(wanted); i++) {
		struct op_walk w = { 0 };
		struct op_model m;
		struct op_err err;
		long long total = 0;

		text_read(&m, SAMPLE "y 1 5.0: 1 faults:\n\n",
			  wanted[i].setting, &err);
		CHECK_EQ(err.code, wanted[i].code);
		while (!err.code && op_walk_next(&m, &w))
			total += op_profile_total(w.profile);
		CHECK_EQ(total, wanted[i].total);
		op_model_free(&m);
	}
}

TEST(odd)
{
	struct op_model m;
	struct op_err err;

	CHECK_EQ(text_read(&m, SAMPLE "what is this\n" SAMPLE, NULL, &err), 0);
	CHECK_STR(told_note, "1 unknown lines skipped");
	op_model_free(&m);
	CHECK_EQ(text_read(&m, "x 1 5.0: cycles: what is this\n", NULL, &err),
		 0);
	CHECK_STR(told_note, "unknown fields of 1 samples skipped");
	op_model_free(&m);
	/* Frames behind an empty line belong to nobody. */
	CHECK_EQ(text_read(&m, "x 1 5.0: cycles:\n\n\t 10 g\n\t 20 f\n", NULL,
			   &err),
		 0);
	CHECK_STR(told_note, "2 unknown lines skipped");
	op_model_free(&m);
	/* Frames before the first head, as in the tail of a file. */
	CHECK_EQ(text_read(&m, "\t" AT(1234) " g\n\n" SAMPLE, NULL, &err), 0);
	CHECK_STR(told_note, "1 unknown lines skipped");
	CHECK_EQ(op_profile_total(&m.resources->scopes->profiles[0]), 1);
	op_model_free(&m);
	CHECK_EQ(text_read(&m, "what is this\n", NULL, &err), OP_EFORMAT);
	CHECK_STR(err.text, "no samples as printed by perf script");
	op_model_free(&m);
}

#define TEN_COMMENTS "#\n#\n#\n#\n#\n#\n#\n#\n#\n#\n"
#define COMMENTS TEN_COMMENTS TEN_COMMENTS

TEST(sniff)
{
	static const struct {
		const char *text;
		int score;
	} texts[] = {
		{ SAMPLE, 80 },
		{ "# ========\n# captured on\n#\nx 1 5.0: 4 cycles:\n", 80 },
		{ COMMENTS COMMENTS COMMENTS COMMENTS SAMPLE, 80 },
		{ "x 1 \n\t 10 g\n\n", 70 },
		{ "x 1 cycles:\nffffffff81000000 g ([k])\n", 65 },
		{ "No kallsyms was found\nx 1 5.0: 4 cycles:\n", 70 },
		{ "      x 14095 \n      x 14096 \n", 65 },
		{ "x \n\t" AT(1234) " g\n", 65 },
		{ "\n\t" AT(1234) " g\n", 60 },
		{ " " AT(1234) " g\n " AT(1234) " g\n", 60 },
		{ "         7 cycles: \n", 65 },
		{ "# ========\n# captured on: Thu\n#\n", 50 },
		{ " 0x1/0x2/P/-/-/4/  0x3/0x4/P/-/-/4/\n", 50 },
		{ "main;work 12 \nmain;rest 3 \n", 0 },
		{ "one 12 \n", 0 },
		{ "main;work;rest 12 region=us 1687841528000000\n", 0 },
		{ "Title\n  12 things\n", 0 },
		{ "Changes in version 1.20:\n\nMore.\n", 0 },
		{ "x " AT(1234) " g (/x)\n", 65 },
		{ "x-1 [003] 5.5: sched_switch: a\n", 0 },
		{ "[ perf record: Woken up 1 times ]\nx 1 5.0: 4 cycles:\n",
		  70 },
		{ "main;work 12\nmain;rest 3\n", 0 },
		{ "main 12\n", 0 },
		{ "{\"a\": 1}\n", 0 },
		{ "", 0 },
		{ "\n\n", 0 },
	};

	for (size_t i = 0; i < op_countof(texts); i++)
		CHECK_EQ(op_format_perf_script.sniff(op_view_z(texts[i].text)),
			 texts[i].score);
}

/* One line of JSON without an end is not looked through for a time, but one
 * that is only long is. */
TEST(sniff_long_line)
{
	static const struct {
		const char *begin;
		int score;
	} lines[] = { { "{\"a\":[", 0 }, { "[{\"a\":", 0 }, { "{a}", 80 } };
	struct op_err err = { 0 };

	for (size_t i = 0; i < op_countof(lines); i++) {
		struct op_buf b = { .err = &err };

		op_buf_z(&b, lines[i].begin);
		for (int k = 0; k < 5000; k++)
			op_buf_byte(&b, '1');
		op_buf_z(&b, " 1 5.0: 4 cycles:\n");
		CHECK_EQ(op_format_perf_script.sniff(op_view(b.p, b.n)),
			 lines[i].score);
		op_buf_free(&b);
	}
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_model m;
		struct op_err err = { 0 };

		op_format_perf_script.read(
			op_view_z(SAMPLE
				  "x 1 5.0: 7 cycles:\n"
				  "\t 10 i (inlined)\n\t 10 g\n  a.c:1\n\n"),
			NULL, keep, &m, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		if (!err.code)
			op_model_free(&m);
	}
}

TEST_MAIN(sample, option, odd, sniff, sniff_long_line, oom)
