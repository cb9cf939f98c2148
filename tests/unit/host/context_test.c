// SPDX-License-Identifier: Apache-2.0
#include "host/context.h"

#include "context_fixture.h"
#include "proc_tree.h"

static struct op_err err, no_memory;
static struct op_arena mem;
static struct op_proc proc;
static struct op_context ctx;

static int read_pid(uint32_t pid)
{
	op_arena_free(&mem);
	err = no_memory = (struct op_err){ 0 };
	mem.err = &no_memory;
	ctx = (struct op_context){ 0 };
	return op_context_read(&proc, pid, &mem, &ctx, &err);
}

static const struct op_any *find(const char *key)
{
	for (uint32_t i = 0; i < ctx.resource.n; i++)
		if (op_view_is(ctx.resource.p[i].key, key))
			return &ctx.resource.p[i].value;
	return NULL;
}

static bool is(const char *key, const char *text)
{
	const struct op_any *v = find(key);

	return v && v->kind == OP_ANY_STRING && op_view_is(v->bytes, text);
}

/* --- a process that publishes --- */

#define NAME(s) "1{1'service.name' 2{1'" s "'}}"
#define KEYS(s)                                            \
	"2{1'threadlocal.attribute_key_map' 2{5{" s "}}} " \
	"2{1'threadlocal.schema_version' 2{1'tlsdesc_v1_dev'}}"

enum { PUBLISH, UPDATE, TEAR, REPAIR, FORK, FLIP };

static uint64_t publisher(int step)
{
	pid_t pid;

	switch (step) {
	case PUBLISH:
		context_publish("1{" NAME("shop") "} " KEYS("1{1'user'}"));
		break;
	case UPDATE:
		wire_set(&context_payloads[1],
			 "1{" NAME("a longer name") "} " KEYS(
				 "1{1'user'} 1{1'http.route'}"));
		context_put(1, 2);
		context_name();
		break;
	case TEAR:
		context_here->published_ns = 0;
		break;
	case REPAIR:
		context_here->published_ns = 3;
		break;
	case FORK:
		pid = fork();
		if (!pid)
			for (;;)
				pause();
		return (uint64_t)pid;
	case FLIP:
		for (uint64_t i = 4;; i++) {
			context_put(i & 1, i);
			for (volatile int wait = 0; wait < 5000; wait++)
				;
		}
	}
	return 0;
}

TEST(publish_and_update)
{
	struct child c = child_begin(publisher);
	uint32_t pid = (uint32_t)c.pid;

	proc = (struct op_proc){ 0 };
	CHECK_EQ(read_pid(pid), 0);
	CHECK_EQ(ctx.published_ns, 0);
	child_do(&c, PUBLISH);
	CHECK_EQ(read_pid(pid), 0);
	CHECK_STR(err.text, "");
	CHECK_EQ(ctx.published_ns, 1);
	CHECK(is("service.name", "shop"));
	CHECK(op_view_is(ctx.schema_version, "tlsdesc_v1_dev"));
	CHECK_EQ(ctx.nr_keys, 1);
	CHECK(ctx.nr_keys && op_view_is(ctx.keys[0], "user"));
	child_do(&c, UPDATE);
	/* By the file of its memory. */
	proc.root = "/proc";
	CHECK_EQ(read_pid(pid), 0);
	CHECK_EQ(ctx.published_ns, 2);
	CHECK(is("service.name", "a longer name"));
	CHECK_EQ(ctx.nr_keys, 2);
	CHECK(ctx.nr_keys == 2 && op_view_is(ctx.keys[1], "http.route"));
	child_end(&c);
	CHECK_EQ(read_pid(pid), OP_EIO);
	op_arena_free(&mem);
}

/* A writer that stops in the middle of an update. */
TEST(torn)
{
	struct child c = child_begin(publisher);
	char want[80];

	proc = (struct op_proc){ 0 };
	child_do(&c, PUBLISH);
	child_do(&c, TEAR);
	CHECK_EQ(read_pid((uint32_t)c.pid), OP_EIO);
	snprintf(want, sizeof(want), "process context of %d: being updated",
		 c.pid);
	CHECK_STR(err.text, want);
	CHECK_EQ(ctx.published_ns, 0);
	child_do(&c, REPAIR);
	CHECK_EQ(read_pid((uint32_t)c.pid), 0);
	CHECK_EQ(ctx.published_ns, 3);
	child_end(&c);
	op_arena_free(&mem);
}

