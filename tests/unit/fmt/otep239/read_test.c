// SPDX-License-Identifier: Apache-2.0
/* What the reader of OTEP 239 takes and makes of it, and what it refuses. */
#include "fmt/otep239/otep239_int.h"

#include "model/semconv.h"
#include "unit/fmt/draft_fixture.h"

/* 1 cpu, 2 ns, 3 main, 4 work, 5 k */
#define STRINGS "6'' 6'cpu' 6'ns' 6'main' 6'work' 6'k' "
#define ROWS "4{ 4{ 1:0 } } 4{ 4{ 1:1 } } 5{ 2:3 } 5{ 2:4 } " STRINGS
#define TYPE "1{ 1:1 2:2 3:1 } "
#define IN(container) "1{ 2{ 2{ " container " } } }"
#define PROFILE(profile) IN("8{ " profile " }")
#define SC "resource\nscope \n"
#define HEAD SC "profile cpu/ns\n"
#define PLAIN HEAD "\tmain;work 5\n"

static const struct draft_row takes_rows[] = {
	{ "a slice of the list",
	  PROFILE(TYPE "2{ 2[5] 7:1 8:2 } 15[0 1 0] " ROWS), PLAIN },
	{ "the list in two parts",
	  PROFILE(TYPE "15[0 1] 2{ 2[5] 7:1 8:2 } 15:0 " ROWS), PLAIN },
	{ "the samples' own locations, by place",
	  PROFILE(TYPE "2{ 1[1 0] 2[5] } " ROWS), PLAIN },
	{ "slices may overlap",
	  PROFILE(TYPE "2{ 2[5] 8:2 } 2{ 2[1] 7:1 8:1 } 15[1 0] " ROWS),
	  HEAD "\tmain 1\n\tmain;work 5\n" },
	{ "no stack", PROFILE(TYPE "2{ 2[5] } " ROWS), HEAD "\t- 5\n" },
	{ "no samples", PROFILE(TYPE ROWS), HEAD },
	{ "no types: samples are counted",
	  PROFILE("2{ 8:2 } 2{ 8:2 } 15[1 0] " ROWS),
	  SC "profile /\n\tmain;work 2\n" },
	{ "no profile in the container", IN("1#"), SC "profile /\n" },
	{ "two types, the last is the default",
	  PROFILE(TYPE "1{ 1:3 2:2 } 2{ 2[5 6] 8:1 } 15[0] " ROWS),
	  SC "profile main/ns\n\tmain 6\nprofile cpu/ns\n\tmain 5\n" },
	{ "two types, one named as the default",
	  PROFILE(TYPE "1{ 1:3 2:2 } 2{ 2[5 6] 8:1 } 14:1 15[0] " ROWS),
	  HEAD "\tmain 5\nprofile main/ns\n\tmain 6\n" },
	{ "cumulative", PROFILE("1{ 1:1 2:2 3:2 } 2{ 2[5] 8:1 } 15[0] " ROWS),
	  SC "profile cpu/ns otprof.aggregation_temporality=cumulative\n"
	     "\tmain 5\n" },
	{ "attributes of the container",
	  IN("4{ 1'a' 2{ 1'b' } } 8{ " TYPE ROWS "}"),
	  SC "profile cpu/ns a=b\n" },
	{ "attributes by place",
	  PROFILE(TYPE "2{ 2[5] 8:1 10[1 0] } 15[0] 16{ 1'a' 2{ 1'b' } } "
		       "16{ 1'c' 2{ 3:7 } } " ROWS),
	  HEAD "\tmain 5 a=b c=7\n" },
	{ "labels of pprof",
	  PROFILE(TYPE
		  "2{ 2[5] 8:1 3{ 1:5 2:3 } 3{ 1:4 3:9 4:2 } } 15[0] " ROWS),
	  HEAD "\tmain 5 k=main work=9/ns\n" },
	{ "a link, and one that is none",
	  PROFILE(TYPE "2{ 2[5] 8:1 12:1 } 2{ 2[7] 8:1 12:0 } 2{ 2[9] 8:1 } "
		       "15[0] 18{} 18{ 1#07000000000000000000000000000000 "
		       "2#0700000000000000 } " ROWS),
	  HEAD "\tmain 16\n\tmain 5 #7\n" },
	{ "times in ns share a value",
	  PROFILE(TYPE "2{ 2[10] 8:1 13[1700000000000000001 "
		       "1700000000000000002] } 15[0] " ROWS),
	  HEAD "\tmain 5@1700000000000000001 5@1700000000000000002\n" },
	{ "times in ms",
	  PROFILE(TYPE "2{ 2[1] 8:1 13[1700000000001 1700000000002] } "
		       "15[0] " ROWS),
	  HEAD "\tmain @1700000000001000000 @1700000000002000000\n" },
	{ "times in us, as the draft's example has them",
	  PROFILE(TYPE "2{ 2[100] 8:1 13:1687841528000000 } 15[0] " ROWS),
	  HEAD "\tmain 100@1687841528000000000\n" },
	{ "times that are said to be ns",
	  IN("4{ 1'otprof.time_unit' 2{ 1'ns' } } 8{ " TYPE
	     "2{ 2[3] 8:1 13[17] } 15[0] " ROWS "}"),
	  HEAD "\tmain 3@17\n" },
	{ "with times and without are two profiles",
	  PROFILE(TYPE "2{ 2[5] 8:1 } 2{ 2[5] 8:1 13:1700000000000 } "
		       "15[0] " ROWS),
	  HEAD "\tmain 5\nprofile cpu/ns\n\tmain 5@1700000000000000000\n" },
	{ "the range of the container",
	  IN("2@1000 3@1500 8{ 9:7 10:8 " TYPE ROWS "}"),
	  SC "profile cpu/ns 1000+500\n" },
	{ "the range of the profile", PROFILE("9:1000 10:500 " TYPE ROWS),
	  SC "profile cpu/ns 1000+500\n" },
	{ "period", PROFILE("11{ 1:1 2:2 } 12:99 " TYPE ROWS),
	  SC "profile cpu/ns period 99\n" },
	{ "rows with ids that nobody uses: 0 is referred to",
	  PROFILE(TYPE "2{ 2[5] 8:2 } 15[1 0] 4{ 1:1 4{} } 4{ 1:2 4{ 1:1 } } "
		       "5{ 1:1 2:3 } 5{ 1:2 2:4 } " STRINGS),
	  PLAIN },
	/* pprof, whose rows have ids */
	{ "pprof in a container",
	  PROFILE(TYPE "2{ 1[2 1] 2[5] } 4{ 1:1 4{ 1:1 } } 4{ 1:2 4{ 1:2 } } "
		       "5{ 1:1 2:3 } 5{ 1:2 2:4 } " STRINGS),
	  PLAIN },
	{ "slices of ids",
	  PROFILE(TYPE "2{ 2[5] 8:2 } 15[2 1] 4{ 1:1 4{ 1:9 } } "
		       "4{ 1:2 4{ 1:2 } } 5{ 1:9 2:3 } 5{ 1:2 2:4 } " STRINGS),
	  PLAIN },
	{ "pprof alone",
	  TYPE "2{ 1[2 1] 2[5] } 4{ 1:1 4{ 1:1 } } 4{ 1:2 4{ 1:2 } } "
	       "5{ 1:1 2:3 } 5{ 1:2 2:4 } 15:3 " STRINGS,
	  SC "profile cpu/ns pprof.profile.doc_url=main\n\tmain;work 5\n" },
	{ "a profile alone", TYPE "2{ 2[5] 8:2 } 15[1 0] " ROWS, PLAIN },
	{ "unknown fields",
	  PROFILE("99'x' 98:1 " TYPE "2{ 2[5] 8:2 99:1 } "
		  "15[1 0] " ROWS),
	  PLAIN },
};

