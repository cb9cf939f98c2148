// SPDX-License-Identifier: Apache-2.0
#include "write/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

void folder_make(struct folder *f)
{
	const char *tmp = getenv("TMPDIR");

	memset(f, 0, sizeof(*f));
	snprintf(f->path, sizeof(f->path), "%.90s/otprof-test-XXXXXX",
		 tmp ? tmp : "/tmp");
	must(mkdtemp(f->path), f->path);
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(a, b);
}

size_t folder_list(struct folder *f, const char *ending)
{
	DIR *d = opendir(f->path);
	const struct dirent *de;

	f->nr = 0;
	while (d && (de = readdir(d))) {
		struct op_view name = op_view_z(de->d_name);

		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, "..") ||
		    !op_view_ends(name, ending))
			continue;
		must(f->nr < FOLDER_NAMES && name.n < sizeof(f->names[0]),
		     "too many files");
		memcpy(f->names[f->nr++], name.p, name.n + 1);
	}
	if (d)
		closedir(d);
	qsort(f->names, f->nr, sizeof(f->names[0]), name_cmp);
	return f->nr;
}

void folder_remove(struct folder *f)
{
	folder_list(f, "");
	for (size_t i = 0; i < f->nr; i++)
		unlink(folder_path(f, f->names[i]));
	rmdir(f->path);
}

const char *folder_path(const struct folder *f, const char *name)
{
	static char path[FOLDER_PATH + 100];

	snprintf(path, sizeof(path), "%s/%.90s", f->path, name);
	return path;
}

void folder_write(const struct folder *f, const char *name, struct op_view v)
{
	FILE *file = fopen(folder_path(f, name), "wb");

	must(file && fwrite(v.p, 1, v.n, file) == v.n && !fclose(file), name);
}

size_t folder_read(const struct folder *f, const char *name, uint8_t *out,
		   size_t n)
{
	FILE *file = fopen(folder_path(f, name), "rb");
	size_t got;

	must(file, name);
	got = fread(out, 1, n, file);
	fclose(file);
	return got;
}
