// SPDX-License-Identifier: Apache-2.0
/* The public API: what include/otprof.h promises. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "otprof.h"
#include "write/elf.h"
#include "write/folder.h"
#include "write/perf.h"

static struct otprof_attr string_attr(const char *key, const char *value)
{
	return (struct otprof_attr){ .key = otprof_str(key),
				     .value = otprof_string(value) };
}

/* A location of two frames, the first inlined into the second. */
static uint32_t build_inlined(struct otprof_builder *b, uint32_t mapping)
{
	struct otprof_frame frames[2];

	OTPROF_INIT(&frames[0]);
	OTPROF_INIT(&frames[1]);
	frames[0].function = otprof_str("inner");
	frames[0].file = otprof_str("a.c");
	frames[0].line = 3;
	frames[1].function = otprof_str("outer");
	frames[1].system_name = otprof_str("_Zouter");
	frames[1].line = 7;
	frames[1].column = 2;
	frames[1].address = 0x1234;
	return otprof_build_location(b, mapping, frames, 2);
}

/* One resource, one scope; a timed profile and one of totals. */
static void build_small(struct otprof_builder *b)
{
	struct otprof_attr service = string_attr("service.name", "shop");
	struct otprof_attr thread = string_attr("thread.name", "main");
	uint8_t trace_id[16] = { 1 }, span_id[8] = { 2 };
	struct otprof_identity id = { 0, 0, 0 };
	uint32_t scope, timed, totals, location;
	struct otprof_mapping mapping;
	struct otprof_profile head;

	OTPROF_INIT(&head);
	OTPROF_INIT(&mapping);
	scope = otprof_build_scope(b, otprof_build_resource(b, &service, 1),
				   "test", "1", NULL, 0);
	mapping.file = otprof_str("/bin/shop");
	mapping.limit = 0x9000;
	mapping.build_id = otprof_str("abcd");
	location = build_inlined(b, otprof_build_mapping(b, &mapping));
	id.stack = otprof_build_stack(b, &location, 1);
	id.attrs = otprof_build_attrs(b, &thread, 1);
	id.link = otprof_build_link(b, trace_id, span_id);
	head.type = otprof_str("samples");
	head.unit = otprof_str("count");
	head.time_unix_nano = 1000;
	head.duration_nano = 100;
	timed = otprof_build_profile(b, scope, &head);
	otprof_build_observe(b, timed, id, 1, 1010);
	otprof_build_observe(b, timed, id, 5, 1020);
	head.type = otprof_str("alloc_space");
	head.unit = otprof_str("bytes");
	totals = otprof_build_profile(b, scope, &head);
	otprof_build_add(b, totals, id, 40);
	otprof_build_add(b, totals, id, 2);
}

static struct otprof *small_new(struct otprof_err *err)
{
	struct otprof_builder *b;
	struct otprof *p = NULL;

	if (otprof_builder_new(0, &b, err))
		return NULL;
	build_small(b);
	otprof_builder_take(b, &p, err);
	otprof_builder_free(b);
	return p;
}

static bool is(struct otprof_str s, const char *want)
{
	return s.n == strlen(want) && !memcmp(s.p, want, s.n);
}

