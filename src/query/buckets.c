// SPDX-License-Identifier: Apache-2.0
/* query/buckets.c: cuts a range of time into buckets. */
#include "query/buckets.h"

int op_buckets_init(struct op_buckets *b, struct op_range range, uint64_t width,
		    uint32_t nr_columns, uint32_t nr_rows, struct op_err *err)
{
	uint64_t last = range.to - range.from - 1;

	if (!nr_rows)
		nr_rows = 1;
	if (!width)
		width = last / (nr_columns ? nr_columns : 1) + 1;
	if (last / width >= OP_MAX_BUCKETS / nr_rows)
		return op_fail(err, OP_EUSAGE,
			       "the times span more than %d buckets: choose a "
			       "longer one, or a range of time",
			       OP_MAX_BUCKETS);
	if (nr_rows > 1 && width > UINT64_MAX / nr_rows)
		return op_fail(err, OP_EUSAGE,
			       "a column is too long for its rows");
	b->range = range;
	b->width = width;
	b->inverse = UINT64_MAX / width;
	b->nr_rows = nr_rows;
	b->nr_columns = (uint32_t)(last / width) + 1;
	b->nr = b->nr_columns * nr_rows;
	return OP_OK;
}

/* Nothing overflows: a width times the rows is a number (op_buckets_init()). */
uint64_t op_bucket_row_begin(const struct op_buckets *b, uint32_t i)
{
	uint64_t column = i / b->nr_rows, row = i % b->nr_rows;
	uint64_t begin = b->range.from + column * b->width;
	uint64_t left = b->range.to - begin;
	uint64_t rows = (row * b->width + b->nr_rows - 1) / b->nr_rows;

	return begin + (rows < left ? rows : left);
}
