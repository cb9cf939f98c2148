// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/event_types.c: which profiles an event type becomes.
 * docs/formats/jfr.md says the same to users. */
#include "fmt/jfr/event_types.h"

#include "model/model.h"
#include "model/semconv.h"

#define COUNT(period_)                                        \
	{                                                     \
		"samples", "count", period_, OP_JFR_ONE, NULL \
	}
#define OBJECTS(name)                                 \
	{                                             \
		name, "count", NULL, OP_JFR_ONE, NULL \
	}
#define SPACE(name, field_)                               \
	{                                                 \
		name, "bytes", NULL, OP_JFR_FIELD, field_ \
	}
/* A field that not every recording has. */
#define SPACE_IF(name, field_)                               \
	{                                                    \
		name, "bytes", NULL, OP_JFR_FIELD_IF, field_ \
	}
#define LASTS(name)                                              \
	{                                                        \
		name, "nanoseconds", NULL, OP_JFR_DURATION, NULL \
	}

static const struct op_jfr_event_row rows[] = {
	/* By engine: see engine.c. */
	{ "jdk.ExecutionSample",
	  "cpu",
	  NULL,
	  { COUNT("cpu"), COUNT("wall"), COUNT("open") } },
	{ "datadog.ExecutionSample", "cpu", "weight", { COUNT("cpu") } },
	{ "jdk.CPUTimeSample",
	  "cpu",
	  NULL,
	  { { "cpu", "nanoseconds", "cpu", OP_JFR_FIELD, "samplingPeriod" } } },
	{ "jdk.NativeMethodSample", "wall", NULL, { COUNT("wall") } },
	{ "profiler.WallClockSample", "wall", "samples", { COUNT("wall") } },
	{ "datadog.MethodSample", "wall", "weight", { COUNT("wall") } },

	{ "jdk.ObjectAllocationInNewTLAB",
	  "alloc",
	  NULL,
	  { OBJECTS("alloc_objects"), SPACE("alloc_space", "tlabSize") } },
	{ "jdk.ObjectAllocationOutsideTLAB",
	  "alloc",
	  NULL,
	  { OBJECTS("alloc_objects"),
	    SPACE("alloc_space", "allocationSize") } },
	{ "jdk.ObjectAllocationSample",
	  "alloc",
	  NULL,
	  { OBJECTS("alloc_objects"), SPACE("alloc_space", "weight") } },
	{ "datadog.ObjectSample",
	  "alloc",
	  "weight",
	  { OBJECTS("alloc_objects"), SPACE("alloc_space", "size") } },

	{ "jdk.OldObjectSample",
	  "live",
	  NULL,
	  { OBJECTS("inuse_objects"), SPACE_IF("inuse_space", "objectSize") } },
	{ "profiler.LiveObject",
	  "live",
	  NULL,
	  { OBJECTS("inuse_objects"),
	    SPACE("inuse_space", "allocationSize") } },
	{ "datadog.HeapLiveObject",
	  "live",
	  "weight",
	  { OBJECTS("inuse_objects"), SPACE("inuse_space", "size") } },

	{ "profiler.Malloc",
	  "nativemem",
	  NULL,
	  { OBJECTS("malloc_objects"), SPACE("malloc_space", "size") } },
	{ "profiler.Free", "nativemem", NULL, { OBJECTS("free_objects") } },
	{ "datadog.NativeMemoryAllocation",
	  "nativemem",
	  "weight",
	  { OBJECTS("malloc_objects"), SPACE("malloc_space", "size") } },

	{ "jdk.JavaMonitorEnter", "lock", NULL, { LASTS("lock") } },
	{ "jdk.JavaMonitorWait", "lock", NULL, { LASTS("wait") } },
	/* With a timeout it becomes the second. */
	{ "jdk.ThreadPark",
	  "lock",
	  NULL,
	  { LASTS("park"), LASTS("park_timed") } },
	{ "jdk.ThreadSleep", "lock", NULL, { LASTS("sleep") } },
	{ "jdk.VirtualThreadPinned", "lock", NULL, { LASTS("pinned") } },
	{ "profiler.NativeLock", "nativelock", NULL, { LASTS("native_lock") } },
	{ "profiler.Span", "span", NULL, { LASTS("span") } },
	{ "datadog.QueueTime", "lock", NULL, { LASTS("queue") } },

	{ "jdk.FileRead",
	  "io",
	  NULL,
	  { LASTS("file_read"), SPACE("file_read", "bytesRead") } },
	{ "jdk.FileWrite",
	  "io",
	  NULL,
	  { LASTS("file_write"), SPACE("file_write", "bytesWritten") } },
	{ "jdk.SocketRead",
	  "io",
	  NULL,
	  { LASTS("socket_read"), SPACE("socket_read", "bytesRead") } },
	{ "jdk.SocketWrite",
	  "io",
	  NULL,
	  { LASTS("socket_write"), SPACE("socket_write", "bytesWritten") } },

	{ "jdk.JavaExceptionThrow",
	  "exception",
	  NULL,
	  { OBJECTS("exceptions") } },
	{ "jdk.JavaErrorThrow", "exception", NULL, { OBJECTS("exceptions") } },
	{ "jdk.GCPhasePause", "gc", NULL, { LASTS("gc_pause") } },
	{ "jdk.GarbageCollection", "gc", NULL, { LASTS("gc") } },
	{ "jdk.ExecuteVMOperation", "vm", NULL, { LASTS("vm_operation") } },
	{ "jdk.MethodTrace", "trace", NULL, { LASTS("method") } },
};

