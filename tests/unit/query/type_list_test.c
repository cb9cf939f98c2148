// SPDX-License-Identifier: Apache-2.0
#include "query/type_list.h"

#include "test.h"
#include "write/sketch.h"

/* Profiles of one type are one row, and its samples are counted by whatever
 * tells how many there were. */
TEST(rows)
{
	static const struct sketch s[] = {
		{ .samples = "a 30\nb 10",
		  .period = 10,
		  .period_type = "cpu",
		  .period_unit = "nanoseconds" },
		{ .samples = "a 30@1 10@2", .type = "wall", .unit = "ns" },
		{ .samples = "c 20",
		  .resource = "k=v",
		  .period = 10,
		  .period_type = "cpu",
		  .period_unit = "nanoseconds" },
		{ .samples = "c 7", .type = "heap", .unit = "bytes" },
	};
	struct op_err err = { 0 };
	struct op_type_list l;
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, op_countof(s), &err), OP_OK);
	op_type_list(&l, &m);
	CHECK_EQ(l.nr, 3);
	CHECK_EQ(l.rows[0].total, 60);
	CHECK_EQ(l.rows[0].nr_profiles, 2);
	CHECK_EQ(op_type_samples(&l, &m, &l.rows[0]), 6);
	CHECK_EQ(l.rows[1].total, 40);
	CHECK_EQ(op_type_samples(&l, &m, &l.rows[1]), 2);
	CHECK_EQ(op_type_samples(&l, &m, &l.rows[2]), 0);
	CHECK(op_type_row(&l, &m, l.rows[2].like) == &l.rows[2]);
	op_model_free(&m);
}

/* A profile that counts samples knows better than the period. */
TEST(counted_samples)
{
	static const struct sketch s[] = {
		{ .samples = "a 30", .period = 10, .period_type = "cpu" },
		{ .samples = "a 5",
		  .type = "samples",
		  .unit = "count",
		  .period = 10,
		  .period_type = "cpu" },
	};
	struct op_err err = { 0 };
	struct op_type_list l;
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, op_countof(s), &err), OP_OK);
	op_type_list(&l, &m);
	CHECK_EQ(op_type_samples(&l, &m, &l.rows[0]), 5);
	op_model_free(&m);
}

/* One that counts other events says nothing. */
TEST(other_samples)
{
	static const struct sketch s[] = {
		{ .samples = "a 30", .attrs = "otprof.event.type=x" },
		{ .samples = "a 5",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "otprof.event.type=y" },
	};
	struct op_err err = { 0 };
	struct op_type_list l;
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, op_countof(s), &err), OP_OK);
	op_type_list(&l, &m);
	CHECK_EQ(op_type_samples(&l, &m, &l.rows[0]), 0);
	op_model_free(&m);
}

/* The shortest text that selects a type and no other. */
TEST(selectors)
{
	static const struct sketch s[] = {
		{ .samples = "a 1" },
		{ .samples = "a 1", .type = "heap", .unit = "bytes" },
		{ .samples = "a 1", .type = "heap", .unit = "count" },
		{ .samples = "a 1",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "event=cycles" },
		{ .samples = "a 1",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "event=faults" },
		{ .samples = "a 1", .type = "n", .attrs = "event=tlab" },
		{ .samples = "a 1", .type = "size", .attrs = "event=tlab" },
		{ .samples = "a 1", .type = "size", .attrs = "event=out" },
		{ .samples = "a 1", .type = "n", .attrs = "event=out" },
		{ .samples = "a 1", .type = "n", .attrs = "event=a,b" },
		{ .samples = "a 1", .type = "n" },
		{ .samples = "a 1",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "event=run",
		  .period_type = "cpu" },
		{ .samples = "a 1",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "event=run",
		  .period_type = "wall" },
		{ .samples = "a 1",
		  .type = "samples",
		  .unit = "count",
		  .attrs = "event=run" },
	};
	static const char *const want[] = { "cpu",
					    "heap/bytes",
					    "heap/count",
					    "cycles",
					    "faults",
					    "n/nanoseconds/tlab",
					    "size/nanoseconds/tlab",
					    "size/nanoseconds/out",
					    "n/nanoseconds/out",
					    "a,b",
					    "n/nanoseconds/",
					    "samples/count/run/cpu",
					    "samples/count/run/wall",
					    "samples/count/run/" };
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct op_type_list l;
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, op_countof(s), &err), OP_OK);
	op_type_list(&l, &m);
	CHECK_EQ(l.nr, op_countof(want));
	for (uint32_t i = 0; i < l.nr; i++) {
		op_type_selector(&l, &m, &l.rows[i], &b);
		CHECK_STR((char *)b.p, want[i]);
	}
	op_buf_free(&b);
	op_model_free(&m);
}

TEST_MAIN(rows, counted_samples, other_samples, selectors)
