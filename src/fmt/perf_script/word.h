// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/word.h: the words of a line. */
#ifndef OP_FMT_PERF_SCRIPT_WORD_H
#define OP_FMT_PERF_SCRIPT_WORD_H

#include "base/hex.h"
#include "base/view.h"

op_inline bool op_script_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

op_inline bool op_script_is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

op_inline bool op_script_begins(struct op_view v, const char *start)
{
	size_t n = strlen(start);

	return v.n >= n && !memcmp(v.p, start, n);
}

/* Without blanks at its end. */
op_inline struct op_view op_script_trim_end(struct op_view v)
{
	while (v.n && op_script_is_blank(v.p[v.n - 1]))
		v.n--;
	return v;
}

/* Without blanks at both ends. */
op_inline struct op_view op_script_trim(struct op_view v)
{
	while (v.n && op_script_is_blank(v.p[0]))
		v = op_view(v.p + 1, v.n - 1);
	return op_script_trim_end(v);
}

/* Splits off the first word; empty at the end. */
op_inline struct op_view op_script_word(struct op_view *v)
{
	const uint8_t *p = v->p, *end = v->p + v->n;
	const uint8_t *from;

	while (p < end && op_script_is_blank(*p))
		p++;
	from = p;
	while (p < end && !op_script_is_blank(*p))
		p++;
	*v = op_view(p, (size_t)(end - p));
	return op_view(from, (size_t)(p - from));
}

/* Splits off the last word. */
op_inline struct op_view op_script_last_word(struct op_view *v)
{
	struct op_view w = op_script_trim(*v);
	size_t n = w.n;

	while (n && !op_script_is_blank(w.p[n - 1]))
		n--;
	*v = op_view(w.p, n);
	return op_view(w.p + n, w.n - n);
}

/* A decimal number that is all of the text. */
op_inline bool op_script_number(struct op_view v, uint64_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < v.n; i++) {
		if (!op_script_is_digit(v.p[i]) ||
		    __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, v.p[i] - '0', &n))
			return false;
	}
	*out = n;
	return v.n;
}

/* A number of at most 16 hex digits that is all of the text. */
op_inline bool op_script_hex(struct op_view v, uint64_t *out)
{
	uint64_t n = 0;

	if (!v.n || v.n > 16)
		return false;
	for (size_t i = 0; i < v.n; i++) {
		int digit = op_hex_digit(v.p[i]);

		if (digit < 0)
			return false;
		n = n << 4 | (uint64_t)digit;
	}
	*out = n;
	return true;
}

#endif
