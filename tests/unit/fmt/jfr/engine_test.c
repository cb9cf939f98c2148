// SPDX-License-Identifier: Apache-2.0
/* Samples that async-profiler took of CPU time and of wall time, in events of
 * one type. */
#include "jfr_fixture.h"

struct row {
	const char *name, *text, *setting, *want;
};

#define EVENT(time, state) "jdk.ExecutionSample " time " 0 `A.f` `" state "`\n"
#define CPU(period, times)                                                  \
	"samples/count period " period " jdk.ExecutionSample\n\tA.f " times \
	" thread.state=running\n"
#define WALL(period, text) \
	"samples/count period " period " jdk.ExecutionSample\n" text
#define RUNS(times) "\tA.f " times " thread.state=running\n"
#define SLEEPS(times) "\tA.f " times " thread.state=sleeping\n"

/* The type has an id that settings name. */
#define TYPE                                                    \
	"type jdk.ExecutionSample #77 event | startTime:ticks " \
	"sampledThread:Thread* stackTrace:StackTrace* state:ThreadState*\n"
#define SET(name, value) \
	"jdk.ActiveSetting id=77 name='" name "' value='" value "'\n"

/* --- 2.10 and later: STATE_DEFAULT is CPU time --- */

#define BOTH                                                          \
	TYPE SET("event", "cpu") SET("interval", "10000000")          \
		SET("wall", "200000000") EVENT("1", "STATE_SLEEPING") \
			EVENT("2", "STATE_DEFAULT")                   \
				EVENT("3", "STATE_RUNNABLE")          \
					EVENT("4", "STATE_DEFAULT")
#define BOTH_CPU CPU("10000000", "@2 @4")
#define BOTH_WALL WALL("200000000", SLEEPS("@1") RUNS("@3"))

static const struct row later[] = {
	{ "both", BOTH, NULL, BOTH_WALL BOTH_CPU },
	{ "cpu", BOTH, "cpu=1", BOTH_CPU },
	{ "wall", BOTH, "wall=1", BOTH_WALL },
	{ "by name", BOTH, "event=jdk.ExecutionSample", BOTH_WALL BOTH_CPU },
	{ "neither", BOTH, "alloc=1",
	  "error: no events 'alloc' in the recording; it has "
	  "jdk.ExecutionSample (cpu)\n" },
	{ "cpu alone", TYPE SET("interval", "5") EVENT("1", "STATE_DEFAULT"),
	  NULL, CPU("5", "@1") },
	{ "no wall", TYPE EVENT("1", "STATE_DEFAULT"), "wall=1",
	  "error: no events 'wall' in the recording; it has "
	  "jdk.ExecutionSample (cpu)\n" },
	{ "wall alone, whose interval is that of the event",
	  TYPE SET("event", "wall") SET("interval", "5")
		  EVENT("1", "STATE_RUNNABLE"),
	  NULL, WALL("5", RUNS("@1")) },
	{ "no cpu", TYPE SET("event", "wall") EVENT("1", "STATE_RUNNABLE"),
	  "cpu=1",
	  "error: no events 'cpu' in the recording; it has "
	  "jdk.ExecutionSample (wall)\n" },
	{ "names of Datadog", BOTH, "preset=datadog",
	  "wall/samples period 200000000 jdk.ExecutionSample\n"
	  "\tA.f @1 profile.type=wall thread.state=sleeping\n"
	  "\tA.f @3 profile.type=wall thread.state=running\n"
	  "cpu/samples period 10000000 jdk.ExecutionSample\n"
	  "\tA.f @2 @4 profile.type=cpu thread.state=running\n" },
};

static void check_rows(const struct row *rows, size_t n, bool has_no_enums)
{
	for (size_t i = 0; i < n; i++) {
		for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
			struct jfr j;

			jfr_begin(&j, JFR_ASYNC);
			j.has_no_enums = has_no_enums;
			j.is_fixed = is_fixed;
			play(&j, rows[i].text);
			says_with(&j, rows[i].setting, rows[i].name,
				  rows[i].want);
		}
	}
}

