// SPDX-License-Identifier: Apache-2.0
/* base/buf.h: a growing byte buffer with a limit, for output.
 *
 * The error is carried inside: after the first failure appends do nothing.
 * Owned by whoever made it; op_buf_free() ends it.
 */
#ifndef OP_BASE_BUF_H
#define OP_BASE_BUF_H

#include "base/err.h"
#include "base/view.h"

struct op_buf {
	uint8_t *p;
	size_t n;
	size_t cap;
	size_t limit; /* most bytes; 0: no limit */
	struct op_err *err;
};

/* n bytes behind the end, to be filled by the caller; NULL after an error. */
uint8_t *op_buf_add(struct op_buf *b, size_t n);

/* Room for n more bytes, so that the next add of that much is cheap. */
bool op_buf_reserve(struct op_buf *b, size_t n);

void op_buf_view(struct op_buf *b, struct op_view v);
void op_buf_z(struct op_buf *b, const char *s);
void op_buf_printf(struct op_buf *b, const char *fmt, ...) op_printf(2, 3);

op_inline void op_buf_byte(struct op_buf *b, int c)
{
	uint8_t *p = op_buf_add(b, 1);

	if (p)
		*p = (uint8_t)c;
}

void op_buf_hex(struct op_buf *b, struct op_view v);
void op_buf_free(struct op_buf *b);

#endif
