// SPDX-License-Identifier: Apache-2.0
/* fmt/output.c: files that appear whole or not at all. */
#include "fmt/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static int output_write(struct op_sink *sink, struct op_view v,
			struct op_err *err)
{
	struct op_output *out = (struct op_output *)sink;

	while (v.n) {
		ssize_t n = write(out->fd, v.p, v.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return op_fail_sys(err, "cannot write '%s\'",
					   out->path);
		v = op_view(v.p + n, v.n - (size_t)n);
	}
	return OP_OK;
}

/* --- the temporary file --- */

/* A new file with a name that nobody else has. The kernel takes the umask off
 * the mode: it belongs to the whole process, and nobody can read it without
 * changing it. */
static int temp_create(struct op_output *out, mode_t mode)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	char *name = out->temp + strlen(out->target) + 1;

	for (int tries = 0; tries < 100; tries++) {
		uint64_t bits;

		if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
			return -1;
		for (char *c = name; *c; c++, bits >>= 5)
			*c = letters[bits & 31];
		out->fd = open(out->temp,
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (out->fd >= 0 || errno != EEXIST)
			break;
	}
	return out->fd < 0 ? -1 : 0;
}

/* The access control list is copied as the kernel has it. A file without one
 * gives none, whatever the directory's default is. */
static int acl_copy(int from, int to)
{
	static const char acl[] = "system.posix_acl_access";
	char bytes[4096];
	ssize_t n = fgetxattr(from, acl, bytes, sizeof(bytes));

	if (n >= 0)
		return fsetxattr(to, acl, bytes, (size_t)n, 0);
	if (errno == ENOTSUP)
		return 0;
	if (errno != ENODATA)
		return -1;
	return fremovexattr(to, acl) && errno != ENODATA ? -1 : 0;
}

/* The mode comes after the owner, to whom it is to apply, and before anything
 * is written. */
static int rights_copy(int from, const struct stat *st, int to)
{
	struct stat now;

	if (fstat(to, &now))
		return -1;
	if ((now.st_uid != st->st_uid || now.st_gid != st->st_gid) &&
	    fchown(to, st->st_uid, st->st_gid))
		return -1;
	if (acl_copy(from, to))
		return -1;
	return fchmod(to, st->st_mode & 0777);
}

static int temp_name(struct op_output *out, struct op_err *err)
{
	static const char suffix[] = ".XXXXXX";
	size_t n = strlen(out->target) + sizeof(suffix);

	out->temp = op_heap_resize(NULL, n, err);
	if (!out->temp)
		return err->code;
	snprintf(out->temp, n, "%s%s", out->target, suffix);
	return OP_OK;
}

/* --- what is there --- */

/* Where the file is. A link stays one: what it points to is replaced. */
static bool target_of(struct op_output *out)
{
	struct stat st;

	if (lstat(out->path, &st))
		return false;
	if (S_ISLNK(st.st_mode))
		return realpath(out->path, out->target);
	snprintf(out->target, sizeof(out->target), "%s", out->path);
	return true;
}

/* old is what the kernel let us write to, so the target must be that. */
static int replace(struct op_output *out, int old, const struct stat *st,
		   struct op_err *err)
{
	struct stat now;

	if (!target_of(out) || stat(out->target, &now))
		return op_fail_sys(err, "cannot replace '%s\'", out->path);
	if (now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		return op_fail(err, OP_EIO,
			       "cannot replace '%s\': it has changed meanwhile",
			       out->path);
	if (temp_name(out, err))
		return err->code;
	if (temp_create(out, S_IRUSR | S_IWUSR)) {
		op_fail_sys(err, "cannot create '%s\'", out->path);
	} else if (rights_copy(old, st, out->fd)) {
		op_fail_sys(err, "cannot keep the owner and mode of '%s\'",
			    out->path);
	}
	return err->code;
}

static int create(struct op_output *out, struct op_err *err)
{
	struct stat st;

	if (!lstat(out->path, &st))
		return op_fail(
			err, OP_EIO,
			"cannot create '%s\': it is a link to a file that "
			"does not exist",
			out->path);
	snprintf(out->target, sizeof(out->target), "%s", out->path);
	if (!temp_name(out, err) && temp_create(out, 0666))
		op_fail_sys(err, "cannot create '%s\'", out->path);
	return err->code;
}

static int output_begin(struct op_output *out, struct op_err *err)
{
	int fd = open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return create(out, err);
	if (fd < 0)
		return op_fail_sys(err, "cannot open '%s\'", out->path);
	if (fstat(fd, &st)) {
		op_fail_sys(err, "cannot open '%s\'", out->path);
	} else if (!S_ISREG(st.st_mode)) {
		out->fd = fd;
		return OP_OK;
	} else {
		replace(out, fd, &st, err);
	}
	close(fd);
	return err->code;
}

int op_output_open(struct op_output *out, const char *path, struct op_err *err)
{
	*out = (struct op_output){ .sink.write = output_write,
				   .path = path,
				   .fd = -1 };
	if (output_begin(out, err))
		op_output_close(out, err);
	return err->code;
}

void op_output_fd(struct op_output *out, int fd, const char *name)
{
	*out = (struct op_output){ .sink.write = output_write,
				   .path = name,
				   .fd = dup(fd) };
}

int op_output_close(struct op_output *out, struct op_err *err)
{
	if (out->fd >= 0 && close(out->fd))
		op_fail_sys(err, "cannot write '%s\'", out->path);
	if (!out->temp)
		return err->code;
	if (!err->code && rename(out->temp, out->target))
		op_fail_sys(err, "cannot rename to '%s\'", out->path);
	/* Without a file it was never created. */
	if (err->code && out->fd >= 0)
		unlink(out->temp);
	op_heap_free(out->temp);
	out->temp = NULL;
	return err->code;
}

/* --- models --- */

static enum op_pack_kind pack_kind(const struct op_writing *how)
{
	enum op_pack_kind kind = how->pack;

	if (kind == OP_PACK_AUTO && how->path)
		kind = op_pack_by_ending(how->path, NULL);
	if (kind == OP_PACK_AUTO)
		kind = how->format->gzip ? OP_PACK_GZIP : OP_PACK_NONE;
	return kind;
}

int op_write(const struct op_model *m, const struct op_writing *how,
	     struct op_sink *sink, struct op_err *err)
{
	struct op_write_opts opts = { 0 };
	struct op_pack pack;

	if (how->opts)
		opts = *how->opts;
	opts.path = how->path;
	if (!op_pack_open(&pack, pack_kind(how), sink, err))
		how->format->write(m, &opts, &pack.sink, err);
	return op_pack_close(&pack, err);
}
