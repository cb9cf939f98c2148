// SPDX-License-Identifier: Apache-2.0
#include "query/lanes.h"

#include "test.h"
#include "time_fixture.h"

/* A lane as "thread busy/waiting [from,to): state time points intervals, ...",
 * then its cells: the first letter of the state, capital from one half on. */
static void put_lane(struct op_buf *out, const struct op_lanes *l, uint32_t i,
		     struct op_err *err)
{
	const struct op_lane *x = &l->lanes.p[i];
	struct op_lane_cell cells[16];
	struct op_arena scratch = { 0 };

	op_buf_view(out, op_lane_text(l, x->process));
	op_buf_byte(out, ' ');
	op_buf_view(out, op_lane_text(l, x->thread));
	op_buf_printf(out,
		      " %llu/%llu [%llu,%llu):", (unsigned long long)x->busy_ns,
		      (unsigned long long)x->waiting_ns,
		      (unsigned long long)x->time.from,
		      (unsigned long long)x->time.to);
	for (uint32_t k = 0; k < x->nr_parts; k++) {
		const struct op_lane_part *p = &l->parts.p[x->part + k];

		op_buf_byte(out, ' ');
		op_buf_view(out, op_lane_text(l, l->states.p[p->state].text));
		op_buf_printf(out, " %llu %llu %u;",
			      (unsigned long long)p->time_ns,
			      (unsigned long long)p->nr_points,
			      p->nr_intervals);
	}
	CHECK_EQ(op_lane_cells(l, i, &scratch, cells, err), OP_OK);
	op_buf_byte(out, ' ');
	for (uint32_t b = 0; b < l->buckets.nr; b++) {
		uint32_t s = cells[b].state;
		uint8_t c = s == OP_NO_ID ?
				    '.' :
				    op_lane_text(l, l->states.p[s].text).p[0];

		op_buf_byte(out, cells[b].share >= 0.5 ? c & 0xdf : c);
	}
	op_buf_byte(out, '\n');
	op_arena_free(&scratch);
}

static const struct {
	const char *name;
	struct sketch s[3];
	const char *lanes;
} rows[] = {
	{ "points, of time",
	  { { .samples = "f 10@0 10@10 thread.name=a\ng 10@90 thread.name=b\n"
			 "h 10@99 thread.name=b thread.state=sleeping" } },
	  "(no process) a 20/0 [0,11): cpu 20 2 0; CC........\n"
	  "(no process) b 10/10 [90,100): cpu 10 1 0; sleeping 10 1 0; "
	  ".........C\n" },
	{ "points that stand for more than a bucket",
	  { { .samples = "f 25@0 25@25 25@80 thread.name=a\n"
			 "f 25@99 thread.name=b thread.state=io\n" } },
	  "(no process) a 75/0 [0,81): cpu 75 3 0; CCCCC...CC\n"
	  "(no process) b 0/25 [99,100): io 25 1 0; .........I\n" },
	{ "waits of all types, points of one",
	  { { .samples = "f 5@0 5@15 thread.name=a" },
	    { .type = "park", .samples = "f 40@20 thread.name=a" },
	    { .type = "lock", .samples = "f 3@97 thread.name=a" } },
	  "(no process) a 10/43 [0,100): park 40 0 1; cpu 10 2 0; lock 3 0 1; "
	  "CCPPPP...l\n" },
	{ "the type of other points does not count",
	  { { .samples = "f 5@0 5@9 thread.name=a" },
	    { .type = "alloc",
	      .unit = "bytes",
	      .samples = "f 5@100 thread.name=b" } },
	  "(no process) a 10/0 [0,10): cpu 10 2 0; CCCCC....C\n" },
	{ "samples at a period, of a process",
	  { { .type = "samples",
	      .unit = "count",
	      .period = 10,
	      .period_type = "cpu",
	      .period_unit = "nanoseconds",
	      .resource = "process.executable.name=app",
	      .samples = "f 1@0 2@99 thread.name=a" } },
	  "app a 30/0 [0,100): samples 30 2 0; SS.......S\n" },
	{ "samples of no known time",
	  { { .type = "samples",
	      .unit = "count",
	      .samples = "f 1@0 2@99 thread.name=a\ng 1@4 thread.name=b" } },
	  "(no process) a 0/0 [0,100): samples 0 2 0; S........S\n"
	  "(no process) b 0/0 [4,5): samples 0 1 0; S.........\n" },
	{ "work that lasts",
	  { { .type = "gc", .samples = "- 20@0 thread.name=a" },
	    { .type = "on_cpu",
	      .samples = "- 80@20 thread.name=a thread.state=running" } },
	  "(no process) a 100/0 [0,100): running 80 0 1; gc 20 0 1; "
	  "GGRRRRRRRR\n" },
	{ "no times", { { .samples = "f 10 thread.name=a" } }, "" },
};

TEST(lanes_rows)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf text = { .err = &err };
		struct op_lanes_opts opts = { .nr_columns = 10 };
		struct op_lanes l = { 0 };
		struct op_model m = { 0 };
		int before = test_failed;
		size_t n = 1;

		while (n < 3 && rows[i].s[n].samples)
			n++;
		CHECK_EQ(sketch_model(&m, rows[i].s, n, &err), OP_OK);
		opts.like = first_profile(&m);
		CHECK_EQ(op_lanes_build(&l, &m, &opts, &err), OP_OK);
		for (uint32_t k = 0; k < l.lanes.n; k++)
			put_lane(&text, &l, k, &err);
		op_buf_byte(&text, 0);
		CHECK_STR((char *)text.p, rows[i].lanes);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s", rows[i].name,
				(char *)text.p);
		op_buf_free(&text);
		op_lanes_free(&l);
		op_model_free(&m);
	}
}

