// SPDX-License-Identifier: Apache-2.0
/* Recordings of several chunks: what they say does not depend on how many
 * threads read them, which told() sees to. */
#include "jfr_fixture.h"

#define TLAB "type jdk.ObjectAllocationInNewTLAB event | startTime:ticks "
#define ALLOC "jdk.ObjectAllocationInNewTLAB "

static const struct {
	const char *name;
	enum jfr_flavour flavour;
	const char *text, *want;
} rows[] = {
	{ "each chunk adds", JFR_JDK17,
	  "jdk.ExecutionSample startTime=1 stackTrace=`main;A.f`\nnext\n"
	  "jdk.ExecutionSample startTime=2 stackTrace=`main;B.g`\nnext\n"
	  "jdk.ExecutionSample startTime=3 stackTrace=`main;A.f`",
	  "samples/count jdk.ExecutionSample\n"
	  "\tmain;A.f @1 @3 thread.state=blocked\n"
	  "\tmain;B.g @2 thread.state=blocked\n" },
	{ "other events in each", JFR_JDK17,
	  "jdk.ExecutionSample startTime=1\nnext\n"
	  "jdk.ThreadSleep startTime=2 duration=9\nnext\n"
	  "jdk.ExecutionSample startTime=3\n"
	  "jdk.JavaMonitorWait startTime=4 duration=8",
	  "samples/count jdk.ExecutionSample\n\t- @1 @3 thread.state=blocked\n"
	  "sleep/nanoseconds -time jdk.ThreadSleep\n\t- 9@2\n"
	  "wait/nanoseconds -timeout,address jdk.JavaMonitorWait\n\t- 8@4\n" },
	{ "a measure that the first chunk does not have", JFR_JDK17,
	  TLAB "stackTrace:StackTrace*\n" ALLOC "1\n" ALLOC "2\nnext\n" TLAB
	       "stackTrace:StackTrace* tlabSize:long\n" ALLOC
	       "3 0 30\nnext\n" TLAB "stackTrace:StackTrace*\n" ALLOC "4",
	  "alloc_objects/count jdk.ObjectAllocationInNewTLAB\n"
	  "\t- @1 @2 @3 @4\n"
	  "alloc_space/bytes jdk.ObjectAllocationInNewTLAB\n"
	  "\t- 0@1 0@2 30@3 0@4\n" },
	{ "taken in one chunk, given back in the next", JFR_ASYNC,
	  "profiler.Malloc startTime=1 address=100 size=7\n"
	  "profiler.Malloc startTime=2 address=200 size=8\nnext\n"
	  "profiler.Free startTime=3 address=100\n"
	  "profiler.Malloc startTime=4 address=300 size=9\nnext\n"
	  "profiler.Malloc startTime=5 address=100 size=10\n"
	  "profiler.Free startTime=6 address=300",
	  "malloc_objects/count -address profiler.Malloc\n"
	  "\t- @1 @2 @4 @5\n"
	  "malloc_space/bytes -address profiler.Malloc\n"
	  "\t- 7@1 8@2 9@4 10@5\n"
	  "free_objects/count -address profiler.Free\n\t- @3 @6\n"
	  "leak_objects/count -address otprof.event.leak=true profiler.Malloc\n"
	  "\t- @5 @2\n"
	  "leak_space/bytes -address otprof.event.leak=true profiler.Malloc\n"
	  "\t- 10@5 8@2\n" },
};

TEST(joined)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct jfr j;

		jfr_begin(&j, rows[i].flavour);
		play(&j, rows[i].text);
		says(&j, rows[i].name, rows[i].want);
	}
}

/* The error is that of the first broken chunk, whoever met it first. */
TEST(broken)
{
	struct jfr j;

	jfr_begin(&j, JFR_JDK17);
	play(&j, "jdk.ExecutionSample startTime=1\nnext\n"
		 "jdk.ExecutionSample =ff\nnext\njdk.ExecutionSample =ff");
	says(&j, "broken", "error: truncated number at 1785\n");
}

TEST_MAIN(joined, broken)
