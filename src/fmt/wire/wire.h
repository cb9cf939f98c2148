// SPDX-License-Identifier: Apache-2.0
/* fmt/wire/wire.h: the messages that profiles share with the other signals of
 * OTLP, of whatever release: values, attributes, resources, scopes; and links,
 * which spans have too. */
#ifndef OP_FMT_WIRE_WIRE_H
#define OP_FMT_WIRE_WIRE_H

#include "model/model.h"
#include "pb/read.h"
#include "pb/write.h"

struct op_wire {
	struct op_arena *mem;
	struct op_err *err;
	uint32_t nr_strings; /* references to strings must be below */
	/* Keep references past the strings, and ids of a wrong length. */
	bool unchecked;
};

/* Deepest nesting of values in values. */
enum { OP_WIRE_DEPTH = 64 };

/* Copies an id of the expected length and returns its length. Another length
 * is an error, or, when unchecked, kept as a length only. To be called when
 * the message has been read: of several such fields the last counts. */
uint8_t op_wire_id(struct op_wire *w, const uint8_t *base, struct op_view v,
		   uint8_t *out, uint8_t want);

void op_wire_any(struct op_wire *w, struct op_cur c, struct op_any *out,
		 unsigned int depth);
void op_wire_kv_add(struct op_wire *w, struct op_cur c, struct op_kvs *kvs,
		    unsigned int depth);
void op_wire_resource(struct op_wire *w, struct op_cur c,
		      struct op_resource *out);
void op_wire_scope(struct op_wire *w, struct op_cur c, struct op_scope *out);
void op_wire_link(struct op_wire *w, struct op_cur c, struct op_link *out);

/* --- writing --- */

/* A member of a oneof, which is written even if it is zero. */
op_inline void op_wire_oneof_uint(struct op_pbw *w, uint32_t num, uint64_t v)
{
	op_pbw_varint(w, v);
	op_pbw_varint(w, OP_PB(num, OP_PB_VARINT));
}

/* The field of an AnyValue that is a bool, a number or bytes. */
void op_wire_scalar_write(struct op_pbw *w, const struct op_any *v);

#endif
