// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_run.h: runs the program of an FDE, row by row.
 *
 * A program is not trusted: it ends where the FDE does, states to be
 * remembered are limited, and what it says behind an instruction that is
 * broken counts as nothing known.
 */
#ifndef OP_SYM_CFI_RUN_H
#define OP_SYM_CFI_RUN_H

#include "sym/cfi.h"
#include "sym/unwind_rule.h"

enum { OP_CFI_MAX_STATES = 32 };

/* A rule as it is being made. Columns that do not fit into the rule have a
 * bit in is_wide and stand in col; expressions there are views. */
struct op_cfi_column {
	uint8_t how; /* enum op_how */
	uint8_t reg;
	int64_t off;
	struct op_view expr;
};

struct op_cfi_state {
	struct op_rule rule;
	uint32_t is_wide; /* bits by enum op_column */
	struct op_cfi_column col[OP_NR_COLS];
};

/* Told of each row: from vaddr on counts the state, NULL if nothing is known.
 * False ends the run. A row may say the same as the one before it, and one at
 * the same vaddr as the last replaces it. */
struct op_cfi_sink {
	bool (*row)(void *arg, uint64_t vaddr, const struct op_cfi_state *s);
	void *arg;
};

/* The state in which the FDEs of a CIE begin. False if its program is
 * broken. */
bool op_cfi_begin(const struct op_cfi *cfi, const struct op_cfi_cie *cie,
		  struct op_cfi_state *out);

/* The rows of an FDE from its begin up to, not with, its end. */
void op_cfi_run(const struct op_cfi *cfi, const struct op_cfi_cie *cie,
		const struct op_cfi_state *begin, const struct op_cfi_fde *fde,
		const struct op_cfi_sink *sink);

/* The column in which a rule keeps a register; -1 if it keeps none. */
int op_cfi_column_of(const struct op_cfi_cie *cie, uint64_t reg);

/* What column c of a state says, also where it fits into the rule. */
struct op_cfi_column op_cfi_column(const struct op_cfi_state *s, int c);

#endif