struct op_view op_jfr_current_name(struct op_view name)
{
	static const char old[] = "com.oracle.jdk.", today[] = "jdk.";
	size_t n = sizeof(old) - 1, skip = n - (sizeof(today) - 1);

	if (name.n <= n || memcmp(name.p, old, n))
		return name;
	return op_view(name.p + skip, name.n - skip);
}

const struct op_jfr_event_row *op_jfr_event_row(struct op_view name)
{
	name = op_jfr_current_name(name);
	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_view_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

bool op_jfr_is_kind(struct op_view word)
{
	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_view_is(word, rows[i].kind))
			return true;
	return op_view_is(word, OP_JFR_OTHER);
}

/* --- names --- */

static const struct op_jfr_preset presets[] = {
	{ "datadog.ExecutionSample", "samples", "cpu", "samples" },
	{ "jdk.ExecutionSample", "samples", "cpu", "samples" },
	{ "datadog.MethodSample", "samples", "wall", "samples" },
	{ "datadog.ObjectSample", "alloc_space", "alloc-samples", "bytes" },
	{ "jdk.JavaMonitorEnter", "lock", "lock-contention", "nanoseconds" },
	{ "jdk.JavaMonitorWait", "wait", "lock-contention", "nanoseconds" },
};

const struct op_jfr_preset *op_jfr_preset(struct op_view event,
					  const char *type)
{
	event = op_jfr_current_name(event);
	for (size_t i = 0; i < op_countof(presets); i++)
		if (op_view_is(event, presets[i].event) &&
		    !strcmp(type, presets[i].type))
			return &presets[i];
	return NULL;
}

/* --- profiles without stacks --- */

static struct op_view event_of(const struct op_model *m,
			       const struct op_profile *p)
{
	struct op_ids ids = op_list(&m->dict.sets, p->attrs);

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		if (op_view_is(op_string(m, a->key), OP_ATTR_EVENT))
			return op_any_text(m, &a->value);
	}
	return (struct op_view){ 0 };
}

static bool is_stackless(const struct op_model *m, const struct op_profile *p)
{
	if (op_jfr_event_row(event_of(m, p)))
		return false;
	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (p->stack[i])
			return false;
	return true;
}

void op_jfr_stackless_drop(struct op_model *m)
{
	struct op_scope *s = m->resources[0].scopes;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nr_profiles; i++) {
		if (is_stackless(m, &s->profiles[i]))
			m->normal = false;
		else
			s->profiles[n++] = s->profiles[i];
	}
	s->nr_profiles = n;
}
