// SPDX-License-Identifier: Apache-2.0
#include "fmt/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
			return op_fail_sys(err, "cannot write %s", out->path);
		v = op_view(v.p + n, v.n - (size_t)n);
	}
	return OP_OK;
}

static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* The permissions an ordinary new file would have. */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int temp_open(struct op_output *out, struct op_err *err)
{
	static const char suffix[] = ".XXXXXX";
	size_t n;

	/* A link stays one: what it points to is replaced. */
	if (!realpath(out->path, out->target))
		snprintf(out->target, sizeof(out->target), "%s", out->path);
	n = strlen(out->target) + sizeof(suffix);
	out->temp = op_heap_resize(NULL, n);
	if (!out->temp)
		return op_fail(err, OP_ENOMEM, "no memory for a file name");
	snprintf(out->temp, n, "%s%s", out->target, suffix);
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	if (out->fd < 0 || fchmod(out->fd, new_mode())) {
		op_fail_sys(err, "cannot create %s", out->path);
		op_output_close(out, err);
	}
	return err->code;
}

int op_output_open(struct op_output *out, const char *path, struct op_err *err)
{
	*out = (struct op_output){ .sink.write = output_write,
				   .path = path,
				   .fd = -1 };
	if (!is_special(path))
		return temp_open(out, err);
	out->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (out->fd < 0)
		return op_fail_sys(err, "cannot open %s", path);
	return OP_OK;
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
		op_fail_sys(err, "cannot write %s", out->path);
	if (!out->temp)
		return err->code;
	if (!err->code && rename(out->temp, out->target))
		op_fail_sys(err, "cannot rename to %s", out->path);
	if (err->code)
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
