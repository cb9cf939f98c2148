// SPDX-License-Identifier: Apache-2.0
/* bench/agent_signal.c: what one sample of a running thread costs that thread:
 * CPU time from the request to the end of the handler, at a depth of 20 frames.
 * "peer" sends SIGPROF instead, which gperftools' profiler handles if it is
 * preloaded and CPUPROFILE is set.
 *
 *	agent_signal ours|peer */
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "agent/handler.h"
#include "unit/agent/agent_fixture.h"

enum { RUNS = 20, SAMPLES = 2000, DEPTH = 20 };

static struct fixture f;
static volatile int sink;

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void ours(void)
{
	struct op_ask *a = op_ask(own_tid(), op_agent_map(f.channel), f.tables);

	if (op_ask_state(a) != OP_ASK_DONE || a->end != OP_UNWIND_DONE ||
	    a->nr < DEPTH)
		printf("no stack\n");
	op_ask_free(a);
}

static void peer(void)
{
	raise(SIGPROF);
}

static __attribute__((noinline)) double deep(int n, void (*fn)(void))
{
	double before, r;

	if (n) {
		r = deep(n - 1, fn);
		sink++;
		return r;
	}
	before = cpu_us();
	for (int i = 0; i < SAMPLES; i++)
		fn();
	return (cpu_us() - before) / SAMPLES;
}

int main(int argc, char **argv)
{
	bool is_peer = argc > 1 && !strcmp(argv[1], "peer");
	double best = 1e9;

	fixture_open(&f);
	fixture_helper(&f);
	if (op_handler_open(0, &f.err))
		return 1;
	for (int i = 0; i < RUNS; i++) {
		double us = deep(DEPTH, is_peer ? peer : ours);

		best = us < best ? us : best;
	}
	printf("signal %.3f\n", best);
	fixture_close(&f);
	return 0;
}
