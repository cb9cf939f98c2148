// SPDX-License-Identifier: Apache-2.0
/* tests/write/folder.h: a folder for a test, and what is in it. */
#ifndef OP_TESTS_WRITE_FOLDER_H
#define OP_TESTS_WRITE_FOLDER_H

#include "base/view.h"

enum { FOLDER_PATH = 128, FOLDER_NAMES = 64 };

struct folder {
	char path[FOLDER_PATH];
	char names[FOLDER_NAMES][80]; /* by folder_list(), sorted */
	size_t nr;
};

/* Stop the program if they cannot. */
void folder_make(struct folder *f);
void folder_remove(struct folder *f);

/* Lists the files whose names end so; "" for all. */
size_t folder_list(struct folder *f, const char *ending);

/* The path of a file in it; good until the next call. */
const char *folder_path(const struct folder *f, const char *name);

void folder_write(const struct folder *f, const char *name, struct op_view v);
size_t folder_read(const struct folder *f, const char *name, uint8_t *out,
		   size_t n);

#endif
