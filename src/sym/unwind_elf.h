// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_elf.h: finds in an ELF file what its unwind table is made of. */
#ifndef OP_SYM_UNWIND_ELF_H
#define OP_SYM_UNWIND_ELF_H

#include "base/arena.h"
#include "sym/cfi.h"
#include "sym/elf.h"

/* Sections by their names, or without section headers by PT_GNU_EH_FRAME. A
 * .debug_frame that is packed is unpacked into mem. A file without any has an
 * empty cfi; fails for a file of another machine. */
int op_unwind_elf(const struct op_elf *e, struct op_arena *mem,
		  struct op_cfi *out, struct op_err *err);

#endif
