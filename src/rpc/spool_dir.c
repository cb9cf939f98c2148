// SPDX-License-Identifier: Apache-2.0
/* rpc/spool_dir.c: the spool directory: its owner and its files. */
#include "rpc/spool_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc/spool_file.h"

static const char *const endings[OP_NR_SIGNALS] = {
	[OP_SIGNAL_PROFILES] = ".profiles",
	[OP_SIGNAL_LOGS] = ".logs",
};

/* --- names --- */

void op_spool_name(char *out, uint64_t time_ns, uint32_t who,
		   enum op_signal signal)
{
	snprintf(out, OP_SPOOL_NAME, "%016llx-%08x%s",
		 (unsigned long long)time_ns, who, endings[signal]);
}

/* Whether a name begins like that of a message; *end is what follows. */
static bool name_begins(const char *name, enum op_signal *signal,
			const char **end)
{
	enum { TIME = 16, WHO = 8 };
	const char *hex = "0123456789abcdef";

	if (strspn(name, hex) != TIME || name[TIME] != '-' ||
	    strspn(name + TIME + 1, hex) != WHO)
		return false;
	name += TIME + 1 + WHO;
	for (int s = 0; s < OP_NR_SIGNALS; s++) {
		size_t n = strlen(endings[s]);

		if (strncmp(name, endings[s], n))
			continue;
		*signal = (enum op_signal)s;
		*end = name + n;
		return true;
	}
	return false;
}

/* --- index --- */

size_t op_spool_index_find(const struct op_spool_index *ix, const char *name)
{
	size_t from = ix->head, to = ix->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (strcmp(ix->p[mid].name, name) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool grow(struct op_spool_index *ix, struct op_err *err)
{
	size_t cap = ix->cap ? ix->cap * 2 : 32;
	struct op_spool_entry *p;

	if (ix->n < ix->cap)
		return true;
	if (ix->head > ix->cap / 2) {
		ix->n -= ix->head;
		memmove(ix->p, ix->p + ix->head, ix->n * sizeof(*ix->p));
		ix->head = 0;
		return true;
	}
	p = op_heap_resize(ix->p, cap * sizeof(*p), err);
	if (!p)
		return false;
	ix->p = p;
	ix->cap = cap;
	return true;
}

static void count(struct op_spool_index *ix, const struct op_spool_entry *e,
		  int sign)
{
	ix->bytes += (uint64_t)(int64_t)sign * e->bytes;
	if (!e->is_sent)
		ix->nr[e->signal] += (uint64_t)(int64_t)sign;
}

static bool append(struct op_spool_index *ix, const struct op_spool_entry *e,
		   struct op_err *err)
{
	if (!grow(ix, err))
		return false;
	ix->p[ix->n++] = *e;
	count(ix, e, 1);
	return true;
}

bool op_spool_index_put(struct op_spool_index *ix,
			const struct op_spool_entry *e)
{
	size_t i;

	if (!grow(ix, OP_IGNORED))
		return false;
	i = op_spool_index_find(ix, e->name);
	if (i < ix->n && !strcmp(ix->p[i].name, e->name)) {
		count(ix, &ix->p[i], -1);
	} else {
		memmove(ix->p + i + 1, ix->p + i, (ix->n - i) * sizeof(*ix->p));
		ix->n++;
	}
	ix->p[i] = *e;
	count(ix, e, 1);
	return true;
}

void op_spool_index_remove(struct op_spool_index *ix, size_t i)
{
	count(ix, &ix->p[i], -1);
	if (i == ix->head) {
		ix->head++;
		return;
	}
	ix->n--;
	memmove(ix->p + i, ix->p + i + 1, (ix->n - i) * sizeof(*ix->p));
}

void op_spool_index_sent(struct op_spool_index *ix, size_t i)
{
	count(ix, &ix->p[i], -1);
	ix->p[i].is_sent = true;
	count(ix, &ix->p[i], 1);
}

void op_spool_index_free(struct op_spool_index *ix)
{
	op_heap_free(ix->p);
	*ix = (struct op_spool_index){ 0 };
}

/* --- directories --- */

static int open_failed(const char *path, struct op_err *err)
{
	int sys = errno;
	struct stat st;

	if (!lstat(path, &st) && S_ISLNK(st.st_mode))
		return op_fail(err, OP_EIO,
			       "the spool '%s' is a symbolic link; name the "
			       "directory itself",
			       path);
	errno = sys;
	return op_fail_sys(err, "cannot open the spool '%s'", path);
}

static int dir_check(int fd, const char *path, struct op_err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return op_fail_sys(err, "cannot open the spool '%s'", path);
	if (st.st_uid != geteuid())
		return op_fail(err, OP_EIO,
			       "the spool '%s' belongs to another user", path);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return op_fail(err, OP_EIO,
			       "other users can write to the spool '%s'; its "
			       "mode is %03o, but should be 700",
			       path, st.st_mode & 0777u);
	if (faccessat(fd, ".", R_OK | W_OK | X_OK, AT_EACCESS))
		return op_fail_sys(err, "cannot write to the spool '%s'", path);
	return OP_OK;
}

/* With a slash at the end a symbolic link would be followed. */
static int path_trim(char *out, const char *path, struct op_err *err)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n >= PATH_MAX)
		return op_fail(err, OP_EIO,
			       "the path of the spool is too long");
	memcpy(out, path, n);
	out[n] = 0;
	return OP_OK;
}

