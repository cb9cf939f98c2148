// SPDX-License-Identifier: Apache-2.0
/* Intervals that say what a thread was doing, endpoints of requests, and the
 * fields that users add to events. */
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/spans.h"
#include "jfr_fixture.h"

struct row {
	const char *name;
	enum jfr_flavour flavour;
	const char *settings, *text, *want;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct jfr j;

		jfr_begin(&j, rows[i].flavour);
		play(&j, rows[i].text);
		says_with(&j, rows[i].settings, rows[i].name, rows[i].want);
	}
}

/* --- tags --- */

#define TYPES                                               \
	"type jdk.ExecutionSample event | startTime:ticks " \
	"sampledThread:Thread* stackTrace:StackTrace*\n"    \
	"pool Thread 1 'a' 11 'a' 1\npool Thread 2 'b' 12 'b' 2\n"
#define S(t, thread) "jdk.ExecutionSample " t " " thread " `A.f`\n"
#define SPAN(t, lasts, thread, tag) \
	"profiler.Span " t " " lasts " " thread " `" tag "`\n"
#define A " jfr.thread.os_id=11 thread.id=1 thread.name=a\n"
#define A_IN(tag) \
	" jfr.tag=" tag " jfr.thread.os_id=11 thread.id=1 thread.name=a\n"
#define B " jfr.thread.os_id=12 thread.id=2 thread.name=b\n"
#define SAMPLES "samples/count jdk.ExecutionSample\n"
#define ONLY "event=cpu"

#define MALLOC                         \
	"pool Thread 1 'a' 11 'a' 1\n" \
	"profiler.Malloc 12 1 `A.f` 0x10 77\n"
#define MALLOCS " -address profiler.Malloc\n"
#define LEAKS " -address otprof.event.leak=true profiler.Malloc\n"
#define TRACED(t, lasts) "jdk.MethodTrace " t " " lasts " 1 `A.f`\n"

