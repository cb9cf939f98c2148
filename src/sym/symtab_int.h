// SPDX-License-Identifier: Apache-2.0
/* sym/symtab_int.h: shared by the files that fill symbol tables. */
#ifndef OP_SYM_SYMTAB_INT_H
#define OP_SYM_SYMTAB_INT_H

#include "sym/symtab.h"

/* A row of .symtab or .dynsym. */
struct op_elf_symbol {
	struct op_view name; /* without its version */
	uint64_t value, size;
	uint8_t type, bind; /* STT_, STB_ */
	uint16_t section;
};

/* A table of symbols with its names. */
struct op_elf_symbols {
	const struct op_elf *e;
	struct op_view rows, names;
	uint64_t nr;
};

bool op_elf_symbols(const struct op_elf *e, uint32_t section,
		    struct op_elf_symbols *out);
bool op_elf_symbol(const struct op_elf_symbols *t, uint64_t i,
		   struct op_elf_symbol *out);

/* The table that the dynamic linker uses, for a file without sections. */
bool op_elf_dynamic_symbols(const struct op_elf *e, struct op_elf_symbols *out);

/* Adds the entries of the PLT, whose addresses and targets are decoded from
 * machine code. t is not sorted yet. */
int op_plt_add(struct op_symtab *t, const struct op_elf *e, struct op_err *err);

#endif
