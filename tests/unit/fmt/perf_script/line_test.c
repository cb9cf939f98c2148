// SPDX-License-Identifier: Apache-2.0
#include "fmt/perf_script/line.h"

#include "test.h"

static const struct {
	const char *line, *want;
} heads[] = {
	{ "swapper     0 [003] 22265.894585:    1001001 cpu-clock: ",
	  "swapper|-1/0|3|22265894585000|1001001|cpu-clock|" },
	{ "spin 14093/14095  3735.084304403:   1 cycles:u: ",
	  "spin|14093/14095|-1|3735084304403|1|cycles:u|" },
	{ "            spin 13151 22275.970447: cpu-clock:  7f0f f+0xa (/l/x)",
	  "spin|-1/13151|-1|22275970447000|-|cpu-clock|  7f0f f+0xa (/l/x)" },
	{ "Web Content 1/2 [000] 5.000000: 1 cycles:",
	  "Web Content|1/2|0|5000000000|1|cycles|" },
	{ "a 12 b 1/2 5.000000: 1 cycles:",
	  "a 12 b|1/2|-1|5000000000|1|cycles|" },
	{ "kworker/0:1-events 55 5.0: sched:sched_switch: prev_comm=x ==> y",
	  "kworker/0:1-events|-1/55|-1|5000000000|-|sched:sched_switch|"
	  " prev_comm=x ==> y" },
	{ "x 1 5.5:", "x|-1/1|-1|5500000000|-||" },
	{ "x 1", "x|-1/1|-1|-|-||" },
	{ "x 1/2 [001]", "x|1/2|1|-|-||" },
	{ "x 1/2 cycles:", "x|1/2|-1|-|-|cycles|" },
	{ "x 1 77 cycles:", "x|-1/1|-1|-|77|cycles|" },
	{ "x -1 5.5: cycles:", "x|-1/-1|-1|5500000000|-|cycles|" },
	/* What is no time may be an event. */
	{ "x 1 5.0000000001: cycles:", "x|-1/1|-1|-|-|5.0000000001| cycles:" },
	{ "x 99999999999 5.5: cycles:",
	  "x 99999999999|-1/-1|-1|5500000000|-|cycles|" },
	/* Fields of -F: none but the time, misc, tod. */
	{ " 5.5: ", "|-1/-1|-1|5500000000|-||" },
	{ "Web Content 5.5: ", "Web Content|-1/-1|-1|5500000000|-||" },
	{ "14093  5.5: ", "|-1/14093|-1|5500000000|-||" },
	{ "x 1/2 [003] U   5.5: cycles:", "x|1/2|3|5500000000|-|cycles|" },
	{ "x 1 2024-02-29 12:30:00.123456 5.5: cycles:",
	  "x|-1/1|-1|5500000000|-|cycles|" },
	{ "FS Broker 5906 7564/7598 7 cycles:",
	  "FS Broker 5906|7564/7598|-1|-|7|cycles|" },
	{ "x 1 [003] K cycles:", "x|-1/1|3|-|-|cycles|" },
	{ "x-1 [003] 5.5: sched_switch: a", NULL },
	{ "x 1 5.5: 9223372036854775808 cycles:",
	  "x|-1/1|-1|5500000000|-|| 9223372036854775808 cycles:" },
	{ "x 1 99999999999.5: cycles:",
	  "x|-1/1|-1|-|-|99999999999.5| cycles:" },
	{ "a 1 b", NULL },
	{ "main;work 12", "main;work|-1/12|-1|-|-||" },
	{ "12", NULL },
	{ "", NULL },
	{ "# a comment", NULL },
};

static const char *const short_heads[][2] = {
	{ "cycles: ", "|-1/-1|-1|-|-|cycles|" },
	{ "      1001 cycles:", "|-1/-1|-1|-|1001|cycles|" },
	{ "Web Content ", "Web Content|-1/-1|-1|-|-||" },
	{ "Web Content cycles:  10 f (/b)",
	  "Web Content|-1/-1|-1|-|-|cycles|  10 f (/b)" },
	{ "  x  ffffffff81000000 f", "x|-1/-1|-1|-|-||  ffffffff81000000 f" },
	{ "14095 ", "|-1/14095|-1|-|-||" },
	{ "14095    1001001 cycles:", "|-1/14095|-1|-|1001001|cycles|" },
	{ " 5805  ffffffff81000000 f",
	  "|-1/5805|-1|-|-||  ffffffff81000000 f" },
	{ "1/2 [006] sched:sched_switch: a=b",
	  "|1/2|6|-|-|sched:sched_switch| a=b" },
	{ "", NULL },
};