/* It does not see that these are texts. */
/* clang-format off */
static const struct row tags[] = {
	{ "a span before its samples", JFR_ASYNC, NULL,
	  TYPES SPAN("10", "5", "1", "x") S("12", "1"),
	  "span/nanoseconds profiler.Span\n"
	  "\t- 5@10" A_IN("x") SAMPLES "\tA.f @12" A_IN("x") },
	{ "a span behind its samples", JFR_ASYNC, ONLY,
	  TYPES S("12", "1") SPAN("10", "5", "1", "x"),
	  SAMPLES "\tA.f @12" A_IN("x") },
	{ "a span in another chunk", JFR_ASYNC, ONLY,
	  TYPES S("12", "1") "next\ntype profiler.Span event | startTime:ticks "
			     "duration:span eventThread:Thread* tag:String\n"
			     "pool Thread 9 'a' 11 'a' 1\n"
			     "profiler.Span 10 5 9 'x'",
	  SAMPLES "\tA.f @12" A_IN("x") },
	{ "its start is in it, its end is not", JFR_ASYNC, ONLY,
	  TYPES S("9", "1") S("10", "1") S("14", "1") S("15", "1")
		  SPAN("10", "5", "1", "x"),
	  SAMPLES "\tA.f @9 @15" A "\tA.f @10 @14" A_IN("x") },
	{ "of another thread", JFR_ASYNC, ONLY,
	  TYPES S("12", "2") SPAN("10", "5", "1", "x"), SAMPLES "\tA.f @12" B },
	{ "of no thread", JFR_ASYNC, ONLY,
	  TYPES S("12", "1") SPAN("10", "5", "0", "x"), SAMPLES "\tA.f @12" A },
	{ "of no tag", JFR_ASYNC, ONLY,
	  TYPES S("12", "1") "profiler.Span 10 5 1 0\n",
	  SAMPLES "\tA.f @12" A },
	{ "that lasts no time", JFR_ASYNC, ONLY,
	  TYPES S("10", "1") SPAN("10", "0", "1", "x"), SAMPLES "\tA.f @10" A },
	{ "a span in a span", JFR_ASYNC, ONLY,
	  TYPES S("11", "1") S("13", "1") S("16", "1")
		  SPAN("12", "2", "1", "in") SPAN("10", "10", "1", "out"),
	  SAMPLES "\tA.f @11 @16" A_IN("out") "\tA.f @13" A_IN("in") },
	{ "spans that overlap: the last to begin", JFR_ASYNC, ONLY,
	  TYPES S("11", "1") S("13", "1") S("17", "1") S("21", "1")
		  SPAN("10", "5", "1", "x") SPAN("12", "8", "1", "y"),
	  SAMPLES "\tA.f @11" A_IN("x")
	  "\tA.f @13 @17" A_IN("y") "\tA.f @21" A },
	{ "spans that begin together", JFR_ASYNC, ONLY,
	  TYPES S("11", "1") S("14", "1") SPAN("10", "2", "1", "in")
		  SPAN("10", "10", "1", "out"),
	  SAMPLES "\tA.f @11" A_IN("in") "\tA.f @14" A_IN("out") },
	{ "one behind the other", JFR_ASYNC, ONLY,
	  TYPES S("11", "1") S("13", "1") S("15", "1") SPAN("12", "2", "1", "y")
		  SPAN("10", "2", "1", "x"),
	  SAMPLES "\tA.f @11" A_IN("x") "\tA.f @13" A_IN("y") "\tA.f @15" A },
	{ "all measures of an event", JFR_ASYNC, "event=alloc",
	  "pool Thread 1 'a' 11 'a' 1\n"
	  "jdk.ObjectAllocationOutsideTLAB 12 1 `A.f` allocationSize=16\n"
	  "jdk.ObjectAllocationOutsideTLAB 18 1 `A.f` allocationSize=32\n"
	  SPAN("10", "5", "1", "x"),
	  "alloc_objects/count jdk.ObjectAllocationOutsideTLAB\n"
	  "\tA.f @12" A_IN("x") "\tA.f @18" A
	  "alloc_space/bytes jdk.ObjectAllocationOutsideTLAB\n"
	  "\tA.f 16@12" A_IN("x") "\tA.f 32@18" A },
	{ "leaks have them too", JFR_ASYNC, "event=nativemem",
	  MALLOC SPAN("10", "5", "1", "x"),
	  "malloc_objects/count" MALLOCS "\tA.f @12" A_IN("x")
	  "malloc_space/bytes" MALLOCS "\tA.f 77@12" A_IN("x")
	  "leak_objects/count" LEAKS "\tA.f @12" A_IN("x")
	  "leak_space/bytes" LEAKS "\tA.f 77@12" A_IN("x") },
};
/* clang-format on */

TEST(tag)
{
	check_rows(tags, op_countof(tags));
}

/* --- only what is in an interval --- */

#define BOTH                      \
	S("11", "1")              \
	S("13", "1")              \
	S("22", "1")              \
	S("13", "2")              \
	S("41", "1")              \
	SPAN("10", "2", "1", "x") \
	SPAN("20", "2000000", "1", "y") SPAN("12", "2", "2", "x")

