// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr_table.c: the types that recorders write, in the language of
 * jfr_type(). Fields stand in the order in which they are stored; an absent
 * field of a flavour was read from files of that recorder. */
#include "write/jfr_int.h"

/* How most events begin. */
#define SAMPLE "startTime:ticks eventThread:Thread* stackTrace:StackTrace* "
#define TIMED                                                \
	"startTime:ticks duration:span eventThread:Thread* " \
	"stackTrace:StackTrace* "
#define SPAN "spanId:long localRootSpanId:long "

const char *const jfr_table[][2] = {
	{ "boolean", "" },
	{ "byte", "" },
	{ "char", "" },
	{ "short", "" },
	{ "int", "" },
	{ "long", "" },
	{ "float", "" },
	{ "double", "" },
	{ "java.lang.String", "" },
	{ "java.lang.Class",
	  "classLoader:ClassLoader* name:Symbol* package:Package* "
	  "modifiers:int jdk|hidden:boolean" },
	{ "java.lang.Thread",
	  "osName:String osThreadId:long javaName:String javaThreadId:long "
	  "jdk|group:ThreadGroup* 25|virtual:boolean" },
	{ "jdk.types.ThreadGroup", "parent:ThreadGroup* name:String" },
	{ "jdk.types.ClassLoader", "type:Class* name:Symbol*" },
	{ "jdk.types.Package",
	  "name:Symbol* jdk|module:Module* jdk|exported:boolean" },
	{ "jdk.types.Module", "name:Symbol* version:Symbol* location:Symbol* "
			      "classLoader:ClassLoader*" },
	{ "jdk.types.Symbol simple", "string:String" },
	{ "jdk.types.Method", "type:Class* name:Symbol* descriptor:Symbol* "
			      "modifiers:int hidden:boolean" },
	{ "jdk.types.StackTrace", "truncated:boolean frames:StackFrame[]" },
	{ "jdk.types.StackFrame",
	  "method:Method* lineNumber:int bytecodeIndex:int type:FrameType*" },
	{ "jdk.types.FrameType simple", "description:String" },
	{ "jdk.types.ThreadState simple", "name:String" },
	{ "jdk.types.GCName simple", "name:String" },
	{ "jdk.types.GCCause simple", "cause:String" },
	{ "jdk.types.GCWhen simple", "when:String" },
	{ "jdk.types.VMOperationType simple", "type:String" },
	{ "jdk.types.ChunkHeader simple", "payload:byte[]" },
	{ "jdk.types.VirtualSpace",
	  "start:address committedEnd:address committedSize:bytes "
	  "reservedEnd:address reservedSize:bytes" },
	{ "jdk.types.OldObject", "address:address type:Class* "
				 "description:String referrer:Reference*" },
	{ "jdk.types.Reference", "array:OldObjectArray* field:OldObjectField* "
				 "object:OldObject* skip:int" },
	{ "jdk.types.OldObjectArray", "size:int index:int" },
	{ "jdk.types.OldObjectField", "name:String modifiers:short" },
	{ "jdk.types.OldObjectGcRoot",
	  "description:String system:OldObjectRootSystem* "
	  "type:OldObjectRootType*" },
	{ "jdk.types.OldObjectRootSystem simple", "system:String" },
	{ "jdk.types.OldObjectRootType simple", "type:String" },
	{ "profiler.types.LogLevel simple", "name:String" },
	{ "profiler.types.UserEventType simple", "name:String" },
	{ "profiler.types.AttributeValue simple", "value:String" },
	{ "profiler.types.CounterName simple", "value:String" },
	{ "datadog.types.ExecutionMode simple", "name:String" },

	{ "jdk.jfr.Label annotation", "value:String" },
	{ "jdk.jfr.Timestamp annotation", "value:String" },
	{ "jdk.jfr.Timespan annotation", "value:String" },
	{ "jdk.jfr.DataAmount annotation", "value:String" },
	{ "jdk.jfr.MemoryAddress annotation", "" },
	{ "jdk.jfr.Percentage annotation", "" },
	{ "jdk.jfr.Unsigned annotation", "" },
	{ "jdk.jfr.Frequency annotation", "" },

	{ "jdk.ExecutionSample event",
	  "startTime:ticks sampledThread:Thread* stackTrace:StackTrace* "
	  "state:ThreadState*" },
	{ "jdk.NativeMethodSample event",
	  "startTime:ticks sampledThread:Thread* stackTrace:StackTrace* "
	  "state:ThreadState*" },
	{ "jdk.CPUTimeSample event",
	  "startTime:ticks stackTrace:StackTrace* eventThread:Thread* "
	  "failed:boolean samplingPeriod:span biased:boolean" },
	{ "jdk.CPUTimeSamplesLost event",
	  "startTime:ticks lostSamples:int eventThread:Thread*" },
	{ "jdk.ObjectAllocationSample event",
	  SAMPLE "objectClass:Class* weight:bytes" },
	{ "jdk.ObjectAllocationInNewTLAB event",
	  SAMPLE "objectClass:Class* allocationSize:bytes tlabSize:bytes" },
	{ "jdk.ObjectAllocationOutsideTLAB event",
	  SAMPLE "objectClass:Class* allocationSize:bytes" },
	{ "jdk.OldObjectSample event",
	  TIMED "allocationTime:ticks 25|objectSize:bytes objectAge:span "
		"lastKnownHeapUsage:bytes object:OldObject* "
		"arrayElements:int root:OldObjectGcRoot*" },
	{ "jdk.JavaMonitorEnter event",
	  TIMED "monitorClass:Class* previousOwner:Thread* address:address" },
	{ "jdk.JavaMonitorWait event",
	  TIMED "monitorClass:Class* notifier:Thread* timeout:ms "
		"timedOut:boolean address:address" },
	{ "jdk.ThreadPark event",
	  TIMED "parkedClass:Class* timeout:ns until:epochms "
		"address:address" },
	{ "jdk.ThreadSleep event", TIMED "17|time:ms !17|time:ns" },
	{ "jdk.VirtualThreadPinned event",
	  TIMED "blockingOperation:String pinnedReason:String "
		"carrierThread:Thread*" },
	{ "jdk.FileRead event",
	  TIMED "path:String bytesRead:bytes endOfFile:boolean" },
	{ "jdk.FileWrite event", TIMED "path:String bytesWritten:bytes" },
	{ "jdk.SocketRead event",
	  TIMED "host:String address:String port:int timeout:ms "
		"bytesRead:bytes endOfStream:boolean" },
	{ "jdk.SocketWrite event",
	  TIMED "host:String address:String port:int bytesWritten:bytes" },
	{ "jdk.JavaExceptionThrow event",
	  "startTime:ticks 17|duration:span eventThread:Thread* "
	  "stackTrace:StackTrace* message:String thrownClass:Class*" },
	{ "jdk.JavaErrorThrow event",
	  "startTime:ticks 17|duration:span eventThread:Thread* "
	  "stackTrace:StackTrace* message:String thrownClass:Class*" },
	{ "jdk.MethodTrace event", TIMED "method:Method*" },
	{ "jdk.MethodTiming event",
	  "startTime:ticks method:Method* invocations:long minimum:span "
	  "average:span maximum:span" },
	{ "jdk.GarbageCollection event",
	  "startTime:ticks duration:span 25|eventThread:Thread* gcId:uint "
	  "name:GCName* cause:GCCause* sumOfPauses:span longestPause:span" },
	{ "jdk.GCPhasePause event",
	  "startTime:ticks duration:span eventThread:Thread* gcId:uint "
	  "name:String" },
	{ "jdk.GCPhaseParallel event",
	  "startTime:ticks duration:span eventThread:Thread* gcId:uint "
	  "gcWorkerId:uint name:String" },
	{ "jdk.GCHeapSummary event",
	  "startTime:ticks gcId:uint when:GCWhen* heapSpace:VirtualSpace "
	  "heapUsed:bytes" },
	{ "jdk.ExecuteVMOperation event",
	  "startTime:ticks duration:span eventThread:Thread* "
	  "operation:VMOperationType* safepoint:boolean blocking:boolean "
	  "caller:Thread* safepointId:unsigned" },
	{ "jdk.SafepointBegin event",
	  "startTime:ticks duration:span eventThread:Thread* "
	  "safepointId:unsigned totalThreadCount:int "
	  "jniCriticalThreadCount:int" },
	{ "jdk.ThreadStart event", SAMPLE "thread:Thread* "
					  "parentThread:Thread*" },
	{ "jdk.ThreadEnd event",
	  "startTime:ticks eventThread:Thread* thread:Thread*" },
	{ "jdk.CPULoad event", "startTime:ticks jvmUser:percent "
			       "jvmSystem:percent machineTotal:percent" },
	{ "jdk.ThreadCPULoad event",
	  "startTime:ticks eventThread:Thread* user:percent "
	  "system:percent" },
	{ "jdk.ActiveSetting event",
	  "startTime:ticks 17|duration:span 17|eventThread:Thread* "
	  "17|stackTrace:StackTrace* dd|duration:span "
	  "dd|eventThread:Thread* dd|stackTrace:StackTrace* id:long "
	  "name:String value:String" },
	{ "jdk.ActiveRecording event",
	  "startTime:ticks 17|duration:span 17|eventThread:Thread* "
	  "17|stackTrace:StackTrace* dd|duration:span "
	  "dd|eventThread:Thread* dd|stackTrace:StackTrace* id:long "
	  "name:String destination:String 25|disk:boolean maxAge:ms "
	  "!ap|flushInterval:ms maxSize:bytes recordingStart:epochms "
	  "recordingDuration:ms" },
	{ "jdk.JVMInformation event",
	  "startTime:ticks jvmName:String jvmVersion:String "
	  "jvmArguments:String jvmFlags:String javaArguments:String "
	  "jvmStartTime:epochms pid:long" },
	{ "jdk.OSInformation event", "startTime:ticks osVersion:String" },
	{ "jdk.CPUInformation event",
	  "startTime:ticks cpu:String description:String sockets:uint "
	  "cores:uint hwThreads:uint" },
	{ "jdk.InitialSystemProperty event",
	  "startTime:ticks key:String value:String" },
	{ "jdk.InitialEnvironmentVariable event",
	  "startTime:ticks key:String value:String" },
	{ "jdk.NativeLibrary event",
	  "startTime:ticks name:String baseAddress:address "
	  "topAddress:address dd|buildId:String dd|loadBias:address" },

	{ "profiler.WallClockSample event",
	  "startTime:ticks sampledThread:Thread* stackTrace:StackTrace* "
	  "state:ThreadState* samples:uint timeSpan:span" },
	{ "profiler.LiveObject event",
	  SAMPLE "objectClass:Class* allocationSize:bytes "
		 "allocationTime:ticks" },
	{ "profiler.Malloc event", SAMPLE "address:address size:bytes" },
	{ "profiler.Free event", SAMPLE "address:address" },
	{ "profiler.NativeLock event", TIMED "address:address" },
	{ "profiler.Span event",
	  "startTime:ticks duration:span eventThread:Thread* tag:String*" },
	{ "profiler.Window event",
	  "startTime:ticks duration:span eventThread:Thread*" },
	{ "profiler.UserEvent event",
	  "startTime:ticks eventThread:Thread* type:UserEventType* "
	  "data:String" },
	{ "profiler.Log event",
	  "startTime:ticks level:LogLevel* message:String" },
	{ "profiler.ProcessSample event",
	  "startTime:ticks pid:uint ppid:uint name:String cmdLine:String "
	  "uid:uint state:byte processStartTime:epochms cpuUser:float "
	  "cpuSystem:float cpuPercent:percent threads:uint vmSize:bytes "
	  "vmRss:bytes rssAnon:bytes rssFiles:bytes rssShmem:bytes "
	  "minorFaults:unsigned majorFaults:unsigned ioRead:bytes "
	  "ioWrite:bytes" },

	{ "datadog.ExecutionSample event",
	  SAMPLE "state:ThreadState* mode:ExecutionMode* weight:long "
		 "correlationId:long " SPAN },
	{ "datadog.MethodSample event",
	  SAMPLE "state:ThreadState* mode:ExecutionMode* weight:long "
		 "correlationId:long " SPAN },
	{ "datadog.ObjectSample event",
	  SAMPLE "objectClass:Class* size:bytes weight:float " SPAN },
	{ "datadog.HeapLiveObject event",
	  SAMPLE "objectClass:Class* age:unsigned size:bytes "
		 "weight:float " SPAN },
	{ "datadog.Endpoint event",
	  TIMED "endpoint:String* operation:AttributeValue* "
		"localRootSpanId:long" },
	{ "datadog.QueueTime event",
	  "startTime:ticks duration:span eventThread:Thread* "
	  "origin:Thread* task:Class* scheduler:Class* queueType:Class* "
	  "queueLength:int " SPAN },
	{ "datadog.NativeMemoryAllocation event",
	  SAMPLE "address:address size:bytes weight:float " SPAN },
	{ "datadog.NativeSocketEvent event",
	  SAMPLE "duration:span operation:String remoteAddress:String "
		 "bytesTransferred:bytes weight:float " SPAN },
	{ "datadog.WallClockSamplingEpoch event",
	  "startTime:ticks duration:ms samplePoolSize:int "
	  "numSuccessfulSamples:int numFailedSamples:int "
	  "numExitedThreads:int numPermissionDenied:int" },
	{ "datadog.HeapUsage event",
	  "startTime:ticks size:bytes isLive:boolean" },
	{ "datadog.ProfilerSetting event",
	  TIMED "name:String value:String unit:String" },
	{ "datadog.DatadogProfilerConfig event",
	  "startTime:ticks duration:span eventThread:Thread* "
	  "cpuInterval:ms wallInterval:ms allocInterval:bytes "
	  "memleakInterval:bytes memleakCapacity:long "
	  "memleakTrackPercent:long gcGenerations:boolean modeMask:int "
	  "version:String cpuEngine:String" },
	{ "datadog.ProfilerCounter event",
	  "startTime:ticks name:CounterName* count:long" },
	{ "datadog.UnwindFailure event", "startTime:ticks name:String "
					 "count:long" },
	{ NULL, NULL },
};

