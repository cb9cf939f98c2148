// SPDX-License-Identifier: Apache-2.0
/* bench/span.c: what it takes to attach and to detach a span.
 *
 * usage: span [--quick] LIBRARY
 *
 * LIBRARY is span_calls.c as a library, built as most are: there, thread-local
 * variables are found by a function call. Detaching is what is left when
 * attaching is taken from both.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "span_calls.h"

enum { GOAL_NS = 10 };

static void report(const char *what, const char *where, double seconds)
{
	double ns = seconds * 1e9 / SPAN_CALLS;
	char work[64], ours[32], goal[32];

	snprintf(work, sizeof(work), "span, %s, in a %s", what, where);
	snprintf(ours, sizeof(ours), "%.2f ns", ns);
	snprintf(goal, sizeof(goal), "<= %d ns", GOAL_NS);
	printf("%s: %s\n", work, ours);
	bench_report(
		&(struct bench_row){ work, ours, "-", 0, goal, ns <= GOAL_NS });
}

static void bench(const char *where, bench_fn *pairs, bench_fn *attaches,
		  struct bench_effort effort)
{
	const struct bench_pair both = { pairs, attaches, NULL };
	struct bench_times t = bench_run(&both, effort);

	report("attach", where, t.peer);
	report("detach", where, t.ours - t.peer);
}

static bench_fn *find(void *lib, const char *name)
{
	bench_fn *fn = NULL;

	if (lib)
		*(void **)&fn = dlsym(lib, name);
	if (!fn) {
		fprintf(stderr, "span: %s\n", dlerror());
		exit(1);
	}
	return fn;
}

int main(int argc, char **argv)
{
	struct bench_effort effort = bench_effort_for(
		bench_is_quick(argc, argv));

	bench("program", span_pairs, span_attaches, effort);
	for (int i = 1; i < argc; i++) {
		void *lib;

		if (argv[i][0] == '-')
			continue;
		lib = dlopen(argv[i], RTLD_NOW);
		bench("library", find(lib, "span_pairs"),
		      find(lib, "span_attaches"), effort);
	}
	return 0;
}
