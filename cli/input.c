// SPDX-License-Identifier: Apache-2.0
/* cli/input.c: opens and reads input files. */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli.h"

static struct {
	const char *cmd;
	const char *path;
} reading;

int cli_open(struct op_input *in, const char *path,
	     const struct cli_input_opts *opts, struct op_err *err)
{
	struct op_input_opts o = { .max_bytes = opts->max_bytes };
	struct stat st;
	uint64_t bytes = 0;

	if (opts->format) {
		o.format = op_format_wanted(opts->format, err);
		if (!o.format)
			return err->code;
	}
	reading.cmd = opts->cmd;
	reading.path = path;
	cli_budget_set();
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		bytes = (uint64_t)st.st_size;
	if (opts->is_clocked && bytes)
		cli_budget_clock(opts->root, bytes);
	cli_reading_begin(path, bytes);
	op_input_open(in, path, &o, err);
	cli_reading_end();
	if (err->code)
		return op_err_about(err, path);
	if (opts->is_clocked)
		cli_budget_clock(opts->root, 0);
	return OP_OK;
}

int cli_open_bytes(struct op_input *in, const char *name, struct op_buf *bytes,
		   const struct cli_input_opts *opts, struct op_err *err)
{
	struct op_input_opts o = { .max_bytes = opts->max_bytes };

	if (opts->format) {
		o.format = op_format_wanted(opts->format, err);
		if (!o.format) {
			op_buf_free(bytes);
			return err->code;
		}
	}
	reading.cmd = opts->cmd;
	reading.path = name;
	return op_input_buffer(in, bytes, &o, err) ? op_err_about(err, name) :
						     OP_OK;
}

static void read_note(void *ctx, const char *text)
{
	(void)ctx;
	cli_warn(reading.cmd, reading.path, text);
}

/* The number of CPUs that the program may use. */
static unsigned int processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

/* By default, no more threads than are useful: for a small file, joining the
 * results of two threads takes as long as the second thread saves. */
static unsigned int threads(const struct cli_input_opts *opts, size_t n)
{
	enum { ENOUGH = 32 << 20 }; /* bytes per thread */
	unsigned int most = processors();

	if (opts->threads)
		return opts->threads < UINT_MAX ? (unsigned int)opts->threads :
						  UINT_MAX;
	if (n / ENOUGH < most)
		most = (unsigned int)(n / ENOUGH);
	return most ? most : 1;
}

int cli_read_open(struct op_model *m, struct op_input *in, const char *path,
		  const struct cli_input_opts *opts, struct op_err *err)
{
	struct op_read_opts read = { .settings = opts->settings,
				     .threads = threads(opts, in->bytes.n),
				     .root = opts->root,
				     .strict = opts->strict,
				     .timed = opts->timed,
				     .note = read_note };
	char text[256];

	cli_reading_begin(path, in->file_bytes);
	op_input_read(in, &read, m, err);
	cli_reading_end();
	if (err->code)
		return op_err_about(err, path);
	if (m->dialect_note) {
		snprintf(text, sizeof(text), "read as %s, but %s", m->dialect,
			 m->dialect_note);
		cli_warn(opts->cmd, path, text);
	}
	return OP_OK;
}
