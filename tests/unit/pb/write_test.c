// SPDX-License-Identifier: Apache-2.0
#include "pb/write.h"

#include "base/arena.h"
#include "test.h"

#define BYTES(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

static void nothing(struct op_pbw *w)
{
	(void)w;
}

static void uint_one(struct op_pbw *w)
{
	op_pbw_uint(w, 1, 150);
}

static void uint_zero(struct op_pbw *w)
{
	op_pbw_uint(w, 1, 0);
}

static void uint_most(struct op_pbw *w)
{
	op_pbw_uint(w, 536870911, UINT64_MAX);
}

static void uint_negative(struct op_pbw *w)
{
	op_pbw_uint(w, 2, (uint64_t)-1);
}

static void bare_varint(struct op_pbw *w)
{
	op_pbw_varint(w, 0);
	op_pbw_varint(w, 300);
}

static void fixed(struct op_pbw *w)
{
	op_pbw_fixed64(w, 2, 0x8807060504030201);
}

static void fixed_zero(struct op_pbw *w)
{
	op_pbw_fixed64(w, 2, 0);
}

static void bytes(struct op_pbw *w)
{
	op_pbw_bytes(w, 3, op_view("\x00\xff", 2));
}

static void bytes_empty(struct op_pbw *w)
{
	op_pbw_bytes(w, 3, (struct op_view){ 0 });
}

static void string(struct op_pbw *w)
{
	op_pbw_string(w, 6, op_view_z("h\xc3\xa9"));
}

static void string_empty(struct op_pbw *w)
{
	op_pbw_string(w, 6, (struct op_view){ 0 });
}

static void string_bad(struct op_pbw *w)
{
	op_pbw_string(w, 6, op_view_z("a\xff"));
}

static void string_all_bad(struct op_pbw *w)
{
	op_pbw_string(w, 6, op_view_z("\xe2\x82\xed\xa0"));
}

static void raw(struct op_pbw *w)
{
	op_pbw_raw(w, op_view_z("cd"));
	op_pbw_raw(w, (struct op_view){ 0 });
	op_pbw_raw(w, op_view_z("ab"));
}

static void packed_u32(struct op_pbw *w)
{
	static const uint32_t v[] = { 3, 270, 86942, 0, UINT32_MAX };

	op_pbw_packed_u32(w, 6, v, op_countof(v));
}

static void packed_i64(struct op_pbw *w)
{
	static const int64_t v[] = { 1, -1, 0, INT64_MIN };

	op_pbw_packed_i64(w, 6, v, op_countof(v));
}

static void packed_fixed(struct op_pbw *w)
{
	static const uint64_t v[] = { 1, 0x0200000000000000 };

	op_pbw_packed_fixed64(w, 6, v, op_countof(v));
}

static void packed_empty(struct op_pbw *w)
{
	op_pbw_packed_u32(w, 6, NULL, 0);
	op_pbw_packed_i64(w, 6, NULL, 0);
	op_pbw_packed_fixed64(w, 6, NULL, 0);
}

/* Fields come out in the order of their numbers when written last first. */
static void last_first(struct op_pbw *w)
{
	op_pbw_string(w, 3, op_view_z("z"));
	op_pbw_uint(w, 2, 2);
	op_pbw_uint(w, 1, 1);
}

static void submessage(struct op_pbw *w)
{
	size_t outer, inner;

	op_pbw_uint(w, 4, 9);
	outer = op_pbw_mark(w);
	op_pbw_uint(w, 2, 7);
	inner = op_pbw_mark(w);
	op_pbw_uint(w, 1, 150);
	op_pbw_len(w, 1, inner);
	op_pbw_len(w, 3, outer);
}

static void submessage_empty(struct op_pbw *w)
{
	op_pbw_len(w, 3, op_pbw_mark(w));
	op_pbw_len_nonempty(w, 2, op_pbw_mark(w));
}

/* The canonical bytes of small messages; those with 150, 3, 270 and 86942 are
 * the examples of the protobuf encoding guide. */
