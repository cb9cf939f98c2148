// SPDX-License-Identifier: Apache-2.0
/* cli/format_help.h: help about formats. */
#ifndef OP_CLI_FORMAT_HELP_H
#define OP_CLI_FORMAT_HELP_H

#include "fmt/format.h"
#include "opt.h"

/* The list of formats. */
void format_list_print(void);

/* One format and its options. */
void format_help_print(const struct op_format *f);

/* The names of all options, by format; those for writing only if the command
 * writes, and none that has the name of another option of the command, of which
 * own is the table. */
void format_options_print(bool writes, const struct op_opt *own);

#endif
