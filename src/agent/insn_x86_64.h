// SPDX-License-Identifier: Apache-2.0
/* agent/insn_x86_64.h: how long an instruction is, and what it does to the
 * stack pointer. */
#ifndef OP_AGENT_INSN_X86_64_H
#define OP_AGENT_INSN_X86_64_H

#include "base/port.h"

enum { OP_INSN_MAX = 15, OP_INSN_ROOM = 24 };

enum op_insn_kind {
	OP_INSN_OTHER,	/* rsp is as before */
	OP_INSN_ADJUST, /* rsp += amount */
	OP_INSN_FRAME,	/* rsp = rbp + amount */
	OP_INSN_LEAVE,	/* rsp is rbp + 8, and rbp is the caller's */
	OP_INSN_CALL,
	OP_INSN_JUMP, /* always */
	OP_INSN_RETURN,
	OP_INSN_WILD, /* rsp becomes anything */
};

struct op_insn {
	uint8_t bytes; /* 0: it is not known */
	uint8_t kind;  /* enum op_insn_kind */
	int32_t amount;
};

/* Decodes what is at p, of which OP_INSN_ROOM bytes can be read. */
struct op_insn op_insn_decode(const uint8_t *p);

#endif
