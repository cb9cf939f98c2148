// SPDX-License-Identifier: Apache-2.0
/* How deep, how much, and with how little memory. */
#include "fmt/otlp/otlp.h"

#include "fmt/wire/wire.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* An array in an array in ..., the innermost of depth levels an integer, as
 * the value of an attribute of a resource. */
static void nest(struct op_pbw *w, unsigned int depth)
{
	size_t end = op_pbw_mark(w);

	op_pbw_uint(w, 3, 7);
	while (depth--) {
		op_pbw_len(w, 1, end); /* ArrayValue.values */
		op_pbw_len(w, 5, end); /* AnyValue.array_value */
	}
	op_pbw_len(w, 2, end); /* KeyValue.value */
	op_pbw_len(w, 1, end); /* Resource.attributes */
	op_pbw_len(w, 1, end);
	op_pbw_len(w, 1, end);
}

TEST(values_in_values)
{
	static const struct {
		const char *name;
		unsigned int depth;
		int code;
	} rows[] = {
		{ "one", 1, OP_OK },
		{ "deepest", OP_WIRE_DEPTH - 1, OP_OK },
		{ "one too deep", OP_WIRE_DEPTH, OP_ELIMIT },
		{ "10,000", 10000, OP_ELIMIT },
		{ "a million", 1000000, OP_ELIMIT },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_err err = { 0 };
		struct op_pbw w = { .err = &err };
		struct op_model m;

		nest(&w, rows[i].depth);
		CHECK_EQ(wire_decode(&m, op_pbw_result(&w), NULL, &err),
			 rows[i].code);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_model_free(&m);
		op_pbw_free(&w);
	}
}

/* n samples of a stack each, as the Collector writes them: dictionary first. */
static void many_samples(struct op_pbw *w, uint32_t n)
{
	size_t end = op_pbw_mark(w), row;
	uint32_t ids[3];
	int64_t value;

	for (uint32_t i = n; i--;) {
		row = op_pbw_mark(w);
		value = i;
		op_pbw_packed_i64(w, 4, &value, 1);
		op_pbw_uint(w, 1, i % 1000);
		op_pbw_len(w, 2, row);
	}
	op_pbw_len(w, 2, end);
	op_pbw_len(w, 2, end);
	op_pbw_len(w, 1, end);
	end = op_pbw_mark(w);
	for (uint32_t i = 1000; i--;) {
		row = op_pbw_mark(w);
		for (uint32_t k = 0; k < 3; k++)
			ids[k] = (i + k) % 500;
		op_pbw_packed_u32(w, 1, ids, i ? 3 : 0);
		op_pbw_len(w, 7, row);
	}
	for (uint32_t i = 500; i--;) {
		row = op_pbw_mark(w);
		op_pbw_uint(w, 2, i);
		op_pbw_len(w, 2, row);
	}
	op_pbw_len(w, 2, end);
}

/* A large message is a handful of blocks: rows are counted before they are
 * read, and columns that grow do so in place. */
TEST(a_million_samples)
{
	enum { NR = 1000000 };
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	const struct op_profile *p;
	struct op_model m;

	many_samples(&w, NR);
	CHECK_EQ(wire_decode(&m, op_pbw_result(&w), NULL, &err), OP_OK);
	if (!err.code) {
		p = m.resources[0].scopes[0].profiles;
		CHECK_EQ(p->nr_samples, NR);
		CHECK_EQ(op_profile_total(p), (int64_t)NR * (NR - 1) / 2);
		CHECK(m.mem.nr_blocks <= 12);
		CHECK(!p->time_at);
		/* Four columns of ids, one of values, and little else. */
		CHECK(m.mem.used < NR * (size_t)(4 * 4 + 8 + 4));
	}
	op_model_free(&m);
	op_pbw_free(&w);
}

static struct wire small;

static void small_message(void)
{
	static char text[WIRE_MAX];

	wire_generate(text, sizeof(text), 3);
	wire_set(&small, text);
}

/* From too little for anything to enough: OP_ENOMEM until it is OK, and never
 * more than the quota. */
TEST(quota)
{
	bool enough = false;

	small_message();
	for (size_t quota = 1; quota < (1 << 20); quota *= 2) {
		struct op_model m = { .mem.quota = quota };
		struct op_err err = { 0 };
		int code = op_otlp_decode(&m, wire_view(&small), NULL, &err);

		CHECK(m.mem.used <= quota);
		CHECK_EQ(code, enough || !code ? OP_OK : OP_ENOMEM);
		enough |= !code;
		op_model_free(&m);
	}
	CHECK(enough);
}

