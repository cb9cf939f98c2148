// SPDX-License-Identifier: Apache-2.0
/* Resources, scopes, profiles and samples of the builder, and its memory. */
#include "model/merge.h"
#include "unit/model/builder_fixture.h"

/* --- resources, scopes, profiles --- */

TEST(resource_head)
{
	char url[] = "url";
	struct op_kv kv = { .key = TEXT("k"), .value = text("v") };
	struct op_view keys[] = { TEXT("id") };
	struct op_entity entity = {
		op_view_z(url), TEXT("host"), keys, NULL, 1, 0,
	};
	struct op_resource r = { .attrs = { &kv, 1 },
				 .dropped_attrs = 3,
				 .nr_entities = 1,
				 .entities = &entity,
				 .schema_url = op_view_z(url),
				 .nr_scopes = 77 };
	struct build x;

	begin(&x);
	op_build_resource(&x.b, &r, NULL);
	finish(&x);
	url[0] = '?';
	r = x.m.resources[0];
	CHECK_EQ(r.nr_scopes, 0);
	CHECK_EQ(r.dropped_attrs, 3);
	CHECK(op_view_is(r.schema_url, "url"));
	CHECK_EQ(r.attrs.n, 1);
	CHECK(op_view_is(op_kv_key(&x.m, &r.attrs.p[0]), "k"));
	CHECK(op_view_is(op_any_text(&x.m, &r.attrs.p[0].value), "v"));
	CHECK_EQ(r.nr_entities, 1);
	CHECK(op_view_is(r.entities[0].schema_url, "url"));
	CHECK(op_view_is(r.entities[0].type, "host"));
	CHECK(op_view_is(r.entities[0].id_keys[0], "id"));
	CHECK_EQ(r.entities[0].nr_description_keys, 0);
	op_model_free(&x.m);
}

TEST(scope_and_profile_heads)
{
	char name[] = "scope", data[] = "data";
	struct op_scope s = { .name = op_view_z(name),
			      .version = TEXT("2"),
			      .schema_url = TEXT("url"),
			      .dropped_attrs = 4,
			      .nr_profiles = 77 };
	struct op_profile p = { .period = 5,
				.time_ns = 6,
				.id = { 9 },
				.id_len = 16,
				.payload = op_view_z(data),
				.payload_format = op_view_z(name) };
	struct build x;

	begin(&x);
	op_build_resource(&x.b, &no_resource, NULL);
	op_build_scope(&x.b, 0, &s, NULL);
	op_build_profile(&x.b, 0, &p);
	op_build_profile_head(&x.b, 0)->period = 50;
	finish(&x);
	name[0] = data[0] = '?';
	s = x.m.resources[0].scopes[0];
	CHECK_EQ(s.nr_profiles, 1);
	CHECK_EQ(s.dropped_attrs, 4);
	CHECK(op_view_is(s.name, "scope"));
	CHECK(op_view_is(s.version, "2"));
	CHECK(op_view_is(s.schema_url, "url"));
	p = s.profiles[0];
	CHECK_EQ(p.period, 50);
	CHECK_EQ(p.time_ns, 6);
	CHECK_EQ(p.id[0], 9);
	CHECK_EQ(p.id_len, 16);
	CHECK(op_view_is(p.payload, "data"));
	CHECK(op_view_is(p.payload_format, "scope"));
	CHECK_EQ(p.nr_samples, 0);
	CHECK_EQ(op_profile_observations(&p), 0);
	op_model_free(&x.m);
}

/* Things come out nested, each level in the order it was added, however the
 * calls were mixed. */
