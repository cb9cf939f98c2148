// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_build_int.h: what the parts of the builder share. */
#ifndef OP_SYM_UNWIND_BUILD_INT_H
#define OP_SYM_UNWIND_BUILD_INT_H

#include "sym/unwind_build.h"

enum { OP_SEEN_BITS = 14 };

int op_build_no_memory(struct op_unwind_build *b);

/* The number of the rule that a state is; 0 if it says nothing. */
uint32_t op_build_rule(struct op_unwind_build *b, const struct op_cfi_state *s);

/* Puts the rows of the page into the table. */
void op_build_rows(struct op_unwind_build *b);

#endif
