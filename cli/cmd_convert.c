// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_convert.c: otprof convert: reads files and writes one format. */
#include "job.h"

int cmd_convert(const struct op_cmd *cmd, int argc, char **argv,
		struct op_err *err)
{
	return job_run(cmd, argc, argv, 0, err);
}
