// SPDX-License-Identifier: Apache-2.0
/* Spans and process contexts of this very process, as the readers of src/host
 * find them. */
#include "otprof_span.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/context.h"
#include "host/proc_memory.h"
#include "host/thread_context.h"
#include "span_part.h"
#include "test.h"

/* --- spans --- */

static const unsigned char ids[24] = { 1, [15] = 1, [16] = 2, [23] = 2 };
static const unsigned char zero[16];

static void attach(struct otprof_span *span)
{
	CHECK_EQ(otprof_span_attach(span, ids, ids + 16), 0);
}

static bool is_current(const struct otprof_span *span)
{
	return otel_thread_ctx_v1 == (span ? &span->record : NULL);
}

TEST(layout)
{
	struct otprof_span span;

	CHECK_EQ(sizeof(span.record), 64);
	CHECK_EQ(offsetof(struct otprof_thread_context, span_id), 16);
	CHECK_EQ(offsetof(struct otprof_thread_context, is_valid), 24);
	CHECK_EQ(offsetof(struct otprof_thread_context, trace_flags), 25);
	CHECK_EQ(offsetof(struct otprof_thread_context, attribute_bytes), 26);
	CHECK_EQ(offsetof(struct otprof_thread_context, attributes), 28);
	CHECK_EQ(sizeof(otel_thread_ctx_v1), 8);
	memset(&span, 0xff, sizeof(span));
	attach(&span);
	CHECK(!memcmp(&span, ids, sizeof(ids)));
	CHECK(!memcmp((char *)&span + 24, "\1\0\0\0", 4));
	CHECK_EQ(otprof_span_detach(&span), 0);
}

TEST(nesting)
{
	struct otprof_span spans[3];

	CHECK(is_current(NULL));
	for (int i = 0; i < 3; i++) {
		attach(&spans[i]);
		CHECK(is_current(&spans[i]));
	}
	CHECK_EQ(otprof_span_detach(&spans[2]), 0);
	CHECK(is_current(&spans[1]));
	attach(&spans[2]);
	CHECK(is_current(&spans[2]));
	for (int i = 3; i-- > 0;) {
		CHECK_EQ(otprof_span_detach(&spans[i]), 0);
		CHECK(is_current(i ? &spans[i - 1] : NULL));
	}
}

/* Both IDs or none. */
TEST(zero_ids)
{
	static const struct {
		const void *trace, *id;
		int code;
		bool has_ids;
	} rows[] = {
		{ ids, ids + 16, 0, true },	{ zero, zero, 0, false },
		{ NULL, NULL, 0, false },	{ ids, zero, -EINVAL, false },
		{ zero, ids + 16, -EINVAL, 0 }, { ids, NULL, -EINVAL, false },
		{ NULL, ids, -EINVAL, false },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct otprof_span span;

		CHECK_EQ(otprof_span_attach(&span, rows[i].trace, rows[i].id),
			 rows[i].code);
		otprof_span_flags(&span, 3);
		CHECK(is_current(&span));
		CHECK_EQ(span.record.is_valid, 1);
		CHECK_EQ(memcmp(&span, ids, 24) == 0, rows[i].has_ids);
		CHECK_EQ(!memcmp(&span, zero, 16) &&
				 !memcmp(span.record.span_id, zero, 8),
			 !rows[i].has_ids);
		CHECK_EQ(span.record.trace_flags, rows[i].has_ids ? 3 : 0);
		otprof_span_detach(&span);
		CHECK(is_current(NULL));
	}
}

TEST(out_of_order)
{
	/* The order in which three nested spans are detached. */
	static const int rows[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct otprof_span spans[3];
		bool is_attached[3] = { true, true, true };

		for (int k = 0; k < 3; k++)
			attach(&spans[k]);
		for (int k = 0; k < 3; k++) {
			struct otprof_span *span = &spans[rows[i][k]];
			int top = 2;

			CHECK_EQ(otprof_span_detach(span), 0);
			is_attached[rows[i][k]] = false;
			while (top >= 0 && !is_attached[top])
				top--;
			CHECK(is_current(top < 0 ? NULL : &spans[top]));
			CHECK_EQ(otprof_span_detach(span), -EINVAL);
			/* Nobody looks at what is gone. */
			memset(span, 0xff, sizeof(*span));
		}
	}
}

