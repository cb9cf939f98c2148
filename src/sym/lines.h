// SPDX-License-Identifier: Apache-2.0
/* sym/lines.h: source lines and inlined calls of an address.
 *
 * lines.c uses libdw, and reads only the compilation units that are needed;
 * lines_none.c, for builds without it, has no lines. */
#ifndef OP_SYM_LINES_H
#define OP_SYM_LINES_H

#include "base/err.h"
#include "base/view.h"

/* Maximum number of frames per address; the outermost are dropped. */
enum { OP_LINES_MAX = 128 };

/* Strings are valid until op_lines_close(). */
struct op_line_frame {
	const char *name; /* linkage name, else source name; NULL */
	const char *file; /* of the line; NULL: unknown */
	int64_t line;	  /* 0: unknown */
	int64_t column;
	const char *function_file; /* of the function start; NULL */
	int64_t function_line;
	const char *dir; /* directory of relative file names; NULL: unknown */
};

struct op_lines;

/* All must stay valid until the lines are closed. */
struct op_lines_source {
	struct op_view file;
	int fd;		    /* to find split units; -1: not used */
	struct op_view alt; /* of .gnu_debugaltlink; may be empty */
};

/* Opens the DWARF of a file. NULL if there is none, or if out of memory (then
 * err is set). */
struct op_lines *op_lines_open(const struct op_lines_source *s,
			       struct op_err *err);
void op_lines_close(struct op_lines *l);

/* The frames of an address, the innermost inlined call first, the function that
 * contains the code last. Returns their number; 0: unknown. */
size_t op_lines_find(struct op_lines *l, uint64_t vaddr,
		     struct op_line_frame *out, size_t most);

/* Whether there are units whose functions are in separate files (.dwo), which
 * libdw opens by name, and all of these files that exist are regular files that
 * name no further file. */
bool op_lines_may_split(struct op_lines *l);

#endif