/* One that never stops updating: what is read is one or the other. */
TEST(always_updating)
{
	enum { ROUNDS = 300 };
	struct child c = child_begin(publisher);
	unsigned int nr_read = 0;

	proc = (struct op_proc){ 0 };
	child_do(&c, PUBLISH);
	child_do(&c, UPDATE);
	child_tell(&c, FLIP);
	for (int i = 0; i < ROUNDS; i++) {
		int code = read_pid((uint32_t)c.pid);
		bool is_new = ctx.published_ns == 2 || ctx.published_ns & 1;

		CHECK(!code || code == OP_EIO);
		if (code)
			continue;
		nr_read++;
		CHECK(is("service.name", is_new ? "a longer name" : "shop"));
		CHECK_EQ(ctx.nr_keys, is_new ? 2 : 1);
	}
	CHECK(nr_read > 0);
	child_end(&c);
	op_arena_free(&mem);
}

/* The child of a process has no context of its own yet. */
TEST(fork_without_context)
{
	struct child c = child_begin(publisher);
	pid_t pid;

	proc = (struct op_proc){ 0 };
	child_do(&c, PUBLISH);
	pid = (pid_t)child_do(&c, FORK);
	CHECK(pid > 0);
	CHECK_EQ(read_pid((uint32_t)pid), 0);
	CHECK_EQ(ctx.published_ns, 0);
	if (pid > 0)
		kill(pid, SIGKILL);
	child_end(&c);
	op_arena_free(&mem);
}

TEST(resource)
{
	struct child c;
	struct op_resource_opts opts = { .context = op_context_resource,
					 .arg = &proc };
	struct op_resource_attrs attrs = { .mem = &mem };
	bool has_name = false;

	if (getenv("OTEL_SERVICE_NAME") || getenv("OTEL_RESOURCE_ATTRIBUTES"))
		TEST_SKIP("the environment names a service");
	c = child_begin(publisher);
	proc = (struct op_proc){ 0 };
	mem.err = &no_memory;
	child_do(&c, PUBLISH);
	CHECK_EQ(op_resource_read(&proc, (uint32_t)c.pid, &opts, &attrs), 0);
	for (size_t i = 0; i < attrs.kvs.n; i++) {
		const struct op_kv *kv = &attrs.kvs.p[i];

		if (op_view_is(kv->key, "service.name"))
			has_name = op_view_is(kv->value.bytes, "shop");
	}
	CHECK(has_name);
	child_end(&c);
	op_arena_free(&mem);
}

/* --- made-up processes --- */

enum { HEAD_AT = 0x1000, PAYLOAD_AT = 0x2000, MEM_BYTES = 0x13000 };

static const char one_map[] =
	"00001000-00002000 rw-p 00000000 00:01 9 /memfd:OTEL_CTX (deleted)\n";
static uint8_t memory[MEM_BYTES];

static void begin(const char *maps)
{
	struct context_header h = { .signature = "OTEL_CT",
				    .version = 2,
				    .published_ns = 7,
				    .payload = PAYLOAD_AT };

	folder_make(&tree);
	proc = (struct op_proc){ .root = tree.path };
	h.signature[7] = 'X';
	memset(memory, 0, sizeof(memory));
	memcpy(memory + HEAD_AT, &h, sizeof(h));
	tree_text("5/maps", maps);
}

static void payload_put(const char *text)
{
	static struct wire w;
	struct context_header *h = (void *)(memory + HEAD_AT);

	wire_set(&w, text);
	memcpy(memory + PAYLOAD_AT, w.p, w.n);
	h->payload_bytes = (uint32_t)w.n;
	tree_put("5/mem", memory, sizeof(memory));
}

static void end(void)
{
	op_arena_free(&mem);
	tree_end();
}

TEST(names)
{
	static const struct {
		const char *name;
		bool is_context;
	} rows[] = {
		{ "/memfd:OTEL_CTX (deleted)", true },
		{ "/memfd:OTEL_CTX", true },
		{ "[anon:OTEL_CTX]", true },
		{ "[anon_shmem:OTEL_CTX]", true },
		{ "", false },
		{ "OTEL_CTX", false },
		{ "[anon:OTEL_CT", false },
		{ "/tmp/memfd:OTEL_CTX", false },
		{ "[anon:OTEL_CTX2]", false },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_context_is_name(op_view_z(rows[i].name)) !=
		    rows[i].is_context)
			TEST_FAIL("row %zu", i);
}

