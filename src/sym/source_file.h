// SPDX-License-Identifier: Apache-2.0
/* sym/source_file.h: finds the source files that a profile names.
 *
 * A profile may name any path, and what is printed of a file may be seen by
 * others, so that a path is never opened as it is. Its last parts are looked up
 * below a directory of the user, the most first: of /build/x/src/app.c that is
 * build/x/src/app.c, x/src/app.c, src/app.c, app.c. Neither ".." nor a link
 * leads out of the directory, and only ordinary files of at most 16 MiB are
 * read.
 */
#ifndef OP_SYM_SOURCE_FILE_H
#define OP_SYM_SOURCE_FILE_H

#include "base/err.h"
#include "base/vec.h"
#include "base/view.h"

/* Keeps one file: the next look for the same path costs nothing. */
struct op_source_file {
	const char *dir;     /* set before */
	struct op_view path; /* as the profile has it */
	bool is_found;
	uint8_t *text;
	size_t n;
	struct op_arena mem;
	OP_VEC(size_t) starts; /* of lines */
};

/* Makes it that of a path, which must live as long; false if there is none, or
 * if it failed. */
bool op_source_file_find(struct op_source_file *f, struct op_view path,
			 struct op_err *err);

/* The text of a line, counted from 1; empty where the file has ended. */
struct op_view op_source_file_line(const struct op_source_file *f,
				   int64_t line);

/* How many lines it has. */
int64_t op_source_file_length(const struct op_source_file *f);

void op_source_file_free(struct op_source_file *f);

#endif
