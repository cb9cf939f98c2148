// SPDX-License-Identifier: Apache-2.0
/* bench/trace.c: a trace of Chromium to a model, in CPU time.
 *
 *	trace [--quick] FILE...
 *
 * From bytes in memory, as reading a file does, to a model that is freed. */
#include <stdio.h>
#include <stdlib.h>

#include "fmt/input.h"
#include "measure.h"

struct bench {
	struct op_input in;
	struct op_err err;
	uint64_t observations;
};

static void must(const struct op_err *err, const char *what)
{
	if (!err->code)
		return;
	fprintf(stderr, "trace: %s: %s\n", what, err->text);
	exit(1);
}

static int drop(void *ctx, struct op_model *m, struct op_err *err)
{
	struct bench *b = ctx;
	struct op_walk w = { 0 };

	b->observations = 0;
	while (op_walk_next(m, &w))
		b->observations += op_profile_observations(w.profile);
	op_model_free(m);
	return err->code;
}

static void read_trace(void *arg)
{
	struct bench *b = arg;

	b->in.format->read(b->in.bytes, NULL, drop, b, &b->err);
}

static void file(const char *path, struct bench_effort effort)
{
	struct bench b = { 0 };
	double seconds, mbs;
	char work[80], ours[32];

	op_input_open(&b.in, path, NULL, &b.err);
	must(&b.err, path);
	seconds = bench_run(&(struct bench_pair){ read_trace, NULL, &b },
			    effort)
			  .ours;
	must(&b.err, path);
	mbs = (double)b.in.bytes.n / 1e6 / seconds;
	snprintf(work, sizeof(work), "trace %.0f MB, %.2f M observations",
		 (double)b.in.bytes.n / 1e6, (double)b.observations / 1e6);
	snprintf(ours, sizeof(ours), "%.0f MB/s", mbs);
	printf("%-40s %10s\n", work, ours);
	bench_report(&(struct bench_row){ work, ours, "", 0, ">= 300 MB/s",
					  mbs >= 300 });
	op_input_close(&b.in);
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
