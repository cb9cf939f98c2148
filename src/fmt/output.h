// SPDX-License-Identifier: Apache-2.0
/* fmt/output.h: a file that appears whole or not at all. */
#ifndef OP_FMT_OUTPUT_H
#define OP_FMT_OUTPUT_H

#include <limits.h>

#include "fmt/pack.h"

/* Written under a temporary name beside the final one and renamed when it is
 * whole. A new file has the mode 0666 less the umask. A file that is replaced
 * keeps its owner, permissions and access control list; if that is impossible,
 * or if we may not write to it, it is an error. A link stays one and its target
 * is replaced; if the target does not exist, it is an error. What exists and is
 * no ordinary file (a device, a pipe) is written to directly. */
struct op_output {
	struct op_sink sink;
	const char *path; /* the caller's, for messages */
	char target[PATH_MAX];
	char *temp;
	int fd;
};

/* On failure there is nothing to close. */
int op_output_open(struct op_output *out, const char *path, struct op_err *err);

/* The same on a file descriptor, which stays the caller's; name is for
 * messages. */
void op_output_fd(struct op_output *out, int fd, const char *name);

/* Puts the file in its place or, if err is set, removes it. */
int op_output_close(struct op_output *out, struct op_err *err);

/* How a model is written. */
struct op_writing {
	const struct op_format *format;
	const struct op_write_opts *opts; /* of the format; may be NULL */
	/* OP_PACK_AUTO: by the ending of the file's name, else gzip if that is
	 * the custom of the format. */
	enum op_pack_kind pack;
	const char *path; /* of the file; NULL: it has none */
};

/* Writes a model into a sink, packed. */
int op_write(const struct op_model *m, const struct op_writing *how,
	     struct op_sink *sink, struct op_err *err);

#endif
