// SPDX-License-Identifier: Apache-2.0
/* cli/job.c: options and steps that commands share: read, filter, write. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fmt/output.h"
#include "model/check.h"
#include "model/content.h"
#include "model/merge.h"

/* --- options --- */

static bool has_option(const struct job *j, const char *name)
{
	for (size_t i = 0; name && i < j->opts.n; i++)
		if (j->opts.p[i].name && !strcmp(j->opts.p[i].name, name))
			return true;
	return false;
}

/* Of two options with the same name the first counts, which is the command's.
 */
void job_options_add(struct job *j, const struct op_opt *rows,
		     struct op_err *err)
{
	for (; rows && rows->type && !err->code; rows++)
		if (!has_option(j, rows->name))
			(void)op_vec_push(&j->mem, &j->opts, *rows);
}

static void add_reading(struct job *j, struct op_err *err)
{
	const struct op_opt rows[] = {
		{ OP_OPT_INPUT_FORMAT, 'f', "input-format", "FORMAT",
		  "format of the files; default: auto-detected",
		  &j->input.format },
		{ OP_OPT_SIZE, 0, "max-size", "BYTES",
		  "reject files larger than this, unpacked; default: 4G",
		  &j->input.max_bytes },
		CLI_BUDGET_OPT,
		{ OP_OPT_FLAG, 0, "strict", NULL,
		  "fail if a part of the input has to be skipped",
		  &j->input.strict },
		{ OP_OPT_U64, 0, "jobs", "N",
		  "threads that read a file; default: by its size",
		  &j->input.threads },
		{ OP_OPT_FLAG, 0, "symbolize", NULL,
		  "add function names and lines from binaries on this host",
		  &j->symbolize },
		{ OP_OPT_FLAG, 0, "no-symbols", NULL,
		  "do not look up names for views of calls", &j->no_symbols },
		{ OP_OPT_STRING, 0, "symbol-path", "DIR:...",
		  "more directories with binaries and debug files",
		  &j->symbol_path },
		{ OP_OPT_STRING, 0, "symbol-root", "DIR",
		  "look up paths of the profile only below DIR",
		  &j->input.root },
		{ 0 },
	};

	job_options_add(j, rows, err);
}

static void add_writing(struct job *j, struct op_err *err)
{
	const struct op_opt rows[] = {
		{ OP_OPT_STRING, 'o', "output", "FILE",
		  "output file; default: standard output", &j->output },
		{ OP_OPT_OUTPUT_FORMAT, 't', "output-format", "FORMAT",
		  "output format; default: by the extension of -o",
		  &j->to_format },
		{ OP_OPT_STRING, 0, "pack", "none|gzip|zstd|lz4",
		  "compression; default: by the extension of -o",
		  &j->pack_text },
		{ OP_OPT_FLAG, 0, "check", NULL,
		  "write only output that passes 'otprof check'", &j->check },
		{ 0 },
	};
	const struct op_opt sums[] = {
		{ OP_OPT_FLAG, 0, "aggregate", NULL,
		  "replace timestamps by one value per sample",
		  &j->filter.aggregate },
		{ OP_OPT_FLAG, 0, "original-payload", NULL,
		  "embed each input file into its first profile",
		  &j->original_payload },
		{ 0 },
	};

	if (j->has & JOB_WRITES)
		job_options_add(j, rows, err);
	if (j->has & JOB_SUMS)
		job_options_add(j, sums, err);
}

/* Options of formats; one that several formats have is listed once. */
static void add_settings(struct job *j, struct op_err *err)
{
	static bool writes[] = { false, true };
	struct op_opt begin[] = {
		{ .type = OP_OPT_FORMATS,
		  .to = &writes[(j->has & JOB_WRITES) != 0] },
		{ 0 },
	};
	bool any = false;

	for (size_t f = 0; op_formats[f]; f++) {
		const struct op_format_opt *o = op_formats[f]->opts;

		for (; o && o->name; o++) {
			struct op_opt row[] = {
				{ .type = OP_OPT_SETTING,
				  .name = o->name,
				  .arg = o->arg,
				  .help = o->help,
				  .to = &j->settings },
				{ 0 },
			};

			if (has_option(j, o->name) ||
			    (o->writes && !(j->has & JOB_WRITES)))
				continue;
			if (!any)
				job_options_add(j, begin, err);
			any = true;
			job_options_add(j, row, err);
		}
	}
}

/* A reader may open files that a profile names only if the user asks for
 * symbols or names directories with binaries. */
