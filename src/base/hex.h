// SPDX-License-Identifier: Apache-2.0
/* base/hex.h: bytes written as hexadecimal digits. */
#ifndef OP_BASE_HEX_H
#define OP_BASE_HEX_H

#include "base/view.h"

/* The value of a digit of either case; -1 if it is none. */
op_inline int op_hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly 2 * n digits as n bytes; false if they are not that. */
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

/* Whether all of it is such digits. */
op_inline bool op_is_hex(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (op_hex_digit(v.p[i]) < 0)
			return false;
	return true;
}

#endif
