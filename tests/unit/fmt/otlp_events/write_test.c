// SPDX-License-Identifier: Apache-2.0
/* What events the writer makes of models, and that the reader gets them
 * back. */
#include "fmt/otlp_events/otlp_events_int.h"

#include "unit/fmt/draft_fixture.h"

#define BOTH op_events_encode, op_events_decode

static const struct draft_model models[] = {
	{ "one", { { .samples = "main;work 5\nmain 3" } }, 1, NULL },
	{ "counts",
	  { { .samples = "main 5\nwork 0", .unit = "count" } },
	  1,
	  NULL },
	{ "negative",
	  { { .samples = "main -5\nwork 0" },
	    { .samples = "main -5", .unit = "count" },
	    { .samples = "main -5@1 3@2" } },
	  3,
	  NULL },
	{ "attributes and a link",
	  { { .samples = "main 5 k=v a= #7\nmain 6 #8\nmain 7" } },
	  1,
	  NULL },
	{ "times",
	  { { .samples = "main 5@7 6@1\nwork 1@3" } },
	  1,
	  "resource\nscope \nprofile cpu/nanoseconds\n\tmain 6@1 5@7\n"
	  "\twork 1@3\n" },
	{ "times without values",
	  { { .samples = "main @1 @2" } },
	  1,
	  "resource\nscope \nprofile cpu/nanoseconds\n\tmain @1 @2\n" },
	{ "the same, of another unit",
	  { { .samples = "main @1 @2", .unit = "count" } },
	  1,
	  "resource\nscope \nprofile cpu/count\n\tmain @1 @2\n" },
	{ "no stack", { { .samples = "- 5\nmain 6" } }, 1, NULL },
	{ "no samples", { { .samples = "" } }, 1, NULL },
	{ "counts and sums of the same samples",
	  { { .samples = "main 5\nwork 1", .unit = "count" },
	    { .samples = "main 50\nwork 0", .unit = "By" } },
	  2,
	  NULL },
	{ "counts and sums that are nothing",
	  { { .samples = "main 5\nwork 1", .unit = "count" },
	    { .samples = "main 0\nwork 0", .unit = "By" } },
	  2,
	  NULL },
	{ "values and durations of the same samples",
	  { { .samples = "main 5@1 0@2", .unit = "By" },
	    { .samples = "main 50@1 0@2", .unit = "ns" } },
	  2,
	  NULL },
	{ "two types of other samples",
	  { { .samples = "main 5\nwork 1" },
	    { .samples = "main 2@9\nidle 3@9", .type = "wall", .unit = "ns" } },
	  2,
	  NULL },
	{ "a period of another type is lost",
	  { { .samples = "main 5", .period = 99, .period_unit = "By" } },
	  1,
	  "resource\nscope \nprofile cpu/nanoseconds\n\tmain 5\n" },
	{ "resources, scopes, attributes and ranges",
	  { { .samples = "main 5", .resource = "host=x", .scope = "a" },
	    { .samples = "main 6",
	      .resource = "host=x",
	      .scope = "b",
	      .attrs = "k=v" },
	    { .samples = "main 7",
	      .resource = "host=y",
	      .scope = "b",
	      .time_ns = 1000,
	      .duration_ns = 20 } },
	  3,
	  NULL },
	{ "cumulative",
	  { { .samples = "main 5",
	      .attrs = "otprof.aggregation_temporality=cumulative" } },
	  1,
	  NULL },
};

TEST(reads_back)
{
	draft_reads_back(BOTH, models, op_countof(models));
}

TEST(generated)
{
	draft_generated(BOTH);
}

/* The text and the events that it becomes. */
static const struct {
	const char *name, *text, *events;
} event_rows[] = {
	{ "a period is the default value, and values are counts of it",
	  "event_types { name_string_index: 1 unit_string_index: 2 "
	  "default_value: 10 } strings: ['', 'cpu', 'ms'] "
	  "events { count: 3 } events { stack_index: 1 value: 7 }",
	  "events {\n  count: 3\n}\nevents {\n  stack_index: 1\n"
	  "  value: 7\n}\nevent_types {\n  name_string_index: 1\n"
	  "  unit_string_index: 2\n  default_value: 10\n}\n" },
	{ "events in the order of their times",
	  "event_types { clock_index: 0 } clocks { frequency: 1000 "
	  "time_unix_nano: 5 } events { stack_index: 1 time: 7 } "
	  "events { time: -3 } events { stack_index: 2 time: 4 }",
	  "events {\n}\nevents {\n  stack_index: 1\n  time: 3000000\n}\n"
	  "events {\n  stack_index: 2\n  time: 1000000\n}\n"
	  "event_types {\n  clock_index: 0\n}\n" },
	{ "counts and sums",
	  "event_types { name_string_index: 1 } strings: ['', 'a'] "
	  "events { count: 3 sum: 9 } events { stack_index: 1 sum: 8 }",
	  "events {\n  count: 3\n  sum: 9\n}\nevents {\n  stack_index: 1\n"
	  "  sum: 8\n}\nevent_types {\n  name_string_index: 1\n}\n" },
	{ "durations",
	  "event_types { clock_index: 0 } clocks { frequency: 1000000000 } "
	  "events { time: 7 duration: 9 }",
	  "events {\n  duration: 9\n}\nevent_types {\n"
	  "  unit_string_index: 1\n  clock_index: 0\n}\n" },
};

TEST(events)
{
	for (size_t i = 0; i < op_countof(event_rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_model m = { 0 };
		size_t n = strlen(event_rows[i].events);

		CHECK(!op_events_text_read(&m, op_view_z(event_rows[i].text),
					   &err));
		CHECK(!op_events_text_write(&m, NULL, &out));
		op_buf_byte(&out, 0);
		if (out.n < n || memcmp(out.p, event_rows[i].events, n))
			TEST_FAIL("%s: %.150s", event_rows[i].name,
				  (const char *)out.p);
		op_buf_free(&out);
		op_model_free(&m);
	}
}

TEST(oom)
{
	draft_oom(
		BOTH,
		"1{ 1{ 1{ 1'h' 2{ 1'x' } } } 2{ 1{ 1'lib' } 2{ 1{ 2:1 4[0 1] "
		"3:1 5:7 } 1{ 1:1 2:1 8:3 9:7 } 3{ 1:1 2:2 3:0 4:10 7[1] } "
		"3{ 1:2 } 4{} 4{ 1[0 1] } 5{ 3{} 6[0] } 5{ 4:1 5:1 } 6{ 2:1 } "
		"7{ 4:1 5:2 6:1 7[1] 8:1 } 8{ 1:1 2{ 1:2 } } 8{ 1:2 2{ 5{ 1{ "
		"1:1 } 1{ 6{ 1{ 1:1 2{ 3:1 } } } } } } } 10{} 10{ "
		"1#07000000000000000000000000000000 2#0700000000000000 } "
		"11'' 11'cpu' 11'ns' 12{ 1:1000 2@7 } 16@100 17:7 18[1 2] } "
		"} }");
}

TEST_MAIN(reads_back, generated, events, oom)
