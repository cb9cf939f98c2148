// SPDX-License-Identifier: Apache-2.0
/* bench/pprof_gen.c: pprof_gen SAMPLES TYPES [SEED [KINDS]] >FILE
 *
 * A pprof profile, not compressed, with the shape of what converters write of
 * a recording: 7,500 locations that stacks share unevenly, stacks of about 35
 * frames that begin alike, a thread name on every sample, and numbers on some.
 * Samples are drawn from KINDS kinds, by default 80,000, which are the same for
 * every seed: a recording that was measured had 83,000 kinds among 490,000
 * samples. A seed is also the minute it was. 327,000 samples of one type are
 * about 25 MB. The same arguments give the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "pb/write.h"

enum {
	NR_FUNCTIONS = 5000,
	NR_LOCATIONS = 7500,
	NR_THREADS = 100,
	NR_MAPPINGS = 12,
	NR_KINDS = 80000,
	SHALLOWEST = 24,
	DEEPEST = 46,
	MAX_TYPES = 4,
};

/* Indexes of the string table: what is fixed comes first. */
enum {
	S_TYPES = 1, /* type and unit of each */
	S_CPU = S_TYPES + 2 * MAX_TYPES,
	S_NS,
	S_THREAD,
	S_REQUEST,
	S_BYTES,
	S_THREADS,
	S_FILES = S_THREADS + NR_THREADS,
	S_MAPPINGS = S_FILES + NR_FUNCTIONS / 10,
	S_FUNCTIONS = S_MAPPINGS + NR_MAPPINGS,
	NR_STRINGS = S_FUNCTIONS + NR_FUNCTIONS,
};

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
};

#define MINUTE ((uint64_t)60000000000)

struct kind {
	size_t n;
	uint32_t location[DEEPEST]; /* leaf first */
	uint32_t thread;
	uint32_t request; /* 0: none */
};

struct gen {
	struct op_pbw w;
	uint64_t rng;
	uint64_t seed; /* which minute */
	size_t nr_types;
	struct kind *kinds;
	uint32_t nr_kinds;
};

static uint32_t below(struct gen *g, uint32_t n)
{
	return bench_below(&g->rng, n);
}

/* What is hot has a low id: half of the draws fall into the first eighth. */
static uint32_t skewed(struct gen *g, uint32_t n)
{
	double u = (double)below(g, 1 << 24) / (1 << 24);

	return 1 + (uint32_t)(u * u * u * (double)n);
}

/* --- strings --- */

static void name_of(size_t i, char *s, size_t room)
{
	static const char *const fixed[S_THREADS] = {
		"",	   "samples",	    "count",	   "alloc_space",
		"bytes",   "inuse_objects", "count",	   "inuse_space",
		"bytes",   "cpu",	    "nanoseconds", "thread.name",
		"request", "bytes",
	};
	unsigned int k = (unsigned int)i;

	if (i < S_THREADS)
		snprintf(s, room, "%s", fixed[i]);
	else if (i < S_FILES)
		snprintf(s, room, "worker-pool-%u", k - S_THREADS);
	else if (i < S_MAPPINGS)
		snprintf(s, room, "src/module_%u/part_%u.cc", k % 37, k);
	else if (i < S_FUNCTIONS)
		snprintf(s, room, "/usr/lib/service/lib%u.so", k - S_MAPPINGS);
	else
		snprintf(
			s, room,
			"shop::module_%u::Handler%u::process(Request%u const&)",
			k % 37, k, k % 11);
}

static void put_strings(struct gen *g)
{
	char s[96];

	for (size_t i = NR_STRINGS; i-- > 0;) {
		name_of(i, s, sizeof(s));
		op_pbw_bytes(&g->w, PROFILE_STRING, op_view_z(s));
	}
}

/* --- tables: fields go in from the last to the first --- */

static void put_functions(struct gen *g)
{
	for (uint32_t i = NR_FUNCTIONS; i > 0; i--) {
		size_t end = op_pbw_mark(&g->w);

		op_pbw_uint(&g->w, 5, i % 900 + 1);
		op_pbw_uint(&g->w, 4, S_FILES + (i - 1) / 10);
		op_pbw_uint(&g->w, 3, S_FUNCTIONS + i - 1);
		op_pbw_uint(&g->w, 2, S_FUNCTIONS + i - 1);
		op_pbw_uint(&g->w, 1, i);
		op_pbw_len(&g->w, PROFILE_FUNCTION, end);
	}
}

static void put_line(struct gen *g, uint32_t function, uint32_t line)
{
	size_t end = op_pbw_mark(&g->w);

	op_pbw_uint(&g->w, 2, line);
	op_pbw_uint(&g->w, 1, function);
	op_pbw_len(&g->w, 4, end);
}

static void put_locations(struct gen *g)
{
	for (uint32_t i = NR_LOCATIONS; i > 0; i--) {
		size_t end = op_pbw_mark(&g->w);
		uint64_t mapping = i % NR_MAPPINGS + 1;

		if (i % 8 == 0)
			put_line(g, i % 700 + 1, i % 500 + 1);
		put_line(g, i % NR_FUNCTIONS + 1, i % 900 + 7);
		op_pbw_uint(&g->w, 3, (mapping << 32) + i * 24);
		op_pbw_uint(&g->w, 2, mapping);
		op_pbw_uint(&g->w, 1, i);
		op_pbw_len(&g->w, PROFILE_LOCATION, end);
	}
}

