// SPDX-License-Identifier: Apache-2.0
/* agent/regs_x86_64.c: registers of a thread that a signal has interrupted. */
#include <ucontext.h>

#include "agent/walk.h"

void op_agent_regs(const void *context, struct op_unwind_regs *out)
{
	static const int from[OP_NR_REGS] = {
		[OP_RAX] = REG_RAX, [OP_RDX] = REG_RDX, [OP_RCX] = REG_RCX,
		[OP_RBX] = REG_RBX, [OP_RSI] = REG_RSI, [OP_RDI] = REG_RDI,
		[OP_RBP] = REG_RBP, [OP_RSP] = REG_RSP, [OP_R8] = REG_R8,
		[OP_R9] = REG_R9,   [OP_R10] = REG_R10, [OP_R11] = REG_R11,
		[OP_R12] = REG_R12, [OP_R13] = REG_R13, [OP_R14] = REG_R14,
		[OP_R15] = REG_R15, [OP_RIP] = REG_RIP,
	};
	const ucontext_t *uc = context;

	for (int i = 0; i < OP_NR_REGS; i++)
		out->r[i] = (uint64_t)uc->uc_mcontext.gregs[from[i]];
	out->known = OP_ALL_REGS;
}
