// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_merge.c: otprof merge: writes files as one. */
#include "job.h"

int cmd_merge(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err)
{
	return job_run(cmd, argc, argv, JOB_MERGES, err);
}