TEST(nesting_order)
{
	static const uint32_t resource_of[] = { 1, 0, 1, 2, 0 };
	static const uint32_t scope_of[] = { 4, 0, 2, 0, 4, 1 };
	static const char *const want = "r0s0p5 r0s1p0 r0s1p4 r1s0p1 r1s0p3 "
					"r1s1p2";
	struct op_walk w = { 0 };
	char got[100] = "";
	struct build x;

	begin(&x);
	for (uint32_t r = 0; r < 4; r++)
		CHECK_EQ(op_build_resource(&x.b, &no_resource, NULL), r);
	for (uint32_t s = 0; s < op_countof(resource_of); s++)
		CHECK_EQ(op_build_scope(&x.b, resource_of[s], &no_scope, NULL),
			 s);
	for (uint32_t p = 0; p < op_countof(scope_of); p++) {
		struct op_profile head = { .period = p };

		CHECK_EQ(op_build_profile(&x.b, scope_of[p], &head), p);
	}
	finish(&x);
	CHECK_EQ(x.m.nr_resources, 4);
	CHECK_EQ(x.m.resources[2].nr_scopes, 1);
	CHECK_EQ(x.m.resources[2].scopes[0].nr_profiles, 0);
	CHECK_EQ(x.m.resources[3].nr_scopes, 0);
	while (op_walk_next(&x.m, &w)) {
		size_t end = strlen(got);

		snprintf(got + end, sizeof(got) - end, "%sr%us%up%d",
			 end ? " " : "", w.r, w.s, (int)w.profile->period);
	}
	CHECK_STR(got, want);
	op_model_free(&x.m);
}

/* The head of a finished profile may be the head of a new one: its samples
 * do not come along. */
TEST(head_of_a_full_profile)
{
	static uint32_t at[3] = { 0, 1, 2 };
	static int64_t values[2] = { 1, 2 };
	static uint64_t times[2] = { 3, 4 };
	struct op_profile full = { .nr_samples = 2,
				   .stack = at,
				   .set = at,
				   .link = at,
				   .value_at = at,
				   .time_at = at,
				   .values = values,
				   .times = times };
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	CHECK_EQ(op_build_profile(&x.b, 0, &full), 1);
	op_build_sample(&x.b, 1, (struct op_identity){ 0 });
	op_build_add(&x.b, 1, 0, 7);
	p = finish_profile(&x) + 1;
	CHECK_EQ(p->nr_samples, 1);
	CHECK_EQ(op_sample_values(p, 0).n, 1);
	CHECK(!p->time_at && !p->times);
	op_model_free(&x.m);
}

/* --- samples --- */

static uint32_t sample(struct build *x, uint32_t stack, uint32_t set,
		       uint32_t link)
{
	return op_build_sample(&x->b, 0,
			       (struct op_identity){ stack, set, link });
}

TEST(samples_merge_by_identity)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (int pass = 0; pass < 2; pass++) {
		CHECK_EQ(sample(&x, 0, 0, 0), 0);
		CHECK_EQ(sample(&x, 1, 0, 0), 1);
		CHECK_EQ(sample(&x, 0, 1, 0), 2);
		CHECK_EQ(sample(&x, 0, 0, 1), 3);
		CHECK_EQ(sample(&x, 1, 2, 3), 4);
		CHECK_EQ(sample(&x, 3, 2, 1), 5);
	}
	op_build_add(&x.b, 0, 4, 10);
	op_build_add(&x.b, 0, 4, -3);
	op_build_add(&x.b, 0, 0, 1);
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 6);
	CHECK_EQ(p->stack[4], 1);
	CHECK_EQ(p->set[4], 2);
	CHECK_EQ(p->link[4], 3);
	CHECK_EQ(op_sample_total(p, 4), 7);
	CHECK_EQ(op_sample_total(p, 0), 1);
	CHECK_EQ(op_sample_total(p, 5), 0);
	op_model_free(&x.m);
}

/* Many at once are the same as one after the other. */
TEST(samples_together)
{
	enum { NR = 100 };
	struct op_identity ids[NR];
	uint32_t got[NR];
	struct build x, y;

	begin_profile(&x);
	begin_profile(&y);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < NR; i++)
			ids[i] = (struct op_identity){ i % 4, i * round % 4,
						       i % 3 };
		op_build_samples(&x.b, 0, ids, NR, got);
		for (uint32_t i = 0; i < NR; i++)
			CHECK_EQ(got[i], op_build_sample(&y.b, 0, ids[i]));
	}
	op_model_free(&x.m);
	op_model_free(&y.m);
}

