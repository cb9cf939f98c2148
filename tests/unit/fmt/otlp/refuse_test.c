// SPDX-License-Identifier: Apache-2.0
/* What the decoder refuses, and the byte it names. */
#include "fmt/otlp/otlp.h"

#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

#define IN_DICT(rows) "2{ " WIRE_ZERO_ROWS rows "}"
#define IN_PROFILE(fields) "1{ 2{ 2{ " fields " } } } 2{ " WIRE_ZERO_ROWS "}"
#define IN_SAMPLE(fields) IN_PROFILE("2{ " fields " }")
#define IN_VALUE(v) IN_DICT("6{ 2{ " v " } }")

static struct wire w;

/* Each table has one row, so that 1 is the first index past it. */
static const struct {
	const char *name, *text; /* ^ is before the byte that is wrong */
} rows[] = {
	{ "stack index", IN_SAMPLE("1:^1 4[5]") },
	{ "stack index behind the rest", IN_SAMPLE("4[5] 1:^1") },
	{ "link index", IN_SAMPLE("3:^1 4[5]") },
	{ "attribute of a sample", IN_SAMPLE("2[0 ^1] 4[5]") },
	{ "attribute of a sample, not packed", IN_SAMPLE("2:^1 4[5]") },
	{ "attribute of a profile", IN_PROFILE("11[0 0 ^1]") },
	{ "sample type", IN_PROFILE("1{ 1:^1 }") },
	{ "sample unit", IN_PROFILE("1{ 2:^1 }") },
	{ "period type", IN_PROFILE("5{ 1:^1 }") },
	{ "period unit", IN_PROFILE("5{ 2:^1 }") },
	{ "file of a mapping", IN_DICT("1{ 4:^1 }") },
	{ "attribute of a mapping", IN_DICT("1{ 5[^1] }") },
	{ "mapping of a location", IN_DICT("2{ 1:^1 }") },
	{ "function of a line", IN_DICT("2{ 3{ 1:^1 } }") },
	{ "attribute of a location", IN_DICT("2{ 4[^1] }") },
	{ "name of a function", IN_DICT("3{ 1:^1 }") },
	{ "system name of a function", IN_DICT("3{ 2:^1 }") },
	{ "file of a function", IN_DICT("3{ 3:^1 }") },
	{ "key of an attribute", IN_DICT("6{ 1:^1 }") },
	{ "unit of an attribute", IN_DICT("6{ 3:^1 }") },
	{ "string of a value", IN_VALUE("8:^1") },
	{ "string in an array", IN_VALUE("5{ 1{} 1{ 8:^1 } }") },
	{ "string in a list", IN_VALUE("6{ 1{ 2{ 8:^1 } } }") },
	{ "key in a list", IN_VALUE("6{ 1{ 3:^1 } }") },
	{ "location of a stack", IN_DICT("7{ 1[0 ^1] }") },
	{ "location of a stack, not packed", IN_DICT("7{ 1:^1 }") },
	{ "key of a resource", "1{ 1{ 1{ 3:^1 } } }" },
	{ "string of a resource", "1{ 1{ 1{ 2{ 8:^1 } } } }" },
	{ "key of a scope", "1{ 2{ 1{ 3{ 3:^1 } } } }" },
	{ "table without rows", "1{ 2{ 2{ 2{ 1:^1 4[5] } } } }" },
	{ "negative index", IN_SAMPLE("1:^-1 4[5]") },
	{ "index that is 0 in 32 bits", IN_SAMPLE("1:^4294967296 4[5]") },
	{ "the first of two is told", IN_SAMPLE("1:^1 3:1 4[5]") },

	{ "trace id of 15 bytes",
	  IN_DICT("4{ 1#^000102030405060708090a0b0c0d0e }") },
	{ "trace id of 17 bytes",
	  IN_DICT("4{ 1#^000102030405060708090a0b0c0d0e0f10 }") },
	{ "span id of 7 bytes", IN_DICT("4{ 2#^00010203040506 }") },
	{ "span id of 16 bytes",
	  IN_DICT("4{ 2#^000102030405060708090a0b0c0d0e0f }") },
	{ "profile id of 4 bytes", IN_PROFILE("7#^00010203 2{ 4[5] }") },
	{ "profile id of 300 bytes",
	  IN_PROFILE("2{ 4[5] } 7'^"
		     "....................................................."
		     "....................................................."
		     "....................................................."
		     "....................................................."
		     "....................................................."
		     "...................................'") },

	{ "more values than times", IN_SAMPLE("4[1 2] 5<3> ^") },
	{ "more times than values", IN_SAMPLE("4[1] 5<3 4> ^") },
	{ "times of 7 bytes", IN_SAMPLE("4[1] 5#^00010203040506") },
	{ "times of 9 bytes", IN_SAMPLE("4[1] 5#^000102030405060708") },

	{ "varint of eleven bytes",
	  IN_SAMPLE("4[1] =08 ^ =8080808080808080808000") },
	{ "varint cut off in a run", IN_SAMPLE("4[1] =2201 ^ =80") },
	{ "varint cut off in a list of ids", IN_SAMPLE("4[1] =120200 ^ =80") },
	{ "field number 0", IN_SAMPLE("4[1] ^ =0000") },
	{ "field number past 29 bits", IN_SAMPLE("4[1] ^ =888080802000") },
	{ "group", IN_SAMPLE("4[1] ^ =0b0c") },
	{ "wire type 6", IN_SAMPLE("4[1] ^ =0e") },
	{ "wire type 7 in a message", "^ =0f" },
	{ "length past its message", IN_SAMPLE("4[1] =1202 ^ =00") },
	{ "length past the message around it", "1{ =0a05 ^ } 2{}" },
	{ "eight bytes cut off", IN_SAMPLE("4[1] =29 ^ =00000000000000") },
	{ "four bytes cut off", "1{ =1d ^ =000000 }" },
	{ "1 GiB in 20 bytes, at the top", "=0a8080808004 ^ 1{ 1{ } 2{} } " },
	{ "1 GiB in 20 bytes, of strings", "2{ =2a8080808004 ^ =00000000 }" },
	{ "1 GiB in 20 bytes, of values",
	  "1{ 2{ 2{ 2{ =228080808004 ^ =0000000000000000 } } } }" },
	{ "a length of 2^64 - 1", "=0affffffffffffffffff01 ^ 1{}" },
};

