// SPDX-License-Identifier: Apache-2.0
/* cli/stack.h: runs the program on a stack of a known size. */
#ifndef CLI_STACK_H
#define CLI_STACK_H

#include <sys/resource.h>

#include "base/port.h"

typedef int cli_main_fn(int argc, char **argv);

/* Whether the limit of the stack (ulimit -s) is too low to run on. */
op_inline bool cli_stack_is_small(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < 1 << 20;
}

/* Calls fn in a thread with a stack that is large enough, and returns what it
 * returns; threads that are started later have that size, too. The limit stays
 * as it is: programs that are executed inherit it. */
int cli_stack_run(cli_main_fn *fn, int argc, char **argv);

#endif