/* Whatever way the small profile came, it looks like this. */
static void check_small(const struct otprof *p)
{
	struct otprof_profile head;
	struct otprof_sample sample;
	struct otprof_frame frame;
	struct otprof_frames frames;
	struct otprof_attrs attrs;
	struct otprof_attr attr;
	struct otprof_err err = { 0 };

	OTPROF_INIT(&head);
	OTPROF_INIT(&sample);
	OTPROF_INIT(&frame);
	CHECK_EQ(otprof_nr_profiles(p), 2);
	CHECK_EQ(otprof_profile(p, 0, &head, &err), OTPROF_OK);
	CHECK(is(head.type, "samples") && is(head.unit, "count"));
	CHECK(is(head.scope_name, "test"));
	CHECK_EQ(head.nr_samples, 1);
	CHECK_EQ(head.total, 6);
	CHECK_EQ(otprof_sample(p, 0, 0, &sample, &err), OTPROF_OK);
	CHECK_EQ(sample.nr_values, 2);
	CHECK_EQ(sample.nr_times, 2);
	CHECK_EQ(sample.values[1], 5);
	CHECK_EQ(sample.times[1], 1020);
	CHECK(sample.trace_id && sample.trace_id[0] == 1);
	frames = otprof_frames(p, sample.stack);
	CHECK(otprof_frame_next(&frames, &frame));
	CHECK(is(frame.function, "inner") && frame.is_inlined);
	CHECK(otprof_frame_next(&frames, &frame));
	CHECK(is(frame.function, "outer") && !frame.is_inlined);
	CHECK(is(frame.system_name, "_Zouter"));
	CHECK(is(frame.mapping, "/bin/shop"));
	CHECK_EQ(frame.address, 0x1234);
	CHECK_EQ(frame.column, 2);
	CHECK(!otprof_frame_next(&frames, &frame));
	attrs = otprof_attrs(p, sample.attrs);
	CHECK(otprof_attr_next(&attrs, &attr));
	CHECK(is(attr.key, "thread.name") && is(attr.value.s, "main"));
	CHECK(!otprof_attr_next(&attrs, &attr));
	attrs = otprof_resource_attrs(p, head.resource);
	CHECK(otprof_attr_next(&attrs, &attr) && is(attr.value.s, "shop"));
	CHECK_EQ(otprof_profile(p, 1, &head, &err), OTPROF_OK);
	CHECK_EQ(head.total, 42);
}

TEST(build_and_walk)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err);

	CHECK(p && !err.code);
	if (p)
		check_small(p);
	otprof_free(p);
}

TEST(write_and_open)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *again = NULL;
	struct otprof_profile head;
	uint8_t *bytes = NULL;
	size_t n = 0;

	OTPROF_INIT(&head);
	CHECK_EQ(otprof_write_memory(p, NULL, &bytes, &n, &err), OTPROF_OK);
	CHECK_EQ(otprof_open_memory(bytes, n, NULL, &again, &err), OTPROF_OK);
	check_small(again);
	/* Writing gives profiles an id: the hash of their content. */
	CHECK_EQ(otprof_profile(again, 0, &head, &err), OTPROF_OK);
	CHECK(head.id != NULL);
	otprof_free(again);
	otprof_free(p);
	otprof_bytes_free(bytes);
}

TEST(write_file_and_open)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *again = NULL;
	char path[] = "/tmp/otprof_test.XXXXXX";
	struct otprof_write_opts opts;

	OTPROF_INIT(&opts);
	opts.format = "otlp";
	close(mkstemp(path));
	CHECK_EQ(otprof_write_file(p, path, &opts, &err), OTPROF_OK);
	CHECK_EQ(otprof_open_file(path, NULL, &again, &err), OTPROF_OK);
	if (again)
		check_small(again);
	otprof_free(again);
	otprof_free(p);
	unlink(path);
}

TEST(normalize_and_merge)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *same = NULL, *sum = NULL;
	const struct otprof *list[2];
	struct otprof_profile head;

	OTPROF_INIT(&head);
	CHECK_EQ(otprof_normalize(p, &same, &err), OTPROF_OK);
	check_small(same);
	list[0] = p;
	list[1] = same;
	CHECK_EQ(otprof_merge(list, 2, &sum, &err), OTPROF_OK);
	CHECK_EQ(otprof_nr_profiles(sum), 2);
	CHECK_EQ(otprof_profile(sum, 1, &head, &err), OTPROF_OK);
	CHECK_EQ(head.total, 84);
	otprof_free(sum);
	otprof_free(same);
	otprof_free(p);
}

/* The total of the one profile that is left. */
static int64_t only_total(const struct otprof *p)
{
	struct otprof_err err = { 0 };
	struct otprof_profile head;

	OTPROF_INIT(&head);
	CHECK_EQ(otprof_nr_profiles(p), 1);
	CHECK_EQ(otprof_profile(p, 0, &head, &err), OTPROF_OK);
	return head.total;
}

