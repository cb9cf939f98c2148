// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_top.c: otprof top: ranks functions, threads or other labels by value.
 */
#include "answer.h"
#include "top_view.h"

int cmd_top(const struct op_cmd *cmd, int argc, char **argv, struct op_err *err)
{
	struct answer a = { .job.has = JOB_NAMES,
			    .has = ANSWER_BY | ANSWER_CSV | ANSWER_PAGER |
				   ANSWER_ROWS | ANSWER_SUMS,
			    .nr_rows = 20 };
	bool by_cum = false;
	const struct op_opt own[] = {
		{ OP_OPT_FLAG, 0, "cum", NULL,
		  "sort by cum, which includes callees, not by flat", &by_cum },
		{ 0 },
	};
	int first = answer_begin(&a, cmd, own, argc, argv, err);

	if (first > 0 && !answer_read(&a, argv + first, argc - first)) {
		answer_head(&a);
		top_show(&a, by_cum, a.type->total);
		answer_tail(&a);
	}
	return answer_end(&a, first);
}
