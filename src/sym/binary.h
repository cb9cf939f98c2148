// SPDX-License-Identifier: Apache-2.0
/* sym/binary.h: what is known about the addresses of one binary: its symbols
 * and lines, in whatever files they are. */
#ifndef OP_SYM_BINARY_H
#define OP_SYM_BINARY_H

#include "sym/find.h"
#include "sym/lines.h"
#include "sym/symtab.h"

struct op_binary {
	enum op_find_status status;
	struct op_elf elf; /* the one that is loaded */
	struct op_found main, debug;
	struct op_buf inner; /* .gnu_debugdata, unpacked */
	struct op_buf plain; /* the file with DWARF, if libdw needs a copy */
	struct op_err inner_err, plain_err;
	struct op_arena mem;
	struct op_symtab symbols;
	struct op_lines *lines;
	bool has_debug, lines_tried;
};

/* One of the functions that an address is in. Views and texts are good until
 * the binary is closed. */
struct op_sym_frame {
	struct op_view name; /* as the linker has it; empty: not known */
	struct op_line_frame at;
};

/* Finds and opens a binary and its debug file; b->status tells with what
 * result. Fails only without memory. op_binary_close() is due either way. */
int op_binary_open(struct op_binary *b, const struct op_find *f,
		   const struct op_wanted *w, struct op_err *err);
void op_binary_close(struct op_binary *b);

/* Whether there is something to ask. */
op_inline bool op_binary_is_open(const struct op_binary *b)
{
	return b->status <= OP_FIND_UNCHECKED;
}

/* The functions at an address, the innermost inlined one first; at least one
 * has a name. Returns how many; 0: nothing is known. */
size_t op_binary_frames(struct op_binary *b, uint64_t vaddr,
			struct op_sym_frame *out, size_t most);

/* About how many bytes of memory it takes, but for what is mapped. */
size_t op_binary_bytes(const struct op_binary *b);

#endif
