// SPDX-License-Identifier: Apache-2.0
/* base/hex.h: bytes as hexadecimal digits. */
#ifndef OP_BASE_HEX_H
#define OP_BASE_HEX_H

#include "base/view.h"

/* The value of a digit in either case; -1 if it is not a digit. */
op_inline int op_hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Converts exactly 2 * n digits to n bytes; false if the text is not that. */
op_inline bool op_unhex(struct op_view v, uint8_t *out, size_t n)
{
	if (v.n != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int hi = op_hex_digit(v.p[2 * i]);
		int lo = op_hex_digit(v.p[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		out[i] = (uint8_t)(hi << 4 | lo);
	}
	return true;
}

/* Whether the text consists of such digits only. */
op_inline bool op_is_hex(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (op_hex_digit(v.p[i]) < 0)
			return false;
	return true;
}

/* Bytes as digits, with a NUL: out has room for 2 * n + 1. */
op_inline void op_hex_text(char *out, struct op_view v)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < v.n; i++) {
		out[2 * i] = digits[v.p[i] >> 4];
		out[2 * i + 1] = digits[v.p[i] & 15];
	}
	out[2 * v.n] = 0;
}

#endif
