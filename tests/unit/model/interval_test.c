// SPDX-License-Identifier: Apache-2.0
#include "model/interval.h"

#include <math.h>

#include "model/semconv.h"
#include "test.h"
#include "write/sketch.h"

/* --- kinds --- */

static const struct {
	struct sketch s;
	enum op_stamp stamp;
	int64_t mean_ns;
} kinds[] = {
	{ { .type = "cpu" }, OP_STAMP_POINT, 0 },
	{ { .type = "off_cpu" }, OP_STAMP_START, 0 },
	{ { .type = "off_cpu", .unit = "ns" }, OP_STAMP_START, 0 },
	{ { .type = "off_cpu", .unit = "count" }, OP_STAMP_POINT, 0 },
	{ { .type = "delay" }, OP_STAMP_START, 0 },
	{ { .type = "contentions", .unit = "count" }, OP_STAMP_POINT, 0 },
	{ { .type = "off_cpu", .scope = OP_SCOPE_EBPF }, OP_STAMP_END, 0 },
	{ { .type = "off_cpu", .scope = "/usr/bin/ebpf-profiler" },
	  OP_STAMP_END,
	  0 },
	{ { .type = "off_cpu", .scope = "ebpf-profiler" }, OP_STAMP_END, 0 },
	{ { .type = "off_cpu", .scope = "my-ebpf-profiler" },
	  OP_STAMP_START,
	  0 },
	{ { .type = "delay", .scope = OP_SCOPE_EBPF }, OP_STAMP_START, 0 },
	{ { .type = "cpu", .scope = OP_SCOPE_EBPF }, OP_STAMP_POINT, 0 },
	{ { .type = "off_cpu", .period = 5, .period_unit = "nanoseconds" },
	  OP_STAMP_START,
	  5 },
	{ { .type = "off_cpu", .period = 5, .period_unit = "count" },
	  OP_STAMP_START,
	  0 },
	{ { .type = "cpu", .period = 5, .period_unit = "nanoseconds" },
	  OP_STAMP_POINT,
	  0 },
	/* A profile can say it itself; then values are lengths. */
	{ { .type = "wall", .attrs = OP_ATTR_INTERVAL "=true" },
	  OP_STAMP_START,
	  0 },
	{ { .type = "wall", .attrs = OP_ATTR_INTERVAL "=false" },
	  OP_STAMP_POINT,
	  0 },
	{ { .type = "wall", .unit = "x", .attrs = OP_ATTR_INTERVAL "=true" },
	  OP_STAMP_POINT,
	  0 },
};

TEST(kinds_of_types)
{
	for (size_t i = 0; i < op_countof(kinds); i++) {
		const struct op_scope *scope;
		struct op_interval_kind k;
		struct op_model m;

		sketch_one(&m, &kinds[i].s);
		scope = m.resources[0].scopes;
		k = op_interval_kind(&m, scope, scope->profiles);
		CHECK_EQ(k.stamp, kinds[i].stamp);
		CHECK_EQ(k.mean_ns, kinds[i].mean_ns);
		op_model_free(&m);
	}
}

/* --- weights --- */

static double weight_of(double d, double mean)
{
	return d > 0 ? d / -expm1(-d / mean) : mean;
}

/* From a nanosecond to a month, with means from a microsecond to a minute. */
TEST(lengths_of_weights)
{
	for (double mean = 1e3; mean < 1e11; mean *= 7) {
		for (double d = 1; d < 3e15; d *= 1.7) {
			double w = weight_of(d, mean);
			double got = op_interval_length(w, mean);
			/* What the weight itself can tell in a double. */
			double lost = 8e-16 * mean + 1e-10 * d;

			CHECK(fabs(got - d) <= lost);
		}
	}
}

TEST(least_weights)
{
	CHECK(op_interval_length(0, 1000) == 0);
	CHECK(op_interval_length(-5, 1000) == 0);
	CHECK(op_interval_length(999, 1000) == 0);
	CHECK(op_interval_length(1000, 1000) == 0);
	CHECK(op_interval_length(1000, 0) == 0);
	CHECK(fabs(op_interval_length(1000001, 1000000) - 2) < 1e-3);
	CHECK(op_interval_length(1e18, 1) == 1e18);
	CHECK(op_interval_length(0x1p63, 1) <= 0x1p63);
}

/* --- cutting --- */

#define START OP_STAMP_START
#define END OP_STAMP_END
#define POINT OP_STAMP_POINT
#define GONE -1
#define MAX UINT64_MAX