TEST(values)
{
	const struct op_any *v;

	begin(one_map);
	payload_put(
		"9:1 1{1{1'b' 2{2:1}} 1{1'i' 2{3:-5}} 1{1'd' 2{4@0}}"
		"1{1'x' 2{7#ff00}} 1{1'n'} 1{1'bad' 2{1#ff}}"
		"1{1'a' 2{5{1{1'p'} 1{3:2} 2:1}}}"
		"1{1'l' 2{6{1{1'k' 2{1'v'}}}}} 2:1}"
		"2{1'other' 2{1'x'}} 2{1'threadlocal.schema_version' 2{3:1}}"
		"2{1'threadlocal.attribute_key_map' 2{5{1{1'p'} 1{3:2} "
		"1{1'q'}}}}");
	CHECK_EQ(read_pid(5), 0);
	CHECK_STR(err.text, "");
	CHECK_EQ(ctx.published_ns, 7);
	CHECK_EQ(ctx.at, HEAD_AT);
	CHECK_EQ(ctx.resource.n, 8);
	CHECK((v = find("b")) && v->kind == OP_ANY_BOOL && v->flag);
	CHECK((v = find("i")) && v->kind == OP_ANY_INT && v->num == -5);
	CHECK((v = find("d")) && v->kind == OP_ANY_DOUBLE && v->real == 0);
	CHECK((v = find("x")) && v->kind == OP_ANY_BYTES && v->bytes.n == 2);
	CHECK((v = find("n")) && v->kind == OP_ANY_NONE);
	CHECK(is("bad", "\xef\xbf\xbd"));
	CHECK((v = find("a")) && v->kind == OP_ANY_ARRAY && v->n == 2 &&
	      v->array[1].num == 2);
	CHECK((v = find("l")) && v->kind == OP_ANY_KVLIST && v->n == 1 &&
	      op_view_is(v->kvlist[0].value.bytes, "v"));
	CHECK_EQ(ctx.schema_version.n, 0);
	CHECK_EQ(ctx.nr_keys, 3);
	CHECK(ctx.nr_keys == 3 && !ctx.keys[1].n &&
	      op_view_is(ctx.keys[2], "q"));
	end();
}

/* Numbers and such stay what they are. */
TEST(resource_values)
{
	struct op_resource_attrs attrs = { .mem = &mem };

	begin(one_map);
	payload_put("1{1{1'i' 2{3:4}} 1{1'n'} 1{2{1'no key'}} 1{1'i' 2{3:5}}"
		    "1{1't' 2{1'x'}} 1{1'e' 2{1''}}}");
	mem.err = &no_memory;
	op_context_resource(&proc, 5, &attrs);
	CHECK_EQ(attrs.kvs.n, 2);
	CHECK(attrs.kvs.n == 2 && attrs.kvs.p[0].value.num == 4 &&
	      op_view_is(attrs.kvs.p[1].value.bytes, "x"));
	/* Nothing where there is no process. */
	op_context_resource(&proc, 6, &attrs);
	CHECK_EQ(attrs.kvs.n, 2);
	CHECK_EQ(no_memory.code, 0);
	end();
}

static void head_set(size_t at, uint64_t v, size_t n)
{
	memcpy(memory + HEAD_AT + at, &v, n);
	tree_put("5/mem", memory, sizeof(memory));
}

TEST(bad_headers)
{
	static const struct {
		uint32_t at, bytes;
		uint64_t value;
		int code;
		const char *text;
	} rows[] = {
		{ 0, 1, 'o', OP_EFORMAT, "no signature" },
		{ 8, 4, 1, OP_EFORMAT, "version 1, not 2" },
		{ 12, 4, 0, OP_EFORMAT, "empty" },
		{ 12, 4, 65537, OP_ELIMIT, "65537 bytes, more than 65536" },
		{ 12, 4, UINT32_MAX, OP_ELIMIT,
		  "4294967295 bytes, more than 65536" },
		{ 16, 8, 0, OP_EIO, "being updated" },
		{ 24, 8, 0x12ffd, OP_EFORMAT, "payload is not in memory" },
		{ 24, 8, UINT64_MAX - 1, OP_EFORMAT,
		  "payload is not in memory" },
		{ 24, 8, 1ull << 63, OP_EFORMAT, "payload is not in memory" },
	};
	char want[120];

	for (size_t i = 0; i < op_countof(rows); i++) {
		begin(one_map);
		payload_put("1{" NAME("x") "}");
		head_set(rows[i].at, rows[i].value, rows[i].bytes);
		CHECK_EQ(read_pid(5), rows[i].code);
		snprintf(want, sizeof(want), "process context of 5: %s",
			 rows[i].text);
		CHECK_STR(err.text, want);
		CHECK_EQ(ctx.published_ns, 0);
		end();
	}
}

