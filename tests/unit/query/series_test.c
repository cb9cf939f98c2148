// SPDX-License-Identifier: Apache-2.0
#include "query/series.h"

#include "model/aggregate.h"
#include "query/heatmap.h"
#include "query/stack_sums.h"
#include "test.h"
#include "time_fixture.h"

/* --- one by one --- */

static bool has_thread(const struct op_model *m, uint32_t set,
		       struct op_view name)
{
	const struct op_attr *a = op_set_find(m, set, OP_ATTR_THREAD_NAME);

	return a ? op_view_eq(op_any_text(m, &a->value), name) :
		   op_view_is(name, "(no thread)");
}

/* What a gauge adds to a bucket: looked up anew for each. */
static int64_t naive_state(struct op_range r, struct op_times t,
			   struct op_values v)
{
	uint64_t last = 0;
	int64_t value = 0;

	for (uint32_t k = 0; k < t.n; k++)
		if (t.p[k] < r.to && t.p[k] >= last) {
			last = t.p[k];
			value = v.p[k];
		}
	return last < r.from ? 0 : value;
}

static int64_t naive_sample(const struct op_model *m, struct op_range r,
			    uint32_t i)
{
	const struct op_profile *p = first_profile(m);
	struct op_interval_kind kind = op_interval_kind(
		m, m->resources[0].scopes, p);
	struct op_times t = op_sample_times(p, i);
	struct op_values v = op_sample_values(p, i);
	int64_t sum = 0;

	if (op_aggregator_of(m, p) == OP_LAST)
		return naive_state(r, t, v);
	for (uint32_t k = 0; k < t.n; k++) {
		int64_t value = v.p[k];
		uint64_t time = t.p[k];

		if (op_interval_clip(kind, r, &value, &time))
			sum += value;
	}
	return sum;
}

/* The sum of a bucket; others: of threads that have no series. */
static int64_t naive_cell(const struct op_series *s, const struct op_model *m,
			  uint32_t row, struct op_range r)
{
	const struct op_profile *p = first_profile(m);
	bool others = s->has_others && row == s->nr - 1;
	uint32_t to = others ? (uint32_t)s->totals.list.n : row + 1;
	int64_t sum = 0;

	for (uint32_t g = row; g < to; g++) {
		struct op_view name = op_group_text(
			&s->totals.groups, s->totals.list.p[g].group, 0);

		for (uint32_t i = 0; i < p->nr_samples; i++)
			if (has_thread(m, p->set[i], name))
				sum += naive_sample(m, r, i);
	}
	return sum;
}

static void check_series(const struct op_series *s, const struct op_model *m)
{
	uint64_t count = 0;
	int64_t sum = 0;

	for (uint32_t row = 0; row < s->nr; row++) {
		for (uint32_t b = 0; b < s->buckets.nr; b++) {
			struct op_range r = { op_bucket_begin(&s->buckets, b),
					      op_bucket_begin(&s->buckets,
							      b + 1) };

			CHECK_EQ(op_series_row(s, row)[b].value,
				 naive_cell(s, m, row, r));
			sum += op_series_row(s, row)[b].value;
			count += op_series_row(s, row)[b].count;
		}
	}
	/* Of gauges only the last of a bucket counts, so that the buckets have
	 * no sum. */
	if (s->buckets.nr && op_aggregator_of(m, first_profile(m)) != OP_LAST)
		CHECK_EQ(sum + s->outside,
			 s->totals.all.value - s->totals.all.untimed);
	if (s->buckets.nr && !s->nr_outside)
		CHECK_EQ(count, s->totals.all.nr_observations -
					s->totals.all.nr_untimed);
}

static void random_opts(struct op_series_opts *o, uint64_t *seed)
{
	*o = (struct op_series_opts){
		.nr_columns = 1 + random_below(seed, 50),
		.nr_rows = random_below(seed, 4),
		.max_groups = random_below(seed, 5),
	};
	if (!random_below(seed, 3))
		o->width = 20 + random_below(seed, 400);
	if (!random_below(seed, 3)) {
		o->range.from = 900 + random_below(seed, 600);
		o->range.to = o->range.from + 1 + random_below(seed, 900);
	}
}

