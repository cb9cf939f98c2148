// SPDX-License-Identifier: Apache-2.0
/* sym/find.h: finds the binary of a mapping, and its debug file.
 *
 * A binary is searched for in this order, and used if its build ID is that of
 * the profile:
 *
 *	ROOT/path		where it was when it ran, never outside of ROOT
 *	what a recorder keeps	files of containers, replaced files: kept.h
 *	DIR/.build-id/ab/cdef	and followed by .debug or /elf
 *	DIR/path, DIR/name
 *	debuginfod
 *
 * If the profile has no build ID, only a file that has not changed since the
 * profile was taken is used, from its path or from DIR.
 *
 * Then the debug file of a binary that lacks symbols or DWARF:
 *
 *	DIR/.build-id/ab/cdef.debug	with the same build ID
 *	.gnu_debuglink's name		beside the binary, in .debug there,
 *					in DIR/directory of the binary; with the
 *					same build ID, or the CRC of the link
 *	debuginfod
 *
 * DWARF that was processed by dwz refers to one more file, by path and build
 * ID:
 *
 *	.gnu_debugaltlink's path, relative to the file if not absolute
 *	DIR/.build-id/ab/cdef.debug
 */
#ifndef OP_SYM_FIND_H
#define OP_SYM_FIND_H

#include <limits.h>

#include "sym/build_id.h"
#include "sym/debuginfod.h"
#include "sym/file.h"
#include "sym/kept.h"

#define OP_FIND_DIRS "/usr/lib/debug"
#define OP_FIND_MAX_BYTES ((size_t)16 << 30)

struct op_find {
	/* Paths of the profile do not lead out of this directory; NULL: "/",
	 * empty: they are not searched. */
	const char *root;
	const char *dirs;	      /* colon-separated; NULL: OP_FIND_DIRS */
	struct op_debuginfod *server; /* NULL: not queried */
	struct op_kept *kept;	      /* NULL: none */
};

enum op_find_status {
	OP_FIND_OK,
	OP_FIND_UNCHECKED, /* found, but the profile has no build ID */
	OP_FIND_NO_FILE,
	OP_FIND_OTHER_BUILD,
	OP_FIND_CHANGED, /* since the profile was taken */
	OP_FIND_BROKEN,	 /* found, but not a readable ELF file */
	OP_FIND_NR,
};

struct op_wanted {
	struct op_view path; /* empty: unknown */
	struct op_build_ids ids;
	uint64_t time_ns; /* when the profile was taken; 0: unknown */
};

/* An open file. */
struct op_found {
	struct op_file file;
	struct op_elf elf;
	char root[PATH_MAX]; /* that contains the path; "": anywhere */
	char path[PATH_MAX]; /* "": from a server, or kept */
	bool is_kept;
};

/* out is open if the result is OP_FIND_OK or OP_FIND_UNCHECKED. */
enum op_find_status op_find_binary(const struct op_find *f,
				   const struct op_wanted *w,
				   struct op_found *out);

/* The debug file of an open binary; false if there is none. */
bool op_find_debug(const struct op_find *f, const struct op_found *binary,
		   struct op_found *out);

/* The file that the DWARF of an open file shares with others: the one that
 * .gnu_debugaltlink names, if it has the build ID given there; false if there
 * is none. */
bool op_find_alt(const struct op_find *f, const struct op_found *of,
		 struct op_found *out);

void op_found_close(struct op_found *f);

#endif
