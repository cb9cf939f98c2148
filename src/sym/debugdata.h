// SPDX-License-Identifier: Apache-2.0
/* sym/debugdata.h: .gnu_debugdata, a small xz-compressed ELF file inside a
 * stripped one, which has the symbols that .dynsym lacks.
 *
 * debugdata.c uses liblzma; debugdata_none.c is for builds without it. */
#ifndef OP_SYM_DEBUGDATA_H
#define OP_SYM_DEBUGDATA_H

#include "sym/elf.h"

/* Decompresses it into out, within out's limit. False if there is none, if it
 * is broken or too large, or if out of memory; out's error is then unchanged.
 */
bool op_debugdata(const struct op_elf *e, struct op_buf *out);

#endif
