// SPDX-License-Identifier: Apache-2.0
/* sym/unwind.h: from registers to a stack.
 *
 * The memory is whatever a callback says it is: a copy of a stack, another
 * process, one's own. Takes no memory and no lock and calls nothing but the
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
	uint32_t known; /* a bit a register */
};

enum { OP_ALL_REGS = (1 << OP_NR_REGS) - 1 };

/* What there is at an address. */
enum op_code_kind {
	OP_CODE_NONE,  /* nothing that is executed */
	OP_CODE_BARE,  /* code without a table: the frame pointer is followed */
	OP_CODE_TABLE, /* code of a file */
};

struct op_unwind_code {
	struct op_unwind_table table;
	uint64_t bias; /* memory address - vaddr */
};

struct op_unwind_env {
	/* The little-endian number of n bytes, 1 to 8, at an address. */
	bool (*read)(void *arg, uint64_t at, unsigned int n, uint64_t *out);
	enum op_code_kind (*code)(void *arg, uint64_t pc,
				  struct op_unwind_code *out);
	void *arg;
};

/* Why a stack ended. All but the first are stacks that are cut short. */
enum op_unwind_end {
	OP_UNWIND_DONE,	       /* the outermost frame: it has no caller */
	OP_UNWIND_NO_RULE,     /* no table, and no frame pointer either */
	OP_UNWIND_UNBUILT,     /* a page of a table that is not built yet */
	OP_UNWIND_BAD_MEMORY,  /* a word of the stack could not be read */
	OP_UNWIND_BAD_PC,      /* a return address where there is no code */
	OP_UNWIND_LOST,	       /* a rule needs a register that is not known */
	OP_UNWIND_NO_PROGRESS, /* the caller's frame is not above */
	OP_UNWIND_LIMIT,       /* more frames than were wanted */
};

/* How a frame was found. */
enum op_frame_how {
	OP_FRAME_TOP,	  /* by the registers that were given */
	OP_FRAME_RULE,	  /* by a table */
	OP_FRAME_POINTER, /* by the frame pointer */
	OP_FRAME_SIGNAL,  /* as what a signal interrupted */
};

struct op_unwind {
	const struct op_unwind_env *env;
	struct op_unwind_regs regs; /* of the frame; its pc is r[OP_RIP] */
	enum op_frame_how how;
	enum op_unwind_end end;
	/* The frame stands at its pc; if not, behind a call, and the call is
	 * what is to be looked up: pc - 1. */
	bool is_exact;
	enum op_code_kind kind;
	struct op_unwind_code code;
};

void op_unwind_begin(struct op_unwind *u, const struct op_unwind_env *env,
		     const struct op_unwind_regs *regs);

/* Goes to the caller. If there is none, false: end says why and the frame
 * stays as it is. After OP_UNWIND_UNBUILT it may be tried again. */
bool op_unwind_next(struct op_unwind *u);

struct op_unwind_frame {
	uint64_t pc; /* of the first: as it is; of others: as on the stack */
	bool is_exact;
	enum op_frame_how how;
};

/* Up to max frames from this one on; how many. u->end says why no more. */
size_t op_unwind_all(struct op_unwind *u, struct op_unwind_frame *out,
		     size_t max);

/* A few words for each. */
const char *op_unwind_end_text(enum op_unwind_end end);

#endif