/* Sums have one value a sample and no times. */
TEST(layout_of_sums)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (uint32_t i = 0; i < 5000; i++)
		op_build_add(&x.b, 0, sample(&x, i, 0, 0), i);
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 5000);
	CHECK(p->value_at && !p->time_at && !p->times);
	for (uint32_t i = 0; i < 5000; i++) {
		CHECK_EQ(p->value_at[i], i);
		CHECK_EQ(p->values[i], i);
	}
	CHECK_EQ(p->value_at[5000], 5000);
	CHECK_EQ(op_profile_observations(p), 5000);
	op_model_free(&x.m);
}

TEST(sums_stop_at_the_ends)
{
	static const int64_t rows[][4] = {
		{ INT64_MAX, 1, 0, INT64_MAX },
		{ INT64_MIN, -1, 0, INT64_MIN },
		{ INT64_MAX, 5, -1, INT64_MAX - 1 },
		{ INT64_MIN, INT64_MAX, 1, 0 },
	};
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (uint32_t i = 0; i < op_countof(rows); i++)
		for (int k = 0; k < 3; k++)
			op_build_add(&x.b, 0, sample(&x, i, 0, 0), rows[i][k]);
	p = finish_profile(&x);
	for (uint32_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(op_sample_total(p, i), rows[i][3]);
	op_model_free(&x.m);
}

/* Observations are sorted by sample; those of one stay as they came. */
TEST(layout_of_times)
{
	static const struct {
		uint32_t stack;
		int64_t v;
		uint64_t t;
	} in[] = {
		{ 8, 10, 100 }, { 9, 20, 90 },	{ 8, 11, 80 },
		{ 7, 30, 70 },	{ 9, 21, 200 }, { 8, 12, 60 },
	};
	static const uint32_t at[] = { 0, 3, 5, 6, 6 };
	static const int64_t values[] = { 10, 11, 12, 20, 21, 30 };
	static const uint64_t times[] = { 100, 80, 60, 90, 200, 70 };
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (size_t i = 0; i < op_countof(in); i++)
		op_build_observe(&x.b, 0, sample(&x, in[i].stack, 0, 0),
				 in[i].v, in[i].t);
	CHECK_EQ(sample(&x, 6, 0, 0), 3); /* and one that has none */
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 4);
	CHECK(!memcmp(p->value_at, at, sizeof(at)));
	CHECK(!memcmp(p->time_at, at, sizeof(at)));
	CHECK(!memcmp(p->values, values, sizeof(values)));
	CHECK(!memcmp(p->times, times, sizeof(times)));
	CHECK_EQ(p->stack[0], 8);
	CHECK_EQ(p->stack[3], 6);
	op_model_free(&x.m);
}

/* If all values are 1 the times say everything; one that is not brings them
 * all, wherever it stands. 0 is a value too. */
TEST(times_only_or_values)
{
	enum { NR = 40 };

	for (uint32_t odd = 0; odd <= NR; odd++) {
		const struct op_profile *p;
		struct build x;

		begin_profile(&x);
		for (uint32_t i = 0; i < NR; i++)
			op_build_observe(&x.b, 0, sample(&x, i % 2, 0, 0),
					 i == odd ? 0 : 1, i);
		p = finish_profile(&x);
		CHECK_EQ(op_sample_times(p, 0).n, NR / 2);
		CHECK_EQ(op_sample_times(p, 1).p[1], 3);
		CHECK_EQ(p->value_at != NULL, odd < NR);
		CHECK_EQ(p->values != NULL, odd < NR);
		CHECK_EQ(op_profile_total(p), odd < NR ? NR - 1 : NR);
		CHECK_EQ(op_profile_observations(p), NR);
		if (odd < NR)
			CHECK_EQ(op_sample_values(p, odd % 2).p[odd / 2], 0);
		op_model_free(&x.m);
	}
}

TEST(mixed_shapes_are_refused)
{
	for (int timed_first = 0; timed_first < 2; timed_first++) {
		struct build x;

		begin_profile(&x);
		if (timed_first)
			op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 1, 1);
		op_build_add(&x.b, 0, sample(&x, 1, 0, 0), 1);
		if (!timed_first)
			op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 1, 1);
		CHECK_EQ(x.err.code, OP_EUSAGE);
		CHECK_EQ(op_builder_finish(&x.b), OP_EUSAGE);
		op_model_free(&x.m);
	}
}

/* After a clear a profile is as new: its head stays, its samples go, and it
 * may take the other shape. */