static const struct {
	const char *name;
	void (*write)(struct op_pbw *w);
	struct op_view out;
} canonical[] = {
	{ "nothing", nothing, BYTES("") },
	{ "varint", uint_one, BYTES("\x08\x96\x01") },
	{ "zero is not written", uint_zero, BYTES("") },
	{ "largest number and value", uint_most,
	  BYTES("\xf8\xff\xff\xff\x0f"
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
	{ "negative takes ten bytes", uint_negative,
	  BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
	{ "varints without a tag", bare_varint, BYTES("\xac\x02\x00") },
	{ "eight bytes", fixed, BYTES("\x11\x01\x02\x03\x04\x05\x06\x07\x88") },
	{ "eight bytes of zero are not written", fixed_zero, BYTES("") },
	{ "bytes", bytes, BYTES("\x1a\x02\x00\xff") },
	{ "empty bytes are written", bytes_empty, BYTES("\x1a\x00") },
	{ "string", string, BYTES("\x32\x03h\xc3\xa9") },
	{ "empty string is written", string_empty, BYTES("\x32\x00") },
	{ "string made valid", string_bad,
	  BYTES("\x32\x04"
		"a\xef\xbf\xbd") },
	{ "string of bad parts", string_all_bad,
	  BYTES("\x32\x09\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") },
	{ "raw", raw, BYTES("abcd") },
	{ "packed 32 bits", packed_u32,
	  BYTES("\x32\x0c\x03\x8e\x02\x9e\xa7\x05\x00\xff\xff\xff\xff\x0f") },
	{ "packed 64 bits", packed_i64,
	  BYTES("\x32\x16\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"
		"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01") },
	{ "packed eight bytes", packed_fixed,
	  BYTES("\x32\x10\x01\x00\x00\x00\x00\x00\x00\x00"
		"\x00\x00\x00\x00\x00\x00\x00\x02") },
	{ "empty runs are not written", packed_empty, BYTES("") },
	{ "last first", last_first, BYTES("\x08\x01\x10\x02\x1a\x01z") },
	{ "submessages", submessage,
	  BYTES("\x1a\x07\x0a\x03\x08\x96\x01\x10\x07\x20\x09") },
	{ "empty submessage", submessage_empty, BYTES("\x1a\x00") },
};

TEST(canonical_bytes)
{
	for (size_t i = 0; i < op_countof(canonical); i++) {
		struct op_err err = { 0 };
		struct op_pbw w = { .err = &err };
		int before = test_failed;

		canonical[i].write(&w);
		CHECK_EQ(err.code, OP_OK);
		CHECK_EQ(op_pbw_mark(&w), canonical[i].out.n);
		CHECK(op_view_eq(op_pbw_result(&w), canonical[i].out));
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", canonical[i].name);
		op_pbw_free(&w);
	}
}

/* Every power of two and its neighbours come back as they went. */
TEST(varints_round_trip)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t power = (uint64_t)1 << bit;
		uint64_t v[] = { power - 1, power, power + 1, ~power };

		for (size_t i = 0; i < op_countof(v); i++) {
			struct op_err err = { 0 };
			struct op_pbw w = { .err = &err };
			struct op_pb_field f = { 0 };
			struct op_cur c;

			op_pbw_uint(&w, bit + 1, v[i]);
			c = op_cur(op_pbw_result(&w), &err);
			if (v[i]) {
				CHECK(op_pb_next(&c, &f));
				CHECK_EQ(f.num, bit + 1);
				CHECK(f.v == v[i]);
			}
			CHECK(!op_pb_next(&c, &f));
			CHECK_EQ(err.code, OP_OK);
			op_pbw_free(&w);
		}
	}
}

static int64_t nth(size_t i)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;

	return (int64_t)(x >> i % 64);
}