/* Somebody else sets the variable, too. */
TEST(foreign)
{
	struct otprof_thread_context other = { .is_valid = 1 };
	struct otprof_span first, second;

	attach(&first);
	otel_thread_ctx_v1 = &other;
	attach(&second);
	CHECK_EQ(otprof_span_detach(&first), 0);
	CHECK(is_current(&second));
	CHECK_EQ(otprof_span_detach(&second), 0);
	CHECK(otel_thread_ctx_v1 == &other);
	attach(&first);
	otel_thread_ctx_v1 = &other;
	CHECK_EQ(otprof_span_detach(&first), 0);
	CHECK(otel_thread_ctx_v1 == &other);
	otel_thread_ctx_v1 = NULL;
	CHECK(!otprof_span_innermost_v1);
}

/* A span that is its own outer span ends no search. */
TEST(attached_twice)
{
	struct otprof_span span, other;

	attach(&span);
	attach(&span);
	CHECK_EQ(otprof_span_detach(&other), -EINVAL);
	otprof_span_innermost_v1 = NULL;
	otel_thread_ctx_v1 = NULL;
}

/* --- threads, signals, coroutines --- */

static void *thread_run(void *arg)
{
	struct otprof_span *of_main = arg, span;
	bool is_ok = is_current(NULL);

	is_ok &= otprof_span_detach(of_main) == -EINVAL;
	attach(&span);
	is_ok &= is_current(&span);
	otprof_span_detach(&span);
	/* Goes on with what another thread has begun, and ends with it. */
	otprof_span_resume(of_main + 1);
	return is_ok && is_current(of_main + 1) ? arg : NULL;
}

TEST(threads)
{
	struct otprof_span spans[2];
	pthread_t thread;
	void *result = NULL;

	attach(&spans[0]);
	attach(&spans[1]);
	CHECK_EQ(otprof_span_attribute(&spans[1], 7, "x", 1), 0);
	otprof_span_detach(&spans[1]);
	CHECK_EQ(pthread_create(&thread, NULL, thread_run, spans), 0);
	CHECK_EQ(pthread_join(thread, &result), 0);
	CHECK(result == spans);
	CHECK(is_current(&spans[0]));
	otprof_span_resume(&spans[1]);
	CHECK(!memcmp(spans[1].record.attributes, "\7\1x", 3));
	CHECK_EQ(spans[1].record.attribute_bytes, 3);
	otprof_span_detach(&spans[1]);
	otprof_span_detach(&spans[0]);
	CHECK(is_current(NULL));
}

static volatile int nr_handled;
static volatile bool is_over;

static void on_signal(int sig)
{
	struct otprof_thread_context *before = otel_thread_ctx_v1;
	struct otprof_span span;

	(void)sig;
	otprof_span_attach(&span, ids, ids + 16);
	nr_handled += otel_thread_ctx_v1 == &span.record;
	otprof_span_detach(&span);
	nr_handled += otel_thread_ctx_v1 == before;
}

static void *signals_send(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
		sched_yield();
	}
	return NULL;
}

TEST(signal_handler)
{
	struct sigaction act = { .sa_handler = on_signal }, old;
	pthread_t self = pthread_self(), thread;
	struct otprof_span outer, inner;

	nr_handled = 0;
	is_over = false;
	CHECK_EQ(sigaction(SIGUSR1, &act, &old), 0);
	CHECK_EQ(pthread_create(&thread, NULL, signals_send, &self), 0);
	attach(&outer);
	for (int i = 1; nr_handled < 200 && i < 1000000; i++) {
		attach(&inner);
		CHECK(is_current(&inner));
		otprof_span_detach(&inner);
		CHECK(is_current(&outer));
		/* TSan holds signals back until such a call. */
		if (i % 64 == 0)
			usleep(1);
	}
	CHECK(nr_handled >= 200);
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &old, NULL);
	CHECK_EQ(nr_handled % 2, 0);
	otprof_span_detach(&outer);
	CHECK(is_current(NULL));
}

