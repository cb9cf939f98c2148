// SPDX-License-Identifier: Apache-2.0
/* cli/symbol_helper.h: runs the program as a symbol helper. */
#ifndef OP_CLI_SYMBOL_HELPER_H
#define OP_CLI_SYMBOL_HELPER_H

/* Answers requests (src/sym/helper_wire.h) on standard input until it ends;
 * returns the exit status. */
int symbol_helper(void);

#endif
