// SPDX-License-Identifier: Apache-2.0
/* sym/symtab.h: which symbol an address belongs to.
 *
 * Symbols of any number of tables are added, then sorted once:
 *
 *	struct op_symtab t = { .mem = &arena };
 *	op_symtab_add_elf(&t, &binary, err);
 *	op_symtab_add_elf(&t, &debug_file, err);
 *	op_symtab_finish(&t);
 *	op_symtab_find(&t, vaddr)
 *
 * Of several symbols at one address one is kept: a function before a label, one
 * with a size before one without, global before weak before local, then the
 * one with fewer underscores at its start, the shorter one, the first in order
 * of bytes. A symbol without a size reaches up to the next one, but not past
 * its section, and inside a symbol with a size it does not count. Symbols may
 * lie inside one another: the innermost is found.
 *
 * Names are views of what they were read from, which must outlive the table,
 * or lie in its arena. A symbol's version (@GLIBC_2.2.5) is not in them.
 */
#ifndef OP_SYM_SYMTAB_H
#define OP_SYM_SYMTAB_H

#include "base/vec.h"
#include "sym/elf.h"

struct op_symbol {
	uint64_t start;
	uint64_t end; /* behind its last byte; start: not known */
	const uint8_t *name;
	uint32_t name_bytes;
	/* While symbols are added the rank, lowest best; then the symbol that
	 * this one lies in. */
	uint32_t within;
};

/* Ranks add up: of two symbols the one with the lower sum is preferred. */
enum {
	OP_SYM_LOCAL = 2,
	OP_SYM_WEAK = 1,
	OP_SYM_GLOBAL = 0,
	OP_SYM_NO_SIZE = 4,
	OP_SYM_LABEL = 8,
	OP_SYM_MADE = 16, /* by us: an entry of a PLT */
};

struct op_symtab {
	struct op_arena *mem;
	OP_VEC(struct op_symbol) rows;
};

/* Most symbols a table takes; what comes beyond is left out. */
enum { OP_SYMTAB_MAX = 1 << 26 };

/* Adds one symbol; size 0: not known, and then most is where it must end. The
 * rank is made of OP_SYM_. False if there is no memory. */
bool op_symtab_add(struct op_symtab *t, struct op_view name, uint64_t start,
		   uint64_t size, uint64_t most, uint32_t rank);

/* Adds .symtab and .dynsym (of a file without sections, what its dynamic
 * segment tells), and the entries of the PLT as name@plt. Rows that lie are
 * left out. Fails only without memory. */
int op_symtab_add_elf(struct op_symtab *t, const struct op_elf *e,
		      struct op_err *err);

/* Due once, after all was added. */
void op_symtab_finish(struct op_symtab *t);

/* The symbol that has this address; NULL if none has. */
const struct op_symbol *op_symtab_find(const struct op_symtab *t,
				       uint64_t vaddr);

op_inline struct op_view op_symbol_name(const struct op_symbol *s)
{
	return op_view(s->name, s->name_bytes);
}

#endif
