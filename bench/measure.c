// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct bench_effort bench_effort_for(bool quick)
{
	if (quick)
		return (struct bench_effort){ 3, 0.01, 0.1 };
	return (struct bench_effort){ 9, 0.04, 1.5 };
}

double bench_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double calls_take(bench_fn *fn, void *arg, unsigned long n)
{
	double start = bench_cpu();

	for (unsigned long i = 0; i < n; i++)
		fn(arg);
	return bench_cpu() - start;
}

/* How many calls fill a round. The first call is for the caches. */
static unsigned long calls_for(bench_fn *fn, void *arg, double round_s)
{
	unsigned long n = 1;
	double s;

	s = calls_take(fn, arg, n);
	if (s > round_s)
		return 1;
	while ((s = calls_take(fn, arg, n)) < round_s / 4)
		n *= 2;
	s = (double)n * round_s / s;
	return s < 1 ? 1 : (unsigned long)s;
}

static double smaller(double a, double b)
{
	return !a || b < a ? b : a;
}

struct bench_times bench_run(const struct bench_pair *pair,
			     struct bench_effort effort)
{
	struct bench_times best = { 0 };
	unsigned long n_ours, n_peer = 0;
	double start;

	n_ours = calls_for(pair->ours, pair->arg, effort.round_s);
	if (pair->peer)
		n_peer = calls_for(pair->peer, pair->arg, effort.round_s);
	start = bench_cpu();
	for (unsigned int i = 0; i < effort.rounds; i++) {
		double s = calls_take(pair->ours, pair->arg, n_ours);

		best.ours = smaller(best.ours, s / (double)n_ours);
		if (pair->peer) {
			s = calls_take(pair->peer, pair->arg, n_peer);
			best.peer = smaller(best.peer, s / (double)n_peer);
		}
		if (i >= 2 && bench_cpu() - start > effort.most_s)
			break;
	}
	return best;
}

void bench_report(const struct bench_row *row)
{
	const char *met = row->met ? "yes" : "NO";
	char ratio[32] = "-";

	if (row->ratio > 0)
		snprintf(ratio, sizeof(ratio), "%.2fx", row->ratio);
	if (!row->goal[0])
		met = "-";
	printf("row|%s|%s|%s|%s|%s|%s\n", row->work, row->ours, row->peer,
	       ratio, row->goal[0] ? row->goal : "-", met);
	fflush(stdout);
}

bool bench_is_quick(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--quick"))
			return true;
	return false;
}
