// SPDX-License-Identifier: Apache-2.0
/* base/buf.c: growth of byte buffers, and text appended to them. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"

enum { FIRST_CAP = 256 };

/* Room for n bytes, which the limit allows or not. */
static bool grow(struct op_buf *b, size_t n)
{
	size_t want = b->cap ? b->cap : FIRST_CAP;
	uint8_t *p;

	if (b->cap - b->n >= n)
		return true;
	if (n > SIZE_MAX / 4) {
		op_fail(b->err, OP_ELIMIT, "%zu bytes are too many", n);
		return false;
	}
	while (want - b->n < n)
		want *= 2;
	p = op_heap_resize(b->p, want, b->err);
	if (!p)
		return false;
	b->p = p;
	b->cap = want;
	return true;
}

bool op_buf_reserve(struct op_buf *b, size_t n)
{
	if (b->err->code)
		return false;
	if (b->limit && n > b->limit - b->n) {
		op_fail(b->err, OP_ELIMIT, "more than the limit of %zu bytes",
			b->limit);
		return false;
	}
	return grow(b, n);
}

uint8_t *op_buf_add(struct op_buf *b, size_t n)
{
	if (!op_buf_reserve(b, n))
		return NULL;
	b->n += n;
	return b->p + b->n - n;
}

void op_buf_view(struct op_buf *b, struct op_view v)
{
	uint8_t *p = op_buf_add(b, v.n);

	if (p && v.n)
		memcpy(p, v.p, v.n);
}

void op_buf_z(struct op_buf *b, const char *s)
{
	op_buf_view(b, op_view_z(s));
}

void op_buf_printf(struct op_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	/* vsnprintf() also writes a NUL, which does not count. */
	if (n < 0 || !op_buf_reserve(b, (size_t)n) || !grow(b, (size_t)n + 1))
		return;
	va_start(ap, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void op_buf_hex(struct op_buf *b, struct op_view v)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < v.n; i++) {
		op_buf_byte(b, digits[v.p[i] >> 4]);
		op_buf_byte(b, digits[v.p[i] & 15]);
	}
}

void op_buf_free(struct op_buf *b)
{
	op_heap_free(b->p);
	*b = (struct op_buf){ .err = b->err };
}
