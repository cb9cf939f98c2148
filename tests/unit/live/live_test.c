// SPDX-License-Identifier: Apache-2.0
#include "live/live.h"

#include "fmt/otlp/otlp.h"
#include "model/check.h"
#include "model/semconv.h"
#include "test.h"

enum { START = 1700000000 };
#define SECOND ((uint64_t)1000000000)
#define NOW(s) ((START + (uint64_t)(s)) * SECOND)

static const struct op_live_type types[] = {
	{ .name = "cpu",
	  .unit = "nanoseconds",
	  .period_name = "cpu",
	  .period_unit = "nanoseconds",
	  .period = 10000000 },
	{ .name = "faults", .unit = "count" },
};
static struct op_err err;
static struct op_live live;

static void begin(bool is_aggregate)
{
	struct op_live_opts o = { .types = types,
				  .nr_types = 2,
				  .is_aggregate = is_aggregate,
				  .scope_name = "test",
				  .scope_version = "1" };

	err = (struct op_err){ 0 };
	op_live_init(&live, &o, NOW(0), &err);
}

static uint32_t add_process(int64_t pid, const char *name)
{
	struct op_kv kv[] = {
		{ .key = op_view_z(OP_ATTR_PID),
		  .value = { .kind = OP_ANY_INT, .num = pid } },
		{ .key = op_view_z("service.name"),
		  .value = { .kind = OP_ANY_STRING,
			     .bytes = op_view_z(name) } },
	};

	return op_live_process(&live, &(struct op_kvs){ kv, 2 });
}

static uint32_t add_binary(const char *name)
{
	struct op_live_binary b = {
		.name = op_view_z(name),
		.start = 0x1000,
		.limit = 0x9000,
		.offset = 0x1000,
		.build_id = op_view_z("0123456789abcdef"),
		.htlhash = op_view_z("00112233445566778899aabbccddeeff"),
	};

	return op_live_binary(&live, &b);
}

/* An event of two frames in a binary and one of the kernel. */
static void add_event(uint32_t process, uint32_t binary, uint64_t time)
{
	const struct op_live_frame f[] = {
		{ 0xffff1000, OP_NO_ID, true },
		{ 0x1234, binary, false },
		{ 0x2345, binary, false },
	};
	struct op_event e = { .time_ns = time,
			      .value = 10,
			      .process = process,
			      .tid = 7,
			      .cpu = 1,
			      .thread_name = op_view_z("worker"),
			      .nr_frames = 3,
			      .frames = f };

	op_live_add(&live, &e);
}

/* The text of an attribute of a sample; "" if it has none. */
static const char *text_of(const struct op_model *m, uint32_t set,
			   const char *key)
{
	static char text[100];
	const struct op_attr *a = op_set_find(m, set, key);
	struct op_view v;

	if (!a)
		return "";
	v = op_any_text(m, &a->value);
	if (a->value.kind == OP_ANY_INT)
		snprintf(text, sizeof(text), "%lld", (long long)a->value.num);
	else
		snprintf(text, sizeof(text), "%.*s", (int)v.n,
			 (const char *)v.p);
	return text;
}

/* An attribute of the first resource. */
static const char *resource_text(const struct op_model *m, uint32_t i)
{
	static char text[100];
	struct op_view v = op_any_text(m, &m->resources[0].attrs.p[i].value);

	snprintf(text, sizeof(text), "%.*s", (int)v.n, (const char *)v.p);
	return text;
}

static const struct op_profile *profile(const struct op_model *m, uint32_t r,
					uint32_t p)
{
	return &m->resources[r].scopes[0].profiles[p];
}

/* --- */

