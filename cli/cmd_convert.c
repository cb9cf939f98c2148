// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_convert.c: convert, merge and filter. They differ in how files are
 * joined and in what is written if nobody says. */
#include "job.h"

enum { MERGES = 1, KEEPS_FORMAT = 2 };

static int run(const struct op_cmd *cmd, int argc, char **argv,
	       unsigned int how, struct op_err *err)
{
	struct job j = { .has = JOB_WRITES | JOB_SUMS };
	int first = job_begin(&j, cmd, NULL, argc, argv, err);
	const struct op_format *f = NULL;
	struct op_model m = { 0 };

	if (first == argc)
		op_fail(err, OP_EUSAGE, "wants a FILE");
	if (first > 0 && !err->code &&
	    !job_read_all(&j, argv + first, argc - first, how & MERGES, &m,
			  err)) {
		f = job_format(&j, err);
		if (!f && how & KEEPS_FORMAT && j.formats.p[0]->write)
			f = j.formats.p[0];
		job_write(&j, &m, f, err);
	}
	op_model_free(&m);
	job_end(&j);
	return first < 0 ? first : err->code;
}

int cmd_convert(const struct op_cmd *cmd, int argc, char **argv,
		struct op_err *err)
{
	return run(cmd, argc, argv, 0, err);
}

int cmd_merge(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err)
{
	return run(cmd, argc, argv, MERGES, err);
}

int cmd_filter(const struct op_cmd *cmd, int argc, char **argv,
	       struct op_err *err)
{
	return run(cmd, argc, argv, KEEPS_FORMAT, err);
}
