// SPDX-License-Identifier: Apache-2.0
/* model/interval.c: which sample types are intervals, and how long they last.
 */
#include "model/interval.h"

#include <math.h>

#include "model/semconv.h"

/* Sample types whose observations are durations, in nanoseconds. */
static const char *const types[] = {
	"off_cpu", "offcpu", "on_cpu", "delay", "mutex_delay", "block_delay",
	"lock_delay", "lock", "lock_wait", "mutex", "mutex_wait", "block",
	"contention", "wait", "park", "sleep", "monitor_enter", "monitor_wait",
	"thread_park", "thread_sleep", "io_wait",
	/* of Java recordings */
	"park_timed", "pinned", "native_lock", "queue", "file_read",
	"file_write", "socket_read", "socket_write", "gc", "gc_pause",
	"vm_operation", "method", "span",
	"lock-contention", /* Datadog's names */
};

static bool is_ns(struct op_view unit)
{
	return op_view_is(unit, "nanoseconds") || op_view_is(unit, "ns");
}

/* Whether the profile has the attribute. */
static bool is_told(const struct op_model *m, const struct op_profile *p)
{
	const struct op_attr *a = op_set_find(m, p->attrs, OP_ATTR_INTERVAL);

	if (!a)
		return false;
	/* Some formats store it as text. */
	return a->value.kind == OP_ANY_BOOL ?
		       a->value.flag :
		       op_view_is(op_any_text(m, &a->value), "true");
}

/* Programs built of that profiler call themselves by the path they were started
 * with. */
static bool is_ebpf(struct op_view name)
{
	struct op_view last = op_view_z(OP_SCOPE_EBPF_NAME);

	return op_view_ends(name, OP_SCOPE_EBPF_NAME) &&
	       (name.n == last.n || name.p[name.n - last.n - 1] == '/');
}

struct op_interval_kind op_interval_kind(const struct op_model *m,
					 const struct op_scope *scope,
					 const struct op_profile *p)
{
	struct op_interval_kind k = { .stamp = OP_STAMP_POINT };
	struct op_view type = op_string(m, p->sample_type.type);

	if (!is_ns(op_string(m, p->sample_type.unit)))
		return k;
	for (size_t i = 0; i < op_countof(types); i++)
		if (op_view_is(type, types[i]))
			k.stamp = OP_STAMP_START;
	if (is_told(m, p))
		return (struct op_interval_kind){ .stamp = OP_STAMP_START };
	if (k.stamp == OP_STAMP_POINT)
		return k;
	if (is_ebpf(scope->name) && op_view_is(type, "off_cpu"))
		k.stamp = OP_STAMP_END;
	if (p->period > 0 && is_ns(op_string(m, p->period_type.unit)))
		k.mean_ns = p->period;
	return k;
}

/* With x = d / M and y = w / M, solves g(x) = x / (1 - e^-x) = y. g increases
 * and is convex, and g(y) >= y: Newton's method, started at y, only descends,
 * to the root. Near 0 the derivative is a difference of almost equal numbers;
 * there g is 1 + x/2 + x^2/12 to ten digits, which is a quadratic equation. */
double op_interval_length(double weight, double mean)
{
	double y = weight / mean;
	double over = (weight - mean) / mean;
	double x = y;

	if (!(mean > 0) || !(over > 0))
		return 0;
	if (over < 1e-3)
		return mean * 12 * over / (3 + sqrt(9 + 12 * over));
	for (int i = 0; i < 64; i++) {
		double one_less = -expm1(-x); /* 1 - e^-x */
		double g = x / one_less;
		double slope = (one_less - x * exp(-x)) / (one_less * one_less);
		double next = x - (g - y) / slope;

		if (!(next < x))
			break;
		x = next;
	}
	return x * mean;
}

/* The share of a value that belongs to the first x of d nanoseconds. */
static int64_t share(int64_t value, uint64_t d, uint64_t x)
{
	return (int64_t)((__int128)value * x / d);
}

int64_t op_interval_share(int64_t value, struct op_range span,
			  struct op_range part)
{
	uint64_t length = span.to - span.from;

	return share(value, length, part.to - span.from) -
	       share(value, length, part.from - span.from);
}

bool op_interval_clip(struct op_interval_kind kind, struct op_range range,
		      int64_t *value, uint64_t *time_ns)
{
	struct op_range span = op_interval_span(kind, *value, *time_ns);
	struct op_range part = span;
	int64_t kept;

	/* Also if no time is left for a length. */
	if (span.from == span.to)
		return span.from >= range.from && span.from < range.to;
	if (part.from < range.from)
		part.from = range.from;
	if (part.to > range.to)
		part.to = range.to;
	if (part.from >= part.to)
		return false;
	kept = op_interval_share(*value, span, part);
	if (!kept)
		return false;
	*value = kept;
	*time_ns = kind.stamp == OP_STAMP_END ? part.to : part.from;
	return true;
}
