// SPDX-License-Identifier: Apache-2.0
/* cli/symbols.c: --symbolize and what belongs to it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "job.h"
#include "sym/symbolize.h"

/* libdebuginfod waits that many seconds for a server that says nothing, unless
 * its own variable says otherwise. */
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

/* The folders of the option or the variable, then those that everybody has:
 * the distribution's debug files and perf's cache. */
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

int job_symbolize(const struct job *j, const char *path, struct op_model *m,
		  struct op_err *err)
{
	struct noting ctx = { j->input.cmd, path };
	struct op_debuginfod server = { .progress = fetching };
	struct op_symbolize_opts o = { .note = note,
				       .ctx = &ctx,
				       .program = "/proc/self/exe" };
	char *list;

	if (!j->symbolize)
		return OP_OK;
	list = dirs(j);
	if (!list)
		return op_fail(err, OP_ENOMEM, "no memory for options");
	setenv("DEBUGINFOD_TIMEOUT", SERVER_TIMEOUT, 0);
	o.find = (struct op_find){ j->input.root, list, &server };
	op_symbolize(m, &o, NULL, err);
	op_debuginfod_close(&server);
	free(list);
	return err->code;
}
