// SPDX-License-Identifier: Apache-2.0
/* The options of the JFR reader. */
#include "jfr_fixture.h"

struct row {
	const char *name, *settings, *want;
};

static void check_rows(enum jfr_flavour flavour, const char *text,
		       const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct jfr j;

		jfr_begin(&j, flavour);
		play(&j, text);
		says_with(&j, rows[i].settings, rows[i].name, rows[i].want);
	}
}

/* --- events --- */

#define THREE                                    \
	"jdk.ThreadSleep 1 2 0 `A.f`\n"          \
	"jdk.NativeMethodSample 2 0 `A.f`\n"     \
	"jdk.ObjectAllocationSample 3 0 `A.f`\n" \
	"jdk.ThreadStart 4 0 0\n"
#define SLEEP "sleep/nanoseconds -time jdk.ThreadSleep\n\tA.f 2@1\n"
#define WALL                                     \
	"samples/count jdk.NativeMethodSample\n" \
	"\tA.f @2 thread.state=blocked\n"
#define ALLOC                                              \
	"alloc_objects/count jdk.ObjectAllocationSample\n" \
	"\tA.f @3\n"                                       \
	"alloc_space/bytes jdk.ObjectAllocationSample\n"   \
	"\tA.f 0@3\n"
#define START_STACKLESS "thread_start/count jdk.ThreadStart\n\t- @4\n"

#define HAS                                                                   \
	"jdk.NativeMethodSample (wall), jdk.ObjectAllocationSample (alloc), " \
	"jdk.ThreadSleep (lock)\n"

static const struct row events[] = {
	{ "all, but what never has a stack", NULL, SLEEP WALL ALLOC },
	{ "by name", "event=jdk.ThreadSleep", SLEEP },
	{ "by kind", "event=wall", WALL },
	{ "by both", "event=wall,jdk.ThreadSleep", SLEEP WALL },
	{ "twice", "event=wall event=lock", SLEEP WALL },
	{ "by an option of its own", "wall=1", WALL },
	{ "by two of them", "wall=1 alloc=1", WALL ALLOC },
	{ "by an option and a name", "wall=1 event=jdk.ThreadSleep",
	  SLEEP WALL },
	{ "what is not there", "live=1",
	  "error: no events 'live' in the recording; it has " HAS },
	{ "several that are not there", "event=live,gc",
	  "error: none of the selected events in the recording; it has " HAS },
	{ "without a stack, if it is asked for", "event=jdk.ThreadStart",
	  START_STACKLESS },
	{ "without a stack, by kind", "event=other", START_STACKLESS },
	{ "a name that does not exist", "event=jdk.Nothing",
	  "error: no events 'jdk.Nothing' in the recording; it has " HAS },
};

TEST(event)
{
	check_rows(JFR_JDK17, THREE, events, op_countof(events));
}

/* --- stacks that are not there --- */

#define SHUTDOWN                                     \
	"type jdk.Shutdown event | startTime:ticks " \
	"stackTrace:StackTrace* reason:String\n"
#define MINE "type my.E event | startTime:ticks stackTrace:StackTrace*\n"

