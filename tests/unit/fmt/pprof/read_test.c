// SPDX-License-Identifier: Apache-2.0
/* What the pprof reader takes and makes of it, and what it refuses. */
#include "fmt/pprof/pprof.h"

#include "model/semconv.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* 1 cpu, 2 ns, 3 main, 4 work */
#define STRINGS "6'' 6'cpu' 6'ns' 6'main' 6'work' "
#define TABLES                                           \
	"4{ 1:1 4{ 1:1 2:10 } } 4{ 1:2 4{ 1:2 2:20 } } " \
	"5{ 1:1 2:3 } 5{ 1:2 2:4 } " STRINGS
#define TYPE "1{ 1:1 2:2 } "
#define THREE TYPE "1{ 1:3 2:2 } 1{ 1:4 2:2 } "
#define HEAD "resource\nscope \nprofile cpu/ns\n"
#define PLAIN HEAD "\tmain;work 5\n"

static struct wire w;

static int decode(struct op_model *m, struct op_view in, struct op_err *err)
{
	/* Ends where the message ends, so that ASan sees a byte too far. */
	uint8_t *copy = op_heap_resize(NULL, in.n + !in.n, err);

	if (!copy)
		return err->code;
	memcpy(copy, in.p, in.n);
	*m = (struct op_model){ 0 };
	if (op_pprof_decode(m, op_view(copy, in.n), err))
		op_model_free(m);
	op_heap_free(copy);
	return err->code;
}