/* --- attributes --- */

/* As a reader has them: the last of a key counts. */
static bool has(const struct otprof_span *span, unsigned int key,
		const char *value)
{
	const unsigned char *p = span->record.attributes;
	size_t at = 0, n = span->record.attribute_bytes;
	bool found = false;

	while (at + 2 <= n && at + 2u + p[at + 1] <= n) {
		if (p[at] == key)
			found = value && p[at + 1] == strlen(value) &&
				!memcmp(p + at + 2, value, strlen(value));
		at += 2u + p[at + 1];
	}
	CHECK_EQ(at, n);
	return found == (value != NULL);
}

static int put(struct otprof_span *span, unsigned int key, const char *value)
{
	return otprof_span_attribute(span, key, value, strlen(value));
}

TEST(attributes)
{
	static const char full[] = "0123456789012345678901234567890123";
	struct otprof_span span;

	attach(&span);
	CHECK_EQ(put(&span, 255, "get"), 0);
	CHECK_EQ(put(&span, 0, "/cart"), 0);
	CHECK_EQ(put(&span, 3, ""), 0);
	CHECK(has(&span, 255, "get") && has(&span, 0, "/cart") &&
	      has(&span, 3, ""));
	/* Again, shorter and longer. */
	CHECK_EQ(put(&span, 0, "/"), 0);
	CHECK_EQ(put(&span, 255, "delete"), 0);
	CHECK(has(&span, 255, "delete") && has(&span, 0, "/") &&
	      has(&span, 3, ""));
	CHECK_EQ(span.record.attribute_bytes, 3 * 2 + 6 + 1);
	/* What does not fit changes nothing. */
	CHECK_EQ(put(&span, 256, "x"), -EINVAL);
	CHECK_EQ(put(&span, 0, full), -ENOSPC);
	CHECK_EQ(put(&span, 1, full), -ENOSPC);
	CHECK_EQ(otprof_span_attribute(&span, 1, full, SIZE_MAX), -ENOSPC);
	CHECK(has(&span, 255, "delete") && has(&span, 0, "/") &&
	      has(&span, 1, NULL));
	CHECK(is_current(&span) && span.record.is_valid == 1);
	otprof_span_detach(&span);

	attach(&span);
	CHECK_EQ(put(&span, 9, full), 0);
	CHECK_EQ(span.record.attribute_bytes, OTPROF_SPAN_ATTRIBUTE_BYTES);
	CHECK_EQ(put(&span, 8, ""), -ENOSPC);
	CHECK_EQ(put(&span, 9, full + 1), 0);
	CHECK(has(&span, 9, full + 1));
	otprof_span_detach(&span);
}

/* --- process context --- */

static struct op_err err;
static struct op_arena mem;
static struct op_proc proc;
static struct op_context ctx;

static int read_pid(pid_t pid)
{
	op_arena_free(&mem);
	err = (struct op_err){ 0 };
	mem.err = &err;
	ctx = (struct op_context){ 0 };
	return op_context_read(&proc, (uint32_t)pid, &mem, &ctx, &err);
}

static int read_self(void)
{
	return read_pid(getpid());
}

static bool is(const char *key, const char *text)
{
	for (uint32_t i = 0; i < ctx.resource.n; i++)
		if (op_view_is(ctx.resource.p[i].key, key))
			return text &&
			       op_view_is(ctx.resource.p[i].value.bytes, text);
	return !text;
}

static bool is_key(uint32_t i, const char *name)
{
	return i < ctx.nr_keys && op_view_is(ctx.keys[i], name);
}

/* Forgets everything, as a new process would. */
static void reset(void)
{
	otprof_context_drop();
	otprof_context_state_v1.nr_keys = 0;
	otprof_context_state_v1.key_bytes = 0;
	unsetenv("OTEL_SERVICE_NAME");
	unsetenv("OTEL_RESOURCE_ATTRIBUTES");
	CHECK_EQ(read_self(), 0);
	CHECK_EQ(ctx.published_ns, 0);
}

