// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_expr.h: DWARF expressions in call frame information.
 *
 * Nearly all expressions have one of a few shapes, which rules can hold as
 * numbers. The others are run by a small machine without loops that allocates
 * nothing and reads the memory of the program by a callback.
 */
#ifndef OP_SYM_CFI_EXPR_H
#define OP_SYM_CFI_EXPR_H

#include "base/view.h"

/* The known shapes. */
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

/* The environment of an expression. read returns the word at an address, reg
 * the value of a register; both return false if it is unknown. */
struct op_expr_env {
	bool (*read)(void *arg, uint64_t at, unsigned int n, uint64_t *out);
	bool (*reg)(void *arg, uint64_t reg, uint64_t *out);
	void *arg;
};

enum {
	OP_EXPR_STACK = 16,	 /* maximum stack depth */
	OP_EXPR_MAX_OPS = 256,	 /* maximum number of operations */
	OP_EXPR_MAX_BYTES = 512, /* of an expression in a table */
};

/* The value. first is pushed before, as a rule for a register needs the CFA;
 * NULL for the rule of the CFA. False if unknown. */
bool op_expr_run(struct op_view bytes, const struct op_expr_env *env,
		 const uint64_t *first, uint64_t *out);

#endif
