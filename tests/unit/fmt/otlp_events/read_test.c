// SPDX-License-Identifier: Apache-2.0
/* What events become, and which are refused. */
#include "fmt/otlp_events/otlp_events_int.h"

#include "model/semconv.h"
#include "unit/fmt/draft_fixture.h"

/* 1 cpu, 2 ms, 3 main, 4 work, 5 ns, 6 nanoseconds; stacks 1 main, 2
 * main;work */
#define STRINGS "11'' 11'cpu' 11'ms' 11'main' 11'work' 11'ns' 11'nanoseconds' "
#define STACKS "4{} 4{ 1[0] } 4{ 1[1 0] } "
#define ROWS STACKS "5{ 3{} } 5{ 3{ 1:1 } } 6{ 2:3 } 6{ 2:4 } " STRINGS
#define PROFILE(profile) "1{ 2{ 2{ " profile " } } }"
/* A clock of 1 GHz that starts at 1000 ns, and one of 1 kHz. */
#define CLOCKS "12{ 1:1000000000 2@1000 } 12{ 1:1000 2@5000000000 } "
#define SC "resource\nscope \n"
#define CPU SC "profile cpu/ms\n"

static const struct draft_row takes_rows[] = {
	/* Aggregates */
	{ "counts of a default value",
	  PROFILE("1{ 2:1 8:2 } 1{ 2:2 8:1 } 3{ 1:1 2:2 4:10 } " ROWS),
	  SC "profile cpu/ms period 10\n\tmain 20\n\tmain;work 10\n" },
	{ "one event, of the default value",
	  PROFILE("1{ 2:1 } 3{ 1:1 2:2 4:10 } " ROWS),
	  SC "profile cpu/ms period 10\n\tmain 10\n" },
	{ "counts without a default value",
	  PROFILE("1{ 2:1 8:3 } 3{ 1:1 2:2 } " ROWS), CPU "\tmain 3\n" },
	{ "values", PROFILE("1{ 2:1 7:7 } 1{ 2:2 } 3{ 1:1 2:2 } " ROWS),
	  CPU "\tmain 7\n\tmain;work 0\n" },
	{ "sums that are no more than the default values",
	  PROFILE("1{ 2:1 8:2 9:20 } 3{ 1:1 2:2 4:10 } " ROWS),
	  SC "profile cpu/ms period 10\n\tmain 20\n" },
	{ "counts and sums",
	  PROFILE("1{ 2:1 8:2 9:300 } 1{ 2:2 8:5 } 3{ 1:1 2:2 } " ROWS),
	  SC "profile cpu/count\n\tmain 2\n\tmain;work 5\n"
	     "profile cpu/ms\n\tmain 300\n\tmain;work 0\n" },
	{ "several events of a type with a clock, but no time",
	  PROFILE("1{ 2:1 8:3 } 3{ 1:1 2:2 3:0 4:10 } " CLOCKS ROWS),
	  SC "profile cpu/ms period 10\n\tmain 30\n" },
	/* Times */
	{ "times since the event before",
	  PROFILE("1{ 2:1 5:5 } 1{ 2:2 5:3 } 1{ 2:1 5:-7 } "
		  "3{ 1:1 2:2 3:0 4:10 } " CLOCKS ROWS),
	  SC "profile cpu/ms period 10\n\tmain 10@1005 10@1001\n"
	     "\tmain;work 10@1008\n" },
	{ "times since the event before of the same clock",
	  PROFILE("1{ 2:1 5:5 } 1{ 1:1 2:1 5:2 } 1{ 2:1 5:5 } "
		  "1{ 1:1 2:1 5:1 } 3{ 1:1 2:2 3:0 } "
		  "3{ 1:3 3:1 } " CLOCKS ROWS),
	  CPU "\tmain @1005 @1010\n"
	      "profile main/\n\tmain @5002000000 @5003000000\n" },
	{ "values of their own",
	  PROFILE("1{ 2:1 5:5 7:4 } 1{ 2:1 5:1 } "
		  "3{ 1:1 2:2 3:0 4:10 } " CLOCKS ROWS),
	  SC "profile cpu/ms period 10\n\tmain 4@1005 10@1006\n" },
	{ "a time before the clock's start",
	  PROFILE("1{ 2:1 5:-7 } 3{ 1:1 2:2 3:0 } " CLOCKS ROWS),
	  CPU "\tmain @993\n" },
	/* Durations */
	{ "events that last",
	  PROFILE("1{ 2:1 5:5 6:9 } 1{ 2:1 5:5 } 3{ 1:1 3:0 } " CLOCKS ROWS),
	  SC "profile cpu/ns\n\tmain 9@1005 0@1010\n" },
	{ "in ticks of their clock",
	  PROFILE("1{ 2:1 5:5 6:9 } 3{ 1:1 2:6 3:1 } " CLOCKS ROWS),
	  SC "profile cpu/nanoseconds\n\tmain 9000000@5005000000\n" },
	{ "events that last and have values",
	  PROFILE("1{ 2:1 5:5 6:9 } 3{ 1:1 2:2 3:0 4:10 } " CLOCKS ROWS),
	  SC "profile cpu/ms period 10\n\tmain 10@1005\n"
	     "profile cpu/ns\n\tmain 9@1005\n" },
	/* The rest */
	{ "no events", PROFILE("3{ 1:1 2:2 } " ROWS), CPU },
	{ "no types", PROFILE(ROWS), SC },
	{ "the profile's end, its duration and a comment",
	  PROFILE("16@1500 17:500 18[3] 3{ 1:1 2:2 } " ROWS),
	  SC "profile cpu/ms 1000+500 "
	     "pprof.profile.comment=(kind 5, 1 elements):main\n" },
	{ "attributes of a type and of an event",
	  PROFILE("1{ 2:1 4[1 2] 8:3 } 3{ 1:1 2:2 7:0 } "
		  "8{ 1:3 2{ 1:4 } } 8{ 1:4 2{ 3:7 } } "
		  "8{ 1:1 2{ 5{ 1{ 1:3 } 1{ 2:1 } } } } " ROWS),
	  SC "profile cpu/ms main=work\n\tmain 3 "
	     "cpu=(kind 5, 2 elements):main,true work=7\n" },
	{ "a link that is the first",
	  PROFILE("1{ 2:1 3:0 8:3 } 1{ 2:1 8:4 } 3{ 1:1 2:2 } "
		  "10{ 1#07000000000000000000000000000000 "
		  "2#0700000000000000 } " ROWS),
	  CPU "\tmain 3 #7\n\tmain 4\n" },
	{ "no stack", PROFILE("1{ 8:3 } 3{ 1:1 2:2 } " STRINGS),
	  CPU "\t- 3\n" },
};

