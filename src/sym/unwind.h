// SPDX-License-Identifier: Apache-2.0
/* sym/unwind.h: unwinds a stack from registers.
 *
 * A callback provides the memory: a copy of a stack, another process, or one's
 * own. The unwinder allocates nothing, takes no lock and calls only the
 * callbacks, so it may run in a signal handler if they may.
 *
 *	op_unwind_begin(&u, &env, &regs);
 *	do
 *		use(u.regs.r[OP_RIP]);
 *	while (op_unwind_next(&u));
 *	why = u.end;
 */
#ifndef OP_SYM_UNWIND_H
#define OP_SYM_UNWIND_H

#include "sym/regs_x86_64.h"
#include "sym/unwind_table.h"

/* Registers by their DWARF numbers. */
struct op_unwind_regs {
	uint64_t r[OP_NR_REGS];
	uint32_t known; /* one bit per register */
};

enum { OP_ALL_REGS = (1 << OP_NR_REGS) - 1 };

/* What is at an address. */
enum op_code_kind {
	OP_CODE_NONE,  /* nothing executable */
	OP_CODE_BARE,  /* code without a table: follow the frame pointer */
	OP_CODE_TABLE, /* code of a file */
};

struct op_unwind_code {
	struct op_unwind_table table;
	uint64_t bias; /* memory address - vaddr */
};

struct op_unwind_env {
	/* Reads a little-endian number of n bytes, 1 to 8, at an address. */
	bool (*read)(void *arg, uint64_t at, unsigned int n, uint64_t *out);
	enum op_code_kind (*code)(void *arg, uint64_t pc,
				  struct op_unwind_code *out);
	void *arg;
};

/* Why a stack ended. In all cases but the first it is truncated. */
enum op_unwind_end {
	OP_UNWIND_DONE,	       /* the outermost frame: it has no caller */
	OP_UNWIND_NO_RULE,     /* no table, and no frame pointer either */
	OP_UNWIND_UNBUILT,     /* a page of a table that is not built yet */
	OP_UNWIND_BAD_MEMORY,  /* a word of the stack is unreadable */
	OP_UNWIND_BAD_PC,      /* a return address without code */
	OP_UNWIND_LOST,	       /* a rule needs an unknown register */
	OP_UNWIND_NO_PROGRESS, /* the caller's frame is not above */
	OP_UNWIND_LIMIT,       /* more frames than requested */
};

/* How a frame was found. */
enum op_frame_how {
	OP_FRAME_TOP,	  /* from the initial registers */
	OP_FRAME_RULE,	  /* by a table */
	OP_FRAME_POINTER, /* by the frame pointer */
	OP_FRAME_SIGNAL,  /* interrupted by a signal */
};

struct op_unwind {
	const struct op_unwind_env *env;
	struct op_unwind_regs regs; /* of the frame; its pc is r[OP_RIP] */
	enum op_frame_how how;
	enum op_unwind_end end;
	/* The frame is at its pc; otherwise it is after a call, and the call is
	 * what to look up: pc - 1. */
	bool is_exact;
	enum op_code_kind kind;
	struct op_unwind_code code;
};

void op_unwind_begin(struct op_unwind *u, const struct op_unwind_env *env,
		     const struct op_unwind_regs *regs);

/* Moves to the caller. If there is none, returns false: end says why and the
 * frame does not change. After OP_UNWIND_UNBUILT it may be called again. */
bool op_unwind_next(struct op_unwind *u);

struct op_unwind_frame {
	uint64_t pc; /* of the first: as is; of others: as on the stack */
	bool is_exact;
	enum op_frame_how how;
};

/* Stores up to max frames from this one on and returns their number. u->end
 * says why there are no more. */
size_t op_unwind_all(struct op_unwind *u, struct op_unwind_frame *out,
		     size_t max);

/* A short description of each. */
const char *op_unwind_end_text(enum op_unwind_end end);

#endif
