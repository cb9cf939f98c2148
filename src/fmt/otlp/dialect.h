// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/dialect.h: which release's field numbers a message uses.
 *
 * v1development was renumbered in place several times, under the same package
 * and path, and senders of every version are in use. A message does not name
 * its version; the shape of the whole message shows it:
 *
 *	release   tables are in       Sample
 *	v1.4 v1.5 each Profile        1 first location, 2 how many (varint),
 *	v1.6      ProfilesData 2-8      3 value, 4 attributes, 5 link,
 *	v1.7      the dictionary        6 times (varint)
 *	v1.8      the dictionary      1 stack, 2 values, 3 attributes, 4 link,
 *	v1.9      the dictionary        5 times (fixed64)
 *	v1.10 on  the dictionary      1 stack, 2 attributes, 3 link, 4 values,
 *	                                5 times (fixed64)
 *
 * v1.8 also has comments as field 7 of Profile; the fields after it are one
 * higher.
 */
#ifndef OP_FMT_OTLP_DIALECT_H
#define OP_FMT_OTLP_DIALECT_H

#include "pb/read.h"

/* How a wire version is read. */
enum op_dialect_family {
	OP_FAMILY_SLICES, /* v1.4 to v1.7: read_legacy.c */
	OP_FAMILY_STACKS, /* v1.8 on: read.c */
};

struct op_dialect {
	const char *name;
	enum op_dialect_family family;
	/* v1.8: Profile has comments at 7 and shifts what follows. */
	bool has_comments;
};

extern const struct op_dialect op_dialect_v1_4;
extern const struct op_dialect op_dialect_v1_5;
extern const struct op_dialect op_dialect_v1_6;
extern const struct op_dialect op_dialect_v1_7;
extern const struct op_dialect op_dialect_v1_8;
extern const struct op_dialect op_dialect_v1_9;
extern const struct op_dialect op_dialect_v1_10;

/* What a decoder has seen of the samples. */
struct op_shape {
	uint32_t keys;	   /* bit per field number and wire type, see bit() */
	bool data_missing; /* a sample had a field 2 but neither 4 nor 5 */
	bool uneven; /* a sample had different numbers of elements in 2 and 5 */
	bool no_data; /* a sample had no values and no timestamps as decoded */
};

/* The bit of op_shape.keys for a Sample field; 0 for an irrelevant field. */
op_inline uint32_t op_shape_bit(uint32_t num, uint32_t wire)
{
	return num < 8 && wire < 4 ? 1u << (num * 4 + wire) : 0;
}

/* Adds a sample: its keys, and the number of elements in fields 2 and 5. */
op_inline void op_shape_note(struct op_shape *s, uint32_t keys, size_t nr_two,
			     size_t nr_five)
{
	const uint32_t two = op_shape_bit(2, OP_PB_LEN) |
			     op_shape_bit(2, OP_PB_VARINT);
	const uint32_t five = op_shape_bit(5, OP_PB_LEN);

	s->keys |= keys;
	if (!(keys & two))
		return;
	s->data_missing |= !(keys >> 16); /* neither field 4 nor 5 */
	s->uneven |= (keys & five) && nr_two != nr_five;
}

/* True if what was decoded as the current version certainly is of it. */
bool op_shape_is_current(const struct op_shape *s);

/* Inspects the first sample: true if it cannot be of the current version, so
 * that decoding it as such is pointless. */
bool op_dialect_looks_older(struct op_view msg);

/* The wire versions that the wire types of a message allow, the most likely
 * first. If there are several, decoding decides: in the right one every index
 * is within its table, counts agree and every sample has data. */
struct op_dialect_verdict {
	const struct op_dialect *list[3];
	uint32_t nr;
	const char *dialect_note; /* to report if several fit, or if is_mixed */
	bool is_mixed;		  /* samples have fields of two versions */
};

/* Inspects the whole message. A broken message is not an error here: the
 * decoder of the version found reports the position. */
struct op_dialect_verdict op_dialect_find(struct op_view msg);

#endif
