// SPDX-License-Identifier: Apache-2.0
/* fmt/output.h: writes a file atomically. */
#ifndef OP_FMT_OUTPUT_H
#define OP_FMT_OUTPUT_H

#include <limits.h>

#include "fmt/pack.h"

/* The file is written under a temporary name next to the final one and renamed
 * when complete. A new file has mode 0666 minus the umask. A replaced file
 * keeps its owner, permissions and access control list; if that is impossible,
 * or if we may not write to it, it is an error. A symbolic link is kept and its
 * target replaced; a dangling link is an error. Existing files that are not
 * regular (devices, pipes) are written to directly. */
struct op_output {
	struct op_sink sink;
	const char *path; /* owned by the caller, for messages */
	char target[PATH_MAX];
	char *temp;
	int fd;
};

/* After a failure there is nothing to close. */
int op_output_open(struct op_output *out, const char *path, struct op_err *err);

/* The same on a file descriptor, which the caller owns; name is for messages.
 */
void op_output_fd(struct op_output *out, int fd, const char *name);

/* Renames the file to its final name or, if err is set, removes it. */
int op_output_close(struct op_output *out, struct op_err *err);

/* How a model is written. */
struct op_writing {
	const struct op_format *format;
	const struct op_write_opts *opts; /* of the format; may be NULL */
	/* OP_PACK_AUTO: by the extension of the file name, else gzip if that is
	 * usual for the format. */
	enum op_pack_kind pack;
	const char *path; /* of the file; NULL: none */
};

/* Writes a model to a sink, compressed. */
int op_write(const struct op_model *m, const struct op_writing *how,
	     struct op_sink *sink, struct op_err *err);

#endif
