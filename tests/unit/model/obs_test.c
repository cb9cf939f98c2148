// SPDX-License-Identifier: Apache-2.0
#include "model/obs.h"

#include "random.h"
#include "test.h"

enum { SAMPLES = 37, MOST = 70000 };

static uint64_t numbers[MOST];

/* Times as recordings have them, too far apart for a piece, and any. */
static uint64_t time_of(int kind, uint64_t i)
{
	uint64_t state = i;

	switch (kind) {
	case 0:
		return 1700000000000000000u + i * 1000003;
	case 1: /* back and forth over the ends of what fits */
		return 1700000000000000000u +
		       (i % 3 ? OP_OBS_BIAS - 1 : (uint64_t)0) * (i % 7);
	case 2:
		return i & 1 ? UINT64_MAX : 0;
	default:
		return random_next(&state);
	}
}

/* Values of every length. */
static uint64_t value_of(int kind, uint64_t i)
{
	switch (kind) {
	case 0:
		return 1;
	case 1:
		return i * 12345;
	case 2:
		return i & 1 ? UINT64_MAX : 0;
	default:
		return (uint64_t)1 << i % 64;
	}
}

enum { KINDS = 4 };

struct lists {
	struct op_arena mem;
	struct op_obs times, values;
	uint32_t n[SAMPLES];
};

/* The k-th of a sample, whatever came before it. */
static uint64_t seed(uint32_t sample, uint32_t k)
{
	return (uint64_t)sample * 1000003 + k;
}

static bool add(struct lists *l, int kind, uint32_t sample)
{
	uint64_t at = seed(sample, l->n[sample]++);

	return op_obs_push_time(&l->times, &l->mem, sample,
				time_of(kind, at)) &&
	       op_obs_push_value(&l->values, &l->mem, sample,
				 value_of(kind, at));
}

/* Few for most, many for some, none for the last. */
static bool fill(struct lists *l, int kind, uint32_t n)
{
	uint64_t state = n;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t r = random_next(&state);
		uint32_t sample = r % 4 ? (uint32_t)(r >> 8) % 3 :
					  (uint32_t)(r >> 8) % (SAMPLES - 1);

		if (!add(l, kind, sample))
			return false;
	}
	return true;
}

static size_t times_wrong(const struct lists *l, int kind, uint32_t sample)
{
	size_t wrong = op_obs_count(&l->times, sample) != l->n[sample];

	op_obs_get_times(&l->times, sample, numbers);
	for (uint32_t k = 0; k < l->n[sample]; k++)
		wrong += numbers[k] != time_of(kind, seed(sample, k));
	return wrong;
}

static size_t values_wrong(const struct lists *l, int kind, uint32_t sample)
{
	size_t wrong = op_obs_count(&l->values, sample) != l->n[sample];
	struct op_obs_values one;
	size_t bytes = 0;

	op_obs_get_values(&l->values, sample, numbers);
	op_obs_values(&one, &l->values, sample);
	for (uint32_t k = 0; k < l->n[sample]; k++) {
		uint64_t want = value_of(kind, seed(sample, k));

		wrong += numbers[k] != want;
		wrong += op_obs_next_value(&one) != want;
		bytes += op_varint_size(want);
	}
	return wrong + (op_obs_value_bytes(&l->values, sample) != bytes);
}

static void check(const struct lists *l, int kind)
{
	size_t wrong = 0;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		op_obs_hint(&l->times, i);
		wrong += times_wrong(l, kind, i);
		wrong += values_wrong(l, kind, i);
	}
	CHECK_EQ(wrong, 0);
}

static const uint32_t sizes[] = { 0, 1, 2, 7, 100, 5000, 60000 };

TEST(numbers_come_back)
{
	for (size_t s = 0; s < op_countof(sizes); s++)
		for (int kind = 0; kind < KINDS; kind++) {
			struct lists l = { 0 };

			CHECK(fill(&l, kind, sizes[s]));
			check(&l, kind);
			op_obs_drop(&l.times, &l.mem);
			CHECK_EQ(op_obs_count(&l.times, 0), 0);
			op_arena_free(&l.mem);
		}
}

TEST(varints)
{
	uint8_t buf[OP_VARINT_MAX + 8];
	const uint8_t *p = buf;

	for (unsigned int bit = 0; bit < 64; bit++)
		for (int less = 0; less < 2; less++) {
			uint64_t v = ((uint64_t)1 << bit) - (uint64_t)less;

			CHECK_EQ(op_varint_put(buf, v), op_varint_size(v));
			p = buf;
			CHECK_EQ(op_varint_get(&p), v);
			CHECK_EQ((size_t)(p - buf), op_varint_size(v));
		}
	CHECK_EQ(op_varint_put(buf, UINT64_MAX), OP_VARINT_MAX);
	p = buf;
	CHECK(op_varint_get(&p) == UINT64_MAX);
}

