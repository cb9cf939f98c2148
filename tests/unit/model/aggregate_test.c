// SPDX-License-Identifier: Apache-2.0
#include "model/aggregate.h"

#include "test.h"
#include "write/sketch.h"

#define TEMPORALITY "otprof.aggregation_temporality="
#define EVENT "otprof.event.type="

static const struct {
	const char *type, *attrs;
	enum op_aggregator want;
} rows[] = {
	{ "cpu", NULL, OP_SUM },
	{ "samples", NULL, OP_SUM },
	{ "wall", NULL, OP_SUM },
	{ "off_cpu", NULL, OP_SUM },
	{ "alloc_space", NULL, OP_SUM },
	{ "alloc_objects", NULL, OP_SUM },
	{ "contentions", NULL, OP_SUM },
	{ "delay", NULL, OP_SUM },
	{ "", NULL, OP_SUM },
	{ "something of tomorrow", NULL, OP_SUM },
	{ "inuse_space", NULL, OP_LAST },
	{ "inuse_objects", NULL, OP_LAST },
	{ "goroutine", NULL, OP_LAST },
	{ "goroutines", NULL, OP_LAST },
	{ "threads", NULL, OP_LAST },
	{ "live_objects", NULL, OP_LAST },
	{ "heap_live_size", NULL, OP_LAST },
	{ "inuse_spaces", NULL, OP_SUM },
	{ "INUSE_SPACE", NULL, OP_SUM },
	{ "cpu", TEMPORALITY "cumulative", OP_CUMULATIVE },
	{ "inuse_space", TEMPORALITY "cumulative", OP_CUMULATIVE },
	{ "cpu", TEMPORALITY "delta", OP_SUM },
	{ "cpu", "other=cumulative", OP_SUM },
	{ "inuse_objects", EVENT "jdk.OldObjectSample", OP_SUM },
	{ "inuse_space", EVENT "profiler.LiveObject", OP_SUM },
	{ "inuse_space", EVENT "datadog.HeapLiveObject", OP_SUM },
	{ "inuse_space", EVENT "jdk.ObjectCount", OP_LAST },
};

TEST(of_types)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .type = rows[i].type,
				    .attrs = rows[i].attrs };
		struct op_model m;
		enum op_aggregator got;

		sketch_one(&m, &s);
		got = op_aggregator_of(&m, m.resources[0].scopes[0].profiles);
		if (got != rows[i].want)
			TEST_FAIL("%s: %s", rows[i].type,
				  op_aggregator_name(got));
		op_model_free(&m);
	}
}

TEST(names)
{
	CHECK_STR(op_aggregator_name(OP_SUM), "sum");
	CHECK_STR(op_aggregator_name(OP_LAST), "last");
	CHECK_STR(op_aggregator_name(OP_CUMULATIVE), "cumulative");
}

TEST_MAIN(of_types, names)