static const char *num(char *out, bool has, uint64_t v)
{
	if (has)
		snprintf(out, 32, "%llu", (unsigned long long)v);
	else
		snprintf(out, 32, "-");
	return out;
}

static void head_check(bool ok, const struct op_script_head *h,
		       const char *want)
{
	char got[300], a[32], b[32];

	if (!ok) {
		CHECK_STR(NULL, want);
		return;
	}
	snprintf(got, sizeof(got), "%.*s|%lld/%lld|%lld|%s|%s|%.*s|%.*s",
		 (int)h->comm.n, (const char *)h->comm.p, (long long)h->pid,
		 (long long)h->tid, (long long)h->cpu,
		 num(a, h->has_time, h->time_ns),
		 num(b, h->has_period, h->period), (int)h->event.n,
		 (const char *)h->event.p, (int)h->more.n,
		 (const char *)h->more.p);
	CHECK_STR(got, want);
}

TEST(head)
{
	struct op_script_head h;
	bool ok;

	for (size_t i = 0; i < op_countof(heads); i++) {
		ok = op_script_head(op_view_z(heads[i].line), &h);
		head_check(ok, &h, heads[i].want);
	}
}

TEST(short_head)
{
	struct op_script_head h;
	bool ok;

	for (size_t i = 0; i < op_countof(short_heads); i++) {
		ok = op_script_short_head(op_view_z(short_heads[i][0]), &h);
		head_check(ok, &h, short_heads[i][1]);
	}
}

static const struct {
	const char *line, *want;
} frames[] = {
	{ "\tffffffff821f1eab pv_native_safe_halt+0xb ([kernel.kallsyms])",
	  "ffffffff821f1eab|pv_native_safe_halt|[kernel.kallsyms]" },
	{ "\t   11b5 leaf (/tmp/spin)", "11b5|leaf|/tmp/spin" },
	{ "\t 11b5 leaf", "11b5|leaf|" },
	{ "\t 11b5 [unknown] ([unknown])", "11b5||" },
	{ "\t 11b5 (/tmp/spin)", "11b5||/tmp/spin" },
	{ "\t 11b5 ", "11b5||" },
	{ " 10 f(int, char (*)(int))+0x1f (/a b/c (deleted))",
	  "10|f(int, char (*)(int))|/a b/c (deleted)" },
	{ " 10 operator()(int) const (inlined)",
	  "10|operator()(int) const||inlined" },
	{ " 10 a+0xzz (x)", "10|a+0xzz|x" },
	{ " 10 a+0x (x)", "10|a+0x|x" },
	{ " 10 a)) (x", "10|a)) (x|" },
	{ " 10 a) (x)", "10|a)|x" },
	{ " 10 f (/b+0x1f40)", "10|f|/b" },
	{ " 12345678901234567 f (x)", NULL },
	{ " zz f (x)", NULL },
	{ "", NULL },
};

static void frame_check(bool ok, const struct op_script_frame *f,
			const char *want)
{
	char got[300];

	if (!ok) {
		CHECK_STR(NULL, want);
		return;
	}
	snprintf(got, sizeof(got), "%llx|%.*s|%.*s%s",
		 (unsigned long long)f->address, (int)f->symbol.n,
		 (const char *)f->symbol.p, (int)f->file.n,
		 (const char *)f->file.p, f->is_inlined ? "|inlined" : "");
	CHECK_STR(got, want);
}

TEST(frame)
{
	struct op_script_frame f;
	bool ok;

	for (size_t i = 0; i < op_countof(frames); i++) {
		ok = op_script_frame(op_view_z(frames[i].line), &f);
		frame_check(ok, &f, frames[i].want);
	}
}

