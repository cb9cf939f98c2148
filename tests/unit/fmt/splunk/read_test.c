// SPDX-License-Identifier: Apache-2.0
/* What is made of records whose body is a call stack. */
#include "unit/fmt/splunk/splunk_fixture.h"

#define THREAD "\"w\" #7\n\n"
#define BODY THREAD "\tat a.g(G:2)\n\tat a.main(M:1)\n"
#define OURS "1{ 1'otel.profiling' 2'0.1.0' }"
#define IN(records) "1{ 2{ " OURS " " records " } }"
#define TIME "1@1700000000000000001 "
#define ATTR(key, value) "6{ 1'" key "' 2{ " value " } } "
#define RECORD(fields) "2{ " TIME "5{ 1'" BODY "' } " fields " } "
#define HEAD "resource\nscope otel.profiling\n"
#define SAMPLE "\ta.main;a.g @1700000000000000001"
#define W " thread.id=7 thread.name=w"
#define CPU HEAD "profile samples/count 1700000000000000001+0\n"
#define PLAIN CPU SAMPLE W "\n"

static const struct {
	const char *name, *text, *result;
} takes_rows[] = {
	{ "known by its scope", IN(RECORD("")), PLAIN },
	{ "known by its attribute",
	  "1{ 2{ 1{ 1'x' } " RECORD(
		  ATTR("com.splunk.sourcetype", "1'otel.profiling'")) "} }",
	  "resource\nscope x\nprofile samples/count "
	  "1700000000000000001+0\n" SAMPLE W "\n" },
	{ "a library of that time",
	  "1{ 1000{ " OURS " " RECORD("4'otel.profiling'") "} }", PLAIN },
	{ "its period, in ms", IN(RECORD(ATTR("source.event.period", "3:10"))),
	  HEAD "profile samples/count period 10000000 "
	       "1700000000000000001+0\n" SAMPLE W "\n" },
	{ "its event", IN(RECORD(ATTR("source.event.name", "1'e'"))),
	  HEAD "profile samples/count 1700000000000000001+0 "
	       "otprof.event.type=e\n" SAMPLE W "\n" },
	{ "where it is from",
	  IN(RECORD(ATTR("profiling.instrumentation.source", "1'snapshot'"))),
	  HEAD "profile samples/count 1700000000000000001+0 "
	       "profiling.instrumentation.source=snapshot\n" SAMPLE W "\n" },
	{ "a profiler that always runs",
	  IN(RECORD(ATTR("profiling.instrumentation.source", "1'continuous'"))),
	  PLAIN },
	{ "cpu", IN(RECORD(ATTR("profiling.data.type", "1'cpu'"))), PLAIN },
	{ "an allocation",
	  IN(RECORD(ATTR("profiling.data.type", "1'allocation'")
			    ATTR("memory.allocated", "3:64"))),
	  HEAD "profile alloc_space/bytes 1700000000000000001+0\n"
	       "\ta.main;a.g 64@1700000000000000001" W "\n" },
	{ "an allocation that is not said to be one",
	  IN(RECORD(ATTR("memory.allocated", "3:64"))),
	  HEAD "profile alloc_space/bytes 1700000000000000001+0\n"
	       "\ta.main;a.g 64@1700000000000000001" W "\n" },
	{ "another kind of data",
	  IN(RECORD(ATTR("profiling.data.type", "1'lock'"))),
	  HEAD "profile lock/count 1700000000000000001+0\n" SAMPLE W "\n" },
	{ "a value of its own", IN(RECORD(ATTR("otprof.value", "3:5"))),
	  CPU "\ta.main;a.g 5@1700000000000000001" W "\n" },
	{ "no time of its own", IN(RECORD(ATTR("otprof.untimed", "2:1"))),
	  HEAD "profile samples/count\n\ta.main;a.g 1" W "\n" },
	{ "the time it was collected",
	  IN("2{ 11@1700000000000000001 5{ 1'" BODY "' } } "), PLAIN },
	{ "no time at all", IN("2{ 5{ 1'" BODY "' } } "),
	  HEAD "profile samples/count\n\ta.main;a.g 1" W "\n" },
	{ "a stack that was cut",
	  IN(RECORD(ATTR("thread.stack.truncated", "2:1"))),
	  CPU SAMPLE " thread.id=7 thread.name=w "
		     "thread.stack.truncated=true\n" },
	{ "other attributes are the sample's",
	  IN(RECORD(ATTR("k", "1'v'") ATTR("n", "3:3"))),
	  CPU SAMPLE " k=v n=3" W "\n" },
	{ "an attribute that comes again",
	  IN(RECORD(ATTR("thread.name", "1'w'"))), PLAIN },
	{ "a link",
	  IN(RECORD("9#07000000000000000000000000000000 "
		    "10#0700000000000000")),
	  CPU SAMPLE W " #7\n" },
	{ "ids of zeros, and of other lengths",
	  IN(RECORD("9#00000000000000000000000000000000 10#0102")), PLAIN },
	{ "looks at the same stack", IN(RECORD("") RECORD("")),
	  CPU "\ta.main;a.g @1700000000000000001 @1700000000000000001" W "\n" },
	{ "two periods are two profiles",
	  IN(RECORD(ATTR("source.event.period", "3:1"))
		     RECORD(ATTR("source.event.period", "3:2"))),
	  HEAD "profile samples/count period 1000000 "
	       "1700000000000000001+0\n" SAMPLE W "\n"
	       "profile samples/count period 2000000 "
	       "1700000000000000001+0\n" SAMPLE W "\n" },
	{ "a range from the first look to the last",
	  IN("2{ 1@500 5{ 1'\n\nat f(a)' } } 2{ 1@300 5{ 1'\n\nat f(a)' } }"),
	  HEAD "profile samples/count 300+200\n\tf @500 @300\n" },
	{ "a resource and scope that come again are the same",
	  "1{ 1{ 1{ 1'k' 2{ 1'v' } } } 2{ " OURS
	  " " RECORD("") "} } "
			 "1{ 1{ 1{ 1'k' 2{ 1'v' } } } 2{ " OURS
			 " " RECORD("") "} } ",
	  "resource k=v\nscope otel.profiling\n"
	  "profile samples/count 1700000000000000001+0\n"
	  "\ta.main;a.g @1700000000000000001 @1700000000000000001" W "\n" },
	{ "another resource is another",
	  "1{ 1{ 1{ 1'k' 2{ 1'v' } } } 2{ " OURS
	  " " RECORD("") "} } "
			 "1{ 2{ " OURS " " RECORD("") "} } ",
	  "resource k=v\nscope otel.profiling\n"
	  "profile samples/count 1700000000000000001+0\n" SAMPLE W "\n" PLAIN },
	{ "all that a line says of a thread",
	  IN("2{ 1@5 5{ 1'\"a\" #1 daemon prio=2 os_prio=3 cpu=4ns "
	     "elapsed=5ns tid=0x6 nid=0x7 run ning\n"
	     "   java.lang.Thread.State: RUNNABLE\n' } }"),
	  HEAD "profile samples/count 5+0\n\t- @5 "
	       "otprof.thread.cpu_time=4/ns otprof.thread.daemon=true "
	       "otprof.thread.elapsed=5/ns otprof.thread.os_prio=3 "
	       "otprof.thread.prio=2 otprof.thread.status=run ning "
	       "otprof.thread.tid=6 thread.id=1 thread.name=a thread.os.id=7 "
	       "thread.state=RUNNABLE\n" },
	{ "no line for the state", IN("2{ 1@5 5{ 1'\"a\" #1\n\tat f(a:1)' } }"),
	  HEAD "profile samples/count 5+0\n"
	       "\tf @5 thread.id=1 thread.name=a\n" },
	{ "an empty body", IN("2{ 1@5 5{ 1'' } }"),
	  HEAD "profile samples/count 5+0\n\t- @5\n" },
	{ "line feeds of Windows",
	  IN("2{ 1@5 5{ 1'\"a\" #1\r\n\r\n\tat f(a:1)\r\n\tat g(b:1)\r\n' } }"),
	  HEAD "profile samples/count 5+0\n"
	       "\tg;f @5 thread.id=1 thread.name=a\n" },
	{ "nothing", "", "" },
	{ "logs of others", "1{ 2{ 1{ 1'x' } " RECORD("") "} }", "" },
	{ "a head and no records",
	  "1{ 2{ 1{ 1'otel.profiling' 3{ 1'otprof.profile' 2{ 6{ "
	  "1{ 1'type' 2{ 5{ 1{ 1'a' } 1{ 1'b' } } } } "
	  "1{ 1'period' 2{ 5{ 1{ 1'c' } 1{ 1'd' } 1{ 3:9 } } } } "
	  "1{ 1'time' 2{ 5{ 1{ 3:100 } 1{ 3:5 } } } } "
	  "1{ 1'attributes' 2{ 6{ 1{ 1'k' 2{ 1'v' } } } } } "
	  "1{ 1'scope' 2{ 5{ 1{ 1'mine' } 1{ 1'1' } } } } } } } } } }",
	  "resource\nscope mine\nprofile a/b period 9 100+5 k=v\n" },
	{ "a head that is none",
	  "1{ 2{ 1{ 1'otel.profiling' 3{ 1'otprof.profile' 2{ 3:5 } } } "
	  "2{ " TIME "5{ 1'" BODY "' } } } }",
	  PLAIN },
};