static void noted(void *ctx, const char *text)
{
	CHECK(strstr(text, "kept whole"));
	++*(int *)ctx;
}

TEST(filter)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *part = NULL;
	struct otprof_filter_opts o;
	int notes = 0;

	CHECK_EQ(otprof_filter(p, NULL, &part, &err), OTPROF_OK);
	check_small(part);
	otprof_free(part);

	OTPROF_INIT(&o);
	o.types = "alloc_space/bytes";
	CHECK_EQ(otprof_filter(p, &o, &part, &err), OTPROF_OK);
	CHECK_EQ(only_total(part), 42);
	otprof_free(part);

	o.types = "samples";
	o.focus = "outer";
	o.from_unix_nano = 1015;
	CHECK_EQ(otprof_filter(p, &o, &part, &err), OTPROF_OK);
	CHECK_EQ(only_total(part), 5);
	otprof_free(part);

	o.types = "alloc_space";
	o.to_unix_nano = 1018;
	o.on_note = noted;
	o.ctx = &notes;
	CHECK_EQ(otprof_filter(p, &o, &part, &err), OTPROF_OK);
	CHECK_EQ(notes, 1);
	otprof_free(part);

	o.types = "wall";
	part = NULL;
	CHECK_EQ(otprof_filter(p, &o, &part, &err), OTPROF_EUSAGE);
	CHECK(!part && strstr(err.text, "samples/count"));
	otprof_free(p);
}

TEST(diff)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *twice = NULL, *d = NULL;
	const struct otprof *list[2] = { p, p };
	struct otprof_diff_opts o;
	struct otprof_profile head;

	OTPROF_INIT(&o);
	OTPROF_INIT(&head);
	CHECK_EQ(otprof_merge(list, 2, &twice, &err), OTPROF_OK);
	CHECK_EQ(otprof_diff(twice, p, NULL, &d, &err), OTPROF_OK);
	CHECK_EQ(otprof_nr_profiles(d), 2);
	CHECK_EQ(otprof_profile(d, 1, &head, &err), OTPROF_OK);
	CHECK_EQ(head.total, -42);
	otprof_free(d);
	o.exact = 1;
	o.normalize = 1;
	CHECK_EQ(otprof_diff(twice, p, &o, &d, &err), OTPROF_OK);
	CHECK_EQ(otprof_profile(d, 1, &head, &err), OTPROF_OK);
	CHECK_EQ(head.nr_samples, 0);
	otprof_free(d);
	otprof_free(twice);
	otprof_free(p);
}

/* An original payload goes the whole way. */
TEST(payload)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof *p = NULL, *again = NULL;
	struct otprof_profile head;
	uint8_t *bytes = NULL;
	size_t n = 0;

	OTPROF_INIT(&head);
	head.type = otprof_str("cpu");
	head.unit = otprof_str("nanoseconds");
	head.payload = otprof_str("FLR");
	head.payload_format = otprof_str("jfr");
	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	otprof_build_profile(
		b,
		otprof_build_scope(b, otprof_build_resource(b, NULL, 0), "s",
				   "", NULL, 0),
		&head);
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_OK);
	otprof_builder_free(b);
	CHECK_EQ(otprof_write_memory(p, NULL, &bytes, &n, &err), OTPROF_OK);
	CHECK_EQ(otprof_open_memory(bytes, n, NULL, &again, &err), OTPROF_OK);
	OTPROF_INIT(&head);
	CHECK_EQ(otprof_profile(again, 0, &head, &err), OTPROF_OK);
	CHECK(is(head.payload, "FLR") && is(head.payload_format, "jfr"));
	otprof_free(again);
	otprof_free(p);
	otprof_bytes_free(bytes);
}

TEST(write_what_cannot_be)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err);
	struct otprof_write_opts opts;
	uint8_t *bytes = NULL;
	size_t n = 0;

	OTPROF_INIT(&opts);
	opts.format = "smoke";
	CHECK_EQ(otprof_write_memory(p, &opts, &bytes, &n, &err),
		 OTPROF_EUSAGE);
	CHECK(!bytes);
	/* Of an older caller the field is not looked at. */
	opts.sz = offsetof(struct otprof_write_opts, format);
	err = (struct otprof_err){ 0 };
	CHECK_EQ(otprof_write_memory(p, &opts, &bytes, &n, &err), OTPROF_OK);
	otprof_bytes_free(bytes);
	otprof_free(p);
}

