// SPDX-License-Identifier: Apache-2.0
/* sym/go_table.h: functions, lines and inlined calls from the table that every
 * Go program carries for its own tracebacks, stripped or not.
 *
 * The table (.gopclntab) begins with a header; its words have the size of a
 * pointer:
 *
 *	0	magic: the version
 *	4	0, 0, bytes per instruction unit, bytes of a pointer
 *	8	number of functions, number of files,
 *		(1.18 and later) address of the code, 0 since 1.26,
 *		(1.16 and later) offsets of names, units, files, values and
 *		functions
 *
 * Functions are a sorted array of (entry, offset of its record). Entries are
 * addresses, since 1.18 offsets from the start of the code. A record has 32-bit
 * fields behind its entry:
 *
 *	1 name	5 files	6 lines	7 number of value tables	8 unit	9 line
 *	behind them: number of data, then offsets of value tables, then of data
 *
 * A value table is a list of (change of the value, length of code), both as
 * variable-length numbers: which file, which line, which inlined call.
 *
 * The module data of the program tells where the code begins, and where the
 * trees of inlined calls are. It begins with a pointer to the table. In a
 * position-independent program, its pointers may exist in relocations only.
 */
#ifndef OP_SYM_GO_TABLE_H
#define OP_SYM_GO_TABLE_H

#include "sym/elf.h"
#include "sym/lines.h"

enum op_go_version { OP_GO_1_2 = 1, OP_GO_1_16, OP_GO_1_18, OP_GO_1_20 };

struct op_go_table {
	struct op_elf elf;
	enum op_go_version version;
	uint32_t quantum;  /* bytes per instruction unit */
	uint32_t pointer;  /* bytes of a pointer */
	uint32_t nr_funcs; /* 0: there is no table */
	uint64_t text;	   /* what entries are relative to */
	uint64_t vaddr;	   /* of the table */
	/* Parts of the table, each up to its end. */
	struct op_view bytes, names, units, files, values, funcs;
	uint64_t trees; /* address of inlined calls; 0: unknown */
};

/* Finds the table of a file, which must outlive it. False if there is none, or
 * none that can be understood. */
bool op_go_table_open(struct op_go_table *t, const struct op_elf *e);

/* Where the code begins and where trees are, from the module data of the
 * program. For op_go_table_open(). */
void op_go_module_read(struct op_go_table *t);

/* The frames of an address, like op_lines_find(). */
size_t op_go_table_find(const struct op_go_table *t, uint64_t vaddr,
			struct op_line_frame *out, size_t most);

/* A number of n bytes in a part of a table; 0 if it is not inside. */
op_inline uint64_t op_go_number(struct op_view v, uint64_t at, size_t n)
{
	uint64_t x = 0;

	if (at > v.n || n > v.n - at)
		return 0;
	memcpy(&x, v.p + at, n);
	return x;
}

/* Entry of a function; the one behind the last is the end of the code. */
op_inline uint64_t op_go_entry(const struct op_go_table *t, uint32_t i)
{
	size_t n = t->version >= OP_GO_1_18 ? 4 : t->pointer;

	return t->text + op_go_number(t->funcs, 2 * (uint64_t)n * i, n);
}

#endif
