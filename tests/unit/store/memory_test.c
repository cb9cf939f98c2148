// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "query/type_list.h"
#include "store/store.h"
#include "test.h"
#include "write/sketch.h"

static void put(struct op_store *s, const char *source, const char *samples)
{
	struct sketch x = { .samples = samples };
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, &x, 1, &err), OP_OK);
	CHECK_EQ(op_store_put(s, source, &m, &err), OP_OK);
	CHECK_EQ(m.nr_resources, 0);
}

/* The total of what a scan finds; -1: it fails. */
static int64_t total(struct op_store *s, const struct op_scan *scan)
{
	struct op_err err = { 0 };
	struct op_scanned a = { 0 };
	struct op_type_list l;
	int64_t v = -1;

	if (!op_store_scan(s, scan, &a, &err)) {
		op_type_list(&l, a.m);
		v = l.nr ? l.rows[0].total : 0;
	}
	op_scanned_free(&a);
	return v;
}

static const struct op_scan all = { .select.source = OP_ALL_SOURCES };

/* What is selected, and that asking twice changes nothing. */
TEST(scan)
{
	static const struct {
		struct op_scan scan;
		int64_t want;
	} cases[] = {
		{ { .select.source = OP_ALL_SOURCES }, 37 },
		{ { .select.source = 0 }, 30 },
		{ { .select.source = 1 }, 7 },
		{ { .select.source = 2 }, -1 },
		{ { .select = { OP_ALL_SOURCES, .focus = "b" } }, 27 },
		{ { .select = { OP_ALL_SOURCES, .ignore = "b" } }, 10 },
		{ { .select = { OP_ALL_SOURCES, .where = "thread=t2" } }, 20 },
		{ { .select = { OP_ALL_SOURCES, .where = "thread=" } }, -1 },
		{ { .select = { OP_ALL_SOURCES, .types = "heap" } }, -1 },
		{ { .select.source = OP_ALL_SOURCES, .range = { 2, 4 } }, 20 },
		{ { .select.source = OP_ALL_SOURCES, .as = OP_SCAN_SUMMED },
		  37 },
	};
	struct op_err err = { 0 };
	struct op_store *s = op_memory_store(&err);

	put(s, "one",
	    "main;a 10@1 thread.name=t1\n"
	    "main;b 20@3 thread.name=t2");
	put(s, "two", "main;b 7@9 thread.name=t1");
	for (size_t i = 0; i < 2 * op_countof(cases); i++)
		CHECK_EQ(total(s, &cases[i / 2].scan), cases[i / 2].want);
	op_store_free(s);
}

/* A source that grows stays whole, and an answer that is in use stays as it
 * is. */
TEST(grows)
{
	struct op_err err = { 0 };
	struct op_store *s = op_memory_store(&err);
	struct op_scanned first = { 0 };
	struct op_range span;
	char text[40];

	CHECK(!op_store_span(s, &span));
	for (int i = 1; i <= 100; i++) {
		snprintf(text, sizeof(text), "main;f%d 1@%d", i % 7, i);
		put(s, "live", text);
		if (i == 1)
			CHECK_EQ(op_store_scan(s, &all, &first, &err), OP_OK);
		CHECK_EQ(total(s, &all), i);
	}
	CHECK(op_store_span(s, &span));
	CHECK_EQ(span.from, 1);
	CHECK_EQ(first.m->resources[0].scopes[0].profiles[0].nr_samples, 1);
	op_scanned_free(&first);
	op_store_free(s);
}

TEST_MAIN(scan, grows)
