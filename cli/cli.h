// SPDX-License-Identifier: Apache-2.0
/* cli/cli.h: shared by the commands. */
#ifndef OP_CLI_CLI_H
#define OP_CLI_CLI_H

#include <stdio.h>
#include <time.h>

#include "opt.h"
#include "base/vec.h"
#include "fmt/input.h"

struct op_output;

/* Exit status of check, besides 0 success, 1 failure, 2 wrong usage. */
enum { OP_EXIT_UNREADABLE = 3 };

/* A positive result is the exit status of a command that did not fail; a
 * negative code is reported by main() and becomes 1 or 2. */
int cmd_agent(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err);
int cmd_check(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err);
int cmd_convert(const struct op_cmd *cmd, int argc, char **argv,
		struct op_err *err);
int cmd_diff(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);
int cmd_filter(const struct op_cmd *cmd, int argc, char **argv,
	       struct op_err *err);
int cmd_flame(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err);
int cmd_list(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);
int cmd_merge(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err);
int cmd_peek(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);
int cmd_record(const struct op_cmd *cmd, int argc, char **argv,
	       struct op_err *err);
int cmd_run(const struct op_cmd *cmd, int argc, char **argv,
	    struct op_err *err);
int cmd_send(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);
int cmd_show(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);
int cmd_stat(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);
int cmd_top(const struct op_cmd *cmd, int argc, char **argv,
	    struct op_err *err);
int cmd_tree(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);
int cmd_view(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err);

/* Of the clock that nobody sets. */
op_inline uint64_t cli_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* say.c: all output passes through here and is made printable. */

/* Prints text to stdout or stderr; line feeds and tabs are kept. */
void cli_print(FILE *to, const char *fmt, ...) op_printf(2, 3);

/* Prints one line to stderr. */
void cli_line(const char *fmt, ...) op_printf(1, 2);

/* Prints a line on a terminal that the next one overwrites. */
void cli_status(const char *fmt, ...) op_printf(1, 2);
void cli_status_clear(void);

/* Prints an error about a file as `otprof CMD: FILE: what (at byte N)`; file
 * may be NULL. Returns the exit status, 1 or 2. */
int cli_report(const char *cmd, const char *file, const struct op_err *err);

/* Prints a warning in the same form; file may be NULL. */
void cli_warn(const char *cmd, const char *file, const char *text);

/* From now on warnings also go to fn, as one sentence; NULL: no longer. */
void cli_warn_also(void (*fn)(void *ctx, const char *text), void *ctx);

/* Prints the reason and ends the program, from a signal handler. */
void cli_end(const char *text) __attribute__((noreturn));

/* Shows on a terminal which of several files is being processed. file NULL
 * clears it. */
void cli_progress(int done, int all, const char *file);

/* progress.c: between these two calls, a line on a terminal says how much of a
 * file was read and how long the rest will take, if it takes over a second.
 * bytes: of the file; 0: unknown. */
void cli_reading_begin(const char *path, uint64_t bytes);
void cli_reading_end(void);

/* Writes the buffer, which is text, to standard output and empties it. */
int cli_flush(struct op_buf *out);

/* Writes what is printable already. */
int cli_put(FILE *to, struct op_view v, struct op_err *err);

/* Writes raw bytes to standard output, which must not be a terminal. */
int cli_write(struct op_view v, struct op_err *err);

/* main.c: has the child that calls it, which will execute a command, do at
 * signals what this process did when it was started. */
void cli_signals_restore(void);

/* files.c: the arguments, with directories expanded to the files in them. The
 * caller frees the memory. */
struct cli_files {
	struct op_arena mem;
	OP_VEC(char *) list;
};

int cli_files(struct cli_files *f, char **args, int n, struct op_err *err);

/* Fails if the value of --source-path, which may be NULL, is no directory. */
int cli_source_path_check(const char *path, struct op_err *err);

/* input.c: opens a file for reading. On failure err->text names the file. */
struct cli_input_opts {
	const char *cmd;
	const char *format;	     /* by name; NULL: auto-detected */
	uint64_t max_bytes;	     /* 0: the default */
	uint64_t threads;	     /* 0: depends on the size */
	const char *root;	     /* of binaries; NULL: open none */
	const char *const *settings; /* of formats; may be NULL */
	enum op_timed timed;	     /* what the caller supports */
	bool strict;		     /* skipped input is an error */
	bool is_clocked;	     /* see cli_budget_clock() */
};

int cli_open(struct op_input *in, const char *path,
	     const struct cli_input_opts *opts, struct op_err *err);

/* The same for bytes from elsewhere, which it takes over, also on failure. */
int cli_open_bytes(struct op_input *in, const char *name, struct op_buf *bytes,
		   const struct cli_input_opts *opts, struct op_err *err);

/* Reads all of an open input, which is then closed or owned by the model; warns
 * if the wire version is ambiguous. */
int cli_read_open(struct op_model *m, struct op_input *in, const char *path,
		  const struct cli_input_opts *opts, struct op_err *err);

/* output.c: op_output_open() and op_output_close() for the one output file: an
 * unfinished file is also removed when a signal ends the program. */
int cli_output_open(struct op_output *out, const char *path,
		    struct op_err *err);
int cli_output_close(struct op_output *out, struct op_err *err);

/* Removes the unfinished file, if there is one; for signal handlers. */
void cli_output_drop(void);

/* budget.c: limits on the memory and work of a run. --budget takes effect with
 * cli_budget_set(); 0: no limit. */
extern uint64_t cli_budget;
#define CLI_BUDGET_OPT                                                    \
	{                                                                 \
		OP_OPT_U64, 0, "budget", "N",                             \
			"N times the usual memory and work; 0: no limit", \
			&cli_budget                                       \
	}
void cli_budget_begin(void);
void cli_budget_set(void);

/* What follows is unrelated to the files before, whose memory may still be in
 * use elsewhere. */
void cli_budget_next(void);

/* Limits the CPU time, given the input so far plus this many bytes. For
 * commands that end when their files are read. With a root, binaries on this
 * machine are read too. */
void cli_budget_clock(const char *root, uint64_t more);

/* Ends that limit. */
void cli_budget_unclock(void);

#endif
