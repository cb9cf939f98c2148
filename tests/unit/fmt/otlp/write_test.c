// SPDX-License-Identifier: Apache-2.0
#include "fmt/otlp/otlp.h"

#include "base/buf.h"
#include "fmt/format.h"
#include "model/merge.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* The message of a model; to be freed. */
static struct op_pbw encode(const struct op_model *m, struct op_err *err)
{
	struct op_pbw w = { .err = err };

	CHECK_EQ(op_otlp_encode(m, &w), OP_OK);
	return w;
}

struct kept {
	struct op_sink sink;
	struct op_buf bytes;
};

static int keep(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	struct kept *k = (struct kept *)sink;

	op_buf_view(&k->bytes, v);
	return err->code;
}

/* A sink is given the same bytes. */
static void check_written(const struct op_model *m, struct op_view want)
{
	struct op_err err = { 0 };
	struct kept k = { .sink.write = keep, .bytes.err = &err };

	CHECK_EQ(op_otlp_write(m, &k.sink, &err), OP_OK);
	CHECK(op_view_eq(op_view(k.bytes.p, k.bytes.n), want));
	op_buf_free(&k.bytes);
}

/* Encodes what text decodes to, and compares with the bytes of want. */
static void check_bytes(const char *name, const char *text, const char *want)
{
	static struct wire in, out;
	int before = test_failed;
	struct op_model m;
	struct op_err err;
	struct op_pbw w;

	wire_set(&in, text);
	wire_set(&out, want);
	CHECK_EQ(wire_decode(&m, wire_view(&in), NULL, &err), OP_OK);
	if (!err.code) {
		w = encode(&m, &err);
		CHECK(op_view_eq(op_pbw_result(&w), wire_view(&out)));
		check_written(&m, wire_view(&out));
		op_pbw_free(&w);
	}
	if (test_failed != before)
		fprintf(stderr, "  in row '%s' %s\n", name, err.text);
	op_model_free(&m);
}

#define TABLES "2{ " WIRE_ZERO_ROWS "}"
#define VALUE(v) "1{ 1{ 1{ 1'k' " v " } } } " TABLES

