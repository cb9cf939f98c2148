// SPDX-License-Identifier: Apache-2.0
/* tests/write/wire.h: protobuf messages spelled as text.
 *
 *	1:5      field 1, varint (decimal, negative or 0x...)
 *	2{...}   field 2, a message of what is inside
 *	3[1 2]   field 3, a packed run of varints
 *	4'abc'   field 4, text up to the next quote
 *	5#00ff   field 5, bytes in hex
 *	6@7      field 6, eight bytes
 *	6<7 8>   field 6, a packed run of eight-byte numbers
 *	7%8      field 7, four bytes
 *	=0a05    bytes as they are, for what is not a message
 *	^        marks the place where the next byte will stand
 *
 * White space is skipped. So "5'' ^7{1[1]}" is an empty string and a stack,
 * whose tag is at .mark.
 */
#ifndef OP_TESTS_WRITE_WIRE_H
#define OP_TESTS_WRITE_WIRE_H

#include "fmt/otlp/otlp.h"

enum { WIRE_MAX = 16384 };

struct wire {
	uint8_t p[WIRE_MAX];
	size_t n;
	size_t mark; /* offset of the last ^ */
	bool marked;
};

/* Spells text into w; stops the program if it is not as above. */
void wire_set(struct wire *w, const char *text);

/* The same behind what w holds. */
void wire_add(struct wire *w, const char *text);

struct op_view wire_view(const struct wire *w);

/* op_otlp_decode() of a copy that ends where the message ends, so that ASan
 * sees a byte read too far. m and err are set; on failure m is empty. */
int wire_decode(struct op_model *m, struct op_view in,
		const struct op_otlp_opts *opts, struct op_err *err);

/* The seven tables with only their zero rows, to be put in 2{ }. */
#define WIRE_ZERO_ROWS "1{} 2{} 3{} 4{} 5'' 6{} 7{} "

/* Text of a valid message of today's dialect, with rows that occur twice or
 * are not used. The same seed gives the same text. out holds n bytes. */
void wire_generate(char *out, size_t n, uint32_t seed);

#endif
