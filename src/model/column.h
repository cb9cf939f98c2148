// SPDX-License-Identifier: Apache-2.0
/* model/column.h: a column of numbers that grows and is then read through.
 *
 * Numbers are packed block by block: what they have above the smallest of the
 * block, in as many bytes as the largest needs. Times of neighbours take four
 * bytes instead of eight, numbers that are all alike none.
 *
 *	block = { smallest 8 bytes, number - 1 2 bytes, width 1 byte,
 *		  numbers }
 */
#ifndef OP_MODEL_COLUMN_H
#define OP_MODEL_COLUMN_H

#include "base/vec.h"

enum { OP_COLUMN_BLOCK = 4096 };

/* All zero is an empty column. */
struct op_column {
	OP_VEC(uint64_t) fill;	/* of the block that is not full yet */
	OP_VEC(uint8_t) packed; /* blocks end to end, and eight bytes more */
	size_t n;
};

/* Makes room for one more; false if there is no memory. */
bool op_column_room(struct op_column *c, struct op_arena *mem);

op_inline bool op_column_push(struct op_column *c, struct op_arena *mem,
			      uint64_t v)
{
	if (op_unlikely(c->fill.n == c->fill.cap) && !op_column_room(c, mem))
		return false;
	c->fill.p[c->fill.n++] = v;
	c->n++;
	return true;
}

/* Many at once. */
bool op_column_push_all(struct op_column *c, struct op_arena *mem,
			const uint64_t *v, size_t n);

/* Appends another column, which stays as it is; each of its numbers is an
 * index into map, and what stands there is meant, unless map is NULL. */
bool op_column_append(struct op_column *c, struct op_arena *mem,
		      const struct op_column *from, const uint32_t *map);

/* Whether all numbers are v. */
bool op_column_is_all(const struct op_column *c, uint64_t v);

/* Forgets the numbers; the memory stays. */
void op_column_clear(struct op_column *c);

/* Gives the memory back. */
void op_column_drop(struct op_column *c, struct op_arena *mem);

/* The numbers from the first to the last:
 *	op_column_read(&r, c);
 *	for (size_t i = 0; i < c->n; i++)
 *		... op_column_next(&r) ...
 * Meanwhile the column must not change. */
struct op_column_reader {
	const struct op_column *c;
	size_t at;     /* of the next block */
	uint32_t i, n; /* in the block at hand */
	uint64_t block[OP_COLUMN_BLOCK];
};

void op_column_read(struct op_column_reader *r, const struct op_column *c);
void op_column_refill(struct op_column_reader *r);

op_inline uint64_t op_column_next(struct op_column_reader *r)
{
	if (op_unlikely(r->i == r->n))
		op_column_refill(r);
	return r->block[r->i++];
}

#endif