static int symbols_check(struct job *j, struct op_err *err)
{
	if (j->no_symbols && (j->symbolize || j->symbol_path))
		return op_fail(err, OP_EUSAGE,
			       "--no-symbols excludes --symbolize and "
			       "--symbol-path");
	if (j->symbol_path)
		j->symbolize = true;
	if (j->symbolize && !j->input.root)
		j->input.root = "/";
	return OP_OK;
}

static int pack_parse(struct job *j, struct op_err *err)
{
	if (!j->pack_text)
		return OP_OK;
	j->pack = op_pack_named(j->pack_text);
	if (j->pack == OP_PACK_AUTO)
		return op_fail(
			err, OP_EUSAGE,
			"--pack expects none, gzip, zstd or lz4, not '%s'",
			j->pack_text);
	return OP_OK;
}

int job_begin(struct job *j, const struct op_cmd *cmd, const struct op_opt *own,
	      int argc, char **argv, struct op_err *err)
{
	static const struct op_opt end[] = { { 0 } };
	int first;

	op_arena_tells(&j->mem, err);
	j->input.cmd = cmd->name;
	j->input.is_clocked = true;
	job_options_add(j, own, err);
	add_writing(j, err);
	job_filter_options(j, err);
	add_reading(j, err);
	add_settings(j, err);
	(void)op_vec_push(&j->mem, &j->opts, *end);
	if (err->code)
		return err->code;
	first = op_opt_parse(cmd, j->opts.p, argc, argv, err);
	if (first < 0)
		return first;
	j->input.settings = op_opt_list(&j->settings, err);
	if (err->code || job_filter_begin(j, err) || pack_parse(j, err) ||
	    symbols_check(j, err))
		return err->code;
	job_format(j, err);
	return err->code ? err->code : first;
}

void job_end(struct job *j)
{
	job_filter_end(j);
	op_arena_free(&j->settings.mem);
	op_arena_free(&j->mem);
}

/* --- formats and their settings --- */

static bool has_ending(const char *path)
{
	const char *name = strrchr(path, '/');

	return strchr(name ? name + 1 : path, '.');
}

const struct op_format *job_format(const struct job *j, struct op_err *err)
{
	const struct op_format *f = NULL;

	if (j->to_format) {
		f = op_format_wanted(j->to_format, err);
	} else if (j->output) {
		f = op_format_by_ending(j->output);
		if (!f && has_ending(j->output) && strcmp(j->output, "-"))
			op_fail(err, OP_EUSAGE,
				"no format has the extension of '%s': use "
				"-t FORMAT",
				j->output);
	}
	if (f && !f->write)
		op_fail(err, OP_EUSAGE, "format %s can only be read", f->name);
	return f;
}

bool job_format_knows(const struct op_format *f, const char *setting,
		      bool writes)
{
	const struct op_format_opt *o = f ? f->opts : NULL;
	size_t n = strcspn(setting, "=");

	for (; o && o->name; o++)
		if (o->writes == writes && strlen(o->name) == n &&
		    !memcmp(o->name, setting, n))
			return true;
	return false;
}

int job_settings_check(const struct job *j, const struct op_format *f,
		       struct op_err *err)
{
	for (const char *const *s = j->input.settings; s && *s; s++) {
		bool known = job_format_knows(f, *s, true) ||
			     job_is_shorthand(*s);

		for (size_t i = 0; i < j->formats.n; i++)
			known |= job_format_knows(j->formats.p[i], *s, false);
		if (!known)
			return op_fail(err, OP_EUSAGE,
				       "--%.*s does not apply to these "
				       "formats",
				       (int)strcspn(*s, "="), *s);
	}
	return OP_OK;
}

/* --- reading --- */

static void heap_free(void *p, size_t n)
{
	(void)n;
	op_heap_free(p);
}

/* Gives a copy of the bytes to the model and to its first profile. */
static int payload_put(struct op_model *m, uint8_t *copy, size_t n,
		       const char *format, struct op_err *err)
{
	struct op_walk w = { 0 };
	struct op_profile *p;

	if (op_model_own(m, heap_free, copy, n, err)) {
		op_heap_free(copy);
		return err->code;
	}
	if (!op_walk_next(m, &w))
		return OP_OK;
	p = (struct op_profile *)w.profile; /* the model is ours */
	p->payload = op_view(copy, n);
	p->payload_format = op_view_z(format);
	return OP_OK;
}

