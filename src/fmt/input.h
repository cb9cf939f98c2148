// SPDX-License-Identifier: Apache-2.0
/* fmt/input.h: the bytes of a file, unpacked, and the models in them. */
#ifndef OP_FMT_INPUT_H
#define OP_FMT_INPUT_H

#include "fmt/format.h"

struct op_input_opts {
	size_t max_bytes; /* of the file, and unpacked; 0: 4 GiB */
	const struct op_format *format; /* NULL: told from the bytes */
};

struct op_input {
	/* What a reader gets. As long as p is NULL it is in the file, and
	 * op_input_load() gets it. */
	struct op_view bytes;
	const char *packing; /* NULL: it was not packed */
	size_t file_bytes;   /* the size as stored */
	const struct op_format *format;
	uint8_t *heap; /* to be freed; NULL: the bytes are the caller's */
	int fd;	       /* of the file, if is_open */
	bool is_open;
};

/* Opens a file, which is read into memory and not mapped: readers look at some
 * bytes twice, and models have views of them, so that they must not change. Of
 * a format that is read in parts only the head is read here.
 * "-" is standard input. opts may be NULL. On failure *in is
 * all zero. An empty file is a failure. */
int op_input_open(struct op_input *in, const char *path,
		  const struct op_input_opts *opts, struct op_err *err);

/* The same from memory, which stays the caller's and must outlive in. */
int op_input_memory(struct op_input *in, struct op_view v,
		    const struct op_input_opts *opts, struct op_err *err);

/* The same from a buffer, which goes over to the input, also on failure. */
int op_input_buffer(struct op_input *in, struct op_buf *buf,
		    const struct op_input_opts *opts, struct op_err *err);

/* The most bytes that an input may have. */
size_t op_input_max(const struct op_input_opts *opts);

/* Gets all of the bytes, if they are still in the file. On failure the input
 * is closed. */
int op_input_load(struct op_input *in, struct op_err *err);

/* Calls fn for each message, as op_format.read does. */
int op_input_each(const struct op_input *in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx, struct op_err *err);

void op_input_close(struct op_input *in);

/* Reads all messages of the input into one model. The input goes over to the
 * model if that has views of it, and is closed otherwise, also on failure.
 * Unchecked, there must be one message: joining follows ids. */
int op_input_read(struct op_input *in, const struct op_read_opts *opts,
		  struct op_model *out, struct op_err *err);

#endif
