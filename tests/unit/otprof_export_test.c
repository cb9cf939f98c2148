// SPDX-License-Identifier: Apache-2.0
/* Sending by way of the public header, to a server that answers as told. */
#include <otprof.h>

#include <stdlib.h>
#include <time.h>

#include "fmt/otlp/otlp.h"
#include "serve/serve.h"
#include "test.h"
#include "wait.h"
#include "write/folder.h"
#include "write/sketch.h"

static const uint64_t forever = UINT64_MAX;

struct fixture {
	struct serve *s;
	struct otprof_exporter *e;
	struct otprof_exporter_opts opts;
	struct otprof_err err;
	char url[64];
	char log[2000];
	_Atomic int nr_lines; /* of the log */
};

static void log_line(void *ctx, const char *text)
{
	struct fixture *f = ctx;
	size_t n = strlen(f->log);

	snprintf(f->log + n, sizeof(f->log) - n, "%s\n", text);
	f->nr_lines++;
}

static void serve_as(struct fixture *f, const char *script)
{
	memset(f, 0, sizeof(*f));
	f->s = serve_start(script, NULL);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%d",
		 serve_port(f->s));
	OTPROF_INIT(&f->opts);
	f->opts.endpoint = f->url;
	f->opts.on_log = log_line;
	f->opts.ctx = f;
}

static void begin(struct fixture *f)
{
	CHECK_EQ(otprof_exporter_new(&f->opts, &f->e, &f->err), OTPROF_OK);
	CHECK_STR(f->err.text, "");
	if (!f->e)
		abort();
}

static void end(struct fixture *f)
{
	otprof_exporter_free(f->e, forever);
	serve_stop(f->s);
}

static struct otprof *small(void)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity id = { 0, 0, 0 };
	struct otprof_profile head;
	struct otprof *p = NULL;
	struct otprof_frame frame;
	uint32_t profile, location;

	OTPROF_INIT(&head);
	OTPROF_INIT(&frame);
	head.type = otprof_str("cpu");
	head.unit = otprof_str("nanoseconds");
	otprof_builder_new(0, &b, &err);
	profile = otprof_build_profile(
		b,
		otprof_build_scope(b, otprof_build_resource(b, NULL, 0), "s",
				   "", NULL, 0),
		&head);
	for (int i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof(name), "function%d", i);
		frame.function = otprof_str(name);
		location = otprof_build_location(b, 0, &frame, 1);
		id.stack = otprof_build_stack(b, &location, 1);
		otprof_build_add(b, profile, id, 5);
	}
	otprof_builder_take(b, &p, &err);
	otprof_builder_free(b);
	CHECK_STR(err.text, "");
	return p;
}

/* What the server got, as text. */
static const char *text_of(struct fixture *f, size_t i)
{
	const struct serve_request *r = serve_at(f->s, i);
	static char out[8000];
	struct op_model m = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(op_otlp_decode(&m, op_view(r->body, r->n), NULL, &err), 0);
	snprintf(out, sizeof(out), "%s", sketch_text(&m));
	op_model_free(&m);
	return out;
}

TEST(profiles_arrive)
{
	struct otprof_exporter_stats st;
	struct otprof *p = small();
	struct fixture f;

	serve_as(&f, "status=200");
	setenv("OTEL_SERVICE_NAME", "shop", 1);
	begin(&f);
	unsetenv("OTEL_SERVICE_NAME");
	CHECK_EQ(otprof_exporter_send(f.e, p, &f.err), OTPROF_OK);
	CHECK(otprof_exporter_flush(f.e, forever));
	OTPROF_INIT(&st);
	otprof_exporter_stats(f.e, &st);
	CHECK_EQ(st.put, 1);
	CHECK_EQ(st.sent, 1);
	CHECK_EQ(st.waiting, 0);
	CHECK_EQ(serve_nr(f.s), 1);
	CHECK(strstr(serve_at(f.s, 0)->head, "POST /v1development/profiles") !=
	      NULL);
	CHECK(strstr(text_of(&f, 0), "service.name=shop") != NULL);
	CHECK(strstr(text_of(&f, 0), "function7 5") != NULL);
	CHECK_STR(f.log, "");
	end(&f);
	otprof_free(p);
}

