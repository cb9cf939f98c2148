// SPDX-License-Identifier: Apache-2.0
/* examples/build_profile.c: makes a profile and writes it to a file.
 *
 *	build_profile OUT.otlp
 *
 * A shop's server, sampled at 100 Hz for ten seconds: a CPU profile of single
 * samples with their times, threads and requests, and an allocation profile
 * of totals. */
#include <otprof.h>

#include <stdio.h>
#include <string.h>

enum { HZ = 100, SECONDS = 10 };

static const uint64_t start_ns = 1767225600000000000u; /* 2026-01-01 */

/* The call stacks of the shop, leaf first, and how often each is seen. */
static const struct {
	const char *frames[6];
	int weight;
	int64_t bytes;
} stacks[] = {
	{ { "memcpy", "render_page", "handle_request", "serve", "main" },
	  30,
	  4096 },
	{ { "parse_price", "load_cart", "handle_request", "serve", "main" },
	  25,
	  512 },
	{ { "sqlite3_step", "query_stock", "handle_request", "serve", "main" },
	  35,
	  0 },
	{ { "malloc", "load_cart", "handle_request", "serve", "main" },
	  8,
	  65536 },
	{ { "epoll_wait", "serve", "main" }, 2, 0 },
};

enum { NR_STACKS = sizeof(stacks) / sizeof(stacks[0]) };

static uint32_t build_stack(struct otprof_builder *b, uint32_t mapping, int i)
{
	uint32_t locations[6];
	uint32_t n = 0;

	for (; n < 6 && stacks[i].frames[n]; n++) {
		struct otprof_frame frame;

		OTPROF_INIT(&frame);
		frame.function = otprof_str(stacks[i].frames[n]);
		frame.file = otprof_str("shop.c");
		frame.line = (int64_t)(strlen(stacks[i].frames[n]) * 10 + n);
		frame.address = 0x1000u + (uint64_t)frame.line * 16;
		locations[n] = otprof_build_location(b, mapping, &frame, 1);
	}
	return otprof_build_stack(b, locations, n);
}

static uint32_t build_thread(struct otprof_builder *b, int thread)
{
	struct otprof_attr attrs[2] = { 0 };
	char name[32];

	snprintf(name, sizeof(name), "worker-%d", thread);
	attrs[0].key = otprof_str("thread.id");
	attrs[0].value = otprof_int(1000 + thread);
	attrs[1].key = otprof_str("thread.name");
	attrs[1].value = otprof_string(name);
	return otprof_build_attrs(b, attrs, 2);
}

/* Requests are traced: each has a trace and a span. */
static uint32_t build_link(struct otprof_builder *b, int request)
{
	uint8_t trace_id[16] = { 0xab }, span_id[8] = { 0xcd };

	trace_id[15] = (uint8_t)(request + 1);
	span_id[7] = (uint8_t)(request + 1);
	return otprof_build_link(b, trace_id, span_id);
}

static void build_cpu(struct otprof_builder *b, uint32_t scope,
		      const uint32_t *stack)
{
	struct otprof_profile head;
	uint32_t profile;
	int i;

	OTPROF_INIT(&head);
	head.type = otprof_str("samples");
	head.unit = otprof_str("count");
	head.period_type = otprof_str("cpu");
	head.period_unit = otprof_str("nanoseconds");
	head.period = 1000000000 / HZ;
	head.time_unix_nano = start_ns;
	head.duration_nano = SECONDS * 1000000000ull;
	profile = otprof_build_profile(b, scope, &head);
	for (i = 0; i < HZ * SECONDS; i++) {
		struct otprof_identity id = { 0, 0, 0 };
		int at = i * 37 % 100; /* walks through all weights */
		int s = 0;

		while (at >= stacks[s].weight)
			at -= stacks[s++].weight;
		id.stack = stack[s];
		id.attrs = build_thread(b, i % 4);
		if (s < 4)
			id.link = build_link(b, i / 50);
		otprof_build_observe(b, profile, id, 1,
				     start_ns + (uint64_t)i * 10000000u);
	}
}

static void build_alloc(struct otprof_builder *b, uint32_t scope,
			const uint32_t *stack)
{
	struct otprof_profile head;
	uint32_t profile;
	int i;

	OTPROF_INIT(&head);
	head.type = otprof_str("alloc_space");
	head.unit = otprof_str("bytes");
	head.time_unix_nano = start_ns;
	head.duration_nano = SECONDS * 1000000000ull;
	profile = otprof_build_profile(b, scope, &head);
	for (i = 0; i < NR_STACKS; i++) {
		struct otprof_identity id = { 0, 0, 0 };

		id.stack = stack[i];
		if (stacks[i].bytes)
			otprof_build_add(b, profile, id,
					 stacks[i].bytes * stacks[i].weight);
	}
}

static void build(struct otprof_builder *b)
{
	struct otprof_attr service = { 0 };
	struct otprof_mapping binary;
	uint32_t stack[NR_STACKS];
	uint32_t resource, scope, mapping;
	int i;

	service.key = otprof_str("service.name");
	service.value = otprof_string("shop");
	resource = otprof_build_resource(b, &service, 1);
	scope = otprof_build_scope(b, resource, "example", "1.0", NULL, 0);
	OTPROF_INIT(&binary);
	binary.file = otprof_str("/usr/bin/shop");
	binary.start = 0x400000;
	binary.limit = 0x500000;
	binary.build_id = otprof_str(
		"0123456789abcdef0123456789abcdef01234567");
	mapping = otprof_build_mapping(b, &binary);
	for (i = 0; i < NR_STACKS; i++)
		stack[i] = build_stack(b, mapping, i);
	build_cpu(b, scope, stack);
	build_alloc(b, scope, stack);
}

int main(int argc, char **argv)
{
	struct otprof_builder *b;
	struct otprof *p = NULL;
	struct otprof_err err = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: build_profile OUT.otlp\n");
		return 2;
	}
	if (!otprof_builder_new(0, &b, &err)) {
		build(b);
		if (!otprof_builder_take(b, &p, &err))
			otprof_write_file(p, argv[1], NULL, &err);
		otprof_builder_free(b);
	}
	otprof_free(p);
	if (err.code)
		fprintf(stderr, "build_profile: %s\n", err.text);
	return err.code ? 1 : 0;
}