static const struct {
	const char *name, *text, *want;
} rows[] = {
	{ "a table has its zero row", "", TABLES },
	{ "resources stand before the dictionary", "2{} 1{}", "1{} " TABLES },
	{ "zero values are left out",
	  "1{ 3'' 2{ 3'' 2{ 1{ 1:0 } 3@0 4:0 6:0 7'' 8:0 9'' 10'' 11[] "
	  "2{ 1:0 3:0 2[] 4[5] } } } }",
	  "1{ 2{ 2{ 2{ 4[5] } } } } " TABLES },
	{ "a value of 0 is not", "1{ 2{ 2{ 2{ 4[0] } 2{ 5<0> } } } }",
	  "1{ 2{ 2{ 2{ 4[0] } 2{ 5<0> } } } } " TABLES },
	{ "fields ascend",
	  "2{ 7{} 6{} 5'' 5's' 4{} 3{} 3{ 4:4 3:1 2:1 1:1 } 2{} "
	  "2{ 4[0] 3{ 3:3 2:2 1:1 } 2:2 1:0 } 1{} "
	  "1{ 5[0] 4:1 3:3 2:2 1:1 } } "
	  "1{ 3'u' 2{ 3'u' 2{ 11[0] 10'p' 9'f' 8:8 6:6 5{ 2:1 1:1 } 4:4 3@3 "
	  "2{ 5<5> 4[4] 2[0] } 1{ 2:1 1:1 } } 1{ 4:4 3{ 2{ 3:3 } 1'k' } 2'v' "
	  "1'n' } } 1{ 3{ 4'd' 3'i' 2't' 1'u' } 2:2 1{ 2{ 3:3 } 1'k' } } }",
	  "1{ 1{ 1{ 1'k' 2{ 3:3 } } 2:2 3{ 1'u' 2't' 3'i' 4'd' } } "
	  "2{ 1{ 1'n' 2'v' 3{ 1'k' 2{ 3:3 } } 4:4 } "
	  "2{ 1{ 1:1 2:1 } 2{ 2[0] 4[4] 5<5> } 3@3 4:4 5{ 1:1 2:1 } 6:6 8:8 "
	  "9'f' 10'p' 11[0] } 3'u' } 3'u' } "
	  "2{ 1{} 1{ 1:1 2:2 3:3 4:1 5[0] } 2{} "
	  "2{ 2:2 3{ 1:1 2:2 3:3 } 4[0] } 3{} 3{ 1:1 2:1 3:1 4:4 } 4{} 5'' "
	  "5's' 6{} 7{} }" },
	{ "runs are packed",
	  "2{ 2{} 2{ 2:1 } 7{} 7{ 1:1 1:0 1:1 } } 1{ 2{ 2{ 2{ 1:1 4[-1 300] "
	  "5@7 5@8 } } } }",
	  "1{ 2{ 2{ 2{ 1:1 4[-1 300] 5<7 8> } } } } "
	  "2{ 1{} 2{} 2{ 2:1 } 3{} 4{} 5'' 6{} 7{} 7{ 1[1 0 1] } }" },
	{ "both ids of a link",
	  "2{ 4{} 4{ 2#0102030405060708 1#000102030405060708090a0b0c0d0e0f } }",
	  "2{ 1{} 2{} 3{} 4{} "
	  "4{ 1#000102030405060708090a0b0c0d0e0f 2#0102030405060708 } 5'' 6{} "
	  "7{} }" },
	{ "reference to a key", "1{ 1{ 1{ 3:1 2{ 8:1 } } } } 2{ 5'' 5's' }",
	  "1{ 1{ 1{ 2{ 8:1 } 3:1 } } } 2{ 1{} 2{} 3{} 4{} 5'' 5's' 6{} 7{} }" },

	/* A oneof says which of its members is set, also by a zero. */
	{ "no value", VALUE(""), VALUE("") },
	{ "empty string", VALUE("2{ 1'' }"), VALUE("2{ 1'' }") },
	{ "false", VALUE("2{ 2:0 }"), VALUE("2{ 2:0 }") },
	{ "true", VALUE("2{ 2:5 }"), VALUE("2{ 2:1 }") },
	{ "integer 0", VALUE("2{ 3:0 }"), VALUE("2{ 3:0 }") },
	{ "integer -1", VALUE("2{ 3:-1 }"), VALUE("2{ 3:-1 }") },
	{ "double 0", VALUE("2{ 4@0 }"), VALUE("2{ 4@0 }") },
	{ "double NaN", VALUE("2{ 4@0x7ff8000000000001 }"),
	  VALUE("2{ 4@0x7ff8000000000001 }") },
	{ "empty array", VALUE("2{ 5{} }"), VALUE("2{ 5{} }") },
	{ "empty list", VALUE("2{ 6{} }"), VALUE("2{ 6{} }") },
	{ "no bytes", VALUE("2{ 7'' }"), VALUE("2{ 7'' }") },
	{ "reference to the empty string", VALUE("2{ 8:0 }"),
	  VALUE("2{ 8:0 }") },
	{ "nested",
	  VALUE("2{ 5{ 1{} 1{ 3:1 } 1{ 6{ 1{ 2{ 1'v' } 1'k' } 1{ 1'l' } } } "
		"} }"),
	  VALUE("2{ 5{ 1{} 1{ 3:1 } 1{ 6{ 1{ 1'k' 2{ 1'v' } } 1{ 1'l' } } } "
		"} }") },

	{ "invalid UTF-8 is replaced", "1{ 3'\xff' 2{ 1{ 1'a\xc3' } } }",
	  "1{ 2{ 1{ 1'a\xef\xbf\xbd' } } 3'\xef\xbf\xbd' } " TABLES },
	{ "in strings, keys and values too",
	  "1{ 1{ 1{ 1'\xfe' 2{ 1'\xed\xa0\x80' } } } } 2{ 5'' 5'\x80x' }",
	  "1{ 1{ 1{ 1'\xef\xbf\xbd' "
	  "2{ 1'\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' } } } } "
	  "2{ 1{} 2{} 3{} 4{} 5'' 5'\xef\xbf\xbdx' 6{} 7{} }" },
	{ "bytes are not text", "1{ 1{ 1{ 2{ 7#ff } } } 2{ 2{ 10#fffe } } }",
	  "1{ 1{ 1{ 2{ 7#ff } } } 2{ 2{ 10#fffe } } } " TABLES },
};

TEST(bytes)
{
	for (size_t i = 0; i < op_countof(rows); i++)
		check_bytes(rows[i].name, rows[i].text, rows[i].want);
}

/* The smallest message that says something, byte for byte. */
TEST(bytes_spelled_out)
{
	static const uint8_t want[] = {
		0x0a, 0x0e,		/* resource_profiles */
		0x12, 0x0c,		/* scope_profiles */
		0x12, 0x0a,		/* profiles */
		0x0a, 0x02, 0x08, 0x01, /* sample_type: "cpu" */
		0x12, 0x04,		/* samples */
		0x22, 0x02, 0xac, 0x02, /* values: 300 */
		0x12, 0x13,		/* dictionary */
		0x0a, 0x00, 0x12, 0x00, 0x1a, 0x00, 0x22, 0x00, 0x2a, 0x00,
		0x2a, 0x03, 'c',  'p',	'u',  0x32, 0x00, 0x3a, 0x00,
	};
	struct sketch s = { .samples = "- 300", .unit = "" };
	struct op_err err = { 0 };
	struct op_model m;
	struct op_pbw w;

	sketch_one(&m, &s);
	w = encode(&m, &err);
	CHECK(op_view_eq(op_pbw_result(&w), op_view(want, sizeof(want))));
	op_pbw_free(&w);
	op_model_free(&m);
}

/* For messages with duplicates, orphans and mixed shapes: decoding what was
 * encoded says the same, and encoding that gives the same bytes. */