#define KERNEL "ffffffff81000000"
#define BRANCH "0x10/0x20/P/-/-/4/  0x30/0x40/M/-/-/1/"

/* Behind an event: a frame among the fields of -F. */
static const char *const own_frames[][2] = {
	{ "  " KERNEL " f+0x1 (/b)", KERNEL "|f|/b" },
	{ "           10 f (/b)", "10|f|/b" },
	{ "               10 f", "10|f|" },
	{ "               10", "10||" },
	{ " 10 f (/b)", "10|f|/b" },
	{ " 10 f", "10|f|" },
	{ " 10 (inlined)", "10|||inlined" },
	/* Where a branch went; flags before it. */
	{ "  " KERNEL " f (/b) => " KERNEL " g (/c)", KERNEL "|f|/b" },
	{ "  tr strt         " KERNEL "                0 [unknown] "
	  "([unknown]) => " KERNEL " f (/b)",
	  "0||" },
	{ "  call               401036 main (/b) =>           401020 f (/b)",
	  "401036|main|/b" },
	/* Address of data, its source, weights; the physical address. */
	{ "     55ffba5cda08     11868100242 |OP LOAD|LVL L1 hit"
	  "              225               0 " KERNEL
	  " f (/b)             1f00",
	  KERNEL "|f|/b" },
	{ "     55ffba5cda08 heap (/a) " KERNEL " f (/b)", KERNEL "|f|/b" },
	/* Branches, registers, instructions. */
	{ "  " KERNEL " f (/b) " BRANCH, KERNEL "|f|/b" },
	{ "  " KERNEL " f " BRANCH, KERNEL "|f|" },
	{ "  " KERNEL " f (/b)g+0x1(/b)/h+0x2(/b)/P/-/-/4/", KERNEL "|f|/b" },
	{ "  " KERNEL " [unknown][unknown]/[unknown]/P/-/-/4/", KERNEL "||" },
	{ "  " KERNEL " f (/b) ABI:2    AX:0x1", KERNEL "|f|/b" },
	{ "  " KERNEL " f (/b) insn: 90", KERNEL "|f|/b" },
	/* Other text. */
	{ " prev_comm=x prev_pid=1 ==> next_prio=120", NULL },
	{ " (55d1db028560)", NULL },
	{ " add 5", NULL },
	{ " add five of them", NULL },
	{ "                0", NULL },
	{ "", NULL },
};

TEST(own_frame)
{
	struct op_script_frame f;
	bool ok;

	for (size_t i = 0; i < op_countof(own_frames); i++) {
		ok = op_script_own_frame(op_view_z(own_frames[i][0]), &f);
		frame_check(ok, &f, own_frames[i][1]);
	}
}

TEST(extra)
{
	static const struct {
		const char *line;
		bool want;
	} rows[] = {
		{ " " BRANCH, true },
		{ " f+0x1/g+0x2/N/X/A/12/COND", true },
		{ " ABI:2    AX:0x4106b488", true },
		{ " insn: 90", true },
		{ " /usr/P/lib/a/b/c", false },
		{ " ABI", false },
		{ "", false },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(op_script_is_extra(op_view_z(rows[i].line)),
			 rows[i].want);
}

TEST(source)
{
	static const struct {
		const char *line, *file;
		int nr;
	} rows[] = {
		{ "  spin.c:8", "spin.c", 8 },
		{ "  a:b.c:12", "a:b.c", 12 },
		{ "  libc.so.6[271f4]", "", 0 },
		{ "  [kernel.kallsyms][ffffffff81000000]", "", 0 },
		{ "  x 10 [unknown]", NULL, 0 },
		{ "  [1f40]", NULL, 0 },
		{ "spin.c:8", NULL, 0 },
		{ "  spin.c:", NULL, 0 },
		{ "  :8", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_view file = { 0 };
		int64_t nr = 0;
		bool ok = op_script_source(op_view_z(rows[i].line), &file, &nr);

		CHECK_EQ(ok, rows[i].file != NULL);
		if (!ok || !rows[i].file)
			continue;
		CHECK(op_view_is(file, rows[i].file));
		CHECK_EQ(nr, rows[i].nr);
	}
}

TEST_MAIN(head, short_head, frame, own_frame, extra, source)
