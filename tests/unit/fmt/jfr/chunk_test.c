// SPDX-License-Identifier: Apache-2.0
/* The same recording in other words: chunks, layouts, chains of checkpoints,
 * widths of integers. */
#include "jfr_fixture.h"

#define ONE                                   \
	"samples/count jdk.ExecutionSample\n" \
	"\tmain;A.f @5 thread.id=7 thread.name=w thread.state=running\n"
#define TWO                                   \
	"samples/count jdk.ExecutionSample\n" \
	"\tmain;A.f @5 @6 thread.id=7 thread.name=w thread.state=running\n"
#define EVENT "jdk.ExecutionSample 5 70 80 `STATE_RUNNABLE`\n"
#define EVENT6 "jdk.ExecutionSample 6 70 80 `STATE_RUNNABLE`\n"
#define THREAD "pool Thread 70 'w' 0 null 7\n"
#define STACK "stack 80 main;A.f\n"
#define ALL EVENT THREAD STACK

struct row {
	const char *name, *text, *want;
};

static const struct row rows[] = {
	{ "constants behind the event", ALL, ONE },
	{ "constants before it",
	  THREAD STACK "checkpoint\n" EVENT "pool Thread 1 'x'", ONE },
	{ "metadata first", ALL "metadata\n", ONE },
	{ "two checkpoints", EVENT THREAD "checkpoint\n" STACK, ONE },
	{ "three checkpoints", THREAD "checkpoint\n" EVENT "checkpoint\n" STACK,
	  ONE },
	{ "two chunks", ALL "next\n" EVENT6 THREAD STACK, TWO },
	{ "other ids in the second",
	  ALL "next\njdk.ExecutionSample 6 1 2 `STATE_RUNNABLE`\n"
	      "pool Thread 1 'w' 0 null 7\nstack 2 main;A.f",
	  TWO },
	{ "the same ids mean something else",
	  ALL "next\n" EVENT6 "pool Thread 70 'x' 0 null 8\nstack 80 B.g",
	  "samples/count jdk.ExecutionSample\n"
	  "\tB.g @6 thread.id=8 thread.name=x thread.state=running\n"
	  "\tmain;A.f @5 thread.id=7 thread.name=w thread.state=running\n" },
	{ "other ids of types",
	  ALL "next\ntype my.Pad |\ntype jdk.types.StackTrace "
	      "#500 | truncated:boolean frames:StackFrame[]\n"
	      "type java.lang.Thread #400 | osName:String osThreadId:long "
	      "javaName:String javaThreadId:long\n"
	      "type jdk.ExecutionSample #300 event | startTime:ticks "
	      "sampledThread:Thread* stackTrace:StackTrace* "
	      "state:ThreadState*\n" EVENT6 THREAD STACK,
	  TWO },
	{ "another layout",
	  ALL "next\ntype jdk.types.StackTrace | truncated:boolean "
	      "frames:StackFrame[] x:long\n"
	      "type java.lang.Thread | javaThreadId:long more:String "
	      "osName:String\n"
	      "type jdk.ExecutionSample event | state:ThreadState* extra:int[] "
	      "stackTrace:StackTrace* sampledThread:Thread* startTime:ticks\n"
	      "jdk.ExecutionSample `STATE_RUNNABLE` [1 2] 80 70 6\n"
	      "pool Thread 70 7 'what' 'w'\nstack 80 main;A.f",
	  TWO },
	{ "an event of a type that is not described",
	  EVENT "#999 =aa\n" THREAD STACK, ONE },
	{ "fields behind those described",
	  "jdk.ExecutionSample 5 70 80 `STATE_RUNNABLE` 1 'x'\n" THREAD STACK,
	  ONE },
	{ "numbers of more bytes than needed",
	  "jdk.ExecutionSample 5~4 70~9 80~8 `STATE_RUNNABLE`\n" THREAD STACK,
	  ONE },
	{ "minor version 1", ALL "header 6 1", ONE },
	{ "minor version 9", ALL "header 6 9", ONE },
	{ "a chunk that is being written", ALL "header 64 1", ONE },
	{ "a chunk without events", "next\n" ALL, ONE },
};