/* Values of several types for the same samples, which are kept once. */
TEST(profiles_alike)
{
	const struct op_profile *p;
	struct build x;
	uint32_t like, a, b;

	begin_profile(&x);
	like = op_build_profile_like(&x.b, 0, &no_profile);
	CHECK_EQ(like, 1);
	a = op_build_sample(&x.b, 0, (struct op_identity){ 0, 0, 0 });
	op_build_add(&x.b, 0, a, 5);
	op_build_add(&x.b, like, a, 50);
	b = op_build_sample(&x.b, 0, (struct op_identity){ 0, 1, 0 });
	op_build_add(&x.b, 0, b, 6);
	p = finish_profile(&x);
	CHECK_EQ(p[1].nr_samples, 2);
	CHECK(p[1].stack == p[0].stack);
	CHECK(p[1].set == p[0].set);
	CHECK_EQ(op_sample_total(&p[0], 1), 6);
	CHECK_EQ(op_sample_total(&p[1], 0), 50);
	CHECK_EQ(op_sample_total(&p[1], 1), 0);
	op_model_free(&x.m);
}

/* The same with times, which are kept once too. */
TEST(observations_alike)
{
	const struct op_profile *p;
	struct build x;
	uint32_t like, a, b;

	begin_profile(&x);
	like = op_build_profile_like(&x.b, 0, &no_profile);
	a = op_build_sample(&x.b, 0, (struct op_identity){ 0, 0, 0 });
	b = op_build_sample(&x.b, 0, (struct op_identity){ 0, 1, 0 });
	op_build_observe(&x.b, 0, b, 1, 100);
	op_build_observe_like(&x.b, like, 10);
	op_build_observe(&x.b, 0, a, 1, 200);
	op_build_observe_like(&x.b, like, 20);
	op_build_observe(&x.b, 0, b, 1, 300);
	op_build_observe_like(&x.b, like, 30);
	p = finish_profile(&x);
	CHECK(p[1].times == p[0].times);
	CHECK(!p[0].value_at);
	CHECK_EQ(op_sample_values(&p[1], a).n, 1);
	CHECK_EQ(op_sample_values(&p[1], a).p[0], 20);
	CHECK_EQ(op_sample_times(&p[1], b).n, 2);
	CHECK_EQ(op_sample_values(&p[1], b).p[0], 10);
	CHECK_EQ(op_sample_values(&p[1], b).p[1], 30);
	CHECK_EQ(op_sample_times(&p[1], b).p[1], 300);
	op_model_free(&x.m);
}

/* Runs are the same as one after the other; what had no value of the profile
 * that is like the other has 0. */
TEST(runs_of_observations)
{
	static const uint32_t samples[] = { 1, 0, 1 };
	static const uint64_t times[] = { 200, 300, 400 };
	static const uint64_t values[] = { 5, 6, 7 }, more[] = { 50, 60, 70 };
	static const struct op_build_run run = {
		3, samples, times, { values, more }
	};
	const struct op_profile *p;
	uint32_t ids[] = { 0, 0 };
	struct build x;

	begin_profile(&x);
	ids[1] = op_build_profile_like(&x.b, 0, &no_profile);
	op_build_sample(&x.b, 0, (struct op_identity){ 0, 0, 0 });
	op_build_sample(&x.b, 0, (struct op_identity){ 0, 1, 0 });
	op_build_observe(&x.b, 0, 1, 4, 100);
	op_build_observe_run(&x.b, ids, 2, &run);
	p = finish_profile(&x);
	CHECK_EQ(op_sample_times(&p[0], 0).n, 1);
	CHECK_EQ(op_sample_values(&p[0], 0).p[0], 6);
	CHECK_EQ(op_sample_times(&p[0], 1).p[2], 400);
	CHECK_EQ(op_sample_values(&p[0], 1).p[2], 7);
	CHECK_EQ(op_sample_values(&p[1], 1).p[0], 0);
	CHECK_EQ(op_sample_values(&p[1], 1).p[1], 50);
	CHECK_EQ(op_sample_values(&p[1], 0).p[0], 60);
	op_model_free(&x.m);
}

