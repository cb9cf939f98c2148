// SPDX-License-Identifier: Apache-2.0
/* rpc/spool_file.c: the files of the spool, and whether they are ours. */
#include "rpc/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

/* spool_file.h has the offsets. */
struct header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t signal;
	uint64_t bytes;
	uint64_t hash;
};

_Static_assert(offsetof(struct header, bytes) == 16 &&
		       offsetof(struct header, hash) == 24 &&
		       sizeof(struct header) == OP_SPOOL_HEADER,
	       "no padding");

static struct header header_of(enum op_signal signal, struct op_view message)
{
	struct header h = { .magic = "OTPSPOOL",
			    .version = 1,
			    .signal = signal,
			    .bytes = message.n };
	uint64_t seed = XXH3_64bits(&h, offsetof(struct header, hash));

	h.hash = XXH3_64bits_withSeed(message.p, message.n, seed);
	return h;
}

/* --- whose it is --- */

const char *op_spool_foreign(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (st->st_uid != geteuid())
		return "another user's";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "writable by other users";
	return st->st_nlink > 1 ? "a hard link" : NULL;
}

int op_spool_file_open(int dir, const char *name, int flags, struct op_err *err)
{
	int fd = openat(dir, name,
			flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
			0600);
	const char *what = errno == ELOOP ? "a symbolic link" : NULL;
	struct stat st;

	if (fd >= 0)
		what = fstat(fd, &st) ? "not readable" : op_spool_foreign(&st);
	if (fd >= 0 && !what)
		return fd;
	if (what)
		op_fail(err, OP_EFORMAT, "it is %s", what);
	else
		op_fail_sys(err, "cannot open '%s' in the spool", name);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* --- writing and reading --- */

static bool write_all(int fd, struct op_view v)
{
	while (v.n) {
		ssize_t n = write(fd, v.p, v.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		v.p += n;
		v.n -= (size_t)n;
	}
	return true;
}

static void tmp_name(char *out, size_t n, const char *name)
{
	snprintf(out, n, "%s.tmp", name);
}

int op_spool_file_write(int dir, const char *name, enum op_signal signal,
			struct op_view message, struct op_err *err)
{
	struct header h = header_of(signal, message);
	char tmp[80];
	int fd;

	tmp_name(tmp, sizeof(tmp), name);
	fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return op_fail_sys(err, "cannot create a file in the spool");
	/* Writing is possible without locks too. */
	if ((flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) ||
	    !write_all(fd, op_view(&h, sizeof(h))) || !write_all(fd, message) ||
	    renameat(dir, tmp, dir, name))
		op_fail_sys(err, "cannot write %zu bytes to the spool",
			    message.n + sizeof(h));
	if (err->code)
		unlinkat(dir, tmp, 0);
	/* Data counts as written once the system has it. Network file systems
	 * report on close that they are full. */
	if (close(fd) && errno != EINTR && !err->code) {
		op_fail_sys(err, "cannot write %zu bytes to the spool",
			    message.n + sizeof(h));
		unlinkat(dir, name, 0);
	}
	return err->code;
}

static int read_all(int fd, uint8_t *p, size_t n, struct op_err *err)
{
	while (n) {
		ssize_t k = read(fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return op_fail_sys(err, "cannot read from the spool");
		if (!k)
			return op_fail(err, OP_EFORMAT, "it is truncated");
		p += k;
		n -= (size_t)k;
	}
	return OP_OK;
}

static int check(const struct header *h, enum op_signal signal, size_t n,
		 const uint8_t *message, struct op_err *err)
{
	struct header want = header_of(signal, op_view(message, n));

	if (memcmp(h->magic, want.magic, sizeof(h->magic)) || !h->version)
		return op_fail(err, OP_EFORMAT, "not a spool file");
	if (h->version != want.version)
		return op_fail(err, OP_EFORMAT, "unsupported version %u",
			       h->version);
	if (h->bytes != n)
		return op_fail(err, OP_EFORMAT, "it is truncated");
	if (memcmp(h, &want, sizeof(want)))
		return op_fail(err, OP_EFORMAT, "wrong checksum");
	return OP_OK;
}

static int read_file(int fd, enum op_signal signal, uint8_t **out,
		     struct op_view *message, struct op_err *err)
{
	struct header h;
	struct stat st;
	uint8_t *p;
	size_t n;

	if (fstat(fd, &st))
		return op_fail_sys(err, "cannot read from the spool");
	if (st.st_size < OP_SPOOL_HEADER)
		return op_fail(err, OP_EFORMAT, "it is truncated");
	n = (size_t)st.st_size - sizeof(h);
	p = op_heap_resize(NULL, n ? n : 1, err);
	if (!p)
		return err->code;
	if (read_all(fd, (uint8_t *)&h, sizeof(h), err) ||
	    read_all(fd, p, n, err) || check(&h, signal, n, p, err)) {
		op_heap_free(p);
		return err->code;
	}
	*out = p;
	*message = op_view(p, n);
	return OP_OK;
}

int op_spool_file_read(int dir, const char *name, enum op_signal signal,
		       uint8_t **out, struct op_view *message,
		       struct op_err *err)
{
	int fd = op_spool_file_open(dir, name, O_RDONLY, err);

	if (fd < 0)
		return err->code;
	read_file(fd, signal, out, message, err);
	close(fd);
	return err->code;
}

int op_spool_file_sync(int dir, const char *name, struct op_err *err)
{
	struct op_err mine = { 0 };
	int fd = op_spool_file_open(dir, name, O_RDONLY, &mine);

	if (fd < 0) {
		if (mine.sys != ENOENT && !err->code)
			*err = mine;
		return err->code;
	}
	if (fdatasync(fd))
		op_fail_sys(err, "cannot sync a file in the spool");
	close(fd);
	return err->code;
}