static const struct {
	const char *name, *text, *result;
} rows[] = {
	{ "samples first, as Go has them", TYPE "2{ 1[2 1] 2[5] } " TABLES,
	  PLAIN },
	{ "tables first", TABLES TYPE "2{ 1[2 1] 2[5] }", PLAIN },
	{ "not packed", TYPE "2{ 1:2 1:1 2:5 } " TABLES, PLAIN },
	{ "partly packed", TYPE "2{ 1[2] 1:1 2:5 } " TABLES, PLAIN },
	{ "fields in descending order", TYPE "2{ 2[5] 1[2 1] } " TABLES,
	  PLAIN },
	{ "unknown fields",
	  TYPE "2{ 1[2 1] 2[5] 9'x' } 100:1 101'x' 102@1 103%1 " TABLES,
	  PLAIN },
	{ "ids far apart",
	  TYPE "2{ 1[9000000000 7] 2[5] } 4{ 1:7 4{ 1:0x7fffffffffff } } "
	       "4{ 1:9000000000 4{ 1:3 } } 5{ 1:0x7fffffffffff 2:3 } "
	       "5{ 1:3 2:4 } " STRINGS,
	  PLAIN },
	{ "equal samples are one",
	  TYPE "2{ 1[2 1] 2[5] } 2{ 1[1] 2[1] } 2{ 1[2 1] 2[7] } " TABLES,
	  HEAD "\tmain 1\n\tmain;work 12\n" },
	{ "negative value", TYPE "2{ 1[1] 2[-3] } " TABLES,
	  HEAD "\tmain -3\n" },
	{ "no stack", TYPE "2{ 2[3] } " TABLES, HEAD "\t- 3\n" },
	{ "no samples", TYPE TABLES, HEAD },
	{ "inlined calls, innermost first",
	  TYPE "2{ 1[1] 2[5] } 4{ 1:1 4{ 1:2 } 4{ 1:1 } } 5{ 1:1 2:3 } "
	       "5{ 1:2 2:4 } " STRINGS,
	  HEAD "\tmain>work 5\n" },
	{ "no types: samples are counted",
	  "2{ 1[2 1] } 2{ 1[1] } 2{ 1[1] } " TABLES,
	  "resource\nscope \nprofile samples/count\n"
	  "\tmain 2\n\tmain;work 1\n" },

	{ "the last type comes first", THREE "2{ 1[1] 2[1 2 3] } " TABLES,
	  "resource\nscope \nprofile work/ns\n\tmain 3\nprofile cpu/ns\n"
	  "\tmain 1\nprofile main/ns\n\tmain 2\n" },
	{ "the default type comes first",
	  THREE "14:3 2{ 1[1] 2[1 2 3] } " TABLES,
	  "resource\nscope \nprofile main/ns\n\tmain 2\nprofile cpu/ns\n"
	  "\tmain 1\nprofile work/ns\n\tmain 3\n" },
	{ "zeros stay",
	  "1{ 1:1 2:2 } 1{ 1:3 2:2 } 2{ 1[1] 2[0 7] } 2{ 1[2] 2[4 0] } " TABLES,
	  "resource\nscope \nprofile main/ns\n\tmain 7\n\twork 0\n"
	  "profile cpu/ns\n\tmain 0\n\twork 4\n" },

	{ "text label", TYPE "2{ 1[1] 2[5] 3{ 1:5 2:6 } } " TABLES "6'k' 6'v'",
	  HEAD "\tmain 5 k=v\n" },
	{ "number label",
	  TYPE "2{ 1[1] 2[5] 3{ 1:5 3:42 } } " TABLES "6'k' 6'v'",
	  HEAD "\tmain 5 k=42\n" },
	{ "number with a unit",
	  TYPE "2{ 1[1] 2[5] 3{ 1:5 3:-1 4:6 } } " TABLES "6'k' 6'v'",
	  HEAD "\tmain 5 k=-1/v\n" },
	{ "several of one key, in their order",
	  TYPE "2{ 1[1] 2[5] 3{ 1:5 2:6 } 3{ 1:6 3:1 } 3{ 1:5 2:3 } } " TABLES
	       "6'k' 6'v'",
	  HEAD "\tmain 5 k=(kind 5, 2 elements):v,main v=1\n" },
	{ "text and number of one key",
	  TYPE "2{ 1[1] 2[5] 3{ 1:5 2:6 } 3{ 1:5 3:7 } } " TABLES "6'k' 6'v'",
	  HEAD "\tmain 5 k=(kind 5, 2 elements):v,7\n" },
	{ "labels in two places",
	  TYPE "2{ 3{ 1:5 2:6 } 1[1] 2[5] 3{ 1:6 2:5 } } " TABLES "6'k' 6'v'",
	  HEAD "\tmain 5 k=v v=k\n" },
	{ "link",
	  TYPE "2{ 1[1] 2[5] 3{ 1:5 2:6 } 3{ 1:7 2:8 } } " TABLES
	       "6'trace_id' 6'01000000000000000000000000000000' "
	       "6'span_id' 6'0000000000000001'",
	  HEAD "\tmain 5 #1\n" },
	{ "half a link is an attribute",
	  TYPE "2{ 1[1] 2[5] 3{ 1:5 2:6 } } " TABLES "6'span_id' 6'01'",
	  HEAD "\tmain 5 span_id=01\n" },
	{ "times",
	  TYPE
	  "2{ 1[1] 2[5] 3{ 1:5 3:100 } } 2{ 1[1] 2[6] 3{ 1:5 3:200 } } " TABLES
	  "6'otprof.time_unix_nano'",
	  HEAD "\tmain 5@100 6@200\n" },
	{ "with and without times",
	  TYPE "2{ 1[1] 2[5] 3{ 1:5 3:100 } } 2{ 1[1] 2[6] } " TABLES
	       "6'otprof.time_unix_nano'",
	  HEAD "\tmain 5@100\nprofile cpu/ns\n\tmain 6\n" },

	{ "head",
	  TYPE
	  "2{ 1[1] 2[5] } 7:3 8:4 9:1000 10:20 11{ 1:1 2:2 } 12:99 13[3 4] "
	  "15:1 " TABLES,
	  "resource\nscope \nprofile cpu/ns period 99 1000+20 "
	  "pprof.profile.comment=(kind 5, 2 elements):main,work "
	  "pprof.profile.doc_url=cpu pprof.profile.drop_frames=main "
	  "pprof.profile.keep_frames=work\n\tmain 5\n" },
};

