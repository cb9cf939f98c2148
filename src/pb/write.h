// SPDX-License-Identifier: Apache-2.0
/* pb/write.h: the protobuf wire format, written from the back.
 *
 * A length stands before what it measures. Writing a message from its last
 * byte to its first makes every length known when it is due, so there is no
 * pass to add up sizes and no temporary buffer:
 *
 *	size_t end = op_pbw_mark(&w);
 *	... the fields of the submessage, last one first ...
 *	op_pbw_len(&w, FIELD, end);
 *
 * The buffer grows at its front. The error is carried inside: after the first
 * failure writes go to a scratch area and the result is empty.
 */
#ifndef OP_PB_WRITE_H
#define OP_PB_WRITE_H

#include "pb/read.h"

struct op_pbw {
	uint8_t *p;	/* the byte written last: start of the result */
	uint8_t *start; /* of the buffer */
	uint8_t *end;	/* of the buffer and of the result */
	size_t limit;	/* most bytes of the result; 0: no limit */
	struct op_err *err;
};

/* Makes n bytes writable before p. False after an error. */
bool op_pbw_grow(struct op_pbw *w, size_t n);

op_inline bool op_pbw_room(struct op_pbw *w, size_t n)
{
	return op_likely((size_t)(w->p - w->start) >= n) || op_pbw_grow(w, n);
}

/* How much is written; the start of a submessage is told by it. */
op_inline size_t op_pbw_mark(const struct op_pbw *w)
{
	return (size_t)(w->end - w->p);
}

/* A varint with room already made: at most ten bytes. */
op_inline void op_pbw_raw_varint(struct op_pbw *w, uint64_t v)
{
	unsigned int n;
	uint8_t *p;

	if (op_likely(v < 0x80)) {
		*--w->p = (uint8_t)v;
		return;
	}
	n = (unsigned int)(63 - __builtin_clzll(v)) / 7 + 1;
	p = w->p -= n;
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p = (uint8_t)v;
}

op_inline void op_pbw_varint(struct op_pbw *w, uint64_t v)
{
	if (op_pbw_room(w, 10))
		op_pbw_raw_varint(w, v);
}

/* A varint field; zero is not written, as proto3 has it. */
op_inline void op_pbw_uint(struct op_pbw *w, uint32_t num, uint64_t v)
{
	if (!v || !op_pbw_room(w, 20))
		return;
	op_pbw_raw_varint(w, v);
	op_pbw_raw_varint(w, OP_PB(num, OP_PB_VARINT));
}

/* An eight-byte field; zero is not written. */
void op_pbw_fixed64(struct op_pbw *w, uint32_t num, uint64_t v);

/* Closes the submessage or run whose last byte was written at mark end. */
op_inline void op_pbw_len(struct op_pbw *w, uint32_t num, size_t end)
{
	if (!op_pbw_room(w, 20))
		return;
	op_pbw_raw_varint(w, op_pbw_mark(w) - end);
	op_pbw_raw_varint(w, OP_PB(num, OP_PB_LEN));
}

/* The same, and nothing at all if it is empty. */
op_inline void op_pbw_len_nonempty(struct op_pbw *w, uint32_t num, size_t end)
{
	if (op_pbw_mark(w) != end)
		op_pbw_len(w, num, end);
}

/* Bytes as they are, without a tag. */
void op_pbw_raw(struct op_pbw *w, struct op_view v);

/* A bytes field, also when empty. */
void op_pbw_bytes(struct op_pbw *w, uint32_t num, struct op_view v);

/* A string field, also when empty, with invalid UTF-8 replaced by U+FFFD:
 * many decoders refuse a whole message for one bad byte. */
void op_pbw_string(struct op_pbw *w, uint32_t num, struct op_view v);

/* Packed runs; nothing if empty. */
void op_pbw_packed_u32(struct op_pbw *w, uint32_t num, const uint32_t *v,
		       size_t n);
void op_pbw_packed_i64(struct op_pbw *w, uint32_t num, const int64_t *v,
		       size_t n);
void op_pbw_packed_fixed64(struct op_pbw *w, uint32_t num,
			   const op_unaligned_u64 *v, size_t n);

/* What was written; empty after an error. Valid until the next write. */
struct op_view op_pbw_result(const struct op_pbw *w);

void op_pbw_free(struct op_pbw *w);

#endif
