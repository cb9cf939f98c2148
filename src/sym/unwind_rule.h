// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_rule.h: how to get from a frame to its caller.
 *
 * A rule is 16 bytes and describes the CFA (the stack pointer of the caller
 * before its call), the return address, and the six callee-saved registers.
 * What does not fit is in a row of nine columns of eight bytes elsewhere, to
 * which a rule with OP_RULE_WIDE refers. Everything is plain numbers without
 * pointers, as BPF maps and shared memory require.
 */
#ifndef OP_SYM_UNWIND_RULE_H
#define OP_SYM_UNWIND_RULE_H

#include <stdint.h>

/* The columns of a rule. The first six are callee-saved registers. */
enum op_column {
	OP_COL_RBX,
	OP_COL_RBP,
	OP_COL_R12,
	OP_COL_R13,
	OP_COL_R14,
	OP_COL_R15,
	OP_NR_SAVED,
	OP_COL_RSP = OP_NR_SAVED,
	OP_COL_RA,
	OP_COL_CFA,
	OP_NR_COLS
};

enum op_cfa {
	OP_CFA_NONE,   /* nothing is known about this code */
	OP_CFA_REG,    /* cfa_reg + cfa_off */
	OP_CFA_DEREF,  /* the word at cfa_reg + cfa_off, plus arg */
	OP_CFA_PLT,    /* cfa_reg + cfa_off, + 8 if (pc & 15) >= arg */
	OP_CFA_SIGNAL, /* registers in a sigcontext at cfa_reg + cfa_off */
	OP_CFA_EXPR,   /* an expression, in the wide row */
};

enum op_ra {
	OP_RA_BELOW, /* the word below the CFA */
	OP_RA_END,   /* there is no caller */
};

enum op_rule_flag {
	/* The frame was not created by a call: the pc of its caller is where it
	 * was interrupted, not after a call. */
	OP_RULE_SIGNAL = 1,
	/* Everything but the CFA is in a wide row, whose number is in saved[0]
	 * (low half) and saved[1]. */
	OP_RULE_WIDE = 2,
};

enum {
	OP_SAVED_SAME = 0,
	OP_SAVED_UNKNOWN = 255,
	OP_SAVED_MAX = 254,
};

struct op_rule {
	uint8_t cfa; /* enum op_cfa */
	uint8_t cfa_reg;
	uint8_t ra; /* enum op_ra */
	uint8_t flags;
	int32_t cfa_off;
	/* 0: unchanged; n: in the word at CFA - 8n; 255: lost */
	uint8_t saved[OP_NR_SAVED];
	int16_t arg;
};

/* How to compute a column of a wide rule. */
enum op_how {
	OP_HOW_SAME,	/* unchanged */
	OP_HOW_UNKNOWN, /* lost; for a return address: no caller */
	OP_HOW_AT_CFA,	/* the word at CFA + off */
	OP_HOW_CFA,	/* CFA + off */
	OP_HOW_AT_REG,	/* the word at reg + off */
	OP_HOW_REG,	/* reg + off */
	OP_HOW_AT_EXPR, /* the word at the result of an expression */
	OP_HOW_EXPR,	/* the result: n bytes at off of the expressions */
};

struct op_wide_column {
	uint8_t how; /* enum op_how */
	uint8_t reg;
	uint16_t n;
	int32_t off;
};

struct op_wide_rule {
	struct op_wide_column col[OP_NR_COLS];
};

#endif