/* clang-format off */
static const struct row asked[] = {
	{ "by a tag", JFR_ASYNC, "event=cpu tag=x", TYPES BOTH,
	  SAMPLES "\tA.f @11" A_IN("x") "\tA.f @13 jfr.tag=x" B },
	{ "by a tag that is not there", JFR_ASYNC, "event=cpu tag=z",
	  TYPES BOTH, SAMPLES },
	{ "by latency", JFR_ASYNC, "event=cpu latency=1.5", TYPES BOTH,
	  SAMPLES "\tA.f @22 @41" A_IN("y") },
	{ "by none at all", JFR_ASYNC, "event=cpu latency=0", TYPES BOTH,
	  SAMPLES "\tA.f @11" A_IN("x") "\tA.f @13 jfr.tag=x" B
					"\tA.f @22 @41" A_IN("y") },
	{ "by both", JFR_ASYNC, "event=cpu latency=1 tag=x", TYPES BOTH,
	  SAMPLES },
	{ "the spans themselves", JFR_ASYNC, "event=span tag=y", TYPES BOTH,
	  "span/nanoseconds profiler.Span\n"
	  "\t- 2000000@20" A_IN("y") },
	{ "by traced methods", JFR_JDK25, "event=cpu latency=0.000003",
	  TYPES S("11", "1") S("13", "1") S("17", "1")
	  TRACED("10", "2") TRACED("12", "4"),
	  SAMPLES "\tA.f @13" A },
	{ "what has no thread is in none", JFR_JDK17, "latency=0",
	  "jdk.GarbageCollection 1 5",
	  "gc/nanoseconds -gcId,sumOfPauses,longestPause "
	  "jdk.GarbageCollection\n" },
	{ "all measures", JFR_ASYNC, "event=alloc tag=x",
	  "pool Thread 1 'a' 11 'a' 1\n"
	  "jdk.ObjectAllocationOutsideTLAB 18 1 `A.f` allocationSize=32\n"
	  "jdk.ObjectAllocationOutsideTLAB 12 1 `A.f` allocationSize=16\n" SPAN(
		  "10", "5", "1", "x"),
	  "alloc_objects/count jdk.ObjectAllocationOutsideTLAB\n"
	  "\tA.f @12" A_IN(
		  "x") "alloc_space/bytes jdk.ObjectAllocationOutsideTLAB\n"
		       "\tA.f 16@12" A_IN("x") },
	{ "no latency", JFR_ASYNC, "latency=5s", TYPES BOTH,
	  "error: --latency takes milliseconds, not '5s'\n" },
	{ "less than none", JFR_ASYNC, "latency=-1", TYPES BOTH,
	  "error: --latency takes milliseconds, not '-1'\n" },
};
/* clang-format on */

TEST(ask)
{
	check_rows(asked, op_countof(asked));
}

/* --- scopes of tracers --- */

#define OTEL                                                 \
	"type io.opentelemetry.context.Scope event | "       \
	"startTime:ticks duration:span eventThread:Thread* " \
	"stackTrace:StackTrace* traceId:String spanId:String\n"
#define TRACE "'0123456789abcdef0123456789ABCDEF'"
#define DATADOG                                       \
	"type datadog.Scope event | startTime:ticks " \
	"duration:span eventThread:Thread* traceId:long spanId:long\n"
#define ENDED                                                         \
	"type io.opentelemetry.trace.Span event | "                   \
	"startTime:ticks duration:span eventThread:Thread* "          \
	"stackTrace:StackTrace* operationName:String traceId:String " \
	"spanId:String parentId:String\n"
#define IN_TRACE " jfr.thread.os_id=11 thread.id=1 thread.name=a #1\n"

static const struct row scopes[] = {
	{ "OpenTelemetry's", JFR_JDK17, ONLY,
	  TYPES OTEL S("12", "1") S("18", "1") "io.opentelemetry.context.Scope "
					       "10 5 1 0 " TRACE
					       " '00000000000000ab'",
	  SAMPLES "\tA.f @12" IN_TRACE "\tA.f @18" A },
	{ "by itself", JFR_JDK17, NULL,
	  TYPES OTEL "io.opentelemetry.context.Scope "
		     "10 5 1 `A.f` " TRACE " '00000000000000ab'",
	  "scope/nanoseconds io.opentelemetry.context.Scope\n"
	  "\tA.f 5@10" IN_TRACE },
	{ "Datadog's, which has no stack", JFR_JDK17, NULL,
	  TYPES DATADOG S("12", "1") "datadog.Scope 10 5 1 7 8",
	  SAMPLES
	  "\tA.f @12 jfr.thread.os_id=11 thread.id=1 thread.name=a #0\n" },
	{ "spans may end on another thread", JFR_JDK17, ONLY,
	  TYPES ENDED S("12", "1") "io.opentelemetry.trace.Span "
				   "10 5 1 0 'get' " TRACE
				   " '00000000000000ab' ''",
	  SAMPLES "\tA.f @12" A },
	{ "but have a link", JFR_JDK17, NULL,
	  TYPES ENDED "io.opentelemetry.trace.Span "
		      "10 5 1 `A.f` 'get' " TRACE " '00000000000000ab' 'up'",
	  "span/nanoseconds -parentId io.opentelemetry.trace.Span\n"
	  "\tA.f 5@10 jfr.operationName=get" IN_TRACE },
	{ "ids that are none", JFR_JDK17, NULL,
	  TYPES OTEL S("12", "1") "io.opentelemetry.context.Scope "
				  "10 5 1 `A.f` 'one' '00000000000000ag'",
	  SAMPLES "\tA.f @12" A
		  "scope/nanoseconds io.opentelemetry.context.Scope\n"
		  "\tA.f 5@10 jfr.spanId=00000000000000ag "
		  "jfr.thread.os_id=11 jfr.traceId=one thread.id=1 "
		  "thread.name=a\n" },
};

