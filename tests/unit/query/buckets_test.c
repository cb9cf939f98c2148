// SPDX-License-Identifier: Apache-2.0
#include "query/buckets.h"

#include "random.h"
#include "test.h"

/* Numbers of all sizes, and those at the ends. */
static uint64_t any_size(uint64_t *seed)
{
	uint64_t x = random_next(seed) >> random_below(seed, 64);

	switch (random_below(seed, 8)) {
	case 0:
		return UINT64_MAX - (x & 3);
	case 1:
		return (uint64_t)1 << random_below(seed, 64);
	case 2:
		return ((uint64_t)1 << random_below(seed, 64)) - 1;
	default:
		return x;
	}
}

TEST(quotients_are_exact)
{
	uint64_t seed = 1;

	for (int i = 0; i < 200000; i++) {
		uint64_t d = any_size(&seed), x = any_size(&seed);
		uint64_t many;

		if (!d)
			d = 1;
		CHECK_EQ(op_quotient(x, d, UINT64_MAX / d), x / d);
		/* On both sides of a multiple. */
		if (__builtin_mul_overflow(x / d, d, &many))
			continue;
		CHECK_EQ(op_quotient(many, d, UINT64_MAX / d), many / d);
		many--;
		CHECK_EQ(op_quotient(many, d, UINT64_MAX / d), many / d);
	}
}

/* A bucket has the times from its beginning to that of the next. */
static void check_bucket(const struct op_buckets *b, uint32_t i)
{
	uint64_t from = op_bucket_begin(b, i), to = op_bucket_begin(b, i + 1);

	CHECK(from <= to);
	CHECK(from >= b->range.from && to <= b->range.to);
	if (from == to)
		return;
	CHECK_EQ(op_bucket_of(b, from), i);
	CHECK_EQ(op_bucket_of(b, to - 1), i);
	CHECK_EQ(op_bucket_length(b, i), to - from);
}

TEST(buckets_are_without_gaps)
{
	uint64_t seed = 2;

	for (int round = 0; round < 3000; round++) {
		uint64_t x = any_size(&seed), y = any_size(&seed);
		struct op_range r = { x < y ? x : y, x < y ? y : x };
		uint32_t columns = 1 + random_below(&seed, 60);
		uint32_t rows = 1 + random_below(&seed, 5);
		struct op_err err = { 0 };
		struct op_buckets b = { 0 };

		r.to += r.from == r.to && r.to < UINT64_MAX;
		if (r.from == r.to ||
		    op_buckets_init(&b, r, 0, columns, rows, &err)) {
			CHECK(r.from == r.to || err.code == OP_EUSAGE);
			continue;
		}
		CHECK(b.nr_columns <= columns);
		CHECK_EQ(op_bucket_begin(&b, 0), r.from);
		CHECK_EQ(op_bucket_begin(&b, b.nr), r.to);
		for (uint32_t i = 0; i < b.nr; i++)
			check_bucket(&b, i);
		CHECK_EQ(op_bucket_of(&b, r.to), OP_MAX_BUCKETS);
		if (r.from)
			CHECK_EQ(op_bucket_of(&b, r.from - 1), OP_MAX_BUCKETS);
	}
}

TEST(width_decides)
{
	struct op_range r = { 100, 351 };
	struct op_err err = { 0 };
	struct op_buckets b;

	CHECK_EQ(op_buckets_init(&b, r, 100, 7, 3, &err), OP_OK);
	CHECK_EQ(b.nr_columns, 3);
	CHECK_EQ(b.nr, 9);
	CHECK_EQ(op_bucket_begin(&b, 3), 200);
	CHECK_EQ(op_bucket_begin(&b, 4), 234);
	CHECK_EQ(op_bucket_begin(&b, 5), 267);
	CHECK_EQ(op_bucket_begin(&b, 7), 334);
	CHECK_EQ(op_bucket_begin(&b, 8), 351);
	CHECK_EQ(op_bucket_length(&b, 8), 0);
}

TEST(too_many)
{
	struct op_range r = { 0, (uint64_t)OP_MAX_BUCKETS * 10 };
	struct op_err err = { 0 };
	struct op_buckets b;

	CHECK_EQ(op_buckets_init(&b, r, 10, 0, 1, &err), OP_OK);
	CHECK_EQ(op_buckets_init(&b, r, 9, 0, 1, &err), OP_EUSAGE);
	CHECK_STR(err.text,
		  "the times span more than 4194304 buckets: choose a "
		  "longer one, or a range of time");
	err.code = OP_OK;
	r.to = UINT64_MAX;
	CHECK_EQ(op_buckets_init(&b, r, UINT64_MAX, 0, 2, &err), OP_EUSAGE);
	CHECK_STR(err.text, "a column is too long for its rows");
}

TEST_MAIN(quotients_are_exact, buckets_are_without_gaps, width_decides,
	  too_many)
