// SPDX-License-Identifier: Apache-2.0
/* sym/file.h: a binary on disk, mapped.
 *
 * Binaries can have hundreds of megabytes of which little is read, so they are
 * mapped. A file that shrinks meanwhile raises SIGBUS; but tools that replace
 * binaries (package managers, linkers) create a new file instead. */
#ifndef OP_SYM_FILE_H
#define OP_SYM_FILE_H

#include "base/err.h"
#include "base/view.h"

struct op_file {
	struct op_view bytes;
	int fd;		   /* open while the file is mapped */
	uint64_t dev, ino; /* identity of the file, whatever its name */
	uint64_t mtime_ns;
};

/* Opens a regular file of at most max bytes that is not empty, like
 * op_open_in(). On failure there is nothing to close; errno is set. */
bool op_file_open(struct op_file *f, const char *root, const char *path,
		  size_t max);

/* The same from a descriptor, which it then owns, even on failure.
 */
bool op_file_take(struct op_file *f, int fd, size_t max);

/* All zero is closed. */
void op_file_close(struct op_file *f);

#endif