static int read_with_payload(struct job *j, struct op_input *in,
			     const char *path, struct op_model *out,
			     struct op_err *err)
{
	const char *format = in->format->payload_format;
	const char *name = in->format->name;
	size_t n = in->bytes.n;
	uint8_t *copy;

	if (in->format->is_otlp) {
		cli_warn(j->input.cmd, path,
			 "is already OTLP: not embedded as original payload");
		return cli_read_open(out, in, path, &j->input, err);
	}
	if (op_input_load(in, err))
		return op_err_about(err, path);
	copy = op_heap_resize(NULL, n, err);
	if (!copy) {
		op_input_close(in);
		return err->code;
	}
	memcpy(copy, in->bytes.p, n);
	if (cli_read_open(out, in, path, &j->input, err)) {
		op_heap_free(copy);
		return err->code;
	}
	if (payload_put(out, copy, n, format ? format : name, err))
		op_model_free(out);
	return err->code;
}

int job_opened(struct job *j, const struct op_input *in, struct op_err *err)
{
	op_arena_tells(&j->mem, err);
	(void)op_vec_push(&j->mem, &j->formats, in->format);
	return err->code;
}

static int read_opened(struct job *j, struct op_input *in, const char *path,
		       struct op_model *out, struct op_err *err)
{
	if (j->original_payload)
		return read_with_payload(j, in, path, out, err);
	return cli_read_open(out, in, path, &j->input, err);
}

int job_after_read(struct job *j, const char *path, struct op_model *m,
		   struct op_err *err)
{
	const struct op_format *f = j->formats.p[j->formats.n - 1];

	j->was_normal = m->normal;
	if (!job_filter_shorthands(j, f, m, err))
		job_symbolize(j, path, m, err);
	return err->code;
}

int job_read(struct job *j, const char *path, struct op_model *out,
	     struct op_err *err)
{
	struct op_input in;

	if (cli_open(&in, path, &j->input, err))
		return err->code;
	if (job_opened(j, &in, err)) {
		op_input_close(&in);
		return err->code;
	}
	if (read_opened(j, &in, path, out, err))
		return err->code;
	if (job_after_read(j, path, out, err))
		op_model_free(out);
	return err->code;
}

static int count_stdin(char **files, int n)
{
	int found = 0;

	for (int i = 0; i < n; i++)
		found += !strcmp(files[i], "-");
	return found;
}

/* Concatenates models; a single normal one is only reordered, if it needs to
 * be. */
static int concat(const struct job *j, struct op_model **list, size_t n,
		  struct op_model *out, struct op_err *err)
{
	bool is_good = j->any_rows && j->was_normal;

	if (n > 1 || !(list[0]->normal || is_good))
		return op_concat(list, n, out, err);
	*out = *list[0];
	*list[0] = (struct op_model){ 0 };
	return is_good ? OP_OK : op_reorder(out, err);
}

/* Time ranges apply before profiles are joined, because sums cannot be split
 * afterwards; and relative times need the span of all files. */
static int join(struct job *j, struct op_model **list, size_t n, bool merge,
		struct op_model *out, struct op_err *err)
{
	struct op_model all = { 0 };
	struct op_model *one[] = { &all };

	if (!job_filters(j)) {
		if (merge)
			op_merge(list, n, out, err);
		else
			concat(j, list, n, out, err);
		return err->code ? err->code : job_found(j, out, err);
	}
	/* The filter also normalizes. */
	if (n == 1) {
		all = *list[0];
		*list[0] = (struct op_model){ 0 };
	} else {
		op_concat(list, n, &all, err);
	}
	if (!err->code && !job_filter(j, &all, err) && !merge) {
		*out = all;
		return OP_OK;
	}
	if (!err->code)
		op_merge(one, 1, out, err);
	op_model_free(&all);
	return err->code;
}

static int read_list(struct job *j, char **files, int n, bool merge,
		     struct op_model *out, struct op_err *err)
{
	struct op_arena mem = { .err = err };
	struct op_model *models = op_new(&mem, struct op_model, (size_t)n);
	struct op_model **list = op_new(&mem, struct op_model *, (size_t)n);
	int i = 0;

	if (count_stdin(files, n) > 1)
		op_fail(err, OP_EUSAGE, "standard input can be read only once");
	for (; i < n && !err->code; i++) {
		list[i] = &models[i];
		cli_progress(i, n, files[i]);
		job_read(j, files[i], &models[i], err);
	}
	cli_progress(n, n, NULL);
	if (!err->code)
		join(j, list, (size_t)n, merge, out, err);
	while (i--)
		op_model_free(&models[i]);
	op_arena_free(&mem);
	return err->code;
}

