// SPDX-License-Identifier: Apache-2.0
/* What the reader of the "arrays" draft takes and makes of it, and what it
 * refuses. */
#include "fmt/otep_arrays/otep_arrays_int.h"

#include "model/semconv.h"
#include "unit/fmt/draft_fixture.h"

/* 1 cpu, 2 ns, 3 main, 4 work; locations and stacks: 0 main, 1 main;work */
#define STRINGS "13'' 13'cpu' 13'ns' 13'main' 13'work' "
#define STACKS "7{ 1[0] } 7{ 1[0 1] } "
#define ROWS STACKS "9{ 3{} } 9{ 3{ 1:1 } } 10{ 1:3 } 10{ 1:4 } " STRINGS
#define PROFILE(profile) "1{ 2{ 2{ " profile " } } }"
#define TYPE "1:1 3:1 4:2 "
#define SC "resource\nscope \n"
#define HEAD SC "profile cpu/ns\n"

static const struct draft_row takes_rows[] = {
	/* The payload that the draft shows, field by field. */
	{ "the draft's example",
	  "1{ 1{} 3'todo' 2{ 1{} 2{ "
	  "12{} 12{ 1{ 1'region' 2{ 1'us' } } } "
	  "10{ 1:1 } 10{ 1:2 } 10{ 1:3 } "
	  "11{ 1'' 2'' } 11{ 1#01020304010203040102030401020304 "
	  "2#9999999999999999 } "
	  "9{ 3{} } 9{ 3{ 1:1 } } 9{ 3{ 1:2 } } "
	  "14{ 12[1 1] 11[1 0] 10[0 1] 14[1687841528000000 0] 13[100 200] } "
	  "7{ 1[0 1 2] } 7{ 1[0 1] } 13'' 13'foo' 13'bar' 13'baz' "
	  "1#0102030405060708090a0b0c0d0e0f10 } } }",
	  "resource\nscope \nprofile / id 1\n"
	  "\tfoo;bar;baz 100@1687841528000000000 region=us #1\n"
	  "profile /\n\tfoo;bar 200 region=us\n" },
	{ "stacks go from the root", PROFILE("14{ " TYPE "10[1] 13[5] } " ROWS),
	  HEAD "\tmain;work 5\n" },
	{ "lists in parts, not packed",
	  PROFILE("14{ " TYPE "10:1 13:5 10:0 13:6 } " ROWS),
	  HEAD "\tmain 6\n\tmain;work 5\n" },
	{ "equal samples are one",
	  PROFILE("14{ " TYPE "10[0 1 0] 13[5 1 7] } " ROWS),
	  HEAD "\tmain 12\n\tmain;work 1\n" },
	{ "a negative value", PROFILE("14{ " TYPE "10[0] 13[-5] } " ROWS),
	  HEAD "\tmain -5\n" },
	{ "two types, the first is the default",
	  PROFILE("14{ " TYPE "10[0] 13[5] } 14{ 3:3 10[1] 13[6] } " ROWS),
	  HEAD "\tmain 5\nprofile main/\n\tmain;work 6\n" },
	{ "cumulative", PROFILE("14{ 1:2 3:1 4:2 10[0] 13[5] } " ROWS),
	  SC "profile cpu/ns otprof.aggregation_temporality=cumulative\n"
	     "\tmain 5\n" },
	{ "sample rate", PROFILE("14{ 2:99 " TYPE "10[0] 13[5] } " ROWS),
	  SC "profile cpu/ns period 10101010\n\tmain 5\n" },
	{ "attribute sets",
	  PROFILE("14{ " TYPE "10[0 1 1] 12[1 0 2] 13[5 6 7] } 12{} "
		  "12{ 1{ 1'a' 2{ 1'b' } } 1{ 1'c' 2{ 3:7 } } } "
		  "12{ 1{ 1'c' 2{ 3:7 } } 2:4 } " ROWS),
	  HEAD "\tmain 5 a=b c=7\n\tmain;work 6\n\tmain;work 7 c=7\n" },
	{ "set and link 0 of no table",
	  PROFILE("14{ " TYPE "10[0] 11[0] 12[0] 13[5] } " ROWS),
	  HEAD "\tmain 5\n" },
	{ "a time of 0 is none",
	  PROFILE("14{ " TYPE "10[0 0 1] 13[5 6 7] "
		  "14[1700000000000000001 0 1700000000000] } " ROWS),
	  HEAD "\tmain 5@1700000000000000001\n"
	       "\tmain;work 7@1700000000000000000\n"
	       "profile cpu/ns\n\tmain 6\n" },
	{ "times that are said to be ns",
	  PROFILE("4{ 1'otprof.time_unit' 2{ 1'ns' } } 14{ " TYPE
		  "10[0] 13[5] 14[17] } " ROWS),
	  HEAD "\tmain 5@17\n" },
	{ "range and attributes",
	  PROFILE("2@1000 3@1500 4{ 1'a' 2{ 1'b' } } 14{ " TYPE "} " ROWS),
	  SC "profile cpu/ns 1000+500 a=b\n" },
	{ "no type", PROFILE("2@1000 " STRINGS), SC "profile / 1000+0\n" },
	{ "nothing", PROFILE(""), SC "profile /\n" },
};