TEST(takes)
{
	draft_takes(op_events_decode, takes_rows, op_countof(takes_rows));
}

static const struct draft_row refuses_rows[] = {
	{ "event type", PROFILE("1{ ^1:1 } 3{}"),
	  "event type index 1 is out of range for a table of 1" },
	{ "stack", PROFILE("1{ ^2:3 } 3{} " ROWS),
	  "stack index 3 is out of range for a table of 3" },
	{ "no stacks", PROFILE("1{ ^2:1 } 3{}"),
	  "stack index 1 is out of range for a table of 0" },
	{ "clock", PROFILE("3{ 3:^0 }"),
	  "clock index 0 is out of range for a table of 0" },
	{ "clock without a frequency", PROFILE("1{ ^5:1 } 3{ 3:0 } 12{ 2@7 }"),
	  "an event refers to a clock without a frequency" },
	{ "before 1970", PROFILE("1{ ^5:-1001 } 3{ 3:0 } " CLOCKS),
	  "an event before 1970 or after 2262" },
	{ "after 2262", PROFILE("1{ ^5:9223372036854775807 } 3{ 3:1 } " CLOCKS),
	  "an event before 1970 or after 2262" },
	{ "attribute", PROFILE("1{ 4:^2 } 3{} 8{}"),
	  "attribute index 2 is out of range for a table of 1" },
	{ "key of an attribute", PROFILE("1{ 4:0 } 3{} 8{ 1:^9 } 11''"),
	  "string index 9 is out of range for a table of 1" },
	{ "text of an attribute", PROFILE("1{ 4:0 } 3{} 8{ 2{ 1:^9 } } 11''"),
	  "string index 9 is out of range for a table of 1" },
	{ "link", PROFILE("1{ ^3:0 } 3{}"),
	  "link index 0 is out of range for a table of 0" },
	{ "name", PROFILE("3{ 1:^1 } 11''"),
	  "string index 1 is out of range for a table of 1" },
	{ "comment", PROFILE("^18:7"),
	  "string index 7 is out of range for a table of 0" },
	{ "cut off", "=0a05 ^=12", "5 bytes declared, but only 1 are left" },
};

TEST(refuses)
{
	draft_refuses(op_events_decode, OP_EFORMAT, refuses_rows,
		      op_countof(refuses_rows));
}

TEST(tables)
{
	static struct wire w;
	struct op_err err = { 0 };
	const struct op_attr *a;
	struct op_model m;

	wire_set(&w, PROFILE("1{ 2:1 } 3{} 4{} 4{ 1[1 0] } 5{ 2:0x1234 3{ 2:7 "
			     "3:9 } } 5{ 1:1 4:1 5:3 6[0] } 6{ 1:4 2:3 3:4 4:1 "
			     "5:77 } 7{ 1:0x1000 2:0x2000 3:0x30 4:3 5:7 } "
			     "7{ 5:8 6:1 7[0] 8:1 11:1 } 8{ 1:4 } " STRINGS
			     "11'ab01' 11'0123'"));
	CHECK(!draft_decode(op_events_decode, &m, wire_view(&w), &err));
	CHECK_EQ(m.dict.mappings[1].start, 0x1000);
	CHECK_EQ(m.dict.mappings[1].limit, 0x2000);
	CHECK_EQ(m.dict.mappings[1].offset, 0x30);
	a = op_set_find(&m, m.dict.mappings[1].attrs, OP_ATTR_BUILD_ID_GNU);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "ab01"));
	a = op_set_find(&m, m.dict.mappings[2].attrs, OP_ATTR_BUILD_ID_HTLHASH);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "0123"));
	CHECK(op_set_find(&m, m.dict.mappings[2].attrs, OP_ATTR_HAS_FUNCTIONS));
	CHECK(op_set_find(&m, m.dict.mappings[2].attrs, "work"));
	a = op_set_find(&m, m.dict.locations[1].attrs, OP_ATTR_FRAME_TYPE);
	CHECK(a && op_view_is(op_any_text(&m, &a->value), "main"));
	CHECK(op_set_find(&m, m.dict.locations[1].attrs, OP_ATTR_IS_FOLDED));
	CHECK_EQ(m.dict.locations[2].address, 0x1234);
	CHECK_EQ(m.dict.lines[0].column, 9);
	CHECK_EQ(m.dict.functions[1].start_line, 77);
	op_model_free(&m);
}

TEST_MAIN(takes, refuses, tables)
