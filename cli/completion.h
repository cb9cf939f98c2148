// SPDX-License-Identifier: Apache-2.0
/* cli/completion.h: completion scripts for shells. */
#ifndef OP_CLI_COMPLETION_H
#define OP_CLI_COMPLETION_H

#include "opt.h"

/* Prints the script for "bash", "zsh" or "fish". The list of commands ends with
 * a NULL name, and all commands call op_opt_parse(). */
int completion_print(const struct op_cmd *cmds, const char *shell,
		     struct op_err *err);

#endif