static const struct {
	const char *name, *settings, *text, *want;
} stackless[] = {
	{ "of no event", NULL, MINE "my.E 1 0\nmy.E 2 0", "" },
	{ "of no event, but it is asked for", "event=my.E",
	  MINE "my.E 1 0\nmy.E 2 0", "e/count my.E\n\t- @1 @2\n" },
	{ "of one event: all are told", NULL,
	  MINE "my.E 1 0\nmy.E 2 `A.f`\nmy.E 3 0",
	  "e/count my.E\n\t- @1 @3\n\tA.f @2\n" },
	{ "of one event of another chunk", NULL,
	  MINE "my.E 1 0\nnext\n" MINE "my.E 2 `A.f`\n",
	  "e/count my.E\n\t- @1\n\tA.f @2\n" },
	{ "a shutdown without", NULL, SHUTDOWN "jdk.Shutdown 1 0 'x'", "" },
	{ "a shutdown whose stack is missing", NULL,
	  SHUTDOWN "jdk.Shutdown 1 99 'x'", "" },
	{ "a shutdown that is asked for", "event=jdk.Shutdown",
	  SHUTDOWN "jdk.Shutdown 1 0 'x'",
	  "shutdown/count jdk.Shutdown\n\t- @1 jfr.reason=x\n" },
	{ "a shutdown with one", NULL, SHUTDOWN "jdk.Shutdown 1 `A.f` 'x'",
	  "shutdown/count jdk.Shutdown\n\tA.f @1 jfr.reason=x\n" },
	{ "what JDK 17 has in each recording", NULL, "jdk.ActiveRecording 1",
	  "" },
	{ "and if it is asked for", "event=jdk.ActiveRecording",
	  "jdk.ActiveRecording 1",
	  "active_recording/nanoseconds -id,maxAge,flushInterval,maxSize,"
	  "recordingStart,recordingDuration jdk.ActiveRecording\n"
	  "\t- 0@1\n" },
	{ "types of the table are told without", NULL, "jdk.ThreadSleep 1 5\n",
	  "sleep/nanoseconds -time jdk.ThreadSleep\n\t- 5@1\n" },
};

TEST(no_stack)
{
	for (size_t i = 0; i < op_countof(stackless); i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		play(&j, stackless[i].text);
		says_with(&j, stackless[i].settings, stackless[i].name,
			  stackless[i].want);
	}
}

/* --- threads and states --- */

#define STATES                                                          \
	"pool Thread 1 'a' 0 'alpha' 1\npool Thread 2 'b' 0 'beta' 2\n" \
	"jdk.ExecutionSample 1 1 `A.f` `STATE_RUNNABLE`\n"              \
	"jdk.ExecutionSample 2 2 `A.f` `STATE_PARKED`\n"                \
	"jdk.ExecutionSample 3 0 `A.f` 9999\n"                          \
	"jdk.ThreadSleep 4 2 1 `A.f`\n"                                 \
	"jdk.GarbageCollection 5 2\n"
#define CPU "samples/count jdk.ExecutionSample\n"
#define ALPHA " thread.id=1 thread.name=alpha"
#define BETA " thread.id=2 thread.name=beta"
#define ONE CPU "\tA.f @1" ALPHA " thread.state=running\n"
#define TWO CPU "\tA.f @2" BETA " thread.state=sleeping\n"
#define NO_STATE(word) \
	"error: --state " word ": the recording has no such state\n"

static const struct row states[] = {
	{ "of our words", "state=running", ONE },
	{ "of ours, of several of theirs", "state=sleeping", TWO },
	{ "how theirs begins", "state=park", TWO },
	{ "in capitals", "state=RUNNABLE", ONE },
	{ "several", "state=runnable,parked",
	  CPU "\tA.f @1" ALPHA " thread.state=running\n"
	      "\tA.f @2" BETA " thread.state=sleeping\n" },
	{ "of our words, of which there are none", "state=mutex", CPU },
	{ "of theirs, of which there are none", "state=terminated", CPU },
	{ "no word", "state=walking", NO_STATE("walking") },
	{ "half of one of ours", "state=sleepi,mut", NO_STATE("mut") },
	{ "one that is and one that is not", "state=parked,walking",
	  NO_STATE("walking") },
	{ "an empty word", "state=running,,", NO_STATE("") },
	{ "events of no thread are of none", "thread=alpha",
	  CPU "\tA.f @1" ALPHA " thread.state=running\n"
	      "sleep/nanoseconds -time jdk.ThreadSleep\n"
	      "\tA.f 2@4" ALPHA "\n" },
	{ "part of a name", "event=cpu thread=et", TWO },
	{ "thread and state", "state=running thread=alpha", ONE },
};