/* The quota stays when a message turns out to be of another dialect. */
TEST(quota_of_another_dialect)
{
	static struct wire w;
	struct op_model m = { .mem.quota = 1 << 20 };
	struct op_err err = { 0 };

	wire_set(&w, "1{ 2{ 2{ 2{ 2[5] 3[0] } } } } 2{ " WIRE_ZERO_ROWS "}");
	CHECK_EQ(op_otlp_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	CHECK_STR(m.dialect, "v1.9");
	CHECK_EQ(m.mem.quota, 1 << 20);
	op_model_free(&m);
}

/* Whatever allocation fails, the code is OP_ENOMEM and nothing leaks. It may
 * do without an array made smaller, but then the result is what it is. */
static long sweep(const char *text)
{
	static struct wire w;
	static char want[16384];
	struct op_model first;
	struct op_err ok;
	long rounds = 0;

	wire_set(&w, text);
	CHECK_EQ(wire_decode(&first, wire_view(&w), NULL, &ok), OP_OK);
	snprintf(want, sizeof(want), "%s", sketch_text(&first));
	op_model_free(&first);
	EACH_ALLOC_FAILS(k) {
		struct op_model m = { 0 };
		struct op_err err = { 0 };
		int code = op_otlp_decode(&m, wire_view(&w), NULL, &err);

		rounds = k;
		CHECK(code == OP_OK || code == OP_ENOMEM);
		CHECK(op_alloc_failed() || !code);
		if (!code && op_alloc_failed())
			CHECK_STR(sketch_text(&m), want);
		op_model_free(&m);
	}
	return rounds;
}

TEST(each_allocation_fails)
{
	static char text[WIRE_MAX];

	CHECK(sweep("") >= 1);
	for (uint32_t seed = 1; seed <= 3; seed++) {
		wire_generate(text, sizeof(text), seed);
		CHECK(sweep(text) > 1);
	}
	/* v1.9, v1.8 with comments, and v1.7. */
	CHECK(sweep("1{ 2{ 2{ 2{ 2[5] 3[0] } } } } 2{ " WIRE_ZERO_ROWS "}") >
	      1);
	CHECK(sweep("1{ 2{ 2{ 1{ 3:2 } 2{ 2[5] } 7[0 0 0] 12[0] } } } "
		    "2{ " WIRE_ZERO_ROWS "}") > 1);
	CHECK(sweep("1{ 2{ 2{ 1{ 1:1 } 2{ 2:1 3[5] 4[0] 5:0 } 3[0] 4:9 8[1] "
		    "14[0] } } } "
		    "2{ 1{ 6:1 } 2{ 1:0 3{} } 3{ 1:1 } 4{} 5'' 5'a' "
		    "6{ 1'k' 2{ 1'v' } } 7{ 1:1 2:1 } }") > 1);
}

/* Bytes that a row of the message cannot have do not cost memory. */
TEST(memory_follows_input)
{
	struct op_model m;
	struct op_err err;

	wire_set(&small, "1{ 2{ 2{ 2{ =22808080800400 } } } }");
	CHECK_EQ(wire_decode(&m, wire_view(&small), NULL, &err), OP_EFORMAT);
	CHECK_EQ(m.mem.used, 0);
}

/* --- hostile messages of older releases --- */

/* Decodes what w holds; the memory it may take is bounded by its size. */
static void check_ratio(struct op_pbw *w, size_t most)
{
	struct op_view in = op_pbw_result(w);
	struct op_err err = { 0 };
	struct op_model m = { .mem.quota = (size_t)1 << 30 };
	int code = op_otlp_decode(&m, in, NULL, &err);

	CHECK(code == OP_OK || code == OP_ELIMIT);
	CHECK(m.mem.used <= in.n * most);
	op_model_free(&m);
	op_pbw_free(w);
}

/* v1.6, told by a table at the top; a profile is two bytes. */
TEST(empty_profiles)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	size_t end = op_pbw_mark(&w);

	op_pbw_len(&w, 3, end);
	end = op_pbw_mark(&w);
	for (int i = 0; i < 20000; i++)
		op_pbw_len(&w, 2, op_pbw_mark(&w));
	op_pbw_len(&w, 2, end);
	op_pbw_len(&w, 1, end);
	check_ratio(&w, 1000);
}

/* v1.7: samples of ten bytes, each of which claims another long slice of the
 * profile's locations. */
TEST(overlapping_slices)
{
	enum { LOCATIONS = 20000, SAMPLES = 2000 };
	static const uint32_t zeros[LOCATIONS];
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	size_t end = op_pbw_mark(&w);
	int64_t value = 5;

	op_pbw_len(&w, 2, end);
	op_pbw_len(&w, 2, end);
	end = op_pbw_mark(&w);
	op_pbw_packed_u32(&w, 3, zeros, LOCATIONS);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		size_t sample = op_pbw_mark(&w);

		op_pbw_packed_i64(&w, 3, &value, 1);
		op_pbw_uint(&w, 2, LOCATIONS - i);
		op_pbw_len(&w, 2, sample);
	}
	op_pbw_len(&w, 2, end);
	op_pbw_len(&w, 2, end);
	op_pbw_len(&w, 1, end);
	check_ratio(&w, 2000);
}

/* More sample types than a profile may have. */
TEST(sample_types)
{
	static char text[WIRE_MAX];

	for (int nr = 64; nr <= 65; nr++) {
		struct op_model m;
		struct op_err err;
		size_t n = 0;

		n += (size_t)snprintf(text, sizeof(text), "3{} 1{ 2{ 2{ ");
		for (int i = 0; i < nr; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "1{} ");
		snprintf(text + n, sizeof(text) - n, "} } }");
		wire_set(&small, text);
		CHECK_EQ(wire_decode(&m, wire_view(&small), NULL, &err),
			 nr > 64 ? OP_ELIMIT : OP_OK);
		op_model_free(&m);
	}
}

TEST_MAIN(values_in_values, a_million_samples, quota, quota_of_another_dialect,
	  each_allocation_fails, memory_follows_input, empty_profiles,
	  overlapping_slices, sample_types)