TEST(clear)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	op_build_profile_head(&x.b, 0)->period = 5;
	for (uint32_t i = 0; i < 1000; i++)
		op_build_observe(&x.b, 0, sample(&x, i, 0, 0), 3, i);
	op_build_clear(&x.b, 0);
	CHECK_EQ(sample(&x, 999, 0, 0), 0);
	op_build_add(&x.b, 0, 0, 4);
	op_build_clear(&x.b, 0);
	CHECK_EQ(sample(&x, 998, 0, 0), 0);
	CHECK_EQ(sample(&x, 999, 0, 0), 1);
	op_build_add(&x.b, 0, 1, 6);
	p = finish_profile(&x);
	CHECK_EQ(p->period, 5);
	CHECK_EQ(p->nr_samples, 2);
	CHECK_EQ(op_sample_total(p, 0), 0);
	CHECK_EQ(op_sample_total(p, 1), 6);
	CHECK(!p->time_at);
	op_model_free(&x.m);
}

/* Values that were cleared do not bring values back. */
TEST(clear_forgets_values)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 3, 1);
	op_build_clear(&x.b, 0);
	op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 1, 2);
	p = finish_profile(&x);
	CHECK_EQ(op_sample_times(p, 0).n, 1);
	CHECK(!p->value_at);
	op_model_free(&x.m);
}

/* --- memory --- */

/* Pools grow in blocks of their own and are given back, so that a million
 * observations are a few blocks and little more than their bytes. */
TEST(million_observations)
{
	enum { NR = 1000000, SAMPLES = 1000 };
	const struct op_profile *p;
	struct build x;
	size_t wrong = 0;

	begin_profile(&x);
	for (uint32_t i = 0; i < NR; i++)
		op_build_observe(&x.b, 0, sample(&x, i % SAMPLES, 0, 0), i % 7,
				 i);
	CHECK(x.m.mem.nr_blocks < 12);
	p = finish_profile(&x);
	CHECK(x.m.mem.nr_blocks < 12);
	CHECK(x.m.mem.used < NR * 16 + (1 << 20));
	CHECK_EQ(op_profile_observations(p), NR);
	for (uint32_t i = 0; i < NR; i++) {
		uint32_t s = i % SAMPLES, k = i / SAMPLES;

		wrong += op_sample_times(p, s).p[k] != i;
		wrong += op_sample_values(p, s).p[k] != i % 7;
	}
	CHECK_EQ(wrong, 0);
	op_model_free(&x.m);
}

TEST(quota)
{
	struct build x;

	begin_profile(&x);
	x.m.mem.quota = 1 << 20;
	for (uint32_t i = 0; i < 200000; i++)
		op_build_observe(&x.b, 0, sample(&x, i, 0, 0), 1, i);
	CHECK_EQ(x.err.code, OP_ENOMEM);
	CHECK(x.m.mem.used <= x.m.mem.quota);
	CHECK_EQ(op_builder_finish(&x.b), OP_ENOMEM);
	op_model_free(&x.m);
}

/* A bit of everything. */
static void build_all(struct op_builder *b, uint32_t nr)
{
	struct op_kv kv = { .key = TEXT("host.name"), .value = text("h") };
	struct op_resource resource = { .attrs = { &kv, 1 } };
	struct op_scope scope = { .name = TEXT("scope") };
	struct op_profile head = { .payload = TEXT("payload") };
	uint32_t s = op_build_scope(b, op_build_resource(b, &resource, NULL),
				    &scope, NULL);
	uint32_t timed = op_build_profile(b, s, &head);
	uint32_t sums = op_build_profile(b, s, &head);

	for (uint32_t i = 1; i <= nr; i++) {
		struct op_any v = number(i);
		struct op_mapping mapping = { .start = i };
		struct op_function fn = { .start_line = i };
		struct op_line line = {
			.line = i,
			.function = op_build_function(b, &fn),
		};
		struct op_location loc = {
			.mapping = op_build_mapping(b, &mapping),
		};
		struct op_link link = { .span_id = { (uint8_t)i } };
		uint32_t attr = op_build_attr(b, op_view_z("pid"), &v,
					      op_view_z(""), NULL);
		uint32_t at = op_build_location(b, &loc, &line, 1);
		struct op_identity id = {
			.stack = op_build_stack(b, &at, 1),
			.set = op_build_set_with(b, op_build_set(b, &attr, 1),
						 1),
			.link = op_build_link(b, &link),
		};

		op_build_observe(b, timed, op_build_sample(b, timed, id), i, i);
		op_build_add(b, sums, op_build_sample(b, sums, id), i);
	}
}

