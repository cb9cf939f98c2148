// SPDX-License-Identifier: Apache-2.0
/* sym/jit_map.c: finds the perf map or jitdump file of a process. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/jit.h"
#include "sym/open.h"

enum {
	NS = 1000000000,
	/* Times of the machine's start and of files are not exact. */
	SLACK_S = 2,
};

/* Reads up to room bytes and appends them to out; returns how many. */
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

/* In one piece, if the file does not grow meanwhile. */
static int read_all(int fd, struct op_buf *out)
{
	enum { CHUNK = 4096 };
	size_t left = out->limit ? out->limit - out->n : SIZE_MAX;
	struct stat st;
	size_t room = CHUNK;

	if (!fstat(fd, &st) && st.st_size > 0)
		room += (size_t)st.st_size;
	while (left) {
		size_t got = read_some(fd, out, left < room ? left : room);

		if (!got)
			break;
		left -= got;
		room = CHUNK;
	}
	return out->err->code;
}

/* A file that a process created in a directory where everybody can create
 * files: whoever can write it chooses the names that we show. It is trusted if
 * it belongs to us or to the user of the process, and nobody else can write it.
 * If the process has ended, its user is unknown. */
static bool is_trusted(const struct stat *st, const struct stat *process)
{
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return false;
	return st->st_uid == geteuid() ||
	       (process && st->st_uid == process->st_uid);
}

static int open_map(const char *root, const char *name,
		    const struct stat *process, struct stat *st)
{
	int fd = op_open_no_link(root, name, st);

	if (fd < 0 || is_trusted(st, process))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* The number after a word at the start of a line of a /proc file; the last one
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

/* The start time of a process, in ticks since boot: the 22nd word. The second
 * word is a name that may contain spaces and parentheses. */
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

/* When a process started, in seconds since 1970; 0: not known. */
static uint64_t start_of(const char *proc, uint32_t pid)
{
	char path[PATH_MAX];
	uint64_t boot_s, ticks;
	long hz = sysconf(_SC_CLK_TCK);

	snprintf(path, sizeof(path), "%s/stat", proc);
	if (hz <= 0 || !number_in(path, "btime", &boot_s) ||
	    !start_ticks(proc, pid, &ticks))
		return 0;
	return boot_s + ticks / (uint64_t)hz;
}

/* Whether a process that started then is another one. */
static bool is_other(const struct op_jit_place *at, uint64_t start)
{
	uint64_t since = at->since_ns / NS;

	if (!start)
		return false;
	if (at->before_ns && start > at->before_ns / NS + 1)
		return true;
	return since && (start > since + SLACK_S || since > start + SLACK_S);
}

/* Whether a file is older than its process: PIDs are used again, in a container
 * soon. */
static bool is_stale(const struct stat *st, uint64_t start)
{
	return start && st->st_mtim.tv_sec >= 0 &&
	       (uint64_t)st->st_mtim.tv_sec + SLACK_S < start;
}

static int map_name(const struct op_jit_place *at, uint32_t pid,
		    const char *before, char out[PATH_MAX])
{
	return snprintf(out, PATH_MAX, "%s%s%u%s", before,
			at->is_dump ? "jit-" : "perf-", pid,
			at->is_dump ? ".dump" : ".map");
}

int op_jit_map_open(const struct op_jit_place *at, struct stat *st,
		    struct op_err *err)
{
	const char *proc = at->proc ? at->proc : "/proc";
	char root[PATH_MAX], name[PATH_MAX];
	uint64_t start = at->since_ns / NS;
	struct stat process;
	int fd = -1;

	snprintf(root, sizeof(root), "%s/%u", proc, at->pid);
	if (stat(root, &process)) {
		map_name(at, at->pid, "", name);
		fd = open_map(at->tmp ? at->tmp : "/tmp", name, NULL, st);
	} else {
		map_name(at, own_pid(proc, at->pid), "/tmp/", name);
		snprintf(root, sizeof(root), "%s/%u/root", proc, at->pid);
		start = start_of(proc, at->pid);
		if (is_other(at, start))
			errno = ESRCH;
		else
			fd = open_map(root, name, &process, st);
	}
	if (fd >= 0 && is_stale(st, start)) {
		close(fd);
		fd = -1;
		errno = ESTALE;
	}
	if (fd < 0)
		op_fail_sys(err, "cannot open %s", name);
	return fd;
}

int op_jit_map_take(int fd, struct op_buf *out)
{
	read_all(fd, out);
	close(fd);
	return out->err->code;
}

int op_jit_map_read(const struct op_jit_place *at, struct op_buf *out)
{
	struct stat st;
	int fd = op_jit_map_open(at, &st, out->err);

	return fd < 0 ? out->err->code : op_jit_map_take(fd, out);
}
