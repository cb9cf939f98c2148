// SPDX-License-Identifier: Apache-2.0
/* sym/jit_map.c: where the perf map of a process lies. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/jit.h"

/* Reads up to room bytes behind what out holds; how many came. */
static size_t read_some(int fd, struct op_buf *out, size_t room)
{
	uint8_t *to = op_buf_add(out, room);
	ssize_t got;

	if (!to)
		return 0;
	do
		got = read(fd, to, room);
	while (got < 0 && errno == EINTR);
	out->n -= room - (got > 0 ? (size_t)got : 0);
	if (got < 0)
		op_fail_sys(out->err, "cannot read a perf map");
	return got > 0 ? (size_t)got : 0;
}

static int read_all(int fd, size_t limit, struct op_buf *out)
{
	enum { CHUNK = 256 * 1024 };
	size_t left = limit;

	while (left) {
		size_t got = read_some(fd, out, left < CHUNK ? left : CHUNK);

		if (!got)
			break;
		left -= got;
	}
	return out->err->code;
}

/* A file that a process made in a folder where everybody may make files: no
 * link is followed, and nothing but an ordinary file of the process's user, or
 * of root's, is opened. Of a process that is gone the user is not known: then
 * the file must be our own, unless we are root. */
static bool is_trusted(const struct stat *st, const struct stat *owner)
{
	uid_t me = geteuid();

	if (!S_ISREG(st->st_mode))
		return false;
	if (owner)
		return !st->st_uid || st->st_uid == owner->st_uid;
	return !st->st_uid || !me || st->st_uid == me;
}

static int open_map(const char *path, const struct stat *owner)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && is_trusted(&st, owner))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* The number of the process in its own namespace: the last of the line. */
static uint32_t own_pid(const char *proc, uint32_t pid)
{
	char path[PATH_MAX], line[256];
	unsigned long own = pid;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u/status", proc, pid);
	f = fopen(path, "re");
	if (!f)
		return pid;
	while (fgets(line, sizeof(line), f)) {
		const char *last;

		if (strncmp(line, "NSpid:", 6))
			continue;
		line[strcspn(line, "\n")] = 0;
		last = strrchr(line, '\t');
		if (last)
			own = strtoul(last + 1, NULL, 10);
		break;
	}
	fclose(f);
	return own && own <= INT32_MAX ? (uint32_t)own : pid;
}

int op_jit_map_read(const char *proc, uint32_t pid, size_t limit,
		    struct op_buf *out)
{
	char path[PATH_MAX];
	struct stat owner;
	int fd;

	snprintf(path, sizeof(path), "%s/%u", proc, pid);
	if (!stat(path, &owner)) {
		snprintf(path, sizeof(path), "%s/%u/root/tmp/perf-%u.map", proc,
			 pid, own_pid(proc, pid));
		fd = open_map(path, &owner);
	} else {
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
		fd = open_map(path, NULL);
	}
	if (fd < 0)
		return op_fail_sys(out->err, "cannot open %s", path);
	read_all(fd, limit, out);
	close(fd);
	return out->err->code;
}
