// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/read_contention.c: time spent waiting for locks.
 *
 *	--- contentionz 1 ---         also "--- contention:", "--- mutex:"
 *	cycles/second = 3201000000
 *	sampling period = 100
 *	ms since reset = 16502830
 *	discarded samples = 0
 *	  19490304   27 @ 0xbccc97 0xc61202
 *
 * Of each stack the cycles and how often, of those that were sampled. */
#include "fmt/gperftools/gperftools_int.h"

bool op_gperf_is_contention(struct op_view line)
{
	return op_gperf_begins(line, "--- contentionz ") ||
	       op_gperf_begins(line, "--- contention:") ||
	       op_gperf_begins(line, "--- mutex:");
}

/* A number that is all of the text. */
static bool number(struct op_view v, int64_t *out)
{
	return op_gperf_take_int(&v, out) && !op_gperf_trim(v).n;
}

static void attribute(struct op_gperf *g, struct op_view line, int64_t *hz)
{
	struct op_view key, value;
	bool is_fine = true;
	int64_t ms = 0, ns = 0;

	op_gperf_assignment(line, &key, &value);
	if (op_view_is(key, "cycles/second")) {
		is_fine = number(value, hz);
	} else if (op_view_is(key, "sampling period")) {
		is_fine = number(value, &g->period);
	} else if (op_view_is(key, "ms since reset")) {
		is_fine = number(value, &ms) && ms >= 0 &&
			  !__builtin_mul_overflow(ms, 1000000, &ns);
		g->duration_ns = (uint64_t)ns;
	} else if (!op_view_is(key, "discarded samples")) {
		op_gperf_bad(g, line,
			     "unknown attribute of a contention "
			     "profile");
	}
	if (!is_fine)
		op_gperf_bad(g, value, "not a number, or too large");
}

/* What was sampled as what it stands for, in nanoseconds. */
static bool unsample(struct op_gperf_sample *s, int64_t period, int64_t hz)
{
	const double most = 9223372036854774784.0; /* below 2^63 */
	double ns;

	if (period <= 0)
		return true;
	if (hz > 0) {
		ns = (double)s->values[1] * (double)period / ((double)hz / 1e9);
		if (!(ns <= most))
			return false;
		s->values[1] = (int64_t)ns;
	}
	return !__builtin_mul_overflow(s->values[0], period, &s->values[0]);
}

static void sample_take(struct op_gperf *g, struct op_view line, int64_t hz)
{
	struct op_gperf_sample *s = op_gperf_sample_add(g);
	struct op_view rest = line;

	if (!op_gperf_take_int(&rest, &s->values[1]) ||
	    !op_gperf_take_int(&rest, &s->values[0]) ||
	    !op_gperf_take(&rest, "@") || s->values[0] < 0 ||
	    s->values[1] < 0) {
		op_gperf_bad(g, line, "not a sample of a contention profile");
		return;
	}
	if (!unsample(s, g->period, hz))
		op_gperf_bad(g, line, "values are too large");
	op_gperf_take_stack(g, rest, 1);
}

void op_gperf_read_contention(struct op_gperf *g, struct op_view text)
{
	struct op_view line, key, value;
	bool has_samples = false;
	int64_t hz = 0;

	op_gperf_type_add(g, "contentions", "count");
	op_gperf_type_add(g, "delay", "nanoseconds");
	g->period_type = g->types[0];
	g->period = 1;
	g->drop = OP_GPERF_DROP_LOCK;
	op_gperf_line(&text, &line);
	while (!g->err->code && op_gperf_line(&text, &line)) {
		if (op_gperf_is_idle(line)) {
			op_gperf_comment(g, line);
			continue;
		}
		if (op_gperf_ends_samples(line)) {
			op_gperf_read_sections(g, line, text);
			return;
		}
		has_samples |= !op_gperf_assignment(line, &key, &value);
		if (has_samples)
			sample_take(g, line, hz);
		else
			attribute(g, line, &hz);
	}
}
