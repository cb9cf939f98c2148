// SPDX-License-Identifier: Apache-2.0
/* sym/vdso.c: the vDSO of this process, which is that of every process. */
#include "sym/vdso.h"

#include <elf.h>
#include <sys/auxv.h>

/* Its last part is the section table. */
bool op_vdso_open(struct op_elf *e)
{
	enum { MAX_BYTES = 64 * 1024 };
	const uint8_t *p = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct op_err err = { 0 };
	Elf64_Ehdr h;
	uint64_t n;

	if (!p)
		return false;
	memcpy(&h, p, sizeof(h));
	n = h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize;
	return h.e_ident[EI_CLASS] == ELFCLASS64 && n <= MAX_BYTES &&
	       !op_elf_open(e, op_view(p, (size_t)n), &err);
}
