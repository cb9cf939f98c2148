// SPDX-License-Identifier: Apache-2.0
#include "pb/read.h"

#include "base/buf.h"
#include "test.h"

#define BYTES(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

/* A message as text, as in "1=150 4:616263". A varint is "num=v", eight bytes
 * are "num.v", four are "num,v" and what has a length is "num:" and hex. */
static void render(struct op_cur *c, struct op_buf *out)
{
	struct op_pb_field f;

	while (op_pb_next(c, &f)) {
		unsigned long long v = f.v;

		if (out->n)
			op_buf_byte(out, ' ');
		op_buf_printf(out, "%u", f.num);
		if (f.wire == OP_PB_LEN) {
			op_buf_byte(out, ':');
			op_buf_hex(out, f.bytes);
			continue;
		}
		op_buf_byte(out, "=.   ,"[f.wire]);
		op_buf_printf(out, "%llu", v);
	}
}

struct row {
	const char *name;
	struct op_view in;
	const char *text; /* the fields, up to the error */
	int code;
	uint64_t at;
	const char *why;
};

static void check_rows(const struct row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct op_err err = { 0 }, out_err = { 0 };
		struct op_buf out = { .err = &out_err };
		struct op_cur c = op_cur(rows[i].in, &err);
		int before = test_failed;

		render(&c, &out);
		CHECK(op_view_is(op_view(out.p, out.n), rows[i].text));
		CHECK_EQ(err.code, rows[i].code);
		CHECK_EQ(err.at, rows[i].at);
		CHECK_EQ(err.has_at, rows[i].code != OP_OK);
		CHECK(!strcmp(err.text, rows[i].why ? rows[i].why : ""));
		CHECK_EQ(op_cur_left(&c), 0);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %.*s, %s\n",
				rows[i].name, (int)out.n, (const char *)out.p,
				err.text);
		op_buf_free(&out);
	}
}

static const struct row good[] = {
	{ "no field", BYTES(""), "", 0, 0, 0 },
	{ "varint", BYTES("\x08\x96\x01"), "1=150", 0, 0, 0 },
	{ "varint of 10 bytes",
	  BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
	  "1=18446744073709551615", 0, 0, 0 },
	{ "eight bytes", BYTES("\x11\x01\x02\x00\x00\x00\x00\x00\x80"),
	  "2.9223372036854776321", 0, 0, 0 },
	{ "four bytes", BYTES("\x1d\xff\xff\xff\xff"), "3,4294967295", 0, 0,
	  0 },
	{ "bytes",
	  BYTES("\x22\x03"
		"abc"),
	  "4:616263", 0, 0, 0 },
	{ "no bytes", BYTES("\x22\x00"), "4:", 0, 0, 0 },
	{ "bytes up to the end", BYTES("\x22\x01\x00"), "4:00", 0, 0, 0 },
	{ "any order", BYTES("\x20\x01\x08\x02\x18\x03"), "4=1 1=2 3=3", 0, 0,
	  0 },
	{ "repeated", BYTES("\x08\x01\x08\x02\x08\x01"), "1=1 1=2 1=1", 0, 0,
	  0 },
	{ "one number, two wire types", BYTES("\x08\x01\x0a\x01\x02"),
	  "1=1 1:02", 0, 0, 0 },
	{ "largest number of a one-byte tag", BYTES("\x78\x01"), "15=1", 0, 0,
	  0 },
	{ "smallest number of a two-byte tag", BYTES("\x80\x01\x01"), "16=1", 0,
	  0, 0 },
	{ "largest number of all", BYTES("\xf8\xff\xff\xff\x0f\x01"),
	  "536870911=1", 0, 0, 0 },
	{ "largest number with bytes", BYTES("\xfa\xff\xff\xff\x0f\x01\x07"),
	  "536870911:07", 0, 0, 0 },
	{ "tag in more bytes than it needs", BYTES("\x88\x80\x00\x05"), "1=5",
	  0, 0, 0 },
	{ "tag in 10 bytes",
	  BYTES("\x88\x80\x80\x80\x80\x80\x80\x80\x80\x00\x05"), "1=5", 0, 0,
	  0 },
	{ "length in more bytes than it needs", BYTES("\x22\x81\x80\x00\x07"),
	  "4:07", 0, 0, 0 },
};

TEST(fields)
{
	check_rows(good, op_countof(good));
}

#define CUT "truncated number"
#define LONG "a number has more than 64 bits"

