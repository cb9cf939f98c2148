// SPDX-License-Identifier: Apache-2.0
#include "fmt/unpack.h"

#include <libdeflate.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "test.h"

/* --- packers: append v, packed, to out --- */

static void pack_gzip(struct op_buf *out, struct op_view v)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t most = libdeflate_gzip_compress_bound(c, v.n);
	uint8_t *p = op_buf_add(out, most);
	size_t n = libdeflate_gzip_compress(c, v.p, v.n, p, most);

	CHECK(n != 0);
	out->n -= most - n;
	libdeflate_free_compressor(c);
}

static void pack_zstd(struct op_buf *out, struct op_view v)
{
	size_t most = ZSTD_compressBound(v.n);
	uint8_t *p = op_buf_add(out, most);
	size_t n = ZSTD_compress(p, most, v.p, v.n, 1);

	CHECK(!ZSTD_isError(n));
	out->n -= most - n;
}

static void pack_lz4(struct op_buf *out, struct op_view v)
{
	LZ4F_preferences_t prefs = {
		.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled,
	};
	size_t most = LZ4F_compressFrameBound(v.n, &prefs);
	uint8_t *p = op_buf_add(out, most);
	size_t n = LZ4F_compressFrame(p, most, v.p, v.n, &prefs);

	CHECK(!LZ4F_isError(n));
	out->n -= most - n;
}

static const struct packer {
	const char *name;
	void (*pack)(struct op_buf *out, struct op_view v);
} packers[] = {
	{ "gzip", pack_gzip },
	{ "zstd", pack_zstd },
	{ "lz4", pack_lz4 },
};

/* One input for a test, one output. */
struct pair {
	struct op_err err;
	struct op_buf in, out;
};

static void pair_init(struct pair *x, size_t limit)
{
	*x = (struct pair){ .out.limit = limit };
	x->in.err = x->out.err = &x->err;
}

static void pair_free(struct pair *x)
{
	op_buf_free(&x->in);
	op_buf_free(&x->out);
}

/* Unpacks a copy of the first n bytes of x->in that ends where they end. */
static int unpack(struct pair *x, size_t n)
{
	uint8_t *copy = malloc(n + !n);
	int code;

	if (n)
		memcpy(copy, x->in.p, n);
	x->out.n = 0;
	code = op_unpack(op_view(copy, n), &x->out);
	free(copy);
	return code;
}

/* n bytes that do not pack to nothing. */
static struct op_view bytes(size_t n)
{
	static uint8_t p[3 << 20];
	uint32_t seed = 1;

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = (uint8_t)(seed >> 24 & 0x1f);
	}
	return op_view(p, n);
}

static void round_trip(const struct packer *k, size_t n)
{
	struct op_view v = bytes(n);
	struct pair x;

	pair_init(&x, 0);
	k->pack(&x.in, v);
	CHECK_STR(op_packing(op_view(x.in.p, x.in.n)), k->name);
	CHECK_EQ(unpack(&x, x.in.n), OP_OK);
	CHECK(op_view_eq(op_view(x.out.p, x.out.n), v));
	pair_free(&x);
}

TEST(sizes)
{
	static const size_t sizes[] = { 0,	1,	 100,
					65536,	262143,	 262144,
					262145, 1 << 20, (1 << 20) + 1,
					3 << 20 };

	for (size_t k = 0; k < op_countof(packers); k++)
		for (size_t i = 0; i < op_countof(sizes); i++)
			round_trip(&packers[k], sizes[i]);
}

/* Members and frames behind one another are one. */
TEST(several_members)
{
	for (size_t k = 0; k < op_countof(packers); k++) {
		struct pair x;

		pair_init(&x, 0);
		packers[k].pack(&x.in, op_view_z("one "));
		packers[k].pack(&x.in, op_view_z(""));
		packers[k].pack(&x.in, op_view_z("two "));
		packers[k].pack(&x.in, op_view_z("three"));
		CHECK_EQ(unpack(&x, x.in.n), OP_OK);
		CHECK(op_view_is(op_view(x.out.p, x.out.n), "one two three"));
		pair_free(&x);
	}
}

