// SPDX-License-Identifier: Apache-2.0
/* sym/binary.h: the symbols and lines of one binary, from whichever files they
 * are in.
 *
 * Finding the files and reading them are two steps that two processes may do: a
 * process that receives the descriptors continues with op_binary_take(). */
#ifndef OP_SYM_BINARY_H
#define OP_SYM_BINARY_H

#include "sym/find.h"
#include "sym/go_table.h"
#include "sym/lines.h"
#include "sym/symtab.h"

enum {
	OP_BINARY_MAIN,	 /* the one that is loaded */
	OP_BINARY_DEBUG, /* what was stripped from it */
	OP_BINARY_ALT,	 /* DWARF shared by several binaries */
	OP_BINARY_FILES,
};

struct op_binary {
	enum op_find_status status;
	bool is_vdso;			       /* in memory, not in a file */
	bool is_kept;			       /* of another root: kept.h */
	struct op_file files[OP_BINARY_FILES]; /* all zero: absent */
	struct op_elf elfs[OP_BINARY_FILES];
	struct op_buf inner; /* .gnu_debugdata, decompressed */
	struct op_buf plain; /* the DWARF file, if libdw needs a copy */
	struct op_err inner_err, plain_err;
	struct op_arena mem;
	struct op_symtab symbols;
	struct op_lines *lines;
	bool lines_tried;
	struct op_go_table go; /* of a program in Go */
};

/* One of the functions that contain an address. Views are valid until the
 * binary is closed. */
struct op_sym_frame {
	struct op_view name;	 /* linkage name; empty: unknown */
	struct op_view readable; /* demangled; empty: same as the name */
	struct op_view file;	 /* of the function start, or of the line */
	struct op_view dir;	 /* directory of relative file names */
	int64_t line, column;	 /* 0: unknown */
	int64_t function_line;
};

/* Finds the file of a binary and sets b->status. Only its header is read. Call
 * op_binary_close() in any case. */
void op_binary_find(struct op_binary *b, const struct op_find *f,
		    const struct op_wanted *w);

/* The same, including its debug files. */
void op_binary_find_all(struct op_binary *b, const struct op_find *f,
			const struct op_wanted *w);

/* A binary from descriptors (-1: absent), which it then owns; with main -1, the
 * vDSO. False if it cannot be read. Call op_binary_close() in any case. */
bool op_binary_take(struct op_binary *b, const int fds[OP_BINARY_FILES]);

void op_binary_close(struct op_binary *b);

/* Whether the binary was found. */
op_inline bool op_binary_is_open(const struct op_binary *b)
{
	return b->status <= OP_FIND_UNCHECKED;
}

/* Reads the symbols; lines are read on demand. Fails only if out of memory. */
int op_binary_load(struct op_binary *b, struct op_err *err);

/* From now on only symbols are used. */
void op_binary_no_lines(struct op_binary *b);

/* The lines, read now; NULL if there are none. */
struct op_lines *op_binary_lines(struct op_binary *b);

/* The functions at an address, the innermost inlined one first; at least one
 * has a name, and none is demangled. Returns how many; 0: unknown. */
size_t op_binary_frames(struct op_binary *b, uint64_t vaddr,
			struct op_sym_frame *out, size_t most);

#endif
