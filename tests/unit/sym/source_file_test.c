// SPDX-License-Identifier: Apache-2.0
#include "sym/source_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0);
	CHECK(f && !fclose(f));
}

/* Only what is below the directory is found, by the last parts of a path. */
TEST(paths)
{
	static const struct {
		const char *path;
		int64_t lines; /* -1: not found */
	} rows[] = {
		{ "/build/x/src/a.c", 2 },
		{ "src/a.c", 2 },
		{ "C:\\x\\src\\a.c", 2 },
		{ "../src/./a.c", 2 },
		{ "a.c", -1 },
		{ "src/../../etc/passwd", -1 },
		{ "src/link.c", -1 },
		{ "src", -1 },
		{ "", -1 },
	};
	char dir[] = "/tmp/otprof-source-XXXXXX", path[80];
	struct op_source_file f = { .dir = dir };

	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/src", dir);
	CHECK_EQ(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/src/link.c", dir);
	CHECK_EQ(symlink("/etc/passwd", path), 0);
	snprintf(path, sizeof(path), "%s/src/a.c", dir);
	write_file(path, "one\r\ntwo");
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		bool found = op_source_file_find(&f, op_view_z(rows[i].path),
						 &err);

		CHECK_EQ(found ? op_source_file_length(&f) : -1, rows[i].lines);
		if (!found)
			continue;
		CHECK(op_view_is(op_source_file_line(&f, 1), "one"));
		CHECK(op_view_is(op_source_file_line(&f, 2), "two"));
		CHECK_EQ(op_source_file_line(&f, 3).n, 0);
		CHECK_EQ(op_source_file_line(&f, 0).n, 0);
	}
	op_source_file_free(&f);
	unlink(path);
	snprintf(path, sizeof(path), "%s/src/link.c", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/src", dir);
	rmdir(path);
	rmdir(dir);
}

TEST_MAIN(paths)