TEST(large_ones_are_split)
{
	struct otprof *p = small();
	struct fixture f;

	serve_as(&f, "status=200");
	f.opts.max_request = 600;
	begin(&f);
	CHECK_EQ(otprof_exporter_send(f.e, p, &f.err), OTPROF_OK);
	CHECK(otprof_exporter_flush(f.e, forever));
	CHECK(serve_nr(f.s) > 2);
	for (size_t i = 0; i < serve_nr(f.s); i++)
		CHECK(serve_at(f.s, i)->n <= 600);
	end(&f);
	otprof_free(p);
}

static void released(void *ctx)
{
	++*(int *)ctx;
}

static int send(struct fixture *f, enum otprof_signal signal, const void *bytes,
		size_t n, int *nr_released)
{
	struct otprof_message m;

	OTPROF_INIT(&m);
	m.signal = signal;
	m.bytes = bytes;
	m.n = n;
	m.release = released;
	m.ctx = nr_released;
	f->err.code = 0;
	return otprof_exporter_send_bytes(f->e, &m, &f->err);
}

TEST(bytes)
{
	struct otprof *p = small();
	struct fixture f;
	uint8_t *bytes = NULL;
	int nr = 0;
	size_t n = 0;

	serve_as(&f, "status=200");
	f.opts.logs = 1;
	begin(&f);
	CHECK_EQ(otprof_write_memory(p, NULL, &bytes, &n, &f.err), OTPROF_OK);
	CHECK_EQ(send(&f, OTPROF_PROFILES, bytes, n, &nr), OTPROF_OK);
	CHECK(otprof_exporter_flush(f.e, forever));
	CHECK_EQ(nr, 1);
	CHECK_EQ(send(&f, OTPROF_LOGS, "\x0a\x00", 2, &nr), OTPROF_OK);
	CHECK(otprof_exporter_flush(f.e, forever));
	CHECK_EQ(nr, 2);
	CHECK_EQ(serve_nr(f.s), 2);
	CHECK_EQ(serve_at(f.s, 0)->n, n);
	CHECK(!memcmp(serve_at(f.s, 0)->body, bytes, n));
	CHECK(strstr(serve_at(f.s, 1)->head, "POST /v1/logs") != NULL);
	CHECK_EQ(serve_at(f.s, 1)->connection, 1);
	CHECK_EQ(send(&f, OTPROF_PROFILES, "x", 1, &nr), OTPROF_EFORMAT);
	CHECK_EQ(nr, 2);
	end(&f);
	otprof_bytes_free(bytes);
	otprof_free(p);
}

TEST(no_logs)
{
	struct fixture f;
	int nr = 0;

	serve_as(&f, "status=200");
	begin(&f);
	CHECK_EQ(send(&f, OTPROF_LOGS, "", 0, &nr), OTPROF_EUSAGE);
	end(&f);
}

static bool has_logged(void *ctx)
{
	const struct fixture *f = ctx;

	return f->nr_lines;
}

/* What was not sent is sent by the next one. */
TEST(spool)
{
	struct otprof *p = small();
	struct folder dir;
	struct fixture f;

	folder_make(&dir);
	serve_as(&f, "status=503");
	f.opts.spool = dir.path;
	begin(&f);
	CHECK_EQ(otprof_exporter_send(f.e, p, &f.err), OTPROF_OK);
	CHECK(wait_until(has_logged, &f));
	CHECK(!otprof_exporter_flush(f.e, 0));
	otprof_exporter_free(f.e, 0);
	serve_stop(f.s);
	CHECK(strstr(f.log, "retrying; messages in the spool: 1") != NULL);
	CHECK_EQ(folder_list(&dir, ".profiles"), 1);
	serve_as(&f, "status=200");
	f.opts.spool = dir.path;
	begin(&f);
	CHECK(otprof_exporter_flush(f.e, forever));
	CHECK_EQ(serve_nr(f.s), 1);
	end(&f);
	CHECK_EQ(folder_list(&dir, ".profiles"), 0);
	folder_remove(&dir);
	otprof_free(p);
}

/* A server that never answers does not hold up the end. */
TEST(the_end_does_not_hang)
{
	struct otprof *p = small();
	struct fixture f;

	serve_as(&f, "hang");
	f.opts.timeout_ms = 600000;
	begin(&f);
	CHECK_EQ(otprof_exporter_send(f.e, p, &f.err), OTPROF_OK);
	CHECK(!otprof_exporter_flush(f.e, 100));
	otprof_exporter_free(f.e, 1);
	CHECK(strstr(f.log, "dropped at exit, not yet sent: 1") != NULL);
	serve_stop(f.s);
	otprof_free(p);
}