TEST(bad_payloads)
{
	static const struct {
		const char *text;
		int code;
	} rows[] = {
		{ "=ff", OP_EFORMAT },
		{ "=0a05", OP_EFORMAT },
		{ "1{=0a7f}", OP_EFORMAT },
		{ "2{1'a' =127f}", OP_EFORMAT },
		{ "1{1{2{5{=0b}}}}", OP_EFORMAT },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		begin(one_map);
		payload_put(rows[i].text);
		CHECK_EQ(read_pid(5), rows[i].code);
		CHECK(err.has_at);
		end();
	}
}

/* begin, n times more, and what closes both. */
static void payload_fill(const char *begin, const char *more, int n)
{
	static char text[32 << 10];
	size_t at = (size_t)snprintf(text, sizeof(text), "%s", begin);
	int depth = 0;

	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s",
				       more);
	for (size_t i = 0; i < at; i++)
		depth += (text[i] == '{') - (text[i] == '}');
	memset(text + at, '}', (size_t)depth);
	text[at + (size_t)depth] = 0;
	payload_put(text);
}

TEST(limits)
{
	begin(one_map);
	payload_fill("1{", "1{1'a'} ", OP_CONTEXT_MAX_ATTRS);
	CHECK_EQ(read_pid(5), 0);
	CHECK_EQ(ctx.resource.n, OP_CONTEXT_MAX_ATTRS);
	payload_fill("1{", "1{1'a'} ", OP_CONTEXT_MAX_ATTRS + 1);
	CHECK_EQ(read_pid(5), OP_ELIMIT);
	CHECK_STR(err.text, "more than 1024 resource attributes");
	payload_fill("2{1'threadlocal.attribute_key_map' 2{5{", "1{1'a'} ",
		     300);
	CHECK_EQ(read_pid(5), 0);
	CHECK_EQ(ctx.nr_keys, OP_CONTEXT_MAX_KEYS);
	payload_fill("1{1{2{", "5{1{", 15);
	CHECK_EQ(read_pid(5), 0);
	payload_fill("1{1{2{", "5{1{", 16);
	CHECK_EQ(read_pid(5), OP_ELIMIT);
	CHECK_STR(err.text, "values nest more than 16 deep");
	end();
}

/* Others may have the name: the first that is valid counts. */
TEST(places)
{
	begin("00000000-00001000 rw-p 0 00:01 9 /memfd:OTEL_CTX_OTHER\n"
	      "00001000-00002000 r-xp 0 00:01 9 /memfd:OTEL_CTX\n"
	      "00003000-00004000 ---p 0 00:01 9 /memfd:OTEL_CTX\n");
	payload_put("1{" NAME("x") "}");
	CHECK_EQ(read_pid(5), OP_EIO);
	CHECK_EQ(ctx.published_ns, 0);
	tree_text("5/maps", "00000000-00001000 rw-p 0 00:01 9 "
			    "/memfd:OTEL_CTX_OTHER\n"
			    "00001000-00002000 rw-p 0 0:0 0 [anon:OTEL_CTX]\n");
	CHECK_EQ(read_pid(5), 0);
	CHECK(is("service.name", "x"));
	tree_text("5/maps", "00001000-00002000 r-xp 0 0:0 0 [anon:OTEL_CTX]\n"
			    "no line\n");
	CHECK_EQ(read_pid(5), 0);
	CHECK_EQ(ctx.published_ns, 0);
	CHECK_EQ(read_pid(6), OP_EIO);
	CHECK_STR(err.text, "cannot read mappings of 6");
	end();
}

TEST(each_alloc_fails)
{
	begin(one_map);
	payload_put("1{" NAME("x") " 1{1'l' 2{6{1{1'k' 2{7'v'}}}}}} " KEYS(
		"1{1'user'}"));
	EACH_ALLOC_FAILS(k) {
		int code = read_pid(5);

		CHECK_EQ(code, op_alloc_failed() ? OP_ENOMEM : 0);
		CHECK_EQ(no_memory.code, code);
	}
	end();
}

/* Less and less often, from a quarter of a second after the first call on. */
TEST(when_to_look)
{
	struct op_context_watch w = { 0 };
	const uint64_t ms = 1000000;
	uint64_t begin = 5000 * ms, last = begin, wait = 250 * ms;
	int nr = 0;

	for (uint64_t now = begin; now < begin + 600000 * ms; now += 50 * ms) {
		if (!op_context_is_due(&w, now))
			continue;
		CHECK_EQ(now - last, wait);
		last = now;
		if (wait < 64000 * ms)
			wait *= 2;
		nr++;
	}
	CHECK_EQ(nr, 16);
}

TEST_MAIN(publish_and_update, torn, always_updating, fork_without_context,
	  resource, names, values, resource_values, bad_headers, bad_payloads,
	  limits, places, when_to_look, each_alloc_fails)