TEST(refuses)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_model m;
		struct op_err err;

		wire_set(&w, rows[i].text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err),
			 OP_EFORMAT);
		CHECK(err.has_at);
		CHECK_EQ(err.at, w.mark);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", rows[i].name,
				err.text);
		op_model_free(&m);
	}
}

TEST(offsets_count_from_the_file)
{
	struct op_otlp_opts opts = { .at = 1000 };
	struct op_model m;
	struct op_err err;

	wire_set(&w, IN_SAMPLE("1:^1 4[5]"));
	CHECK_EQ(wire_decode(&m, wire_view(&w), &opts, &err), OP_EFORMAT);
	CHECK_EQ(err.at, 1000 + w.mark);
}

TEST(message_names_table)
{
	static const struct {
		const char *text, *what;
	} tables[] = {
		{ IN_SAMPLE("1:9 4[5]"), "stack index 9" },
		{ IN_SAMPLE("3:9 4[5]"), "link index 9" },
		{ IN_SAMPLE("2[9] 4[5]"), "attribute index 9" },
		{ IN_PROFILE("1{ 1:-3 }"), "string index -3" },
		{ IN_DICT("2{ 1:9 }"), "mapping index 9" },
		{ IN_DICT("2{ 3{ 1:9 } }"), "function index 9" },
		{ IN_DICT("7{ 1[9] }"), "location index 9" },
	};

	for (size_t i = 0; i < op_countof(tables); i++) {
		struct op_model m;
		struct op_err err;

		wire_set(&w, tables[i].text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err),
			 OP_EFORMAT);
		CHECK(strstr(err.text, tables[i].what));
	}
}

/* An error that the caller already has is not overwritten. */
TEST(first_error_stays)
{
	struct op_err err = { .code = OP_EIO, .text = "before" };
	struct op_model m = { 0 };

	wire_set(&w, IN_SAMPLE("1:1 4[5]"));
	CHECK_EQ(op_otlp_decode(&m, wire_view(&w), NULL, &err), OP_EIO);
	CHECK(!strcmp(err.text, "before"));
	op_model_free(&m);
}

/* Whether a message may end before byte n: at the end of a field of its
 * outermost level. */
static bool is_boundary(struct op_view in, size_t n)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;

	while ((size_t)(c.p - in.p) < n && op_pb_next(&c, &f))
		;
	return (size_t)(c.p - in.p) == n;
}

/* Cut anywhere, a message is refused, unless what is left is one. */
TEST(cut_anywhere)
{
	static char text[WIRE_MAX];
	size_t nr_ok = 0;

	for (uint32_t seed = 1; seed <= 4; seed++) {
		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		for (size_t n = 0; n <= w.n; n++) {
			struct op_model m;
			struct op_err err;
			int code = wire_decode(&m, op_view(w.p, n), NULL, &err);

			if (code == OP_OK && is_boundary(wire_view(&w), n))
				nr_ok++;
			else
				CHECK_EQ(code, OP_EFORMAT);
			CHECK(code || strlen(sketch_text(&m)) < 16384);
			op_model_free(&m);
		}
	}
	CHECK(nr_ok >= 12); /* empty, dictionary only, all; of each */
}

/* Any byte changed to any of a few: no crash, and what is taken is sound. */
TEST(bytes_changed)
{
	static const uint8_t to[] = { 0, 1, 0x7f, 0x80, 0xff };
	static char text[WIRE_MAX];

	wire_generate(text, sizeof(text), 5);
	wire_set(&w, text);
	for (size_t i = 0; i < w.n * op_countof(to); i++) {
		uint8_t *byte = &w.p[i / op_countof(to)];
		uint8_t was = *byte;
		struct op_model m;
		struct op_err err;

		*byte = to[i % op_countof(to)];
		if (!wire_decode(&m, wire_view(&w), NULL, &err))
			sketch_text(&m);
		op_model_free(&m);
		*byte = was;
	}
}

TEST_MAIN(refuses, offsets_count_from_the_file, message_names_table,
	  first_error_stays, cut_anywhere, bytes_changed)
