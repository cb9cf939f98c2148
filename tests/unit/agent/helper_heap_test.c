// SPDX-License-Identifier: Apache-2.0
#include "agent/helper_heap.h"

#include <math.h>

#include "agent/alloc.h"
#include "test.h"

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fabs(b);
}

/* Small ones stand for a distance of bytes, large ones for themselves. */
TEST(weights)
{
	const double mean = OP_ALLOC_MEAN;

	CHECK(is_near(op_heap_weight(OP_ALLOC_MEAN), 1 / (1 - exp(-1))));
	CHECK(fabs(op_heap_weight(64) * 64 - mean) < 64);
	CHECK(is_near(op_heap_weight(100 * (uint64_t)OP_ALLOC_MEAN), 1));
	CHECK(is_near(op_heap_weight(0), op_heap_weight(1)));
}

static struct op_channel_alloc alloc_of(uint64_t id, uint16_t nr)
{
	return (struct op_channel_alloc){ .id = id, .size = 64, .nr = nr };
}

TEST(adds_and_drops)
{
	enum { NR = 5000 };
	const uint64_t frames[] = { 1, 2, 3 };
	struct op_agent_heap heap = { 0 };
	struct op_err err = { 0 };

	for (uint64_t id = 1; id <= NR; id++) {
		struct op_channel_alloc a = alloc_of(id, 3);

		CHECK(op_agent_heap_add(&heap, &a, frames, &err));
	}
	CHECK_EQ(heap.nr, NR);
	/* In another order than they came; what is left is still found. */
	for (uint64_t id = 1; id <= NR; id += 2)
		op_agent_heap_drop(&heap, id);
	CHECK_EQ(heap.nr, NR / 2);
	for (uint64_t id = 1; id <= NR; id++)
		op_agent_heap_drop(&heap, id);
	CHECK_EQ(heap.nr, 0);
	op_agent_heap_fini(&heap);
}

/* A program may have overwritten what it sends. */
TEST(what_cannot_be)
{
	const uint64_t frames[] = { 1 };
	struct op_agent_heap heap = { 0 };
	struct op_channel_alloc a = alloc_of(0, 1);
	struct op_err err = { 0 };

	op_agent_heap_drop(&heap, 5);
	CHECK(!op_agent_heap_add(&heap, &a, frames, &err));
	a = alloc_of(9, 1);
	CHECK(op_agent_heap_add(&heap, &a, frames, &err));
	CHECK(op_agent_heap_add(&heap, &a, frames, &err));
	CHECK_EQ(heap.nr, 1);
	op_agent_heap_drop(&heap, 8);
	op_agent_heap_drop(&heap, 0);
	CHECK_EQ(heap.nr, 1);
	op_agent_heap_fini(&heap);
	CHECK_EQ(err.code, OP_OK);
}

TEST(no_memory)
{
	const uint64_t frames[] = { 1 };

	EACH_ALLOC_FAILS(k) {
		struct op_agent_heap heap = { 0 };
		struct op_channel_alloc a = alloc_of(1, 1);
		struct op_err err = { 0 };

		if (!op_agent_heap_add(&heap, &a, frames, &err))
			CHECK_EQ(err.code, OP_ENOMEM);
		op_agent_heap_fini(&heap);
	}
}

TEST_MAIN(weights, adds_and_drops, what_cannot_be, no_memory)
