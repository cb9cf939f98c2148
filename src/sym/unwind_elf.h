// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_elf.h: finds the call frame information in an ELF file. */
#ifndef OP_SYM_UNWIND_ELF_H
#define OP_SYM_UNWIND_ELF_H

#include "base/arena.h"
#include "sym/cfi.h"
#include "sym/elf.h"

/* Finds sections by name, or by PT_GNU_EH_FRAME if there are no section
 * headers. A compressed .debug_frame is decompressed into mem. A file without
 * any has an empty cfi; fails for a file of another machine. */
int op_unwind_elf(const struct op_elf *e, struct op_arena *mem,
		  struct op_cfi *out, struct op_err *err);

#endif
