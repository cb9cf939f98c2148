// SPDX-License-Identifier: Apache-2.0
/* cli/symbol_helper.h: the program as a helper for symbols. */
#ifndef OP_CLI_SYMBOL_HELPER_H
#define OP_CLI_SYMBOL_HELPER_H

/* Answers questions (src/sym/helper_wire.h) on standard input until it ends;
 * gives the exit status. */
int symbol_helper(void);

#endif
