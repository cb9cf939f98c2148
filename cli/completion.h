// SPDX-License-Identifier: Apache-2.0
/* cli/completion.h: scripts that complete command lines, for shells. */
#ifndef OP_CLI_COMPLETION_H
#define OP_CLI_COMPLETION_H

#include "opt.h"

/* Prints the script for "bash", "zsh" or "fish". The commands end with a NULL
 * name, and all of them call op_opt_parse(). */
int completion_print(const struct op_cmd *cmds, const char *shell,
		     struct op_err *err);

#endif