TEST(takes)
{
	draft_takes(op_otep239_decode, takes_rows, op_countof(takes_rows));
}

static const struct draft_row refuses_rows[] = {
	{ "location", PROFILE(TYPE "2{ ^2[5] 8:1 } 15[2] " ROWS),
	  "location index 2 is out of range for a table of 2" },
	{ "no locations", PROFILE(TYPE "2{ ^2[5] 8:1 } 15[0] " STRINGS),
	  "location index 0 is out of range for a table of 0" },
	{ "slice", PROFILE(TYPE "2{ ^2[5] 7:1 8:2 } 15[0 0] " ROWS),
	  "a slice of locations (first 1, length 2) is out of range for a list "
	  "of 2" },
	{ "slice that wraps",
	  PROFILE(TYPE "2{ ^2[5] 7:1 8:0xffffffffffffffff } 15[0 0] " ROWS),
	  "a slice of locations (first 1, length 18446744073709551615) is out "
	  "of range for a list of 2" },
	{ "function",
	  PROFILE(TYPE "2{ 2[5] 8:1 } 15[0] 4{ 4{ 1:^5 } } 5{ 2:3 } " STRINGS),
	  "function index 5 is out of range for a table of 1" },
	{ "mapping", PROFILE(TYPE "3{} 4{ 2:^3 } " STRINGS),
	  "mapping index 3 is out of range for a table of 1" },
	{ "string", PROFILE("1{ 1:^9 } 6''"),
	  "string index 9 is out of range for a table of 1" },
	{ "first string", PROFILE("6'^x'"), "the first string is not empty" },
	{ "attribute", PROFILE(TYPE "2{ 2[5] 10:^2 } 16{} " ROWS),
	  "attribute index 2 is out of range for a table of 1" },
	{ "link", PROFILE(TYPE "2{ 2[5] 12:^2 } 18{} " ROWS),
	  "link index 2 is out of range for a table of 1" },
	{ "link id", PROFILE(TYPE "2{ 2[5] 12:0 } 18{ 1#^00 } " ROWS),
	  "an id of 1 bytes, must be 16" },
	{ "profile id", IN("1#^0102 8{}"), "an id of 2 bytes, must be 16" },
	{ "values", PROFILE(TYPE "2{ ^2[5 6] } " ROWS),
	  "a sample has 2 values, but there are 1 types" },
	{ "comment", PROFILE("^13[9] 6''"),
	  "string index 9 is out of range for a table of 1" },
	{ "id of a location", PROFILE(TYPE "2{ ^1[7] 2[5] } 4{ 1:1 } " STRINGS),
	  "there is no location with the id 7" },
	{ "cut off", "=0a05 ^=12", "5 bytes declared, but only 1 are left" },
};

