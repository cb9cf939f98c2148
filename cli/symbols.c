// SPDX-License-Identifier: Apache-2.0
/* cli/symbols.c: names for addresses: --symbolize, and the automatic lookup of
 * views of calls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/budget.h"
#include "job.h"
#include "query/default_profile.h"
#include "sym/symbolize.h"

/* The timeout in seconds of libdebuginfod for a silent server, unless its own
 * variable is set. */
#define SERVER_TIMEOUT "20"

struct noting {
	const char *cmd, *path;
};

static void note(void *ctx, const char *text)
{
	const struct noting *n = ctx;

	cli_warn(n->cmd, n->path, text);
}

static bool fetching(void *ctx, long done, long all)
{
	(void)ctx;
	(void)all;
	if (done > 0)
		cli_status("fetching symbols: %ld KiB", done / 1024);
	return false;
}

/* The directories of the option or the variable, then the usual ones: the
 * distribution's debug files and perf's cache. */
static char *dirs(const struct job *j)
{
	const char *own = j->symbol_path;
	const char *home = getenv("HOME");
	char *list = NULL;

	if (!own)
		own = getenv("OTPROF_SYMBOL_PATH");
	if (asprintf(&list, "%s:%s:%s/.debug", own ? own : "", OP_FIND_DIRS,
		     home ? home : "") < 0)
		return NULL;
	return list;
}

bool job_wants_names(const struct job *j)
{
	struct op_err ignored = { 0 };
	const struct op_format *f;

	if (j->no_symbols)
		return false;
	if (j->has & JOB_WRITES && (j->output || j->to_format)) {
		f = job_format(j, &ignored);
		return f && f->shows_names;
	}
	return j->has & JOB_NAMES;
}

/* --symbolize: uses every source. */
static int symbolize(const struct job *j, struct op_symbolize_opts *o,
		     struct op_model *m, struct op_err *err)
{
	struct op_debuginfod server = { .progress = fetching };

	setenv("DEBUGINFOD_TIMEOUT", SERVER_TIMEOUT, 0);
	o->find.root = j->input.root;
	o->find.server = &server;
	op_symbolize(m, o, NULL, err);
	op_debuginfod_close(&server);
	return err->code;
}

/* Binaries without names; reported in one line if they are many. */
struct missing {
	char first[200];
	uint32_t nr;
};

static void missing_note(void *ctx, const char *text)
{
	struct missing *x = ctx;

	if (!x->nr++)
		snprintf(x->first, sizeof(x->first), "%s", text);
}

/* What of the frames of samples has no name, by the values of the type that
 * views show: a name that is missing once in a rare stack is no loss. */
struct unnamed {
	double frames, all;
};

static bool is_unnamed(const struct op_model *m, const struct op_location *l)
{
	const struct op_function *f;

	if (!l->nr_lines)
		return true;
	f = &m->dict.functions[m->dict.lines[l->first_line].function];
	return !f->name && !f->system_name;
}

static void unnamed_add(struct unnamed *u, const struct op_model *m,
			uint32_t stack, double weight)
{
	struct op_ids locs = op_list(&m->dict.stacks, stack);

	for (uint32_t i = 0; i < locs.n; i++)
		if (is_unnamed(m, &m->dict.locations[locs.p[i]]))
			u->frames += weight;
	u->all += weight * locs.n;
}

/* Each stack is walked once. */
static int unnamed_find(struct unnamed *u, const struct op_model *m,
			struct op_err *err)
{
	const struct op_profile *like = op_default_profile(m);
	struct op_arena mem = { .err = err };
	uint32_t nr = m->dict.stacks.nr;
	double *weight = op_new(&mem, double, nr);
	struct op_walk w = { 0 };
	uint64_t steps = 0;

	while (weight && op_walk_next(m, &w)) {
		const struct op_profile *p = w.profile;

		if (!op_same_type(m, p, like))
			continue;
		for (uint32_t i = 0; i < p->nr_samples; i++)
			weight[p->stack[i]] += fabs(
				(double)op_sample_total(p, i));
	}
	for (uint32_t i = 0; weight && i < nr && !err->code; i++)
		if (weight[i] > 0 &&
		    op_steps(&steps, op_list(&m->dict.stacks, i).n, err))
			unnamed_add(u, m, i, weight[i]);
	op_arena_free(&mem);
	return err->code;
}

/* Automatic: only local files of the build that ran, and at most one line. */
static int add_names(struct job *j, struct op_symbolize_opts *o,
		     const char *path, struct op_model *m, struct op_err *err)
{
	struct missing x = { .nr = 0 };
	struct unnamed u = { 0 };
	char more[40] = "";

	o->find.root = "/";
	o->named_builds_only = true;
	o->note = missing_note;
	o->ctx = &x;
	if (op_symbolize(m, o, NULL, err))
		return err->code;
	if (!x.nr || *j->names_missing || unnamed_find(&u, m, err) ||
	    u.frames * 20 <= u.all)
		return err->code;
	if (x.nr > 1)
		snprintf(more, sizeof(more), ", and %u more like it", x.nr - 1);
	snprintf(j->names_missing, sizeof(j->names_missing),
		 "%.200s: names of %u%% of the frames are missing (%s%s); "
		 "try --symbol-path DIR or --symbolize",
		 path, (unsigned int)lround(u.frames * 100 / u.all), x.first,
		 more);
	return OP_OK;
}

void job_names_report(const struct job *j)
{
	if (*j->names_missing)
		cli_line("otprof %s: %s", j->input.cmd, j->names_missing);
}

int job_symbolize(struct job *j, const char *path, struct op_model *m,
		  struct op_err *err)
{
	struct noting ctx = { j->input.cmd, path };
	struct op_symbolize_opts o = { .note = note,
				       .ctx = &ctx,
				       .program = "/proc/self/exe" };
	char *list;

	if (!j->symbolize && !job_wants_names(j))
		return OP_OK;
	list = dirs(j);
	if (!list)
		return op_fail(err, OP_ENOMEM, "no memory for options");
	o.find.dirs = list;
	if (j->symbolize)
		symbolize(j, &o, m, err);
	else
		add_names(j, &o, path, m, err);
	free(list);
	return err->code;
}