static void check_run(const struct op_pbw *w, uint64_t mask, size_t n)
{
	struct op_cur c = op_cur(op_pbw_result(w), w->err);
	struct op_pb_field f = { 0 };
	struct op_cur run;
	size_t i = 0;

	CHECK_EQ(op_pb_next(&c, &f), n != 0);
	if (n) {
		CHECK_EQ(op_pb_count(f.bytes), n);
		run = op_pb_sub(&c, &f);
		while (op_cur_more(&run) &&
		       op_cur_varint(&run) == ((uint64_t)nth(i) & mask))
			i++;
	}
	CHECK_EQ(i, n);
	CHECK(!op_pb_next(&c, &f));
	CHECK_EQ(w->err->code, OP_OK);
}

/* Runs are written in slices; their ends are not seen in the result. */
TEST(packed_round_trip)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 65, 127, 128, 129, 3000 };
	static uint32_t small[3000];
	static int64_t large[3000];

	for (size_t i = 0; i < op_countof(large); i++) {
		large[i] = nth(i);
		small[i] = (uint32_t)nth(i);
	}
	for (size_t i = 0; i < op_countof(sizes); i++) {
		struct op_err err = { 0 };
		struct op_pbw w = { .err = &err };

		op_pbw_packed_i64(&w, 1, large, sizes[i]);
		check_run(&w, UINT64_MAX, sizes[i]);
		op_pbw_free(&w);
		op_pbw_packed_u32(&w, 1, small, sizes[i]);
		check_run(&w, UINT32_MAX, sizes[i]);
		op_pbw_free(&w);
	}
}

/* Whatever is written when the buffer is full, what stands keeps standing:
 * fields of n bytes, numbered down, so that they read upwards. */
TEST(growth)
{
	static const size_t sizes[] = { 0, 1, 15, 100, 4076, 4077, 4096, 9999 };
	static uint8_t body[9999];

	memset(body, 'b', sizeof(body));
	for (size_t i = 0; i < op_countof(sizes); i++) {
		struct op_err err = { 0 };
		struct op_pbw w = { .err = &err };
		struct op_pb_field f;
		uint32_t num = 0;
		struct op_cur c;

		for (uint32_t k = 5000; k; k--)
			op_pbw_bytes(&w, k, op_view(body, sizes[i]));
		c = op_cur(op_pbw_result(&w), &err);
		while (op_pb_next(&c, &f) && f.num == num + 1 &&
		       op_view_eq(f.bytes, op_view(body, sizes[i])))
			num++;
		CHECK_EQ(num, 5000);
		CHECK_EQ(op_cur_left(&c), 0);
		CHECK((size_t)(w.end - w.start) <=
		      4 * (size_t)(w.end - w.p) + 4096);
		op_pbw_free(&w);
	}
}

/* Every primitive at every fill of the first buffer, so that each makes its
 * own room in time. */
TEST(growth_at_each_fill)
{
	static uint8_t body[4096];

	for (size_t fill = 3400; fill <= 4096; fill++) {
		for (size_t i = 0; i < op_countof(canonical); i++) {
			struct op_err err = { 0 };
			struct op_pbw w = { .err = &err };
			struct op_view out;

			op_pbw_raw(&w, op_view(body, fill));
			canonical[i].write(&w);
			out = op_pbw_result(&w);
			CHECK_EQ(out.n, canonical[i].out.n + fill);
			out.n -= fill;
			CHECK(op_view_eq(out, canonical[i].out));
			op_pbw_free(&w);
		}
	}
}

/* The limit is the most bytes of the result, exactly. */
TEST(limit)
{
	static uint8_t body[10000];
	static const struct {
		const char *name;
		size_t limit, first, second;
		int code;
	} rows[] = {
		{ "none", 0, 9000, 9000, OP_OK },
		{ "a small message under it", 10, 7, 0, OP_OK },
		{ "a small message up to it", 9, 7, 0, OP_OK },
		{ "a small message past it", 8, 7, 0, OP_ELIMIT },
		{ "two up to it", 18, 7, 7, OP_OK },
		{ "two past it", 17, 7, 7, OP_ELIMIT },
		{ "much up to it", 9003, 9000, 0, OP_OK },
		{ "much past it", 9002, 9000, 0, OP_ELIMIT },
		{ "much behind a little", 9000, 7, 9000, OP_ELIMIT },
		{ "a little behind much", 9003, 9000, 7, OP_ELIMIT },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_pbw w = { .limit = rows[i].limit, .err = &err };
		int before = test_failed;
		struct op_view out;

		op_pbw_bytes(&w, 1, op_view(body, rows[i].first));
		if (rows[i].second)
			op_pbw_bytes(&w, 1, op_view(body, rows[i].second));
		out = op_pbw_result(&w);
		CHECK_EQ(err.code, rows[i].code);
		CHECK_EQ(out.n == 0, rows[i].code != OP_OK);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_pbw_free(&w);
	}
}

