// SPDX-License-Identifier: Apache-2.0
/* cli/job.h: shared by convert, merge, filter, diff and show: the options, and
 * how files are read, filtered and written.
 *
 *	struct job j = { .input.cmd = cmd->name };
 *	int first = job_begin(&j, cmd, own_options, argc, argv, err);
 *	...
 *	job_end(&j);
 */
#ifndef OP_CLI_JOB_H
#define OP_CLI_JOB_H

#include "cli.h"
#include "base/time.h"
#include "base/vec.h"
#include "fmt/pack.h"
#include "model/filter.h"

/* The options that a command has besides those for reading. */
enum {
	JOB_WRITES = 1, /* writes a profile */
	JOB_SUMS = 2,	/* --aggregate and --original-payload */
};

/* Differences between convert, merge and filter. */
enum {
	JOB_MERGES = 1,	      /* merges the files */
	JOB_KEEPS_FORMAT = 2, /* default: the format of the first file */
};

/* Runs one of the three, from its arguments to the output file. */
int job_run(const struct op_cmd *cmd, int argc, char **argv, unsigned int how,
	    struct op_err *err);

struct job {
	unsigned int has; /* JOB_ flags, set before job_begin() */
	struct cli_input_opts input;
	const char *to_format;
	const char *output;
	enum op_pack_kind pack;
	struct op_filter_opts filter; /* except for the range */
	struct op_time from, to;
	bool check;
	bool original_payload;
	bool symbolize;
	const char *symbol_path;

	struct op_arena mem;
	const char *from_text, *to_text, *pack_text;
	struct op_opt_list settings;
	OP_VEC(struct op_opt) opts;
	OP_VEC(const struct op_format *) formats; /* of the files read */
};

/* Parses the options: the command's own, then those of all jobs, then those of
 * the formats. Returns the result of op_opt_parse(). Call job_end() in either
 * case. */
int job_begin(struct job *j, const struct op_cmd *cmd, const struct op_opt *own,
	      int argc, char **argv, struct op_err *err);
void job_end(struct job *j);

/* Records the format of a file that was opened; job_read() does it itself. */
int job_opened(struct job *j, const struct op_input *in, struct op_err *err);

/* symbols.c: symbolizes a model if the option is set; path is the file it was
 * read from. */
int job_symbolize(const struct job *j, const char *path, struct op_model *m,
		  struct op_err *err);

/* Reads one file and, if the options are set, attaches its bytes as original
 * payload and symbolizes it. */
int job_read(struct job *j, const char *path, struct op_model *out,
	     struct op_err *err);

/* Reads n files, or the files in directories, and concatenates them, filtered;
 * with merge, merges them. */
int job_read_all(struct job *j, char **args, int n, bool merge,
		 struct op_model *out, struct op_err *err);

/* Filters a model in place, if there is something to filter. */
int job_filter(struct job *j, struct op_model *m, struct op_err *err);

/* Whether an option selects a part of the profiles, or sums. */
bool job_filters(const struct job *j);

/* Whether observations are cut by time. */
bool job_cuts(const struct job *j);

/* The format set with -t or by the extension of -o; NULL: none. */
const struct op_format *job_format(const struct job *j, struct op_err *err);

/* Writes the model, after checking it if the option is set. f NULL: the result
 * of job_format(), else OTLP. */
int job_write(struct job *j, struct op_model *m, const struct op_format *f,
	      struct op_err *err);

/* Fails for settings that neither the formats read nor f (may be NULL) have. */
int job_settings_check(const struct job *j, const struct op_format *f,
		       struct op_err *err);

#endif
