// SPDX-License-Identifier: Apache-2.0
/* model/semconv.h: names of attributes and scopes that the code uses.
 *
 * OpenTelemetry's semantic conventions where they define a name; names that
 * begin with otprof. are ours (documented in docs/formats). */
#ifndef OP_MODEL_SEMCONV_H
#define OP_MODEL_SEMCONV_H

#define OP_ATTR_BUILD_ID_GNU "process.executable.build_id.gnu"
#define OP_ATTR_BUILD_ID_GO "process.executable.build_id.go"
#define OP_ATTR_BUILD_ID_HTLHASH "process.executable.build_id.htlhash"
#define OP_ATTR_COMMENT "pprof.profile.comment"
#define OP_ATTR_HAS_FUNCTIONS "pprof.mapping.has_functions"
#define OP_ATTR_HAS_FILENAMES "pprof.mapping.has_filenames"
#define OP_ATTR_HAS_LINE_NUMBERS "pprof.mapping.has_line_numbers"
#define OP_ATTR_HAS_INLINE_FRAMES "pprof.mapping.has_inline_frames"
#define OP_ATTR_IS_FOLDED "pprof.location.is_folded"
#define OP_ATTR_DROP_FRAMES "pprof.profile.drop_frames"
#define OP_ATTR_KEEP_FRAMES "pprof.profile.keep_frames"
#define OP_ATTR_DOC_URL "pprof.profile.doc_url"
#define OP_ATTR_DEFAULT_SAMPLE_TYPE "pprof.scope.default_sample_type"
#define OP_ATTR_SAMPLE_TYPE_ORDER "pprof.scope.sample_type_order"

/* The first release of the conventions that defines all of the above. */
#define OP_SCHEMA_URL "https://opentelemetry.io/schemas/1.40.0"

#define OP_ATTR_FRAME_TYPE "profile.frame.type"
/* On a location: how the JVM ran it: "Interpreted", "Inlined", ... */
#define OP_ATTR_JFR_FRAME_KIND "jfr.frame.kind"
/* On a location: V8's script number, if file and position are ambiguous. */
#define OP_ATTR_SCRIPT_ID "v8.script.id"
#define OP_ATTR_THREAD_ID "thread.id"
#define OP_ATTR_THREAD_NAME "thread.name"
#define OP_ATTR_THREAD_STATE "thread.state"

/* Of a thread, as Splunk's conventions have it: its number in the system and in
 * the program, its priorities, times in ns, a word on its status, and whether
 * its stack is cut. */
#define OP_ATTR_THREAD_OS_ID "thread.os.id"
#define OP_ATTR_THREAD_TID "otprof.thread.tid"
#define OP_ATTR_THREAD_PRIO "otprof.thread.prio"
#define OP_ATTR_THREAD_OS_PRIO "otprof.thread.os_prio"
#define OP_ATTR_THREAD_CPU_TIME "otprof.thread.cpu_time"
#define OP_ATTR_THREAD_ELAPSED "otprof.thread.elapsed"
#define OP_ATTR_THREAD_STATUS "otprof.thread.status"
#define OP_ATTR_THREAD_TRUNCATED "thread.stack.truncated"

/* On a profile: what has made Splunk's library take it. */
#define OP_ATTR_PROFILING_SOURCE "profiling.instrumentation.source"

/* On a profile: attributes of the window in which it was taken. Profiles that
 * are merged do not have them. */
#define OP_ATTRS_OF_WINDOW "otprof.window."

#define OP_ATTR_PID "process.pid"
#define OP_ATTR_CREATION_TIME "process.creation.time"

/* On a mapping: the ids that Breakpad and symbol servers use for a binary, if
 * they differ from its build ID. */
#define OP_ATTR_BREAKPAD_ID "otprof.mapping.breakpad_id"
#define OP_ATTR_CODE_ID "otprof.mapping.code_id"

/* On a location: why its address has no name (sym/symbolize.h). */
#define OP_ATTR_UNRESOLVED "otprof.location.unresolved"

/* "cumulative" if the values count from the start of the process. */
#define OP_ATTR_TEMPORALITY "otprof.aggregation_temporality"

/* On a profile: the type of its events, if its source has a name for it besides
 * the sample type. */
#define OP_ATTR_EVENT "otprof.event.type"

/* On a profile: true if it contains only memory that was never freed. */
#define OP_ATTR_EVENT_LEAK "otprof.event.leak"

/* On a profile: names of event fields that were left out, because they would
 * make every event a separate sample. */
#define OP_ATTR_EVENT_LEFT_OUT "otprof.event.fields_left_out"

/* On a profile: the clock of its timestamps, if they do not count from 1970 but
 * from the start of the machine or of the clock. */
#define OP_ATTR_CLOCK "otprof.clock"

/* On a profile: true if each observation is an interval that starts at its
 * timestamp and is as long as its value, although the sample type does not
 * imply it. */
#define OP_ATTR_INTERVAL "otprof.interval"

/* On a profile: true if the values are differences, after minus before. */
#define OP_ATTR_DIFF "otprof.diff"

/* The OpenTelemetry eBPF profiler, which stamps off_cpu at the end. */
#define OP_SCOPE_EBPF_NAME "ebpf-profiler"
#define OP_SCOPE_EBPF "go.opentelemetry.io/" OP_SCOPE_EBPF_NAME

#endif