TEST(refuses)
{
	draft_refuses(op_otep239_decode, OP_EFORMAT, refuses_rows,
		      op_countof(refuses_rows));
}

TEST(tables)
{
	static struct wire w;
	struct op_err err = { 0 };
	const struct op_attr *a;
	struct op_model m;

	/* Two mappings, of which the second is met first. */
	wire_set(&w,
		 PROFILE(TYPE "2{ 2[5] 8:2 } 15[1 0] 3{ 2:0x1000 3:0x2000 "
			      "4:0x30 5:3 6:6 7:1 10:1 } 3{ 5:4 6:7 11:1 12[0] "
			      "} 4{ 3:0x1234 4{ 2:7 3:9 } } 4{ 2:1 5:1 6:8 } "
			      "5{ 2:3 3:4 4:1 5:77 } 16{ 1'k' 2{ 3:1 } } "
			      "17{ 1:5 2:2 } " STRINGS
			      "6'ab01' 6'0123' 6'kernel' "));
	CHECK(!draft_decode(op_otep239_decode, &m, wire_view(&w), &err));
	CHECK_EQ(m.dict.nr[OP_MAPPINGS], 3);
	CHECK_EQ(m.dict.mappings[1].start, 0x1000);
	CHECK_EQ(m.dict.mappings[1].limit, 0x2000);
	CHECK_EQ(m.dict.mappings[1].offset, 0x30);
	a = op_set_find(&m, m.dict.mappings[1].attrs, OP_ATTR_BUILD_ID_GNU);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "ab01"));
	CHECK(op_set_find(&m, m.dict.mappings[1].attrs, OP_ATTR_HAS_FUNCTIONS));
	CHECK(op_set_find(&m, m.dict.mappings[1].attrs,
			  OP_ATTR_HAS_INLINE_FRAMES));
	a = op_set_find(&m, m.dict.mappings[2].attrs, OP_ATTR_BUILD_ID_HTLHASH);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "0123"));
	a = op_set_find(&m, m.dict.mappings[2].attrs, "k");
	CHECK(a && op_view_is(op_string(&m, a->unit), "ns"));
	/* Location 1 is met first: the leaf, in the second mapping. */
	CHECK_EQ(m.dict.locations[1].mapping, 2);
	CHECK(op_set_find(&m, m.dict.locations[1].attrs, OP_ATTR_IS_FOLDED));
	a = op_set_find(&m, m.dict.locations[1].attrs, OP_ATTR_FRAME_TYPE);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "kernel"));
	CHECK_EQ(m.dict.locations[2].address, 0x1234);
	CHECK_EQ(m.dict.locations[2].mapping, 1);
	CHECK_EQ(m.dict.functions[1].start_line, 77);
	CHECK_EQ(m.dict.lines[0].line, 7);
	CHECK_EQ(m.dict.lines[0].column, 9);
	op_model_free(&m);
}

