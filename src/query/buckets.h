// SPDX-License-Identifier: Apache-2.0
/* query/buckets.h: equal pieces of a range of time.
 *
 * A range has columns of one width, the last of which may be cut by its end. A
 * column has one or more rows, which differ by a nanosecond at most if its
 * width is not a multiple of them. Buckets are the rows of the first column,
 * then those of the second, and so on.
 *
 * Times are divided by a multiplication: with M = floor((2^64 - 1) / d), the
 * upper half of x * M is floor(x / d) or one less, for every x and d.
 */
#ifndef OP_QUERY_BUCKETS_H
#define OP_QUERY_BUCKETS_H

#include "base/err.h"
#include "model/interval.h"

enum { OP_MAX_BUCKETS = 1 << 22 };

struct op_buckets {
	struct op_range range;
	uint64_t width; /* of a column */
	uint64_t inverse;
	uint32_t nr_rows; /* of a column */
	uint32_t nr_columns;
	uint32_t nr; /* nr_columns * nr_rows */
};

/* width 0: as many columns as asked for, or fewer, since none is shorter than
 * a nanosecond. OP_EUSAGE: they are too many. range.from < range.to. */
int op_buckets_init(struct op_buckets *b, struct op_range range, uint64_t width,
		    uint32_t nr_columns, uint32_t nr_rows, struct op_err *err);

op_inline uint64_t op_quotient(uint64_t x, uint64_t d, uint64_t inverse)
{
	uint64_t q = (uint64_t)((unsigned __int128)x * inverse >> 64);

	return q + (x - q * d >= d);
}

/* The bucket of a time; OP_MAX_BUCKETS: it is not in the range. */
op_inline uint32_t op_bucket_of(const struct op_buckets *b, uint64_t time)
{
	uint64_t x = time - b->range.from, column, row;

	if (op_unlikely(x >= b->range.to - b->range.from))
		return OP_MAX_BUCKETS;
	column = op_quotient(x, b->width, b->inverse);
	if (b->nr_rows == 1)
		return (uint32_t)column;
	row = op_quotient((x - column * b->width) * b->nr_rows, b->width,
			  b->inverse);
	return (uint32_t)(column * b->nr_rows + row);
}

/* The same as the next, for every bucket that there is. */
uint64_t op_bucket_row_begin(const struct op_buckets *b, uint32_t i);

/* When a bucket begins; of the number behind the last, the end of the range. */
op_inline uint64_t op_bucket_begin(const struct op_buckets *b, uint32_t i)
{
	if (i >= b->nr)
		return b->range.to;
	return b->nr_rows == 1 ? b->range.from + i * b->width :
				 op_bucket_row_begin(b, i);
}

op_inline uint64_t op_bucket_length(const struct op_buckets *b, uint32_t i)
{
	return op_bucket_begin(b, i + 1) - op_bucket_begin(b, i);
}

#endif
