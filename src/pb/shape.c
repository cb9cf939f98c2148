// SPDX-License-Identifier: Apache-2.0
/* pb/shape.c: weighs a message by the fields that a schema knows. */
#include "pb/shape.h"

struct look {
	size_t limit;
	struct op_pb_share share;
};

static bool is_known(const struct op_pb_shape *s, const struct op_pb_field *f)
{
	uint32_t bit = f->num < 32 ? OP_PB_BIT(f->num) : 0;

	switch (f->wire) {
	case OP_PB_VARINT:
		return s->varint & bit;
	case OP_PB_I64:
		return s->i64 & bit;
	case OP_PB_I32:
		return s->i32 & bit;
	default:
		return s->len & bit;
	}
}

static const struct op_pb_shape *sub_of(const struct op_pb_shape *s,
					const struct op_pb_field *f)
{
	if (f->wire != OP_PB_LEN)
		return NULL;
	for (size_t i = 0; i < op_countof(s->sub) && s->sub[i].num; i++)
		if (s->sub[i].num == f->num)
			return s->sub[i].shape;
	return NULL;
}

/* As deep as the shapes go. A message that is broken explains nothing. */
static void look(struct look *l, struct op_view msg,
		 const struct op_pb_shape *shape)
{
	struct op_pb_share before = l->share;
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;

	while (l->share.looked_at < l->limit) {
		const uint8_t *at = c.p;
		const struct op_pb_shape *sub;
		size_t n;

		if (!op_pb_next(&c, &f))
			break;
		sub = sub_of(shape, &f);
		n = (size_t)(c.p - at);
		if (sub) {
			look(l, f.bytes, sub);
			continue;
		}
		l->share.looked_at += n;
		l->share.explained += is_known(shape, &f) ? n : 0;
	}
	if (err.code) {
		l->share.looked_at = before.looked_at + msg.n;
		l->share.explained = before.explained;
	}
}

struct op_pb_share op_pb_explain(struct op_view msg,
				 const struct op_pb_shape *shape, size_t limit)
{
	struct look l = { .limit = limit };

	look(&l, msg, shape);
	return l.share;
}
