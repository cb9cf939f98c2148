// SPDX-License-Identifier: Apache-2.0
#include "sym/name_cache.h"

#include "test.h"

static struct op_name_cache cache;
static struct op_sym_frame room[OP_LINES_MAX];

static struct op_name_key key_of(uint64_t i)
{
	return (struct op_name_key){ .id = op_name_id(op_view_z("binary")),
				     .address = i };
}

/* Of i: so many frames, with such names. */
static void put(uint64_t i)
{
	struct op_sym_frame f[OP_LINES_MAX] = { 0 };
	struct op_name_result r = { .lost = (uint32_t)i,
				    .nr = i % 5,
				    .frames = f };
	struct op_name_key key = key_of(i);
	char name[64];

	snprintf(name, sizeof(name), "function_%llu", (unsigned long long)i);
	for (size_t k = 0; k < r.nr; k++) {
		f[k].name = op_view_z(name);
		f[k].readable = op_view_first(op_view_z(name), k);
		f[k].file = op_view_z("file.c");
		f[k].line = (int64_t)(i + k);
		f[k].column = 3;
		f[k].function_line = -1;
	}
	op_name_cache_put(&cache, &key, &r);
}

static bool find(uint64_t i)
{
	struct op_name_key key = key_of(i);
	struct op_name_result r;
	char name[64];

	if (!op_name_cache_find(&cache, &key, room, &r))
		return false;
	snprintf(name, sizeof(name), "function_%llu", (unsigned long long)i);
	CHECK_EQ(r.nr, i % 5);
	CHECK_EQ(r.lost, i);
	for (size_t k = 0; k < r.nr; k++) {
		CHECK(op_view_is(room[k].name, name));
		CHECK_EQ(room[k].readable.n, k);
		CHECK(op_view_is(room[k].file, "file.c"));
		CHECK_EQ(room[k].dir.n, 0);
		CHECK_EQ(room[k].line, i + k);
		CHECK_EQ(room[k].column, 3);
		CHECK_EQ(room[k].function_line, -1);
	}
	return true;
}

TEST(found_again)
{
	op_name_cache_init(&cache, 1 << 20);
	for (uint64_t i = 0; i < 100; i++) {
		CHECK(!find(i));
		put(i);
		put(i);
	}
	for (uint64_t i = 0; i < 100; i++)
		CHECK(find(i));
	CHECK(!find(100));
	CHECK_EQ(cache.rows.n, 100);
	op_name_cache_fini(&cache);
}

/* Any part of the key tells rows apart. */
TEST(keys)
{
	struct op_name_key a = key_of(1), b;
	struct op_name_result r = { .why = 1 };

	op_name_cache_init(&cache, 1 << 20);
	op_name_cache_put(&cache, &a, &r);
	CHECK(op_name_cache_find(&cache, &a, room, &r) && r.why == 1);
	for (size_t i = 0; i < sizeof(a); i += 8) {
		uint8_t bytes[sizeof(b)];

		memcpy(bytes, &a, sizeof(a));
		bytes[i] ^= 1;
		memcpy(&b, bytes, sizeof(b));
		CHECK(!op_name_cache_find(&cache, &b, room, &r));
	}
	op_name_cache_fini(&cache);
}

/* It stays below its limit, and what is used stays in it. */
TEST(limit)
{
	op_name_cache_init(&cache, 200000);
	for (uint64_t i = 1; i < 50000; i++) {
		put(i);
		CHECK(find(i));
		if (i % 7 == 0)
			CHECK(find(7));
		if (i == 7)
			CHECK(find(7));
		CHECK(cache.bytes <= 200000);
		CHECK(cache.mem.used <= 2 * 200000 + 2 * OP_ARENA_BIG);
	}
	CHECK(find(49900));
	CHECK(!find(8));
	op_name_cache_fini(&cache);
}

/* With a limit of 0 nothing is kept; too large ones are not either. */
TEST(too_large)
{
	char name[1000];
	struct op_sym_frame f = { .name = op_view(name, sizeof(name)) };
	struct op_name_result r = { .nr = 1, .frames = &f };
	struct op_name_key key = key_of(1);

	memset(name, 'x', sizeof(name));
	for (size_t most = 0; most <= 4000; most += 2000) {
		op_name_cache_init(&cache, most);
		op_name_cache_put(&cache, &key, &r);
		CHECK(!op_name_cache_find(&cache, &key, room, &r));
		op_name_cache_fini(&cache);
	}
}

/* What took too long is tried again, but not at once. */
TEST(brief)
{
	struct op_name_result r = { .why = 9, .is_brief = true };
	struct op_name_key key = key_of(1);

	op_name_cache_init(&cache, 1 << 20);
	op_name_cache_begin(&cache);
	op_name_cache_put(&cache, &key, &r);
	for (int i = 0; i < 64; i++) {
		op_name_cache_begin(&cache);
		CHECK(op_name_cache_find(&cache, &key, room, &r));
	}
	op_name_cache_begin(&cache);
	CHECK(!op_name_cache_find(&cache, &key, room, &r));
	CHECK_EQ(cache.bytes, 0);
	op_name_cache_fini(&cache);
}

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		op_name_cache_init(&cache, 20000);
		for (uint64_t i = 1; i < 2000; i++) {
			put(i);
			find(i);
			find(i / 2);
		}
		op_name_cache_fini(&cache);
	}
}

TEST_MAIN(found_again, keys, limit, too_large, brief, each_alloc_fails)
