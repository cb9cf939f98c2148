// SPDX-License-Identifier: Apache-2.0
#include "fmt/jfr/chunk_header.h"

#include "test.h"

/* A header whose fields all differ. */
static const uint8_t good[OP_JFR_HEADER] = {
	'F', 'L', 'R', 0, 0, 2, 0, 1,  /* 0: magic, version */
	0,   0,	  0,   0, 0, 0, 2, 0,  /* 8: size */
	0,   0,	  0,   0, 0, 0, 1, 1,  /* 16: checkpoint */
	0,   0,	  0,   0, 0, 0, 1, 2,  /* 24: metadata */
	1,   2,	  3,   4, 5, 6, 7, 8,  /* 32: start */
	0,   0,	  0,   0, 0, 0, 0, 9,  /* 40: duration */
	0,   0,	  0,   0, 0, 0, 0, 10, /* 48: start in ticks */
	0,   0,	  0,   0, 0, 0, 0, 11, /* 56: ticks a second */
	0,   0,	  0,   1,	       /* 64: state, flags */
};

static int header_read(const uint8_t *p, size_t n, uint64_t at,
		       struct op_jfr_header *h, struct op_err *err)
{
	struct op_source file = op_source(op_view(p, n));

	*err = (struct op_err){ 0 };
	return op_jfr_header_read(&file, at, h, err);
}

TEST(fields)
{
	uint8_t file[OP_JFR_HEADER + 5] = { 0 };
	struct op_jfr_header h;
	struct op_err err;

	memcpy(file + 5, good, sizeof(good));
	CHECK_EQ(header_read(file, sizeof(file), 5, &h, &err), OP_OK);
	CHECK_EQ(h.at, 5);
	CHECK_EQ(h.major, 2);
	CHECK_EQ(h.minor, 1);
	CHECK_EQ(h.size, 0x200);
	CHECK_EQ(h.pools_at, 0x101);
	CHECK_EQ(h.meta_at, 0x102);
	CHECK_EQ(h.start_ns, 0x102030405060708);
	CHECK_EQ(h.duration_ns, 9);
	CHECK_EQ(h.start_ticks, 10);
	CHECK_EQ(h.ticks_per_s, 11);
	CHECK(h.packed);
}

/* Headers with one byte changed, and what is wrong with them then. */
TEST(refused)
{
	static const struct {
		size_t byte;
		uint8_t v;
		uint64_t at;
		const char *text;
	} rows[] = {
		{ 0, 'f', 0, "expected the start of a chunk" },
		{ 3, 1, 0, "expected the start of a chunk" },
		{ 5, 3, 0,
		  "a recording of version 3.1: "
		  "only 1.0 and 2.x are supported" },
		{ 4, 1, 0,
		  "a recording of version 258.1: "
		  "only 1.0 and 2.x are supported" },
		{ 63, 0, 56, "the clock frequency is 0" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		uint8_t bytes[OP_JFR_HEADER];
		struct op_jfr_header h;
		struct op_err err;

		memcpy(bytes, good, sizeof(bytes));
		bytes[rows[i].byte] = rows[i].v;
		CHECK_EQ(header_read(bytes, sizeof(bytes), 0, &h, &err),
			 OP_EFORMAT);
		CHECK_STR(err.text, rows[i].text);
		CHECK_EQ(err.at, rows[i].at);
	}
}

TEST(cut_off)
{
	struct op_jfr_header h;
	struct op_err err;

	for (size_t n = 0; n < sizeof(good); n++) {
		CHECK_EQ(header_read(good, n, 0, &h, &err), OP_EFORMAT);
		CHECK_STR(err.text, "truncated chunk header");
	}
}

/* Sizes have to lead into the chunk, and the chunk into the file. */
TEST(sizes)
{
	static const struct {
		uint64_t size, pools_at, meta_at, left;
		bool is_good;
	} rows[] = {
		{ 512, 68, 68, 512, true },
		{ 512, 511, 511, 600, true },
		{ 512, 68, 68, 511, false },
		{ 67, 68, 68, 512, false },
		{ 512, 67, 68, 512, false },
		{ 512, 512, 68, 512, false },
		{ 512, 68, 67, 512, false },
		{ 512, 68, 512, 512, false },
		{ 0, 68, 68, 512, false },
		{ 512, 0, 68, 512, false },
		{ UINT64_MAX, 68, 68, 512, false },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_jfr_header h = { .at = 100,
					   .size = rows[i].size,
					   .pools_at = rows[i].pools_at,
					   .meta_at = rows[i].meta_at };
		struct op_source file = { .n = 100 + rows[i].left };
		struct op_err err = { 0 };

		CHECK_EQ(op_jfr_header_check(&file, &h, &err),
			 rows[i].is_good ? OP_OK : OP_EFORMAT);
	}
}

/* Moments and lengths by the clock of a chunk. */
TEST(clock)
{
	struct op_jfr_header h = { .start_ns = 1000,
				   .start_ticks = 50,
				   .ticks_per_s = 500000000 };

	CHECK_EQ(op_jfr_time_ns(&h, 50), 1000);
	CHECK_EQ(op_jfr_time_ns(&h, 53), 1006);
	CHECK_EQ(op_jfr_time_ns(&h, 47), 994);
	CHECK_EQ(op_jfr_span_ns(&h, OP_JFR_TICKS, 7), 14);
	CHECK_EQ(op_jfr_span_ns(&h, OP_JFR_MILLIS, 7), 7000000);
	CHECK_EQ(op_jfr_span_ns(&h, OP_JFR_MILLIS, INT64_MAX), INT64_MAX);
	h.ticks_per_s = 1000000000;
	CHECK_EQ(op_jfr_time_ns(&h, 53), 1003);
}

TEST_MAIN(fields, refused, cut_off, sizes, clock)
