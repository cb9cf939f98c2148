// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_run.h: runs the program of an FDE, row by row.
 *
 * Programs are not trusted: they end where the FDE does, the number of
 * remembered states is limited, and everything after a broken instruction is
 * unknown.
 */
#ifndef OP_SYM_CFI_RUN_H
#define OP_SYM_CFI_RUN_H

#include "sym/cfi.h"
#include "sym/unwind_rule.h"

enum { OP_CFI_MAX_STATES = 32 };

/* A rule under construction. Columns that do not fit into the rule have a bit
 * in is_wide and are in col; expressions there are views. */
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

/* Called for each row: the state applies from vaddr on; NULL if unknown.
 * Returning false ends the run. A row may repeat the one before it, and one at
 * the same vaddr as the last replaces it. */
struct op_cfi_sink {
	bool (*row)(void *arg, uint64_t vaddr, const struct op_cfi_state *s);
	void *arg;
};

/* The initial state of the FDEs of a CIE. False if its program is broken. */
bool op_cfi_begin(const struct op_cfi *cfi, const struct op_cfi_cie *cie,
		  struct op_cfi_state *out);

/* The rows of an FDE from its start up to, but excluding, its end. */
void op_cfi_run(const struct op_cfi *cfi, const struct op_cfi_cie *cie,
		const struct op_cfi_state *begin, const struct op_cfi_fde *fde,
		const struct op_cfi_sink *sink);

/* The column of a rule for a register; -1 if there is none. */
int op_cfi_column_of(const struct op_cfi_cie *cie, uint64_t reg);

/* The content of column c of a state, even if it fits into the rule. */
struct op_cfi_column op_cfi_column(const struct op_cfi_state *s, int c);

#endif
