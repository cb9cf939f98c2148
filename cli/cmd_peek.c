// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_peek.c: otprof peek: the callers and callees of a function. */
#include "answer.h"
#include "peek_view.h"

int cmd_peek(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct answer a = { .job.has = JOB_NAMES,
			    .has = ANSWER_BY | ANSWER_CSV | ANSWER_PAGER |
				   ANSWER_ROWS | ANSWER_SUMS,
			    .nr_rows = 20 };
	int first = answer_begin(&a, cmd, NULL, argc, argv, err);

	if (first > 0 && first == argc)
		op_fail(err, OP_EUSAGE, "expected a REGEX");
	if (first > 0 && !err->code && !peek_usage(&a, err) &&
	    !answer_read(&a, argv + first + 1, argc - first - 1)) {
		answer_head(&a);
		peek_show(&a, argv[first], 0);
		answer_tail(&a);
	}
	return answer_end(&a, first);
}
