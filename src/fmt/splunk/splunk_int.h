// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/splunk_int.h: profiles that travel as OTLP logs, by the
 * conventions of Splunk's instrumentation libraries.
 *
 *	text_int.h    a call stack as text: text_thread.c, text_frame.c
 *	head.c        what a record has no place for, in its scope
 *	read_int.h    files of records into the model: read*.c
 *	write_int.h   the model as records: write*.c
 *	sniff.c       telling them from their bytes
 *	splunk.c      the formats and their options
 */
#ifndef OP_FMT_SPLUNK_SPLUNK_INT_H
#define OP_FMT_SPLUNK_SPLUNK_INT_H

#include "fmt/format.h"
#include "fmt/logs/logs.h"
#include "fmt/splunk/text_int.h"
#include "base/intern.h"
#include "model/semconv.h"

#define SPLUNK_SCOPE "otel.profiling" /* also the name of each record */
#define SPLUNK_VERSION "0.1.0"

/* Attributes of a record. */
#define SPLUNK_SOURCETYPE "com.splunk.sourcetype"
#define SPLUNK_DATA_TYPE "profiling.data.type"
#define SPLUNK_DATA_FORMAT "profiling.data.format"
#define SPLUNK_FRAME_COUNT "profiling.data.total.frame.count"
#define SPLUNK_SOURCE OP_ATTR_PROFILING_SOURCE
#define SPLUNK_PERIOD "source.event.period" /* in ms */
#define SPLUNK_EVENT "source.event.name"
#define SPLUNK_ALLOCATED "memory.allocated"
#define SPLUNK_TRUNCATED OP_ATTR_THREAD_TRUNCATED
#define SPLUNK_TIME "source.event.time" /* in ms: a label of pprof only */

#define SPLUNK_CPU "cpu"
#define SPLUNK_ALLOCATION "allocation"
#define SPLUNK_TEXT "text"
#define SPLUNK_PPROF "pprof-gzip-base64"
#define SPLUNK_CONTINUOUS "continuous"

/* Ours: where the conventions have no place. */
#define SPLUNK_VALUE "otprof.value"	/* of a stack, if it is not 1 */
#define SPLUNK_UNTIMED "otprof.untimed" /* the time is not the stack's */
#define SPLUNK_HEAD "otprof.profile"	/* of the scope: see head.c */

/* Of samples, beside thread.id, thread.name and thread.state. */
#define SPLUNK_OS_ID OP_ATTR_THREAD_OS_ID
#define SPLUNK_TID OP_ATTR_THREAD_TID
#define SPLUNK_PRIO OP_ATTR_THREAD_PRIO
#define SPLUNK_OS_PRIO OP_ATTR_THREAD_OS_PRIO
#define SPLUNK_CPU_TIME OP_ATTR_THREAD_CPU_TIME
#define SPLUNK_ELAPSED OP_ATTR_THREAD_ELAPSED
#define SPLUNK_DAEMON "otprof.thread.daemon"
#define SPLUNK_STATUS OP_ATTR_THREAD_STATUS
#define SPLUNK_NS "ns" /* unit of the two times */

/* What samples are, where only the kind of data is known. */
#define SPLUNK_CPU_SAMPLE "samples"
#define SPLUNK_CPU_UNIT "count"
#define SPLUNK_ALLOC_SAMPLE "alloc_space"
#define SPLUNK_ALLOC_UNIT "bytes"
/* The period is that between two looks at a thread, running or not. */
#define SPLUNK_PERIOD_TYPE "wall"
#define SPLUNK_PERIOD_UNIT "nanoseconds"

enum { SPLUNK_MS = 1000000 }; /* ns */

/* The setting that says which grammar frames are of, and its values. */
#define SPLUNK_SETTING_FRAMES "splunk-frames"
#define SPLUNK_FRAMES_2021 "2021"
#define SPLUNK_FRAMES_1_4 "1.4"

/* The setting that says how logs are encoded, and its values. */
#define SPLUNK_SETTING_LOGS "logs-encoding"
#define SPLUNK_LOGS_PROTOBUF "protobuf"
#define SPLUNK_LOGS_JSON "json"

/* --- what a scope says --- */

/* What a scope says of its profile, if it was us who wrote it. */
struct op_splunk_head {
	bool is_there;
	bool has_frames, has_scope;
	enum op_splunk_frames frames;
	int64_t index[3]; /* of resource, scope and profile where it was */
	struct op_view type, unit, period_type, period_unit;
	int64_t period;
	uint64_t time_ns, duration_ns;
	int64_t dropped_attrs;
	struct op_kvs attrs;
	struct op_view scope_name, scope_version;
};

struct op_splunk_head op_splunk_head_read(const struct op_scope *scope);

/* The attribute of a scope that says it, in an arena; false if there is no
 * memory. frames is OP_NO_ID where there is no text. */
bool op_splunk_head_write(const struct op_model *m, const struct op_walk *w,
			  uint32_t frames, struct op_arena *mem,
			  struct op_kv *out);

/* --- files --- */

/* What the first bytes of a file say it is: a score, and whether its bodies are
 * pprof. */
int op_splunk_sniff(struct op_view in, bool *is_pprof);

/* Takes the next message of a file of protobuf from byte *at on: the whole
 * file or, as the Collector's file exporter writes them, what follows its
 * length as four bytes. False behind the last. */
bool op_splunk_next(struct op_view in, size_t *at, struct op_view *msg,
		    struct op_err *err);

/* Reads messages of protobuf or JSON into one model. */
int op_splunk_read(struct op_view in, const struct op_read_opts *opts,
		   struct op_model *m, struct op_err *err);

int op_splunk_write(const struct op_model *m, const struct op_write_opts *opts,
		    bool is_pprof, struct op_sink *out, struct op_err *err);

/* The grammar that a setting asks for; false: it asks for none. One that is
 * unknown is a failure. */
bool op_splunk_frames_of(const char *const *settings,
			 enum op_splunk_frames *out, struct op_err *err);

#endif
