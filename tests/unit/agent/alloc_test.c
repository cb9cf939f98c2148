// SPDX-License-Identifier: Apache-2.0
#include "agent/alloc.h"

#include <math.h>
#include <stdlib.h>

#include "agent/helper_heap.h"
#include "test.h"

static struct op_channel channel; /* without a map: stacks are empty */
static uint32_t bell;
/* The compiler does not know what it does. */
static char *(*volatile copy_text)(const char *) = strdup;

static const struct op_allocs_opts opts = { &channel, NULL, &bell };

TEST(logarithm)
{
	for (double x = 1; x > 1e-12; x *= 0.93)
		CHECK(fabs(op_alloc_ln(x) - log(x)) < 1e-5);
}

struct sums {
	double bytes, objects;
	uint64_t nr;
};

static void drain(struct sums *s)
{
	struct op_alloc *a;

	while ((a = op_alloc_next()) != NULL) {
		double weight = op_heap_weight(a->size);

		CHECK(a->id > 0);
		s->bytes += weight * (double)a->size;
		s->objects += weight;
		s->nr++;
		op_alloc_done(a);
	}
}

static uint64_t drain_frees(void)
{
	uint64_t ids[256], all = 0;
	uint32_t n;

	while ((n = op_allocs_freed(ids, op_countof(ids))) != 0)
		all += n;
	return all;
}

/* Allocations of the C library itself, by strdup(): those of this object are
 * left alone, since the hooks are in it. With so many samples the estimate is
 * within 12 % in all but one run of 10^9. */
static void estimate(size_t size, uint64_t nr)
{
	char *text = malloc(size);
	struct sums s = { 0 };
	uint64_t lost = op_allocs_lost();
	double wanted = (double)size * (double)nr;

	memset(text, 'x', size - 1);
	text[size - 1] = 0;
	for (uint64_t i = 0; i < nr; i++) {
		free(copy_text(text));
		if (i % 64 == 0)
			drain(&s);
	}
	drain(&s);
	free(text);
	CHECK_EQ(op_allocs_lost(), lost);
	CHECK(fabs(s.bytes - wanted) < 0.12 * wanted);
	CHECK(fabs(s.objects - (double)nr) < 0.12 * (double)nr);
}

TEST(sums_are_right)
{
	struct op_err err = { 0 };

	if (OP_SLOW)
		TEST_SKIP("strdup() is the sanitizer's");
	CHECK_EQ(op_allocs_open(&opts, &err), OP_OK);
	estimate(256, 3000000);
	estimate(100000, 15000);
	estimate(2 << 20, 3000);
	op_allocs_close();
	drain_frees();
}

/* What finds no room is counted, and the bell is rung before. */
TEST(full)
{
	enum { NR = 2 * OP_ALLOC_SLOTS, SIZE = 4 << 20 };
	struct op_err err = { 0 };
	struct sums s = { 0 };
	char *text;
	uint64_t lost = op_allocs_lost();
	uint32_t rung = bell;

	if (OP_SLOW)
		TEST_SKIP("strdup() is the sanitizer's");
	text = malloc(SIZE);
	memset(text, 'x', SIZE - 1);
	text[SIZE - 1] = 0;
	CHECK_EQ(op_allocs_open(&opts, &err), OP_OK);
	for (int i = 0; i < NR; i++)
		free(copy_text(text));
	op_allocs_close();
	drain(&s);
	CHECK_EQ(s.nr, OP_ALLOC_SLOTS);
	CHECK(op_allocs_lost() - lost >= NR - OP_ALLOC_SLOTS - 2);
	CHECK(bell != rung);
	CHECK(drain_frees() > 0);
	free(text);
}

/* After the end nothing is sampled. */
TEST(closed)
{
	struct sums s = { 0 };

	for (int i = 0; i < 100; i++)
		free(copy_text("a text"));
	drain(&s);
	CHECK_EQ(s.nr, 0);
	CHECK_EQ(drain_frees(), 0);
}

TEST_MAIN(logarithm, sums_are_right, full, closed)
