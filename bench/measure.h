// SPDX-License-Identifier: Apache-2.0
/* bench/measure.h: CPU time of two ways to do one work, and the result rows.
 *
 * The two are run in turn within one process and the best round of each
 * counts, so that what else the machine does hits both or neither. CPU time
 * is what the system charges the process, page faults included.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void bench_fn(void *arg);

struct bench_pair {
	bench_fn *ours;
	bench_fn *peer; /* NULL: there is none */
	void *arg;
};

/* Seconds of CPU time a call takes. */
struct bench_times {
	double ours;
	double peer;
};

/* How long to measure; a quick run is for trying things out. */
struct bench_effort {
	unsigned int rounds;
	double round_s;
	double most_s; /* fewer rounds, but three, if they take longer */
};

struct bench_effort bench_effort_for(bool quick);

/* CPU seconds of this process so far. */
double bench_cpu(void);

/* The best of the rounds, each of as many calls as fill round_s. */
struct bench_times bench_run(const struct bench_pair *pair,
			     struct bench_effort effort);

/* One line of the final table, for bench/run to pick up. goal may be empty;
 * met is then ignored. */
struct bench_row {
	const char *work;
	const char *ours;
	const char *peer;
	double ratio; /* peer time over our time; 0: none */
	const char *goal;
	bool met;
};

void bench_report(const struct bench_row *row);

/* True if --quick is among the arguments. */
bool bench_is_quick(int argc, char **argv);

/* splitmix64: every stream is fixed by its seed. */
static inline uint64_t bench_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* A number below n. */
static inline uint32_t bench_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((bench_random(state) >> 32) * n >> 32);
}

/* Keeps the compiler from dropping work whose result nobody reads. */
static inline void bench_keep(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

#ifdef __cplusplus
}
#endif

#endif
