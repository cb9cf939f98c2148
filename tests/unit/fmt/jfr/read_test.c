// SPDX-License-Identifier: Apache-2.0
/* Which profiles the event types become: docs/formats/jfr.md row by row. */
#include "jfr_fixture.h"

struct row {
	enum jfr_flavour flavour;
	const char *event, *values, *want;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct jfr j;

		jfr_begin(&j, rows[i].flavour);
		jfr_event(&j, rows[i].event, "%s", rows[i].values);
		says(&j, rows[i].event, rows[i].want);
	}
}

#define AF "stackTrace=`main;A.f`"
#define T "100 " AF " "
#define OLD                                                    \
	"-allocationTime,objectAge,lastKnownHeapUsage,object," \
	"arrayElements,root jdk.OldObjectSample\n"
#define LASTS "100 50 " AF " "

/* --- cpu and wall --- */

static const struct row sampling[] = {
	{ JFR_JDK17, "jdk.ExecutionSample", T "`STATE_RUNNABLE`",
	  "samples/count jdk.ExecutionSample\n"
	  "\tmain;A.f @100 thread.state=running\n" },
	{ JFR_ASYNC, "jdk.ExecutionSample", T,
	  "samples/count jdk.ExecutionSample\n"
	  "\tmain;A.f @100 thread.state=running\n" },
	{ JFR_DATADOG, "datadog.ExecutionSample", T "weight=3",
	  "samples/count -correlationId datadog.ExecutionSample\n"
	  "\tmain;A.f 3@100 thread.state=running\n" },
	{ JFR_JDK25, "jdk.CPUTimeSample", T "samplingPeriod=20000",
	  "cpu/nanoseconds jdk.CPUTimeSample\n"
	  "\tmain;A.f 20000@100\n" },
	{ JFR_JDK25, "jdk.CPUTimeSample",
	  "100 failed=true samplingPeriod=7 biased=true",
	  "cpu/nanoseconds jdk.CPUTimeSample\n"
	  "\t- 7@100 jfr.biased=true jfr.failed=true\n" },
	{ JFR_JDK17, "jdk.NativeMethodSample", T "`STATE_SLEEPING`",
	  "samples/count jdk.NativeMethodSample\n"
	  "\tmain;A.f @100 thread.state=sleeping\n" },
	{ JFR_ASYNC, "profiler.WallClockSample", T "samples=4",
	  "samples/count -timeSpan profiler.WallClockSample\n"
	  "\tmain;A.f 4@100 thread.state=running\n" },
	{ JFR_DATADOG, "datadog.MethodSample", T "weight=2",
	  "samples/count -correlationId datadog.MethodSample\n"
	  "\tmain;A.f 2@100 thread.state=running\n" },
};

TEST(samples)
{
	check_rows(sampling, op_countof(sampling));
}

/* --- memory --- */

