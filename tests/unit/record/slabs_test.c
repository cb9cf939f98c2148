// SPDX-License-Identifier: Apache-2.0
#include "record/slabs.h"

#include "random.h"
#include "test.h"

static struct op_err err;
static struct op_slabs slabs;

static void begin(uint32_t max)
{
	err = (struct op_err){ 0 };
	CHECK_EQ(op_slabs_init(&slabs, NULL, (uint64_t)max * OP_BPF_SLAB, &err),
		 OP_OK);
}

/* --- against a list of what was given out --- */

enum { MOST = 200 };

struct piece {
	uint32_t place, bytes;
	uint8_t fill;
};

static uint32_t round_up(uint32_t bytes, uint32_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static bool overlaps(const struct piece *a, const struct piece *b)
{
	return a->place < b->place + round_up(b->bytes, OP_SLAB_UNIT) &&
	       b->place < a->place + round_up(a->bytes, OP_SLAB_UNIT);
}

/* Slabs in which something is. */
static uint32_t nr_slabs(const struct piece *list, uint32_t nr)
{
	static bool used[OP_BPF_MAX_SLABS];
	uint32_t n = 0;

	memset(used, 0, sizeof(used));
	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t s = list[i].place / OP_BPF_SLAB;
		     s <= (list[i].place + list[i].bytes - 1) / OP_BPF_SLAB;
		     s++)
			used[s] = true;
	for (uint32_t i = 0; i < OP_BPF_MAX_SLABS; i++)
		n += used[i];
	return n;
}

static bool is_whole(const struct piece *p)
{
	const uint8_t *at = op_slabs_at(&slabs, p->place);

	for (uint32_t i = 0; i < p->bytes; i++)
		if (at[i] != p->fill)
			return false;
	return true;
}

static bool list_add(struct piece *list, uint32_t nr, uint32_t bytes,
		     uint8_t fill)
{
	struct piece p = { op_slabs_alloc(&slabs, bytes), bytes, fill };

	if (!p.place)
		return false;
	CHECK_EQ(p.place % OP_SLAB_UNIT, 0);
	for (uint32_t i = 0; i < nr; i++)
		CHECK(!overlaps(&p, &list[i]));
	memset(op_slabs_at(&slabs, p.place), fill, bytes);
	list[nr] = p;
	return true;
}

/* Pieces of all sizes, contiguous over slabs, come and go and keep what is in
 * them. A slab exists while there is something in it. */
TEST(random_walk)
{
	static struct piece list[MOST];
	uint32_t nr = 0, refused = 0;
	uint64_t seed = 18;

	begin(64);
	for (uint32_t round = 0; round < 5000; round++) {
		if (nr < MOST && random_below(&seed, 100) < 55) {
			uint32_t most = random_below(&seed, 10) ?
						4 * OP_SLAB_UNIT :
						5 * OP_BPF_SLAB;
			bool added = list_add(list, nr,
					      1 + random_below(&seed, most),
					      (uint8_t)round);

			nr += added;
			refused += !added;
		} else if (nr) {
			uint32_t i = random_below(&seed, nr);

			CHECK(is_whole(&list[i]));
			op_slabs_free(&slabs, list[i].place, list[i].bytes);
			list[i] = list[--nr];
		}
		CHECK_EQ(slabs.nr, nr_slabs(list, nr));
		CHECK(slabs.nr <= 64);
	}
	CHECK(refused > 0);
	while (nr--) {
		CHECK(is_whole(&list[nr]));
		op_slabs_free(&slabs, list[nr].place, list[nr].bytes);
	}
	CHECK_EQ(slabs.nr, 0);
	op_slabs_fini(&slabs);
}

TEST(limit)
{
	uint32_t place;

	begin(2);
	CHECK_EQ(op_slabs_alloc(&slabs, 0), 0);
	CHECK_EQ(op_slabs_alloc(&slabs, 2 * OP_BPF_SLAB + 1), 0);
	CHECK_EQ(op_slabs_alloc(&slabs, UINT32_MAX), 0);
	CHECK_EQ(slabs.nr, 0);
	/* The first unit is never given out. */
	place = op_slabs_alloc(&slabs, 2 * OP_BPF_SLAB);
	CHECK_EQ(place, OP_BPF_SLAB);
	CHECK_EQ(slabs.nr, 2);
	CHECK_EQ(op_slabs_alloc(&slabs, 1), 0);
	op_slabs_free(&slabs, place, 2 * OP_BPF_SLAB);
	CHECK_EQ(slabs.nr, 0);
	CHECK_EQ(op_slabs_alloc(&slabs, 1), OP_SLAB_UNIT);
	op_slabs_fini(&slabs);
	op_slabs_fini(&slabs);
}

/* Room that is in no slab yet is not tried where there may be no more, if a
 * slab that exists has some. */
TEST(limit_with_gaps)
{
	uint32_t first, second;

	begin(1);
	first = op_slabs_alloc(&slabs, OP_BPF_SLAB - OP_SLAB_UNIT);
	slabs.max = 2;
	second = op_slabs_alloc(&slabs, 1);
	CHECK_EQ(second, OP_BPF_SLAB);
	op_slabs_free(&slabs, first, OP_BPF_SLAB - OP_SLAB_UNIT);
	slabs.max = 1;
	CHECK_EQ(op_slabs_alloc(&slabs, 1), OP_BPF_SLAB + OP_SLAB_UNIT);
	CHECK_EQ(slabs.nr, 1);
	op_slabs_fini(&slabs);
}

/* --- with maps --- */

static uint32_t mapped[8], nr_mapped, nr_dropped, refuse_at;

static bool map(void *ctx, uint32_t nr, void *at)
{
	(void)ctx;
	(void)at;
	if (nr == refuse_at)
		return false;
	mapped[nr_mapped++] = nr;
	return true;
}

static void drop(void *ctx, uint32_t nr)
{
	(void)ctx;
	(void)nr;
	nr_dropped++;
}

/* What was put into the maps for something that then did not fit is taken out
 * again. */
TEST(map_refuses)
{
	struct op_slab_maps maps = { map, drop, NULL };

	err = (struct op_err){ 0 };
	refuse_at = 2;
	CHECK_EQ(op_slabs_init(&slabs, &maps, 8 * OP_BPF_SLAB, &err), OP_OK);
	CHECK_EQ(op_slabs_alloc(&slabs, 3 * OP_BPF_SLAB), 0);
	CHECK_EQ(nr_mapped, 2);
	CHECK_EQ(nr_dropped, 2);
	CHECK_EQ(slabs.nr, 0);
	CHECK_EQ(op_slabs_alloc(&slabs, OP_BPF_SLAB), OP_SLAB_UNIT);
	CHECK_EQ(mapped[2], 0);
	CHECK_EQ(mapped[3], 1);
	op_slabs_fini(&slabs);
	CHECK_EQ(nr_dropped, 4);
}

TEST_MAIN(random_walk, limit, limit_with_gaps, map_refuses)