TEST(round_trip)
{
	static char text[WIRE_MAX];
	static struct wire in;

	for (uint32_t seed = 1; seed <= 50; seed++) {
		struct op_err err = { 0 };
		struct op_model a, b;
		struct op_pbw wa, wb;

		wire_generate(text, sizeof(text), seed);
		wire_set(&in, text);
		CHECK_EQ(wire_decode(&a, wire_view(&in), NULL, &err), OP_OK);
		wa = encode(&a, &err);
		CHECK_EQ(wire_decode(&b, op_pbw_result(&wa), NULL, &err),
			 OP_OK);
		CHECK_STR(sketch_text(&b), sketch_text(&a));
		wb = encode(&b, &err);
		CHECK(op_view_eq(op_pbw_result(&wa), op_pbw_result(&wb)));
		for (int t = 0; t < OP_NR_TABLES; t++)
			CHECK_EQ(a.dict.nr[t], b.dict.nr[t]);
		op_pbw_free(&wa);
		op_pbw_free(&wb);
		op_model_free(&a);
		op_model_free(&b);
	}
}

/* A normalised message is a fixed point: decoding, normalising and encoding
 * it gives it again, byte for byte. */
TEST(normalised_is_fixed)
{
	static char text[WIRE_MAX];
	static struct wire in;

	for (uint32_t seed = 1; seed <= 50; seed++) {
		struct op_err err = { 0 };
		struct op_model a, b;
		struct op_pbw wa, wb;

		wire_generate(text, sizeof(text), seed);
		wire_set(&in, text);
		CHECK_EQ(wire_decode(&a, wire_view(&in), NULL, &err), OP_OK);
		CHECK_EQ(op_normalise(&a, &err), OP_OK);
		wa = encode(&a, &err);
		CHECK_EQ(wire_decode(&b, op_pbw_result(&wa), NULL, &err),
			 OP_OK);
		CHECK_EQ(op_normalise(&b, &err), OP_OK);
		wb = encode(&b, &err);
		CHECK(op_view_eq(op_pbw_result(&wa), op_pbw_result(&wb)));
		op_pbw_free(&wa);
		op_pbw_free(&wb);
		op_model_free(&a);
		op_model_free(&b);
	}
}

/* More than fits into a batch, in samples of every size. */
TEST(large_to_a_sink)
{
	static const struct op_resource no_resource;
	static const struct op_scope no_scope;
	static const struct op_profile no_profile;
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	struct op_builder b;
	struct op_pbw w;
	uint32_t p;

	op_builder_init(&b, &m, &err);
	op_build_resource(&b, &no_resource, NULL);
	op_build_scope(&b, 0, &no_scope, NULL);
	p = op_build_profile(&b, 0, &no_profile);
	for (uint32_t i = 0; i < 200000; i++) {
		struct op_location at = { .address = i % 777 };
		uint32_t location = op_build_location(&b, &at, NULL, 0);
		struct op_identity id = {
			.stack = op_build_stack(&b, &location, 1),
		};

		op_build_observe(&b, p, op_build_sample(&b, p, id),
				 (int64_t)(i % 7) << i % 60, i);
		/* One sample that alone is more than a batch. */
		id.stack = 0;
		op_build_observe(&b, p, op_build_sample(&b, p, id), -1, i);
	}
	CHECK_EQ(op_builder_finish(&b), OP_OK);
	w = encode(&m, &err);
	check_written(&m, op_pbw_result(&w));
	op_pbw_free(&w);
	op_model_free(&m);
}

static int refuse(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	(void)sink;
	return v.n > 10 ? op_fail(err, OP_EIO, "full") : OP_OK;
}

TEST(sink_that_refuses)
{
	struct sketch s = { .samples = "main 1\nmain;work 2" };
	struct op_sink sink = { .write = refuse };
	struct op_err err = { 0 };
	struct op_model m;

	sketch_one(&m, &s);
	CHECK_EQ(op_otlp_write(&m, &sink, &err), OP_EIO);
	CHECK_STR(err.text, "full");
	op_model_free(&m);
}

TEST(each_allocation_fails)
{
	struct sketch s = { .samples = "main 1\nmain;work 2" };
	struct op_model m;

	sketch_one(&m, &s);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_pbw w = { .err = &err };
		int code = op_otlp_encode(&m, &w);

		CHECK_EQ(code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_EQ(op_pbw_result(&w).n == 0, code != OP_OK);
		op_pbw_free(&w);
	}
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 }, ignored = { 0 };
		struct kept kept = { .sink.write = keep,
				     .bytes.err = &ignored };
		int code = op_otlp_write(&m, &kept.sink, &err);

		CHECK(code == OP_OK || op_alloc_failed());
		op_buf_free(&kept.bytes);
	}
	op_model_free(&m);
}

TEST_MAIN(bytes, bytes_spelled_out, round_trip, normalised_is_fixed,
	  large_to_a_sink, sink_that_refuses, each_allocation_fails)