TEST(random_series)
{
	struct op_group_by by;
	struct op_err err = { 0 };
	uint64_t seed = 3;

	CHECK_EQ(op_group_by_parse(&by, "thread", &err), OP_OK);
	for (int round = 0; round < 600; round++) {
		struct op_series s = { 0 };
		struct op_series_opts o;
		struct op_model m;

		random_model(&m, &seed);
		random_opts(&o, &seed);
		CHECK_EQ(op_series_build(&s, &m, first_profile(&m), &by, &o,
					 &err),
			 OP_OK);
		check_series(&s, &m);
		if (test_failed) {
			fprintf(stderr, "  in round %d: %s\n", round,
				sketch_text(&m));
			op_series_free(&s);
			op_model_free(&m);
			return;
		}
		op_series_free(&s);
		op_model_free(&m);
	}
}

/* --- rows --- */

#define MAX "9223372036854775807"

/* Values of ten buckets of ten nanoseconds, unless there is a range. */
static const struct {
	const char *name;
	struct sketch s;
	struct op_range range;
	const char *values;
} rows[] = {
	{ "points",
	  { .samples = "f 1@0 2@9 4@10 8@99" },
	  { 0, 0 },
	  "3 4 0 0 0 0 0 0 0 8" },
	{ "no times", { .samples = "f 5" }, { 0, 0 }, "" },
	{ "empty", { .samples = "" }, { 0, 0 }, "" },
	{ "spread over three",
	  { .type = "wait", .samples = "f 20@5 1@99" },
	  { 0, 100 },
	  "5 10 5 0 0 0 0 0 0 1" },
	{ "up to an edge",
	  { .type = "wait", .samples = "f 15@5" },
	  { 0, 100 },
	  "5 10 0 0 0 0 0 0 0 0" },
	{ "longer than the range",
	  { .type = "wait", .samples = "f 1000@20" },
	  { 50, 60 },
	  "1 1 1 1 1 1 1 1 1 1" },
	{ "two at a time",
	  { .type = "wait", .samples = "f 100@0\ng 30@20" },
	  { 0, 100 },
	  "10 10 20 20 20 10 10 10 10 10" },
	{ "last of a gauge",
	  { .type = "live", .samples = "f 5@9 3@1 7@11 2@99" },
	  { 0, 100 },
	  "5 7 0 0 0 0 0 0 0 2" },
	{ "last of each sample",
	  { .type = "live", .samples = "f 5@9 3@1\ng 100@2" },
	  { 0, 100 },
	  "105 0 0 0 0 0 0 0 0 0" },
	{ "of two at one time the later",
	  { .type = "live", .samples = "f 5@9 3@9" },
	  { 0, 100 },
	  "3 0 0 0 0 0 0 0 0 0" },
	{ "events of a counter",
	  { .attrs = OP_ATTR_TEMPORALITY "=cumulative",
	    .samples = "f 12@31 5@0 7@5 20@99" },
	  { 0, 100 },
	  "12 0 0 12 0 0 0 0 0 20" },
	{ "held at the ends",
	  { .samples = "f " MAX "@5 " MAX "@6" },
	  { 0, 100 },
	  MAX " 0 0 0 0 0 0 0 0 0" },
	{ "an interval without an end",
	  { .type = "wait", .samples = "f " MAX "@95" },
	  { 0, 100 },
	  "0 0 0 0 0 0 0 0 0 5" },
	{ "the last nanosecond is in no range",
	  { .samples = "f 3@18446744073709551615 4@0" },
	  { 0, 0 },
	  "4 0 0 0 0 0 0 0 0 0" },
};

TEST(series_rows)
{
	struct op_group_by by = { 0 };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_series_opts o = { .range = rows[i].range,
					    .nr_columns = 10 };
		struct op_err err = { 0 };
		struct op_buf text = { .err = &err };
		struct op_series s = { 0 };
		struct op_model m;
		int before = test_failed;

		sketch_one(&m, &rows[i].s);
		CHECK_EQ(op_series_build(&s, &m, first_profile(&m), &by, &o,
					 &err),
			 OP_OK);
		for (uint32_t b = 0; s.nr && b < s.buckets.nr; b++)
			op_buf_printf(&text, "%s%lld", b ? " " : "",
				      (long long)s.cells[b].value);
		op_buf_byte(&text, 0);
		CHECK_STR((char *)text.p, rows[i].values);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_buf_free(&text);
		op_series_free(&s);
		op_model_free(&m);
	}
}

