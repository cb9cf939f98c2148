// SPDX-License-Identifier: Apache-2.0
/* bench/top.c: observations a second that 'top' adds up, in CPU time.
 *
 *	top [--quick] FILE...
 *
 * From a model in memory to rows by function, by thread and by both, in their
 * order; of the type that 'otprof top' chooses. */
#include <stdio.h>
#include <stdlib.h>

#include "fmt/input.h"
#include "measure.h"
#include "query/default_profile.h"
#include "query/top.h"

enum { GOAL = 50 }; /* millions a second */

struct bench {
	struct op_model m;
	const struct op_profile *like;
	struct op_group_by by;
	struct op_err err;
	uint64_t observations;
};

static void must(const struct op_err *err, const char *what)
{
	if (!err->code)
		return;
	fprintf(stderr, "top: %s: %s\n", what, err->text);
	exit(1);
}

/* The first message of the file. */
static int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	struct bench *b = ctx;

	if (b->m.nr_resources)
		op_model_free(m);
	else
		b->m = *m;
	return err->code;
}

static void top(void *arg)
{
	struct bench *b = arg;
	struct op_top t = { 0 };

	if (!op_top_build(&t, &b->m, b->like, &b->by, &b->err))
		op_top_sort(&t, OP_TOP_FLAT);
	b->observations = t.sums.nr_observations;
	op_top_free(&t);
}

static void rows(struct bench *b, const char *by, const char *name,
		 struct bench_effort effort)
{
	double seconds, rate;
	char work[80], ours[32];

	op_group_by_parse(&b->by, by, &b->err);
	must(&b->err, by);
	seconds = bench_run(&(struct bench_pair){ top, NULL, b }, effort).ours;
	must(&b->err, name);
	rate = (double)b->observations / 1e6 / seconds;
	snprintf(work, sizeof(work), "top by %s, %.2f M observations, %.24s",
		 by, (double)b->observations / 1e6, name);
	snprintf(ours, sizeof(ours), "%.0f M/s", rate);
	printf("%-60s %10s\n", work, ours);
	bench_report(&(struct bench_row){ work, ours, "", 0, ">= 50 M/s",
					  rate >= GOAL });
}

static void file(const char *path, struct bench_effort effort)
{
	static const char *const by[] = { "function", "thread",
					  "function,thread" };
	const char *slash = strrchr(path, '/');
	struct bench b = { 0 };
	struct op_input in;

	op_input_open(&in, path, NULL, &b.err);
	must(&b.err, path);
	in.format->read(in.bytes, NULL, keep, &b, &b.err);
	must(&b.err, path);
	b.like = op_choose_profile(&b.m, NULL);
	if (b.like)
		for (size_t i = 0; i < op_countof(by); i++)
			rows(&b, by[i], slash ? slash + 1 : path, effort);
	op_model_free(&b.m);
	op_input_close(&in);
}

int main(int argc, char **argv)
{
	struct bench_effort effort = bench_effort_for(
		bench_is_quick(argc, argv));

	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			file(argv[i], effort);
	return 0;
}
