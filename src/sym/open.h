// SPDX-License-Identifier: Apache-2.0
/* sym/open.h: opens files whose names come from a profile or a binary.
 *
 * To open a device can already do harm, and a pipe keeps one waiting, so that
 * a file is looked at before it is opened: it is found as a mere place in the
 * file system (O_PATH), and only an ordinary file is opened for reading, by
 * that place and not by its name again. What the kernel makes up on the fly
 * (/proc, /sys) looks ordinary, but is no file either.
 */
#ifndef OP_SYM_OPEN_H
#define OP_SYM_OPEN_H

#include <stdbool.h>
#include <sys/stat.h>

/* Opens an ordinary file that is not empty. Neither "..", nor a link, nor a
 * slash at the start of the path leads out of the folder root. With root NULL
 * the path is one of the user's and goes where it likes. Gives a descriptor
 * and what it is, or -1 and errno. */
int op_open_in(const char *root, const char *path, struct stat *st);

/* The same, but a link in the last place is not followed. */
int op_open_no_link(const char *root, const char *path, struct stat *st);

/* How a path is followed where the kernel has no openat2(): part by part. It
 * gives a place (O_PATH), or -1 and errno. */
int op_open_walk(int root, const char *path, bool no_link);

#endif