static void count_finding(void *ctx, const struct otprof_finding *f)
{
	CHECK(f->rule && f->path && f->text);
	++*(int *)ctx;
}

TEST(check)
{
	static const uint8_t no_resource[] = { 0x12, 0x00 };
	struct otprof_check_opts opts;
	struct otprof_check_result result;
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err);
	uint8_t *bytes = NULL;
	size_t n = 0;
	int found = 0;

	OTPROF_INIT(&opts);
	OTPROF_INIT(&result);
	opts.strict = 1;
	otprof_write_memory(p, NULL, &bytes, &n, &err);
	opts.on_finding = count_finding;
	opts.ctx = &found;
	CHECK_EQ(otprof_check_memory(bytes, n, &opts, &result, &err),
		 OTPROF_OK);
	CHECK_EQ(result.nr_errors, 0);
	CHECK_EQ(found, 0);
	CHECK_EQ(otprof_check_memory(no_resource, sizeof(no_resource), &opts,
				     &result, &err),
		 OTPROF_OK);
	CHECK(result.nr_errors > 0);
	CHECK_EQ(found, result.nr_errors + result.nr_warnings);
	otprof_bytes_free(bytes);
	otprof_free(p);
}

/* Wrong calls are said to be so, and leave out parameters alone. */
TEST(wrong_calls)
{
	struct otprof_open_opts opts;
	struct otprof_profile head;
	struct otprof_sample sample;
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *none = NULL;

	OTPROF_INIT(&opts);
	OTPROF_INIT(&head);
	OTPROF_INIT(&sample);
	CHECK_EQ(otprof_profile(p, 2, &head, &err), OTPROF_EUSAGE);
	err = (struct otprof_err){ 0 };
	CHECK_EQ(otprof_sample(p, 0, 1, &sample, &err), OTPROF_EUSAGE);
	err = (struct otprof_err){ 0 };
	opts.format = "no such";
	CHECK_EQ(otprof_open_memory("x", 1, &opts, &none, &err), OTPROF_EUSAGE);
	err = (struct otprof_err){ 0 };
	CHECK_EQ(otprof_open_file("/no/such/file", NULL, &none, &err),
		 OTPROF_EIO);
	CHECK_EQ(err.sys, ENOENT);
	CHECK_STR(err.text,
		  "cannot open '/no/such/file': No such file or directory");
	err = (struct otprof_err){ 0 };
	CHECK_EQ(otprof_open_memory("hello", 5, NULL, &none, &err),
		 OTPROF_EFORMAT);
	CHECK(err.has_at && !none);
	CHECK(strstr(err.text, "(at byte 0)"));
	/* The first failure is kept. */
	CHECK_EQ(otprof_profile(p, 9, &head, &err), OTPROF_EFORMAT);
	otprof_free(p);
	otprof_free(NULL);
	otprof_builder_free(NULL);
}

/* Ids that the builder never gave. */
TEST(wrong_ids)
{
	static const struct otprof_identity bad[] = { { 7, 0, 0 },
						      { 0, 7, 0 },
						      { 0, 0, 7 } };

	for (size_t i = 0; i < 3; i++) {
		struct otprof_err err = { 0 };
		struct otprof_builder *b;
		struct otprof *p = NULL;

		otprof_builder_new(0, &b, &err);
		build_small(b);
		otprof_build_add(b, 2, bad[i], 1);
		CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_EUSAGE);
		CHECK(!p && strstr(err.text, "7 was built"));
		otprof_builder_free(b);
	}
}

/* --- structs of other versions --- */

