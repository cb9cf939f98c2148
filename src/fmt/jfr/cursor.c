// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/cursor.c: integers as JFR writes them, where the fast way ends. */
#include "fmt/jfr/cursor.h"

uint64_t op_jfr_varint_slow(struct op_cur *c)
{
	const uint8_t *start = c->p;
	uint64_t v = 0;

	for (unsigned int i = 0; i < 9; i++) {
		uint8_t byte;

		if (c->p == c->end) {
			op_cur_fail(c, start, OP_EFORMAT, "truncated number");
			return 0;
		}
		byte = *c->p++;
		if (i == 8)
			return v | (uint64_t)byte << 56;
		v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80)
			break;
	}
	return v;
}

uint64_t op_jfr_wide(struct op_cur *c, unsigned int width)
{
	struct op_view v = op_cur_take(c, width);
	uint64_t x = 0;

	for (size_t i = 0; i < v.n; i++)
		x = x << 8 | v.p[i];
	return x;
}