static const struct row memory[] = {
	{ JFR_JDK17, "jdk.ObjectAllocationInNewTLAB", T "`[B` 16 4096",
	  "alloc_objects/count -allocationSize jdk.ObjectAllocationInNewTLAB\n"
	  "\tmain;A.f @100 jfr.class=byte[]\n"
	  "alloc_space/bytes -allocationSize jdk.ObjectAllocationInNewTLAB\n"
	  "\tmain;A.f 4096@100 jfr.class=byte[]\n" },
	{ JFR_JDK17, "jdk.ObjectAllocationOutsideTLAB", T "allocationSize=16",
	  "alloc_objects/count jdk.ObjectAllocationOutsideTLAB\n"
	  "\tmain;A.f @100\n"
	  "alloc_space/bytes jdk.ObjectAllocationOutsideTLAB\n"
	  "\tmain;A.f 16@100\n" },
	{ JFR_JDK17, "jdk.ObjectAllocationSample", T "weight=640",
	  "alloc_objects/count jdk.ObjectAllocationSample\n"
	  "\tmain;A.f @100\n"
	  "alloc_space/bytes jdk.ObjectAllocationSample\n"
	  "\tmain;A.f 640@100\n" },
	{ JFR_DATADOG, "datadog.ObjectSample", T "size=24 weight=2.5",
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\tmain;A.f 3@100\n"
	  "alloc_space/bytes datadog.ObjectSample\n"
	  "\tmain;A.f 60@100\n" },
	{ JFR_JDK17, "jdk.OldObjectSample", T,
	  "inuse_objects/count " OLD "\tmain;A.f @100\n" },
	{ JFR_JDK25, "jdk.OldObjectSample", T "objectSize=48",
	  "inuse_objects/count " OLD "\tmain;A.f @100\n"
	  "inuse_space/bytes " OLD "\tmain;A.f 48@100\n" },
	{ JFR_ASYNC, "profiler.LiveObject", T "allocationSize=32",
	  "inuse_objects/count -allocationTime profiler.LiveObject\n"
	  "\tmain;A.f @100\n"
	  "inuse_space/bytes -allocationTime profiler.LiveObject\n"
	  "\tmain;A.f 32@100\n" },
	{ JFR_DATADOG, "datadog.HeapLiveObject", T "size=10 weight=1.25",
	  "inuse_objects/count -age datadog.HeapLiveObject\n"
	  "\tmain;A.f @100\n"
	  "inuse_space/bytes -age datadog.HeapLiveObject\n"
	  "\tmain;A.f 13@100\n" },
	{ JFR_ASYNC, "profiler.Malloc", T "size=77",
	  "malloc_objects/count -address profiler.Malloc\n"
	  "\tmain;A.f @100\n"
	  "malloc_space/bytes -address profiler.Malloc\n"
	  "\tmain;A.f 77@100\n"
	  "leak_objects/count -address otprof.event.leak=true profiler.Malloc\n"
	  "\tmain;A.f @100\n"
	  "leak_space/bytes -address otprof.event.leak=true profiler.Malloc\n"
	  "\tmain;A.f 77@100\n" },
	{ JFR_ASYNC, "profiler.Free", T,
	  "free_objects/count -address profiler.Free\n"
	  "\tmain;A.f @100\n" },
	{ JFR_DATADOG, "datadog.NativeMemoryAllocation", T "size=10 weight=3",
	  "malloc_objects/count -address datadog.NativeMemoryAllocation\n"
	  "\tmain;A.f 3@100\n"
	  "malloc_space/bytes -address datadog.NativeMemoryAllocation\n"
	  "\tmain;A.f 30@100\n" },
};

TEST(allocations)
{
	check_rows(memory, op_countof(memory));
}

/* --- what takes time --- */

