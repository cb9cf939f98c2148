// SPDX-License-Identifier: Apache-2.0
/* sym/open.h: opens files whose names come from a profile or a binary.
 *
 * Opening a device can do harm, and opening a pipe can block. So a file is
 * inspected before it is opened: it is resolved with O_PATH, and only a regular
 * file is opened for reading, through that descriptor and not by its name
 * again. Files of /proc and /sys look regular, but are rejected too.
 */
#ifndef OP_SYM_OPEN_H
#define OP_SYM_OPEN_H

#include <stdbool.h>
#include <sys/stat.h>

/* Opens a regular file that is not empty. Neither "..", nor a link, nor a
 * leading slash leads out of the directory root. With root NULL the path comes
 * from the user and is not restricted. Returns a descriptor and its status, or
 * -1 and errno. */
int op_open_in(const char *root, const char *path, struct stat *st);

/* The same, but a link as the last component is not followed. */
int op_open_no_link(const char *root, const char *path, struct stat *st);

/* Resolves a path component by component, for kernels without openat2().
 * Returns an O_PATH descriptor, or -1 and errno. */
int op_open_walk(int root, const char *path, bool no_link);

#endif
