// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/read_java.c: heap and contention profiles of Java.
 *
 *	--- heapz 1 ---                       or "--- contentionz 1 ---"
 *	format = java
 *	resolution = bytes
 *	    7048   1 @ 0x00000003 0x00000004  bytes or time, how often
 *
 *	 0x00000003 com.example.f (Source.java:12)
 *	 0x00000004 read (/lib/libc.so)
 *	 0x00000005 GC
 *
 * What looks like addresses are numbers of calls. */
#include "fmt/gperftools/gperftools_int.h"

enum { HEAP_RATE = 512 * 1024 };

bool op_gperf_is_java(struct op_view text)
{
	struct op_view line = { 0 }, key, value;

	op_gperf_line(&text, &line);
	if (op_view_is(line, "--- heapz 1 ---"))
		return true;
	if (!op_view_is(line, "--- contentionz 1 ---"))
		return false;
	while (op_gperf_line(&text, &line)) {
		if (!line.n)
			continue;
		if (!op_gperf_assignment(line, &key, &value))
			return false;
		if (op_view_is(key, "format") || op_view_is(key, "resolution"))
			return true;
	}
	return false;
}

/* --- names --- */

/* "function (file:line)", "function (library)" or any text */
static void place_take(struct op_gperf_name *row, struct op_view text)
{
	static const char stub[] = "generated stub/JIT";
	const uint8_t *open = text.n && text.p[text.n - 1] == ')' ?
				      memrchr(text.p, '(', text.n) :
				      NULL;
	struct op_view inside, number;
	const uint8_t *sign;
	int64_t line;

	row->function = text;
	if (memmem(text.p, text.n, stub, sizeof(stub) - 1))
		row->function = op_view_z("STUB");
	if (!open || open == text.p || (open[-1] != ' ' && open[-1] != '\t'))
		return;
	row->function = op_gperf_trim(op_view(text.p, (size_t)(open - text.p)));
	inside = op_view(open + 1, (size_t)(text.p + text.n - 1 - (open + 1)));
	sign = inside.n ? memrchr(inside.p, ':', inside.n) : NULL;
	if (sign) {
		number = op_view(sign + 1,
				 inside.n - (size_t)(sign + 1 - inside.p));
		if (op_gperf_take_int(&number, &line) && !number.n) {
			row->line = line > 0 ? line : 0;
			row->file = op_view(inside.p,
					    (size_t)(sign - inside.p));
			return;
		}
	}
	sign = inside.n ? memrchr(inside.p, '/', inside.n) : NULL;
	row->file = sign ? op_view(sign + 1,
				   inside.n - (size_t)(sign + 1 - inside.p)) :
			   inside;
}

void op_gperf_read_java_names(struct op_gperf *g, struct op_view text)
{
	struct op_view line;

	g->is_java = true;
	while (!g->err->code && op_gperf_line(&text, &line)) {
		struct op_gperf_name row = { 0 };

		if (!line.n)
			continue;
		if (!op_gperf_begins(line, "0x") ||
		    !op_gperf_take_hex(&line, &row.address) ||
		    !op_gperf_trim(line).n) {
			g->nr_unknown++;
			continue;
		}
		place_take(&row, op_gperf_trim(line));
		op_gperf_name_add(g, &row, 1);
	}
}

/* --- samples --- */

static bool is_heap(const struct op_gperf *g)
{
	return g->drop == OP_GPERF_DROP_ALLOCATOR;
}

static void attribute(struct op_gperf *g, struct op_view line)
{
	struct op_view key, value, at;
	bool is_fine = true;
	int64_t ms = 0, ns = 0;

	op_gperf_assignment(line, &key, &value);
	at = value;
	if (op_view_is(key, "format")) {
		is_fine = op_view_is(value, "java");
	} else if (op_view_is(key, "resolution")) {
		g->types[1].unit = value;
		is_fine = value.n;
	} else if (!is_heap(g) && op_view_is(key, "sampling period")) {
		is_fine = op_gperf_take_int(&value, &g->period);
		g->period_type = g->types[0];
	} else if (!is_heap(g) && op_view_is(key, "ms since reset")) {
		is_fine = op_gperf_take_int(&value, &ms) && ms >= 0 &&
			  !__builtin_mul_overflow(ms, 1000000, &ns);
		g->duration_ns = (uint64_t)ns;
	} else {
		op_gperf_bad(g, line, "unknown attribute of a Java profile");
	}
	if (!is_fine)
		op_gperf_bad(g, at, "invalid value of an attribute");
}

/* What was sampled as what it stands for. */
static bool unsample(const struct op_gperf *g, struct op_gperf_sample *s)
{
	if (!is_heap(g))
		return !g->period ||
		       (!__builtin_mul_overflow(s->values[0], g->period,
						&s->values[0]) &&
			!__builtin_mul_overflow(s->values[1], g->period,
						&s->values[1]));
	if (!s->values[0])
		return false;
	s->block_bytes = s->values[1] / s->values[0];
	return op_gperf_unsample(&s->values[0], &s->values[1], HEAP_RATE);
}

static void sample_take(struct op_gperf *g, struct op_view line)
{
	struct op_view rest = line;
	struct op_gperf_sample *s;
	int64_t count, amount;

	if (!op_gperf_take_int(&rest, &amount) ||
	    !op_gperf_take_int(&rest, &count) || !op_gperf_take(&rest, "@")) {
		op_gperf_bad(g, line, "not a sample of a Java profile");
		return;
	}
	s = op_gperf_sample_add(g);
	s->values[0] = count;
	s->values[1] = amount;
	if (!g->types[1].unit.n)
		op_gperf_bad(g, line, "a sample before any resolution");
	if (count < 0 || amount < 0 || !unsample(g, s))
		op_gperf_bad(g, line, "invalid values of a sample");
	op_gperf_take_stack(g, rest, 0);
}

void op_gperf_read_java(struct op_gperf *g, struct op_view text)
{
	struct op_view line = { 0 }, behind, key, value;

	op_gperf_line(&text, &line);
	g->drop = op_gperf_begins(line, "--- heapz") ? OP_GPERF_DROP_ALLOCATOR :
						       OP_GPERF_DROP_LOCK;
	op_gperf_type_add(g, is_heap(g) ? "inuse_objects" : "contentions",
			  "count");
	op_gperf_type_add(g, is_heap(g) ? "inuse_space" : "delay", "");
	for (behind = text; !g->err->code && op_gperf_line(&behind, &line);
	     text = behind) {
		if (!line.n)
			continue;
		if (!g->samples.n && op_gperf_assignment(line, &key, &value))
			attribute(g, line);
		else if (op_gperf_begins(line, "0x"))
			break;
		else
			sample_take(g, line);
	}
	op_gperf_read_java_names(g, text);
}