static const struct row lasting[] = {
	{ JFR_JDK17, "jdk.JavaMonitorEnter",
	  LASTS "monitorClass=`java/lang/Object`",
	  "lock/nanoseconds -address jdk.JavaMonitorEnter\n"
	  "\tmain;A.f 50@100 jfr.class=java.lang.Object\n" },
	{ JFR_JDK17, "jdk.JavaMonitorWait", LASTS "timeout=5 timedOut=true",
	  "wait/nanoseconds -timeout,address jdk.JavaMonitorWait\n"
	  "\tmain;A.f 50@100 jfr.timedOut=true\n" },
	{ JFR_JDK17, "jdk.ThreadPark", LASTS,
	  "park/nanoseconds -timeout,until,address jdk.ThreadPark\n"
	  "\tmain;A.f 50@100\n" },
	{ JFR_JDK17, "jdk.ThreadPark", LASTS "timeout=1",
	  "park_timed/nanoseconds -timeout,until,address jdk.ThreadPark\n"
	  "\tmain;A.f 50@100\n" },
	{ JFR_JDK17, "jdk.ThreadPark", LASTS "until=1700000000001",
	  "park_timed/nanoseconds -timeout,until,address jdk.ThreadPark\n"
	  "\tmain;A.f 50@100\n" },
	{ JFR_JDK17, "jdk.ThreadPark", LASTS "timeout=-1 until=-1",
	  "park/nanoseconds -timeout,until,address jdk.ThreadPark\n"
	  "\tmain;A.f 50@100\n" },
	{ JFR_JDK17, "jdk.ThreadSleep", LASTS "time=5",
	  "sleep/nanoseconds -time jdk.ThreadSleep\n"
	  "\tmain;A.f 50@100\n" },
	{ JFR_JDK25, "jdk.VirtualThreadPinned",
	  LASTS "blockingOperation='Parking' pinnedReason='Native frame'",
	  "pinned/nanoseconds jdk.VirtualThreadPinned\n"
	  "\tmain;A.f 50@100 jfr.blockingOperation=Parking "
	  "jfr.pinnedReason=Native frame\n" },
	{ JFR_DATADOG, "datadog.QueueTime",
	  "100 50 task=`T` scheduler=`S` queueType=`Q`",
	  "queue/nanoseconds -queueLength datadog.QueueTime\n"
	  "\t- 50@100 jfr.queueType=Q jfr.scheduler=S jfr.task=T\n" },
	{ JFR_ASYNC, "profiler.Span", "100 50 `worker` tag=7",
	  "span/nanoseconds profiler.Span\n"
	  "\t- 50@100 jfr.thread.os_id=1000 thread.id=1000 "
	  "thread.name=worker\n" },
	{ JFR_ASYNC, "profiler.NativeLock", LASTS,
	  "native_lock/nanoseconds -address profiler.NativeLock\n"
	  "\tmain;A.f 50@100\n" },
	{ JFR_JDK17, "jdk.FileRead",
	  LASTS "path='/etc/hosts' bytesRead=12 endOfFile=true",
	  "file_read/nanoseconds jdk.FileRead\n"
	  "\tmain;A.f 50@100 jfr.endOfFile=true jfr.path=/etc/hosts\n"
	  "file_read/bytes jdk.FileRead\n"
	  "\tmain;A.f 12@100 jfr.endOfFile=true jfr.path=/etc/hosts\n" },
	{ JFR_JDK17, "jdk.FileWrite", LASTS "path='/tmp/x' bytesWritten=3",
	  "file_write/nanoseconds jdk.FileWrite\n"
	  "\tmain;A.f 50@100 jfr.path=/tmp/x\n"
	  "file_write/bytes jdk.FileWrite\n"
	  "\tmain;A.f 3@100 jfr.path=/tmp/x\n" },
	{ JFR_JDK17, "jdk.SocketRead",
	  LASTS "host='db' address='10.0.0.1' port=80 bytesRead=9",
	  "socket_read/nanoseconds -address,timeout jdk.SocketRead\n"
	  "\tmain;A.f 50@100 jfr.host=db jfr.port=80\n"
	  "socket_read/bytes -address,timeout jdk.SocketRead\n"
	  "\tmain;A.f 9@100 jfr.host=db jfr.port=80\n" },
	{ JFR_JDK17, "jdk.SocketWrite", LASTS "bytesWritten=9",
	  "socket_write/nanoseconds -address jdk.SocketWrite\n"
	  "\tmain;A.f 50@100\n"
	  "socket_write/bytes -address jdk.SocketWrite\n"
	  "\tmain;A.f 9@100\n" },
	{ JFR_JDK17, "jdk.JavaExceptionThrow",
	  LASTS "message='no' thrownClass=`java/lang/Error`",
	  "exceptions/count -message jdk.JavaExceptionThrow\n"
	  "\tmain;A.f @100 jfr.class=java.lang.Error\n" },
	{ JFR_JDK25, "jdk.JavaErrorThrow", T,
	  "exceptions/count -message jdk.JavaErrorThrow\n"
	  "\tmain;A.f @100\n" },
	{ JFR_JDK17, "jdk.GCPhasePause", "100 50 gcId=3 name='Pause'",
	  "gc_pause/nanoseconds -gcId jdk.GCPhasePause\n"
	  "\t- 50@100 jfr.name=Pause\n" },
	{ JFR_JDK17, "jdk.GarbageCollection", "100 50 gcId=3",
	  "gc/nanoseconds -gcId,sumOfPauses,longestPause "
	  "jdk.GarbageCollection\n"
	  "\t- 50@100\n" },
	{ JFR_JDK17, "jdk.ExecuteVMOperation", "100 50 safepoint=true",
	  "vm_operation/nanoseconds -safepointId jdk.ExecuteVMOperation\n"
	  "\t- 50@100 jfr.safepoint=true\n" },
	{ JFR_JDK25, "jdk.MethodTrace", LASTS "method=`A.f`",
	  "method/nanoseconds jdk.MethodTrace\n"
	  "\tmain;A.f 50@100 jfr.method=A.f\n" },
};