TEST(head)
{
	static struct wire w;
	struct op_err err = { 0 };
	const struct op_profile *p;
	const struct op_attr *a;
	struct op_model m;

	wire_set(&w,
		 "1{ 1{ 1{ 1'host' 2{ 1'x' } } 2:4 } 2{ 1{ 1'lib' 2'9' } "
		 "2{ 1#0102030405060708090a0b0c0d0e0f10 5:6 6'jfr' 7'data' "
		 "8{ " TYPE "1{ 1:3 } 7:3 8:4 13[3 4] " ROWS "} } 3'url2' } "
		 "3'url1' }");
	CHECK(!draft_decode(op_otep239_decode, &m, wire_view(&w), &err));
	CHECK_EQ(m.resources[0].attrs.n, 1);
	CHECK_EQ(m.resources[0].dropped_attrs, 4);
	CHECK(op_view_is(m.resources[0].schema_url, "url1"));
	CHECK(op_view_is(m.resources[0].scopes[0].name, "lib"));
	CHECK(op_view_is(m.resources[0].scopes[0].version, "9"));
	CHECK(op_view_is(m.resources[0].scopes[0].schema_url, "url2"));
	p = m.resources[0].scopes[0].profiles;
	CHECK_EQ(p[0].id_len, 16);
	CHECK_EQ(p[0].id[15], 16);
	CHECK_EQ(p[0].dropped_attrs, 6);
	CHECK(op_view_is(p[0].payload, "data"));
	CHECK(op_view_is(p[0].payload_format, "jfr"));
	CHECK_EQ(p[1].id_len, 0);
	CHECK(!p[1].payload.n);
	a = op_set_find(&m, p[0].attrs, OP_ATTR_DROP_FRAMES);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "main"));
	a = op_set_find(&m, p[1].attrs, OP_ATTR_KEEP_FRAMES);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "work"));
	a = op_set_find(&m, p[1].attrs, OP_ATTR_COMMENT);
	CHECK(a && a->value.kind == OP_ANY_ARRAY && a->value.n == 2);
	op_model_free(&m);
}

/* Small input must not make much of itself. */
TEST(limits)
{
	static struct wire w;
	struct op_err err = { 0 };
	struct op_model m;

	w.n = 0;
	for (int i = 0; i < 1025; i++)
		wire_add(&w, "1{ 1:0 }");
	wire_add(&w, "15[0]");
	CHECK_EQ(draft_decode(op_otep239_decode, &m, wire_view(&w), &err),
		 OP_ELIMIT);
	CHECK_STR(err.text, "more than 1024 sample types");

	/* Slices that are all the same, of a list of 100 times 30. */
	err = (struct op_err){ 0 };
	w.n = 0;
	for (int i = 0; i < 100; i++)
		wire_add(&w, "15[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
			     "0 0 0 0 0 0 0 0]");
	wire_add(&w, "4{} 6''");
	for (int i = 0; i < 2000; i++)
		wire_add(&w, "2{ 8:3000 }");
	CHECK_EQ(draft_decode(op_otep239_decode, &m, wire_view(&w), &err),
		 OP_ELIMIT);
}

TEST_MAIN(takes, refuses, tables, head, limits)
