// SPDX-License-Identifier: Apache-2.0
#include "sym/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "write/folder.h"

enum { MAX = 100 };

/* A descriptor of a new file of n bytes. */
static int make(const struct folder *f, const char *name, size_t n)
{
	uint8_t bytes[MAX + 1];

	memset(bytes, 'x', sizeof(bytes));
	folder_write(f, name, op_view(bytes, n));
	return open(folder_path(f, name), O_RDONLY);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

TEST(mapped)
{
	struct op_file file = { 0 };
	struct folder f;
	struct stat st;
	int fd;

	folder_make(&f);
	fd = make(&f, "binary", MAX);
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK(op_file_take(&file, fd, MAX));
	CHECK_EQ(file.bytes.n, MAX);
	CHECK_EQ(file.bytes.p[MAX - 1], 'x');
	CHECK_EQ(file.fd, fd);
	CHECK_EQ(file.ino, st.st_ino);
	CHECK_EQ(file.mtime_ns / 1000000000, st.st_mtim.tv_sec);
	op_file_close(&file);
	CHECK(!is_open(fd));
	CHECK(!file.bytes.p);
	/* A file that is closed may be closed again. */
	op_file_close(&file);
	folder_remove(&f);
}

/* Descriptors of files that are not taken are closed. */
TEST(not_taken)
{
	struct op_file file = { 0 };
	struct folder f;
	int ends[2], fd;

	folder_make(&f);
	fd = make(&f, "large", MAX + 1);
	CHECK(!op_file_take(&file, fd, MAX));
	CHECK_EQ(errno, EFBIG);
	CHECK(!is_open(fd));
	fd = make(&f, "empty", 0);
	CHECK(!op_file_take(&file, fd, MAX));
	CHECK_EQ(errno, EINVAL);
	CHECK(!is_open(fd));
	CHECK_EQ(pipe(ends), 0);
	CHECK(!op_file_take(&file, ends[0], MAX));
	CHECK_EQ(errno, EINVAL);
	CHECK(!is_open(ends[0]));
	close(ends[1]);
	CHECK(!op_file_take(&file, -1, MAX));
	CHECK_EQ(errno, EBADF);
	CHECK(!file.bytes.p);
	folder_remove(&f);
}

TEST(by_name)
{
	struct op_file file = { 0 };
	struct folder f;

	folder_make(&f);
	folder_write(&f, "binary", op_view("abc", 3));
	CHECK(op_file_open(&file, NULL, folder_path(&f, "binary"), MAX));
	CHECK_EQ(file.bytes.n, 3);
	op_file_close(&file);
	CHECK(!op_file_open(&file, NULL, folder_path(&f, "missing"), MAX));
	CHECK_EQ(errno, ENOENT);
	CHECK(!op_file_open(&file, NULL, f.path, MAX));
	folder_remove(&f);
}

TEST_MAIN(mapped, not_taken, by_name)
