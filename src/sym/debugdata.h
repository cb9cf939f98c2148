// SPDX-License-Identifier: Apache-2.0
/* sym/debugdata.h: .gnu_debugdata, a small ELF file packed with xz inside a
 * stripped one, which has the symbols that .dynsym lacks.
 *
 * debugdata.c asks liblzma; debugdata_none.c stands in for it. */
#ifndef OP_SYM_DEBUGDATA_H
#define OP_SYM_DEBUGDATA_H

#include "sym/elf.h"

/* Unpacks it into out, within out's limit. False if there is none, if it is
 * broken or too large, or without memory; out's error is then as it was. */
bool op_debugdata(const struct op_elf *e, struct op_buf *out);

#endif
