// SPDX-License-Identifier: Apache-2.0
/* base/cursor.c: varints that the inline fast path leaves over. */
#include "base/cursor.h"

enum { LONGEST_VARINT = 10 };

struct op_varint op_varint_read(const uint8_t *p, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < LONGEST_VARINT && p + i < end; i++) {
		v |= (uint64_t)(p[i] & 0x7f) << (7 * i);
		if (p[i] >= 0x80)
			continue;
		if (i == LONGEST_VARINT - 1 && p[i] > 1)
			break;
		return (struct op_varint){ p + i + 1, v };
	}
	return (struct op_varint){ 0 };
}

int op_varint_fail(struct op_err *err, const uint8_t *base, const uint8_t *p,
		   const uint8_t *end)
{
	return op_fail_at(err, OP_EFORMAT, (uint64_t)(p - base),
			  end - p < LONGEST_VARINT ?
				  "truncated number" :
				  "a number has more than 64 bits");
}
