// SPDX-License-Identifier: Apache-2.0
/* cli/pager.h: shows the output in a pager, only if somebody asked for one and
 * standard output is a terminal. */
#ifndef OP_CLI_PAGER_H
#define OP_CLI_PAGER_H

#include "base/err.h"

/* There will be output for a pager. option: --pager was given; else a pager is
 * used if OTPROF_PAGER names one. */
void pager_want(bool option);

/* Call before the first output; starts a pager if one is wanted. */
void pager_begin(void);

/* Ends the output and waits for the pager, if one is running. That the reader
 * left before the end is no failure, so it is removed from err. */
void pager_end(struct op_err *err);

/* The terminal that shows what is written to standard output, directly or
 * through the pager; -1: there is none. */
int pager_terminal(void);

#endif
