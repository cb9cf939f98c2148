// SPDX-License-Identifier: Apache-2.0
/* pb/shape.h: how much of a message a schema explains.
 *
 * Protobuf does not say what a message is, and a reader skips what it does not
 * know: any message can be read as any other, as nothing at all. So a reading
 * is weighed by the bytes that it has a meaning for. */
#ifndef OP_PB_SHAPE_H
#define OP_PB_SHAPE_H

#include "pb/read.h"

/* Bit n: field n may have this wire type. A field that holds a message has a
 * row in sub, not a bit. */
struct op_pb_shape {
	uint32_t varint, i64, i32, len;
	struct {
		uint32_t num;
		const struct op_pb_shape *shape;
	} sub[8]; /* ended by num 0 */
};

#define OP_PB_BIT(num) (1u << (num))
/* Fields first to last. */
#define OP_PB_BITS(first, last) ((2u << (last)) - (1u << (first)))

/* In bytes of fields that are not messages. */
struct op_pb_share {
	size_t looked_at;
	size_t explained; /* of these: known fields of the right wire type */
};

/* Looks at a message, messages inside of it included, and stops when about
 * limit bytes were looked at. Shapes must not contain themselves. */
struct op_pb_share op_pb_explain(struct op_view msg,
				 const struct op_pb_shape *shape, size_t limit);

/* Whether most of what was looked at is explained. */
static inline bool op_pb_is_explained(struct op_pb_share s)
{
	return s.explained >= s.looked_at - s.explained;
}

#endif
