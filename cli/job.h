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
	JOB_NAMES = 4, /* looks up names that are missing, unless told not to */
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
	bool no_symbols;
	/* Rows of the dictionary may stay as a file was read: some that nobody
	 * uses or that are there twice, in any order. */
	bool any_rows;
	bool was_normal; /* the file read last, before names were added */
	char names_missing[600];
	const char *symbol_path;

	struct op_arena mem;
	const char *from_text, *to_text, *pack_text;
	struct op_opt_list where_texts;
	struct op_where where;
	uint64_t nr_looked_at; /* observations, before they were filtered */
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

/* What is due after a file was read from path and its format noted: names for
 * addresses, and filters that its reader has not applied. */
int job_after_read(struct job *j, const char *path, struct op_model *m,
		   struct op_err *err);

/* symbols.c: gives names to the addresses of a model, if asked for or if the
 * command shows names. */
int job_symbolize(struct job *j, const char *path, struct op_model *m,
		  struct op_err *err);
bool job_wants_names(const struct job *j);

/* After success: says if many names that nobody asked for were not found. */
void job_names_report(const struct job *j);

/* Reads one file and, if the options are set, attaches its bytes as original
 * payload and symbolizes it. */
int job_read(struct job *j, const char *path, struct op_model *out,
	     struct op_err *err);

/* Reads n files, or the files in directories, and concatenates them, filtered;
 * with merge, merges them. */
int job_read_all(struct job *j, char **args, int n, bool merge,
		 struct op_model *out, struct op_err *err);

/* The format asked for with -t or by the ending of -o; NULL: none was. */
const struct op_format *job_format(const struct job *j, struct op_err *err);

/* Writes the model, after checking it if the option is set. f NULL: the result
 * of job_format(), else OTLP. */
int job_write(struct job *j, struct op_model *m, const struct op_format *f,
	      struct op_err *err);

/* Whether a format has the option that "name" or "name=value" begins with, for
 * reading or for writing. */
bool job_format_knows(const struct op_format *f, const char *setting,
		      bool writes);

/* Fails for settings that neither the files read nor f (may be NULL) know. */
int job_settings_check(const struct job *j, const struct op_format *f,
		       struct op_err *err);

/* job_filter.c: selecting a part of the profiles. */

/* Adds options, but for those that the command has already. */
void job_options_add(struct job *j, const struct op_opt *rows,
		     struct op_err *err);

/* Adds the options; reads their values; frees what they take. */
void job_filter_options(struct job *j, struct op_err *err);
int job_filter_begin(struct job *j, struct op_err *err);
void job_filter_end(struct job *j);

/* Filters a model in place, if there is something to filter. Fails if no
 * sample is left. */
int job_filter(struct job *j, struct op_model *m, struct op_err *err);

/* Whether an option asks for a part of the profiles, or for sums. */
bool job_filters(const struct job *j);

/* Whether any option makes something else of what was read. */
bool job_changes(const struct job *j);

/* Whether observations are cut by time. */
bool job_cuts(const struct job *j);

/* Whether a setting is --thread, --state or --event, which every format has:
 * where its reader does not know it, the samples are filtered. */
bool job_is_shorthand(const char *setting);

/* Applies those to a model of that format. */
int job_filter_shorthands(struct job *j, const struct op_format *f,
			  struct op_model *m, struct op_err *err);

/* Fails if samples were asked for by any option and there are none. */
int job_found(const struct job *j, const struct op_model *m,
	      struct op_err *err);

#endif
