// SPDX-License-Identifier: Apache-2.0
#include "agent/alloc.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/helper_heap.h"
#include "test.h"

static struct op_channel channel; /* without a map: stacks are empty */
static uint32_t bell;
/* The compiler does not know what it does. */
static char *(*volatile copy_text)(const char *) = strdup;
static FILE *(*volatile open_memory)(void *, size_t, const char *) = fmemopen;

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

/* A text whose copies all are sampled, and have the same address. */
static char *large_text(void)
{
	enum { SIZE = 33 << 20 };
	char *text = malloc(SIZE);

	memset(text, 'x', SIZE - 1);
	text[SIZE - 1] = 0;
	return text;
}

/* Whoever is told that a sample is freed has got that sample before. */
TEST(frees_come_after_samples)
{
	struct op_err err = { 0 };
	struct sums s = { 0 };
	char *text;

	if (OP_SLOW)
		TEST_SKIP("strdup() is the sanitizer's");
	text = large_text();
	CHECK_EQ(op_allocs_open(&opts, &err), OP_OK);
	CHECK(!op_alloc_next());
	free(copy_text(text));
	free(copy_text(text));
	op_allocs_close();
	CHECK_EQ(drain_frees(), 0);
	drain(&s);
	CHECK_EQ(s.nr, 2);
	CHECK_EQ(drain_frees(), 1);
	free(text);
}

/* A size that nobody can have does not keep what follows from being sampled. */
TEST(impossible_size)
{
	struct op_err err = { 0 };
	struct sums s = { 0 };
	char *text;

	if (OP_SLOW)
		TEST_SKIP("strdup() is the sanitizer's");
	text = large_text();
	CHECK_EQ(op_allocs_open(&opts, &err), OP_OK);
	CHECK(!open_memory(NULL, (size_t)3 << 62, "w"));
	free(copy_text(text));
	op_allocs_close();
	drain(&s);
	CHECK_EQ(s.nr, 1);
	drain_frees();
	free(text);
}

/* As in a forked child that starts the agent: what its parent has not taken is
 * not waited for. */
TEST(opened_again)
{
	struct op_err err = { 0 };
	struct sums s = { 0 };
	char *text;

	if (OP_SLOW)
		TEST_SKIP("strdup() is the sanitizer's");
	text = large_text();
	CHECK_EQ(op_allocs_open(&opts, &err), OP_OK);
	free(copy_text(text));
	free(copy_text(text));
	op_allocs_close();
	CHECK_EQ(op_allocs_open(&opts, &err), OP_OK);
	CHECK_EQ(op_allocs_lost(), 0);
	free(copy_text(text));
	free(copy_text(text));
	op_allocs_close();
	drain(&s);
	CHECK_EQ(s.nr, 2);
	CHECK_EQ(drain_frees(), 1);
	free(text);
}

static struct sums taken;

/* Takes samples when the bell is rung. */
static void *sampler(void *arg)
{
	uint32_t before = *(uint32_t *)arg;

	while (__atomic_load_n(&bell, __ATOMIC_ACQUIRE) == before)
		sched_yield();
	drain(&taken);
	drain_frees();
	return arg;
}

TEST(flush)
{
	struct op_err err = { 0 };
	uint32_t rung = bell;
	pthread_t t;
	char *text;

	if (OP_SLOW)
		TEST_SKIP("strdup() is the sanitizer's");
	text = large_text();
	CHECK_EQ(op_allocs_open(&opts, &err), OP_OK);
	op_allocs_flush();
	CHECK_EQ(bell, rung);
	free(copy_text(text));
	pthread_create(&t, NULL, sampler, &rung);
	op_allocs_flush();
	pthread_join(t, NULL);
	CHECK_EQ(taken.nr, 1);
	/* Nobody takes it: it is not waited for long. */
	free(copy_text(text));
	op_allocs_flush();
	op_allocs_close();
	drain(&taken);
	drain_frees();
	free(text);
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

TEST_MAIN(logarithm, sums_are_right, frees_come_after_samples, impossible_size,
	  opened_again, flush, full, closed)
