// SPDX-License-Identifier: Apache-2.0
/* The lines before the frames: the thread and its state. */
#include "fmt/splunk/text_int.h"

#include <stdio.h>

#include "test.h"

/* What a line says, in a few words. */
static const char *said(const char *line)
{
	static char out[300];
	struct op_splunk_thread t = op_splunk_thread_parse(op_view_z(line));

	snprintf(out, sizeof(out),
		 "[%.*s] %lld%s %lld %lld %llu %llu %llx %llx [%.*s]",
		 (int)t.name.n, t.name.n ? (const char *)t.name.p : "",
		 (long long)t.id, t.is_daemon ? "d" : "", (long long)t.prio,
		 (long long)t.os_prio, (unsigned long long)t.cpu_ns,
		 (unsigned long long)t.elapsed_ns, (unsigned long long)t.tid,
		 (unsigned long long)t.nid, (int)t.status.n,
		 t.status.n ? (const char *)t.status.p : "");
	return out;
}

#define NOTHING "0 0 0 0 0 0 0 []"

static const struct {
	const char *line, *said;
} reads_rows[] = {
	{ "\"pool-1-thread-30\" #49 prio=5 os_prio=31 cpu=0.12ms "
	  "elapsed=8.50s tid=0x00007fde4d00c000 nid=0xba03 waiting on "
	  "condition  [0x000070000ba40000]",
	  "[pool-1-thread-30] 49 5 31 120000 8500000000 7fde4d00c000 ba03 "
	  "[waiting on condition  [0x000070000ba40000]]" },
	{ "\"a\" #1 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 nid=0x0",
	  "[a] 1 0 0 0 0 0 0 []" },
	{ "\"a\" #1 prio=0 tid=0 nid=0 running",
	  "[a] 1 0 0 0 0 0 0 [running]" },
	/* As allocations have it. */
	{ "\"a\" #12 nid=0x1f", "[a] 12 0 0 0 0 0 1f []" },
	{ "\"a\" #12 daemon prio=5 nid=0x1f x", "[a] 12d 5 0 0 0 0 1f [x]" },
	{ "", "[] " NOTHING },
	{ "   ", "[] " NOTHING },
	{ "\"\" #0", "[] " NOTHING },
	{ "\"", "[] 0 0 0 0 0 0 0 [\"]" },
	/* Quotes in names: the last before the number ends it. */
	{ "\"a \"b\" c\" #7 x", "[a \"b\" c] 7 0 0 0 0 0 0 [x]" },
	{ "\"a\" #1 \"\" #7 x", "[a\" #1 \"] 7 0 0 0 0 0 0 [x]" },
	{ "\"a\" prio=3", "[a] 0 3 0 0 0 0 0 []" },
	{ "\"a\" #-7", "[a] -7 0 0 0 0 0 0 []" },
	/* Units of time; digits beyond nanoseconds do not count. */
	{ "\"\" #0 cpu=5ns elapsed=1.5us", "[] 0 0 0 5 1500 0 0 []" },
	{ "\"\" #0 cpu=1.0000009us elapsed=2m",
	  "[] 0 0 0 1000 120000000000 0 0 []" },
	{ "\"\" #0 cpu=1.5h elapsed=1d",
	  "[] 0 0 0 5400000000000 86400000000000 0 0 []" },
	/* What is not understood is the status. */
	{ "\"a\" #1 cpu=3 x", "[a] 1 0 0 0 0 0 0 [cpu=3 x]" },
	{ "\"a\" #1 tid=5", "[a] 1 0 0 0 0 0 0 [tid=5]" },
	{ "\"a\" #1 nid=0xfffffffffffffffff",
	  "[a] 1 0 0 0 0 0 0 [nid=0xfffffffffffffffff]" },
	{ "\"a\" #99999999999999999999",
	  "[a] 0 0 0 0 0 0 0 [#99999999999999999999]" },
	{ "\"a\" #1 cpu=99999999999999d",
	  "[a] 1 0 0 0 0 0 0 [cpu=99999999999999d]" },
	{ "\"a\" #1 is on prio=5", "[a] 1 0 0 0 0 0 0 [is on prio=5]" },
	{ "waiting", "[] 0 0 0 0 0 0 0 [waiting]" },
};

