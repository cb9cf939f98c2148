// SPDX-License-Identifier: Apache-2.0
#include "base/intern.h"

#include "base/hash.h"
#include "test.h"

/* The table is an array of numbers; row i is what was put as i-th. */
static bool number_eq(const void *table, uint32_t id, const void *key)
{
	const uint64_t *rows = table;

	return rows[id] == *(const uint64_t *)key;
}

static uint64_t key_of(uint32_t i)
{
	return i * 0x9e3779b97f4a7c15u;
}

static uint32_t hash_of(uint64_t key)
{
	return op_hash32(&key, sizeof(key));
}

static uint32_t find(const struct op_intern *t, const uint64_t *rows,
		     uint64_t key)
{
	return op_intern_find(t, hash_of(key), number_eq, rows, &key);
}

/* Every row is found under its id, and what is no row is not found. What is
 * guessed has the hash. */
static bool all_found(const struct op_intern *t, const uint64_t *rows,
		      uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t hash = hash_of(key_of(i));
		uint32_t guess = op_intern_guess(t, hash);

		if (find(t, rows, key_of(i)) != i || guess >= nr ||
		    hash_of(rows[guess]) != hash)
			return false;
	}
	return t->nr == nr && find(t, rows, key_of(nr)) == OP_NO_ID;
}

static uint64_t *rows_new(struct op_arena *mem, uint32_t nr)
{
	uint64_t *rows = op_new(mem, uint64_t, nr);

	for (uint32_t i = 0; i < nr; i++)
		rows[i] = key_of(i);
	return rows;
}

TEST(empty_finds_nothing)
{
	struct op_intern t = { 0 };
	uint64_t rows[1] = { 0 };

	op_intern_hint(&t, 7);
	CHECK_EQ(op_intern_guess(&t, 7), OP_NO_ID);
	CHECK_EQ(find(&t, rows, 0), OP_NO_ID);
	CHECK_EQ(find(&t, NULL, 1), OP_NO_ID);
}

/* Ids survive every growth, and at most two thirds of the slots are taken. */
TEST(many_keys)
{
	enum { NR = 100000 };
	struct op_arena mem = { .err = OP_IGNORED }, side = mem;
	uint64_t *rows = rows_new(&side, NR);
	struct op_intern t = { 0 };
	uint32_t nr_slots = 0, grown = 0;

	for (uint32_t i = 0; i < NR; i++) {
		CHECK_EQ(find(&t, rows, rows[i]), OP_NO_ID);
		CHECK(op_intern_add(&t, &mem, hash_of(rows[i]), i));
		CHECK((uint64_t)t.nr * 3 <= (uint64_t)t.nr_slots * 2);
		if (t.nr_slots == nr_slots)
			continue;
		nr_slots = t.nr_slots;
		grown++;
		CHECK(all_found(&t, rows, i + 1));
	}
	CHECK(all_found(&t, rows, NR));
	CHECK(grown >= 10 && grown <= 20);
	op_arena_free(&mem);
	op_arena_free(&side);
}

/* What hashes alike is told apart by content, wherever the run of slots
 * begins: the last slot goes on at the first. */
TEST(same_hash)
{
	static const uint32_t hashes[] = { 0, 7, 15, 0x7fffffff, UINT32_MAX };
	enum { NR = 600 };

	for (size_t h = 0; h < op_countof(hashes); h++) {
		struct op_arena mem = { .err = OP_IGNORED };
		uint64_t *rows = rows_new(&mem, NR);
		struct op_intern t = { 0 };
		uint64_t other = key_of(NR);

		for (uint32_t i = 0; i < NR; i++)
			CHECK(op_intern_add(&t, &mem, hashes[h], i));
		for (uint32_t i = 0; i < NR; i++)
			CHECK_EQ(op_intern_find(&t, hashes[h], number_eq, rows,
						&rows[i]),
				 i);
		CHECK_EQ(op_intern_find(&t, hashes[h], number_eq, rows, &other),
			 OP_NO_ID);
		op_arena_free(&mem);
	}
}

/* Hashes that differ only above the mask share slots but not rows. */
TEST(same_slot)
{
	enum { NR = 200 };
	struct op_arena mem = { .err = OP_IGNORED };
	uint64_t *rows = rows_new(&mem, NR);
	struct op_intern t = { 0 };

	for (uint32_t i = 0; i < NR; i++)
		CHECK(op_intern_add(&t, &mem, i << 16 | 3, i));
	for (uint32_t i = 0; i < NR; i++) {
		CHECK_EQ(op_intern_find(&t, i << 16 | 3, number_eq, rows,
					&rows[i]),
			 i);
		CHECK_EQ(op_intern_find(&t, i << 16 | 4, number_eq, rows,
					&rows[i]),
			 OP_NO_ID);
	}
	op_arena_free(&mem);
}

