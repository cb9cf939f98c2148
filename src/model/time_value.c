// SPDX-License-Identifier: Apache-2.0
/* model/time_value.c: units of time, and counts that represent time. */
#include "model/time_value.h"

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {
	{ "nanoseconds", 1 },	     { "ns", 1 },
	{ "microseconds", 1000 },    { "us", 1000 },
	{ "milliseconds", 1000000 }, { "ms", 1000000 },
	{ "seconds", 1000000000 },   { "s", 1000000000 },
};

uint64_t op_unit_ns(struct op_view unit)
{
	for (size_t i = 0; i < op_countof(units); i++)
		if (op_view_is(unit, units[i].unit))
			return units[i].ns;
	return 0;
}

uint64_t op_value_ns(const struct op_model *m, const struct op_profile *p)
{
	struct op_view unit = op_string(m, p->sample_type.unit);
	uint64_t ns = op_unit_ns(unit), period;

	if (ns || !(op_view_is(unit, "count") || op_view_is(unit, "1")) ||
	    p->period <= 0)
		return ns;
	ns = op_unit_ns(op_string(m, p->period_type.unit));
	if (__builtin_mul_overflow(ns, (uint64_t)p->period, &period) ||
	    period > INT64_MAX)
		return 0;
	return period;
}