static const struct jfr_enum jdk_frames[] = {
	{ 0, "Interpreted" }, { 1, "JIT compiled" }, { 2, "Inlined" },
	{ 3, "Native" },      { 0, NULL },
};

static const struct jfr_enum agent_frames[] = {
	{ 0, "Interpreted" }, { 1, "JIT compiled" }, { 2, "Inlined" },
	{ 3, "Native" },      { 4, "C++" },	     { 5, "Kernel" },
	{ 6, "C1 compiled" }, { 0, NULL },
};

static const struct jfr_enum jdk_states[] = {
	{ 0, "STATE_NEW" },
	{ 2, "STATE_TERMINATED" },
	{ 5, "STATE_RUNNABLE" },
	{ 225, "STATE_SLEEPING" },
	{ 401, "STATE_IN_OBJECT_WAIT" },
	{ 417, "STATE_IN_OBJECT_WAIT_TIMED" },
	{ 657, "STATE_PARKED" },
	{ 673, "STATE_PARKED_TIMED" },
	{ 1025, "STATE_BLOCKED_ON_MONITOR_ENTER" },
	{ 0, NULL },
};

static const struct jfr_enum agent_states[] = {
	{ 0, "STATE_DEFAULT" },
	{ 1, "STATE_RUNNABLE" },
	{ 2, "STATE_SLEEPING" },
	{ 0, NULL },
};

const struct jfr_enum *jfr_enum_rows(enum jfr_flavour flavour, const char *type)
{
	bool is_jdk = flavour == JFR_JDK17 || flavour == JFR_JDK25;

	if (!strcmp(type, "jdk.types.FrameType"))
		return is_jdk ? jdk_frames : agent_frames;
	if (!strcmp(type, "jdk.types.ThreadState"))
		return is_jdk ? jdk_states : agent_states;
	return NULL;
}
