// SPDX-License-Identifier: Apache-2.0
/* The client against servers that do not let a request end. */
#include <pthread.h>
#include <time.h>

#include "serve/pair.h"
#include "wait.h"

static bool is_asked(void *arg)
{
	const struct pair *p = arg;

	return serve_nr(p->s);
}

static void *stop_soon(void *arg)
{
	struct pair *p = arg;

	CHECK(wait_until(is_asked, p));
	op_client_stop(p->c);
	return NULL;
}

TEST(stopped)
{
	struct pair p;
	struct op_answer a;
	pthread_t thread;

	NEEDS_HTTP;
	pair_open(&p, "hang", "TIMEOUT=0", OP_SIGNAL_PROFILES);
	CHECK(!pthread_create(&thread, NULL, stop_soon, &p));
	a = pair_send(&p, op_view_z("message"));
	CHECK_EQ(a.verdict, OP_VERDICT_RETRY);
	CHECK_STR(a.text, "no response: stopped");
	pthread_join(thread, NULL);
	a = pair_send(&p, op_view_z("message"));
	CHECK_STR(a.text, "no response: stopped");
	pair_close(&p);
}

/* Of HTTP/2, on stream 1: 200 with a content-type, then any frame. */
#define H2_HEADERS                                                           \
	"raw=%00%00%20%01%04%00%00%00%01%88%00%0ccontent-type%10application" \
	"/grpc "
#define H2_EMPTY_DATA "%00%00%00%00%00%00%00%00%01"
#define H2_PING "%00%00%08%06%00%00%00%00%0012345678"
#define H2_SETTINGS "%00%00%06%04%00%00%00%00%00%00%03%00%00%00%64"
#define H2_CONTINUATION "%00%00%07%09%00%00%00%00%01%00%02x-%02vv"
#define H1_OK "raw=HTTP/1.1%20200%20OK%0d%0a "

static const char *const hostile_http[] = {
	/* Endless headers, fast and slow. */
	H1_OK "again=x-a:%20bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb%0d%0a",
	H1_OK "again=x-a:%20b%0d%0a pause=5",
	H1_OK "again=a pause=5",
	/* Endless bodies. */
	H1_OK "raw=Content-Length:%20100000%0d%0a%0d%0a again=a pause=5",
	H1_OK "raw=Transfer-Encoding:%20chunked%0d%0a%0d%0a "
	      "again=1%0d%0aa%0d%0a pause=5",
	H1_OK "raw=Transfer-Encoding:%20chunked%0d%0a%0d%0a0%0d%0a "
	      "again=x-a:%20b%0d%0a",
	/* Interim answers without end. */
	"again=HTTP/1.1%20100%20Continue%0d%0a%0d%0a",
	"again=HTTP/1.1%20103%20Early%20Hints%0d%0a%0d%0a pause=5",
};

static const char *const hostile_grpc[] = {
	H2_HEADERS "again=" H2_EMPTY_DATA,
	H2_HEADERS "again=" H2_EMPTY_DATA " pause=1",
	H2_HEADERS "again=%00%00%01%00%00%00%00%00%01a pause=5",
	"again=" H2_PING,
	"again=" H2_PING " pause=1",
	"again=" H2_SETTINGS,
	"again=" H2_SETTINGS " pause=1",
	"raw=%00%00%01%01%00%00%00%00%01%88 again=" H2_CONTINUATION,
	"raw=%00%00%01%01%00%00%00%00%01%88 again=" H2_CONTINUATION " pause=5",
	/* 103, again and again. */
	"again=%00%00%05%01%04%00%00%00%01%08%03103 pause=5",
	/* A frame that is longer than it says. */
	"raw=%ff%ff%ff%00%00%00%00%00%01 again=a pause=5",
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The bounds are far from what is expected, for machines that are busy. */
enum { SOON_MS = 10000 };

static void check_hostile(const char *script, const char *vars)
{
	uint64_t start = now_ms();
	int before = test_failed;
	struct op_answer a;
	struct pair p;

	pair_open(&p, script, vars, OP_SIGNAL_PROFILES);
	a = pair_send(&p, op_view_z("message"));
	CHECK_EQ(a.verdict, OP_VERDICT_RETRY);
	CHECK(!strncmp(a.text, "no response: ", 13));
	CHECK(now_ms() - start < SOON_MS);
	pair_close(&p);
	if (test_failed != before)
		fprintf(stderr, "  of '%s': %s\n", script, a.text);
}

TEST(hostile_servers)
{
	NEEDS_HTTP2;
	for (size_t i = 0; i < op_countof(hostile_http); i++)
		check_hostile(hostile_http[i], "TIMEOUT=300");
	for (size_t i = 0; i < op_countof(hostile_grpc); i++)
		check_hostile(hostile_grpc[i], "PROTOCOL=grpc TIMEOUT=300");
}

/* Without a timeout a flood ends by its size. */
TEST(floods_end)
{
	NEEDS_HTTP2;
	check_hostile(H2_HEADERS "again=" H2_EMPTY_DATA,
		      "PROTOCOL=grpc TIMEOUT=0");
	check_hostile("again=HTTP/1.1%20100%20Continue%0d%0a%0d%0a",
		      "TIMEOUT=0");
}

/* They cannot hold back who stops the client either. */
TEST(hostile_servers_are_stopped)
{
	NEEDS_HTTP2;
	for (size_t i = 0; i < op_countof(hostile_grpc); i++) {
		uint64_t start = now_ms();
		pthread_t thread;
		struct pair p;

		pair_open(&p, hostile_grpc[i], "PROTOCOL=grpc TIMEOUT=60000",
			  OP_SIGNAL_PROFILES);
		CHECK(!pthread_create(&thread, NULL, stop_soon, &p));
		CHECK_EQ(pair_send(&p, op_view_z("message")).verdict,
			 OP_VERDICT_RETRY);
		pthread_join(thread, NULL);
		CHECK(now_ms() - start < SOON_MS);
		pair_close(&p);
	}
}

TEST_MAIN(stopped, hostile_servers, floods_end, hostile_servers_are_stopped)
