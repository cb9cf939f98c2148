// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_expr.h: DWARF expressions in call frame information.
 *
 * Nearly all that occur have one of a few shapes, which rules can hold as
 * numbers. The others are run: a small machine without loops that takes no
 * memory and reads the program's by a callback.
 */
#ifndef OP_SYM_CFI_EXPR_H
#define OP_SYM_CFI_EXPR_H

#include "base/view.h"

/* The shapes that have a name. */
enum op_expr_shape {
	OP_EXPR_OTHER,
	OP_EXPR_REG,   /* reg + off */
	OP_EXPR_DEREF, /* the word at reg + off, plus arg */
	OP_EXPR_PLT,   /* reg + off, + 8 if (pc & 15) >= arg */
};

struct op_expr {
	enum op_expr_shape shape;
	uint8_t reg;
	int64_t off, arg;
};

struct op_expr op_expr_shape(struct op_view bytes);

/* What an expression sees. read gives the word at an address; reg the value
 * of a register; both say false if they have none. */
struct op_expr_env {
	bool (*read)(void *arg, uint64_t at, unsigned int n, uint64_t *out);
	bool (*reg)(void *arg, uint64_t reg, uint64_t *out);
	void *arg;
};

enum {
	OP_EXPR_STACK = 16,	 /* deepest stack */
	OP_EXPR_MAX_OPS = 256,	 /* operations that are run */
	OP_EXPR_MAX_BYTES = 512, /* of an expression in a table */
};

/* The value, with first on the stack before, as a rule for a register wants
 * the CFA; NULL for the rule of the CFA. False if it cannot be known. */
bool op_expr_run(struct op_view bytes, const struct op_expr_env *env,
		 const uint64_t *first, uint64_t *out);

#endif