TEST(durations)
{
	check_rows(lasting, op_countof(lasting));
}

/* --- all others --- */

static const struct row others[] = {
	{ JFR_JDK17, "jdk.ThreadStart", T,
	  "thread_start/count jdk.ThreadStart\n"
	  "\tmain;A.f @100\n" },
	{ JFR_DATADOG, "datadog.Endpoint", LASTS,
	  "endpoint/nanoseconds datadog.Endpoint\n"
	  "\tmain;A.f 50@100\n" },
	{ JFR_DATADOG, "datadog.NativeSocketEvent",
	  T "duration=50 operation='send' weight=2",
	  "native_socket_event/nanoseconds -bytesTransferred,weight "
	  "datadog.NativeSocketEvent\n"
	  "\tmain;A.f 50@100 jfr.operation=send\n" },
	{ JFR_DATADOG, "datadog.ProfilerSetting",
	  LASTS "name='a' value='b' unit='c'",
	  "profiler_setting/nanoseconds -value datadog.ProfilerSetting\n"
	  "\tmain;A.f 50@100 jfr.name=a jfr.unit=c\n" },
};

TEST(general_rule)
{
	check_rows(others, op_countof(others));
}

/* Without a stack, and not in the table. */
static const struct {
	enum jfr_flavour flavour;
	const char *event, *values;
} nothing[] = {
	{ JFR_JDK17, "jdk.ThreadEnd", "100" },
	{ JFR_JDK17, "jdk.CPULoad", "100 0.5" },
	{ JFR_JDK17, "jdk.GCHeapSummary", "100 heapUsed=5" },
	{ JFR_JDK17, "jdk.SafepointBegin", "100 50" },
	{ JFR_JDK17, "jdk.InitialSystemProperty", "100 'user' 'me'" },
	{ JFR_ASYNC, "profiler.Window", "100 50" },
	{ JFR_ASYNC, "profiler.UserEvent", "100" },
	{ JFR_ASYNC, "profiler.Log", "100" },
	{ JFR_ASYNC, "profiler.ProcessSample", "100" },
	{ JFR_DATADOG, "datadog.WallClockSamplingEpoch", "100" },
	{ JFR_DATADOG, "datadog.HeapUsage", "100" },
	{ JFR_DATADOG, "datadog.DatadogProfilerConfig", "100" },
	{ JFR_DATADOG, "datadog.ProfilerCounter", "100" },
	{ JFR_DATADOG, "datadog.UnwindFailure", "100" },
};

TEST(no_profile)
{
	for (size_t i = 0; i < op_countof(nothing); i++) {
		struct jfr j;

		jfr_begin(&j, nothing[i].flavour);
		jfr_event(&j, nothing[i].event, "%s", nothing[i].values);
		says(&j, nothing[i].event, "");
	}
}

TEST_MAIN(samples, allocations, durations, general_rule, no_profile)
