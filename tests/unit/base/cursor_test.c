// SPDX-License-Identifier: Apache-2.0
#include "base/cursor.h"

#include "test.h"

#define BYTES(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

/* Seven bits a byte, least first; the top bit says that more follows. */
static const struct varint_row {
	const char *name;
	struct op_view in;
	uint64_t v;
} varints[] = {
	{ "zero", BYTES("\x00"), 0 },
	{ "one", BYTES("\x01"), 1 },
	{ "largest of 1 byte", BYTES("\x7f"), 0x7f },
	{ "smallest of 2", BYTES("\x80\x01"), 0x80 },
	{ "largest of 2", BYTES("\xff\x7f"), 0x3fff },
	{ "smallest of 3", BYTES("\x80\x80\x01"), 0x4000 },
	{ "largest of 3", BYTES("\xff\xff\x7f"), 0x1fffff },
	{ "smallest of 4", BYTES("\x80\x80\x80\x01"), 0x200000 },
	{ "largest of 4", BYTES("\xff\xff\xff\x7f"), 0xfffffff },
	{ "smallest of 5", BYTES("\x80\x80\x80\x80\x01"), 0x10000000 },
	{ "32 bits", BYTES("\xff\xff\xff\xff\x0f"), UINT32_MAX },
	{ "largest of 5", BYTES("\xff\xff\xff\xff\x7f"), 0x7ffffffff },
	{ "smallest of 6", BYTES("\x80\x80\x80\x80\x80\x01"), 0x800000000 },
	{ "largest of 6", BYTES("\xff\xff\xff\xff\xff\x7f"), 0x3ffffffffff },
	{ "smallest of 7", BYTES("\x80\x80\x80\x80\x80\x80\x01"),
	  0x40000000000 },
	{ "largest of 7", BYTES("\xff\xff\xff\xff\xff\xff\x7f"),
	  0x1ffffffffffff },
	{ "smallest of 8", BYTES("\x80\x80\x80\x80\x80\x80\x80\x01"),
	  0x2000000000000 },
	{ "largest of 8", BYTES("\xff\xff\xff\xff\xff\xff\xff\x7f"),
	  0xffffffffffffff },
	{ "smallest of 9", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
	  0x100000000000000 },
	{ "largest of 9", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
	  0x7fffffffffffffff },
	{ "smallest of 10", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
	  0x8000000000000000 },
	{ "64 bits", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
	  UINT64_MAX },
	{ "zero in 2 bytes", BYTES("\x80\x00"), 0 },
	{ "zero in 10", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 0 },
	{ "one in 3", BYTES("\x81\x80\x00"), 1 },
};

TEST(varint_values)
{
	for (size_t i = 0; i < op_countof(varints); i++) {
		const struct varint_row *row = &varints[i];
		uint8_t longer[12] = { 0 };
		struct op_err err = { 0 };
		struct op_cur c = op_cur(row->in, &err);
		int before = test_failed;

		CHECK(op_cur_varint(&c) == row->v);
		CHECK_EQ(op_cur_left(&c), 0);
		/* The same with something behind it. */
		memcpy(longer, row->in.p, row->in.n);
		longer[row->in.n] = 0xff;
		c = op_cur(op_view(longer, row->in.n + 1), &err);
		CHECK(op_cur_varint(&c) == row->v);
		CHECK_EQ(op_cur_left(&c), 1);
		CHECK_EQ(err.code, OP_OK);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", row->name);
	}
}

/* The error is about the byte where the number begins. */
TEST(varint_cut_at_each_byte)
{
	for (size_t i = 0; i < op_countof(varints); i++) {
		for (size_t n = 0; n < varints[i].in.n; n++) {
			struct op_view in = { varints[i].in.p, n };
			struct op_err err = { 0 };
			struct op_cur c = op_cur(in, &err);
			int before = test_failed;

			CHECK_EQ(op_cur_varint(&c), 0);
			CHECK_EQ(err.code, OP_EFORMAT);
			CHECK(err.has_at);
			CHECK_EQ(err.at, 0);
			CHECK(!strcmp(err.text, "truncated number"));
			CHECK(!op_cur_more(&c));
			if (test_failed != before)
				fprintf(stderr, "  in row '%s' cut at %zu\n",
					varints[i].name, n);
		}
	}
}

