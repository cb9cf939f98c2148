// SPDX-License-Identifier: Apache-2.0
/* cli/symbols.c: names for addresses: --symbolize, and the automatic lookup of
 * views of calls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "job.h"
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

/* Automatic: only local files of the build that ran, and at most one line. */
static int add_names(struct job *j, struct op_symbolize_opts *o,
		     const char *path, struct op_model *m, struct op_err *err)
{
	struct op_symbolize_result r = { 0 };
	struct missing x = { .nr = 0 };
	uint64_t without = 0, all;
	char more[40] = "";

	o->find.root = "/";
	o->named_builds_only = true;
	o->note = missing_note;
	o->ctx = &x;
	if (op_symbolize(m, o, &r, err))
		return err->code;
	for (int i = OP_RESOLVED + 1; i < OP_NR_UNRESOLVED; i++)
		without += r.nr[i];
	all = r.nr_kept + r.nr[OP_RESOLVED] + without;
	if (without * 20 <= all || !x.nr || *j->names_missing)
		return OP_OK;
	if (x.nr > 1)
		snprintf(more, sizeof(more), ", and %u more like it", x.nr - 1);
	snprintf(j->names_missing, sizeof(j->names_missing),
		 "%.200s: names of %" PRIu64
		 "%% of the addresses are missing (%s%s); "
		 "try --symbol-path DIR or --symbolize",
		 path, without * 100 / all, x.first, more);
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
