// SPDX-License-Identifier: Apache-2.0
/* What the agent adds to malloc() and free(): the same loops without it and
 * with it, in one process, the best of several. The loops are so short that the
 * best has no sample; what a sample costs is measured with blocks that nearly
 * all are sampled.
 *
 * usage: alloc, with OTPROF_PROGRAM set */
#include <malloc.h>
#include <otprof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { NR = 5000, ROUNDS = 3000, BYTES = 32, SAMPLED = 100, LARGE = 3 << 20 };
#define GOAL_MALLOC 3.0
#define GOAL_FREE 10.0

static void *blocks[NR];

struct cost {
	double malloc_ns, free_ns; /* per call */
};

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct cost measure(void)
{
	struct cost best = { 1e9, 1e9 };

	for (int k = 0; k < ROUNDS; k++) {
		double start = cpu_ns(), middle, end;

		for (int i = 0; i < NR; i++)
			blocks[i] = malloc(BYTES);
		middle = cpu_ns();
		for (int i = 0; i < NR; i++)
			free(blocks[i]);
		end = cpu_ns();
		if ((middle - start) / NR < best.malloc_ns)
			best.malloc_ns = (middle - start) / NR;
		if ((end - middle) / NR < best.free_ns)
			best.free_ns = (end - middle) / NR;
	}
	return best;
}

/* Of a block that is sampled, allocated and freed. */
static double measure_sampled(void)
{
	double best = 1e12;

	for (int k = 0; k < 30; k++) {
		double start = cpu_ns();

		for (int i = 0; i < SAMPLED; i++) {
			void *volatile p = malloc(LARGE);

			free(p);
		}
		if ((cpu_ns() - start) / SAMPLED < best)
			best = (cpu_ns() - start) / SAMPLED;
		usleep(10000);
	}
	return best;
}

static void row(const char *name, double without, double with, double goal)
{
	printf("%-8s %6.2f ns without, %6.2f ns with the agent: +%.2f ns, goal "
	       "%.0f%s\n",
	       name, without, with, with - without, goal,
	       with - without > goal ? " MISSED" : "");
}

static void *wait_forever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(void)
{
	struct otprof_agent_opts opts;
	struct otprof_err err = { 0 };
	struct cost without, with;
	double large, sampled;
	pthread_t idle;

	/* The C library takes no locks while there is one thread. */
	pthread_create(&idle, NULL, wait_forever, NULL);
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	without = measure();
	large = measure_sampled();
	OTPROF_INIT(&opts);
	opts.has_memory = 1;
	opts.output = "file:/dev/null";
	if (otprof_agent_start(&opts, &err)) {
		fprintf(stderr, "alloc: %s\n", err.text);
		return 1;
	}
	sleep(2); /* until it has started */
	with = measure();
	sampled = measure_sampled();
	otprof_agent_stop();
	row("malloc", without.malloc_ns, with.malloc_ns, GOAL_MALLOC);
	row("free", without.free_ns, with.free_ns, GOAL_FREE);
	printf("a sample costs %.1f us\n", (sampled - large) / 1e3);
	return 0;
}