/* --- against a plain count --- */

static bool is_of(const struct op_model *m, uint32_t set, const char *key,
		  struct op_view want, const char *absent)
{
	const struct op_attr *a = op_set_find(m, set, key);

	return a ? op_view_eq(op_any_text(m, &a->value), want) :
		   op_view_is(want, absent);
}

struct naive {
	uint64_t time_ns, points, intervals;
};

/* What a thread does in a state, looked up in all samples. */
static struct naive naive_part(const struct op_model *m, struct op_view thread,
			       struct op_view state)
{
	struct naive n = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w)) {
		struct op_interval_kind kind = op_interval_kind(m, w.scope,
								w.profile);
		bool lasts = kind.stamp != OP_STAMP_POINT;

		for (uint32_t i = 0; i < w.profile->nr_samples; i++) {
			struct op_times t = op_sample_times(w.profile, i);
			struct op_values v = op_sample_values(w.profile, i);
			uint32_t set = w.profile->set[i];

			if (!is_of(m, set, OP_ATTR_THREAD_NAME, thread,
				   "(no thread)") ||
			    !is_of(m, set, OP_ATTR_THREAD_STATE, state,
				   lasts ? "off_cpu" : "cpu"))
				continue;
			for (uint32_t k = 0; k < t.n; k++)
				n.time_ns += v.p[k] > 0 ? (uint64_t)v.p[k] : 0;
			*(lasts ? &n.intervals : &n.points) += t.n;
		}
	}
	return n;
}

static uint64_t sum_of(const uint64_t *p, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; p && i < n; i++)
		sum += p[i];
	return sum;
}

static void check_lanes(const struct op_lanes *l, const struct op_model *m)
{
	for (size_t i = 0; i < l->lanes.n; i++) {
		const struct op_lane *x = &l->lanes.p[i];
		uint64_t ns[2] = { 0 };

		CHECK(!i || x[-1].busy_ns >= x->busy_ns);
		for (uint32_t k = 0; k < x->nr_parts; k++) {
			const struct op_lane_part *p = &l->parts.p[x->part + k];
			const struct op_lane_state *s = &l->states.p[p->state];
			struct naive n = naive_part(m,
						    op_lane_text(l, x->thread),
						    op_lane_text(l, s->text));

			CHECK_EQ(p->lane, l->parts.p[x->part].lane);
			CHECK_EQ(p->time_ns, n.time_ns);
			CHECK_EQ(p->nr_points, n.points);
			CHECK_EQ(p->nr_intervals, n.intervals);
			CHECK_EQ(sum_of(p->points, l->buckets.nr), n.points);
			ns[s->waits] += n.time_ns;
		}
		CHECK_EQ(x->busy_ns, ns[0]);
		CHECK_EQ(x->waiting_ns, ns[1]);
	}
}

TEST(random_lanes)
{
	struct op_err err = { 0 };
	struct op_buf texts[2] = { { .err = &err }, { .err = &err } };
	uint64_t seed = 6;

	for (int round = 0; round < 300; round++) {
		struct sketch s[2] = { { .type = "cpu" },
				       { .type = "off_cpu" } };
		struct op_lanes_opts opts = { .nr_columns = 1 };
		struct op_lanes l = { 0 };
		struct op_model m = { 0 };

		for (int i = 0; i < 2; i++) {
			random_samples(&texts[i], &seed);
			s[i].samples = (const char *)texts[i].p;
		}
		CHECK_EQ(sketch_model(&m, s, 2, &err), OP_OK);
		opts.like = first_profile(&m);
		opts.nr_columns += random_below(&seed, 20);
		CHECK_EQ(op_lanes_build(&l, &m, &opts, &err), OP_OK);
		check_lanes(&l, &m);
		op_lanes_free(&l);
		op_model_free(&m);
	}
	op_buf_free(&texts[0]);
	op_buf_free(&texts[1]);
}

TEST(each_allocation_fails)
{
	struct op_lanes_opts opts = { .nr_columns = 10 };
	struct op_err none = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, rows[1].s, 3, &none), OP_OK);
	opts.like = first_profile(&m);
	EACH_ALLOC_FAILS(k) {
		struct op_lane_cell cells[16];
		struct op_arena scratch = { 0 };
		struct op_lanes l = { 0 };
		struct op_err err = { 0 };

		if (!op_lanes_build(&l, &m, &opts, &err))
			op_lane_cells(&l, 0, &scratch, cells, &err);
		CHECK(err.code == (op_alloc_failed() ? OP_ENOMEM : OP_OK));
		op_arena_free(&scratch);
		op_lanes_free(&l);
	}
	op_model_free(&m);
}

TEST(waits)
{
	static const struct {
		const char *type;
		bool lasts, waits;
	} types[] = {
		{ "park", true, true },	 { "gc", true, false },
		{ "new", true, true },	 { "cpu", false, false },
		{ "park", false, true }, { "io", false, true },
		{ "Idle", false, true }, { "radio", false, false },
	};

	for (size_t i = 0; i < op_countof(types); i++)
		CHECK_EQ(op_lane_type_waits(op_view_z(types[i].type),
					    types[i].lasts),
			 types[i].waits);
	CHECK(op_lane_state_waits(op_view_z("UNINTERRUPTIBLE")));
	CHECK(!op_lane_state_waits(op_view_z("running")));
}

TEST_MAIN(lanes_rows, random_lanes, each_allocation_fails, waits)
