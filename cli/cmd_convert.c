// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "fmt/output.h"
#include "model/content.h"
#include "model/merge.h"

struct convert {
	struct cli_input_opts input;
	const char *to_format;
	const char *output;
};

static bool has_ending(const char *path)
{
	const char *name = strrchr(path, '/');

	return strchr(name ? name + 1 : path, '.');
}

static const struct op_format *output_format(const struct convert *c,
					     struct op_err *err)
{
	const struct op_format *f = NULL;

	if (c->to_format) {
		f = op_format_named(c->to_format);
		if (!f)
			op_fail(err, OP_EUSAGE, "no format '%s'", c->to_format);
	} else if (c->output) {
		f = op_format_by_ending(c->output);
		if (!f && has_ending(c->output))
			op_fail(err, OP_EUSAGE,
				"no format has the ending of '%s': say which "
				"with -t",
				c->output);
	}
	if (!f && !err->code)
		f = &op_format_otlp;
	if (f && !f->write)
		op_fail(err, OP_EUSAGE, "format %s can only be read", f->name);
	return f;
}

static int count_stdin(char **files)
{
	int n = 0;

	for (; *files; files++)
		n += !strcmp(*files, "-");
	return n;
}

/* All files in one model, each row once. */
static int read_files(const struct convert *c, char **files, int n,
		      struct op_model *out, struct op_err *err)
{
	struct op_model *models = calloc((size_t)n, sizeof(*models));
	struct op_model **list = calloc((size_t)n, sizeof(*list));
	int i = 0;

	if (!models || !list)
		op_fail(err, OP_ENOMEM, "no memory for %d files", n);
	for (; i < n && !err->code; i++) {
		list[i] = &models[i];
		cli_progress(i, n, files[i]);
		cli_read(&models[i], files[i], &c->input, err);
	}
	cli_progress(n, n, NULL);
	if (!err->code && n == 1 && models[0].normal) {
		*out = models[0];
		models[0] = (struct op_model){ 0 };
	} else if (!err->code) {
		op_concat(list, (size_t)n, out, err);
	}
	while (i--)
		op_model_free(&models[i]);
	free(list);
	free(models);
	return err->code;
}

static void note(void *ctx, const char *text)
{
	const struct convert *c = ctx;

	cli_warn(c->input.cmd, c->output ? c->output : "-", text);
}

static int write_file(struct convert *c, const struct op_format *f,
		      const struct op_model *m, struct op_err *err)
{
	struct op_write_opts opts = { .note = note, .ctx = c };
	struct op_writing how = { .format = f, .opts = &opts };

	if (c->output && strcmp(c->output, "-"))
		return op_write_file(m, &how, c->output, err);
	if (isatty(STDOUT_FILENO))
		return op_fail(err, OP_EUSAGE,
			       "will not write a profile to a terminal: use "
			       "-o");
	return op_write_fd(m, &how, STDOUT_FILENO, "standard output", err);
}

int cmd_convert(const struct op_cmd *cmd, int argc, char **argv,
		struct op_err *err)
{
	struct convert c = { .input.cmd = cmd->name };
	const struct op_opt opts[] = {
		{ OP_OPT_STRING, 'f', "input-format", "FORMAT",
		  "what the files are; default: told from their bytes",
		  &c.input.format },
		{ OP_OPT_STRING, 't', "output-format", "FORMAT",
		  "what to write; default: by the ending of -o, else otlp",
		  &c.to_format },
		{ OP_OPT_STRING, 'o', "output", "FILE",
		  "where to write; default: standard output", &c.output },
		{ OP_OPT_SIZE, 0, "max-size", "BYTES",
		  "refuse files that unpack to more; default: 4G",
		  &c.input.max_bytes },
		{ 0 },
	};
	int first = op_opt_parse(cmd, opts, argc, argv, err);
	struct op_model m = { 0 };
	const struct op_format *f;

	if (first < 0)
		return first;
	if (first == argc)
		return op_fail(err, OP_EUSAGE, "wants a FILE");
	if (count_stdin(argv + first) > 1)
		return op_fail(err, OP_EUSAGE,
			       "standard input can be read only once");
	f = output_format(&c, err);
	if (!err->code &&
	    !read_files(&c, argv + first, argc - first, &m, err) &&
	    !op_content_ids(&m, err))
		write_file(&c, f, &m, err);
	op_model_free(&m);
	return err->code;
}
