// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/read_threads.c: where threads stand.
 *
 *	--- threadz 1 ---
 *	--- Thread 7f794ab90940 (name: main/14748) stack: ---
 *	  PC:  0x00bc8f1c: helper(arg *)
 *	  0x0040be31: main
 *	      creator: 0xa45b96 0xa460b4
 *	--- Thread 7f794964e700 (name: thread1/14751) stack: ---
 *	  [same as previous thread]
 *	---- no stack trace for ...
 *	--- Memory map: ---
 *
 * As in pprof, the stack that created a thread is part of its stack. */
#include "fmt/gperftools/gperftools_int.h"

static bool is_thread(struct op_view line)
{
	return op_gperf_begins(line, "--- Thread ") &&
	       op_view_ends(line, " stack: ---");
}

static bool is_head(struct op_view line)
{
	int64_t number;

	return op_gperf_take(&line, "--- threadz ") &&
	       op_gperf_take_int(&line, &number) && op_gperf_take(&line, "---");
}

bool op_gperf_is_threads(struct op_view line)
{
	return is_head(line) || is_thread(line);
}

/* "PC: 0x1 0x2", "0x1: name" */
static void frames_take(struct op_gperf *g, struct op_view line)
{
	struct op_view at = line, word = op_gperf_take_word(&at);
	uint32_t nr = g->samples.p[g->samples.n - 1].nr;
	struct op_gperf_name name = { 0 };

	if (op_view_ends(word, ":") && !op_gperf_begins(word, "0x"))
		line = op_gperf_trim(at);
	while (!g->err->code && op_gperf_begins(line, "0x")) {
		if (!op_gperf_take_hex(&line, &name.address)) {
			op_gperf_bad(g, line, "not a 64-bit address");
			return;
		}
		/* The leaf is not a call. */
		name.address -= nr++ != 0;
		op_gperf_address_add(g, name.address);
		if (op_gperf_begins(line, ":")) {
			op_gperf_take(&line, ":");
			name.function = op_gperf_trim(line);
			op_gperf_name_add(g, &name, 1);
			return;
		}
		line = op_gperf_trim(line);
	}
	g->nr_unknown += line.n != 0;
}

/* A thread without a stack stands where the one before it stands. */
static void thread_end(struct op_gperf *g, bool is_same)
{
	struct op_gperf_sample *s;

	if (g->err->code || !g->samples.n)
		return;
	s = &g->samples.p[g->samples.n - 1];
	if (s->nr && !is_same) {
		s->values[0] = 1;
		return;
	}
	g->addresses.n -= s->nr;
	g->samples.n--;
	if (g->samples.n)
		s[-1].values[0]++;
	else
		g->nr_unknown++;
}

static void threads_take(struct op_gperf *g, struct op_view text)
{
	static const char same[] = "same as previous thread";
	bool is_open = false, is_same = false;
	struct op_view line;

	while (!g->err->code && op_gperf_line(&text, &line)) {
		bool is_rule = op_gperf_begins(line, "---");

		if (is_rule && is_open) {
			thread_end(g, is_same);
			is_open = false;
		}
		if (is_thread(line)) {
			op_gperf_sample_add(g);
			is_open = true;
			is_same = false;
		} else if (op_gperf_is_map_head(line) ||
			   op_gperf_begins(line, "---- no stack trace for")) {
			op_gperf_read_sections(g, line, text);
			return;
		} else if (is_rule && (g->samples.n || !is_head(line))) {
			op_gperf_bad(g, line, "expected a thread");
		} else if (is_open && line.n) {
			if (memmem(line.p, line.n, same, sizeof(same) - 1))
				is_same = true;
			else
				frames_take(g, line);
		}
	}
	if (is_open)
		thread_end(g, is_same);
}

void op_gperf_read_threads(struct op_gperf *g, struct op_view text)
{
	op_gperf_type_add(g, "thread", "count");
	g->period_type = g->types[0];
	g->period = 1;
	threads_take(g, text);
	if (!g->err->code)
		op_gperf_drop_repeated(g);
}