/* A large member behind a small one: the guess from the last bytes is that of
 * another member. */
TEST(large_and_small_members)
{
	for (size_t k = 0; k < op_countof(packers); k++) {
		struct op_view v = bytes(2 << 20);
		struct pair x;

		pair_init(&x, 0);
		packers[k].pack(&x.in, v);
		packers[k].pack(&x.in, op_view_z("end"));
		CHECK_EQ(unpack(&x, x.in.n), OP_OK);
		CHECK_EQ(x.out.n, v.n + 3);
		pair_free(&x);
	}
}

/* Cut anywhere, packed data is refused, never taken in part. */
TEST(cut_anywhere)
{
	for (size_t k = 0; k < op_countof(packers); k++) {
		struct pair x;

		pair_init(&x, 0);
		packers[k].pack(&x.in, bytes(500));
		for (size_t n = 4; n < x.in.n; n++) {
			x.err = (struct op_err){ 0 };
			if (unpack(&x, n) != OP_EFORMAT)
				TEST_FAIL("%s cut at %zu: %d", packers[k].name,
					  n, x.err.code);
			CHECK(x.err.has_at && x.err.at <= n);
		}
		pair_free(&x);
	}
}

TEST(garbage_behind)
{
	for (size_t k = 0; k < op_countof(packers); k++) {
		struct pair x;
		size_t n;

		pair_init(&x, 0);
		packers[k].pack(&x.in, op_view_z("profile"));
		n = x.in.n;
		op_buf_z(&x.in, "this is not a member of anything");
		CHECK_EQ(unpack(&x, x.in.n), OP_EFORMAT);
		CHECK(x.err.at >= n);
		pair_free(&x);
	}
}

/* A bit that is wrong is found by the checksum, where there is one. */
TEST(broken_data)
{
	for (size_t k = 0; k < op_countof(packers); k++) {
		struct pair x;

		pair_init(&x, 0);
		packers[k].pack(&x.in, bytes(500));
		for (size_t i = 0; i < x.in.n; i++) {
			x.err = (struct op_err){ 0 };
			x.in.p[i] ^= 0x10;
			unpack(&x, x.in.n);
			CHECK(x.out.n <= 1 << 20);
			x.in.p[i] ^= 0x10;
		}
		x.err = (struct op_err){ 0 };
		x.in.p[x.in.n - 6] ^= 1;
		if (packers[k].pack != pack_zstd)
			CHECK_EQ(unpack(&x, x.in.n), OP_EFORMAT);
		pair_free(&x);
	}
}

/* 100 MB of zeros against a limit of 1 MB: no more than that is taken. */
TEST(bomb)
{
	enum { BOMB = 100 << 20, LIMIT = 1 << 20 };
	uint8_t *zeros = calloc(1, BOMB);

	for (size_t k = 0; k < op_countof(packers); k++) {
		struct pair x;

		pair_init(&x, LIMIT);
		packers[k].pack(&x.in, op_view(zeros, BOMB));
		CHECK_EQ(unpack(&x, x.in.n), OP_ELIMIT);
		CHECK(x.out.n <= LIMIT);
		CHECK(x.out.cap <= 4 * LIMIT);
		pair_free(&x);
	}
	free(zeros);
}

