// SPDX-License-Identifier: Apache-2.0
/* base/ids.c: packed lists of ids, without vector instructions. */
#include "base/ids.h"

/* Two at a time, as long as both are below limit. */
op_inline struct op_ids_end read_pairs(const uint8_t *p, const uint8_t *end,
				       const uint8_t *words_end, uint32_t limit,
				       uint32_t *to)
{
	while (p < end && p < words_end) {
		struct op_varint_pair two = op_varint_pair(p);

		if (op_unlikely(!two.bytes || (uint32_t)two.v >= limit ||
				two.v >> 32 >= limit ||
				two.bytes > (size_t)(end - p)))
			break;
		memcpy(to, &two.v, sizeof(two.v));
		to += 2;
		p += two.bytes;
	}
	return (struct op_ids_end){ p, to };
}

op_inline struct op_varint read_one(const uint8_t *p, const uint8_t *end,
				    const uint8_t *words_end)
{
	struct op_varint r = { 0 };

	if (op_likely(*p < 0x80))
		return (struct op_varint){ p + 1, *p };
	if (op_likely(p < words_end))
		r = op_varint_word(p);
	return r.p ? r : op_varint_read(p, end);
}

struct op_ids_end op_ids_read_portable(const uint8_t *p, const uint8_t *end,
				       const uint8_t *words_end, uint32_t limit,
				       uint32_t *to)
{
	struct op_ids_end at = { p, to };

	/* Ids of a small table are one byte each: one by one is faster. */
	if (limit > 0x80)
		at = read_pairs(p, end, words_end, limit, to);
	while (at.p < end) {
		struct op_varint r = read_one(at.p, end, words_end);

		if (op_unlikely(!r.p || r.p > end || r.v >= limit))
			break;
		*at.to++ = (uint32_t)r.v;
		at.p = r.p;
	}
	return at;
}

struct op_ids_end op_ids_read(const uint8_t *p, const uint8_t *end,
			      const uint8_t *words_end, uint32_t limit,
			      uint32_t *to)
{
	enum { FEW_BYTES = 16 };
	struct op_ids_end at = { p, to };

	if (end - p >= FEW_BYTES)
		at = op_ids_read_vector(p, end, words_end, limit, to);
	if (at.p == end)
		return at;
	return op_ids_read_portable(at.p, end, words_end, limit, at.to);
}