TEST(scope)
{
	check_rows(scopes, op_countof(scopes));
}

/* --- endpoints --- */

#define DD "weight=1 spanId=8 localRootSpanId="
#define LINKED " #0\n"
#define CPU "samples/count -correlationId datadog.ExecutionSample\n"

static const struct row endpoints[] = {
	{ "behind its samples", JFR_DATADOG, ONLY,
	  "datadog.ExecutionSample 5 0 `A.f` " DD "7\n"
	  "datadog.ExecutionSample 6 0 `A.f` " DD "9\n"
	  "pool String 3 '/shop'\npool AttributeValue 4 'servlet.request'\n"
	  "datadog.Endpoint 1 50 endpoint=3 operation=4 localRootSpanId=7",
	  CPU "\tA.f @5 jfr.endpoint=/shop jfr.operation=servlet.request "
	      "thread.state=running" LINKED
	      "\tA.f @6 thread.state=running" LINKED },
	{ "and its own profile", JFR_DATADOG, NULL,
	  "pool String 3 '/shop'\n"
	  "datadog.Endpoint 1 50 0 `A.f` endpoint=3 localRootSpanId=7",
	  "endpoint/nanoseconds datadog.Endpoint\n"
	  "\tA.f 50@1 jfr.endpoint=/shop\n" },
	{ "of no span", JFR_DATADOG, ONLY,
	  "datadog.ExecutionSample 5 0 `A.f` weight=1\n"
	  "pool String 3 '/shop'\n"
	  "datadog.Endpoint 1 50 endpoint=3 localRootSpanId=0",
	  CPU "\tA.f @5 thread.state=running\n" },
	{ "the first of a span counts", JFR_DATADOG, ONLY,
	  "datadog.ExecutionSample 5 0 `A.f` " DD "7\n"
	  "pool String 3 '/shop'\npool String 4 '/cart'\n"
	  "datadog.Endpoint 1 50 endpoint=3 localRootSpanId=7\n"
	  "datadog.Endpoint 2 50 endpoint=4 localRootSpanId=7",
	  CPU "\tA.f @5 jfr.endpoint=/shop thread.state=running" LINKED },
	{ "in another chunk", JFR_DATADOG, ONLY,
	  "datadog.ExecutionSample 5 0 `A.f` " DD "7\nnext\n"
	  "pool String 3 '/shop'\n"
	  "datadog.Endpoint 1 50 endpoint=3 localRootSpanId=7",
	  CPU "\tA.f @5 jfr.endpoint=/shop thread.state=running" LINKED },
};

TEST(endpoint)
{
	check_rows(endpoints, op_countof(endpoints));
}

/* --- fields of the user's --- */

#define TEN                                                         \
	"c0:AttributeValue* c1:AttributeValue* c2:AttributeValue* " \
	"c3:AttributeValue* c4:AttributeValue* c5:AttributeValue* " \
	"c6:AttributeValue* c7:AttributeValue* c8:AttributeValue* " \
	"c9:AttributeValue*\npool AttributeValue 1 'v'\n"           \
	"pool AttributeValue 2 'w'\n"