TEST(publish)
{
	static const char *const attributes[] = { "service.version", "1.2",
						  "host.name", "", NULL };
	static const char *const keys[] = { "http.route", "user", NULL };
	struct otprof_process_context about = { "shop", attributes, keys,
						NULL };
	uint64_t before;

	reset();
	CHECK_EQ(otprof_context_publish(&about), 0);
	CHECK_EQ(read_self(), 0);
	CHECK(is("service.name", "shop") && is("service.version", "1.2") &&
	      is("host.name", ""));
	CHECK_EQ(ctx.resource.n, 3);
	CHECK(op_view_is(ctx.schema_version, "tlsdesc_v1_dev"));
	CHECK(op_thread_context_is_schema(ctx.schema_version));
	CHECK_EQ(ctx.nr_keys, 2);
	CHECK(is_key(0, "http.route") && is_key(1, "user"));
	before = ctx.published_ns;

	/* An update: keys stay where they are. */
	about = (struct otprof_process_context){ "stock", NULL, keys + 1,
						 "tls_v1" };
	CHECK_EQ(otprof_context_publish(&about), 0);
	CHECK_EQ(read_self(), 0);
	CHECK(ctx.published_ns > before);
	CHECK(is("service.name", "stock") && is("service.version", NULL));
	CHECK(op_view_is(ctx.schema_version, "tls_v1"));
	CHECK(is_key(0, "http.route") && is_key(1, "user"));
	before = ctx.published_ns;

	CHECK_EQ(otprof_context_key("user"), 1);
	CHECK_EQ(read_self(), 0);
	CHECK_EQ(ctx.published_ns, before);
	CHECK_EQ(otprof_context_key("tenant"), 2);
	CHECK_EQ(read_self(), 0);
	CHECK(ctx.published_ns > before);
	CHECK(is("service.name", "stock") && is_key(2, "tenant"));
	CHECK_EQ(ctx.nr_keys, 3);

	otprof_context_drop();
	otprof_context_drop();
	CHECK_EQ(read_self(), 0);
	CHECK_EQ(ctx.published_ns, 0);
	CHECK_EQ(otprof_context_key("later"), 3);
	CHECK_EQ(otprof_context_publish(NULL), 0);
	CHECK_EQ(read_self(), 0);
	CHECK(is_key(0, "http.route") && is_key(3, "later"));
	reset();
}

