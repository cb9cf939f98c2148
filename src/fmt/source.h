// SPDX-License-Identifier: Apache-2.0
/* fmt/source.h: input that may be read in parts. */
#ifndef OP_FMT_SOURCE_H
#define OP_FMT_SOURCE_H

#include "base/buf.h"

struct op_source {
	uint64_t n;
	const uint8_t *p; /* all of it; NULL: it is in the file */
	int fd;
};

op_inline struct op_source op_source(struct op_view v)
{
	return (struct op_source){ .n = v.n, .p = v.p };
}

/* The n bytes at offset at, which must be within the source: a view of it, or
 * of room, into which they are read, replacing its content. An empty view on
 * failure. Any number of threads may call it, each with its own room.
 *
 * The file may change in between, so do not read a part twice and rely on both
 * being equal. */
struct op_view op_source_part(const struct op_source *s, uint64_t at, size_t n,
			      struct op_buf *room, struct op_err *err);

#endif
