// SPDX-License-Identifier: Apache-2.0
/* examples/agent_linked.c: a program that profiles itself.
 *
 *	agent_linked [OUTPUT] [SECONDS]
 *
 * It starts the agent, works, and stops it. OUTPUT says where samples go, as in
 * otprof_agent_opts; without it they are sent as OTLP logs to the endpoint that
 * the environment names. Link with -lotprof-agent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <otprof.h>

static volatile double sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What the profile shows. */
static void work_until(double end)
{
	while (now() < end)
		for (int i = 1; i < 100000; i++)
			sink += 1.0 / i;
}

int main(int argc, char **argv)
{
	struct otprof_agent_opts opts;
	struct otprof_err err = { 0 };

	memset(&opts, 0, sizeof(opts));
	opts.sz = sizeof(opts);
	opts.interval_ms = 10;
	opts.output = argc > 1 ? argv[1] : NULL;
	/* A program goes on without its profiler. */
	if (otprof_agent_start(&opts, &err))
		fprintf(stderr, "no profile: %s\n", err.text);
	work_until(now() + (argc > 2 ? atof(argv[2]) : 2));
	otprof_agent_stop();
	return 0;
}
