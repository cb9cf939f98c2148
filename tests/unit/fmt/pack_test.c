// SPDX-License-Identifier: Apache-2.0
#include "fmt/pack.h"

#include <stdlib.h>

#include "fmt/unpack.h"
#include "test.h"

static const enum op_pack_kind kinds[] = { OP_PACK_NONE, OP_PACK_GZIP,
					   OP_PACK_ZSTD, OP_PACK_LZ4 };
static const char *const names[] = { "none", "gzip", "zstd", "lz4" };

struct sink {
	struct op_sink sink;
	struct op_buf buf;
	size_t most;  /* bytes at once */
	size_t limit; /* fails beyond; 0: none */
};

static int sink_write(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	struct sink *s = (struct sink *)sink;

	s->most = v.n > s->most ? v.n : s->most;
	op_buf_view(&s->buf, v);
	if (s->limit && s->buf.n > s->limit)
		return op_fail(err, OP_EIO, "the disk is full");
	return err->code;
}

/* Bytes that pack a little. */
static struct op_view bytes(size_t n)
{
	static uint8_t p[20 << 20];
	uint32_t seed = 1;

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = (uint8_t)(seed >> 24 & 0x1f);
	}
	return op_view(p, n);
}

/* Packs v in pieces into s, whose buffer is the caller's to free. */
static int pack(struct sink *s, enum op_pack_kind kind, struct op_view v,
		size_t piece, struct op_err *err)
{
	struct op_pack p;

	s->sink.write = sink_write;
	s->buf.err = err;
	op_pack_open(&p, kind, &s->sink, err);
	while (v.n && !err->code) {
		size_t n = v.n < piece ? v.n : piece;

		p.sink.write(&p.sink, op_view(v.p, n), err);
		v = op_view(v.p + n, v.n - n);
	}
	return op_pack_close(&p, err);
}

static void round_trip(size_t i, size_t n, size_t piece)
{
	struct op_view v = bytes(n);
	struct op_err err = { 0 };
	struct op_buf back = { .err = &err };
	struct sink s = { 0 };
	struct op_view packed;

	CHECK_EQ(pack(&s, kinds[i], v, piece, &err), OP_OK);
	packed = op_view(s.buf.p, s.buf.n);
	if (kinds[i] == OP_PACK_NONE) {
		CHECK(op_view_eq(packed, v));
	} else {
		CHECK_STR(op_packing(packed), names[i]);
		CHECK_EQ(op_unpack(packed, &back), OP_OK);
		CHECK(op_view_eq(op_view(back.p, back.n), v));
		CHECK(s.most <= 9 << 20);
		if (n > 1000 && kinds[i] != OP_PACK_LZ4)
			CHECK(packed.n < n);
	}
	op_buf_free(&back);
	op_buf_free(&s.buf);
}

TEST(sizes)
{
	static const size_t sizes[] = {
		0,	1,	 1000,		262143,	  262144,
		262145, 8 << 20, (8 << 20) + 1, 20 << 20,
	};

	for (size_t i = 0; i < op_countof(kinds); i++)
		for (size_t k = 0; k < op_countof(sizes); k++)
			round_trip(i, sizes[k], SIZE_MAX);
}

TEST(pieces)
{
	static const size_t pieces[] = { 1, 1000, 65536, 300000 };

	for (size_t i = 0; i < op_countof(kinds); i++)
		for (size_t k = 0; k < op_countof(pieces); k++)
			round_trip(i, k ? 9 << 20 : 5000, pieces[k]);
}

TEST(full)
{
	for (size_t i = 0; i < op_countof(kinds); i++) {
		for (size_t limit = 1; limit < 1 << 20; limit *= 8) {
			struct op_err err = { 0 };
			struct sink s = { .limit = limit };

			CHECK_EQ(pack(&s, kinds[i], bytes(9 << 20), 1 << 20,
				      &err),
				 OP_EIO);
			op_buf_free(&s.buf);
		}
	}
}

TEST(oom)
{
	for (size_t i = 0; i < op_countof(kinds); i++) {
		EACH_ALLOC_FAILS(k) {
			struct op_err err = { 0 };
			struct sink s = { 0 };

			if (pack(&s, kinds[i], bytes(100000), 7000, &err))
				CHECK_EQ(err.code, OP_ENOMEM);
			op_buf_free(&s.buf);
		}
	}
}

TEST(by_name)
{
	for (size_t i = 0; i < op_countof(kinds); i++)
		CHECK_EQ(op_pack_named(names[i]), kinds[i]);
	CHECK_EQ(op_pack_named(""), OP_PACK_AUTO);
	CHECK_EQ(op_pack_named("gz"), OP_PACK_AUTO);
}

TEST(by_ending)
{
	static const struct {
		const char *file, *stem;
		enum op_pack_kind kind;
	} rows[] = {
		{ "a.otlp.gz", "a.otlp", OP_PACK_GZIP },
		{ "a.gz.zst", "a.gz", OP_PACK_ZSTD },
		{ "a.lz4", "a", OP_PACK_LZ4 },
		{ ".gz", "", OP_PACK_GZIP },
		{ "gz", "gz", OP_PACK_AUTO },
		{ "a.gz/b", "a.gz/b", OP_PACK_AUTO },
		{ "", "", OP_PACK_AUTO },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_view stem;

		CHECK_EQ(op_pack_by_ending(rows[i].file, &stem), rows[i].kind);
		CHECK(op_view_is(stem, rows[i].stem));
		CHECK_EQ(op_pack_by_ending(rows[i].file, NULL), rows[i].kind);
	}
}

TEST_MAIN(sizes, pieces, full, oom, by_name, by_ending)