TEST(with_default)
{
	check_rows(later, op_countof(later), false);
}

/* --- before that --- */

#define STATES                                  \
	"pool ThreadState 1 'STATE_RUNNABLE'\n" \
	"pool ThreadState 2 'STATE_SLEEPING'\n"
#define OLD(time, state) "jdk.ExecutionSample " time " 0 `A.f` " state "\n"
#define RUNNING(time) OLD(time, "1")
#define SLEEPING(time) OLD(time, "2")
#define INTERVAL SET("interval", "7")
#define NEXT "next\n" STATES
#define BARE "samples/count jdk.ExecutionSample\n"

static const struct row before[] = {
	{ "an event of CPU time",
	  STATES TYPE SET("event", "cpu") INTERVAL RUNNING("1"), NULL,
	  CPU("7", "@1") },
	{ "wall",
	  STATES TYPE SET("event", "wall") INTERVAL RUNNING("1") SLEEPING("2"),
	  NULL, WALL("7", RUNS("@1") SLEEPS("@2")) },
	{ "no setting", STATES TYPE INTERVAL RUNNING("1"), NULL,
	  CPU("7", "@1") },
	{ "wall, of which only the first chunk tells",
	  STATES TYPE SET("event", "wall") INTERVAL RUNNING("1") NEXT RUNNING(
		  "2") NEXT SLEEPING("3") RUNNING("4") NEXT RUNNING("5"),
	  NULL, WALL("7", RUNS("@1 @2 @4 @5") SLEEPS("@3")) },
	{ "CPU time, of which only the first chunk tells",
	  STATES TYPE SET("event", "itimer") INTERVAL RUNNING("1")
		  NEXT RUNNING("2") NEXT RUNNING("3") NEXT RUNNING("4"),
	  NULL, CPU("7", "@1 @2 @3 @4") },
	{ "a recording of each behind one another",
	  STATES TYPE SET("event", "cpu") RUNNING("1") NEXT RUNNING("2")
		  NEXT TYPE SET("event", "wall") RUNNING("3") NEXT RUNNING("4"),
	  NULL, BARE RUNS("@1 @2") BARE RUNS("@3 @4") },
	{ "wall that nobody wants, of which only the first chunk tells",
	  STATES TYPE SET("event", "wall") RUNNING("1") NEXT RUNNING("2")
		  NEXT RUNNING("3"),
	  "cpu=1",
	  "error: no events 'cpu' in the recording; it has "
	  "jdk.ExecutionSample (wall)\n" },
	{ "wall, of which only the first chunk tells, by option",
	  STATES TYPE SET("event", "wall") INTERVAL RUNNING("1")
		  NEXT RUNNING("2") NEXT RUNNING("3"),
	  "wall=1", WALL("7", RUNS("@1 @2 @3")) },
};

TEST(without_default)
{
	check_rows(before, op_countof(before), true);
}

/* More than fit into a run, of both kinds in turn. */
TEST(many)
{
	struct op_model m;
	struct op_err err;
	struct jfr j;

	jfr_begin(&j, JFR_ASYNC);
	for (int i = 0; i < 1000; i++)
		jfr_event(&j, "jdk.ExecutionSample", "%d 0 `A.f` `%s`", i,
			  i % 3 ? "STATE_SLEEPING" : "STATE_DEFAULT");
	CHECK_EQ(read_with(&m, jfr_end(&j), NULL, &err), 0);
	CHECK_EQ(op_profile_total(&m.resources->scopes->profiles[0]), 334);
	CHECK_EQ(op_profile_total(&m.resources->scopes->profiles[1]), 666);
	CHECK(op_view_is(
		op_string(&m,
			  m.resources->scopes->profiles[1].period_type.type),
		"wall"));
	op_model_free(&m);
	jfr_free(&j);
}

TEST_MAIN(with_default, without_default, many)
