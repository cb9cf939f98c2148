// SPDX-License-Identifier: Apache-2.0
/* cli/files.c: expands directories to the files in them; what options say of
 * directories. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static void file_add(struct cli_files *f, const char *folder, const char *name)
{
	size_t n = strlen(folder) + strlen(name) + 2;
	char *path = op_new(&f->mem, char, n);

	if (!path)
		return;
	snprintf(path, n, "%s/%s", folder, name);
	if (is_file(path))
		(void)op_vec_push(&f->mem, &f->list, path);
}

/* Sorted by name, because recorders put the time into it; names that begin with
 * a dot are hidden. */
static void folder_add(struct cli_files *f, const char *folder,
		       struct op_err *err)
{
	size_t before = f->list.n;
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);

	if (n < 0) {
		op_fail_sys(err, "cannot read '%s'", folder);
		return;
	}
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.' && !err->code)
			file_add(f, folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (f->list.n == before)
		op_fail(err, OP_EFORMAT, "%s: contains no files", folder);
}

int cli_files(struct cli_files *f, char **args, int n, struct op_err *err)
{
	op_arena_tells(&f->mem, err);
	for (int i = 0; i < n && !err->code; i++) {
		if (is_folder(args[i]))
			folder_add(f, args[i], err);
		else
			(void)op_vec_push(&f->mem, &f->list, args[i]);
	}
	return err->code;
}

int cli_source_path_check(const char *path, struct op_err *err)
{
	struct stat st;

	if (!path)
		return OP_OK;
	if (stat(path, &st))
		return op_fail_sys(err, "cannot open '%.160s'", path);
	if (!S_ISDIR(st.st_mode))
		return op_fail(err, OP_EUSAGE,
			       "--source-path expects a directory, not "
			       "'%.120s'",
			       path);
	return OP_OK;
}
