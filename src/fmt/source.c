// SPDX-License-Identifier: Apache-2.0
/* fmt/source.c: parts of a file, read when they are wanted. */
#include "fmt/source.h"

#include <errno.h>
#include <unistd.h>

#include "base/arena.h"

static void part_read(int fd, uint64_t at, uint8_t *to, size_t n,
		      struct op_err *err)
{
	while (n && !err->code) {
		ssize_t got = pread(fd, to, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			op_fail_sys(err, "cannot read");
		} else if (!got) {
			op_fail_at(err, OP_EFORMAT, at,
				   "the file became shorter while it was read");
		} else {
			to += got;
			at += (uint64_t)got;
			n -= (size_t)got;
		}
	}
}

struct op_view op_source_part(const struct op_source *s, uint64_t at, size_t n,
			      struct op_buf *room, struct op_err *err)
{
	if (s->p)
		return op_view(s->p + at, n);
	room->err = err;
	room->n = 0;
	if (room->cap < n) {
		/* Nothing of what it held is to be copied. */
		op_buf_free(room);
		room->err = err;
		if (!op_buf_reserve(room, n))
			return (struct op_view){ 0 };
		op_heap_hint(room->p, room->cap);
	}
	part_read(s->fd, at, room->p, n, err);
	if (err->code)
		return (struct op_view){ 0 };
	room->n = n;
	return op_view(room->p, n);
}
