// SPDX-License-Identifier: Apache-2.0
/* One object of include/otprof.h in many threads: nothing changes it. What
 * ThreadSanitizer says of this test counts as much as its results. */
#include "test.h"

#include <pthread.h>

#include "otprof.h"

enum { NR_THREADS = 8, ROUNDS = 20, NR_STACKS = 50 };

static struct otprof *shared;

/* Timed samples of many stacks, of which some share attributes and links. */
static void build(struct otprof_builder *b)
{
	struct otprof_attr attr = { 0 };
	struct otprof_identity id = { 0 };
	uint8_t trace_id[16] = { 1 }, span_id[8] = { 2 };
	struct otprof_profile head;
	struct otprof_frame f;
	uint32_t scope, profile, location;
	char name[24];

	OTPROF_INIT(&head);
	OTPROF_INIT(&f);
	attr.key = otprof_str("service.name");
	attr.value = otprof_string("shop");
	scope = otprof_build_scope(b, otprof_build_resource(b, &attr, 1), "s",
				   "1", &attr, 1);
	head.type = otprof_str("cpu");
	head.unit = otprof_str("nanoseconds");
	profile = otprof_build_profile(b, scope, &head);
	id.attrs = otprof_build_attrs(b, &attr, 1);
	for (int i = 0; i < NR_STACKS; i++) {
		snprintf(name, sizeof(name), "function%d", i);
		f.function = otprof_str(name);
		f.address = 0x1000u + (uint64_t)i;
		location = otprof_build_location(b, 0, &f, 1);
		id.stack = otprof_build_stack(b, &location, 1);
		id.link = otprof_build_link(b, trace_id, span_id);
		otprof_build_observe(b, profile, id, i, 1000 + (uint64_t)i);
	}
}

static int64_t walk(const struct otprof *p)
{
	struct otprof_err err = { 0 };
	struct otprof_sample sample;
	struct otprof_frames frames;
	struct otprof_frame frame;
	int64_t sum = 0;

	OTPROF_INIT(&sample);
	OTPROF_INIT(&frame);
	for (uint32_t i = 0; i < NR_STACKS; i++) {
		otprof_sample(p, 0, i, &sample, &err);
		sum += sample.values[0];
		frames = otprof_frames(p, sample.stack);
		while (otprof_frame_next(&frames, &frame))
			sum += (int64_t)frame.function.n;
	}
	return sum;
}

/* How many bytes it is in a format. */
static size_t written(const struct otprof *p, const char *format)
{
	struct otprof_write_opts opts;
	struct otprof_err err = { 0 };
	uint8_t *bytes = NULL;
	size_t n = 0;

	OTPROF_INIT(&opts);
	opts.format = format;
	otprof_write_memory(p, &opts, &bytes, &n, &err);
	otprof_bytes_free(bytes);
	return err.code ? 0 : n;
}

/* The sizes of what is made of the object, added up. */
static size_t derived(const struct otprof *p)
{
	const struct otprof *list[2] = { p, p };
	struct otprof_symbolize_opts opts;
	struct otprof_err err = { 0 };
	struct otprof *made[5] = { 0 };
	size_t n = 0;

	OTPROF_INIT(&opts);
	opts.root = "/nowhere";
	otprof_normalize(p, &made[0], &err);
	otprof_merge(list, 2, &made[1], &err);
	otprof_filter(p, NULL, &made[2], &err);
	otprof_diff(p, p, NULL, &made[3], &err);
	otprof_symbolize(p, &opts, &made[4], &err);
	for (int i = 0; i < 5 && !err.code; i++)
		n += written(made[i], "otlp");
	for (int i = 0; i < 5; i++)
		otprof_free(made[i]);
	return err.code ? 0 : n;
}

struct result {
	int64_t walked;
	size_t sizes[6], derived;
	bool had_id; /* before or after */
};

static struct result look(const struct otprof *p)
{
	static const char *const formats[] = { "otlp",	  "otlp-json",
					       "pprof",	  "folded",
					       "otep239", "speedscope" };
	struct otprof_err err = { 0 };
	struct otprof_profile head;
	struct result r = { .walked = walk(p) };

	OTPROF_INIT(&head);
	for (size_t i = 0; i < op_countof(formats); i++)
		r.sizes[i] = written(p, formats[i]);
	r.derived = derived(p);
	otprof_profile(p, 0, &head, &err);
	r.had_id = head.id;
	return r;
}

static void *work(void *arg)
{
	struct result *want = arg, got;
	bool same = true;

	for (int i = 0; i < ROUNDS; i++) {
		got = look(shared);
		same &= got.walked == want->walked &&
			!memcmp(got.sizes, want->sizes, sizeof(got.sizes)) &&
			got.derived == want->derived && !got.had_id;
	}
	return same ? want : NULL;
}

TEST(an_object_never_changes)
{
	pthread_t threads[NR_THREADS];
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct result want;
	void *same;

	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	build(b);
	CHECK_EQ(otprof_builder_take(b, &shared, &err), OTPROF_OK);
	otprof_builder_free(b);
	want = look(shared);
	CHECK(!want.had_id && want.derived);
	for (int i = 0; i < 6; i++)
		CHECK(want.sizes[i]);
	for (int i = 0; i < NR_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, work, &want), 0);
	for (int i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], &same);
		CHECK(same);
	}
	otprof_free(shared);
}

TEST_MAIN(an_object_never_changes)
