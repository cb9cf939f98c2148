// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_view.c: otprof view: profiles in a page, in the browser. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "browser.h"
#include "job.h"
#include "model/filter.h"
#include "query/totals.h"
#include "view.h"

struct viewing {
	struct job job;
	struct view view;
	bool no_browser;
	uint64_t port;
};

/* A file that was read. */
struct loaded {
	const char *path;
	const struct op_format *format;
	uint64_t bytes;
	struct op_model m;
};

struct load {
	struct op_arena mem;
	struct cli_files files;
	struct loaded *list;
	size_t nr;
	struct op_err why; /* of the first file of which nothing is left */
};

static void warned(void *ctx, const char *text)
{
	struct viewing *x = ctx;

	view_note(&x->view, text);
}

/* --- reading --- */

static int file_read(struct viewing *x, const char *path, struct loaded *out,
		     struct op_err *err)
{
	struct job *j = &x->job;
	struct op_input in;

	if (cli_open(&in, path, &j->input, err))
		return err->code;
	*out = (struct loaded){ .path = path,
				.format = in.format,
				.bytes = in.file_bytes };
	if (job_opened(j, &in, err)) {
		op_input_close(&in);
		return err->code;
	}
	if (cli_read_open(&out->m, &in, path, &j->input, err))
		return err->code;
	return job_after_read(j, path, &out->m, err);
}

/* Relative times count from the start or end of all files. */
static int range_fix(struct job *j, const struct load *l, struct op_err *err)
{
	struct op_range all = { 0 }, one;

	if (j->from.kind <= OP_TIME_AT && j->to.kind <= OP_TIME_AT)
		return OP_OK;
	for (size_t i = 0; i < l->nr; i++)
		if (op_model_span(&l->list[i].m, &one))
			op_range_widen(&all, one);
	if (!all.to)
		return op_fail(err, OP_EUSAGE,
			       "the profiles have no time that --from and --to "
			       "could be relative to");
	if (j->from.kind)
		j->from = (struct op_time){
			OP_TIME_AT, op_time_ns(j->from, all.from, all.to)
		};
	if (j->to.kind)
		j->to = (struct op_time){ OP_TIME_AT,
					  op_time_ns(j->to, all.from, all.to) };
	return OP_OK;
}

/* Of several files some may have nothing of what is selected. */
static int file_put(struct viewing *x, struct load *l, struct loaded *f,
		    struct op_err *err)
{
	struct op_api_file file = { .name = strcmp(f->path, "-") ?
						    f->path :
						    "standard input",
				    .format = f->format->name,
				    .bytes = f->bytes };
	struct op_err why = { 0 };

	if (!job_filter(&x->job, &f->m, &why))
		return view_put(&x->view, &file, &f->m, err);
	if (op_budget_is_spent(&why)) {
		*err = why;
		return err->code;
	}
	if (l->nr > 1)
		cli_warn(x->job.input.cmd, f->path, why.text);
	if (!l->why.code)
		l->why = why;
	return OP_OK;
}

/* Some recordings count time from the start of their machine, not from 1970. */
static void clocks_compare(struct viewing *x, const struct load *l)
{
	static const uint64_t year_ns = 31556952000000000;
	const struct loaded *last = NULL;
	struct op_range all = { 0 }, one;
	struct op_err text = { 0 };

	for (size_t i = 0; i < l->nr; i++) {
		if (!op_model_span(&l->list[i].m, &one))
			continue;
		if (last && (one.from > all.to + 10 * year_ns ||
			     all.from > one.to + 10 * year_ns)) {
			op_fail(&text, OP_EUSAGE,
				"'%.60s' and '%.60s' have times of different "
				"clocks: choose one of them to see it over "
				"time",
				last->path, l->list[i].path);
			cli_warn(x->job.input.cmd, NULL, text.text);
			return;
		}
		op_range_widen(&all, one);
		last = &l->list[i];
	}
}

static int load_all(struct viewing *x, struct load *l, struct op_err *err)
{
	size_t n = l->files.list.n;

	l->mem.err = err;
	l->list = op_new(&l->mem, struct loaded, n);
	for (size_t i = 0; i < n && !err->code; i++) {
		cli_progress((int)i, (int)n, l->files.list.p[i]);
		l->nr++;
		file_read(x, l->files.list.p[i], &l->list[i], err);
	}
	cli_progress((int)n, (int)n, NULL);
	if (err->code || range_fix(&x->job, l, err) ||
	    job_settings_check(&x->job, NULL, err))
		return err->code;
	clocks_compare(x, l);
	for (size_t i = 0; i < n && !err->code; i++)
		file_put(x, l, &l->list[i], err);
	if (!err->code && n && !x->view.files.n)
		*err = l->why;
	return err->code;
}

