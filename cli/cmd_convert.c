// SPDX-License-Identifier: Apache-2.0
#include "job.h"

int cmd_convert(const struct op_cmd *cmd, int argc, char **argv,
		struct op_err *err)
{
	return job_run(cmd, argc, argv, 0, err);
}