static const struct {
	struct op_interval_kind kind;
	struct op_range range;
	int64_t value;
	uint64_t time;
	int64_t to_value; /* GONE: nothing is left */
	uint64_t to_time;
} cuts[] = {
	{ { POINT, 0 }, { 10, 20 }, 50, 10, 50, 10 },
	{ { POINT, 0 }, { 10, 20 }, 50, 19, 50, 19 },
	{ { POINT, 0 }, { 10, 20 }, 50, 20, GONE, 0 },
	{ { POINT, 0 }, { 10, 20 }, 50, 9, GONE, 0 },
	{ { POINT, 0 }, { 10, 20 }, -3, 15, -3, 15 },

	{ { START, 0 }, { 10, 20 }, 5, 12, 5, 12 },
	{ { START, 0 }, { 10, 20 }, 5, 8, 3, 10 },
	{ { START, 0 }, { 10, 20 }, 5, 18, 2, 18 },
	{ { START, 0 }, { 10, 20 }, 50, 0, 10, 10 },
	{ { START, 0 }, { 10, 20 }, 5, 5, GONE, 0 },
	{ { START, 0 }, { 10, 20 }, 5, 20, GONE, 0 },
	{ { START, 0 }, { 10, 20 }, 0, 10, 0, 10 },
	{ { START, 0 }, { 10, 20 }, 0, 20, GONE, 0 },
	{ { START, 0 }, { 10, 20 }, -7, 10, -7, 10 },
	{ { START, 0 }, { 10, 20 }, -7, 5, GONE, 0 },
	{ { START, 0 },
	  { MAX - 5, MAX },
	  INT64_MAX,
	  MAX - 3,
	  INT64_MAX,
	  MAX - 3 },

	{ { END, 0 }, { 10, 20 }, 5, 17, 5, 17 },
	{ { END, 0 }, { 10, 20 }, 5, 13, 3, 13 },
	{ { END, 0 }, { 10, 20 }, 5, 23, 2, 20 },
	{ { END, 0 }, { 10, 20 }, 5, 10, GONE, 0 },
	{ { END, 0 }, { 10, 20 }, 5, 20, 5, 20 },
	{ { END, 0 }, { 10, 20 }, 5, 25, GONE, 0 },
	{ { END, 0 }, { 0, 20 }, 50, 10, 50, 10 }, /* began before 1970 */

	/* Of a weight of 1e9 with mean 1e6 the length is 1e9 too. */
	{ { START, 1000000 }, { 0, 250000000 }, 1000000000, 0, 250000000, 0 },
	{ { END, 1000000 },
	  { 0, 250000000 },
	  1000000000,
	  1000000000,
	  250000000,
	  250000000 },
	/* The least weight is a point. */
	{ { START, 1000 }, { 10, 20 }, 1000, 15, 1000, 15 },
	{ { START, 1000 }, { 10, 20 }, 1000, 9, GONE, 0 },
};

TEST(cut_rows)
{
	for (size_t i = 0; i < op_countof(cuts); i++) {
		int64_t value = cuts[i].value;
		uint64_t t = cuts[i].time;
		int before = test_failed;
		bool left = op_interval_clip(cuts[i].kind, cuts[i].range,
					     &value, &t);

		if (cuts[i].to_value == GONE && cuts[i].value != GONE) {
			CHECK(!left);
			CHECK_EQ(value, cuts[i].value);
			CHECK_EQ(t, cuts[i].time);
		} else {
			CHECK(left);
			CHECK_EQ(value, cuts[i].to_value);
			CHECK_EQ(t, cuts[i].to_time);
		}
		if (test_failed != before)
			fprintf(stderr, "  in row %zu\n", i);
	}
}

/* Wherever it is cut, the two parts add up. */
TEST(parts_add_up)
{
	static const struct op_interval_kind all[] = {
		{ POINT, 0 },	{ START, 0 }, { END, 0 },
		{ START, 300 }, { END, 300 },
	};
	uint32_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct op_interval_kind kind = all[i % 5];
		uint64_t t = 5000 + (seed >> 16) % 1000, cut;
		int64_t value = 1 + (seed >> 8) % 4000, sum = 0;

		seed = seed * 1664525 + 1013904223;
		cut = (seed >> 12) % 12000;
		for (int part = 0; part < 2; part++) {
			struct op_range r = { part ? cut : 0,
					      part ? 20000 : cut };
			int64_t v = value;
			uint64_t at = t;

			if (op_interval_clip(kind, r, &v, &at))
				sum += v;
		}
		CHECK_EQ(sum, value);
	}
}

TEST_MAIN(kinds_of_types, lengths_of_weights, least_weights, cut_rows,
	  parts_add_up)
