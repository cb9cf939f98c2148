// SPDX-License-Identifier: Apache-2.0
/* cli/stack.h: runs the program on a stack of a known size. */
#ifndef CLI_STACK_H
#define CLI_STACK_H

typedef int cli_main_fn(int argc, char **argv);

/* Calls fn, and returns what it returns. If the limit of the stack (ulimit -s)
 * is too low, then in a thread with a larger one; threads that are started
 * later have that size, too. The limit stays as it is: programs that are
 * executed inherit it. */
int cli_stack_run(cli_main_fn *fn, int argc, char **argv);

#endif