static const struct row bad[] = {
	{ "number 0", BYTES("\x00\x01"), "", OP_EFORMAT, 0,
	  "invalid field number 0" },
	{ "number 0 with a length", BYTES("\x02\x00"), "", OP_EFORMAT, 0,
	  "invalid field number 0" },
	{ "number 0 as a group", BYTES("\x03"), "", OP_EFORMAT, 0,
	  "invalid field number 0" },
	{ "number 0 of wire type 7", BYTES("\x07"), "", OP_EFORMAT, 0,
	  "invalid field number 0" },
	{ "number one too large", BYTES("\x80\x80\x80\x80\x10\x01"), "",
	  OP_EFORMAT, 0, "invalid field number 536870912" },
	{ "number whose low 32 bits are fine",
	  BYTES("\x88\x80\x80\x80\x20\x01"), "", OP_EFORMAT, 0,
	  "invalid field number 1073741825" },
	{ "number of 61 bits",
	  BYTES("\xf8\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"), "", OP_EFORMAT,
	  0, "invalid field number 2305843009213693951" },
	{ "group begins", BYTES("\x0b\x0c"), "", OP_EFORMAT, 0,
	  "field 1 is a group, which is not supported" },
	{ "group ends", BYTES("\x14"), "", OP_EFORMAT, 0,
	  "field 2 is a group, which is not supported" },
	{ "wire type 6", BYTES("\x0e"), "", OP_EFORMAT, 0,
	  "field 1 has invalid wire type 6" },
	{ "wire type 7", BYTES("\x0f"), "", OP_EFORMAT, 0,
	  "field 1 has invalid wire type 7" },
	{ "bad tag behind good fields", BYTES("\x08\x01\x10\x02\x0b\x08\x01"),
	  "1=1 2=2", OP_EFORMAT, 4,
	  "field 1 is a group, which is not supported" },
	{ "tag cut", BYTES("\x88"), "", OP_EFORMAT, 0, CUT },
	{ "second tag cut", BYTES("\x08\x01\x88\x80"), "1=1", OP_EFORMAT, 2,
	  CUT },
	{ "tag of 11 bytes",
	  BYTES("\x88\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), "", OP_EFORMAT,
	  0, LONG },
	{ "tag without a value", BYTES("\x08"), "", OP_EFORMAT, 1, CUT },
	{ "value cut", BYTES("\x08\x80"), "", OP_EFORMAT, 1, CUT },
	{ "value of 65 bits",
	  BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "", OP_EFORMAT,
	  1, LONG },
	{ "value of 11 bytes",
	  BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), "",
	  OP_EFORMAT, 1, LONG },
	{ "eight bytes cut", BYTES("\x11\x01\x02\x03\x04\x05\x06\x07"), "",
	  OP_EFORMAT, 1, "8 bytes declared, but only 7 are left" },
	{ "four bytes cut", BYTES("\x1d\x01\x02\x03"), "", OP_EFORMAT, 1,
	  "4 bytes declared, but only 3 are left" },
	{ "no length", BYTES("\x22"), "", OP_EFORMAT, 1, CUT },
	{ "length cut", BYTES("\x22\x80"), "", OP_EFORMAT, 1, CUT },
	{ "length one past the end", BYTES("\x22\x03\x01\x02"), "", OP_EFORMAT,
	  2, "3 bytes declared, but only 2 are left" },
	{ "length of 64 bits",
	  BYTES("\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"), "",
	  OP_EFORMAT, 11,
	  "18446744073709551615 bytes declared, but only 1 are left" },
	{ "length past the end behind good fields",
	  BYTES("\x08\x01\x22\x02\x01"), "1=1", OP_EFORMAT, 4,
	  "2 bytes declared, but only 1 are left" },
};

TEST(refused)
{
	check_rows(bad, op_countof(bad));
}

/* A message cut at any byte is an error or ends behind a whole field. */
TEST(cut_at_each_byte)
{
	static const struct op_view in = BYTES(
		"\x08\x96\x01\x11\x01\x02\x03\x04\x05\x06\x07\x08\x1d"
		"\x01\x02\x03\x04\x22\x03xyz");
	static const size_t ends[] = { 0, 3, 12, 17, 22 };

	for (size_t n = 0; n <= in.n; n++) {
		struct op_err err = { 0 };
		struct op_cur c = op_cur(op_view(in.p, n), &err);
		struct op_pb_field f;
		size_t nr = 0;

		while (op_pb_next(&c, &f))
			nr++;
		CHECK_EQ(err.code, n == ends[nr] ? OP_OK : OP_EFORMAT);
		CHECK(ends[nr] <= n);
		CHECK(nr == op_countof(ends) - 1 || n < ends[nr + 1]);
	}
}