static void check_all(const struct op_model *m, uint32_t nr)
{
	const struct op_profile *p = m->resources[0].scopes[0].profiles;

	CHECK_EQ(m->dict.nr[OP_STACKS], nr + 1);
	CHECK_EQ(m->dict.nr[OP_LINKS], nr + 1);
	CHECK_EQ(m->dict.nr[OP_ATTRS], nr + 1);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = op_list(&m->dict.stacks, p[0].stack[i]).p[0];
		const struct op_location *l = &m->dict.locations[at];
		const struct op_line *line = &m->dict.lines[l->first_line];

		CHECK_EQ(line->line, i + 1);
		CHECK_EQ(m->dict.mappings[l->mapping].start, i + 1);
		CHECK_EQ(m->dict.functions[line->function].start_line, i + 1);
		CHECK_EQ(m->dict.links[p[0].link[i]].span_id[0], i + 1);
		CHECK(op_set_find(m, p[0].set[i], "pid"));
		CHECK_EQ(op_sample_times(&p[0], i).p[0], i + 1);
		CHECK_EQ(op_sample_total(&p[1], i), i + 1);
	}
}

/* Whichever allocation fails, the builder takes every further call, says
 * OP_ENOMEM at the end and leaks nothing. Only a trim may fail and not
 * matter; then the model is whole. */
TEST(each_alloc_fails)
{
	enum { NR = 40 };
	long rounds = 0, whole = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_model m = { 0 };
		struct op_err err = { 0 };
		struct op_builder b;

		rounds = k;
		op_builder_init(&b, &m, &err);
		build_all(&b, NR);
		op_builder_finish(&b);
		CHECK(err.code == OP_OK || err.code == OP_ENOMEM);
		if (!err.code) {
			whole++;
			check_all(&m, NR);
		}
		op_model_free(&m);
	}
	CHECK(rounds > 100);
	CHECK(whole >= 1 && whole <= 3);
}

/* Once it has failed a builder gives 0 and does nothing; the first error is
 * the one that finish tells of. */
TEST(quiet_after_failure)
{
	struct build x;
	size_t used;

	begin_profile(&x);
	op_fail(&x.err, OP_ELIMIT, "something else");
	used = x.m.mem.used;
	build_all(&x.b, 3);
	CHECK_EQ(put(&x, "new"), 0);
	CHECK_EQ(sample(&x, 1, 2, 3), 0);
	CHECK_EQ(op_build_set_with(&x.b, 0, 1), 0);
	op_build_clear(&x.b, 0);
	CHECK_EQ(x.m.mem.used, used);
	CHECK_EQ(op_builder_finish(&x.b), OP_ELIMIT);
	op_model_free(&x.m);
}

/* Also one that failed before it had a row. */
TEST(quiet_after_failed_init)
{
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	struct op_builder b;

	op_alloc_fail_at(1);
	CHECK_EQ(op_builder_init(&b, &m, &err), OP_ENOMEM);
	build_all(&b, 3);
	op_build_profile_head(&b, 0)->period = 1;
	CHECK_EQ(op_builder_finish(&b), OP_ENOMEM);
	op_model_free(&m);
}

/* Observations without a value of another type have 0 there, or what is
 * filled in. */