enum way { PLAIN, FIXED, FORWARD, PADDED, UTF16, LATIN1, NR_WAYS };

/* How each is written, which must not matter. */
static void set_way(struct jfr *j, enum way way)
{
	j->is_fixed = way == FIXED;
	j->is_forward = way == FORWARD;
	j->size_bytes = way == PADDED ? 4 : 0;
	if (way == UTF16)
		j->meta_encoding = 4;
	if (way == LATIN1)
		j->meta_encoding = 5;
}

TEST(ways)
{
	for (size_t i = 0; i < op_countof(rows); i++)
		for (int way = 0; way < NR_WAYS; way++) {
			struct jfr j;

			jfr_begin(&j, JFR_JDK17);
			set_way(&j, (enum way)way);
			play(&j, rows[i].text);
			says(&j, rows[i].name, rows[i].want);
		}
}

#define TWICE                                                              \
	"samples/count jdk.ExecutionSample\n\tmain;A.f @5 @5 thread.id=7 " \
	"thread.name=w thread.state=running\n"

/* Recordings of several writers behind one another. */
TEST(flavours)
{
	static const enum jfr_flavour flavours[] = { JFR_JDK17, JFR_JDK25,
						     JFR_ASYNC, JFR_DATADOG };
	struct jfr j;

	jfr_begin(&j, JFR_JDK17);
	for (size_t i = 0; i < op_countof(flavours); i++) {
		if (i)
			jfr_next(&j, flavours[i]);
		play(&j, "jdk.ExecutionSample 5 70 80 `STATE_RUNNABLE`\n"
			 "pool Thread 70 'w' 0 null 7\n"
			 "stack 80 main;A.f");
	}
	/* Of async-profiler and its like the latter are of wall time. */
	says(&j, "flavours", TWICE TWICE);
}

/* Version 1.0, of JDK 9 and 10: the same but for the names of types. */
#define OLD_CPU                                                          \
	"samples/count period 20000000 com.oracle.jdk.ExecutionSample\n" \
	"\tmain;A.f @5 thread.id=7 thread.name=w thread.state=running\n"
#define OLD_LOCK \
	"lock/nanoseconds -address com.oracle.jdk.JavaMonitorEnter\n\tA.f 3@9\n"
#define OLD                                                         \
	ALL "type jdk.ExecutionSample #70 event | startTime:ticks " \
	    "sampledThread:Thread* stackTrace:StackTrace* "         \
	    "state:ThreadState*\n"                                  \
	    "jdk.ActiveSetting id=70 name='period' value='20 ms'\n" \
	    "jdk.JavaMonitorEnter 9 3 0 `A.f`\n"

static const struct {
	const char *setting, *want;
} old_rows[] = {
	{ NULL, OLD_CPU OLD_LOCK },
	{ "event=cpu", OLD_CPU },
	{ "event=jdk.ExecutionSample", OLD_CPU },
	{ "event=com.oracle.jdk.ExecutionSample", OLD_CPU },
	{ "lock=1", OLD_LOCK },
};

TEST(version_1)
{
	for (size_t i = 0; i < op_countof(old_rows); i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		j.is_jdk9 = true;
		play(&j, OLD);
		says_with(&j, old_rows[i].setting, "version 1.0",
			  old_rows[i].want);
	}
}

TEST(versions_together)
{
	struct jfr j;

	jfr_begin(&j, JFR_JDK17);
	j.is_jdk9 = true;
	play(&j, ALL);
	jfr_next(&j, JFR_JDK17);
	j.is_jdk9 = false;
	play(&j, ALL);
	says(&j, "versions",
	     "samples/count com.oracle.jdk.ExecutionSample\n"
	     "\tmain;A.f @5 thread.id=7 thread.name=w "
	     "thread.state=running\n" ONE);
}

