// SPDX-License-Identifier: Apache-2.0
/* pb/read.h: the protobuf wire format, read field by field.
 *
 *	tag = varint (field number << 3 | wire type)
 *	0 varint    1 eight bytes    2 varint n, n bytes    5 four bytes
 *
 * Fields come in any order and may repeat; what a reader does not know it
 * skips by doing nothing. Groups (wire types 3 and 4) are refused: no message
 * we read has them.
 */
#ifndef OP_PB_READ_H
#define OP_PB_READ_H

#include "base/cursor.h"

enum op_pb_wire {
	OP_PB_VARINT = 0,
	OP_PB_I64 = 1,
	OP_PB_LEN = 2,
	OP_PB_I32 = 5,
};

struct op_pb_field {
	uint32_t num;
	uint32_t wire;
	uint64_t v;	      /* the number, unless wire is OP_PB_LEN */
	struct op_view bytes; /* the value as it stands in the input */
};

/* A field's number and wire type in one, to switch over. */
#define OP_PB(num, wire) ((num) << 3 | (wire))

/* Records what is wrong with a tag at a byte of the input. */
op_cold void op_pb_bad_tag(struct op_err *err, uint64_t at, uint64_t tag);

/* The next field; false at the end and on error. */
op_inline bool op_pb_next(struct op_cur *c, struct op_pb_field *f)
{
	const uint8_t *at = c->p;
	uint64_t tag;

	if (!op_cur_more(c))
		return false;
	tag = op_cur_varint(c);
	f->num = (uint32_t)(tag >> 3);
	f->wire = tag & 7;
	if (op_unlikely(tag - 8 > (uint64_t)UINT32_MAX - 8))
		f->wire = 7;
	f->bytes.p = c->p;
	switch (f->wire) {
	case OP_PB_VARINT:
		f->v = op_cur_varint(c);
		f->bytes.n = (size_t)(c->p - f->bytes.p);
		break;
	case OP_PB_LEN:
		f->v = op_cur_varint(c);
		f->bytes = op_cur_take(c, f->v);
		break;
	case OP_PB_I64:
		f->v = op_cur_le(c, 8);
		f->bytes.n = 8;
		break;
	case OP_PB_I32:
		f->v = op_cur_le(c, 4);
		f->bytes.n = 4;
		break;
	default:
		if (!c->err->code)
			op_pb_bad_tag(c->err, (uint64_t)(at - c->base), tag);
		c->p = c->end;
		return false;
	}
	return op_likely(!c->err->code);
}

op_inline uint32_t op_pb_key(const struct op_pb_field *f)
{
	return OP_PB(f->num, f->wire);
}

/* A cursor on the field's value: the message or packed run of an OP_PB_LEN
 * field. The value of any other field is a run of one, so that packed and
 * unpacked repeated fields are read alike. */
op_inline struct op_cur op_pb_sub(const struct op_cur *c,
				  const struct op_pb_field *f)
{
	return op_cur_sub(c, f->bytes);
}

/* Takes the next field if it is this one. Most writers write fields in
 * ascending order: who asks for them in that order first needs no dispatch,
 * which the processor would have to guess, and a loop over op_pb_next() then
 * finds nothing left, or what came in another order. Of a field that is broken
 * the value is 0 or empty. Only for numbers below 16, whose tag is one byte. */
op_inline bool op_pb_take_varint(struct op_cur *c, uint32_t num,
				 struct op_pb_field *f)
{
	if (c->p >= c->end || *c->p != OP_PB(num, OP_PB_VARINT))
		return false;
	c->p++;
	f->bytes.p = c->p;
	f->v = op_cur_varint(c);
	return true;
}

op_inline bool op_pb_take_len(struct op_cur *c, uint32_t num,
			      struct op_pb_field *f)
{
	if (c->p >= c->end || *c->p != OP_PB(num, OP_PB_LEN))
		return false;
	c->p++;
	f->wire = OP_PB_LEN;
	f->bytes = op_cur_take(c, op_cur_varint(c));
	return true;
}

/* How many varints a packed run holds: each ends at a byte below 0x80. */
size_t op_pb_count(struct op_view run);

#endif