TEST(observations_alike_with_gaps)
{
	static const int64_t want[2][3] = { { 0, 10, 0 }, { 7, 0, 9 } };
	static const int64_t filled[] = { 5, 5, 8 };
	const struct op_profile *p;
	struct build x;
	uint32_t s;

	begin_profile(&x);
	for (int i = 0; i < 3; i++)
		op_build_profile_like(&x.b, 0, &no_profile);
	s = op_build_sample(&x.b, 0, (struct op_identity){ 0 });
	for (uint64_t t = 0; t < 3; t++) {
		if (t == 2)
			op_build_fill_like(&x.b, 3, 5);
		op_build_observe(&x.b, 0, s, 1, t);
		for (uint32_t i = 0; i < 2; i++)
			if (want[i][t])
				op_build_observe_like(&x.b, i + 1, want[i][t]);
	}
	op_build_observe_like(&x.b, 3, 8);
	p = finish_profile(&x);
	CHECK(!memcmp(p[3].values, filled, sizeof(filled)));
	for (uint32_t i = 0; i < 2; i++) {
		CHECK_EQ(op_sample_values(&p[i + 1], 0).n, 3);
		CHECK(!memcmp(p[i + 1].values, want[i], sizeof(want[i])));
		CHECK(p[i + 1].times == p[0].times);
	}
	op_model_free(&x.m);
}

/* Sums so far are multiplied, and later ones add to that. */
TEST(sums_alike_filled)
{
	const struct op_profile *p;
	struct build x;
	uint32_t s[3];

	begin_profile(&x);
	for (uint32_t i = 0; i < 3; i++)
		s[i] = op_build_sample(&x.b, 0,
				       (struct op_identity){ i, 0, 0 });
	op_build_add(&x.b, 0, s[0], 3);
	op_build_add(&x.b, 0, s[1], INT64_MAX);
	op_build_profile_like(&x.b, 0, &no_profile);
	op_build_fill_like(&x.b, 1, 5);
	op_build_add(&x.b, 1, s[0], 2);
	op_build_add(&x.b, 1, s[2], 1);
	p = finish_profile(&x);
	CHECK_EQ(p[1].values[0], 17);
	CHECK_EQ(p[1].values[1], INT64_MAX);
	CHECK_EQ(p[1].values[2], 1);
	op_model_free(&x.m);
}

/* A profile of this type in a builder that adds up what is observed. */
static uint32_t summed_profile(struct build *x, const char *type)
{
	struct op_profile head = { 0 };

	head.sample_type.type = op_build_string(&x->b, op_view_z(type));
	return op_build_profile(&x->b, 0, &head);
}

/* Observations become sums, but for those of a gauge, of which only the last
 * counts. */
TEST(observations_added_up)
{
	static const uint32_t samples[] = { 0, 0 };
	static const uint64_t times[] = { 1, 2 }, values[] = { 3, 4 };
	static const struct op_build_run run = {
		2, samples, times, { values, values }
	};
	const struct op_profile *p;
	uint32_t ids[2], live;
	struct build x;

	begin_profile(&x);
	x.b.timed = OP_TIMED_SUMS;
	ids[0] = summed_profile(&x, "cpu");
	ids[1] = op_build_profile_like(&x.b, ids[0], &no_profile);
	live = summed_profile(&x, "inuse_space");
	op_build_sample(&x.b, ids[0], (struct op_identity){ 0 });
	op_build_sample(&x.b, live, (struct op_identity){ 0 });
	op_build_observe(&x.b, ids[0], 0, 5, 9);
	op_build_observe_like(&x.b, ids[1], 50);
	op_build_observe_run(&x.b, ids, 2, &run);
	op_build_observe(&x.b, live, 0, 5, 9);
	CHECK(!x.b.sums_differ);
	p = finish_profile(&x);
	CHECK(!p[1].time_at && !p[2].time_at);
	CHECK_EQ(p[1].values[0], 5 + 3 + 4);
	CHECK_EQ(p[2].values[0], 50 + 3 + 4);
	CHECK_EQ(op_sample_times(&p[3], 0).p[0], 9);
	op_model_free(&x.m);
}

/* The same, with how many they were; a model that they are imported into knows
 * it too. */