int op_spool_dir_open(const char *path, struct op_err *err)
{
	char name[PATH_MAX];
	int fd;

	if (path_trim(name, path, err))
		return -1;
	if (mkdir(name, 0700) && errno != EEXIST) {
		op_fail_sys(err, "cannot create the spool '%s'", path);
		return -1;
	}
	fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		open_failed(name, err);
		return -1;
	}
	if (dir_check(fd, name, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Removes a file that no process is writing any more. */
static void left_over(int dir, const char *name)
{
	struct op_err ignored = { 0 };
	int fd = op_spool_file_open(dir, name, O_RDONLY, &ignored);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(dir, name, 0);
	close(fd);
}

struct listing {
	int dir;
	bool drop_bad;
	struct op_spool_index *out;
	struct op_spool_others *others;
};

/* Whether it exists and is ours. */
static bool is_ours(struct listing *l, const char *name, struct stat *st)
{
	struct op_spool_others *o = l->others;
	const char *what;

	if (fstatat(l->dir, name, st, AT_SYMLINK_NOFOLLOW))
		return false;
	what = op_spool_foreign(st);
	if (what && !o->nr_foreign++)
		snprintf(o->foreign, sizeof(o->foreign), "%.50s is %s", name,
			 what);
	return !what;
}

static void list_one(struct listing *l, const char *name, struct op_err *err)
{
	struct op_spool_entry e = { 0 };
	const char *end;
	struct stat st;

	if (!name_begins(name, &e.signal, &end))
		return;
	if (*end && strcmp(end, ".bad") && strcmp(end, ".tmp"))
		return;
	if (!is_ours(l, name, &st))
		return;
	e.bytes = (uint64_t)st.st_size;
	if (!strcmp(end, ".tmp")) {
		left_over(l->dir, name);
		return;
	}
	if (*end) {
		if (!l->drop_bad || unlinkat(l->dir, name, 0))
			l->others->bad_bytes += e.bytes;
		return;
	}
	memcpy(e.name, name, (size_t)(end - name)); /* the rest is zero */
	append(l->out, &e, err);
}

static int entry_cmp(const void *a, const void *b)
{
	const struct op_spool_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int op_spool_dir_list(int dir, bool drop_bad, struct op_spool_index *out,
		      struct op_spool_others *others, struct op_err *err)
{
	struct listing l = { dir, drop_bad, out, others };
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *de;

	*others = (struct op_spool_others){ 0 };
	if (!d) {
		op_fail_sys(err, "cannot read the spool");
		if (fd >= 0)
			close(fd);
		return err->code;
	}
	while (!err->code && (de = readdir(d)))
		list_one(&l, de->d_name, err);
	closedir(d);
	if (out->n)
		qsort(out->p, out->n, sizeof(*out->p), entry_cmp);
	return err->code;
}
