// SPDX-License-Identifier: Apache-2.0
/* sym/jit_map.c: where the perf map or jitdump file of a process lies. */
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

static int read_all(int fd, struct op_buf *out)
{
	enum { CHUNK = 256 * 1024 };
	size_t left = out->limit ? out->limit - out->n : SIZE_MAX;

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

/* The number behind a word that begins a line of a file in /proc; the last one
 * of that line. */
static bool number_in(const char *path, const char *word, uint64_t *out)
{
	char line[256];
	bool found = false;
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		const char *last = line + strlen(word);

		if (strncmp(line, word, strlen(word)))
			continue;
		for (const char *p = last; *p && *p != '\n'; p++)
			if (*p == ' ' || *p == '\t')
				last = p + 1;
		*out = strtoull(last, NULL, 10);
		found = true;
	}
	fclose(f);
	return found;
}

static uint32_t own_pid(const char *proc, uint32_t pid)
{
	char path[PATH_MAX];
	uint64_t own = pid;

	snprintf(path, sizeof(path), "%s/%u/status", proc, pid);
	if (!number_in(path, "NSpid:", &own) || !own || own > INT32_MAX)
		return pid;
	return (uint32_t)own;
}

/* When a process began, in ticks since the machine did: the 22nd word, of
 * which the second is a name that may have spaces and parentheses. */
static bool start_ticks(const char *proc, uint32_t pid, uint64_t *out)
{
	char path[PATH_MAX], line[1024];
	const char *p = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u/stat", proc, pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fgets(line, sizeof(line), f))
		p = strrchr(line, ')');
	fclose(f);
	for (int word = 2; p && word < 22; word++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return false;
	*out = strtoull(p, NULL, 10);
	return true;
}

static bool is_later(const char *proc, const struct op_jit_place *at)
{
	char path[PATH_MAX];
	uint64_t boot_s, ticks;
	long hz = sysconf(_SC_CLK_TCK);

	snprintf(path, sizeof(path), "%s/stat", proc);
	if (!at->before_ns || hz <= 0 || !number_in(path, "btime", &boot_s) ||
	    !start_ticks(proc, at->pid, &ticks))
		return false;
	return boot_s + ticks / (uint64_t)hz > at->before_ns / 1000000000u + 1;
}

int op_jit_map_read(const struct op_jit_place *at, struct op_buf *out)
{
	const char *proc = at->proc ? at->proc : "/proc";
	const char *before = at->is_dump ? "jit-" : "perf-";
	const char *behind = at->is_dump ? ".dump" : ".map";
	char path[PATH_MAX];
	struct stat owner;
	int fd;

	snprintf(path, sizeof(path), "%s/%u", proc, at->pid);
	if (stat(path, &owner)) {
		snprintf(path, sizeof(path), "/tmp/%s%u%s", before, at->pid,
			 behind);
		fd = open_map(path, NULL);
	} else if (is_later(proc, at)) {
		errno = ESRCH;
		fd = -1;
	} else {
		snprintf(path, sizeof(path), "%s/%u/root/tmp/%s%u%s", proc,
			 at->pid, before, own_pid(proc, at->pid), behind);
		fd = open_map(path, &owner);
	}
	if (fd < 0)
		return op_fail_sys(out->err, "cannot open %s", path);
	read_all(fd, out);
	close(fd);
	return out->err->code;
}