TEST(takes)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;

		wire_set(&w, rows[i].text);
		if (decode(&m, wire_view(&w), &err)) {
			TEST_FAIL("%s: %.100s", rows[i].name, err.text);
			continue;
		}
		if (strcmp(sketch_text(&m), rows[i].result))
			TEST_FAIL("%s: %s", rows[i].name, sketch_text(&m));
		CHECK(m.normal);
		op_model_free(&m);
	}
}

static const struct {
	const char *name, *text; /* ^ is before the byte that is wrong */
} bad[] = {
	{ "location that is not there", TYPE "2{ 1[1 ^3] 2[5] } " TABLES },
	{ "location 0", TYPE "2{ 1[^0] 2[5] } " TABLES },
	{ "location not packed", TYPE "2{ 1:^3 2:5 } " TABLES },
	{ "too few values", "1{ 1:1 } 1{ 1:2 } 2{ ^1[1] 2[5] } " TABLES },
	{ "too many values", TYPE "2{ ^1[1] 2[5 6] } " TABLES },
	{ "no values", TYPE "2{ ^1[1] } " TABLES },
	{ "values without types", "2{ ^1[1] 2[5] } " TABLES },
	{ "type", "1{ 1:^9 } " TABLES },
	{ "key of a label", TYPE "2{ 2[5] 3{ 1:^9 2:1 } } " TABLES },
	{ "text of a label", TYPE "2{ 2[5] 3{ 1:1 2:^9 } } " TABLES },
	{ "unit of a label", TYPE "2{ 2[5] 3{ 1:1 3:1 4:^9 } } " TABLES },
	{ "function that is not there",
	  TYPE "2{ 1[9] 2[5] } 4{ 1:9 4{ 1:^3 } } " TABLES },
	{ "mapping that is not there",
	  TYPE "2{ 1[9] 2[5] } 4{ 1:9 2:^3 } " TABLES },
	{ "name of a function",
	  TYPE "2{ 1[9] 2[5] } 4{ 1:9 4{ 1:9 } } 5{ 1:9 2:^9 } " TABLES },
	{ "file of a mapping",
	  TYPE "2{ 1[9] 2[5] } 4{ 1:9 2:1 } 3{ 1:1 5:^9 } " TABLES },
	{ "two locations of one id", TYPE "4{ ^1:1 } " TABLES },
	{ "two functions of one id, far away",
	  TYPE "5{ 1:9000000000 } 5{ ^1:9000000000 } " TABLES },
	{ "location without an id", TYPE "4{ ^4{} } " TABLES },
	{ "mapping with the id 0", TYPE "3{ ^1:0 2:5 } " TABLES },
	{ "first string that is not empty", TYPE "6'^x' " TABLES },
	{ "comment", TYPE "13:^77 " TABLES },
	{ "drop frames", TYPE "7:^77 " TABLES },
	{ "default type", TYPE "14:^77 " TABLES },
	{ "cut off", TYPE TABLES "=1205 ^" },
};

TEST(refuses)
{
	for (size_t i = 0; i < op_countof(bad); i++) {
		struct op_err err = { 0 };
		struct op_model m;
		bool two = !strncmp(bad[i].name, "two loc", 7);

		wire_set(&w, bad[i].text);
		if (!decode(&m, wire_view(&w), &err)) {
			TEST_FAIL("%s: taken", bad[i].name);
			op_model_free(&m);
			continue;
		}
		CHECK_EQ(err.code, OP_EFORMAT);
		/* Of two the second is told. */
		if (!two && (!err.has_at || err.at != w.mark))
			TEST_FAIL("%s: at %llu, not %zu: %.80s", bad[i].name,
				  (unsigned long long)err.at, w.mark, err.text);
	}
}

