// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include "random.h"
#include "test.h"

static uint64_t state;

static uint64_t any(void)
{
	return random_next(&state);
}

static uint32_t below(uint32_t n)
{
	return random_below(&state, n);
}

struct reader {
	struct op_ids_end (*read)(const uint8_t *p, const uint8_t *end,
				  const uint8_t *words_end, uint32_t limit,
				  uint32_t *to);
};

/* One byte after the other: what the others have to give. */
static struct op_ids_end plain(const uint8_t *p, const uint8_t *end,
			       uint32_t limit, uint32_t *to)
{
	while (p < end) {
		struct op_varint r = op_varint_read(p, end);

		if (!r.p || r.v >= limit)
			break;
		*to++ = (uint32_t)r.v;
		p = r.p;
	}
	return (struct op_ids_end){ p, to };
}

/* The vector instructions as far as they get, then the rest. */
static struct op_ids_end vector_first(const uint8_t *p, const uint8_t *end,
				      const uint8_t *words_end, uint32_t limit,
				      uint32_t *to)
{
	struct op_ids_end at = op_ids_read_vector(p, end, words_end, limit, to);

	CHECK(at.p >= p && at.p <= end);
	return op_ids_read_portable(at.p, end, words_end, limit, at.to);
}

/* An input of its exact size, so that ASan sees each byte too far, with a run
 * in the middle. */
struct input {
	uint8_t *p;
	size_t before, n, after;
};

static void same(const struct input *in, uint32_t limit)
{
	static const struct reader readers[] = { { op_ids_read_portable },
						 { vector_first },
						 { op_ids_read } };
	size_t cap = in->n + OP_IDS_SPARE;
	uint32_t *want = op_heap_resize(NULL, cap * sizeof(*want), OP_IGNORED);
	uint32_t *got = op_heap_resize(NULL, cap * sizeof(*got), OP_IGNORED);
	struct op_err err = { 0 };
	struct op_cur c = op_cur(op_view(in->p, in->before + in->n + in->after),
				 &err);
	struct op_cur run = op_cur_sub(&c, op_view(in->p + in->before, in->n));
	struct op_ids_end end = plain(run.p, run.end, limit, want);
	size_t nr = (size_t)(end.to - want);

	for (size_t i = 0; i < op_countof(readers); i++) {
		struct op_ids_end mine = readers[i].read(
			run.p, run.end, run.words_end, limit, got);

		CHECK_EQ(mine.p - run.p, end.p - run.p);
		CHECK_EQ(mine.to - got, nr);
		CHECK(!memcmp(got, want, nr * sizeof(*got)));
	}
	op_heap_free(want);
	op_heap_free(got);
}

static struct input input(size_t before, size_t n, size_t after)
{
	struct input in = { NULL, before, n, after };

	in.p = op_heap_resize(NULL, before + n + after, OP_IGNORED);
	for (size_t i = 0; i < before + n + after; i++)
		in.p[i] = (uint8_t)any();
	return in;
}

/* Fills the run with numbers of up to most bytes, mostly of few. */
static void fill(struct input *in, uint32_t most, uint32_t longer_in)
{
	uint8_t *p = in->p + in->before, *end = p + in->n;

	while (p < end) {
		uint32_t n = 1 + below(2);

		if (!below(longer_in))
			n = 1 + below(most);
		for (; n > 1 && p < end - 1; n--)
			*p++ = (uint8_t)(any() | 0x80);
		*p++ = (uint8_t)(any() & 0x7f);
	}
}

/* Limits around each length, and those that are no limit. */
static const uint32_t limits[] = {
	1,	   0x7f,       0x80,	   0x81,       0x3ffe,	   0x3fff,
	0x4000,	   0x4001,     0x7fff,	   0x8000,     0x1fffff,   0x200000,
	0xfffffff, 0x10000000, 0x7fffffff, 0x80000000, 0xfffffffe, UINT32_MAX,
};

TEST(all_ways_agree)
{
	uint32_t rounds = OP_SLOW ? 20000 : 200000;

	state = 1;
	for (uint32_t i = 0; i < rounds && !test_failed; i++) {
		struct input in = input(below(3), below(below(20) ? 90 : 700),
					below(100));

		fill(&in, 1 + below(6), 1 + below(60));
		same(&in, limits[below(op_countof(limits))]);
		if (test_failed)
			fprintf(stderr, "  in round %u\n", i);
		op_heap_free(in.p);
	}
}

TEST(any_bytes)
{
	uint32_t rounds = OP_SLOW ? 5000 : 50000;

	state = 2;
	for (uint32_t i = 0; i < rounds && !test_failed; i++) {
		struct input in = input(below(3), below(200), below(100));

		same(&in, limits[below(op_countof(limits))]);
		op_heap_free(in.p);
	}
}

/* One long number, one cut or one too large at each place of a long run. */
TEST(one_odd_at_each_place)
{
	enum { BYTES = 200 };

	state = 3;
	for (size_t at = 0; at < BYTES; at++) {
		for (size_t length = 1; length < 12; length++) {
			struct input in = input(1, BYTES, at % 90);
			uint8_t *run = in.p + in.before;

			fill(&in, 2, 1);
			for (size_t i = at; i < at + length && i < BYTES; i++)
				run[i] |= 0x80;
			same(&in, 0x4000);
			same(&in, 0x10000000);
			same(&in, UINT32_MAX);
			op_heap_free(in.p);
		}
	}
}

/* A run of a message is part of it: what follows is never taken. */
TEST(run_lengths)
{
	state = 4;
	for (size_t n = 0; n < 300; n++) {
		struct input in = input(0, n, 128);

		fill(&in, 2, 1);
		if (n)
			in.p[n - 1] &= 0x7f;
		same(&in, 0x4000);
		same(&in, 0x1000);
		in.after = 0;
		same(&in, 0x4000);
		op_heap_free(in.p);
	}
}

/* No id is below a limit of zero. */
TEST(none_below_zero)
{
	static const uint8_t zeros[200];
	struct op_err err = { 0 };
	struct op_cur run = op_cur(op_view(zeros, sizeof(zeros)), &err);
	uint32_t ids[sizeof(zeros) + OP_IDS_SPARE];
	struct op_ids_end end;

	end = op_ids_read(run.p, run.end, run.words_end, 0, ids);
	CHECK(end.p == zeros && end.to == ids);
	end = op_ids_read(run.p, run.end, run.words_end, 1, ids);
	CHECK(end.p == run.end);
	CHECK_EQ(end.to - ids, sizeof(zeros));
}

TEST_MAIN(all_ways_agree, any_bytes, one_odd_at_each_place, run_lengths,
	  none_below_zero)
