// SPDX-License-Identifier: Apache-2.0
/* cli/output.c: files to write. They are written under a temporary name beside
 * the final one and renamed when they are whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static int sink_write(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	struct cli_output *out = (struct cli_output *)sink;

	while (v.n) {
		ssize_t n = write(out->fd, v.p, v.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return op_fail_sys(err, "cannot write %s",
					   out->path ? out->path : "-");
		v = op_view(v.p + n, v.n - (size_t)n);
	}
	return OP_OK;
}

/* Only what is an ordinary file, or nothing yet, is replaced by a rename; a
 * device or a pipe is written to. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static int temp_open(struct cli_output *out, struct op_err *err)
{
	mode_t mask = umask(0);

	umask(mask);
	if (asprintf(&out->temp, "%s.XXXXXX", out->path) < 0) {
		out->temp = NULL;
		return op_fail(err, OP_ENOMEM, "no memory for a file name");
	}
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	if (out->fd < 0) {
		op_fail_sys(err, "cannot create %s", out->path);
		free(out->temp);
		out->temp = NULL;
		return err->code;
	}
	fchmod(out->fd, 0666 & ~mask);
	return OP_OK;
}

int cli_output_open(struct cli_output *out, const char *path,
		    struct op_err *err)
{
	*out = (struct cli_output){ .sink.write = sink_write, .fd = -1 };
	if (!path || !strcmp(path, "-")) {
		if (isatty(STDOUT_FILENO))
			return op_fail(err, OP_EUSAGE,
				       "will not write a profile to a "
				       "terminal: use -o");
		out->fd = STDOUT_FILENO;
		return OP_OK;
	}
	out->path = path;
	if (!is_special(path))
		return temp_open(out, err);
	out->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (out->fd < 0)
		return op_fail_sys(err, "cannot open %s", path);
	return OP_OK;
}

int cli_output_close(struct cli_output *out, struct op_err *err)
{
	if (out->fd >= 0 && out->fd != STDOUT_FILENO && close(out->fd))
		op_fail_sys(err, "cannot write %s", out->path);
	if (!out->temp)
		return err->code;
	if (!err->code && rename(out->temp, out->path))
		op_fail_sys(err, "cannot rename to %s", out->path);
	if (err->code)
		unlink(out->temp);
	free(out->temp);
	out->temp = NULL;
	return err->code;
}