TEST(state)
{
	check_rows(JFR_JDK17, STATES, states, op_countof(states));
}

/* --- memory of the system's --- */

#define BLOCKS                                 \
	"pool Thread 1 'a' 0 'alpha' 1\n"      \
	"profiler.Malloc 100 1 `A.f` 0x10 5\n" \
	"profiler.Malloc 200 1 `A.g` 0x20 6\n" \
	"profiler.Free 300 0 0 0x10\n"         \
	"profiler.Malloc 950000000 1 `A.h` 0x30 7\n"
#define TAKEN(f, t, v) "\tA." f " " v "@" t ALPHA "\n"
#define IS " -address profiler.Malloc\n"
#define LEAK " -address otprof.event.leak=true profiler.Malloc\n"
#define MALLOC                                                                \
	"malloc_objects/count" IS TAKEN("f", "100", "") TAKEN("g", "200", "") \
		TAKEN("h", "950000000",                                       \
		      "") "malloc_space/bytes" IS TAKEN("f", "100", "5")      \
			TAKEN("g", "200", "6") TAKEN("h", "950000000", "7")
#define LEAKS(objects, space) \
	"leak_objects/count" LEAK objects "leak_space/bytes" LEAK space
#define BOTH_LEAKS                                               \
	LEAKS(TAKEN("g", "200", "") TAKEN("h", "950000000", ""), \
	      TAKEN("g", "200", "6") TAKEN("h", "950000000", "7"))
#define FREE "free_objects/count -address profiler.Free\n\t- @300\n"

static const struct row leaks[] = {
	{ "all", NULL, MALLOC FREE BOTH_LEAKS },
	{ "frees that are not asked for count", "event=profiler.Malloc",
	  MALLOC BOTH_LEAKS },
	{ "frees alone", "event=profiler.Free", FREE },
	{ "frees by other threads count", "event=profiler.Malloc thread=alpha",
	  MALLOC BOTH_LEAKS },
	{ "but for the last part", "event=profiler.Malloc tail=10%",
	  MALLOC LEAKS(TAKEN("g", "200", ""), TAKEN("g", "200", "6")) },
	{ "but for less than that", "event=profiler.Malloc tail=4",
	  MALLOC BOTH_LEAKS },
	{ "but for all of it", "event=profiler.Malloc tail=100", MALLOC },
	{ "no part", "tail=much",
	  "error: --tail takes a percentage, not 'much'\n" },
	{ "more than all", "tail=101",
	  "error: --tail takes a percentage, not '101'\n" },
	{ "nothing", "tail=", "error: --tail takes a percentage, not ''\n" },
	{ "only a sign", "tail=%",
	  "error: --tail takes a percentage, not '%'\n" },
};

TEST(leak)
{
	check_rows(JFR_ASYNC, BLOCKS, leaks, op_countof(leaks));
}

/* --- properties --- */

#define PROPERTIES                                               \
	"jdk.JVMInformation 1 'VM' '' '-Dx.password=1 -Xmx1g'\n" \
	"jdk.InitialSystemProperty 1 'user.name' 'me'\n"         \
	"jdk.InitialSystemProperty 1 'my.token' 'abc'\n"         \
	"jdk.InitialSystemProperty 1 'cmd' 'Main --key abc'\n"   \
	"jdk.InitialSystemProperty 1 'empty' ''\n"               \
	"jdk.InitialEnvironmentVariable 1 'HOME' '/home/me'\n"   \
	"jdk.InitialEnvironmentVariable 1 'API_KEY' 'abc'\n"     \
	"jdk.InitialEnvironmentVariable 1 'HOME' '/home/you'\n"
#define FACTS                               \
	"resource process.runtime.name=VM " \
	"jfr.jvm.arguments=-Dx.password=[redacted] -Xmx1g process.pid=0"

