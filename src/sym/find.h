// SPDX-License-Identifier: Apache-2.0
/* sym/find.h: the file of a mapping, and the file with what was stripped.
 *
 * A binary is looked for in this order, and taken if its build id is that of
 * the profile:
 *
 *	ROOT/path		where it was when it ran, never outside of ROOT
 *	DIR/.build-id/ab/cdef	and with .debug or /elf behind it
 *	DIR/path, DIR/name
 *	debuginfod
 *
 * If the profile names no build, only a file that has not changed since the
 * profile was taken is taken, from its path or from DIR.
 *
 * Then the debug file of a binary that lacks symbols or DWARF:
 *
 *	DIR/.build-id/ab/cdef.debug	of the same build id
 *	.gnu_debuglink's name		beside the binary, in .debug beside it,
 *					in DIR/folder of the binary; of the same
 *					build id, or of the CRC it tells
 *	debuginfod
 *
 * DWARF that dwz made smaller refers to one more file, by path and build id:
 *
 *	.gnu_debugaltlink's path, beside the file if it begins without a slash
 *	DIR/.build-id/ab/cdef.debug
 */
#ifndef OP_SYM_FIND_H
#define OP_SYM_FIND_H

#include <limits.h>

#include "sym/build_id.h"
#include "sym/debuginfod.h"
#include "sym/file.h"

#define OP_FIND_DIRS "/usr/lib/debug"
#define OP_FIND_MAX_BYTES ((size_t)16 << 30)

struct op_find {
	/* Out of which paths of the profile do not lead; NULL: "/", empty:
	 * they are not looked for there at all. */
	const char *root;
	const char *dirs; /* with colons between them; NULL: OP_FIND_DIRS */
	struct op_debuginfod *server; /* NULL: is not asked */
};

enum op_find_status {
	OP_FIND_OK,
	OP_FIND_UNCHECKED, /* found, but the profile names no build */
	OP_FIND_NO_FILE,
	OP_FIND_OTHER_BUILD,
	OP_FIND_CHANGED, /* since the profile was taken */
	OP_FIND_BROKEN,	 /* there, but not an ELF file that can be read */
	OP_FIND_NR,
};

struct op_wanted {
	struct op_view path; /* empty: not known */
	struct op_build_ids ids;
	uint64_t time_ns; /* when the profile was taken; 0: not known */
};

/* An open file. */
struct op_found {
	struct op_file file;
	struct op_elf elf;
	char root[PATH_MAX]; /* in which the path lies; "": anywhere */
	char path[PATH_MAX]; /* "": from a server */
};

/* out is open if the result is OP_FIND_OK or OP_FIND_UNCHECKED. */
enum op_find_status op_find_binary(const struct op_find *f,
				   const struct op_wanted *w,
				   struct op_found *out);

/* The debug file of an open binary; false if there is none. */
bool op_find_debug(const struct op_find *f, const struct op_found *binary,
		   struct op_found *out);

/* The file that the DWARF of an open file shares with others: what its
 * .gnu_debugaltlink names, if it has the build id that stands there; false if
 * there is none. */
bool op_find_alt(const struct op_find *f, const struct op_found *of,
		 struct op_found *out);

void op_found_close(struct op_found *f);

#endif