TEST(environment)
{
	static const char *const given[] = { "service.name", "given", "a", "b",
					     NULL };
	static const struct {
		const char *name, *list; /* variables */
		struct otprof_process_context about;
		const char *service, *a;
	} rows[] = {
		{ NULL, NULL, { 0 }, NULL, NULL },
		{ "env", NULL, { 0 }, "env", NULL },
		{ "", "", { 0 }, NULL, NULL },
		{ "env", NULL, { .service_name = "code" }, "code", NULL },
		{ "env", "a=1", { 0 }, "env", "1" },
		{ "env", "service.name=list,a=1", { 0 }, "env", "1" },
		{ NULL, "service.name=list,a=1", { 0 }, "list", "1" },
		{ NULL,
		  "service.name=list,a=1",
		  { .service_name = "code" },
		  "code",
		  "1" },
		{ "env", "a=1", { .attributes = given }, "given", "b" },
		{ "env",
		  "a=1",
		  { .attributes = given, .service_name = "code" },
		  "code",
		  "b" },
		{ "env", "a=1", { .attributes = given + 2 }, "env", "b" },
		/* Lists. */
		{ NULL, "a=1,b=2,a=3", { 0 }, NULL, "3" },
		{ NULL, " a = x%20y%2C ,b=", { 0 }, NULL, "x y," },
		{ NULL, "a=1=2", { 0 }, NULL, "1=2" },
		{ NULL, ", ,a=1,,", { 0 }, NULL, "1" },
		{ NULL, "a=%c3%B6", { 0 }, NULL, "\xc3\xb6" },
		/* Invalid ones. */
		{ NULL, "a=1,b", { 0 }, NULL, NULL },
		{ NULL, "a=1,=b", { 0 }, NULL, NULL },
		{ NULL, "a=1,b=%4", { 0 }, NULL, NULL },
		{ NULL, "a=1,b=%zz", { 0 }, NULL, NULL },
		{ NULL, "a=1,b=%00", { 0 }, NULL, NULL },
		{ NULL, "a=1,b=%ff", { 0 }, NULL, NULL },
		{ "\xff", "a=1", { 0 }, NULL, "1" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;

		reset();
		if (rows[i].name)
			setenv("OTEL_SERVICE_NAME", rows[i].name, 1);
		if (rows[i].list)
			setenv("OTEL_RESOURCE_ATTRIBUTES", rows[i].list, 1);
		CHECK_EQ(otprof_context_publish(&rows[i].about), 0);
		CHECK_EQ(read_self(), 0);
		CHECK(is("service.name", rows[i].service));
		CHECK(is("a", rows[i].a));
		if (test_failed != before)
			fprintf(stderr, "  in row %zu\n", i);
	}
	reset();
}

/* --- what is refused --- */

TEST(refused)
{
	static const char *const odd[] = { "a", NULL };
	static const char *const twice[] = { "a", "1", "a", "2", NULL };
	static const char *const no_key[] = { "", "1", NULL };
	static const char *const bad_key[] = { "ok", "\xc0\x80", NULL };
	static const struct otprof_process_context rows[] = {
		{ .service_name = "" },
		{ .service_name = "\xff" },
		{ .service_name = "\xed\xa0\x80" },
		{ .service_name = "\xf5\x80\x80\x80" },
		{ .service_name = "\xe2\x82" },
		{ .attributes = odd },
		{ .attributes = twice },
		{ .attributes = no_key },
		{ .attributes = bad_key },
		{ .schema_version = "" },
		{ .keys = no_key },
		{ .keys = bad_key },
	};
	struct otprof_process_context about = { "old", NULL, NULL, NULL };
	uint64_t before;

	reset();
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(otprof_context_publish(&rows[i]), -EINVAL);
	CHECK_EQ(read_self(), 0);
	CHECK_EQ(ctx.published_ns, 0);
	CHECK_EQ(otprof_context_publish(&about), 0);
	CHECK_EQ(read_self(), 0);
	before = ctx.published_ns;
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(otprof_context_publish(&rows[i]), -EINVAL);
	CHECK_EQ(read_self(), 0);
	CHECK_EQ(ctx.published_ns, before);
	CHECK(is("service.name", "old"));
	reset();
}

TEST(limits)
{
	static char big[OTPROF_PAYLOAD_BYTES_], name[300];
	struct otprof_process_context about = { big, NULL, NULL, NULL };
	int code = 0;

	reset();
	memset(big, 'x', sizeof(big) - 1);
	CHECK_EQ(otprof_context_publish(&about), -E2BIG);
	/* As much as there is room for. */
	for (size_t n = sizeof(big) - 200; n < sizeof(big) - 1; n++) {
		big[n] = 0;
		code = otprof_context_publish(&about);
		big[n] = 'x';
		if (code)
			break;
	}
	CHECK_EQ(code, -E2BIG);
	CHECK_EQ(read_self(), 0);
	CHECK(ctx.resource.n == 1 && ctx.schema_version.n);
	CHECK_EQ(otprof_context_key("no room for this key is left"), -E2BIG);
	CHECK_EQ(read_self(), 0);
	CHECK_EQ(ctx.nr_keys, 0);
	CHECK_EQ(otprof_context_state_v1.nr_keys, 0);
	reset();

	memset(name, 'k', sizeof(name) - 1);
	CHECK_EQ(otprof_context_key(name), -EINVAL);
	CHECK_EQ(otprof_context_publish(NULL), 0);
	for (int i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "key %d", i);
		CHECK_EQ(otprof_context_key(name), i);
	}
	CHECK_EQ(otprof_context_key("one more"), -ENOSPC);
	CHECK_EQ(otprof_context_key("key 255"), 255);
	CHECK_EQ(read_self(), 0);
	CHECK(is_key(0, "key 0") && is_key(255, "key 255"));
	reset();
	for (int i = 0; i < 256 && code != -ENOSPC; i++) {
		snprintf(name, sizeof(name), "%0255d", i);
		code = otprof_context_key(name);
		CHECK(code == i || (code == -ENOSPC && i >= 8192 / 262));
	}
	CHECK_EQ(code, -ENOSPC);
	snprintf(name, sizeof(name), "%0255d", 3);
	CHECK_EQ(otprof_context_key(name), 3);
	reset();
}

