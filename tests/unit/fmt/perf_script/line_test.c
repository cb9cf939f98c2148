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
	  "spin|-1/13151|-1|22275970447000|-|cpu-clock|7f0f f+0xa (/l/x)" },
	{ "Web Content 1/2 [000] 5.000000: 1 cycles:",
	  "Web Content|1/2|0|5000000000|1|cycles|" },
	{ "a 12 b 1/2 5.000000: 1 cycles:",
	  "a 12 b|1/2|-1|5000000000|1|cycles|" },
	{ "kworker/0:1-events 55 5.0: sched:sched_switch: prev_comm=x ==> y",
	  "kworker/0:1-events|-1/55|-1|5000000000|-|sched:sched_switch|"
	  "prev_comm=x ==> y" },
	{ "x 1 5.5:", "x|-1/1|-1|5500000000|-||" },
	{ "x 1", "x|-1/1|-1|-|-||" },
	{ "x 1/2 [001]", "x|1/2|1|-|-||" },
	{ "x 1/2 cycles:", "x|1/2|-1|-|-|cycles|" },
	{ "x 1 77 cycles:", "x|-1/1|-1|-|77|cycles|" },
	{ "x -1 5.5: cycles:", "x|-1/-1|-1|5500000000|-|cycles|" },
	/* What is no time may be an event. */
	{ "x 1 5.0000000001: cycles:", "x|-1/1|-1|-|-|5.0000000001|cycles:" },
	{ "x 99999999999 5.5: cycles:", NULL },
	{ "x 1 99999999999.5: cycles:", "x|-1/1|-1|-|-|99999999999.5|cycles:" },
	{ "a 1 b", NULL },
	{ "main;work 12", "main;work|-1/12|-1|-|-||" },
	{ "12", NULL },
	{ "", NULL },
	{ "# a comment", NULL },
};

static const char *num(char *out, bool has, uint64_t v)
{
	if (has)
		snprintf(out, 32, "%llu", (unsigned long long)v);
	else
		snprintf(out, 32, "-");
	return out;
}

TEST(head)
{
	for (size_t i = 0; i < op_countof(heads); i++) {
		struct op_script_head h;
		char got[300], a[32], b[32];

		if (!op_script_head(op_view_z(heads[i].line), &h)) {
			CHECK_STR(NULL, heads[i].want);
			continue;
		}
		snprintf(got, sizeof(got),
			 "%.*s|%lld/%lld|%lld|%s|%s|%.*s|%.*s", (int)h.comm.n,
			 (const char *)h.comm.p, (long long)h.pid,
			 (long long)h.tid, (long long)h.cpu,
			 num(a, h.has_time, h.time_ns),
			 num(b, h.has_period, h.period), (int)h.event.n,
			 (const char *)h.event.p, (int)h.more.n,
			 (const char *)h.more.p);
		CHECK_STR(got, heads[i].want);
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
	{ " 12345678901234567 f (x)", NULL },
	{ " zz f (x)", NULL },
	{ "", NULL },
};

TEST(frame)
{
	for (size_t i = 0; i < op_countof(frames); i++) {
		struct op_script_frame f;
		char got[300];

		if (!op_script_frame(op_view_z(frames[i].line), &f)) {
			CHECK_STR(NULL, frames[i].want);
			continue;
		}
		snprintf(got, sizeof(got), "%llx|%.*s|%.*s%s",
			 (unsigned long long)f.address, (int)f.symbol.n,
			 (const char *)f.symbol.p, (int)f.file.n,
			 (const char *)f.file.p,
			 f.is_inlined ? "|inlined" : "");
		CHECK_STR(got, frames[i].want);
	}
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

TEST_MAIN(head, frame, source)
