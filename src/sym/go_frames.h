// SPDX-License-Identifier: Apache-2.0
/* sym/go_frames.h: call frame information of Go programs.
 *
 * A stripped Go program has no .debug_frame, and its functions that call no
 * other have no frame pointer. But the table that it carries for its own
 * tracebacks (sym/go_table.h) has, for each address, how far the stack pointer
 * is below the return address. */
#ifndef OP_SYM_GO_FRAMES_H
#define OP_SYM_GO_FRAMES_H

#include "base/arena.h"
#include "sym/cfi.h"
#include "sym/elf.h"

/* Makes a .debug_frame of the table of a program; *out is unchanged if it has
 * none. Functions that cannot be understood are left out. */
int op_go_frames(const struct op_elf *e, struct op_arena *mem,
		 struct op_cfi_section *out, struct op_err *err);

#endif