/* Rows belong to their window, and so do its times. */
TEST(windows)
{
	struct op_model m;
	uint32_t p, b;

	begin(false);
	p = add_process(42, "shop");
	b = add_binary("/bin/shop");
	for (uint32_t w = 0; w < 3; w++) {
		const struct op_profile *cpu;

		for (uint32_t i = 0; i <= w; i++)
			add_event(p, b, NOW(w) + i);
		CHECK_EQ(op_live_take(&live, NOW(w + 1), &m), OP_OK);
		CHECK_EQ(op_model_unpack(&m, &err), OP_OK);
		CHECK_EQ(m.nr_resources, 1);
		CHECK_EQ(m.resources[0].nr_scopes, 1);
		/* The other type has no events. */
		CHECK_EQ(m.resources[0].scopes[0].nr_profiles, 1);
		cpu = profile(&m, 0, 0);
		CHECK_EQ(cpu->time_ns, NOW(w));
		CHECK_EQ(cpu->duration_ns, SECOND);
		CHECK_EQ(cpu->period, 10000000);
		CHECK_EQ(cpu->nr_samples, 1);
		CHECK_EQ(op_profile_total(cpu), 10 * (w + 1));
		CHECK_EQ(op_profile_observations(cpu), w + 1);
		CHECK_EQ(op_sample_times(cpu, 0).p[w], NOW(w) + w);
		CHECK_EQ(m.dict.nr[OP_MAPPINGS], 2);
		CHECK_EQ(m.dict.nr[OP_LOCATIONS], 4);
		CHECK_EQ(m.dict.nr[OP_STACKS], 2);
		op_model_free(&m);
	}
	CHECK_EQ(op_live_take(&live, NOW(9), &m), OP_OK);
	CHECK_EQ(m.nr_resources, 0);
	op_model_free(&m);
	op_live_fini(&live);
}

TEST(frames)
{
	const struct op_location *l;
	const struct op_mapping *map;
	struct op_model m;
	struct op_ids ids;

	begin(false);
	add_event(add_process(42, "shop"), add_binary("/bin/shop"), NOW(0));
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	ids = op_list(&m.dict.stacks, profile(&m, 0, 0)->stack[0]);
	CHECK_EQ(ids.n, 3);
	l = &m.dict.locations[ids.p[0]];
	CHECK_EQ(l->address, 0xffff1000);
	CHECK_EQ(l->mapping, 0);
	CHECK_STR(text_of(&m, l->attrs, OP_ATTR_FRAME_TYPE), "kernel");
	l = &m.dict.locations[ids.p[2]];
	CHECK_EQ(l->address, 0x2345);
	CHECK_STR(text_of(&m, l->attrs, OP_ATTR_FRAME_TYPE), "native");
	map = &m.dict.mappings[l->mapping];
	CHECK(op_view_is(op_string(&m, map->filename), "/bin/shop"));
	CHECK_EQ(map->start, 0x1000);
	CHECK_EQ(map->limit, 0x9000);
	CHECK_EQ(map->offset, 0x1000);
	CHECK_STR(text_of(&m, map->attrs, OP_ATTR_BUILD_ID_GNU),
		  "0123456789abcdef");
	CHECK_STR(text_of(&m, map->attrs, OP_ATTR_BUILD_ID_HTLHASH),
		  "00112233445566778899aabbccddeeff");
	op_model_free(&m);
	op_live_fini(&live);
}

TEST(aggregate)
{
	const struct op_profile *cpu;
	struct op_model m;
	uint32_t p, b;

	begin(true);
	p = add_process(42, "shop");
	b = add_binary("/bin/shop");
	for (uint32_t i = 0; i < 100; i++)
		add_event(p, b, NOW(0) + i);
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	CHECK_EQ(op_model_unpack(&m, &err), OP_OK);
	cpu = profile(&m, 0, 0);
	CHECK_EQ(cpu->nr_samples, 1);
	CHECK_EQ(op_sample_times(cpu, 0).n, 0);
	CHECK_EQ(op_sample_values(cpu, 0).n, 1);
	CHECK_EQ(op_sample_values(cpu, 0).p[0], 1000);
	op_model_free(&m);
	op_live_fini(&live);
}