/* Somebody else in the process has published. */
TEST(published_by_others)
{
	struct otprof_context_state_ ours;

	reset();
	CHECK_EQ(otprof_context_publish(NULL), 0);
	ours = otprof_context_state_v1;
	otprof_context_state_v1.map = NULL;
	CHECK_EQ(otprof_context_publish(NULL), -EEXIST);
	otprof_context_state_v1 = ours;
	reset();
	CHECK_EQ(otprof_context_publish(NULL), 0);
	reset();
}

/* --- other processes --- */

/* Runs fn in a child, which waits after it, if it is content. */
static pid_t fork_to(bool (*fn)(void), int *to)
{
	int up[2], down[2];
	char ok = 0;
	pid_t pid;

	CHECK_EQ(pipe(up), 0);
	CHECK_EQ(pipe(down), 0);
	pid = fork();
	if (!pid) {
		close(down[1]);
		ok = fn();
		_exit(write(up[1], &ok, 1) != 1 || read(down[0], &ok, 1) != 0);
	}
	close(up[1]);
	close(down[0]);
	CHECK_EQ(read(up[0], &ok, 1), 1);
	CHECK_EQ(ok, 1);
	close(up[0]);
	*to = down[1];
	return pid;
}

static void fork_end(pid_t pid, int to)
{
	int status = -1;

	close(to);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static bool does_nothing(void)
{
	return true;
}

/* The thread keeps its span, and the key its index. */
static bool publishes(void)
{
	struct otprof_process_context about = { "child", NULL, NULL, NULL };

	return otel_thread_ctx_v1 && otprof_context_key("first") == 0 &&
	       otprof_context_key("of the child") == 1 &&
	       !otprof_context_publish(&about) &&
	       !otprof_context_publish(&about);
}

TEST(forked)
{
	struct otprof_process_context about = { "parent", NULL, NULL, NULL };
	struct otprof_span span;
	pid_t pid;
	int to;

	reset();
	CHECK_EQ(otprof_context_key("first"), 0);
	CHECK_EQ(otprof_context_publish(&about), 0);
	attach(&span);
	pid = fork_to(does_nothing, &to);
	CHECK_EQ(read_pid(pid), 0);
	CHECK_EQ(ctx.published_ns, 0);
	fork_end(pid, to);
	/* A thread of the parent publishes just then. */
	otprof_context_state_v1.lock = getpid();
	pid = fork_to(publishes, &to);
	otprof_context_state_v1.lock = 0;
	CHECK_EQ(read_pid(pid), 0);
	CHECK(is("service.name", "child") && is_key(1, "of the child"));
	CHECK_EQ(read_self(), 0);
	CHECK(is("service.name", "parent"));
	CHECK_EQ(ctx.nr_keys, 1);
	fork_end(pid, to);
	otprof_span_detach(&span);
	reset();
}

/* A child that has the process ID of the publisher, by chance. */
static bool publishes_again(void)
{
	otprof_context_state_v1.pid = getpid();
	return publishes();
}

TEST(same_process_id)
{
	struct otprof_span span;
	pid_t pid;
	int to;

	reset();
	CHECK_EQ(otprof_context_key("first"), 0);
	CHECK_EQ(otprof_context_publish(NULL), 0);
	attach(&span);
	pid = fork_to(publishes_again, &to);
	CHECK_EQ(read_pid(pid), 0);
	CHECK(is("service.name", "child"));
	fork_end(pid, to);
	otprof_span_detach(&span);
	reset();
}

static bool publishes_without_memfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = { op_countof(code), code };
	int result;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all))
		return true;
	result = otprof_context_publish(NULL);
	if (read_self())
		return false;
	/* Depends on CONFIG_ANON_VMA_NAME. */
	return ctx.published_ns ? !result : result == -ENOTSUP;
}

