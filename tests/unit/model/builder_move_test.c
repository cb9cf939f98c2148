// SPDX-License-Identifier: Apache-2.0
/* Observations that become those of other samples. */
#include "unit/model/builder_fixture.h"

static uint32_t sample_of(struct build *x, uint32_t stack)
{
	return op_build_sample(&x->b, 0, (struct op_identity){ stack, 0, 0 });
}

/* Those of even times stay, later ones go to stack 9, and 7 is dropped. */
static uint32_t move(void *ctx, uint32_t sample, uint64_t time_ns)
{
	if (time_ns == 7)
		return OP_NO_ID;
	return time_ns % 2 ? sample_of(ctx, 9) : sample;
}

static uint32_t stay(void *ctx, uint32_t sample, uint64_t time_ns)
{
	(void)ctx;
	(void)time_ns;
	return sample;
}

static uint32_t drop(void *ctx, uint32_t sample, uint64_t time_ns)
{
	(void)ctx;
	(void)sample;
	(void)time_ns;
	return OP_NO_ID;
}

/* Samples of stacks 1, 2 and 3; the second has only what moves or goes. */
static void observe(struct build *x)
{
	static const struct {
		uint32_t stack;
		uint64_t time_ns;
	} rows[] = {
		{ 1, 2 }, { 2, 3 }, { 3, 4 }, { 2, 7 }, { 1, 5 }, { 3, 6 }
	};
	uint32_t like;

	begin_profile(x);
	like = op_build_profile_like(&x->b, 0, &no_profile);
	for (size_t i = 0; i < op_countof(rows); i++) {
		op_build_observe(&x->b, 0, sample_of(x, rows[i].stack), 1,
				 rows[i].time_ns);
		op_build_observe_like(&x->b, like,
				      (int64_t)rows[i].time_ns * 10);
	}
}

static void check_sample(const struct op_profile *p, uint32_t i, uint32_t stack,
			 uint64_t first, uint64_t second)
{
	uint64_t want[] = { first, second };
	uint32_t n = second ? 2 : 1;

	CHECK_EQ(p[0].stack[i], stack);
	CHECK_EQ(op_sample_times(&p[0], i).n, n);
	CHECK_EQ(op_sample_values(&p[1], i).n, n);
	for (uint32_t k = 0; k < n; k++) {
		CHECK_EQ(op_sample_times(&p[0], i).p[k], want[k]);
		CHECK_EQ(op_sample_values(&p[1], i).p[k], want[k] * 10);
	}
}

TEST(some_move)
{
	const struct op_profile *p;
	struct build x;

	observe(&x);
	CHECK(op_build_move(&x.b, 0, move, &x));
	/* Ids are new, and are found again. */
	CHECK_EQ(sample_of(&x, 1), 0);
	CHECK_EQ(sample_of(&x, 3), 1);
	CHECK_EQ(sample_of(&x, 9), 2);
	CHECK(!op_build_move(&x.b, 1, drop, &x));
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 3);
	check_sample(p, 0, 1, 2, 0);
	check_sample(p, 1, 3, 4, 6);
	/* Of the first sample, then of the second. */
	check_sample(p, 2, 9, 5, 3);
	op_model_free(&x.m);
}

TEST(none_moves)
{
	struct build x;

	observe(&x);
	CHECK(!op_build_move(&x.b, 0, stay, &x));
	CHECK_EQ(finish_profile(&x)->nr_samples, 3);
	op_model_free(&x.m);
}

TEST(values_move_along)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (uint32_t i = 1; i < 9; i++)
		op_build_observe(&x.b, 0, sample_of(&x, 1), i, i);
	CHECK(op_build_move(&x.b, 0, move, &x));
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 2);
	CHECK_EQ(op_sample_total(p, 0), 2 + 4 + 6 + 8);
	CHECK_EQ(op_sample_total(p, 1), 1 + 3 + 5);
	op_model_free(&x.m);
}

TEST(all_dropped)
{
	const struct op_profile *p;
	struct build x;

	observe(&x);
	CHECK(op_build_move(&x.b, 0, drop, &x));
	p = finish_profile(&x);
	CHECK_EQ(p[0].nr_samples, 0);
	CHECK_EQ(p[1].nr_samples, 0);
	op_model_free(&x.m);
}

/* Without times there is nothing to ask for. */
TEST(sums)
{
	struct build x;

	begin_profile(&x);
	CHECK(!op_build_move(&x.b, 0, drop, &x));
	op_build_add(&x.b, 0, sample_of(&x, 1), 5);
	CHECK(!op_build_move(&x.b, 0, drop, &x));
	CHECK_EQ(op_sample_total(finish_profile(&x), 0), 5);
	op_model_free(&x.m);
}

TEST(no_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model m = { 0 };
		struct build x = { 0 };

		x.m = m;
		op_builder_init(&x.b, &x.m, &err);
		op_build_resource(&x.b, &no_resource, NULL);
		op_build_scope(&x.b, 0, &no_scope, NULL);
		op_build_profile(&x.b, 0, &no_profile);
		for (uint32_t i = 0; i < 9; i++)
			op_build_observe(&x.b, 0, sample_of(&x, i), 1, i);
		op_build_move(&x.b, 0, move, &x);
		CHECK_EQ(op_builder_finish(&x.b),
			 op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_model_free(&x.m);
	}
}

TEST_MAIN(some_move, none_moves, values_move_along, all_dropped, sums,
	  no_memory)