/* Each message of the table under a limit of its size, and of one less. */
TEST(limit_of_each)
{
	for (size_t i = 0; i < op_countof(canonical); i++) {
		size_t n = canonical[i].out.n;

		for (size_t less = 0; less < 2 && less < n; less++) {
			struct op_err err = { 0 };
			struct op_pbw w = { .limit = n - less, .err = &err };
			int before = test_failed;

			canonical[i].write(&w);
			CHECK_EQ(op_pbw_result(&w).n, less ? 0 : n);
			CHECK_EQ(err.code, less ? OP_ELIMIT : OP_OK);
			if (test_failed != before)
				fprintf(stderr, "  in row '%s' of %zu\n",
					canonical[i].name, n - less);
			op_pbw_free(&w);
		}
	}
}

/* A limit is kept by what is written, not by the room that was asked for. */
TEST(limit_of_runs)
{
	static const uint32_t ones[1000] = { 0 };

	for (int more = 0; more < 2; more++) {
		struct op_err err = { 0 };
		struct op_pbw w = { .limit = 1003, .err = &err };

		op_pbw_packed_u32(&w, 1, ones, 1000);
		if (more)
			op_pbw_varint(&w, 1);
		CHECK_EQ(op_pbw_result(&w).n, more ? 0 : 1003);
		CHECK_EQ(err.code, more ? OP_ELIMIT : OP_OK);
		op_pbw_free(&w);
	}
}

/* After a failure everything may still be called and the result is empty. */
TEST(quiet_after_failure)
{
	static uint8_t body[5000];
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };

	op_pbw_uint(&w, 1, 1);
	op_fail(&err, OP_EUSAGE, "something else");
	for (size_t i = 0; i < op_countof(canonical); i++)
		canonical[i].write(&w);
	op_pbw_raw(&w, op_view(body, sizeof(body)));
	op_pbw_len(&w, 1, 0);
	CHECK_EQ(op_pbw_result(&w).n, 0);
	CHECK_EQ(err.code, OP_EUSAGE);
	op_pbw_free(&w);
}

TEST(free_and_again)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };

	op_pbw_free(&w);
	CHECK_EQ(op_pbw_result(&w).n, 0);
	op_pbw_uint(&w, 1, 1);
	op_pbw_free(&w);
	CHECK_EQ(op_pbw_mark(&w), 0);
	op_pbw_uint(&w, 1, 2);
	CHECK(op_view_eq(op_pbw_result(&w), op_view("\x08\x02", 2)));
	op_pbw_free(&w);
}

TEST(each_alloc_fails)
{
	static uint8_t body[5000];
	long rounds = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_pbw w = { .err = &err };

		rounds = k;
		for (int i = 0; i < 20; i++) {
			op_pbw_raw(&w, op_view(body, sizeof(body)));
			for (size_t c = 0; c < op_countof(canonical); c++)
				canonical[c].write(&w);
		}
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_EQ(op_pbw_result(&w).n == 0, op_alloc_failed());
		op_pbw_free(&w);
	}
	CHECK(rounds > 4);
}

TEST_MAIN(canonical_bytes, varints_round_trip, packed_round_trip, growth,
	  growth_at_each_fill, limit, limit_of_each, limit_of_runs,
	  quiet_after_failure, free_and_again, each_alloc_fails)
