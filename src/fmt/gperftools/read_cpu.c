// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/read_cpu.c: binary CPU profiles.
 *
 * Words of 4 or 8 bytes in the byte order of the machine:
 *
 *	0, 3, language, period in microseconds, 0      header
 *	count, n, n addresses, leaf first              for each stack
 *	0, 1, 0                                        end
 *
 * The language is 0 for C and C++, whose memory map follows as text, and 1 for
 * Java, whose names follow as text. */
#include "fmt/gperftools/gperftools_int.h"

enum { HEADER_WORDS = 5, LANGUAGE_NATIVE = 0, LANGUAGE_JAVA = 1 };

struct words {
	struct op_view in;
	size_t at;
	unsigned int size;
	bool is_big_endian;
};

static size_t left(const struct words *w)
{
	return (w->in.n - w->at) / w->size;
}

/* There must be one more. */
static uint64_t next(struct words *w)
{
	const uint8_t *p = w->in.p + w->at;
	uint64_t v = 0;

	for (unsigned int i = 0; i < w->size; i++)
		v = v << 8 | p[w->is_big_endian ? i : w->size - 1 - i];
	w->at += w->size;
	return v;
}

/* Finds size and order of the words, and leaves them behind the header. */
static bool header(struct words *w, uint64_t *language, uint64_t *period)
{
	const struct op_view in = w->in;

	for (unsigned int kind = 0; kind < 4; kind++) {
		uint64_t head[HEADER_WORDS];

		*w = (struct words){ .in = in,
				     .size = kind & 2 ? 8 : 4,
				     .is_big_endian = kind & 1 };
		if (left(w) < HEADER_WORDS)
			return false;
		for (size_t i = 0; i < HEADER_WORDS; i++)
			head[i] = next(w);
		*language = head[2];
		*period = head[3];
		if (!head[0] && head[1] == 3 && head[2] <= LANGUAGE_JAVA &&
		    head[3] && !head[4])
			return true;
	}
	return false;
}

bool op_gperf_is_cpu(struct op_view in)
{
	struct words w = { .in = in };
	uint64_t language, period;

	if (!header(&w, &language, &period))
		return false;
	if (w.at == in.n)
		return true;
	if (left(&w) < 2)
		return false;
	next(&w);
	return next(&w) <= left(&w);
}

/* --- records --- */

static void cpu_bad(struct op_gperf *g, const struct words *w, const char *what)
{
	op_gperf_bad(g, op_view(w->in.p + w->at, 0), what);
}

/* Reads one record; false at the end mark and after a failure. */
static bool record(struct op_gperf *g, struct words *w, unsigned int less)
{
	const struct words start = *w;
	struct op_gperf_sample *s;
	uint64_t count, nr;

	if (left(w) < 2) {
		cpu_bad(g, w, "truncated record");
		return false;
	}
	count = next(w);
	nr = next(w);
	if (nr > left(w)) {
		cpu_bad(g, &start, "a stack extends past the end of the file");
		return false;
	}
	s = op_gperf_sample_add(g);
	for (uint64_t i = 0; i < nr && !g->err->code; i++)
		op_gperf_address_add(g, next(w) - (i ? less : 0));
	if (g->err->code)
		return false;
	if (!count && nr == 1 && !g->addresses.p[s->first]) {
		g->samples.n--;
		g->addresses.n--;
		return false;
	}
	s->values[0] = (int64_t)count;
	if (count > INT64_MAX ||
	    __builtin_mul_overflow(s->values[0], g->period, &s->values[1]))
		cpu_bad(g, &start, "a count is too large");
	return !g->err->code;
}

/* The address that stands second in all samples but at most one of 32; false
 * if there is none. */
static bool common_second(const struct op_gperf *g, uint64_t *out)
{
	size_t n = g->samples.n, ahead = 0, nr = 0;
	uint64_t second = 0;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i++) {
			const struct op_gperf_sample *s = &g->samples.p[i];
			uint64_t a;

			if (s->nr < 2)
				continue;
			a = g->addresses.p[s->first + 1];
			if (round) {
				nr += a == second;
			} else if (!ahead) {
				/* What most have is left over in the end. */
				second = a;
				ahead = 1;
			} else if (a == second) {
				ahead++;
			} else {
				ahead--;
			}
		}
	}
	*out = second;
	return nr && nr >= n - n / 32;
}

/* Older profilers have frames of their signal handler behind the leaf. */
static void drop_handler(struct op_gperf *g)
{
	enum { MAX_FRAMES = 2 };
	uint64_t second;

	for (int i = 0; i < MAX_FRAMES && common_second(g, &second); i++) {
		op_note(g->opts,
			"caller 0x%llx of almost all samples taken for the "
			"signal handler and dropped, as in pprof",
			(unsigned long long)second);
		for (size_t k = 0; k < g->samples.n; k++) {
			struct op_gperf_sample *s = &g->samples.p[k];

			if (s->nr > 1 && g->addresses.p[s->first + 1] == second)
				op_gperf_drop_second(g, s);
		}
	}
}

void op_gperf_read_cpu(struct op_gperf *g)
{
	struct words w = { .in = g->in };
	uint64_t language, period;
	struct op_view rest;
	bool has_end = false;

	if (!header(&w, &language, &period) || period > INT64_MAX / 1000) {
		op_gperf_bad(g, g->in, "not the header of a CPU profile");
		return;
	}
	op_gperf_type_add(g, "samples", "count");
	op_gperf_type_add(g, "cpu", "nanoseconds");
	g->period_type = g->types[1];
	g->period = (int64_t)period * 1000;
	while (!has_end && w.at < w.in.n && !g->err->code)
		has_end = !record(g, &w, language == LANGUAGE_NATIVE);
	if (!has_end)
		op_note(g->opts, "no end mark: the profile may be truncated");
	if (g->err->code)
		return;
	rest = op_view(w.in.p + w.at, w.in.n - w.at);
	if (language == LANGUAGE_JAVA) {
		op_gperf_read_java_names(g, rest);
		return;
	}
	drop_handler(g);
	op_gperf_read_maps(g, rest);
	op_gperf_drop_repeated(g);
}
