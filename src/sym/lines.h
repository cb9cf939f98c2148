// SPDX-License-Identifier: Apache-2.0
/* sym/lines.h: where in the source an address is, and which calls were inlined
 * there.
 *
 * lines.c asks libdw, one compilation unit at a time and only those that are
 * asked about; lines_none.c, for a build without it, knows no lines. */
#ifndef OP_SYM_LINES_H
#define OP_SYM_LINES_H

#include "base/err.h"
#include "base/view.h"

/* Most frames that one address becomes; the outermost are then missing. */
enum { OP_LINES_MOST = 128 };

/* Texts are good until op_lines_close(). */
struct op_line_frame {
	const char *name; /* as the linker has it, else as the source; NULL */
	const char *file; /* of the line; NULL: not known */
	int64_t line;	  /* 0: not known */
	int64_t column;
	const char *function_file; /* where the function begins; NULL */
	int64_t function_line;
	const char *dir; /* in which names of files that do not begin with a
			  * slash begin; NULL: not known */
};

struct op_lines;

/* What DWARF says in a file. Its bytes and the descriptor, by which the files
 * that it refers to are found (-1: they are not), must stay until it is
 * closed. NULL if it says nothing, or without memory (then err is set). */
struct op_lines *op_lines_open(struct op_view file, int fd, struct op_err *err);
void op_lines_close(struct op_lines *l);

/* The frames of an address, the innermost inlined call first, the function
 * that has the code last. Returns how many there are; 0: nothing is known. */
size_t op_lines_find(struct op_lines *l, uint64_t vaddr,
		     struct op_line_frame *out, size_t most);

/* About how many bytes of memory it takes. */
size_t op_lines_bytes(const struct op_lines *l);

#endif