/* What an event says of its thread, each a sample of its own. */
TEST(threads)
{
	static const uint8_t trace[16] = { 1, 2, 3 }, span[8] = { 4, 5 };
	struct op_event e = {
		.time_ns = NOW(0), .value = 1, .tid = 7, .cpu = OP_NO_ID
	};
	const struct op_profile *p;
	const struct op_link *link;
	struct op_model m;

	begin(false);
	e.process = add_process(42, "shop");
	op_live_add(&live, &e);
	e.tid = 8;
	e.cpu = 0;
	e.thread_name = op_view_z("worker");
	e.state = "running";
	op_live_add(&live, &e);
	e.quality = "the stack ends early";
	op_live_add(&live, &e);
	e.has_link = true;
	memcpy(e.trace_id, trace, sizeof(trace));
	memcpy(e.span_id, span, sizeof(span));
	op_live_add(&live, &e);
	op_live_add(&live, &e);
	e.type = 1;
	op_live_add(&live, &e);
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	CHECK_EQ(op_model_unpack(&m, &err), OP_OK);
	p = profile(&m, 0, 0);
	CHECK_EQ(p->nr_samples, 4);
	CHECK_STR(text_of(&m, p->set[0], OP_ATTR_THREAD_ID), "7");
	CHECK_STR(text_of(&m, p->set[0], OP_ATTR_THREAD_NAME), "");
	CHECK_STR(text_of(&m, p->set[0], OP_ATTR_THREAD_STATE), "");
	CHECK_STR(text_of(&m, p->set[0], "cpu.logical_number"), "");
	CHECK_STR(text_of(&m, p->set[1], OP_ATTR_THREAD_NAME), "worker");
	CHECK_STR(text_of(&m, p->set[1], OP_ATTR_THREAD_STATE), "running");
	CHECK_STR(text_of(&m, p->set[1], "cpu.logical_number"), "0");
	CHECK_STR(text_of(&m, p->set[1], "otprof.stack.end"), "");
	CHECK_STR(text_of(&m, p->set[2], "otprof.stack.end"),
		  "the stack ends early");
	CHECK_EQ(p->link[2], 0);
	CHECK_EQ(m.dict.nr[OP_LINKS], 2);
	link = &m.dict.links[p->link[3]];
	CHECK_EQ(link->trace_len, 16);
	CHECK_EQ(link->span_len, 8);
	CHECK(!memcmp(link->trace_id, trace, 16));
	CHECK(!memcmp(link->span_id, span, 8));
	CHECK_EQ(op_sample_times(p, 3).n, 2);
	p = profile(&m, 0, 1);
	CHECK_EQ(p->nr_samples, 1);
	CHECK_STR(text_of(&m, p->set[0], OP_ATTR_THREAD_ID), "8");
	op_model_free(&m);
	op_live_fini(&live);
}

/* Each process has its resource, as it is in the end; those without events
 * none. */
TEST(processes)
{
	struct op_kv kv = { .key = op_view_z("service.name"),
			    .value = { .kind = OP_ANY_STRING,
				       .bytes = op_view_z("renamed") } };
	struct op_model m;
	uint32_t p[3], b;

	begin(false);
	for (uint32_t i = 0; i < 3; i++)
		p[i] = add_process(i, i ? "more" : "shop");
	b = add_binary("/bin/shop");
	add_event(p[2], b, NOW(0));
	add_event(p[0], b, NOW(0));
	add_event(p[2], b, NOW(0) + 1);
	op_live_process_attrs(&live, p[2], &(struct op_kvs){ &kv, 1 });
	op_live_process_attrs(&live, p[1], &(struct op_kvs){ 0 });
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	CHECK_EQ(m.nr_resources, 2);
	CHECK_EQ(m.resources[0].attrs.n, 1);
	CHECK_STR(resource_text(&m, 0), "renamed");
	CHECK_EQ(m.resources[1].attrs.n, 2);
	CHECK_EQ(m.resources[1].attrs.p[0].value.num, 0);
	CHECK_EQ(m.dict.nr[OP_MAPPINGS], 2);
	op_model_free(&m);
	add_event(p[2], b, NOW(1));
	CHECK_EQ(op_live_take(&live, NOW(2), &m), OP_OK);
	CHECK_EQ(m.nr_resources, 1);
	CHECK_EQ(m.resources[0].attrs.n, 1);
	CHECK_STR(resource_text(&m, 0), "renamed");
	op_model_free(&m);
	op_live_fini(&live);
}

