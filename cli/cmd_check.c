// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_check.c: otprof check: validates files and prints the findings. */
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "cli.h"
#include "model/check.h"
#include "pb/json_write.h"

struct check {
	struct cli_input_opts input;
	struct op_check_opts opts;
	bool json;
	bool rules;
	bool all;

	const char *file;
	uint64_t message; /* of the current file */
	struct op_check_result result;
	struct op_buf out;
	struct op_json w;
};

static void path_text(const struct check *c, const struct op_finding *f,
		      char *out, size_t n)
{
	if (c->message)
		snprintf(out, n, "message[%llu]%s%s",
			 (unsigned long long)c->message, *f->path ? "." : "",
			 f->path);
	else
		snprintf(out, n, "%s", f->path);
}

/* Prints the file name at the start of a line. */
static void file_text(struct check *c)
{
	op_buf_printable(&c->out, op_view_z(c->file), "");
	op_buf_z(&c->out, ": ");
}

static void found(void *ctx, const struct op_finding *f)
{
	struct check *c = ctx;
	char path[256];

	path_text(c, f, path, sizeof(path));
	if (c->json) {
		op_json_open(&c->w, '{');
		op_json_key(&c->w, "severity");
		op_json_z(&c->w, f->is_error ? "error" : "warning");
		op_json_key(&c->w, "rule");
		op_json_z(&c->w, op_rules[f->rule].name);
		op_json_key(&c->w, "path");
		op_json_z(&c->w, path);
		op_json_key(&c->w, "text");
		op_json_z(&c->w, f->text);
		op_json_close(&c->w, '}');
		return;
	}
	file_text(c);
	op_buf_printf(&c->out, "%s: %s%s%s [%s]\n",
		      f->is_error ? "error" : "warning", path,
		      *path ? ": " : "", f->text, op_rules[f->rule].name);
}

static int check_message(void *ctx, struct op_model *m, struct op_err *err)
{
	struct check *c = ctx;

	op_check(m, &c->opts, found, c, &c->result, err);
	op_model_free(m);
	c->message++;
	return err->code;
}

static void summary_json(struct check *c, const struct op_err *err)
{
	struct op_json *w = &c->w;

	op_json_close(w, ']');
	op_json_key(w, "errors");
	op_json_uint(w, c->result.nr_errors);
	op_json_key(w, "warnings");
	op_json_uint(w, c->result.nr_warnings);
	op_json_key(w, "conforms");
	op_json_bool(w, !err->code && !c->result.nr_errors);
	if (err->code) {
		op_json_key(w, "unreadable");
		op_json_z(w, err->text);
	}
	op_json_close(w, '}');
}

static void summary_text(struct check *c)
{
	for (int r = 0; r < OP_NR_RULES && c->opts.most; r++) {
		uint64_t nr = c->result.nr[r];

		if (nr <= c->opts.most)
			continue;
		file_text(c);
		op_buf_printf(&c->out, "%llu more of [%s], --all lists them\n",
			      (unsigned long long)(nr - c->opts.most),
			      op_rules[r].name);
	}
	file_text(c);
	op_buf_printf(&c->out, "%s: %llu errors, %llu warnings\n",
		      c->result.nr_errors ? "does not conform" : "conforms",
		      (unsigned long long)c->result.nr_errors,
		      (unsigned long long)c->result.nr_warnings);
}

/* Checks one file; returns its exit status. */
static int check_file(struct check *c, const char *file, struct op_err *err)
{
	struct op_read_opts opts = { .unchecked = true,
				     .strict = c->opts.strict };
	struct op_input in = { 0 };
	struct op_err mine = { 0 };

	c->file = file;
	c->message = 0;
	c->result = (struct op_check_result){ 0 };
	if (c->json) {
		op_json_open(&c->w, '{');
		op_json_key(&c->w, "file");
		op_json_z(&c->w, file);
		op_json_key(&c->w, "findings");
		op_json_open(&c->w, '[');
	}
	if (!cli_open(&in, file, &c->input, &mine) &&
	    op_input_each(&in, &opts, check_message, c, &mine))
		op_err_about(&mine, file);
	op_input_close(&in);
	cli_budget_next();
	if (mine.code == OP_EUSAGE)
		return op_fail(err, OP_EUSAGE, "%s", mine.text);
	if (c->json)
		summary_json(c, &mine);
	else if (!mine.code)
		summary_text(c);
	cli_flush(&c->out);
	if (mine.code)
		cli_report("check", NULL, &mine);
	if (mine.code)
		return OP_EXIT_UNREADABLE;
	return c->result.nr_errors ? 1 : 0;
}

static int rules_print(void)
{
	for (int r = 0; r < OP_NR_RULES; r++)
		cli_print(stdout, "%-18s %-8s %-18s %s\n", op_rules[r].name,
			  op_rules[r].is_error ? "error" : "warning",
			  op_rules[r].ref, op_rules[r].summary);
	return 0;
}

int cmd_check(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err)
{
	struct check c = { .input.cmd = cmd->name,
			   .input.is_clocked = true,
			   .opts.most = 20 };
	const struct op_opt opts[] = {
		{ OP_OPT_FLAG, 0, "strict", NULL,
		  "treat warnings and skipped input as errors",
		  &c.opts.strict },
		{ OP_OPT_FLAG, 0, "json", NULL, "print findings as JSON",
		  &c.json },
		{ OP_OPT_FLAG, 0, "all", NULL,
		  "print all findings, not the first 20 per rule", &c.all },
		{ OP_OPT_FLAG, 0, "rules", NULL, "list the rules and exit",
		  &c.rules },
		{ OP_OPT_INPUT_FORMAT, 'f', "input-format", "FORMAT",
		  "format of the files; default: auto-detected",
		  &c.input.format },
		{ OP_OPT_SIZE, 0, "max-size", "BYTES",
		  "reject files larger than this, unpacked; default: 4G",
		  &c.input.max_bytes },
		CLI_BUDGET_OPT,
		{ 0 },
	};
	int first = op_opt_parse(cmd, opts, argc, argv, err);
	int status = 0;

	if (first < 0)
		return first;
	if (c.rules)
		return rules_print();
	if (first == argc)
		return op_fail(err, OP_EUSAGE, "expected a FILE");
	if (c.all)
		c.opts.most = 0;
	c.out.err = err;
	c.w = (struct op_json){ .out = &c.out, .pretty = true };
	if (c.json)
		op_json_open(&c.w, '[');
	for (int i = first; i < argc && !err->code; i++) {
		int s = check_file(&c, argv[i], err);

		status = s > status ? s : status;
	}
	if (c.json) {
		op_json_close(&c.w, ']');
		op_buf_byte(&c.out, '\n');
		cli_flush(&c.out);
	}
	op_buf_free(&c.out);
	return err->code ? err->code : status;
}