static void info_add(void *ctx, struct op_view kind, uint64_t count,
		     uint64_t bytes)
{
	char *text = ctx;
	size_t n = strlen(text);

	(void)bytes;
	snprintf(text + n, 200 - n, "%.*s %llu\n", (int)kind.n,
		 (const char *)kind.p, (unsigned long long)count);
}

/* Constants and metadata have the ids 1 and 0, which a type may have too. */
TEST(counts)
{
	struct op_err err = { 0 };
	char text[200] = "";
	struct jfr j;

	jfr_begin(&j, JFR_JDK17);
	play(&j, "type byte #1 |\ntype void #0 |\n" ALL EVENT6);
	CHECK_EQ(op_format_jfr.info(jfr_end(&j), info_add, text, &err), 0);
	CHECK_STR(text, "jdk.ExecutionSample 2\n");
	jfr_free(&j);
}

/* --- options --- */

#define MIX                                                   \
	"pool Thread 1 'http-1' 0 null 1\n"                   \
	"pool Thread 2 'http-2' 0 null 2\n"                   \
	"pool Thread 3 'gc' 0 null 3\n"                       \
	"jdk.ExecutionSample 1 1 `A.f` `STATE_RUNNABLE`\n"    \
	"jdk.ExecutionSample 2 2 `A.f` `STATE_SLEEPING`\n"    \
	"jdk.ExecutionSample 3 3 `A.f` `STATE_PARKED`\n"      \
	"jdk.NativeMethodSample 4 3 `A.g` `STATE_RUNNABLE`\n" \
	"jdk.ThreadSleep 5 64\n"                              \
	"jdk.ThreadStart 6"

static const struct {
	const char *setting, *want;
} options[] = {
	{ "event=cpu",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1 thread.id=1 thread.name=http-1 thread.state=running\n"
	  "\tA.f @2 thread.id=2 thread.name=http-2 thread.state=sleeping\n"
	  "\tA.f @3 thread.id=3 thread.name=gc thread.state=sleeping\n" },
	{ "event=wall,lock",
	  "samples/count jdk.NativeMethodSample\n"
	  "\tA.g @4 thread.id=3 thread.name=gc thread.state=running\n"
	  "sleep/nanoseconds -time jdk.ThreadSleep\n"
	  "\t- 64@5\n" },
	{ "event=jdk.ThreadStart", "thread_start/count jdk.ThreadStart\n"
				   "\t- @6\n" },
	{ "event=other", "thread_start/count jdk.ThreadStart\n"
			 "\t- @6\n" },
	{ "event=cpu thread=http",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1 thread.id=1 thread.name=http-1 thread.state=running\n"
	  "\tA.f @2 thread.id=2 thread.name=http-2 thread.state=sleeping\n" },
	{ "event=cpu,wall thread=gc",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @3 thread.id=3 thread.name=gc thread.state=sleeping\n"
	  "samples/count jdk.NativeMethodSample\n"
	  "\tA.g @4 thread.id=3 thread.name=gc thread.state=running\n" },
	{ "event=cpu thread=nobody", "samples/count jdk.ExecutionSample\n" },
	{ "event=cpu state=running",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @1 thread.id=1 thread.name=http-1 thread.state=running\n" },
	{ "event=cpu state=mutex,sleeping",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @2 thread.id=2 thread.name=http-2 thread.state=sleeping\n"
	  "\tA.f @3 thread.id=3 thread.name=gc thread.state=sleeping\n" },
};

TEST(option)
{
	for (size_t i = 0; i < op_countof(options); i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		play(&j, MIX);
		says_with(&j, options[i].setting, options[i].setting,
			  options[i].want);
	}
}

/* What is in no table makes no profile. */
TEST(option_without_events)
{
	struct jfr j;

	jfr_begin(&j, JFR_JDK17);
	play(&j, MIX);
	says_with(&j, "event=sleep", "no such kind",
		  "error: no events 'sleep' in the recording; it has "
		  "jdk.ExecutionSample (cpu), jdk.NativeMethodSample (wall), "
		  "jdk.ThreadSleep (lock)\n");
}

TEST_MAIN(ways, flavours, version_1, versions_together, counts, option,
	  option_without_events)