/* What is dropped stays for its window, and its row is used again. */
TEST(reuse)
{
	struct op_model m, next;
	uint32_t p, b;

	begin(false);
	p = add_process(1, "first");
	b = add_binary("/bin/first");
	add_event(p, b, NOW(0));
	op_live_process_drop(&live, p);
	op_live_binary_drop(&live, b);
	CHECK(add_process(2, "second") != p);
	CHECK(add_binary("/bin/second") != b);
	add_event(p, b, NOW(0) + 1);
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	CHECK_EQ(op_live_take(&live, NOW(2), &next), OP_OK);
	op_model_free(&next);
	CHECK_EQ(add_process(3, "third"), p);
	CHECK_EQ(add_binary("/bin/third"), b);
	CHECK(add_process(4, "fourth") != p);
	add_event(p, b, NOW(2));
	CHECK_EQ(op_live_take(&live, NOW(3), &next), OP_OK);
	/* The first window does not know. */
	CHECK_STR(resource_text(&m, 1), "first");
	CHECK(op_view_is(op_string(&m, m.dict.mappings[1].filename),
			 "/bin/first"));
	CHECK_STR(resource_text(&next, 1), "third");
	CHECK(op_view_is(op_string(&next, next.dict.mappings[1].filename),
			 "/bin/third"));
	op_model_free(&m);
	op_model_free(&next);
	op_live_fini(&live);
}

/* Processes come and go; memory stays as it is after the first windows. */
TEST(flat)
{
	enum { WINDOWS = 10000, SETTLED = 10 };
	size_t used = 0;

	begin(false);
	for (uint32_t w = 0; w < WINDOWS; w++) {
		struct op_model m;
		uint32_t p[3], b = add_binary("/bin/short");

		for (uint32_t i = 0; i < 3; i++) {
			p[i] = add_process(w + i, "short");
			add_event(p[i], b, NOW(w));
		}
		for (uint32_t i = 0; i < 3; i++)
			op_live_process_drop(&live, p[i]);
		op_live_binary_drop(&live, b);
		CHECK_EQ(op_live_take(&live, NOW(w + 1), &m), OP_OK);
		CHECK_EQ(m.nr_resources, 3);
		op_model_free(&m);
		if (w == SETTLED)
			used = live.mem.used;
	}
	CHECK_EQ(live.mem.used, used);
	CHECK_EQ(live.processes.n, 3);
	CHECK_EQ(live.binaries.n, 1);
	CHECK_EQ(err.code, OP_OK);
	op_live_fini(&live);
}

/* Events that are seen late, or just as the window ends, are within its time.
 */
TEST(late_events)
{
	struct op_model m;
	uint32_t p, b;

	begin(false);
	p = add_process(1, "one");
	b = add_binary("/bin/one");
	add_event(p, b, NOW(0) - 5);
	add_event(p, b, NOW(1));
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	CHECK_EQ(profile(&m, 0, 0)->time_ns, NOW(0) - 5);
	CHECK_EQ(op_profile_end(profile(&m, 0, 0)), NOW(1) + 1);
	op_model_free(&m);
	add_event(p, b, NOW(1) + 1);
	CHECK_EQ(op_live_take(&live, NOW(2), &m), OP_OK);
	CHECK_EQ(profile(&m, 0, 0)->time_ns, NOW(1));
	CHECK_EQ(profile(&m, 0, 0)->duration_ns, SECOND);
	op_model_free(&m);
	op_live_fini(&live);
}

