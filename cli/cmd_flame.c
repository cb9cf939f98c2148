// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_flame.c: otprof flame: a flame graph in the terminal. */
#include "flame_view.h"
#include "screen.h"
#include "tree_view.h"

enum { MIN_WIDTH = 10, MAX_WIDTH = 10000 };

static int opts_check(const struct flame_opts *o, struct op_err *err)
{
	if (o->width && (o->width < MIN_WIDTH || o->width > MAX_WIDTH))
		return op_fail(err, OP_EUSAGE,
			       "--width expects a number from %d to %d",
			       MIN_WIDTH, MAX_WIDTH);
	return OP_OK;
}

/* All nodes, as in otprof tree. */
static void json_print(struct answer *a, const struct flame_opts *o)
{
	struct tree_opts all = { .inverted = o->inverted, .depth = UINT64_MAX };

	a->w.pretty = false;
	answer_head(a);
	tree_show(a, &all, a->type->total);
	answer_tail(a);
}

int cmd_flame(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err)
{
	struct answer a = { .job.has = JOB_NAMES,
			    .has = ANSWER_BY | ANSWER_SUMS };
	struct flame_opts o = { 0 };
	const struct op_opt own[] = {
		{ OP_OPT_FLAG, 0, "inverted", NULL,
		  "begin with the innermost functions; callers are below",
		  &o.inverted },
		{ OP_OPT_FLAG, 0, "plain", NULL,
		  "print text, on a terminal too", &o.plain },
		{ OP_OPT_U64, 0, "width", "N",
		  "print text of N columns; default: COLUMNS, or 80",
		  &o.width },
		{ 0 },
	};
	int first = answer_begin(&a, cmd, own, argc, argv, err);

	if (first > 0 && !opts_check(&o, err) &&
	    !answer_read(&a, argv + first, argc - first)) {
		if (a.json)
			json_print(&a, &o);
		else if (o.plain || o.width || !screen_can())
			flame_print(&a, &o);
		else
			flame_explore(&a, &o);
	}
	return answer_end(&a, first);
}