static const struct row contexts[] = {
	{ "one", JFR_DATADOG, NULL,
	  "type datadog.ExecutionSample event | startTime:ticks "
	  "stackTrace:StackTrace* weight:long customer:AttributeValue*\n"
	  "pool AttributeValue 1 'acme'\n"
	  "datadog.ExecutionSample 5 `A.f` 1 1\n"
	  "datadog.ExecutionSample 6 `A.f` 1 0",
	  "samples/count datadog.ExecutionSample\n"
	  "\tA.f @5 jfr.customer=acme\n"
	  "\tA.f @6\n" },
	{ "blocks of newer agents, which have a link", JFR_DATADOG, NULL,
	  "type datadog.TaskBlock event | startTime:ticks duration:span "
	  "eventThread:Thread* stackTrace:StackTrace* spanId:long "
	  "localRootSpanId:long blocker:unsigned unblockingSpanId:long\n"
	  "datadog.TaskBlock 5 7 0 `A.f` 8 7 99 98",
	  "task_block/nanoseconds -blocker,unblockingSpanId "
	  "datadog.TaskBlock\n"
	  "\tA.f 7@5 #0\n" },
	{ "nodes of newer agents, which have no stack", JFR_DATADOG, NULL,
	  "type datadog.SpanNode event | startTime:ticks duration:span "
	  "eventThread:Thread* spanId:long parentSpanId:long "
	  "localRootSpanId:long\ndatadog.SpanNode 5 7 0 8 9 7",
	  "" },
	{ "ten, beside all that a queue has", JFR_DATADOG, NULL,
	  "type datadog.QueueTime event | startTime:ticks duration:span "
	  "eventThread:Thread* origin:Thread* task:Class* "
	  "scheduler:Class* queueType:Class* queueLength:int spanId:long "
	  "localRootSpanId:long submittingSpanId:long " TEN
	  "datadog.QueueTime 5 7 task=`T` scheduler=`S` queueType=`Q` "
	  "c0=1 c1=1 c2=1 c3=1 c4=1 c5=1 c6=1 c7=1 c8=1 c9=2",
	  "queue/nanoseconds -queueLength,submittingSpanId datadog.QueueTime\n"
	  "\t- 7@5 jfr.c0=v jfr.c1=v jfr.c2=v jfr.c3=v jfr.c4=v jfr.c5=v "
	  "jfr.c6=v jfr.c7=v jfr.c8=v jfr.c9=w jfr.queueType=Q "
	  "jfr.scheduler=S jfr.task=T\n" },
};

TEST(context)
{
	check_rows(contexts, op_countof(contexts));
}

/* --- parts of a recording that were read apart --- */

static struct op_jfr part(struct op_err *err, const char *tag, uint64_t root)
{
	struct op_jfr j = { .err = err };
	struct op_jfr_interval row = { .thread = { 1 }, .to_ns = 5 };
	struct op_jfr_activity activity = { .tag = op_view_z(tag) };
	struct op_jfr_endpoint endpoint = { .root = root,
					    .endpoint = op_view_z(tag) };

	op_jfr_interval_add(&j, &row, &activity);
	op_jfr_endpoint_add(&j, &endpoint);
	return j;
}

TEST(join)
{
	struct op_err err = { 0 };
	struct op_jfr a = part(&err, "x", 7), b = part(&err, "y", 8),
		      c = part(&err, "x", 7);
	struct op_jfr_spans *s = &a.spans;

	op_jfr_spans_join(&a, &b);
	op_jfr_spans_join(&a, &c);
	op_arena_free(&b.mem);
	op_arena_free(&c.mem);
	CHECK_EQ(err.code, OP_OK);
	CHECK_EQ(s->intervals.n, 3);
	CHECK_EQ(s->activity.n, 2);
	CHECK_EQ(s->endpoints.n, 2);
	CHECK(op_view_is(s->activity.p[s->intervals.p[0].activity].tag, "x"));
	CHECK(op_view_is(s->activity.p[s->intervals.p[1].activity].tag, "y"));
	CHECK(op_view_is(s->activity.p[s->intervals.p[2].activity].tag, "x"));
	CHECK(op_view_is(s->endpoints.p[1].endpoint, "y"));
	op_arena_free(&a.mem);
}

/* --- without memory --- */

TEST(no_memory)
{
	struct op_view file;
	bool done = false;
	struct jfr j;

	jfr_begin(&j, JFR_ASYNC);
	play(&j, TYPES BOTH);
	file = jfr_end(&j);
	EACH_ALLOC_FAILS(k) {
		struct op_err err;
		struct op_model m;

		read_with(&m, file, "latency=0", &err);
		if (op_alloc_failed())
			CHECK_EQ(err.code, OP_ENOMEM);
		else
			done = !err.code;
		op_model_free(&m);
	}
	CHECK(done);
	jfr_free(&j);
}

TEST_MAIN(tag, ask, scope, endpoint, context, join, no_memory)