TEST(what_is_outside)
{
	struct sketch two[] = {
		{ .type = "wait", .samples = "f 10@5 3@50 7@8" },
		{ .type = "wait", .samples = "g 5" },
	};
	struct op_series_opts o = { .range = { 0, 10 }, .nr_columns = 2 };
	struct op_group_by by = { 0 };
	struct op_err err = { 0 };
	struct op_series s = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, two, 2, &err), OP_OK);
	CHECK_EQ(op_series_build(&s, &m, first_profile(&m), &by, &o, &err),
		 OP_OK);
	CHECK_EQ(s.nr_outside, 3);
	CHECK_EQ(s.outside, 5 + 3 + 5);
	CHECK_EQ(s.totals.all.nr_untimed, 1);
	CHECK_EQ(s.totals.all.untimed, 5);
	CHECK_EQ(s.totals.all.value, 25);
	CHECK_EQ(s.totals.all.time.from, 5);
	CHECK_EQ(s.totals.all.time.to, 53);
	CHECK_EQ(s.cells[1].value, 7);
	CHECK_EQ(s.cells[1].count, 2);
	op_series_free(&s);
	op_model_free(&m);
}

/* --- the heat map --- */

TEST(random_heatmap)
{
	struct op_err err = { 0 };
	uint64_t seed = 4;

	for (int round = 0; round < 200; round++) {
		struct op_series_opts o = { .width = 60 + (uint32_t)round,
					    .nr_rows = 7 };
		struct op_heatmap h = { 0 };
		struct op_model m;
		int64_t most = 0;

		random_model(&m, &seed);
		CHECK_EQ(op_heatmap_build(&h, &m, first_profile(&m), &o, &err),
			 OP_OK);
		for (uint32_t c = 0; c < h.series.buckets.nr_columns; c++) {
			for (uint32_t r = 0; r < 7; r++) {
				uint64_t at = h.series.buckets.range.from +
					      c * o.width;
				struct op_range x = {
					at + (r * o.width + 6) / 7,
					at + ((r + 1) * o.width + 6) / 7
				};
				int64_t v = 0;

				for (uint32_t i = 0;
				     i < first_profile(&m)->nr_samples; i++)
					v += naive_sample(&m, x, i);
				CHECK_EQ(op_heatmap_cell(&h, c, r)->value, v);
				most = v > most ? v : most;
			}
		}
		CHECK_EQ(h.max_value, most);
		op_heatmap_free(&h);
		op_model_free(&m);
	}
}

/* --- totals --- */

TEST(random_totals)
{
	struct op_group_by by;
	struct op_err err = { 0 };
	uint64_t seed = 5;

	CHECK_EQ(op_group_by_parse(&by, "thread", &err), OP_OK);
	for (int round = 0; round < 200; round++) {
		struct op_totals t = { 0 };
		const struct op_profile *p;
		struct op_model m;
		int64_t all = 0;

		random_model(&m, &seed);
		p = first_profile(&m);
		CHECK_EQ(op_totals_build(&t, &m, p, &by, &err), OP_OK);
		op_totals_sort(&t);
		for (size_t g = 0; g < t.list.n; g++) {
			const struct op_total *x = &t.list.p[g];
			struct op_view name = op_group_text(&t.groups, x->group,
							    0);
			int64_t sum = 0;
			uint64_t samples = 0, observations = 0;

			for (uint32_t i = 0; i < p->nr_samples; i++) {
				if (!has_thread(&m, p->set[i], name))
					continue;
				sum += op_sample_amount(op_aggregator_of(&m, p),
							p, i);
				samples++;
				observations += op_sample_values(p, i).n;
			}
			CHECK_EQ(x->value, sum);
			CHECK_EQ(x->nr_samples, samples);
			CHECK_EQ(x->nr_observations, observations);
			if (g)
				CHECK(llabs(x[-1].value) >= llabs(x->value));
			all += sum;
		}
		CHECK_EQ(t.all.value, all);
		CHECK_EQ(t.all.nr_samples, p->nr_samples);
		op_totals_free(&t);
		op_model_free(&m);
	}
}

TEST(each_allocation_fails)
{
	struct sketch sketch = { .type = "wait",
				 .samples = "f 10@5 thread.name=a\n"
					    "g 20@7 thread.name=b" };
	struct op_series_opts o = { .nr_columns = 10 };
	struct op_group_by by;
	struct op_err none = { 0 };
	struct op_model m;

	sketch_one(&m, &sketch);
	CHECK_EQ(op_group_by_parse(&by, "thread", &none), OP_OK);
	EACH_ALLOC_FAILS(k) {
		struct op_series s = { 0 };
		struct op_err err = { 0 };

		op_series_build(&s, &m, first_profile(&m), &by, &o, &err);
		CHECK(err.code == (op_alloc_failed() ? OP_ENOMEM : OP_OK));
		op_series_free(&s);
	}
	op_model_free(&m);
}

TEST_MAIN(random_series, series_rows, what_is_outside, random_heatmap,
	  random_totals, each_allocation_fails)