TEST(reads)
{
	for (size_t i = 0; i < op_countof(reads_rows); i++)
		CHECK_STR(said(reads_rows[i].line), reads_rows[i].said);
}

static const struct {
	struct op_splunk_thread t;
	const char *name, *status;
	bool exact;
	const char *line;
} writes_rows[] = {
	{ { .id = 49,
	    .prio = 5,
	    .os_prio = 31,
	    .cpu_ns = 120000,
	    .elapsed_ns = 8500000000,
	    .tid = 0x7fde,
	    .nid = 0xba03 },
	  "pool",
	  "waiting on condition  [0x0]",
	  true,
	  "\"pool\" #49 prio=5 os_prio=31 cpu=0.12ms elapsed=8.50s tid=0x7fde "
	  "nid=0xba03 waiting on condition  [0x0]" },
	{ { .id = 0 },
	  "",
	  "",
	  true,
	  "\"\" #0 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 nid=0x0" },
	{ { .id = -3, .is_daemon = true, .cpu_ns = 1, .elapsed_ns = 1 },
	  "a \"b\" #4",
	  "",
	  true,
	  "\"a \"b\" #4\" #-3 daemon prio=0 os_prio=0 cpu=0.000001ms "
	  "elapsed=0.000000001s tid=0x0 nid=0x0" },
	/* What cannot be. */
	{ { .id = 0 },
	  "a\nb",
	  "",
	  false,
	  "\"a b\" #0 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 nid=0x0" },
	{ { .id = 0 },
	  "a",
	  "prio=5",
	  false,
	  "\"a\" #0 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 nid=0x0" },
	{ { .id = 0 },
	  "a",
	  "x\" #1",
	  false,
	  "\"a\" #0 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 nid=0x0" },
};

TEST(writes)
{
	for (size_t i = 0; i < op_countof(writes_rows); i++) {
		struct op_splunk_thread t = writes_rows[i].t;
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		t.name = op_view_z(writes_rows[i].name);
		t.status = op_view_z(writes_rows[i].status);
		CHECK_EQ(op_splunk_thread_write(&t, &out),
			 writes_rows[i].exact);
		op_buf_byte(&out, 0);
		CHECK_STR((const char *)out.p, writes_rows[i].line);
		op_buf_free(&out);
	}
}

static const struct {
	const char *line, *state;
	bool is_written; /* and as that line */
} state_rows[] = {
	{ "   java.lang.Thread.State: TIMED_WAITING (sleeping)",
	  "TIMED_WAITING (sleeping)", true },
	{ "   java.lang.Thread.State: UNKNOWN", "UNKNOWN", true },
	{ "   sleeping", "sleeping", true },
	{ "", "", true },
	{ "RUNNABLE", "RUNNABLE", false },
	{ "java.lang.Thread.State:", "java.lang.Thread.State:", false },
};

TEST(states)
{
	for (size_t i = 0; i < op_countof(state_rows); i++) {
		struct op_view state = op_splunk_state_parse(
			op_view_z(state_rows[i].line));
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		CHECK(op_view_is(state, state_rows[i].state));
		CHECK(op_splunk_state_write(state, &out));
		CHECK_EQ(op_view_is(op_view(out.p, out.n), state_rows[i].line),
			 state_rows[i].is_written);
		op_buf_free(&out);
	}
}

/* States that would be read as something else are left out. */
TEST(states_that_cannot_be)
{
	static const char *const rows[] = { " a", "a\nb",
					    "java.lang.Thread.State: x",
					    "at a.f(b:1)" };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		CHECK(!op_splunk_state_write(op_view_z(rows[i]), &out));
		CHECK_EQ(out.n, 0);
		op_buf_free(&out);
	}
}

TEST(lines)
{
	struct op_view text = op_view_z("a\r\n\nb"), line;

	CHECK(op_splunk_line_next(&text, &line) && op_view_is(line, "a"));
	CHECK(op_splunk_line_next(&text, &line) && op_view_is(line, ""));
	CHECK(op_splunk_line_next(&text, &line) && op_view_is(line, "b"));
	CHECK(!op_splunk_line_next(&text, &line));
	text = op_view_z("");
	CHECK(op_splunk_line_next(&text, &line) && op_view_is(line, ""));
	CHECK(!op_splunk_line_next(&text, &line));
}

TEST_MAIN(reads, writes, states, states_that_cannot_be, lines)