TEST(varint_too_long)
{
	static const struct {
		const char *name;
		struct op_view in;
	} rows[] = {
		{ "10th byte is 2",
		  BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02") },
		{ "10th byte is 3",
		  BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03") },
		{ "10th byte is 0x7f",
		  BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f") },
		{ "10th byte goes on",
		  BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80") },
		{ "11 bytes",
		  BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01") },
		{ "11 bytes, the last is 0",
		  BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00") },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_cur c = op_cur(rows[i].in, &err);
		int before = test_failed;

		CHECK_EQ(op_cur_varint(&c), 0);
		CHECK_EQ(err.code, OP_EFORMAT);
		CHECK_EQ(err.at, 0);
		CHECK(!strcmp(err.text, "a number has more than 64 bits"));
		CHECK_EQ(op_cur_left(&c), 0);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

TEST(take)
{
	static const uint8_t in[5] = { 1, 2, 3, 4, 5 };
	static const struct {
		const char *name;
		uint64_t first, second;
		int code;
		uint64_t at;
	} rows[] = {
		{ "nothing", 0, 0, OP_OK, 0 },
		{ "all", 5, 0, OP_OK, 0 },
		{ "all in two", 2, 3, OP_OK, 0 },
		{ "one too many", 6, 0, OP_EFORMAT, 0 },
		{ "one too many behind others", 3, 3, OP_EFORMAT, 3 },
		{ "behind the end", 5, 1, OP_EFORMAT, 5 },
		{ "as many as there are numbers", 1, UINT64_MAX, OP_EFORMAT,
		  1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_cur c = op_cur(op_view(in, sizeof(in)), &err);
		struct op_view a = op_cur_take(&c, rows[i].first);
		struct op_view b = op_cur_take(&c, rows[i].second);
		int before = test_failed;

		CHECK_EQ(err.code, rows[i].code);
		CHECK_EQ(err.at, rows[i].at);
		if (!err.code) {
			CHECK(a.p == in && a.n == rows[i].first);
			CHECK(b.p == in + a.n && b.n == rows[i].second);
		} else {
			CHECK_EQ(b.n, 0);
			CHECK_EQ(op_cur_left(&c), 0);
		}
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

TEST(take_says_what_is_missing)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(op_view_z("abc"), &err);

	op_cur_take(&c, 7);
	CHECK(!strcmp(err.text, "7 bytes declared, but only 3 are left"));
}

/* Least byte first, of any width up to eight. */
TEST(little_endian)
{
	static const uint8_t in[] = { 0x01, 0x82, 0x03, 0x84,
				      0x05, 0x86, 0x07, 0x88 };
	static const uint64_t want[] = {
		0,
		0x01,
		0x8201,
		0x038201,
		0x84038201,
		0x0584038201,
		0x860584038201,
		0x07860584038201,
		0x8807860584038201,
	};

	for (unsigned int n = 0; n < op_countof(want); n++) {
		struct op_err err = { 0 };
		struct op_cur c = op_cur(op_view(in, sizeof(in)), &err);

		CHECK(op_cur_le(&c, n) == want[n]);
		CHECK_EQ(op_cur_left(&c), 8 - n);
		CHECK_EQ(err.code, OP_OK);
		if (!n)
			continue;
		c = op_cur(op_view(in, n - 1), &err);
		CHECK_EQ(op_cur_le(&c, n), 0);
		CHECK_EQ(err.code, OP_EFORMAT);
		CHECK_EQ(err.at, 0);
	}
}

/* An offset counts from the start of the whole input, however deep the
 * cursor that found the fault. */
TEST(offsets_are_absolute)
{
	static const uint8_t in[] = { 0, 0, 0, 0, 0, 0, 0x80, 0, 0 };
	struct op_view all = { in, sizeof(in) };
	struct op_err err = { 0 };
	struct op_cur c = op_cur(all, &err);
	struct op_cur sub, subsub;

	op_cur_take(&c, 2);
	sub = op_cur_sub(&c, op_cur_take(&c, 5));
	CHECK_EQ(op_cur_left(&sub), 5);
	CHECK_EQ(op_cur_varint(&sub), 0);
	subsub = op_cur_sub(&sub, op_cur_rest(&sub));
	op_cur_take(&subsub, 3);
	CHECK_EQ(op_cur_varint(&subsub), 0);
	CHECK_EQ(err.code, OP_EFORMAT);
	CHECK_EQ(err.at, 6);
	/* A part ends where it ends, not where the input does. */
	err = (struct op_err){ 0 };
	sub = op_cur_sub(&c, op_view(in + 4, 2));
	op_cur_take(&sub, 3);
	CHECK_EQ(err.at, 4);
}

/* After a failure a cursor gives zeros and keeps the first error; the other
 * cursors of the input have no more either. */
TEST(quiet_after_failure)
{
	static const uint8_t in[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	struct op_err err = { 0 };
	struct op_cur c = op_cur(op_view(in, sizeof(in)), &err);
	struct op_cur sub = op_cur_sub(&c, op_cur_take(&c, 4));

	CHECK(op_cur_more(&c) && op_cur_more(&sub));
	op_cur_take(&sub, 9);
	CHECK_EQ(err.at, 0);
	CHECK(!op_cur_more(&sub) && !op_cur_more(&c));
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(op_cur_varint(&sub), 0);
		CHECK_EQ(op_cur_le(&sub, 8), 0);
		CHECK_EQ(op_cur_take(&sub, 1).n, 0);
		CHECK_EQ(op_cur_rest(&sub).n, 0);
	}
	CHECK_EQ(err.at, 0);
	CHECK(!strcmp(err.text, "9 bytes declared, but only 4 are left"));
}

TEST(fail_at_a_place)
{
	static const uint8_t in[] = { 1, 2, 3, 4 };
	struct op_err err = { 0 };
	struct op_cur c = op_cur(op_view(in, sizeof(in)), &err);

	op_cur_take(&c, 1);
	CHECK_EQ(op_cur_fail(&c, in + 3, OP_ELIMIT, "row %d of %s", 9, "it"),
		 OP_ELIMIT);
	CHECK_EQ(err.at, 3);
	CHECK(!strcmp(err.text, "row 9 of it"));
	CHECK_EQ(op_cur_left(&c), 0);
}

/* The place may be told as the cursor's own. */
TEST(fail_where_it_stands)
{
	static const uint8_t in[] = { 1, 2, 3, 4 };
	struct op_err err = { 0 };
	struct op_cur c = op_cur(op_view(in, sizeof(in)), &err);

	op_cur_take(&c, 1);
	op_cur_fail(&c, c.p, OP_EFORMAT, "a bad byte");
	CHECK_EQ(err.at, 1);
}

TEST(empty_input)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur((struct op_view){ 0 }, &err);

	CHECK(!op_cur_more(&c));
	CHECK_EQ(op_cur_left(&c), 0);
	CHECK_EQ(op_cur_take(&c, 0).n, 0);
	CHECK_EQ(err.code, OP_OK);
	CHECK_EQ(op_cur_varint(&c), 0);
	CHECK_EQ(err.code, OP_EFORMAT);
	CHECK_EQ(err.at, 0);
}

TEST_MAIN(varint_values, varint_cut_at_each_byte, varint_too_long, take,
	  take_says_what_is_missing, little_endian, offsets_are_absolute,
	  quiet_after_failure, fail_at_a_place, fail_where_it_stands,
	  empty_input)
