// SPDX-License-Identifier: Apache-2.0
/* sym/binary.h: what is known about the addresses of one binary: its symbols
 * and lines, in whatever files they are.
 *
 * To find the files and to read them are two steps, which two processes may
 * do: whoever has the descriptors can go on with op_binary_take(). */
#ifndef OP_SYM_BINARY_H
#define OP_SYM_BINARY_H

#include "sym/find.h"
#include "sym/lines.h"
#include "sym/symtab.h"

enum {
	OP_BINARY_MAIN,	 /* the one that is loaded */
	OP_BINARY_DEBUG, /* has what was stripped from it */
	OP_BINARY_ALT,	 /* has what DWARF of several binaries shares */
	OP_BINARY_FILES,
};

struct op_binary {
	enum op_find_status status;
	bool is_vdso;			       /* in memory, not in a file */
	struct op_file files[OP_BINARY_FILES]; /* all zero: not there */
	struct op_elf elfs[OP_BINARY_FILES];
	struct op_buf inner; /* .gnu_debugdata, unpacked */
	struct op_buf plain; /* the file with DWARF, if libdw needs a copy */
	struct op_err inner_err, plain_err;
	struct op_arena mem;
	struct op_symtab symbols;
	struct op_lines *lines;
	bool lines_tried;
};

/* One of the functions that an address is in. Views are good until the binary
 * is closed. */
struct op_sym_frame {
	struct op_view name;	 /* as the linker has it; empty: not known */
	struct op_view readable; /* empty: the name stands for itself */
	struct op_view file;	 /* where the function begins, or its line */
	struct op_view dir;	 /* in which a file without a slash begins */
	int64_t line, column;	 /* 0: not known */
	int64_t function_line;
};

/* Finds the file of a binary; b->status tells with what result. Nothing but
 * its head is read. op_binary_close() is due in any case. */
void op_binary_find(struct op_binary *b, const struct op_find *f,
		    const struct op_wanted *w);

/* The same, with what belongs to it: debug files. */
void op_binary_find_all(struct op_binary *b, const struct op_find *f,
			const struct op_wanted *w);

/* A binary of descriptors (-1: not there), which are its own from here on;
 * with main -1, the one that the kernel gives to each process. False if it
 * cannot be read. op_binary_close() is due in any case. */
bool op_binary_take(struct op_binary *b, const int fds[OP_BINARY_FILES]);

void op_binary_close(struct op_binary *b);

/* Whether there is something to ask. */
op_inline bool op_binary_is_open(const struct op_binary *b)
{
	return b->status <= OP_FIND_UNCHECKED;
}

/* Reads the symbols; lines are read when they are asked for. Fails only
 * without memory. */
int op_binary_load(struct op_binary *b, struct op_err *err);

/* From here on there are only symbols. */
void op_binary_no_lines(struct op_binary *b);

/* The lines, read now; NULL if there are none. */
struct op_lines *op_binary_lines(struct op_binary *b);

/* The functions at an address, the innermost inlined one first; at least one
 * has a name, and none is made readable. Returns how many; 0: nothing is
 * known. */
size_t op_binary_frames(struct op_binary *b, uint64_t vaddr,
			struct op_sym_frame *out, size_t most);

#endif