/* What a reader does not know it skips by doing nothing. */
TEST(unknown_is_skipped)
{
	static const struct op_view in = BYTES(
		"\x50\x07\x09\x01\x02\x03\x04\x05\x06\x07\x08\xa2\x06\x02"
		"zz\x10\x2a\xcd\x3e\x01\x02\x03\x04");
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;
	uint64_t known = 0;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(2, OP_PB_VARINT))
			known = f.v;
	CHECK_EQ(err.code, OP_OK);
	CHECK_EQ(known, 42);
}

/* The value as it stands in the input is that of any field. */
TEST(value_bytes)
{
	static const struct op_view in = BYTES(
		"\x08\x96\x01\x11\x01\x02\x03\x04\x05\x06\x07\x08\x1d"
		"\x01\x02\x03\x04\x22\x03xyz");
	static const struct {
		size_t at, n;
	} want[] = { { 1, 2 }, { 4, 8 }, { 13, 4 }, { 19, 3 } };
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f = { 0 };

	for (size_t i = 0; i < op_countof(want); i++) {
		CHECK(op_pb_next(&c, &f));
		CHECK_EQ(f.bytes.p - in.p, want[i].at);
		CHECK_EQ(f.bytes.n, want[i].n);
	}
	CHECK(!op_pb_next(&c, &f));
}

static uint64_t sum_of(struct op_view in, uint64_t *nr)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;
	uint64_t sum = 0;

	*nr = 0;
	while (op_pb_next(&c, &f)) {
		struct op_cur run = op_pb_sub(&c, &f);

		for (; op_cur_more(&run); ++*nr)
			sum += op_cur_varint(&run);
	}
	CHECK_EQ(err.code, OP_OK);
	return sum;
}

/* One loop reads a repeated number however it is written. */
TEST(unpacked_is_a_run_of_one)
{
	static const struct {
		const char *name;
		struct op_view in;
		uint64_t nr, sum;
	} rows[] = {
		{ "none", BYTES(""), 0, 0 },
		{ "packed", BYTES("\x0a\x04\x01\x02\xac\x02"), 3, 303 },
		{ "packed, empty", BYTES("\x0a\x00"), 0, 0 },
		{ "unpacked", BYTES("\x08\x01\x08\x02\x08\xac\x02"), 3, 303 },
		{ "two runs", BYTES("\x0a\x02\x01\x02\x0a\x02\xac\x02"), 3,
		  303 },
		{ "mixed", BYTES("\x08\x01\x0a\x03\x02\xac\x02"), 3, 303 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		uint64_t nr;

		CHECK_EQ(sum_of(rows[i].in, &nr), rows[i].sum);
		CHECK_EQ(nr, rows[i].nr);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

/* A fault in a nested message is told by its place in the whole. */
TEST(nested)
{
	static const struct op_view in = BYTES(
		"\x08\x01\x12\x06\x1a\x04\x08\x01\x0b\x00\x20\x05");
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f = { 0 }, g = { 0 }, h = { 0 };
	struct op_cur sub, subsub;

	CHECK(op_pb_next(&c, &f) && op_pb_next(&c, &f));
	CHECK_EQ(op_pb_key(&f), OP_PB(2, OP_PB_LEN));
	sub = op_pb_sub(&c, &f);
	CHECK(op_pb_next(&sub, &g));
	CHECK_EQ(g.num, 3);
	subsub = op_pb_sub(&sub, &g);
	CHECK(op_pb_next(&subsub, &h));
	CHECK_EQ(h.v, 1);
	CHECK(!op_pb_next(&subsub, &h));
	CHECK_EQ(err.code, OP_EFORMAT);
	CHECK_EQ(err.at, 8);
	/* All cursors of the input are over, though bytes are left. */
	CHECK(!op_pb_next(&sub, &g));
	CHECK(!op_pb_next(&c, &f));
	CHECK_EQ(op_cur_left(&c), 2);
	CHECK_EQ(err.at, 8);
}

TEST(count_of_a_run)
{
	static const struct {
		const char *name;
		struct op_view in;
		size_t nr;
	} rows[] = {
		{ "empty", BYTES(""), 0 },
		{ "one of one byte", BYTES("\x00"), 1 },
		{ "three of one byte", BYTES("\x00\x7f\x01"), 3 },
		{ "one of ten",
		  BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1 },
		{ "of many lengths", BYTES("\x80\x01\x01\x80\x80\x02\x03"), 4 },
		{ "the last is cut", BYTES("\x01\x80"), 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;

		CHECK_EQ(op_pb_count(rows[i].in), rows[i].nr);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
	CHECK_EQ(op_pb_count((struct op_view){ 0 }), 0);
}

TEST_MAIN(fields, refused, cut_at_each_byte, unknown_is_skipped, value_bytes,
	  unpacked_is_a_run_of_one, nested, count_of_a_run)
