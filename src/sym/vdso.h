// SPDX-License-Identifier: Apache-2.0
/* sym/vdso.h: the vDSO, a page of code that the kernel maps into each process:
 * a complete ELF file in our own memory. */
#ifndef OP_SYM_VDSO_H
#define OP_SYM_VDSO_H

#include "sym/elf.h"

/* False if there is none. */
bool op_vdso_open(struct op_elf *e);

#endif