static void finding(void *ctx, const struct op_finding *f)
{
	(void)ctx;
	TEST_FAIL("%.90s: %.90s", f->path, f->text);
}

static const struct op_attr *attr_of(const struct op_model *m, uint32_t type,
				     const char *key)
{
	const struct op_scope *s = &m->resources[0].scopes[0];

	return op_set_find(m, s->profiles[type].attrs, key);
}

/* Only what has events has a profile, and the next window begins anew. */
TEST(profile_attributes)
{
	struct op_model m;
	uint32_t p, b;

	begin(false);
	p = add_process(1, "one");
	b = add_binary("/bin/shop");
	op_live_profile_attr(&live, p, 0, "early", 1);
	add_event(p, b, NOW(0));
	op_live_profile_attr(&live, p, 0, "a", 5);
	op_live_profile_attr(&live, p, 0, "b", -6);
	op_live_profile_attr(&live, p, 1, "c", 7);
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	CHECK_EQ(m.resources[0].scopes[0].nr_profiles, 1);
	CHECK(!attr_of(&m, 0, "early") && !attr_of(&m, 0, "c"));
	CHECK_EQ(attr_of(&m, 0, "a")->value.num, 5);
	CHECK_EQ(attr_of(&m, 0, "b")->value.num, -6);
	op_model_free(&m);
	add_event(p, b, NOW(1));
	CHECK_EQ(op_live_take(&live, NOW(2), &m), OP_OK);
	CHECK(!attr_of(&m, 0, "a"));
	op_model_free(&m);
	op_live_fini(&live);
}

/* As written and read, a window breaks no rule. */
TEST(conforms)
{
	struct op_check_opts strict = { .strict = true };
	struct op_check_result found = { 0 };
	struct op_otlp_opts unchecked = { .unchecked = true };
	struct op_pbw w = { .err = &err };
	struct op_model m, back = { 0 };
	uint32_t b;

	begin(false);
	b = add_binary("/bin/shop");
	add_event(add_process(1, "one"), b, NOW(0));
	add_event(add_process(2, "two"), b, NOW(0));
	CHECK_EQ(op_live_take(&live, NOW(1), &m), OP_OK);
	CHECK_EQ(op_otlp_encode(&m, &w), OP_OK);
	CHECK_EQ(op_otlp_decode(&back, op_pbw_result(&w), &unchecked, &err),
		 OP_OK);
	CHECK_EQ(op_check(&back, &strict, finding, NULL, &found, &err), OP_OK);
	CHECK_EQ(found.nr_errors + found.nr_warnings, 0);
	op_model_free(&back);
	op_pbw_free(&w);
	op_model_free(&m);
	op_live_fini(&live);
}

/* After a failure all calls are allowed and do nothing. */
TEST(no_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_model m;
		uint32_t p[2], b;
		int code;

		begin(k % 2);
		p[0] = add_process(1, "one");
		p[1] = add_process(2, "two");
		b = add_binary("/bin/shop");
		for (uint32_t w = 0; w < 2; w++) {
			add_event(p[0], b, NOW(w));
			add_event(p[1], b, NOW(w));
			op_live_process_attrs(&live, p[1],
					      &(struct op_kvs){ 0 });
			op_live_profile_attr(&live, p[1], 0, "a", 1);
			op_live_process_drop(&live, p[0]);
			op_live_binary_drop(&live, b);
			code = op_live_take(&live, NOW(w + 1), &m);
			CHECK_EQ(code, err.code);
			CHECK_EQ(code ? 0 : 2, m.nr_resources);
			op_model_free(&m);
			p[0] = add_process(3, "three");
			b = add_binary("/bin/more");
		}
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_live_fini(&live);
	}
}

TEST_MAIN(windows, frames, aggregate, threads, processes, reuse, flat,
	  late_events, profile_attributes, conforms, no_memory)
