// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"

#include "test.h"

/* Objects keep what is in them while others come and go. */
TEST(contents_stay)
{
	enum { NR = 200, ROUNDS = 20000 };
	struct op_arena mem = { .err = OP_IGNORED };
	struct op_pool pool = { .mem = &mem };
	struct {
		uint8_t *p;
		size_t n;
		uint8_t fill;
	} o[NR] = { 0 };
	uint64_t random = 1;

	for (int round = 0; round < ROUNDS; round++) {
		size_t i, n;
		void *p;

		random = random * 6364136223846793005u + 1442695040888963407u;
		i = (random >> 33) % NR;
		n = (random >> 20) % 4096 << (random >> 60);
		for (size_t k = 0; k < o[i].n; k += 61)
			CHECK_EQ(o[i].p[k], o[i].fill);
		if (random >> 17 & 1) {
			op_pool_free(&pool, o[i].p, o[i].n);
			o[i].p = NULL;
			o[i].n = 0;
		}
		n = n > 300000 ? 300000 : n;
		p = op_pool_resize(&pool, o[i].p, o[i].n, n);
		CHECK(p);
		o[i].p = p;
		for (size_t k = 0; k < (n < o[i].n ? n : o[i].n); k += 61)
			CHECK_EQ(o[i].p[k], o[i].fill);
		o[i].n = n;
		o[i].fill = (uint8_t)round;
		memset(p, (uint8_t)round, n);
	}
	op_arena_free(&mem);
}

/* What was given back is used again: memory does not grow. */
TEST(memory_stays)
{
	struct op_arena mem = { .err = OP_IGNORED };
	struct op_pool pool = { .mem = &mem };
	size_t used = 0;

	for (int round = 0; round < 1000; round++) {
		void *a = op_pool_alloc(&pool, 1), *b;

		b = op_pool_alloc(&pool, 1000);
		CHECK(a && b && a != b);
		b = op_pool_resize(&pool, b, 1000, 200000);
		CHECK(b);
		op_pool_free(&pool, a, 1);
		op_pool_free(&pool, b, 200000);
		op_pool_free(&pool, NULL, 0);
		if (round == 1)
			used = mem.used;
	}
	CHECK_EQ(mem.used, used);
	op_arena_free(&mem);
}

TEST(room)
{
	CHECK_EQ(op_pool_room(0), 16);
	CHECK_EQ(op_pool_room(16), 16);
	CHECK_EQ(op_pool_room(17), 32);
	CHECK_EQ(op_pool_room(65537), 131072);
	CHECK_EQ(op_pool_room(131072), 131072);
	CHECK_EQ(op_pool_room(131073), 131073);
}

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct op_arena mem = { .err = OP_IGNORED };
		struct op_pool pool = { .mem = &mem };
		char *p = op_pool_alloc(&pool, 10), *more;

		if (p) {
			p[0] = 'x';
			more = op_pool_resize(&pool, p, 10, 1 << 20);
			CHECK_EQ((more ? more : p)[0], 'x');
		}
		op_arena_free(&mem);
	}
}

TEST_MAIN(contents_stay, memory_stays, room, each_alloc_fails)
