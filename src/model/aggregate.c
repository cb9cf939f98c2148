// SPDX-License-Identifier: Apache-2.0
/* model/aggregate.c: how the values of a sample type add up. */
#include "model/aggregate.h"

#include "model/label.h"
#include "model/semconv.h"

/* Sample types that are states, not flows. All others are sums. */
static const char *const gauges[] = {
	"inuse_space",	     "inuse_objects", "inuse_bytes", "goroutine",
	"goroutines",	     "threads",	      "live",	     "live_objects",
	"live_space",	     "live_bytes",    "heap_live",   "heap_live_size",
	"heap_live_objects",
};

bool op_type_is_gauge(struct op_view type)
{
	for (size_t i = 0; i < op_countof(gauges); i++)
		if (op_view_is(type, gauges[i]))
			return true;
	return false;
}

/* Events that are one object of the heap each, written when the recording ends:
 * as many as have one stack add up. */
static const char *const objects[] = {
	"jdk.OldObjectSample",
	"profiler.LiveObject",
	"datadog.HeapLiveObject",
};

static bool is_of_objects(const struct op_model *m, const struct op_profile *p)
{
	struct op_view event = op_profile_event(m, p);

	for (size_t i = 0; i < op_countof(objects); i++)
		if (op_view_is(event, objects[i]))
			return true;
	return false;
}

enum op_aggregator op_aggregator_of(const struct op_model *m,
				    const struct op_profile *p)
{
	const struct op_attr *a = op_set_find(m, p->attrs, OP_ATTR_TEMPORALITY);

	if (a && op_view_is(op_any_text(m, &a->value), "cumulative"))
		return OP_CUMULATIVE;
	if (op_type_is_gauge(op_string(m, p->sample_type.type)) &&
	    !is_of_objects(m, p))
		return OP_LAST;
	return OP_SUM;
}

const char *op_aggregator_name(enum op_aggregator a)
{
	static const char *const names[] = { "sum", "last", "cumulative" };

	return names[a];
}