/* A caller built against an older header has shorter structs. */
TEST(shorter_structs)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err);
	struct otprof_profile head;

	memset(&head, 0x55, sizeof(head));
	head.sz = offsetof(struct otprof_profile, period_type);
	CHECK_EQ(otprof_profile(p, 0, &head, &err), OTPROF_OK);
	CHECK(is(head.type, "samples"));
	CHECK_EQ(head.period, 0x5555555555555555);
	otprof_free(p);
}

/* One built against a newer header has longer ones. What this version does not
 * know must be zero in options and becomes zero in results. */
TEST(longer_structs)
{
	struct {
		struct otprof_open_opts opts;
		uint64_t later[2];
	} in = { 0 };
	struct {
		struct otprof_profile head;
		uint64_t later[2];
	} out;
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *again = NULL;
	uint8_t *bytes = NULL;
	size_t n = 0;

	memset(&out, 0x55, sizeof(out));
	out.head.sz = sizeof(out);
	CHECK_EQ(otprof_profile(p, 0, &out.head, &err), OTPROF_OK);
	CHECK(is(out.head.type, "samples"));
	CHECK_EQ(out.head.sz, sizeof(out));
	CHECK_EQ(out.later[0] | out.later[1], 0);

	otprof_write_memory(p, NULL, &bytes, &n, &err);
	in.opts.sz = sizeof(in);
	CHECK_EQ(otprof_open_memory(bytes, n, &in.opts, &again, &err),
		 OTPROF_OK);
	otprof_free(again);
	again = NULL;
	in.later[1] = 1;
	CHECK_EQ(otprof_open_memory(bytes, n, &in.opts, &again, &err),
		 OTPROF_EUSAGE);
	CHECK(!again && strstr(err.text, "this version knows"));
	otprof_bytes_free(bytes);
	otprof_free(p);
}

TEST(size_that_is_not_set)
{
	struct otprof_filter_opts opts = { 0 };
	struct otprof_profile head = { 0 };
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *part = NULL;

	CHECK_EQ(otprof_profile(p, 0, &head, &err), OTPROF_EUSAGE);
	CHECK(strstr(err.text, "OTPROF_INIT"));
	err = (struct otprof_err){ 0 };
	CHECK_EQ(otprof_filter(p, &opts, &part, &err), OTPROF_EUSAGE);
	CHECK(!part);
	otprof_free(p);
}

/* Elements are as far apart as their own size says. */
TEST(array_of_longer_structs)
{
	struct {
		struct otprof_frame frame;
		uint64_t later;
	} frames[2] = { 0 };
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity id = { 0 };
	struct otprof_frames walk;
	struct otprof_profile head;
	struct otprof_frame f;
	struct otprof *p = NULL;
	uint32_t location, profile;

	OTPROF_INIT(&head);
	OTPROF_INIT(&f);
	frames[0].frame.sz = frames[1].frame.sz = sizeof(frames[0]);
	frames[0].frame.function = otprof_str("inner");
	frames[1].frame.function = otprof_str("outer");
	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	location = otprof_build_location(b, 0, &frames[0].frame, 2);
	id.stack = otprof_build_stack(b, &location, 1);
	profile = otprof_build_profile(
		b,
		otprof_build_scope(b, otprof_build_resource(b, NULL, 0), NULL,
				   NULL, NULL, 0),
		&head);
	otprof_build_add(b, profile, id, 1);
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_OK);
	walk = otprof_location_frames(p, 1);
	CHECK(otprof_frame_next(&walk, &f) && is(f.function, "inner"));
	CHECK(otprof_frame_next(&walk, &f) && is(f.function, "outer"));
	CHECK(!otprof_frame_next(&walk, &f));
	otprof_free(p);
	otprof_builder_free(b);
}

/* --- tables --- */