TEST(no_memfd)
{
	pid_t pid;
	int to;

	reset();
	pid = fork_to(publishes_without_memfd, &to);
	fork_end(pid, to);
}

/* --- at the same time --- */

enum { UPDATES = 2000, PUBLISHERS = 4 };

static void *updates(void *arg)
{
	static const char *const pairs[2][3] = {
		{ "same", "a", NULL },
		{ "same", "a much longer text than the other", NULL },
	};
	int first = *(int *)arg;
	char key[16];

	for (int i = 0; i < UPDATES / PUBLISHERS; i++) {
		const char *const *pair = pairs[i & 1];
		struct otprof_process_context about = { pair[1], pair, NULL,
							NULL };

		if (otprof_context_publish(&about))
			return NULL;
		snprintf(key, sizeof(key), "%d", i % 40);
		if (otprof_context_key(key) < 0)
			return NULL;
	}
	return first < 0 ? NULL : arg;
}

/* Every context is whole, and none is older than the one before. The last is
 * read when nobody writes any more. */
static void *reads(void *arg)
{
	struct op_err why = { 0 };
	struct op_arena own = { .err = &why };
	struct op_context c = { 0 };
	uint64_t last = 0;
	bool over = false;

	while (!over) {
		const struct op_kv *kv;

		over = __atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
		op_arena_free(&own);
		why = (struct op_err){ 0 };
		if (op_context_read(&proc, (uint32_t)getpid(), &own, &c, &why))
			continue;
		kv = c.resource.p;
		if (c.published_ns < last || c.resource.n != 2 ||
		    !op_view_eq(kv[0].value.bytes, kv[1].value.bytes) ||
		    !c.schema_version.n)
			arg = NULL;
		last = c.published_ns;
	}
	op_arena_free(&own);
	return last ? arg : NULL;
}

TEST(concurrent)
{
	static const char *const pair[] = { "same", "a", NULL };
	struct otprof_process_context about = { "a", pair, NULL, NULL };
	pthread_t threads[PUBLISHERS + 1];
	int numbers[PUBLISHERS + 1];
	void *result;

	reset();
	CHECK_EQ(otprof_context_publish(&about), 0);
	is_over = false;
	for (int i = 0; i <= PUBLISHERS; i++) {
		numbers[i] = i;
		CHECK_EQ(pthread_create(&threads[i], NULL, i ? updates : reads,
					&numbers[i]),
			 0);
	}
	for (int i = PUBLISHERS; i >= 0; i--) {
		__atomic_store_n(&is_over, i == 0, __ATOMIC_RELEASE);
		CHECK_EQ(pthread_join(threads[i], &result), 0);
		CHECK(result == &numbers[i]);
	}
	CHECK_EQ(read_self(), 0);
	CHECK_EQ(ctx.nr_keys, 40);
	reset();
}

/* --- files and libraries --- */

static const char *path_of(const char *name)
{
	static char path[PATH_MAX + 40];
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	snprintf(path, sizeof(path), "%.*s/%s",
		 (int)(strrchr(self, '/') - self), self, name);
	return path;
}

static const char *const libraries[] = { "span_gd.so", "span_ie.so",
					 "span_desc.so" };

/* Where a recorder finds the variable of a thread. */
static uint64_t address(pid_t pid, uint64_t thread_pointer)
{
	struct op_thread_context found;
	uint64_t dtv = 0, block = 0;

	if (!op_thread_context_find(&proc, (uint32_t)pid, &found))
		return 0;
	if (found.kind == OP_THREAD_CONTEXT_STATIC)
		return thread_pointer + (uint64_t)found.offset;
	if (!op_proc_memory(&proc, (uint32_t)pid, thread_pointer + 8, &dtv,
			    8) ||
	    !op_proc_memory(&proc, (uint32_t)pid, dtv + 16 * found.module,
			    &block, 8))
		return 0;
	return block + (uint64_t)found.offset;
}

