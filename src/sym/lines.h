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
enum { OP_LINES_MAX = 128 };

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

/* All must stay until the lines are closed. */
struct op_lines_source {
	struct op_view file;
	int fd; /* by which files of split units are found; -1: they are not */
	struct op_view alt; /* what .gnu_debugaltlink names; may be empty */
};

/* What DWARF says in a file. NULL if it says nothing, or without memory (then
 * err is set). */
struct op_lines *op_lines_open(const struct op_lines_source *s,
			       struct op_err *err);
void op_lines_close(struct op_lines *l);

/* The frames of an address, the innermost inlined call first, the function
 * that has the code last. Returns how many there are; 0: nothing is known. */
size_t op_lines_find(struct op_lines *l, uint64_t vaddr,
		     struct op_line_frame *out, size_t most);

/* Whether there are units whose functions are in files of their own (.dwo),
 * which libdw opens by name, and all of these files that are there at all are
 * ordinary ones which name no further file. */
bool op_lines_may_split(struct op_lines *l);

#endif