TEST(observations_counted)
{
	static const uint32_t samples[] = { 0, 2 };
	static const uint64_t times[] = { 1, 2 }, values[] = { 3, 4 };
	static const struct op_build_run run = {
		2, samples, times, { values, values }
	};
	struct op_model joined = { 0 };
	struct op_model *list[2];
	const struct op_profile *p;
	struct op_err err = { 0 };
	uint32_t ids[2];
	struct build x;

	begin_profile(&x);
	x.b.timed = OP_TIMED_COUNTED;
	ids[0] = summed_profile(&x, "cpu");
	ids[1] = op_build_profile_like(&x.b, ids[0], &no_profile);
	for (int i = 1; i <= 4; i++) {
		struct op_any v = { .kind = OP_ANY_INT, .num = i };
		uint32_t attr = op_build_attr(&x.b, TEXT("k"), &v,
					      (struct op_view){ 0 }, NULL);

		op_build_sample(&x.b, ids[0],
				(struct op_identity){
					.set = op_build_set(&x.b, &attr, 1) });
	}
	op_build_observe(&x.b, ids[0], 0, 5, 9);
	op_build_observe_like(&x.b, ids[1], 50);
	op_build_observe_run(&x.b, ids, 2, &run);
	p = finish_profile(&x);
	for (int k = 1; k <= 2; k++) {
		CHECK(!p[k].time_at && p[k].observed);
		CHECK_EQ(op_sample_observed(&p[k], 0), 2);
		CHECK_EQ(op_sample_observed(&p[k], 1), 0);
		CHECK_EQ(op_sample_observed(&p[k], 2), 1);
		CHECK_EQ(op_sample_observed(&p[k], 3), 0);
	}
	list[0] = list[1] = &x.m;
	CHECK_EQ(op_merge(list, 2, &joined, &err), OP_OK);
	p = joined.resources[0].scopes[0].profiles;
	CHECK_EQ(op_sample_observed(&p[1], 0), 4);
	CHECK_EQ(op_sample_observed(&p[1], 2), 2);
	CHECK_EQ(op_sample_total(&p[1], 0), 2 * (5 + 3));
	op_model_free(&joined);
	op_model_free(&x.m);
}

/* Where the sums would depend on the order the builder says so. */
TEST(sums_that_differ)
{
	static const int64_t values[][2] = { { INT64_MAX, 1 }, { 5, -1 } };

	for (size_t i = 0; i < op_countof(values); i++) {
		struct build x;
		uint32_t id;

		begin_profile(&x);
		x.b.timed = OP_TIMED_SUMS;
		id = summed_profile(&x, "cpu");
		op_build_sample(&x.b, id, (struct op_identity){ 0 });
		op_build_observe(&x.b, id, 0, values[i][0], 1);
		CHECK(!x.b.sums_differ);
		op_build_observe(&x.b, id, 0, values[i][1], 1);
		CHECK(x.b.sums_differ);
		op_model_free(&x.m);
	}
}

/* Packed observations are what the arrays would be. */
TEST(packed_observations)
{
	const struct op_profile *p;
	struct op_err err = { 0 };
	struct build x;

	begin_profile(&x);
	op_build_profile_like(&x.b, 0, &no_profile);
	x.b.timed = OP_TIMED_PACKED;
	for (uint32_t i = 0; i < 1000; i++) {
		op_build_observe(&x.b, 0, sample(&x, i % 3, 0, 0), 1, i);
		op_build_observe_like(&x.b, 1, i * 2);
	}
	p = finish_profile(&x);
	CHECK(p[0].packed_times && !p[0].packed_values && !p[0].time_at);
	CHECK(p[1].packed_times == p[0].packed_times && p[1].packed_values);
	CHECK_EQ(op_model_unpack(&x.m, &err), OP_OK);
	CHECK(!p[0].packed_times && !p[1].packed_values);
	CHECK(p[1].times == p[0].times && !p[0].value_at);
	for (uint32_t i = 0; i < 1000; i++) {
		CHECK_EQ(op_sample_times(&p[0], i % 3).p[i / 3], i);
		CHECK_EQ(op_sample_values(&p[1], i % 3).p[i / 3], i * 2);
	}
	op_model_free(&x.m);
}

TEST_MAIN(observations_added_up, observations_counted, sums_that_differ,
	  packed_observations, observations_alike_with_gaps, sums_alike_filled,
	  resource_head, scope_and_profile_heads, nesting_order,
	  head_of_a_full_profile, samples_merge_by_identity, samples_together,
	  layout_of_sums, sums_stop_at_the_ends, layout_of_times,
	  times_only_or_values, mixed_shapes_are_refused, profiles_alike,
	  observations_alike, runs_of_observations, clear, clear_forgets_values,
	  million_observations, quota, each_alloc_fails, quiet_after_failure,
	  quiet_after_failed_init)
