// SPDX-License-Identifier: Apache-2.0
/* When threads had a CPU. */
#include "perf_fixture.h"

#define EVENT "event cpu-clock has=ip+tid+time\n"
#define CLOCK " cpu-clock since boot\n"
#define OFF(range) "off_cpu/nanoseconds " range " SWITCH since boot\n"
#define ON(range) "on_cpu/nanoseconds " range " SWITCH since boot\n"

static const struct row records[] = {
	{ "out and in", EVENT "switch out 10/11 @5\nswitch in 10/11 @9\n",
	  OFF("5+5") "\t- 4@5 blocked 10/11\n" },
	{ "in and out", EVENT "switch in 10/11 @5\nswitch out 10/11 @9\n",
	  ON("5+5") "\t- 4@5 running 10/11\n" },
	{ "it could have run",
	  EVENT "switch preempt 10/11 @5\nswitch in 10/11 @9\n",
	  OFF("5+5") "\t- 4@5 unscheduled 10/11\n" },
	{ "several threads",
	  EVENT "comm 10/11 a\nswitch out 10/11 @5\nswitch in 10/12 @5\n"
		"switch preempt 10/12 @7\nswitch in 10/11 @7\n",
	  ON("5+3") "\t- 2@5 running 10/12\n" OFF(
		  "5+3") "\t- 2@5 blocked a 10/11\n" },
	{ "only one half", EVENT "round\nswitch out 10/11 @5\n", "" },
	{ "it ended meanwhile",
	  EVENT
	  "switch out 10/11 @5\nexit 10/11 10/10 @6\nswitch in 10/11 @9\n",
	  "" },
	{ "another thread has the number now",
	  EVENT
	  "switch out 10/11 @5\nfork 10/11 10/10 @6\nswitch in 10/11 @9\n",
	  "" },
	{ "nothing is not waited for",
	  EVENT "switch out 0/0 @5\nswitch in 0/0 @9\n", "" },
	{ "states",
	  "with state=unscheduled\n" EVENT
	  "switch preempt 10/11 @5\nswitch in 10/11 @9\n"
	  "switch out 10/11 @11\nswitch in 10/11 @12\n",
	  OFF("5+5") "\t- 4@5 unscheduled 10/11\n" },
	{ "by threads",
	  "with thread=b\n" EVENT "comm 10/11 a\ncomm 10/12 b\n"
	  "switch out 10/11 @5\nswitch in 10/11 @9\n"
	  "switch out 10/12 @5\nswitch in 10/12 @7\n",
	  OFF("5+3") "\t- 2@5 blocked b 10/12\n" },
	{ "not asked for",
	  "with event=cpu\n" EVENT
	  "switch out 10/11 @5\nswitch in 10/11 @9\nsample 10/11 @9 ip=1\n",
	  "samples/count period 1 9+1" CLOCK "\t?+0x1 @9 10/11\n" },
	{ "asked for alone",
	  "with event=off_cpu\n" EVENT
	  "switch out 10/11 @5\nswitch in 10/11 @9\nsample 10/11 @9 ip=1\n",
	  OFF("5+5") "\t- 4@5 blocked 10/11\n" },
};

TEST(record)
{
	CHECK_ROWS(records);
}

#define COUNTED "event context-switches config=3 has=ip+tid+time+chain\n"

static const struct row counted[] = {
	{ "a sample says where",
	  COUNTED "sample 10/11 @5 chain=u,0x10,0x20\nswitch out 10/11 @5\n"
		  "switch in 10/11 @9\n",
	  "off_cpu/nanoseconds 5+5 context-switches since boot\n"
	  "\t?+0x10;?+0x1f 4@5 blocked 10/11\n"
	  "samples/count period 1 5+5 context-switches since boot\n"
	  "\t?+0x10;?+0x1f @5 10/11\n" },
	{ "and the record why",
	  "with event=off_cpu\n" COUNTED
	  "sample 10/11 @5 chain=u,0x10\nswitch preempt 10/11 @6\n"
	  "switch in 10/11 @9\n",
	  "off_cpu/nanoseconds 5+5 context-switches since boot\n"
	  "\t?+0x10 4@5 unscheduled 10/11\n" },
};

TEST(sample)
{
	CHECK_ROWS(counted);
}

/* 32 u64 state, 56 u32 of the next. */
#define RAW(state, next)                                                 \
	"raw=" ZERO ZERO ZERO ZERO state "00000000000000" ZERO ZERO next \
	"000000"
#define ZERO "0000000000000000"
#define SCHED "event sched:sched_switch type=2 config=5 has=tid+time+raw\n"
#define HEAD "off_cpu/nanoseconds 5+3 sched:sched_switch since boot\n"
#define ASKED "with event=off_cpu\n" SCHED

static const struct row scheduled[] = {
	{ "sleeps",
	  ASKED "sample 10/11 @5 " RAW("01", "0c") "\n"
						   "sample 10/12 @7 " RAW(
							   "10", "0b") "\n",
	  HEAD "\t- 2@5 sleeping 10/11\n" },
	{ "cannot be woken",
	  ASKED "sample 10/11 @5 " RAW("02", "0c") "\n"
						   "sample 10/12 @7 " RAW(
							   "10", "0b") "\n",
	  HEAD "\t- 2@5 uninterruptible 10/11\n" },
	{ "was made to wait",
	  ASKED "sample 10/11 @5 " RAW("00", "0c") "\n"
						   "sample 10/12 @7 " RAW(
							   "10", "0b") "\n",
	  HEAD "\t- 2@5 unscheduled 10/11\n" },
	{ "is stopped",
	  ASKED "sample 10/11 @5 " RAW("04", "0c") "\n"
						   "sample 10/12 @7 " RAW(
							   "10", "0b") "\n",
	  HEAD "\t- 2@5 blocked 10/11\n" },
	{ "has ended",
	  ASKED "sample 10/11 @5 " RAW("10", "0c") "\n"
						   "sample 10/12 @7 " RAW(
							   "10", "0b") "\n",
	  "error: no samples of the selected events; the recording has "
	  "sched:sched_switch\n" },
	{ "the next ran until it left",
	  ASKED "sample 10/12 @3 " RAW(
		  "10", "0b") "\n"
			      "sample 10/11 @5 " RAW(
				      "10", "0c") "\n"
						  "sample 10/12 @8 " RAW(
							  "10", "0b") "\n",
	  "on_cpu/nanoseconds 5+4 sched:sched_switch since boot\n"
	  "\t- 3@5 running 10/12\n" },
	{ "fields where the recording says",
	  ASKED "feature 1 'name: sched_switch\\n' 'field:long prev_state; "
		"offset:0; ' 'field:pid_t next_pid; offset:8; ' 'print fmt: '\n"
		"sample 10/11 @5 raw=02000000000000000c000000\n"
		"sample 10/12 @7 raw=10000000000000000b000000\n",
	  HEAD "\t- 2@5 uninterruptible 10/11\n" },
	{ "too little to know",
	  ASKED "sample 10/11 @5 raw=00000000\n"
		"sample 10/11 @7 raw=00000000\n",
	  HEAD "\t- 2@5 blocked 10/11\n" },
};

TEST(sched)
{
	CHECK_ROWS(scheduled);
}

TEST_MAIN(record, sample, sched)
