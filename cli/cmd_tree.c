// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_tree.c: otprof tree: the call tree. */
#include "answer.h"
#include "tree_view.h"

int cmd_tree(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct answer a = { .job.has = JOB_NAMES,
			    .has = ANSWER_BY | ANSWER_PAGER | ANSWER_SUMS };
	struct tree_opts o = { 0 };
	const struct op_opt own[] = { TREE_OPTS(o), { 0 } };
	int first = answer_begin(&a, cmd, own, argc, argv, err);

	if (first > 0 && !tree_opts_parse(&o, err) &&
	    !answer_read(&a, argv + first, argc - first)) {
		/* Indentation would be most of the JSON. */
		a.w.pretty = false;
		answer_head(&a);
		tree_show(&a, &o, a.type->total);
		answer_tail(&a);
	}
	return answer_end(&a, first);
}
