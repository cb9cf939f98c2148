// SPDX-License-Identifier: Apache-2.0
#include "fmt/output.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "test.h"
#include "write/folder.h"

static int write_to(const char *path, const char *text)
{
	struct op_err err = { 0 };
	struct op_output out;

	if (!op_output_open(&out, path, &err)) {
		out.sink.write(&out.sink, op_view_z(text), &err);
		op_output_close(&out, &err);
	}
	return err.code;
}

static mode_t mode_of(const char *path)
{
	struct stat st = { 0 };

	CHECK_EQ(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

TEST(new_file)
{
	static const struct {
		mode_t mask, mode;
	} rows[] = { { 022, 0644 }, { 077, 0600 }, { 0, 0666 } };
	struct folder f;

	folder_make(&f);
	for (size_t i = 0; i < op_countof(rows); i++) {
		const char *path = folder_path(&f, "new");
		mode_t before = umask(rows[i].mask);

		CHECK_EQ(write_to(path, "x"), OP_OK);
		CHECK_EQ(mode_of(path), rows[i].mode);
		CHECK_EQ(umask(before), rows[i].mask);
		unlink(path);
	}
	CHECK_EQ(folder_list(&f, ""), 0);
	folder_remove(&f);
}

/* While it is written, the new file shows no more than the old one. */
TEST(replaced_file)
{
	static const mode_t modes[] = { 0600, 0640, 0666, 0755 };
	struct folder f;

	folder_make(&f);
	for (size_t i = 0; i < op_countof(modes); i++) {
		const char *path = folder_path(&f, "old");
		struct op_err err = { 0 };
		struct op_output out;

		folder_write(&f, "old", op_view_z("old"));
		CHECK_EQ(chmod(path, modes[i]), 0);
		CHECK_EQ(op_output_open(&out, path, &err), OP_OK);
		CHECK_EQ(mode_of(out.temp), modes[i]);
		CHECK_EQ(op_output_close(&out, &err), OP_OK);
		CHECK_EQ(mode_of(path), modes[i]);
	}
	CHECK_EQ(folder_list(&f, ""), 1);
	folder_remove(&f);
}

TEST(failed_file)
{
	struct op_err err = { 0 };
	struct op_output out;
	struct folder f;

	folder_make(&f);
	folder_write(&f, "old", op_view_z("old"));
	CHECK_EQ(op_output_open(&out, folder_path(&f, "old"), &err), OP_OK);
	CHECK_EQ(folder_list(&f, ""), 2);
	op_fail(&err, OP_EIO, "failed");
	CHECK_EQ(op_output_close(&out, &err), OP_EIO);
	CHECK_EQ(folder_list(&f, ""), 1);
	CHECK_EQ(write_to("nowhere/at/all", "x"), OP_EIO);
	folder_remove(&f);
}

TEST(links)
{
	const char *path;
	struct folder f;

	folder_make(&f);
	path = folder_path(&f, "link");
	CHECK_EQ(symlink("target", path), 0);
	CHECK_EQ(write_to(path, "x"), OP_EIO);
	CHECK_EQ(folder_list(&f, ""), 1);
	folder_write(&f, "target", op_view_z("old text"));
	path = folder_path(&f, "link");
	CHECK_EQ(write_to(path, "new"), OP_OK);
	CHECK_EQ(folder_list(&f, ""), 2);
	CHECK_EQ(folder_read(&f, "target", (uint8_t[16]){ 0 }, 16), 3);
	folder_remove(&f);
}

/* Version 2 and the entries: tag, permissions, id. User 65534 may read. */
static const char acl[] = "\x02\0\0\0"
			  "\x01\0\x06\0\xff\xff\xff\xff"
			  "\x02\0\x04\0\xfe\xff\0\0"
			  "\x04\0\0\0\xff\xff\xff\xff"
			  "\x10\0\x04\0\xff\xff\xff\xff"
			  "\x20\0\0\0\xff\xff\xff\xff";

TEST(access_control_list)
{
	static const char name[] = "system.posix_acl_access";
	char got[200] = { 0 };
	const char *path;
	struct folder f;

	folder_make(&f);
	folder_write(&f, "old", op_view_z("old"));
	path = folder_path(&f, "old");
	if (setxattr(path, name, acl, sizeof(acl) - 1, 0)) {
		folder_remove(&f);
		TEST_SKIP("the file system has no access control lists");
	}
	CHECK_EQ(write_to(path, "new"), OP_OK);
	CHECK_EQ(getxattr(path, name, got, sizeof(got)), sizeof(acl) - 1);
	CHECK(!memcmp(got, acl, sizeof(acl) - 1));
	folder_remove(&f);
}

/* A directory's default is for new files, not for one that was private. */
TEST(default_list)
{
	static const char name[] = "system.posix_acl_access";
	char got[200];
	const char *path;
	struct folder f;

	folder_make(&f);
	folder_write(&f, "old", op_view_z("old"));
	path = folder_path(&f, "old");
	if (setxattr(f.path, "system.posix_acl_default", acl, sizeof(acl) - 1,
		     0)) {
		folder_remove(&f);
		TEST_SKIP("the file system has no access control lists");
	}
	chmod(path, 0640);
	CHECK_EQ(write_to(path, "new"), OP_OK);
	CHECK_EQ(getxattr(path, name, got, sizeof(got)), -1);
	CHECK_EQ(mode_of(path), 0640);
	folder_remove(&f);
}

TEST(no_memory)
{
	struct folder f;

	folder_make(&f);
	EACH_ALLOC_FAILS(k) {
		int code = write_to(folder_path(&f, "file"), "x");

		CHECK(code == OP_OK || code == OP_ENOMEM);
		CHECK_EQ(folder_list(&f, "") + (code != OP_OK), 1);
		unlink(folder_path(&f, "file"));
	}
	folder_remove(&f);
}

TEST_MAIN(new_file, replaced_file, failed_file, links, access_control_list,
	  default_list, no_memory)
