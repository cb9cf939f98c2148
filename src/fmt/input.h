// SPDX-License-Identifier: Apache-2.0
/* fmt/input.h: the decompressed bytes of a file, and the models in them. */
#ifndef OP_FMT_INPUT_H
#define OP_FMT_INPUT_H

#include "fmt/format.h"

struct op_input_opts {
	size_t max_bytes; /* of the file, and decompressed; 0: 4 GiB */
	const struct op_format *format; /* NULL: auto-detected */
};

struct op_input {
	/* The input of a reader. While p is NULL the bytes are still in the
	 * file, and op_input_load() reads them. */
	struct op_view bytes;
	const char *packing; /* NULL: not compressed */
	size_t file_bytes;   /* the size as stored */
	const struct op_format *format;
	uint8_t *heap; /* to free; NULL: the caller owns the bytes */
	int fd;	       /* of the file, if is_open */
	bool is_open;
};

/* Opens a file and reads it into memory. It is not mapped: readers look at some
 * bytes twice, and models have views of them, so they must not change. For a
 * format that is read in parts, only the head is read here. "-" is standard
 * input. opts may be NULL. On failure *in is all zero. An empty file is a
 * failure. */
int op_input_open(struct op_input *in, const char *path,
		  const struct op_input_opts *opts, struct op_err *err);

/* The same from memory, which the caller owns and which must outlive in. */
int op_input_memory(struct op_input *in, struct op_view v,
		    const struct op_input_opts *opts, struct op_err *err);

/* The same from a buffer, which the input takes over, even on failure. */
int op_input_buffer(struct op_input *in, struct op_buf *buf,
		    const struct op_input_opts *opts, struct op_err *err);

/* The maximum size of an input. */
size_t op_input_max(const struct op_input_opts *opts);

/* Reads all of the bytes if they are still in the file. On failure the input is
 * closed. */
int op_input_load(struct op_input *in, struct op_err *err);

/* Calls fn for each message, like op_format.read. */
int op_input_each(const struct op_input *in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx, struct op_err *err);

void op_input_close(struct op_input *in);

/* Reads all messages of the input into one model. The model takes over the
 * input if it has views of it; otherwise, and on failure, the input is closed.
 * With unchecked there must be only one message, because joining follows ids.
 */
int op_input_read(struct op_input *in, const struct op_read_opts *opts,
		  struct op_model *out, struct op_err *err);

#endif
