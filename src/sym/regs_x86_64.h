// SPDX-License-Identifier: Apache-2.0
/* sym/regs_x86_64.h: registers by their DWARF numbers, and which of them are
 * callee-saved. */
#ifndef OP_SYM_REGS_X86_64_H
#define OP_SYM_REGS_X86_64_H

enum op_reg_x86_64 {
	OP_RAX,
	OP_RDX,
	OP_RCX,
	OP_RBX,
	OP_RSI,
	OP_RDI,
	OP_RBP,
	OP_RSP,
	OP_R8,
	OP_R9,
	OP_R10,
	OP_R11,
	OP_R12,
	OP_R13,
	OP_R14,
	OP_R15,
	OP_RIP, /* also the column of the return address */
	OP_NR_REGS
};

/* Positions of the registers in a signal frame: words from the start of the
 * struct sigcontext, which is OP_SIGNAL_REGS bytes above the stack pointer. */
enum { OP_SIGNAL_REGS = 40 };

#endif