TEST(takes)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(takes_rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;

		wire_set(&w, takes_rows[i].text);
		if (splunk_read(&m, wire_view(&w), NULL, NULL, &err)) {
			TEST_FAIL("%s: %.100s", takes_rows[i].name, err.text);
			continue;
		}
		if (strcmp(sketch_text(&m), takes_rows[i].result))
			TEST_FAIL("%s: %s", takes_rows[i].name,
				  sketch_text(&m));
		op_model_free(&m);
	}
}

/* Which grammar frames are of: what a setting says, what the writer says, else
 * whether it says what form the body has. */
static const struct {
	const char *name, *scope, *record, *setting;
	int64_t column; /* of "(b:3:9)" */
} grammar_rows[] = {
	{ "a record of 2021", "", "", NULL, 0 },
	{ "one of 1.4", "", ATTR("profiling.data.format", "1'text'"), NULL, 9 },
	{ "a setting", "", "", "splunk-frames=1.4", 9 },
	{ "another setting", "", ATTR("profiling.data.format", "1'text'"),
	  "splunk-frames=2021", 0 },
	{ "the writer says it",
	  "3{ 1'otprof.profile' 2{ 6{ 1{ 1'frames' 2{ 1'1.4' } } } } }", "",
	  NULL, 9 },
};