static void put_mappings(struct gen *g)
{
	for (uint64_t i = NR_MAPPINGS; i > 0; i--) {
		size_t end = op_pbw_mark(&g->w);

		op_pbw_uint(&g->w, 7, 1);
		op_pbw_uint(&g->w, 5, S_MAPPINGS + i - 1);
		op_pbw_uint(&g->w, 3, (i << 32) + (1 << 24));
		op_pbw_uint(&g->w, 2, i << 32);
		op_pbw_uint(&g->w, 1, i);
		op_pbw_len(&g->w, PROFILE_MAPPING, end);
	}
}

/* --- samples --- */

/* A kind has the stack of an earlier one, or its callers and new leaves. */
static void make_kind(struct gen *g, uint32_t i)
{
	const struct kind from = g->kinds[i ? below(g, i) : 0];
	struct kind *to = &g->kinds[i];
	size_t kept;

	*to = from;
	to->thread = S_THREADS + skewed(g, NR_THREADS) - 1;
	to->request = below(g, 20) ? 0 : 1 + below(g, 64);
	if (from.n && below(g, 2))
		return;
	to->n = SHALLOWEST + below(g, DEEPEST - SHALLOWEST + 1);
	kept = from.n < to->n ? from.n : to->n;
	kept = kept > 8 ? kept - below(g, 8) : 0;
	for (size_t k = 0; k < to->n; k++)
		to->location[k] = k < to->n - kept ?
					  skewed(g, NR_LOCATIONS - 1) :
					  from.location[from.n - to->n + k];
}

static bool make_kinds(struct gen *g)
{
	g->kinds = calloc(g->nr_kinds, sizeof(*g->kinds));
	for (uint32_t i = 0; g->kinds && i < g->nr_kinds; i++)
		make_kind(g, i);
	return g->kinds != NULL;
}

static void put_label(struct gen *g, uint32_t key, uint32_t str, uint64_t num)
{
	size_t end = op_pbw_mark(&g->w);

	if (num)
		op_pbw_uint(&g->w, 4, S_BYTES);
	op_pbw_uint(&g->w, 3, num);
	op_pbw_uint(&g->w, 2, str);
	op_pbw_uint(&g->w, 1, key);
	op_pbw_len(&g->w, 3, end);
}

static void put_sample(struct gen *g)
{
	const struct kind *k = &g->kinds[skewed(g, g->nr_kinds - 1)];
	size_t end = op_pbw_mark(&g->w);
	int64_t values[MAX_TYPES];

	for (size_t i = 0; i < g->nr_types; i++)
		values[i] = i % 2 ? 64 + below(g, 1 << 16) : 1 + below(g, 9);
	if (k->request)
		put_label(g, S_REQUEST, 0, k->request);
	put_label(g, S_THREAD, k->thread, 0);
	op_pbw_packed_i64(&g->w, 2, values, g->nr_types);
	op_pbw_packed_u32(&g->w, 1, k->location, k->n);
	op_pbw_len(&g->w, PROFILE_SAMPLE, end);
}

static void put_type(struct gen *g, uint32_t field, uint32_t type)
{
	size_t end = op_pbw_mark(&g->w);

	op_pbw_uint(&g->w, 2, type + 1);
	op_pbw_uint(&g->w, 1, type);
	op_pbw_len(&g->w, field, end);
}

static void put_profile(struct gen *g, size_t nr_samples)
{
	op_pbw_uint(&g->w, PROFILE_PERIOD, 10000000);
	put_type(g, PROFILE_PERIOD_TYPE, S_CPU);
	op_pbw_uint(&g->w, PROFILE_DURATION, MINUTE);
	op_pbw_uint(&g->w, PROFILE_TIME,
		    1700000000000000000 + g->seed * MINUTE);
	put_strings(g);
	put_functions(g);
	put_locations(g);
	put_mappings(g);
	for (size_t i = 0; i < nr_samples; i++)
		put_sample(g);
	for (size_t i = g->nr_types; i-- > 0;)
		put_type(g, PROFILE_SAMPLE_TYPE, (uint32_t)(S_TYPES + 2 * i));
}

int main(int argc, char **argv)
{
	struct gen g = { .rng = 1, .nr_kinds = NR_KINDS };
	struct op_err err = { 0 };
	struct op_view v;

	if (argc > 2)
		g.nr_types = strtoul(argv[2], NULL, 10);
	if (argc > 4)
		g.nr_kinds = (uint32_t)strtoul(argv[4], NULL, 10);
	if (argc < 3 || argc > 5 || g.nr_types < 1 || g.nr_types > MAX_TYPES ||
	    g.nr_kinds < 2) {
		fputs("usage: pprof_gen SAMPLES TYPES [SEED [KINDS]] >FILE\n",
		      stderr);
		return 2;
	}
	g.w.err = &err;
	if (!make_kinds(&g))
		op_fail(&err, OP_ENOMEM, "no memory for %u kinds", g.nr_kinds);
	if (argc > 3)
		g.rng = g.seed = strtoull(argv[3], NULL, 10);
	if (!err.code)
		put_profile(&g, strtoul(argv[1], NULL, 10));
	v = op_pbw_result(&g.w);
	if (!err.code && (fwrite(v.p, 1, v.n, stdout) != v.n || fflush(stdout)))
		op_fail_sys(&err, "write");
	if (err.code)
		fprintf(stderr, "pprof_gen: %s\n", err.text);
	op_pbw_free(&g.w);
	free(g.kinds);
	return err.code ? 1 : 0;
}