TEST(tables)
{
	struct op_err err = { 0 };
	const struct op_attr *a;
	struct op_model m;

	/* Two mappings, of which the second is met first. */
	wire_set(&w,
		 TYPE "2{ 1[2 1] 2[5] } "
		      "3{ 6:6 8:1 1:1 2:0x1000 3:0x2000 4:0x30 5:3 6:5 7:1 8:0 "
		      "10:1 } 3{ 1:2 5:4 6:6 8:1 9:1 } 3{ 1:3 5:1 } "
		      "4{ 1:1 2:1 3:0x1234 4{ 1:1 2:7 3:9 } } 4{ 1:2 2:2 5:1 } "
		      "5{ 1:1 2:3 3:4 4:1 5:77 } " STRINGS "6'ab01' 6'go/x'");
	CHECK(!decode(&m, wire_view(&w), &err));
	CHECK_EQ(m.dict.nr[OP_MAPPINGS], 3);
	CHECK_EQ(m.dict.mappings[1].start, 0x1000);
	CHECK_EQ(m.dict.mappings[1].limit, 0x2000);
	CHECK_EQ(m.dict.mappings[1].offset, 0x30);
	CHECK(op_view_is(op_string(&m, m.dict.mappings[1].filename), "main"));
	CHECK(op_view_is(op_string(&m, m.dict.mappings[2].filename), "work"));
	a = op_set_find(&m, m.dict.mappings[1].attrs, OP_ATTR_BUILD_ID_GNU);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "ab01"));
	a = op_set_find(&m, m.dict.mappings[2].attrs, OP_ATTR_BUILD_ID_GO);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "go/x"));
	CHECK(op_set_find(&m, m.dict.mappings[1].attrs, OP_ATTR_HAS_FUNCTIONS));
	CHECK(op_set_find(&m, m.dict.mappings[1].attrs,
			  OP_ATTR_HAS_INLINE_FRAMES));
	CHECK(!op_set_find(&m, m.dict.mappings[1].attrs,
			   OP_ATTR_HAS_FILENAMES));
	CHECK(op_set_find(&m, m.dict.mappings[2].attrs, OP_ATTR_HAS_FILENAMES));
	CHECK(op_set_find(&m, m.dict.mappings[2].attrs,
			  OP_ATTR_HAS_LINE_NUMBERS));
	CHECK_EQ(m.dict.functions[1].start_line, 77);
	CHECK_EQ(m.dict.lines[0].line, 7);
	CHECK_EQ(m.dict.lines[0].column, 9);
	CHECK(m.normal);
	op_model_free(&m);

	/* A mapping whose only location is in no stack. */
	wire_set(&w, TYPE "2{ 1[1] 2[5] } 3{ 1:1 5:3 } 4{ 1:3 2:1 } " TABLES);
	CHECK(!decode(&m, wire_view(&w), &err));
	CHECK(!m.normal);
	op_model_free(&m);
}

TEST(limits)
{
	struct op_err err = { 0 };
	struct op_model m;

	w.n = 0;
	for (int i = 0; i < 1025; i++)
		wire_add(&w, "1{ 1:0 }");
	CHECK_EQ(decode(&m, wire_view(&w), &err), OP_ELIMIT);
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model m;

		wire_set(&w,
			 TYPE "2{ 1[2 1] 2[5] 3{ 1:1 2:2 } 3{ 1:1 3:4 4:1 } "
			      "3{ 1:1 3:4 4:2 } } 3{ 1:1 5:3 6:4 7:1 } "
			      "4{ 1:3 2:1 } 13[3 4] 14:1 " TABLES);
		if (decode(&m, wire_view(&w), &err))
			CHECK_EQ(err.code, OP_ENOMEM);
		else
			op_model_free(&m);
	}
}

TEST_MAIN(takes, refuses, tables, limits, oom)
