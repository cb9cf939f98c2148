// SPDX-License-Identifier: Apache-2.0
/* Numbers that are told by their bytes. */
#include "fmt/jfr/key_cache.h"
#include "test.h"

/* A cursor on bytes with room behind them to be looked at. */
static struct op_cur cursor(const char *bytes, size_t n, uint8_t *room,
			    struct op_err *err)
{
	struct op_cur c;

	memset(room, 0x7f, 40);
	memcpy(room, bytes, n);
	c = op_cur(op_view(room, 40), err);
	c.end = room + n;
	return c;
}

TEST(keys)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t nr;
		size_t want; /* bytes of the key; 0: none */
	} rows[] = {
		{ "\1", 1, 1, 1 },
		{ "\0\0\0", 3, 3, 3 },
		{ "\1\2\3\4", 4, 3, 3 },
		{ "\x81\2\3", 3, 2, 3 },
		{ "\1\2\3\4\5\6\7\7", 8, 8, 8 },
		{ "\1\2\3\4\5\6\7\x88\1\2", 10, 9, 10 },
		/* One of eight bytes over the end of the first word. */
		{ "\1\x81\x82\x83\x84\x85\x86\x87\1\2", 10, 3, 10 },
		/* A ninth byte has no bit that says whether it ends. */
		{ "\x81\x82\x83\x84\x85\x86\x87\x88\1", 9, 1, 0 },
		{ "\1\x81\x82\x83\x84\x85\x86\x87\x88\x89\1", 11, 2, 0 },
		/* More than two words. */
		{ "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 17, 17, 0 },
		/* The last is not all there. */
		{ "\1\x82", 2, 2, 0 },
		{ "\1", 1, 2, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		uint8_t room[40], bytes[sizeof(struct op_jfr_key)] = { 0 };
		struct op_cur c = cursor(rows[i].bytes, rows[i].n, room, &err);
		struct op_jfr_key key;
		size_t n = 0;

		if (op_jfr_key(&c, rows[i].nr, &key, &n) != (rows[i].want > 0))
			TEST_FAIL("row %zu", i);
		if (!rows[i].want)
			continue;
		CHECK_EQ(n, rows[i].want);
		memcpy(bytes, rows[i].bytes, n);
		CHECK(!memcmp(bytes, &key, sizeof(key)));
	}
}

TEST(near_the_end_of_the_input)
{
	static const uint8_t bytes[16] = { 1, 2, 3 };
	struct op_jfr_key key;
	struct op_err err = { 0 };
	struct op_cur c;
	size_t n;

	for (size_t left = 0; left <= sizeof(bytes); left++) {
		c = op_cur(op_view(bytes, left), &err);
		CHECK_EQ(op_jfr_key(&c, 3, &key, &n), left == sizeof(bytes));
	}
}

static struct op_jfr_key key_of(uint64_t i)
{
	return (struct op_jfr_key){ { i % 7 * i, i } };
}

TEST(what_was_added_is_found)
{
	struct op_jfr_key_cache k = { 0 };
	struct op_arena mem = { .err = OP_IGNORED };
	struct op_jfr_key key = key_of(0);

	CHECK(!op_jfr_key_cache_find(&k, &key));
	for (uint32_t i = 0; i < 10000; i++) {
		key = key_of(i);
		CHECK(!op_jfr_key_cache_find(&k, &key));
		CHECK(op_jfr_key_cache_add(&k, &mem, &key, 3 * i));
	}
	CHECK_EQ(k.nr, 10000);
	for (uint32_t i = 0; i < 10000; i++) {
		key = key_of(i);
		CHECK_EQ(*op_jfr_key_cache_find(&k, &key), 3 * i);
	}
	op_arena_free(&mem);
}

TEST(as_large_as_another)
{
	struct op_jfr_key_cache k = { 0 }, other = { 0 }, none = { 0 };
	struct op_arena mem = { .err = OP_IGNORED };
	struct op_jfr_key key;

	CHECK(op_jfr_key_cache_begin(&other, &mem, &none));
	CHECK(!other.nr_slots);
	for (uint32_t i = 0; i < 1000; i++) {
		key = key_of(i);
		CHECK(op_jfr_key_cache_add(&k, &mem, &key, i));
	}
	CHECK(op_jfr_key_cache_begin(&other, &mem, &k));
	CHECK_EQ(other.nr_slots, k.nr_slots);
	for (uint32_t i = 0; i < 3000; i++) {
		key = key_of(i);
		CHECK(!op_jfr_key_cache_find(&other, &key));
		CHECK(op_jfr_key_cache_add(&other, &mem, &key, i));
	}
	key = key_of(2999);
	CHECK_EQ(*op_jfr_key_cache_find(&other, &key), 2999);
	op_arena_free(&mem);
}

/* Slots depend on random numbers of the process: nobody can choose keys that
 * all want the same. */
TEST(slots_cannot_be_chosen)
{
	struct op_hash_seed before = op_hash_seed;
	struct op_jfr_key key = key_of(12345);
	uint64_t hash = op_jfr_key_hash(&key);

	op_hash_seed.odd[0] ^= 2;
	CHECK(op_jfr_key_hash(&key) != hash);
	op_hash_seed = before;
	op_hash_seed.odd[1] ^= 2;
	CHECK(op_jfr_key_hash(&key) != hash);
	op_hash_seed = before;
	CHECK(op_jfr_key_hash(&key) == hash);
}

TEST(out_of_memory_leaves_it_whole)
{
	struct op_jfr_key_cache k = { 0 };
	struct op_arena mem = { .err = OP_IGNORED, .quota = 64 * 1024 };
	struct op_jfr_key key;
	uint32_t n = 0;

	for (;; n++) {
		key = key_of(n);
		if (!op_jfr_key_cache_add(&k, &mem, &key, n))
			break;
	}
	CHECK(n > 100);
	CHECK(!op_jfr_key_cache_find(&k, &key));
	for (uint32_t i = 0; i < n; i++) {
		key = key_of(i);
		CHECK_EQ(*op_jfr_key_cache_find(&k, &key), i);
	}
	op_arena_free(&mem);
}

TEST_MAIN(keys, near_the_end_of_the_input, what_was_added_is_found,
	  as_large_as_another, slots_cannot_be_chosen,
	  out_of_memory_leaves_it_whole)