static const struct {
	const char *name;
	const char *endpoint, *protocol, *compression, *headers;
} wrong[] = {
	{ "endpoint", "ftp://x", NULL, NULL, NULL },
	{ "protocol", NULL, "http/xml", NULL, NULL },
	{ "compression", NULL, NULL, "lz4", NULL },
};

TEST(wrong_options)
{
	for (size_t i = 0; i < op_countof(wrong); i++) {
		struct otprof_exporter_opts opts;
		struct otprof_exporter *e = NULL;
		struct otprof_err err = { 0 };

		OTPROF_INIT(&opts);
		opts.endpoint = wrong[i].endpoint;
		opts.protocol = wrong[i].protocol;
		opts.compression = wrong[i].compression;
		CHECK_EQ(otprof_exporter_new(&opts, &e, &err), OTPROF_EUSAGE);
		CHECK(!e);
		if (err.code != OTPROF_EUSAGE)
			fprintf(stderr, "  in row '%s'\n", wrong[i].name);
	}
	otprof_exporter_free(NULL, 0);
}

/* A variable that cannot be meant is told of once, though both signals read
 * it. */
TEST(wrong_variables)
{
	struct fixture f;
	char *line;

	serve_as(&f, "status=200");
	f.opts.logs = 1;
	setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", 1);
	begin(&f);
	unsetenv("OTEL_EXPORTER_OTLP_TIMEOUT");
	line = strstr(f.log, "OTEL_EXPORTER_OTLP_TIMEOUT=soon is ignored");
	CHECK(line == f.log);
	CHECK(line && strchr(line, '\n') == strrchr(f.log, '\n'));
	end(&f);
}

TEST(shorter_structs)
{
	struct otprof_exporter_stats st;
	struct fixture f;

	serve_as(&f, "status=200");
	f.opts.sz = offsetof(struct otprof_exporter_opts, protocol);
	begin(&f);
	memset(&st, 0x55, sizeof(st));
	st.sz = offsetof(struct otprof_exporter_stats, sent);
	otprof_exporter_stats(f.e, &st);
	CHECK_EQ(st.put, 0);
	CHECK_EQ(st.sent, 0x5555555555555555);
	end(&f);
}

/* --- servers that do not let a request end --- */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Of HTTP/2: headers, then empty DATA frames; of HTTP/1: slow headers. */
static const struct {
	const char *protocol, *script;
} hostile[] = {
	{ "grpc", "raw=%00%00%01%01%04%00%00%00%01%88 "
		  "again=%00%00%00%00%00%00%00%00%01 pause=1" },
	{ "grpc", "raw=%00%00%01%01%04%00%00%00%01%88 "
		  "again=%00%00%00%00%00%00%00%00%01" },
	{ "http/protobuf", "raw=HTTP/1.1%20200%20OK%0d%0a "
			   "again=x-a:%20b%0d%0a pause=1" },
	{ "http/protobuf", "again=HTTP/1.1%20100%20OK%0d%0a%0d%0a" },
	{ "http/protobuf", "hang" },
};

/* The end comes when it was asked for, and what is in the spool stays. */
TEST(the_end_does_not_wait_for_the_server)
{
	enum { FAR_MS = 10000 };

	for (size_t i = 0; i < op_countof(hostile); i++) {
		struct otprof_exporter_stats st;
		struct otprof *p = small();
		struct folder spool;
		struct fixture f;
		uint64_t start;

		serve_as(&f, hostile[i].script);
		folder_make(&spool);
		f.opts.spool = spool.path;
		f.opts.protocol = hostile[i].protocol;
		f.opts.timeout_ms = 60000;
		begin(&f);
		CHECK_EQ(otprof_exporter_send(f.e, p, &f.err), OTPROF_OK);
		otprof_free(p);
		OTPROF_INIT(&st);
		otprof_exporter_stats(f.e, &st);
		CHECK_EQ(st.spooled, 1);
		CHECK_EQ(st.waiting, 1);
		start = now_ms();
		otprof_exporter_free(f.e, 300);
		CHECK(now_ms() - start < FAR_MS);
		CHECK_EQ(folder_list(&spool, ".profiles"), 1);
		serve_stop(f.s);
		folder_remove(&spool);
	}
}

TEST_MAIN(profiles_arrive, large_ones_are_split, bytes, no_logs, spool,
	  the_end_does_not_hang, wrong_options, wrong_variables,
	  shorter_structs, the_end_does_not_wait_for_the_server)
