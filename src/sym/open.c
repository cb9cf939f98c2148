// SPDX-License-Identifier: Apache-2.0
/* sym/open.c: a path is followed inside a root, then the kind of the file is
 * looked at, and only then it is opened. */
#include "sym/open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/port.h"

static void close_quietly(int fd)
{
	int why = errno;

	close(fd);
	errno = why;
}

static int refuse(int fd, int why)
{
	close(fd);
	errno = why;
	return -1;
}

/* --- part by part --- */

enum { MAX_FOLDERS = 128, MAX_LINKS = 40 };

struct walk {
	int root;
	int at[MAX_FOLDERS]; /* the folders that we are in; the last a file */
	int nr;
	int nr_links;
	char rest[2 * PATH_MAX]; /* of the path */
};

static void up(struct walk *w)
{
	if (w->nr)
		close_quietly(w->at[--w->nr]);
}

/* Puts what a link says in the place of the link. */
static bool follow(struct walk *w, int link, const char *rest)
{
	char to[2 * PATH_MAX];
	ssize_t n = readlinkat(link, "", to, PATH_MAX);
	size_t left = strlen(rest);

	if (n < 0)
		return false;
	if (n == PATH_MAX || ++w->nr_links > MAX_LINKS ||
	    (size_t)n + left + 2 > sizeof(to)) {
		errno = ELOOP;
		return false;
	}
	to[n] = '/';
	memcpy(to + n + 1, rest, left + 1);
	while (*to == '/' && w->nr)
		up(w);
	memcpy(w->rest, to, (size_t)n + left + 2);
	return true;
}

/* Goes on to a name in the folder that we are in. */
static bool enter(struct walk *w, const char *name, const char *rest,
		  bool no_link)
{
	int in = w->nr ? w->at[w->nr - 1] : w->root;
	int fd = openat(in, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISLNK(st.st_mode)) {
		errno = ELOOP;
		ok = (!no_link || *rest) && follow(w, fd, rest);
		close_quietly(fd);
		return ok;
	}
	if (w->nr == MAX_FOLDERS) {
		refuse(fd, ENAMETOOLONG);
		return false;
	}
	w->at[w->nr++] = fd;
	memmove(w->rest, rest, strlen(rest) + 1);
	return true;
}

/* Takes one part of the path. */
static bool step(struct walk *w, bool no_link)
{
	char name[NAME_MAX + 1];
	const char *from = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(from, "/");
	const char *rest = from + n + strspn(from + n, "/");

	if (n > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(name, from, n);
	name[n] = 0;
	if (n && strcmp(name, ".") && strcmp(name, ".."))
		return enter(w, name, rest, no_link);
	if (!strcmp(name, ".."))
		up(w);
	memmove(w->rest, rest, strlen(rest) + 1);
	return true;
}

int op_open_walk(int root, const char *path, bool no_link)
{
	struct walk w = { .root = root };
	size_t n = strlen(path);
	int fd = -1;

	if (n >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(w.rest, path, n + 1);
	while (*w.rest)
		if (!step(&w, no_link))
			goto out;
	if (w.nr)
		fd = w.at[--w.nr];
	else
		errno = EISDIR;
out:
	while (w.nr)
		up(&w);
	return fd;
}

/* --- by the kernel --- */

/* The kernel gives up where somebody renames folders meanwhile. */
static int by_kernel(int root, const char *path, bool no_link)
{
	enum { TRIES = 8 };
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (no_link ? O_NOFOLLOW : 0),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return (int)fd;
}

/* Some containers answer EPERM for a call that they do not know. */
static int place_in(const char *root, const char *path, bool no_link)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (dir < 0)
		return -1;
	fd = by_kernel(dir, path, no_link);
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = op_open_walk(dir, path, no_link);
	close_quietly(dir);
	return fd;
}

/* --- what it is --- */

/* Made up by the kernel: to read there may do something. */
static bool is_made_up(int fd)
{
	static const long kinds[] = { PROC_SUPER_MAGIC,	   SYSFS_MAGIC,
				      DEBUGFS_MAGIC,	   TRACEFS_MAGIC,
				      SECURITYFS_MAGIC,	   CGROUP_SUPER_MAGIC,
				      CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
				      PSTOREFS_MAGIC,	   EFIVARFS_MAGIC,
				      NSFS_MAGIC,	   SELINUX_MAGIC };
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	for (size_t i = 0; i < op_countof(kinds); i++)
		if (fs.f_type == kinds[i])
			return true;
	return false;
}

/* Opens a place for reading, which ends the place. */
static int place_open(int place, struct stat *st)
{
	char self[40];
	int fd;

	if (place < 0)
		return -1;
	if (fstat(place, st))
		return refuse(place, errno);
	if (!S_ISREG(st->st_mode) || st->st_size <= 0 || is_made_up(place))
		return refuse(place, EINVAL);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	/* Without /proc there is no safe way; the file itself is there. */
	if (fd < 0 && errno == ENOENT)
		errno = ENOSYS;
	close_quietly(place);
	return fd;
}

int op_open_in(const char *root, const char *path, struct stat *st)
{
	if (!root)
		return place_open(open(path, O_PATH | O_CLOEXEC), st);
	return place_open(place_in(root, path, false), st);
}

int op_open_no_link(const char *root, const char *path, struct stat *st)
{
	return place_open(place_in(root, path, true), st);
}