/* What a map makes one has first what the first of them had. */
TEST(joined)
{
	uint32_t map[SAMPLES];

	for (uint32_t i = 0; i < SAMPLES; i++)
		map[i] = SAMPLES - 1 - i;
	for (size_t s = 0; s < op_countof(sizes); s++)
		for (size_t t = 0; t < op_countof(sizes); t++) {
			struct lists a = { 0 }, b = { 0 };
			uint32_t last = SAMPLES - 1, n;

			CHECK(fill(&a, 0, sizes[s]));
			CHECK(fill(&b, 0, sizes[t]));
			CHECK(op_obs_join_times(&a.times, &a.mem, &b.times,
						map));
			CHECK(op_obs_join_values(&a.values, &a.mem, &b.values,
						 map));
			n = b.n[0];
			CHECK_EQ(op_obs_count(&a.times, last), n);
			CHECK_EQ(op_obs_count(&a.values, last), n);
			op_obs_get_times(&a.times, last, numbers);
			for (uint32_t k = 0; k < n; k++)
				CHECK_EQ(numbers[k], time_of(0, seed(0, k)));
			/* And it grows on, behind them. */
			CHECK(op_obs_push_time(&a.times, &a.mem, last, 5));
			CHECK(op_obs_push_value(&a.values, &a.mem, last, 6));
			op_obs_get_times(&a.times, last, numbers);
			CHECK_EQ(numbers[n], 5);
			op_obs_get_values(&a.values, last, numbers);
			CHECK_EQ(numbers[n], 6);
			op_arena_free(&a.mem);
			op_arena_free(&b.mem);
		}
}

TEST(joined_to_one)
{
	static const uint32_t map[SAMPLES] = { 0 };
	struct lists a = { 0 }, b = { 0 };
	uint32_t n = 0, k = 0;

	CHECK(fill(&a, 0, 1000) && fill(&b, 3, 1000));
	CHECK(op_obs_join_times(&a.times, &a.mem, &b.times, map));
	CHECK(op_obs_join_values(&a.values, &a.mem, &b.values, map));
	for (uint32_t i = 0; i < SAMPLES; i++)
		n += b.n[i];
	CHECK_EQ(op_obs_count(&a.times, 0), a.n[0] + n);
	op_obs_get_times(&a.times, 0, numbers);
	for (; k < a.n[0]; k++)
		CHECK_EQ(numbers[k], time_of(0, seed(0, k)));
	for (uint32_t i = 0; i < SAMPLES; i++)
		for (uint32_t j = 0; j < b.n[i]; j++)
			CHECK(numbers[k++] == time_of(3, seed(i, j)));
	op_arena_free(&a.mem);
	op_arena_free(&b.mem);
}

TEST(padded)
{
	struct lists l = { 0 };

	CHECK(op_obs_pad(&l.values, &l.mem, 3, 0, 9));
	CHECK_EQ(op_obs_count(&l.values, 3), 0);
	CHECK(op_obs_push_value(&l.values, &l.mem, 3, 1));
	CHECK(op_obs_pad(&l.values, &l.mem, 3, 100, 9));
	CHECK_EQ(op_obs_count(&l.values, 3), 100);
	op_obs_get_values(&l.values, 3, numbers);
	CHECK_EQ(numbers[0], 1);
	CHECK_EQ(numbers[99], 9);
	op_arena_free(&l.mem);
}

/* A time takes little more than its five bytes, a small value its one. */
TEST(packed)
{
	enum { NR = 60000 };
	struct lists l = { 0 };

	for (uint32_t i = 0; i < NR; i++)
		CHECK(add(&l, 0, i % SAMPLES));
	CHECK(l.times.pool.n < NR * 7);
	CHECK(l.values.pool.n < NR * 2);
	op_arena_free(&l.mem);
}

TEST(each_allocation_fails)
{
	static const uint32_t map[SAMPLES] = { 1, 2, 3 };

	EACH_ALLOC_FAILS(k) {
		struct lists a = { .mem.err = OP_IGNORED };
		struct lists b = { .mem.err = OP_IGNORED };
		bool ok = fill(&a, 1, 5000) && fill(&b, 1, 5000) &&
			  op_obs_join_times(&a.times, &a.mem, &b.times, map) &&
			  op_obs_join_values(&a.values, &a.mem, &b.values, map);

		CHECK_EQ(ok, !op_alloc_failed());
		op_arena_free(&a.mem);
		op_arena_free(&b.mem);
	}
}

TEST_MAIN(numbers_come_back, varints, joined, joined_to_one, padded, packed,
	  each_allocation_fails)