TEST(takes)
{
	draft_takes(op_otep_arrays_decode, takes_rows, op_countof(takes_rows));
}

static const struct draft_row refuses_rows[] = {
	{ "stack", PROFILE("14{ ^" TYPE "10[2] 13[5] } " ROWS),
	  "stack index 2 is out of range for a table of 2" },
	{ "no stacks", PROFILE("14{ ^10[0] 13[5] }"),
	  "stack index 0 is out of range for a table of 0" },
	{ "location", PROFILE("7{ 1[0 ^7] } 9{} 14{ 10[0] 13[5] }"),
	  "location index 7 is out of range for a table of 1" },
	{ "function",
	  PROFILE("7{ 1[0] } 9{ 3{ 1:^3 } } 10{} 14{ 10[0] 13[5] }"),
	  "function index 3 is out of range for a table of 1" },
	{ "mapping", PROFILE("8{} 9{ 1:^3 }"),
	  "mapping index 3 is out of range for a table of 1" },
	{ "attribute set", PROFILE("14{ ^10[0] 12[1] 13[5] } 12{} 7{}"),
	  "attribute set index 1 is out of range for a table of 1" },
	{ "attribute set of a location",
	  PROFILE("7{ 1[0] } 9{ 5[^4] } 12{} 14{ 10[0] 13[5] }"),
	  "attribute set index 4 is out of range for a table of 1" },
	{ "link", PROFILE("14{ ^10[0] 11[1] 13[5] } 7{}"),
	  "link index 1 is out of range for a table of 0" },
	{ "string", PROFILE("14{ 3:^9 } 13''"),
	  "string index 9 is out of range for a table of 1" },
	{ "first string", PROFILE("13'^x'"), "the first string is not empty" },
	{ "values", PROFILE("14{ ^10[0 0] 13[5] } 7{}"),
	  "1 values, but 2 stacks" },
	{ "no values", PROFILE("14{ ^10[0] } 7{}"), "0 values, but 1 stacks" },
	{ "links", PROFILE("14{ ^10[0] 13[5] 11[0 0] } 7{}"),
	  "2 links, but 1 stacks" },
	{ "sets", PROFILE("14{ ^10[0] 13[5] 12[0 0] } 7{}"),
	  "2 attribute sets, but 1 stacks" },
	{ "times", PROFILE("14{ ^10[0] 13[5] 14[7 0 0] } 7{}"),
	  "3 timestamps, but 1 stacks" },
	{ "profile id", PROFILE("1#^0102 14{}"),
	  "an id of 2 bytes, must be 16" },
	{ "cut off", "=0a05 ^=12", "5 bytes declared, but only 1 are left" },
};

TEST(refuses)
{
	draft_refuses(op_otep_arrays_decode, OP_EFORMAT, refuses_rows,
		      op_countof(refuses_rows));
}

TEST(tables)
{
	static struct wire w;
	struct op_err err = { 0 };
	const struct op_attr *a;
	struct op_model m;

	wire_set(&w, PROFILE("14{ 10[0] 13[5] } 7{ 1[0 1] } 6'payload' 5:3 "
			     "8{ 1:0x1000 2:0x2000 3:0x30 4:3 5:5 6:1 } "
			     "8{ 5:6 7[1 2] } 9{ 2:0x1234 3{ 2:7 } } "
			     "9{ 1:1 5[2] } 10{ 1:3 2:4 3:1 4:77 } 12{} "
			     "12{ 1{ 1'a' } } 12{ 1{ 1'b' } } " STRINGS
			     "13'ab01' 13'go/x'"));
	CHECK(!draft_decode(op_otep_arrays_decode, &m, wire_view(&w), &err));
	CHECK_EQ(m.dict.mappings[1].start, 0x1000);
	CHECK_EQ(m.dict.mappings[1].limit, 0x2000);
	CHECK_EQ(m.dict.mappings[1].offset, 0x30);
	CHECK(op_view_is(op_string(&m, m.dict.mappings[1].filename), "main"));
	a = op_set_find(&m, m.dict.mappings[1].attrs, OP_ATTR_BUILD_ID_GNU);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "ab01"));
	CHECK(op_set_find(&m, m.dict.mappings[1].attrs, OP_ATTR_HAS_FUNCTIONS));
	CHECK(op_set_find(&m, m.dict.mappings[1].attrs,
			  OP_ATTR_HAS_INLINE_FRAMES));
	a = op_set_find(&m, m.dict.mappings[2].attrs, OP_ATTR_BUILD_ID_GO);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "go/x"));
	CHECK(op_set_find(&m, m.dict.mappings[2].attrs, "a"));
	CHECK(op_set_find(&m, m.dict.mappings[2].attrs, "b"));
	CHECK_EQ(m.dict.locations[1].address, 0x1234);
	CHECK_EQ(m.dict.locations[2].mapping, 2);
	CHECK(op_set_find(&m, m.dict.locations[2].attrs, "b"));
	CHECK_EQ(m.dict.lines[0].line, 7);
	CHECK_EQ(m.dict.functions[1].start_line, 77);
	CHECK_EQ(m.resources[0].scopes[0].profiles[0].dropped_attrs, 3);
	CHECK(op_view_is(m.resources[0].scopes[0].profiles[0].payload,
			 "payload"));
	op_model_free(&m);
}

TEST_MAIN(takes, refuses, tables)