static bool can_find(void)
{
#ifdef __x86_64__
	return true;
#else
	return false;
#endif
}

static void check_part(span_part_fn *describe)
{
	struct span_part part = { 0 };

	describe(&part);
	CHECK(part.variable == (uintptr_t)&otel_thread_ctx_v1);
	CHECK(part.state == (uintptr_t)&otprof_context_state_v1);
	CHECK_EQ(part.is_exported, 1);
	CHECK_EQ(part.key, 0);
}

/* One variable for this file, another one, and libraries. */
TEST(one_variable)
{
	int (*throws)(void) = NULL;
	void *lib;

	reset();
	CHECK_EQ(otprof_span_is_exported(), 1);
	CHECK_EQ(otprof_context_key("part"), 0);
	check_part(span_part_describe);
	for (size_t i = 0; i < op_countof(libraries); i++) {
		span_part_fn *describe = NULL;

		lib = dlopen(path_of(libraries[i]), RTLD_NOW);
		CHECK(lib != NULL);
		if (lib)
			*(void **)&describe = dlsym(lib, "span_part_describe");
		CHECK(describe && describe != span_part_describe);
		if (describe)
			check_part(describe);
	}
	lib = dlopen(path_of("span_throw.so"), RTLD_NOW);
	if (lib)
		*(void **)&throws = dlsym(lib, "span_throw");
	CHECK(throws && throws());
	CHECK(is_current(NULL));
	reset();
}

TEST(found_here)
{
	struct otprof_span span;

	if (!can_find())
		TEST_SKIP("thread contexts are for x86-64");
	reset();
	attach(&span);
	CHECK_EQ(address(getpid(), (uint64_t)pthread_self()), 0);
	CHECK_EQ(otprof_context_publish(NULL), 0);
	CHECK_EQ(address(getpid(), (uint64_t)pthread_self()),
		 (uintptr_t)&otel_thread_ctx_v1);
	otprof_span_detach(&span);
	reset();
}

/* What a reader sees of a program whose library has the spans. */
static void check_host(const char *library)
{
	struct otprof_thread_context record = { 0 };
	struct span_part part = { 0 };
	uint64_t at = 0;
	int in[2], out[2];
	pid_t pid;

	CHECK_EQ(pipe(in), 0);
	CHECK_EQ(pipe(out), 0);
	pid = fork();
	if (!pid) {
		char *host = strdup(path_of("span_host"));

		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		execl(host, host, path_of(library), NULL);
		_exit(3);
	}
	close(in[0]);
	close(out[1]);
	CHECK_EQ(read(out[0], &part, sizeof(part)), sizeof(part));
	close(out[0]);
	CHECK_EQ(part.is_exported, 1);
	CHECK_EQ(read_pid(pid), 0);
	CHECK(is("service.name", "part") && is_key(0, "part"));
	if (can_find())
		CHECK_EQ(address(pid, part.thread_pointer), part.variable);
	CHECK(op_proc_memory(&proc, (uint32_t)pid, part.variable, &at, 8));
	CHECK(op_proc_memory(&proc, (uint32_t)pid, at, &record,
			     sizeof(record)));
	CHECK_EQ(record.trace_id[15], 0x11);
	CHECK_EQ(record.span_id[7], 0x22);
	CHECK(record.attribute_bytes == 3 &&
	      !memcmp(record.attributes, "\0\1x", 3));
	fork_end(pid, in[1]);
}

TEST(in_libraries)
{
	reset();
	for (size_t i = 0; i < op_countof(libraries); i++)
		check_host(libraries[i]);
}

TEST_MAIN(layout, nesting, zero_ids, out_of_order, foreign, attached_twice,
	  threads, signal_handler, attributes, publish, environment, refused,
	  limits, published_by_others, forked, same_process_id, no_memfd,
	  concurrent, one_variable, found_here, in_libraries)
