// SPDX-License-Identifier: Apache-2.0
/* fmt/source.h: input that need not be in memory as a whole. */
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

/* n bytes from byte at on, which must be within the source: a view of it, or
 * of room, into which they are read. What room held before is gone. An empty
 * view on failure. Any number of threads may call it, each with its own room.
 *
 * The file may change meanwhile, so nobody may read a part twice and rely on
 * both being the same. */
struct op_view op_source_part(const struct op_source *s, uint64_t at, size_t n,
			      struct op_buf *room, struct op_err *err);

#endif