/* What is exactly as large as the limit is taken, one more byte is not. */
TEST(limit_is_exact)
{
	static const size_t limits[] = { 1, 100, 262144, 300000, 1 << 20 };

	for (size_t k = 0; k < op_countof(packers); k++) {
		for (size_t i = 0; i < op_countof(limits); i++) {
			struct op_view v = bytes(limits[i]);
			struct pair x;

			pair_init(&x, limits[i]);
			packers[k].pack(&x.in, v);
			if (unpack(&x, x.in.n) != OP_OK)
				TEST_FAIL("%s of %zu bytes: %d",
					  packers[k].name, v.n, x.err.code);
			CHECK_EQ(x.out.n, v.n);
			x.err = (struct op_err){ 0 };
			x.out.limit--;
			if (x.out.limit)
				CHECK_EQ(unpack(&x, x.in.n), OP_ELIMIT);
			pair_free(&x);
		}
	}
}

TEST(told_by_first_bytes)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *name;
	} rows[] = {
		{ "\x1f\x8b", 2, "gzip" },
		{ "\x1f", 1, NULL },
		{ "\x1f\x8c", 2, NULL },
		{ "\x28\xb5\x2f\xfd", 4, "zstd" },
		{ "\x28\xb5\x2f", 3, NULL },
		{ "\x04\x22\x4d\x18", 4, "lz4" },
		{ "\x04\x22\x4d\x19", 4, NULL },
		{ "", 0, NULL },
		{ "plain", 5, NULL },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_STR(op_packing(op_view(rows[i].bytes, rows[i].n)),
			  rows[i].name);
}

TEST(not_packed)
{
	struct pair x;

	pair_init(&x, 0);
	op_buf_z(&x.in, "plain");
	CHECK_EQ(unpack(&x, x.in.n), OP_EUSAGE);
	pair_free(&x);
}

/* --- messages packed one by one --- */

static void add_part(struct op_buf *out, const char *text)
{
	size_t from = out->n, n;

	op_buf_view(out, op_view("\0\0\0\0", 4));
	pack_zstd(out, op_view_z(text));
	n = out->n - from - 4;
	out->p[from + 3] = (uint8_t)n;
}

TEST(parts)
{
	struct pair x;

	pair_init(&x, 0);
	add_part(&x.in, "abc");
	add_part(&x.in, "");
	add_part(&x.in, "{}");
	CHECK_STR(op_packing(op_view(x.in.p, x.in.n)), "zstd, each message");
	CHECK_EQ(unpack(&x, x.in.n), OP_OK);
	CHECK(op_view_eq(op_view(x.out.p, x.out.n),
			 op_view("\0\0\0\3abc\0\0\0\0{}\n", 14)));
	/* Lengths that do not lead to the end are no such file. */
	for (size_t n = 1; n < x.in.n; n++)
		if (op_packing(op_view(x.in.p, n)))
			CHECK_EQ(unpack(&x, n), OP_OK);
	pair_free(&x);
}

TEST(broken_part)
{
	struct pair x;

	pair_init(&x, 0);
	add_part(&x.in, "abc");
	x.in.p[4 + 4] = 0xff; /* the frame's header */
	CHECK_EQ(unpack(&x, x.in.n), OP_EFORMAT);
	CHECK(x.err.has_at && x.err.at >= 4);
	pair_free(&x);
	pair_init(&x, 6);
	add_part(&x.in, "abc");
	CHECK_EQ(unpack(&x, x.in.n), OP_ELIMIT);
	pair_free(&x);
}

TEST(each_allocation_fails)
{
	for (size_t k = 0; k < op_countof(packers); k++) {
		struct pair x;

		pair_init(&x, 0);
		packers[k].pack(&x.in, bytes(1 << 20));
		EACH_ALLOC_FAILS(i) {
			op_buf_free(&x.out);
			x.out = (struct op_buf){ .err = &x.err };
			x.err = (struct op_err){ 0 };
			CHECK_EQ(unpack(&x, x.in.n),
				 op_alloc_failed() ? OP_ENOMEM : OP_OK);
		}
		pair_free(&x);
	}
}

TEST_MAIN(sizes, several_members, large_and_small_members, cut_anywhere,
	  garbage_behind, broken_data, bomb, limit_is_exact,
	  told_by_first_bytes, not_packed, parts, broken_part,
	  each_allocation_fails)