/* The ids are the caller's: any order, gaps, the largest. */
TEST(any_id)
{
	static const uint32_t ids[] = { 5, 0, 3, 4 };
	struct op_arena mem = { .err = OP_IGNORED };
	uint64_t *rows = rows_new(&mem, 6);
	struct op_intern t = { 0 };

	for (size_t i = 0; i < op_countof(ids); i++)
		CHECK(op_intern_add(&t, &mem, hash_of(rows[ids[i]]), ids[i]));
	for (size_t i = 0; i < op_countof(ids); i++)
		CHECK_EQ(find(&t, rows, rows[ids[i]]), ids[i]);
	CHECK_EQ(find(&t, rows, rows[1]), OP_NO_ID);
	op_arena_free(&mem);
}

/* Adding what was reserved for takes no memory. */
TEST(reserve)
{
	static const uint32_t sizes[] = { 0, 1, 10, 11, 1000, 65536 };

	for (size_t s = 0; s < op_countof(sizes); s++) {
		struct op_arena mem = { .err = OP_IGNORED };
		uint64_t *rows = rows_new(&mem, sizes[s] + 1);
		struct op_intern t = { 0 };

		CHECK(op_intern_reserve(&t, &mem, sizes[s]));
		op_alloc_fail_at(1);
		for (uint32_t i = 0; i < sizes[s]; i++)
			CHECK(op_intern_add(&t, &mem, hash_of(rows[i]), i));
		CHECK(!op_alloc_failed());
		CHECK(op_intern_reserve(&t, &mem, sizes[s] / 2));
		CHECK(!op_alloc_failed());
		op_alloc_fail_at(0);
		CHECK(all_found(&t, rows, sizes[s]));
		op_arena_free(&mem);
	}
}

TEST(reserve_past_the_quota)
{
	struct op_arena mem = { .err = OP_IGNORED, .quota = 1 << 20 };
	struct op_intern t = { 0 }, was;
	uint64_t rows[1] = { key_of(0) };

	CHECK(op_intern_add(&t, &mem, hash_of(rows[0]), 0));
	was = t;
	CHECK(!op_intern_reserve(&t, &mem, 1000000));
	CHECK(!op_intern_reserve(&t, &mem, SIZE_MAX));
	CHECK(!memcmp(&was, &t, sizeof(t)));
	CHECK_EQ(find(&t, rows, rows[0]), 0);
	op_arena_free(&mem);
}

/* Growing gives the old slots back where the arena can take them. */
TEST(memory)
{
	struct op_arena mem = { .err = OP_IGNORED };
	struct op_intern t = { 0 };

	for (uint32_t i = 0; i < 1000000; i++)
		op_intern_add(&t, &mem, hash_of(key_of(i)), i);
	CHECK_EQ(t.nr_slots, 1u << 21);
	CHECK(mem.used < sizeof(struct op_slot) * ((size_t)t.nr_slots + 65536));
	op_arena_free(&mem);
}

/* An add that fails leaves the index as it was; the next one goes well. */
TEST(each_alloc_fails)
{
	enum { NR = 3000 };
	struct op_arena side = { .err = OP_IGNORED };
	uint64_t *rows = rows_new(&side, NR + 1);
	long rounds = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_arena mem = { .err = OP_IGNORED };
		struct op_intern t = { 0 };

		rounds = k;
		for (uint32_t i = 0; i < NR; i++) {
			struct op_intern was = t;
			uint32_t hash = hash_of(rows[i]);

			if (op_intern_add(&t, &mem, hash, i))
				continue;
			CHECK(op_alloc_failed());
			CHECK(!memcmp(&was, &t, sizeof(t)));
			CHECK(all_found(&t, rows, i));
			CHECK(op_intern_add(&t, &mem, hash, i));
		}
		CHECK(all_found(&t, rows, NR));
		op_arena_free(&mem);
	}
	CHECK(rounds > 8);
	op_arena_free(&side);
}

/* Rows come and go in any order: those that are there are found, those that
 * went are not, and the index stays small. Few hashes make long chains. */
TEST(remove_any)
{
	enum { NR = 300, ROUNDS = 20000 };
	struct op_arena mem = { .err = OP_IGNORED };
	uint64_t *rows = rows_new(&mem, NR);
	struct op_intern t = { 0 };
	bool is_there[NR] = { false };
	uint64_t random = 1;

	op_intern_remove(&t, 7, 7);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t i;

		random = random * 6364136223846793005u + 1442695040888963407u;
		i = (uint32_t)(random >> 33) % NR;
		if (is_there[i])
			op_intern_remove(&t, i % 50, i);
		else
			CHECK(op_intern_add(&t, &mem, i % 50, i));
		is_there[i] = !is_there[i];
		i = (uint32_t)(random >> 13) % NR;
		CHECK_EQ(op_intern_find(&t, i % 50, number_eq, rows, &rows[i]),
			 is_there[i] ? i : OP_NO_ID);
	}
	for (uint32_t i = 0; i < NR; i++)
		op_intern_remove(&t, i % 50, i);
	CHECK_EQ(t.nr, 0);
	CHECK_EQ(t.nr_slots, 512);
	op_arena_free(&mem);
}

TEST_MAIN(empty_finds_nothing, many_keys, same_hash, same_slot, any_id, reserve,
	  reserve_past_the_quota, memory, each_alloc_fails, remove_any)