TEST(columns_and_tables)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err);
	struct otprof_columns c;
	struct otprof_mapping m;
	struct otprof_frame f;
	struct otprof_frames walk;
	struct otprof_ids ids;

	OTPROF_INIT(&c);
	OTPROF_INIT(&m);
	OTPROF_INIT(&f);
	CHECK_EQ(otprof_columns(p, 0, &c, &err), OTPROF_OK);
	CHECK_EQ(c.nr, 1);
	CHECK_EQ(c.value_at[1], 2);
	CHECK_EQ(c.values[1], 5);
	CHECK_EQ(c.time_at[1], 2);
	CHECK_EQ(c.times[0], 1010);
	CHECK_EQ(otprof_nr_rows(p, OTPROF_STACKS), 2);
	CHECK_EQ(otprof_nr_rows(p, OTPROF_LOCATIONS), 2);
	CHECK_EQ(otprof_nr_rows(p, OTPROF_FUNCTIONS), 3);
	CHECK_EQ(otprof_nr_rows(p, OTPROF_LINKS), 2);
	ids = otprof_stack(p, c.stacks[0]);
	CHECK_EQ(ids.n, 1);
	CHECK_EQ(otprof_stack(p, 99).n, 0);
	walk = otprof_location_frames(p, ids.p[0]);
	CHECK(otprof_frame_next(&walk, &f));
	CHECK_EQ(f.location_id, ids.p[0]);
	CHECK(f.function_id && f.mapping_id);
	CHECK_EQ(otprof_mapping(p, f.mapping_id, &m, &err), OTPROF_OK);
	CHECK(is(m.file, "/bin/shop") && is(m.build_id, "abcd") && m.attrs);
	CHECK_EQ(m.limit, 0x9000);
	CHECK_EQ(otprof_mapping(p, 99, &m, &err), OTPROF_EUSAGE);
	err = (struct otprof_err){ 0 };
	CHECK_EQ(otprof_columns(p, 1, &c, &err), OTPROF_OK);
	CHECK(!c.time_at && c.values[0] == 42);
	CHECK_EQ(otprof_columns(p, 2, &c, &err), OTPROF_EUSAGE);
	otprof_free(p);
}

static void count_note(void *ctx, const char *text)
{
	CHECK(text[0]);
	++*(int *)ctx;
}

/* What has a name keeps it; the object that was given is as it was. */
TEST(symbolize)
{
	struct otprof_symbolize_opts opts;
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *named = NULL;

	OTPROF_INIT(&opts);
	opts.root = "/nowhere";
	CHECK_EQ(otprof_symbolize(p, &opts, &named, &err), OTPROF_OK);
	check_small(named);
	check_small(p);
	otprof_free(named);
	otprof_free(p);
}

TEST(notes_of_reading)
{
	struct otprof_open_opts opts;
	struct otprof_err err = { 0 };
	struct otprof *p = NULL;
	int notes = 0;

	OTPROF_INIT(&opts);
	opts.on_note = count_note;
	opts.ctx = &notes;
	opts.threads = 2;
	opts.format = "folded";
	CHECK_EQ(otprof_open_memory("#\n", 2, &opts, &p, &err), OTPROF_OK);
	CHECK_EQ(notes, 1);
	otprof_free(p);
}

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct otprof_err err = { 0 };
		struct otprof *p = small_new(&err), *sum = NULL;
		struct otprof *part = NULL, *change = NULL;
		uint8_t *bytes = NULL;
		size_t n = 0;

		if (p)
			otprof_merge((const struct otprof *const *)&p, 1, &sum,
				     &err);
		if (sum)
			otprof_write_memory(sum, NULL, &bytes, &n, &err);
		if (sum)
			otprof_filter(sum, NULL, &part, &err);
		if (part)
			otprof_diff(p, part, NULL, &change, &err);
		CHECK(!err.code || err.code == OTPROF_ENOMEM);
		CHECK(err.code || (bytes && change));
		otprof_free(change);
		otprof_free(part);
		otprof_bytes_free(bytes);
		otprof_free(sum);
		otprof_free(p);
	}
}

/* The address that a recording's only sample has, with binaries looked for in
 * a root, or nowhere. */
