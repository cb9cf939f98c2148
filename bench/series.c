// SPDX-License-Identifier: Apache-2.0
/* bench/series.c: how fast observations are counted into buckets of time.
 *
 * The peer does the same with a 64-bit division for each observation and
 * nothing else: it knows the range, and no samples, groups or saturation. Both
 * must give the same buckets before the clock starts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "model/builder.h"
#include "query/series.h"

enum { NR = 4000000, NR_BUCKETS = 1000, NR_THREADS = 8 };

struct work {
	const char *name;
	const char *type;
	uint32_t nr_samples;
	bool sorted;
	const char *by; /* NULL: one group */
	double goal;	/* observations a second; 0: none */
};

static const struct work works[] = {
	{ "points in order, 1,000 samples", "cpu", 1000, true, NULL, 50e6 },
	{ "points in no order, 1,000 samples", "cpu", 1000, false, NULL, 50e6 },
	{ "points, 1,000,000 samples", "cpu", 1000000, true, NULL, 50e6 },
	{ "intervals, 1,000 samples", "off_cpu", 1000, true, NULL, 50e6 },
	{ "points of 8 threads, 1,000,000 samples", "cpu", 1000000, true,
	  "thread", 0 },
};

struct bench {
	const struct work *w;
	struct op_model m;
	struct op_group_by by;
	struct op_series_opts opts;
	struct op_range range;
	int64_t sums[NR_BUCKETS];
	struct op_err err;
};

static uint32_t thread_set(struct op_builder *b, uint32_t i)
{
	struct op_any name = { .kind = OP_ANY_STRING };
	uint32_t attr;
	char text[20];

	snprintf(text, sizeof(text), "worker-%u", i % NR_THREADS);
	name.bytes = op_view_z(text);
	attr = op_build_attr(b, op_view_z("thread.name"), &name,
			     (struct op_view){ 0 }, NULL);
	return op_build_set(b, &attr, 1);
}

static void samples_make(struct op_builder *b, uint32_t profile,
			 const struct work *w)
{
	uint64_t seed = 7, time = 1700000000000000000u;

	for (uint32_t k = 0; k < NR; k++) {
		uint32_t i = k % w->nr_samples;
		struct op_identity id = { .set = thread_set(b, i) };
		struct op_location loc = { .address = i + 1 };
		uint32_t frame = op_build_location(b, &loc, NULL, 0);

		time += bench_below(&seed, 20000);
		id.stack = op_build_stack(b, &frame, 1);
		op_build_observe(b, profile, op_build_sample(b, profile, id),
				 1 + bench_below(&seed, 50000),
				 w->sorted ? time :
					     1700000000000000000u +
						     bench_below(&seed,
								 2000000000));
	}
}

static void model_make(struct bench *t)
{
	struct op_profile head = { 0 };
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_builder b;
	uint32_t r;

	op_builder_init(&b, &t->m, &t->err);
	r = op_build_resource(&b, &resource, NULL);
	head.sample_type.type = op_build_string(&b, op_view_z(t->w->type));
	head.sample_type.unit = op_build_string(&b, op_view_z("nanoseconds"));
	samples_make(&b,
		     op_build_profile(&b, op_build_scope(&b, r, &scope, NULL),
				      &head),
		     t->w);
	op_builder_finish(&b);
	op_model_unpack(&t->m, &t->err);
	op_group_by_parse(&t->by, t->w->by, &t->err);
	t->by.frame = 0;
	t->opts.nr_columns = NR_BUCKETS;
}

static void ours(void *arg)
{
	struct bench *t = arg;
	struct op_series s = { 0 };

	op_series_build(&s, &t->m, t->m.resources[0].scopes[0].profiles, &t->by,
			&t->opts, &t->err);
	t->range = s.buckets.range;
	memset(t->sums, 0, sizeof(t->sums));
	for (uint32_t i = 0; !t->err.code && i < s.nr; i++)
		for (uint32_t b = 0; b < s.buckets.nr; b++)
			t->sums[b] += op_series_row(&s, i)[b].value;
	op_series_free(&s);
}

static void peer(void *arg)
{
	struct bench *t = arg;
	const struct op_profile *p = t->m.resources[0].scopes[0].profiles;
	uint64_t from = t->range.from;
	uint64_t width = (t->range.to - 1 - from) / NR_BUCKETS + 1;

	memset(t->sums, 0, sizeof(t->sums));
	for (uint32_t k = 0; k < NR; k++)
		t->sums[(p->times[k] - from) / width] += p->values[k];
	bench_keep(t->sums);
}

static void row(const struct bench *t, struct bench_times s)
{
	char work[80], us[32], them[32], goal[32] = "";

	snprintf(work, sizeof(work), "series: %s", t->w->name);
	snprintf(us, sizeof(us), "%.0f M/s", NR / s.ours * 1e-6);
	snprintf(them, sizeof(them), "%.0f M/s",
		 s.peer > 0 ? NR / s.peer * 1e-6 : 0);
	if (t->w->goal > 0)
		snprintf(goal, sizeof(goal), ">= %.0f M/s", t->w->goal * 1e-6);
	printf("%-50s %10s %10s %7.2fx\n", work, us, s.peer > 0 ? them : "",
	       s.peer / s.ours);
	bench_report(&(struct bench_row){ work, us, s.peer > 0 ? them : "",
					  s.peer / s.ours, goal,
					  NR / s.ours >= t->w->goal });
}

static bool run(const struct work *w, struct bench_effort effort)
{
	static struct bench t;
	bool lasts = !strcmp(w->type, "off_cpu");
	struct bench_pair pair = { ours, lasts ? NULL : peer, &t };
	int64_t sums[NR_BUCKETS];
	bool same = true;

	t = (struct bench){ .w = w };
	model_make(&t);
	ours(&t);
	memcpy(sums, t.sums, sizeof(sums));
	if (!lasts) {
		peer(&t);
		same = !memcmp(sums, t.sums, sizeof(sums));
	}
	if (!same)
		fprintf(stderr, "series: the buckets are not the same\n");
	else if (!t.err.code)
		row(&t, bench_run(&pair, effort));
	if (t.err.code)
		fprintf(stderr, "series: %s\n", t.err.text);
	op_model_free(&t.m);
	return same && !t.err.code;
}

int main(int argc, char **argv)
{
	struct bench_effort effort = bench_effort_for(
		bench_is_quick(argc, argv));
	bool ok = true;

	for (size_t i = 0; i < op_countof(works); i++)
		ok &= run(&works[i], effort);
	return ok ? 0 : 1;
}
