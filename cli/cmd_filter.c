// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_filter.c: otprof filter: writes the selected part of files. */
#include "job.h"

int cmd_filter(const struct op_cmd *cmd, int argc, char **argv,
	       struct op_err *err)
{
	return job_run(cmd, argc, argv, JOB_KEEPS_FORMAT, err);
}