int job_read_all(struct job *j, char **args, int n, bool merge,
		 struct op_model *out, struct op_err *err)
{
	struct cli_files f = { 0 };

	if (!cli_files(&f, args, n, err))
		read_list(j, f.list.p, (int)f.list.n, merge, out, err);
	op_arena_free(&f.mem);
	return err->code;
}

/* --- writing --- */

static const char *output_name(const struct job *j)
{
	bool is_file = j->output && strcmp(j->output, "-");

	return is_file ? j->output : "standard output";
}

static void write_note(void *ctx, const char *text)
{
	const struct job *j = ctx;

	cli_warn(j->input.cmd, output_name(j), text);
}

static void found(void *ctx, const struct op_finding *f)
{
	const struct job *j = ctx;

	cli_line("otprof %s: %s: %s: %s%s%s [%s]", j->input.cmd, output_name(j),
		 f->is_error ? "error" : "warning", f->path,
		 *f->path ? ": " : "", f->text, op_rules[f->rule].name);
}

static int check(struct job *j, const struct op_model *m, struct op_err *err)
{
	struct op_check_opts opts = { .most = 20 };
	struct op_check_result r = { 0 };

	if (!j->check || op_check(m, &opts, found, j, &r, err))
		return err->code;
	if (r.nr_errors)
		return op_fail(err, OP_EFORMAT,
			       "%s: not written, it would not conform: %llu "
			       "errors",
			       output_name(j), (unsigned long long)r.nr_errors);
	return OP_OK;
}

static int write_file(struct job *j, const struct op_format *f,
		      const struct op_model *m, struct op_err *err)
{
	struct op_write_opts opts = { .settings = j->input.settings,
				      .note = write_note,
				      .ctx = j };
	struct op_writing how = {
		.format = f, .opts = &opts, .pack = j->pack, .path = j->output
	};
	struct op_output out;

	if (j->output && strcmp(j->output, "-")) {
		if (cli_output_open(&out, j->output, err))
			return err->code;
	} else {
		op_output_fd(&out, STDOUT_FILENO, "standard output");
	}
	/* A terminal would interpret control characters in it. */
	if (isatty(out.fd))
		op_fail(err, OP_EUSAGE,
			"not writing a profile to a terminal: use -o");
	else
		op_write(m, &how, &out.sink, err);
	return cli_output_close(&out, err);
}

int job_write(struct job *j, struct op_model *m, const struct op_format *f,
	      struct op_err *err)
{
	if (!f)
		f = job_format(j, err);
	if (!f)
		f = op_formats[0];
	if (err->code || job_settings_check(j, f, err) ||
	    op_content_ids(m, err) || check(j, m, err))
		return err->code;
	return write_file(j, f, m, err);
}

/* Observations that are only written as OTLP stay packed, and those that are
 * aggregated in the end can be at once, unless a time range applies first. */
static enum op_timed timed_of(const struct job *j, unsigned int how,
			      struct op_err *err)
{
	const struct op_format *f = job_format(j, err);

	if (j->filter.aggregate && !job_cuts(j))
		return OP_TIMED_SUMS;
	if (!(f ? f : op_formats[0])->writes_packed || job_filters(j) ||
	    j->check || j->symbolize || job_wants_names(j) || how)
		return OP_TIMED_ARRAYS;
	return OP_TIMED_PACKED;
}

int job_run(const struct op_cmd *cmd, int argc, char **argv, unsigned int how,
	    struct op_err *err)
{
	struct job j = { .has = JOB_WRITES | JOB_SUMS };
	int first = job_begin(&j, cmd, NULL, argc, argv, err);
	const struct op_format *f = NULL;
	struct op_model m = { 0 };

	if (first == argc)
		op_fail(err, OP_EUSAGE, "expected a FILE");
	if (first > 0)
		j.input.timed = timed_of(&j, how, err);
	if (first > 0 && !err->code &&
	    !job_read_all(&j, argv + first, argc - first, how & JOB_MERGES, &m,
			  err)) {
		f = job_format(&j, err);
		if (!f && how & JOB_KEEPS_FORMAT && j.formats.p[0]->write)
			f = j.formats.p[0];
		if (!job_write(&j, &m, f, err))
			job_names_report(&j);
	}
	op_model_free(&m);
	job_end(&j);
	return first < 0 ? first : err->code;
}
