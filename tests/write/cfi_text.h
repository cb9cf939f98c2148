// SPDX-License-Identifier: Apache-2.0
/* tests/write/cfi_text.h: rules as words, from a table and by a second
 * reading of the same call frame information.
 *
 *	rsp+16 rbp[cfa-16]	CFA, and where rbp is saved
 *	rbp+16 ra?		there is no caller
 *	[rbp-8]+0		the CFA is in memory
 *	plt rsp+8 11		8 more if (pc & 15) >= 11
 *	(7708) rbx=rdi+0	by an expression; rbx is in rdi
 *	signal			all registers from the sigcontext
 *	none
 *
 * S behind it: the frame of a signal. Left out is what goes without saying:
 * registers that are as they were, the return address below the CFA, the
 * CFA as stack pointer. */
#ifndef OP_TESTS_WRITE_CFI_TEXT_H
#define OP_TESTS_WRITE_CFI_TEXT_H

#include "sym/cfi_index.h"
#include "sym/unwind_table.h"

struct cfi_text {
	char s[8192];
	size_t n;
};

void cfi_text_rule(struct cfi_text *t, const struct op_unwind_table *table,
		   const struct op_rule *r);

/* The rule of a vaddr as a table has it. */
void cfi_text_find(struct cfi_text *t, const struct op_unwind_table *table,
		   uint64_t vaddr);

/* The same, by running the program of its range up to that vaddr: slowly, and
 * without a line in common with cfi_run.c. */
void cfi_text_naive(struct cfi_text *t, const struct op_cfi_index *ix,
		    uint64_t vaddr);

#endif