TEST(grammars)
{
	for (size_t i = 0; i < op_countof(grammar_rows); i++) {
		struct op_err err = { 0 };
		struct op_buf msg = { .err = &err };
		char scope[200];
		struct op_model m;

		snprintf(scope, sizeof(scope), "1'otel.profiling' %s",
			 grammar_rows[i].scope);
		splunk_message(&msg, scope, grammar_rows[i].record,
			       op_view_z("\n\nat a.f(b:3:9)"));
		CHECK(!splunk_read(&m, op_view(msg.p, msg.n),
				   grammar_rows[i].setting, NULL, &err));
		if (m.dict.nr_lines != 1 || m.dict.lines[0].line != 3 ||
		    m.dict.lines[0].column != grammar_rows[i].column)
			TEST_FAIL("%s", grammar_rows[i].name);
		op_model_free(&m);
		op_buf_free(&msg);
	}
}

static const struct {
	const char *name, *text, *told;
} told_rows[] = {
	{ "nothing", IN(RECORD("")), "" },
	{ "records of others", "1{ 2{ 1{ 1'x' } 2{} 2{} } }",
	  "2 log records without a profile skipped" },
	{ "a body that is no text", IN("2{ 5{ 3:1 } }"),
	  "1 log records of profiles in an unknown form skipped" },
	{ "another form", IN(RECORD(ATTR("profiling.data.format", "1'x'"))),
	  "1 log records of profiles in an unknown form skipped" },
	{ "remarks", IN("2{ 5{ 1'\n\n- locked <1>\nat f(a:1)' } }"),
	  "1 lines between frames skipped" },
	{ "ranges", IN("2{ 5{ 1'\n\nat f(a:1:2)' } }"),
	  "1 ends of line and column ranges skipped" },
};

TEST(tells)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(told_rows); i++) {
		struct splunk_told told = { "", 0 };
		struct op_err err = { 0 };
		struct op_model m;

		wire_set(&w, told_rows[i].text);
		CHECK(!splunk_read(&m, wire_view(&w), NULL, &told, &err));
		CHECK_STR(told.text, told_rows[i].told);
		op_model_free(&m);
	}
}

TEST(oom)
{
	static struct wire w;

	wire_set(&w, takes_rows[0].text);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model m;

		if (!splunk_read(&m, wire_view(&w), NULL, NULL, &err))
			op_model_free(&m);
		CHECK(!err.code || err.code == OP_ENOMEM);
	}
}

TEST_MAIN(takes, grammars, tells, oom)
