// SPDX-License-Identifier: Apache-2.0
#include "sym/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/port.h"
#include "test.h"
#include "write/folder.h"

static struct folder f;

static void link_to(const char *to, const char *name)
{
	CHECK(!symlink(to, folder_path(&f, name)));
}

/* What must not be opened lies beside the root, and a pipe without a writer
 * would keep us waiting for ever if it were opened the common way. */
static void begin(void)
{
	char out[200];

	folder_make(&f);
	CHECK(!mkdir(folder_path(&f, "root"), 0700));
	CHECK(!mkdir(folder_path(&f, "root/bin"), 0700));
	CHECK(!mkdir(folder_path(&f, "root/dir"), 0700));
	folder_write(&f, "secret", op_view_z("secret"));
	folder_write(&f, "root/bin/a", op_view_z("a"));
	folder_write(&f, "root/empty", op_view_z(""));
	CHECK(!mkfifo(folder_path(&f, "root/pipe"), 0600));
	snprintf(out, sizeof(out), "%s", folder_path(&f, "secret"));
	link_to(out, "root/out");
	link_to("../secret", "root/up");
	link_to("/bin/a", "root/absolute");
	link_to("bin", "root/lib");
	link_to("a", "root/bin/b");
	link_to("loop", "root/loop");
	link_to("pipe", "root/to-pipe");
	link_to("/dev/null", "root/to-device");
	link_to("/", "root/self");
}

static void end(void)
{
	static const char *const names[] = {
		"root/bin/a", "root/bin/b",	"root/bin",  "root/dir",
		"root/empty", "root/pipe",	"root/out",  "root/up",
		"root/lib",   "root/absolute",	"root/loop", "root/to-pipe",
		"root/self",  "root/to-device", "root"
	};

	for (size_t i = 0; i < op_countof(names); i++)
		CHECK(!remove(folder_path(&f, names[i])));
	folder_remove(&f);
}

static const struct {
	const char *path;
	int why; /* 0: it is bin/a */
} rows[] = {
	{ "/bin/a", 0 },
	{ "bin/a", 0 },
	{ "//bin/.//a", 0 },
	{ "/bin/b", 0 },
	{ "/lib/b", 0 },
	{ "/absolute", 0 },
	{ "/dir/../bin/a", 0 },
	{ "/../../../bin/a", 0 },
	{ "/self/self/lib/../bin/a", 0 },
	{ "/../secret", ENOENT },
	{ "/bin/../../../secret", ENOENT },
	{ "/out", ENOENT },
	{ "/up", ENOENT },
	{ "/to-device", ENOENT },
	{ "/loop", ELOOP },
	{ "/none/../bin/a", ENOENT },
	{ "/bin/a/b", ENOTDIR },
	{ "/pipe", EINVAL },
	{ "/./pipe", EINVAL },
	{ "/to-pipe", EINVAL },
	{ "/empty", EINVAL },
	{ "/dir", EINVAL },
};

static void check_file(const char *path, int fd, int why)
{
	char c = 0;

	if (fd < 0 && errno != why)
		TEST_FAIL("%s: %s", path, strerror(errno));
	if (fd < 0)
		return;
	if (why || read(fd, &c, 1) != 1 || c != 'a')
		TEST_FAIL("%s was opened", path);
	close(fd);
}

TEST(inside)
{
	char root[200];
	struct stat st;

	begin();
	snprintf(root, sizeof(root), "%s", folder_path(&f, "root"));
	for (size_t i = 0; i < op_countof(rows); i++)
		check_file(rows[i].path, op_open_in(root, rows[i].path, &st),
			   rows[i].why);
	CHECK(op_open_no_link(root, "/bin/b", &st) < 0);
	CHECK_EQ(errno, EINVAL);
	check_file("no link", op_open_no_link(root, "/lib/a", &st), 0);
	CHECK(op_open_in(folder_path(&f, "none"), "/bin/a", &st) < 0);
	CHECK_EQ(errno, ENOENT);
	end();
}

/* Without openat2() the same places are found. */
TEST(walk)
{
	struct stat st, want;
	int root, fd;

	begin();
	root = open(folder_path(&f, "root"), O_PATH | O_DIRECTORY);
	CHECK(!stat(folder_path(&f, "root/bin/a"), &want));
	for (size_t i = 0; i < op_countof(rows); i++) {
		fd = op_open_walk(root, rows[i].path, false);
		if (rows[i].why && rows[i].why != EINVAL) {
			if (fd >= 0 || errno != rows[i].why)
				TEST_FAIL("%s: found", rows[i].path);
		} else if (fd < 0 || fstat(fd, &st)) {
			TEST_FAIL("%s: not found", rows[i].path);
		} else if (!rows[i].why) {
			CHECK_EQ(st.st_ino, want.st_ino);
		}
		if (fd >= 0)
			close(fd);
	}
	CHECK(op_open_walk(root, "/bin/b", true) < 0);
	CHECK_EQ(errno, ELOOP);
	fd = op_open_walk(root, "/lib/a", true);
	CHECK(fd >= 0);
	close(fd);
	CHECK(op_open_walk(root, "/..", false) < 0);
	CHECK_EQ(errno, EISDIR);
	close(root);
	end();
}

/* A path of the user's goes where it likes, but the kinds count. */
TEST(anywhere)
{
	struct stat st;
	int fd;

	begin();
	fd = op_open_in(NULL, folder_path(&f, "root/out"), &st);
	CHECK(fd >= 0);
	close(fd);
	CHECK(op_open_in(NULL, folder_path(&f, "root/pipe"), &st) < 0);
	CHECK_EQ(errno, EINVAL);
	CHECK(op_open_in(NULL, folder_path(&f, "root/to-device"), &st) < 0);
	CHECK_EQ(errno, EINVAL);
	end();
	CHECK(op_open_in("/", "/./dev/null", &st) < 0);
	CHECK_EQ(errno, EINVAL);
	/* These look like ordinary files, some with a size. */
	CHECK(op_open_in("/", "/proc/self/status", &st) < 0);
	CHECK(op_open_in("/", "/sys/kernel/notes", &st) < 0);
}

TEST_MAIN(inside, walk, anywhere)