static const struct row properties[] = {
	{ "not by themselves", NULL, FACTS "\n" },
	{ "no", "properties=no", FACTS "\n" },
	{ "yes", "properties=yes",
	  FACTS " jfr.system_property.user.name=me "
		"jfr.system_property.my.token=[redacted] "
		"jfr.system_property.cmd=Main --key [redacted] "
		"process.environment_variable.HOME=/home/me "
		"process.environment_variable.API_KEY=[redacted]\n" },
	{ "neither", "properties=all",
	  "error: --properties takes yes or no, not 'all'\n" },
};

TEST(property)
{
	check_rows(JFR_JDK17, PROPERTIES, properties, op_countof(properties));
}

/* --- names --- */

#define DATADOG                                        \
	"datadog.ExecutionSample 1 0 `A.f` weight=2\n" \
	"datadog.MethodSample 2 0 `A.f` weight=3\n"    \
	"datadog.ObjectSample 3 0 `A.f` 0 10 2.0\n"    \
	"jdk.JavaMonitorEnter 4 7 0 `A.f`\n"           \
	"jdk.JavaMonitorWait 5 8 0 `A.f`\n"            \
	"jdk.ThreadSleep 6 9 0 `A.f`\n"
#define SLEPT "sleep/nanoseconds -time jdk.ThreadSleep\n\tA.f 9@6\n"

static const struct row presets[] = {
	{ "OpenTelemetry's", "preset=otel event=cpu,wall,jdk.ThreadSleep",
	  "samples/count -correlationId datadog.ExecutionSample\n"
	  "\tA.f 2@1 thread.state=running\n"
	  "samples/count -correlationId datadog.MethodSample\n"
	  "\tA.f 3@2 thread.state=running\n" SLEPT },
	{ "Datadog's", "preset=datadog",
	  "cpu/samples -correlationId datadog.ExecutionSample\n"
	  "\tA.f 2@1 profile.type=cpu thread.state=running\n"
	  "wall/samples -correlationId datadog.MethodSample\n"
	  "\tA.f 3@2 profile.type=wall thread.state=running\n"
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\tA.f 2@3 profile.type=alloc-samples\n"
	  "alloc-samples/bytes datadog.ObjectSample\n"
	  "\tA.f 20@3 profile.type=alloc-samples\n"
	  "lock-contention/nanoseconds -address jdk.JavaMonitorEnter\n"
	  "\tA.f 7@4 profile.type=lock-contention\n"
	  "lock-contention/nanoseconds -timeout,address jdk.JavaMonitorWait\n"
	  "\tA.f 8@5 profile.type=lock-contention\n" SLEPT },
	{ "nobody's", "preset=mine",
	  "error: --preset takes otel or datadog, not 'mine'\n" },
};

TEST(preset)
{
	check_rows(JFR_DATADOG, DATADOG, presets, op_countof(presets));
}

/* --- allocations --- */

#define ALLOCATED                                               \
	"jdk.ObjectAllocationInNewTLAB 1 0 `A.f` `[J` 10 100\n" \
	"jdk.ObjectAllocationInNewTLAB 2 0 `A.f` `[J` 11 200\n"
#define ALLOCATION " -allocationSize jdk.ObjectAllocationInNewTLAB\n\tA.f "
#define OBJECTS(v)                                        \
	"alloc_objects/count" ALLOCATION v                \
	" jfr.class=long[]\nalloc_space/bytes" ALLOCATION \
	"100@1 200@2 jfr.class=long[]\n"

static const struct row objects[] = {
	{ "with times", NULL, OBJECTS("@1 @2") },
	{ "with times if asked", "alloc-objects=times", OBJECTS("@1 @2") },
	{ "as sums", "alloc-objects=sums", OBJECTS("2") },
	{ "neither", "alloc-objects=none",
	  "error: --alloc-objects takes times or sums, not 'none'\n" },
};

TEST(allocated)
{
	check_rows(JFR_ASYNC, ALLOCATED, objects, op_countof(objects));
}

TEST_MAIN(event, no_stack, state, leak, property, preset, allocated)