static int nr_stdin(const struct cli_files *f)
{
	int n = 0;

	for (size_t i = 0; i < f->list.n; i++)
		n += !strcmp(f->list.p[i], "-");
	return n;
}

/* Without files: standard input, or what is dropped on the page later. */
static int files_read(struct viewing *x, char **args, int n, struct op_err *err)
{
	static char stdin_name[] = "-";
	char *only_stdin[] = { stdin_name };
	struct load l = { 0 };

	if (!n && isatty(STDIN_FILENO))
		return OP_OK;
	if (!n) {
		args = only_stdin;
		n = 1;
	}
	if (!cli_files(&l.files, args, n, err) && nr_stdin(&l.files) > 1)
		op_fail(err, OP_EUSAGE, "standard input can be read only once");
	if (!err->code)
		load_all(x, &l, err);
	for (size_t i = 0; i < l.nr; i++)
		op_model_free(&l.list[i].m);
	op_arena_free(&l.mem);
	op_arena_free(&l.files.mem);
	return err->code;
}

/* A file that was dropped on the page. */
static int dropped(void *ctx, const char *name, struct op_buf *bytes,
		   uint32_t *file_out, struct op_err *err)
{
	struct viewing *x = ctx;
	struct job *j = &x->job;
	struct op_model m = { 0 };
	struct op_api_file file = { .name = name, .bytes = bytes->n };
	struct op_input in;

	if (cli_open_bytes(&in, name, bytes, &j->input, err))
		return err->code;
	file.format = in.format->name;
	if (job_opened(j, &in, err)) {
		op_input_close(&in);
		return err->code;
	}
	if (cli_read_open(&m, &in, name, &j->input, err))
		return err->code;
	if (!job_after_read(j, name, &m, err) && !job_filter(j, &m, err))
		view_put(&x->view, &file, &m, err);
	op_model_free(&m);
	*file_out = (uint32_t)x->view.files.n - 1;
	return err->code;
}

/* --- showing --- */

static int show(struct viewing *x, struct op_err *err)
{
	struct view *v = &x->view;
	char url[VIEW_MAX_URL];

	v->site.open = dropped;
	v->site.ctx = x;
	v->site.max_file = op_input_max(
		&(struct op_input_opts){ .max_bytes = x->job.input.max_bytes });
	if (view_listen(v, x->port, false, err))
		return err->code;
	view_url(v, url, sizeof(url));
	cli_print(stdout, "open %s in a browser; Ctrl-C ends\n", url);
	if (fflush(stdout))
		return op_fail_sys(err, "cannot write the output");
	/* The arguments of a browser are seen by all users. */
	if (!x->no_browser && browser_open(url))
		op_server_own_user(v->server);
	/* Each request has a budget of its own, and there is no end to them. */
	cli_budget_unclock();
	op_budget_use(NULL);
	op_server_run(v->server);
	return OP_OK;
}

int cmd_view(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct viewing x = { .job.has = JOB_NAMES };
	const struct op_opt own[] = {
		{ OP_OPT_FLAG, 0, "no-browser", NULL,
		  "only print the address of the page", &x.no_browser },
		{ OP_OPT_U64, 0, "port", "N",
		  "listen on this port; default: any that is free", &x.port },
		{ OP_OPT_STRING, 0, "title", "TEXT",
		  "title of the page; default: the name of the file",
		  &x.view.title },
		{ OP_OPT_STRING, 0, "source-path", "DIR",
		  "show source files below DIR", &x.view.source_path },
		{ 0 },
	};
	int first = job_begin(&x.job, cmd, own, argc, argv, err);

	x.job.any_rows = true;
	cli_warn_also(warned, &x);
	if (first > 0 && !cli_source_path_check(x.view.source_path, err) &&
	    !view_begin(&x.view, err) &&
	    !files_read(&x, argv + first, argc - first, err)) {
		job_names_report(&x.job);
		if (*x.job.names_missing)
			view_note(&x.view, x.job.names_missing);
		show(&x, err);
	}
	cli_warn_also(NULL, NULL);
	view_end(&x.view);
	job_end(&x.job);
	return first < 0 ? first : err->code;
}
