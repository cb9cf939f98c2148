// SPDX-License-Identifier: Apache-2.0
#include "model/time_value.h"

#include "test.h"
#include "write/sketch.h"

static const struct {
	const char *name;
	struct sketch s;
	uint64_t ns;
} rows[] = {
	{ "nanoseconds", { .unit = "nanoseconds" }, 1 },
	{ "ns", { .unit = "ns" }, 1 },
	{ "us", { .unit = "us" }, 1000 },
	{ "milliseconds", { .unit = "milliseconds" }, 1000000 },
	{ "seconds", { .unit = "seconds" }, 1000000000 },
	{ "bytes", { .unit = "bytes" }, 0 },
	{ "a count", { .unit = "count" }, 0 },
	{ "a count by time",
	  { .unit = "count", .period = 5, .period_unit = "ms" },
	  5000000 },
	{ "a count by cycles",
	  { .unit = "count", .period = 5, .period_unit = "count" },
	  0 },
	{ "bytes by time",
	  { .unit = "bytes", .period = 5, .period_unit = "ms" },
	  0 },
	{ "time by time",
	  { .unit = "us", .period = 5, .period_unit = "ms" },
	  1000 },
	{ "a period below 0",
	  { .unit = "count", .period = -5, .period_unit = "ms" },
	  0 },
	{ "a period too long",
	  { .unit = "count", .period = INT64_MAX, .period_unit = "us" },
	  0 },
};

TEST(value_ns)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = rows[i].s;
		struct op_model m;
		uint64_t ns;

		s.samples = "a 1";
		sketch_one(&m, &s);
		ns = op_value_ns(&m, m.resources[0].scopes[0].profiles);
		if (ns != rows[i].ns)
			TEST_FAIL("%s: %llu", rows[i].name,
				  (unsigned long long)ns);
		op_model_free(&m);
	}
}

TEST_MAIN(value_ns)
