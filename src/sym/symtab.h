// SPDX-License-Identifier: Apache-2.0
/* sym/symtab.h: finds the symbol of an address.
 *
 * Symbols of any number of tables are added, then sorted once:
 *
 *	struct op_symtab t = { .mem = &arena };
 *	op_symtab_add_elf(&t, &binary, err);
 *	op_symtab_add_elf(&t, &debug_file, err);
 *	op_symtab_finish(&t);
 *	op_symtab_find(&t, vaddr)
 *
 * If several symbols have the same address, one is kept: a function before a
 * label, one with a size before one without, global before weak before local,
 * then the one with fewer leading underscores, the shorter one, the first in
 * byte order. A symbol without a size extends to the next one, but not past its
 * section, and is ignored inside a symbol with a size. Symbols may be nested:
 * the innermost is found.
 *
 * Names are views of the input, which must outlive the table, or are in its
 * arena. They do not include the version of a symbol (@GLIBC_2.2.5).
 */
#ifndef OP_SYM_SYMTAB_H
#define OP_SYM_SYMTAB_H

#include "base/vec.h"
#include "sym/elf.h"

struct op_symbol {
	uint64_t start;
	uint64_t end; /* after its last byte; start: unknown */
	const uint8_t *name;
	uint32_t name_bytes;
	/* While symbols are added, the rank, lowest best; then the symbol that
	 * contains this one. */
	uint32_t within;
};

/* Ranks add up: of two symbols the one with the lower sum is preferred. */
enum {
	OP_SYM_LOCAL = 2,
	OP_SYM_WEAK = 1,
	OP_SYM_GLOBAL = 0,
	OP_SYM_NO_SIZE = 4,
	OP_SYM_LABEL = 8,
	OP_SYM_MADE = 16, /* synthesized: a PLT entry */
};

struct op_symtab {
	struct op_arena *mem;
	OP_VEC(struct op_symbol) rows;
};

/* Maximum number of symbols in a table; more are ignored. */
enum { OP_SYMTAB_MAX = 1 << 26 };

/* Adds one symbol; size 0: unknown, and then it ends at `most` at the latest.
 * The rank is made of OP_SYM_. False if out of memory. */
bool op_symtab_add(struct op_symtab *t, struct op_view name, uint64_t start,
		   uint64_t size, uint64_t most, uint32_t rank);

/* Adds .symtab and .dynsym (in a file without sections, the tables of its
 * dynamic segment), and the entries of the PLT as name@plt. Invalid rows are
 * skipped. Fails only if out of memory. */
int op_symtab_add_elf(struct op_symtab *t, const struct op_elf *e,
		      struct op_err *err);

/* Call once, after everything was added. */
void op_symtab_finish(struct op_symtab *t);

/* The symbol that contains this address, or NULL. */
const struct op_symbol *op_symtab_find(const struct op_symtab *t,
				       uint64_t vaddr);

op_inline struct op_view op_symbol_name(const struct op_symbol *s)
{
	return op_view(s->name, s->name_bytes);
}

#endif