static uint64_t address_in(struct op_view file, const char *root)
{
	struct otprof_open_opts opts;
	struct otprof_err err = { 0 };
	struct otprof_sample sample;
	struct otprof_frames walk;
	struct otprof_frame frame;
	struct otprof *p;

	OTPROF_INIT(&opts);
	OTPROF_INIT(&sample);
	OTPROF_INIT(&frame);
	opts.root = root;
	CHECK_EQ(otprof_open_memory(file.p, file.n, &opts, &p, &err), 0);
	if (err.code)
		return 0;
	CHECK_EQ(otprof_sample(p, 0, 0, &sample, &err), 0);
	walk = otprof_frames(p, sample.stack);
	CHECK(otprof_frame_next(&walk, &frame));
	otprof_free(p);
	return frame.address;
}

/* A file that a recording names is opened only where that is allowed. */
TEST(root)
{
	static const uint8_t code[64];
	static struct elf elf;
	struct folder dir;
	struct perf rec;
	struct op_view file;
	uint32_t text;
	char line[100];

	folder_make(&dir);
	elf_start(&elf, true);
	text = elf_add(&elf, ".text", SHT_PROGBITS, 0x401000,
		       op_view(code, sizeof(code)));
	elf_segment(&elf, PT_LOAD, PF_R | PF_X, 0x401000, text);
	elf_build_id(&elf, op_view("\x0a\x0b\x0c\x0d", 4));
	elf_finish(&elf);
	folder_write(&dir, "x", elf_view(&elf));
	perf_begin(&rec, "file");
	snprintf(line, sizeof(line),
		 "event cpu-clock has=ip+tid+time\n"
		 "mmap 10 0x7000+0x1000@0x%llx /x id=0a0b0c0d @1\n",
		 (unsigned long long)elf.sections[text].sh_offset);
	perf_lines(&rec, line);
	perf_lines(&rec, "sample 10/10 @5 ip=0x7010\n");
	file = perf_end(&rec);
	CHECK_EQ(address_in(file, NULL), elf.sections[text].sh_offset + 0x10);
	CHECK_EQ(address_in(file, "/nowhere"),
		 elf.sections[text].sh_offset + 0x10);
	CHECK_EQ(address_in(file, dir.path), 0x401010);
	perf_free(&rec);
	unlink(folder_path(&dir, "x"));
	folder_remove(&dir);
}

TEST(filter_by_labels)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err), *part = NULL;
	struct otprof_filter_opts o;

	OTPROF_INIT(&o);
	o.where = "type=alloc_space, function=outer";
	CHECK_EQ(otprof_filter(p, &o, &part, &err), OTPROF_OK);
	CHECK_EQ(only_total(part), 42);
	otprof_free(part);
	o.where = "type";
	CHECK_EQ(otprof_filter(p, &o, &part, &err), OTPROF_EUSAGE);
	CHECK(strstr(err.text, "(at byte 4)"));
	otprof_free(p);
}

TEST(top)
{
	struct otprof_err err = { 0 };
	struct otprof *p = small_new(&err);
	struct otprof_top_opts o;
	struct otprof_top_info info;
	struct otprof_top *t = NULL;

	OTPROF_INIT(&o);
	OTPROF_INIT(&info);
	o.type = "alloc_space";
	o.by = "type,function";
	o.by_cum = 1;
	CHECK_EQ(otprof_top_new(p, &o, &t, &err), OTPROF_OK);
	CHECK_EQ(otprof_top_info(t, &info, &err), OTPROF_OK);
	CHECK_EQ(info.total, 42);
	CHECK_EQ(info.nr_labels, 1);
	CHECK(info.nr_rows > 0);
	CHECK_EQ(info.rows[0].cum, 42);
	CHECK_EQ(info.rows[0].labels[0].n, strlen("alloc_space/bytes"));
	otprof_top_free(t);
	o.type = "nope";
	CHECK_EQ(otprof_top_new(p, &o, &t, &err), OTPROF_EFORMAT);
	otprof_top_free(NULL);
	otprof_free(p);
}

TEST_MAIN(build_and_walk, write_and_open, write_file_and_open,
	  normalize_and_merge, filter, filter_by_labels, top, diff, payload,
	  write_what_cannot_be, check, root, wrong_calls, wrong_ids,
	  shorter_structs, longer_structs, size_that_is_not_set,
	  array_of_longer_structs, columns_and_tables, symbolize,
	  notes_of_reading, each_alloc_fails)
