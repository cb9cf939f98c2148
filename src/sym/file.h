// SPDX-License-Identifier: Apache-2.0
/* sym/file.h: a binary on disk, mapped.
 *
 * Binaries have hundreds of megabytes of which little is looked at, so that
 * they are mapped. One that shrinks meanwhile raises SIGBUS; what replaces
 * binaries (package managers, linkers) makes a new file instead. */
#ifndef OP_SYM_FILE_H
#define OP_SYM_FILE_H

#include "base/err.h"
#include "base/view.h"

struct op_file {
	struct op_view bytes;
	int fd;		   /* open as long as the bytes are there */
	uint64_t dev, ino; /* which file it is, whatever its name */
	uint64_t mtime_ns;
};

/* Opens an ordinary file of at most max bytes that is not empty, as
 * op_open_in() does. On failure there is nothing to close; errno tells why. */
bool op_file_open(struct op_file *f, const char *root, const char *path,
		  size_t max);

/* The same of a descriptor, which is the file's from here on, also on failure.
 */
bool op_file_take(struct op_file *f, int fd, size_t max);

/* All zero is closed. */
void op_file_close(struct op_file *f);

#endif
