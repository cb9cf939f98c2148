// SPDX-License-Identifier: Apache-2.0
/* base/utf16.c: UTF-16 text into UTF-8. */
#include "base/utf16.h"

#include "base/utf8.h"

static void put(struct op_buf *out, uint32_t c)
{
	uint8_t b[4];

	op_buf_view(out, op_view(b, op_utf8_put(b, c)));
}

static uint32_t unit(const uint8_t *p, bool big_endian)
{
	return big_endian ? (uint32_t)p[0] << 8 | p[1] :
			    (uint32_t)p[1] << 8 | p[0];
}

int op_utf16_decode(struct op_view in, bool big_endian, struct op_buf *out)
{
	enum { REPLACEMENT = 0xfffd };

	if (in.n % 2)
		return op_fail_at(out->err, OP_EFORMAT, in.n - 1,
				  "UTF-16 text ends in half a character");
	for (size_t i = 0; i < in.n && !out->err->code; i += 2) {
		uint32_t c = unit(in.p + i, big_endian), low = 0;
		bool is_high = c >= 0xd800 && c < 0xdc00;

		if (is_high && i + 2 < in.n)
			low = unit(in.p + i + 2, big_endian);
		if (is_high && low >= 0xdc00 && low < 0xe000) {
			put(out,
			    0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
			i += 2;
		} else {
			put(out, c >= 0xd800 && c < 0xe000 ? REPLACEMENT : c);
		}
	}
	return out->err->code;
}
