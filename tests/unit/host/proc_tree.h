// SPDX-License-Identifier: Apache-2.0
/* A made-up /proc for the tests of src/host. */
#ifndef OP_TESTS_UNIT_HOST_PROC_TREE_H
#define OP_TESTS_UNIT_HOST_PROC_TREE_H

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "write/folder.h"

static struct folder tree;

static inline int tree_remove_one(const char *path, const struct stat *st,
				  int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void tree_end(void)
{
	nftw(tree.path, tree_remove_one, 20, FTW_DEPTH | FTW_PHYS);
}

/* A file, with the folders that it is in. */
static inline void tree_put(const char *name, const void *p, size_t n)
{
	char path[300];

	snprintf(path, sizeof(path), "%s", folder_path(&tree, name));
	for (char *s = path + strlen(tree.path) + 1; (s = strchr(s, '/'));
	     s++) {
		*s = 0;
		mkdir(path, 0700);
		*s = '/';
	}
	folder_write(&tree, name, op_view(p, n));
}

static inline void tree_text(const char *name, const char *text)
{
	tree_put(name, text, strlen(text));
}

static inline void tree_link(const char *name, const char *to)
{
	CHECK(!symlink(to, folder_path(&tree, name)));
}

#define TREE_STAT                                                         \
	" S 1 5 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 999 88 77 " \
	"66\n"

#endif
