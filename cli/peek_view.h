// SPDX-License-Identifier: Apache-2.0
/* cli/peek_view.h: prints functions with their callers and callees. */
#ifndef OP_CLI_PEEK_VIEW_H
#define OP_CLI_PEEK_VIEW_H

#include "answer.h"

/* What must hold of --by for it. */
int peek_usage(const struct answer *a, struct op_err *err);

/* Builds it for the type that a has chosen, and prints it; percentages are of
 * whole, or if that is 0, of the cum of each function. Fails if no function
 * matches. */
void peek_show(struct answer *a, const char *pattern, int64_t whole);

/* "no function matches 'x' (12 looked at)". */
int peek_no_match(const struct answer *a, const char *pattern, uint32_t nr,
		  struct op_err *err);

#endif
