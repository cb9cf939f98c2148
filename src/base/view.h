// SPDX-License-Identifier: Apache-2.0
/* base/view.h: a run of bytes owned by something else. */
#ifndef OP_BASE_VIEW_H
#define OP_BASE_VIEW_H

#include <string.h>

#include "base/port.h"

struct op_view {
	const uint8_t *p;
	size_t n;
};

op_inline struct op_view op_view(const void *p, size_t n)
{
	return (struct op_view){ p, n };
}

/* A view of a C string without its NUL; NULL gives the empty view. */
op_inline struct op_view op_view_z(const char *s)
{
	return (struct op_view){ (const uint8_t *)s, s ? strlen(s) : 0 };
}

op_inline bool op_view_eq(struct op_view a, struct op_view b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

op_inline bool op_view_is(struct op_view a, const char *s)
{
	return op_view_eq(a, op_view_z(s));
}

op_inline uint8_t op_ascii_lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* Equality that ignores the case of ASCII letters, in every locale. */
op_inline bool op_view_eq_nocase(struct op_view a, struct op_view b)
{
	for (size_t i = 0; a.n == b.n && i < a.n; i++)
		if (op_ascii_lower(a.p[i]) != op_ascii_lower(b.p[i]))
			return false;
	return a.n == b.n;
}

/* Byte order; a prefix comes before the longer one. */
op_inline int op_view_cmp(struct op_view a, struct op_view b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

op_inline bool op_view_ends(struct op_view a, const char *end)
{
	size_t n = strlen(end);

	return a.n >= n && (!n || !memcmp(a.p + a.n - n, end, n));
}

/* The first n bytes, or all if there are fewer. */
op_inline struct op_view op_view_first(struct op_view v, size_t n)
{
	return (struct op_view){ v.p, v.n < n ? v.n : n };
}

/* Whether the view contains this text. */
op_inline bool op_view_holds(struct op_view a, const char *part)
{
	size_t n = strlen(part);

	return !n || (a.n >= n && memmem(a.p, a.n, part, n));
}

#endif
