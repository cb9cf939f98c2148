// SPDX-License-Identifier: Apache-2.0
/* The client against a server that answers as the row says. */
#include "rpc/client.h"

#include <stdlib.h>

#include "test.h"
#include "fmt/unpack.h"
#include "rpc/compress.h"
#include "serve/pair.h"
#include "write/wire.h"

static const uint64_t second = 1000000000;

/* --- what answers mean --- */

struct row {
	const char *script;
	int verdict;
	uint64_t delay_s;
	uint64_t rejected;
	const char *text; /* what it begins with */
};

/* RetryInfo of 3 s in a Status, and with the bytes of its text form. */
#define STATUS_LATER                                                         \
	"hex=080812056c617465721a300a28747970652e676f6f676c65617069732e636f" \
	"6d2f676f6f676c652e7270632e5265747279496e666f12040a020803"
#define DETAILS_LATER                                                      \
	"trailer=grpc-status-details-bin:CAgSBWxhdGVyGjAKKHR5cGUuZ29vZ2xl" \
	"YXBpcy5jb20vZ29vZ2xlLnJwYy5SZXRyeUluZm8SBAoCCAM"
#define PROTO "header=content-type:application/x-protobuf "

enum {
	DONE = OP_VERDICT_DONE,
	RETRY = OP_VERDICT_RETRY,
	REFUSED = OP_VERDICT_REFUSED
};

static const struct row http_rows[] = {
	{ "status=200", DONE, 0, 0, "" },
	{ "status=200 hex=0a00", DONE, 0, 0, "" },
	{ "status=202", DONE, 0, 0, "" },
	{ PROTO "hex=0a0408031200", DONE, 0, 3,
	  "the server rejected 3 profiles" },
	{ PROTO "hex=0a070803120374746c", DONE, 0, 3,
	  "the server rejected 3 profiles: ttl" },
	{ PROTO "hex=0a05120374746c", DONE, 0, 0, "the server warns: ttl" },
	{ PROTO "hex=ffff", DONE, 0, 0,
	  "the server accepted it, but the response is not valid OTLP" },
	{ "header=content-type:text/html body=hello", RETRY, 0, 0,
	  "not an OTLP response: HTTP 200 with a body of type text/html" },
	{ "header=content-type:text/html;charset=utf-8 body=%0a%00", RETRY, 0,
	  0, "not an OTLP response: HTTP 200 with a body" },
	{ "header=content-type:text/html", DONE, 0, 0, "" },
	{ "header=content-type:text/plain body=hello", RETRY, 0, 0,
	  "not an OTLP response: HTTP 200 with a body" },
	{ "body=%3chtml%3ehello", RETRY, 0, 0,
	  "not an OTLP response: HTTP 200 with a body of type unknown" },
	/* Some servers do not know the type of what they send. */
	{ "header=content-type:text/plain body=%7b%7d", DONE, 0, 0, "" },
	{ "header=content-type:text/plain "
	  "body=%7b%22partialSuccess%22:%7b%22rejectedProfiles%22:2%7d%7d",
	  DONE, 0, 2, "the server rejected 2 profiles" },
	{ "header=content-type:application/octet-stream hex=0a0408031200", DONE,
	  0, 3, "the server rejected 3 profiles" },
	{ "status=301 header=location:http://127.0.0.1:1/", REFUSED, 0, 0,
	  "HTTP 301" },
	{ "status=400 " PROTO "hex=0803120362616415", REFUSED, 0, 0,
	  "HTTP 400" },
	{ "status=400 " PROTO "hex=08031203626164", REFUSED, 0, 0,
	  "HTTP 400: bad" },
	{ "status=400 header=content-type:application/json "
	  "body=%7b%22message%22:%22bad%20%5cn%20one%22%7d",
	  REFUSED, 0, 0, "HTTP 400: bad one" },
	{ "status=400 header=content-type:text/plain body=no%0d%0aidea",
	  REFUSED, 0, 0, "HTTP 400: no" },
	{ "status=400 header=content-type:text/plain "
	  "body=%0a%0d%0a%1b%5b31mred%07%0a",
	  REFUSED, 0, 0, "HTTP 400: [31mred" },
	{ "status=400 header=content-type:text/plain "
	  "body=a%c2%9b31mb%7f%ffc",
	  REFUSED, 0, 0,
	  "HTTP 400: a 31mb \xef\xbf\xbd"
	  "c" },
	{ "status=400 body=no%20type", REFUSED, 0, 0, "HTTP 400: no type" },
	{ "status=400 header=content-type:application/json body=no%20JSON",
	  REFUSED, 0, 0, "HTTP 400: no JSON" },
	{ "status=400 header=content-type:application/json "
	  "body=%7b%22error%22:%22bad%20token%22%7d",
	  REFUSED, 0, 0, "HTTP 400: bad token" },
	{ "status=400 header=content-type:application/json body=%7b%22error%22:"
	  "%7b%22code%22:3,%22message%22:%22bad%20token%22%7d%7d",
	  REFUSED, 0, 0, "HTTP 400: bad token" },
	{ "status=400 header=content-type:application/problem+json "
	  "body=%7b%22detail%22:%22gone%22%7d",
	  REFUSED, 0, 0, "HTTP 400: gone" },
	{ "status=401", REFUSED, 0, 0, "HTTP 401" },
	{ "status=403", REFUSED, 0, 0, "HTTP 403" },
	{ "status=404", REFUSED, 0, 0, "HTTP 404" },
	{ "status=405", REFUSED, 0, 0, "HTTP 405" },
	{ "status=408", REFUSED, 0, 0, "HTTP 408" },
	{ "status=413", REFUSED, 0, 0, "HTTP 413" },
	{ "status=415", REFUSED, 0, 0, "HTTP 415" },
	{ "status=429", RETRY, 0, 0, "HTTP 429" },
	{ "status=429 header=retry-after:7", RETRY, 7, 0, "HTTP 429" },
	{ "status=429 header=Retry-After:%20120%20", RETRY, 120, 0,
	  "HTTP 429" },
	{ "status=429 header=retry-after:soon", RETRY, 0, 0, "HTTP 429" },
	{ "status=429 header=retry-after:Sun,%2006%20Nov%201994%2008:49:37"
	  "%20GMT",
	  RETRY, 0, 0, "HTTP 429" },
	{ "status=429 " PROTO STATUS_LATER, RETRY, 3, 0, "HTTP 429: later" },
	{ "status=429 header=retry-after:7 " PROTO STATUS_LATER, RETRY, 7, 0,
	  "HTTP 429: later" },
	{ "status=500", REFUSED, 0, 0, "HTTP 500" },
	{ "status=500 header=retry-after:7", REFUSED, 0, 0, "HTTP 500" },
	{ "status=501", REFUSED, 0, 0, "HTTP 501" },
	{ "status=502", RETRY, 0, 0, "HTTP 502" },
	{ "status=503", RETRY, 0, 0, "HTTP 503" },
	{ "status=503 header=retry-after:2", RETRY, 2, 0, "HTTP 503" },
	{ "status=504", RETRY, 0, 0, "HTTP 504" },
	{ "status=505", REFUSED, 0, 0, "HTTP 505" },
	{ "close", RETRY, 0, 0, "no response: " },
	{ "reset", RETRY, 0, 0, "no response: " },
	{ "garbage", RETRY, 0, 0, "no response: " },
	{ "cut body=hello", RETRY, 0, 0, "no response: " },
	{ "raw=HTTP/1.1%20100%20Continue%0d%0a%0d%0a", RETRY, 0, 0,
	  "no response: only an interim response was received, HTTP 100" },
	{ "raw=HTTP/1.1%20101%20Go%20on%0d%0aUpgrade:%20h2c%0d%0a%0d%0aok",
	  RETRY, 0, 0, "no response: " },
	{ "raw=HTTP/1.1%20103%20x%0d%0aRetry-After:%207%0d%0a%0d%0a", RETRY, 0,
	  0, "no response: only an interim response was received, HTTP 103" },
	{ "raw=HTTP/1.1%20100%20x%0d%0a%0d%0aHTTP/1.1%20200%20x%0d%0a%0d%0a",
	  DONE, 0, 0, "" },
	{ "status=400 cut body=hello", REFUSED, 0, 0, "HTTP 400" },
	{ "early status=413", REFUSED, 0, 0, "HTTP 413" },
	{ "status=400 fill=4194304", REFUSED, 0, 0, "HTTP 400" },
	{ "status=400 fill=4194305", REFUSED, 0, 0,
	  "HTTP 400: the response has more than 4194304 bytes" },
	{ "status=503 fill=4194305", REFUSED, 0, 0,
	  "HTTP 503: the response has more than 4194304 bytes" },
	{ "fill=4194305", REFUSED, 0, 0,
	  "HTTP 200: the response has more than 4194304 bytes" },
};

static const struct row grpc_rows[] = {
	{ "grpc=0", DONE, 0, 0, "" },
	{ "hex=0000000000 grpc=0 length", DONE, 0, 0, "" },
	{ "hex=00000000060a0408031200 grpc=0", DONE, 0, 3,
	  "the server rejected 3 profiles" },
	{ "hex=00000000060a0408031200 grpc=0 length", DONE, 0, 3,
	  "the server rejected 3 profiles" },
	/* The same in gzip. */
	{ "hex=010000001a1f8b0800000000000203e362e1601662000060c2df5a06000000 "
	  "grpc=0",
	  DONE, 0, 3, "the server rejected 3 profiles" },
	{ "hex=00000000070a05120374746c grpc=0", DONE, 0, 0,
	  "the server warns: ttl" },
	{ "hex=01000000020a00 grpc=0", DONE, 0, 0,
	  "the server accepted it, but the response is not valid OTLP" },
	{ "body=hello%20world grpc=0", DONE, 0, 0,
	  "the server accepted it, but the response is not valid OTLP" },
	{ "grpc=1", RETRY, 0, 0, "gRPC CANCELLED" },
	{ "grpc=2", REFUSED, 0, 0, "gRPC UNKNOWN" },
	{ "grpc=3 trailer=grpc-message:bad%2520thing", REFUSED, 0, 0,
	  "gRPC INVALID_ARGUMENT: bad thing" },
	{ "grpc=4", RETRY, 0, 0, "gRPC DEADLINE_EXCEEDED" },
	{ "grpc=5", REFUSED, 0, 0, "gRPC NOT_FOUND" },
	{ "grpc=6", REFUSED, 0, 0, "gRPC ALREADY_EXISTS" },
	{ "grpc=7", REFUSED, 0, 0, "gRPC PERMISSION_DENIED" },
	{ "grpc=8", REFUSED, 0, 0, "gRPC RESOURCE_EXHAUSTED" },
	{ "grpc=8 " DETAILS_LATER, RETRY, 3, 0,
	  "gRPC RESOURCE_EXHAUSTED: later" },
	{ "grpc=8 " DETAILS_LATER "=", RETRY, 3, 0,
	  "gRPC RESOURCE_EXHAUSTED: later" },
	{ "grpc=8 trailer=grpc-status-details-bin:CAg", REFUSED, 0, 0,
	  "gRPC RESOURCE_EXHAUSTED" },
	{ "grpc=9", REFUSED, 0, 0, "gRPC FAILED_PRECONDITION" },
	{ "grpc=10", RETRY, 0, 0, "gRPC ABORTED" },
	{ "grpc=11", RETRY, 0, 0, "gRPC OUT_OF_RANGE" },
	{ "grpc=12", REFUSED, 0, 0, "gRPC UNIMPLEMENTED" },
	{ "grpc=13", REFUSED, 0, 0, "gRPC INTERNAL" },
	{ "grpc=14", RETRY, 0, 0, "gRPC UNAVAILABLE" },
	{ "grpc=14 " DETAILS_LATER, RETRY, 3, 0, "gRPC UNAVAILABLE" },
	{ "grpc=15", RETRY, 0, 0, "gRPC DATA_LOSS" },
	{ "grpc=16", REFUSED, 0, 0, "gRPC UNAUTHENTICATED" },
	{ "grpc=17", REFUSED, 0, 0, "gRPC status 17" },
	{ "grpc=what", REFUSED, 0, 0, "gRPC status -1" },
	/* Without a status of gRPC that of HTTP counts, but not as success. */
	{ "status=200", RETRY, 0, 0, "no response: " },
	{ "status=200 hex=0000000000 length", RETRY, 0, 0, "no response: " },
	{ "status=204", REFUSED, 0, 0, "HTTP 204" },
	{ "status=400", REFUSED, 0, 0, "HTTP 400" },
	{ "status=401", REFUSED, 0, 0, "HTTP 401" },
	{ "status=404 header=content-type:text/plain body=page%20not%20found",
	  REFUSED, 0, 0, "HTTP 404: page not found" },
	{ "status=429 header=retry-after:7", RETRY, 7, 0, "HTTP 429" },
	{ "status=503", RETRY, 0, 0, "HTTP 503" },
	{ "close", RETRY, 0, 0, "no response: " },
	{ "reset", RETRY, 0, 0, "no response: " },
	{ "garbage", RETRY, 0, 0, "no response: " },
	{ "cut body=hello grpc=0", RETRY, 0, 0, "no response: " },
	/* 103 with a grpc-status, as the end of the stream and before it. */
	{ "raw=%00%00%14%01%05%00%00%00%01%08%03103%00%0bgrpc-status%010",
	  RETRY, 0, 0, "no response: " },
	{ "raw=%00%00%14%01%04%00%00%00%01%08%03103%00%0bgrpc-status%010",
	  RETRY, 0, 0, "no response: " },
	{ "grpc=3 fill=4194305", REFUSED, 0, 0,
	  "HTTP 200: the response has more than 4194304 bytes" },
};

static void check_row(const struct row *row, const char *vars)
{
	struct pair p;
	struct op_answer a;
	int before = test_failed;

	pair_open(&p, row->script, vars, OP_SIGNAL_PROFILES);
	a = pair_send(&p, op_view("message", 7));
	CHECK_EQ(a.verdict, row->verdict);
	CHECK_EQ(a.delay_ns, row->delay_s * second);
	CHECK_EQ(a.rejected, row->rejected);
	if (strncmp(a.text, row->text, strlen(row->text)) ||
	    (!*row->text && *a.text))
		TEST_FAIL("text is '%.70s', not '%.70s'", a.text, row->text);
	if (test_failed != before)
		fprintf(stderr, "  in row '%.70s' of %s\n", row->script, vars);
	pair_close(&p);
}

TEST(http_answers)
{
	NEEDS_HTTP;
	for (size_t i = 0; i < op_countof(http_rows); i++)
		check_row(&http_rows[i], "PROTOCOL=http/protobuf");
}

TEST(grpc_answers)
{
	NEEDS_HTTP2;
	for (size_t i = 0; i < op_countof(grpc_rows); i++)
		check_row(&grpc_rows[i], "PROTOCOL=grpc");
}

static const struct row json_rows[] = {
	{ "header=content-type:application/json body=%7b%7d", DONE, 0, 0, "" },
	{ "body=%7b%22partialSuccess%22:%7b%22rejectedProfiles%22:%222%22%7d"
	  "%7d",
	  DONE, 0, 2, "the server rejected 2 profiles" },
	{ "status=503 body=%7b%22message%22:%22busy%22%7d", RETRY, 0, 0,
	  "HTTP 503: busy" },
};

static const char empty_profile[] = "1{2{2{}}} 2{" WIRE_ZERO_ROWS "}";

TEST(json_answers)
{
	struct wire w = { 0 };

	NEEDS_HTTP;
	wire_set(&w, empty_profile);
	for (size_t i = 0; i < op_countof(json_rows); i++) {
		struct pair p;
		struct op_answer a;

		pair_open(&p, json_rows[i].script, "PROTOCOL=http/json",
			  OP_SIGNAL_PROFILES);
		a = pair_send(&p, wire_view(&w));
		CHECK_EQ(a.verdict, json_rows[i].verdict);
		CHECK_EQ(a.rejected, json_rows[i].rejected);
		CHECK_STR(a.text, json_rows[i].text);
		pair_close(&p);
	}
}

/* --- what is sent --- */

static const struct {
	const char *vars;
	enum op_signal signal;
	int version;
	const char *first;	/* of the head */
	const char *headers[6]; /* "name: value" or, if absent, "name" */
} requests[] = {
	{ "PROTOCOL=http/protobuf",
	  OP_SIGNAL_PROFILES,
	  1,
	  "POST /v1development/profiles\n",
	  { "content-type: application/x-protobuf", "content-encoding",
	    "expect", "transfer-encoding", "accept-encoding: gzip",
	    "user-agent: otprof/" OTPROF_VERSION
	    " OTel-OTLP-Exporter-C/" OTPROF_VERSION } },
	{ "PROTOCOL=http/protobuf",
	  OP_SIGNAL_LOGS,
	  1,
	  "POST /v1/logs\n",
	  { "content-type: application/x-protobuf" } },
	{ "COMPRESSION=gzip HEADERS=api-key=a%20b,empty=,x=1",
	  OP_SIGNAL_PROFILES,
	  1,
	  "POST /v1development/profiles\n",
	  { "content-encoding: gzip", "api-key: a b", "empty: ", "x: 1" } },
	{ "COMPRESSION=zstd",
	  OP_SIGNAL_PROFILES,
	  1,
	  "POST /v1development/profiles\n",
	  { "content-encoding: zstd" } },
	{ "HEADERS=user-agent=mine",
	  OP_SIGNAL_PROFILES,
	  1,
	  "POST /v1development/profiles\n",
	  { "user-agent: mine" } },
	{ "PROTOCOL=grpc TIMEOUT=5000",
	  OP_SIGNAL_PROFILES,
	  2,
	  "POST /opentelemetry.proto.collector.profiles.v1development."
	  "ProfilesService/Export\n",
	  { "content-type: application/grpc+proto", "te: trailers",
	    "grpc-timeout: 5000m", "grpc-encoding",
	    "grpc-accept-encoding: identity,gzip,zstd",
	    "user-agent: otprof/" OTPROF_VERSION
	    " OTel-OTLP-Exporter-C/" OTPROF_VERSION } },
	{ "PROTOCOL=grpc TIMEOUT=0 COMPRESSION=gzip HEADERS=API-Key=a",
	  OP_SIGNAL_LOGS,
	  2,
	  "POST /opentelemetry.proto.collector.logs.v1.LogsService/Export\n",
	  { "grpc-encoding: gzip", "grpc-timeout", "api-key: a",
	    "content-encoding" } },
	{ "PROTOCOL=grpc COMPRESSION=zstd",
	  OP_SIGNAL_PROFILES,
	  2,
	  "POST /opentelemetry.proto.collector.profiles.v1development."
	  "ProfilesService/Export\n",
	  { "grpc-encoding: zstd" } },
};

static void check_headers(const struct serve_request *r,
			  const char *const *headers)
{
	for (size_t i = 0; i < 6 && headers[i]; i++) {
		size_t n = strcspn(headers[i], ":");
		char name[64];
		const char *value;

		snprintf(name, sizeof(name), "%.*s", (int)n, headers[i]);
		value = serve_header(r, name);
		CHECK_STR(value, headers[i][n] ? headers[i] + n + 2 : NULL);
	}
}

/* The message that came, unframed and unpacked, is the one that went. */
static void check_body(const struct serve_request *r, struct op_view message)
{
	struct op_view body = op_view(r->body, r->n);
	const char *grpc = serve_header(r, "grpc-encoding");
	const char *http = serve_header(r, "content-encoding");
	bool is_packed = grpc || http;
	struct op_err err = { 0 };
	struct op_buf plain = { .err = &err };

	if (r->version == 2) {
		CHECK(body.n >= 5 && body.p[0] == is_packed);
		CHECK_EQ(body.p[1] << 24 | body.p[2] << 16 | body.p[3] << 8 |
				 body.p[4],
			 body.n - 5);
		body = op_view(body.p + 5, body.n - 5);
	}
	if (is_packed) {
		CHECK_EQ(op_unpack(body, &plain), OP_OK);
		body = op_view(plain.p, plain.n);
	}
	CHECK(op_view_eq(body, message));
	op_buf_free(&plain);
}

TEST(what_is_sent)
{
	NEEDS_HTTP2;
	for (size_t i = 0; i < op_countof(requests); i++) {
		struct pair p;
		struct op_view message = op_view_z("the message as it is");
		int before = test_failed;
		const struct serve_request *r;

		pair_open(&p, requests[i].version == 2 ? "grpc=0" : "",
			  requests[i].vars, requests[i].signal);
		CHECK_EQ(pair_send(&p, message).verdict, DONE);
		CHECK_EQ(serve_nr(p.s), 1);
		r = serve_at(p.s, 0);
		CHECK_EQ(r->version, requests[i].version);
		CHECK(!strncmp(r->head, requests[i].first,
			       strlen(requests[i].first)));
		check_headers(r, requests[i].headers);
		check_body(r, message);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s':\n%s\n",
				requests[i].vars, r->head);
		pair_close(&p);
	}
}

/* A message of many frames arrives whole, by each protocol. */
static void check_large(const char *script, const char *vars)
{
	enum { BYTES = 3000000 };
	uint8_t *bytes = malloc(BYTES);
	struct pair p;

	for (uint32_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 2654435761u >> 24);
	pair_open(&p, script, vars, OP_SIGNAL_PROFILES);
	CHECK_EQ(pair_send(&p, op_view(bytes, BYTES)).verdict, DONE);
	CHECK_EQ(serve_nr(p.s), 1);
	check_body(serve_at(p.s, 0), op_view(bytes, BYTES));
	pair_close(&p);
	free(bytes);
}

TEST(large_messages)
{
	NEEDS_HTTP2;
	check_large("", "PROTOCOL=http/protobuf");
	check_large("", "COMPRESSION=gzip");
	check_large("grpc=0", "PROTOCOL=grpc");
	check_large("grpc=0", "PROTOCOL=grpc COMPRESSION=zstd");
}

TEST(json_is_sent)
{
	static const char log[] = "1{2{2{5{1'hello'}}}}";
	struct wire w = { 0 };
	struct pair p;
	const struct serve_request *r;

	NEEDS_HTTP;
	wire_set(&w, empty_profile);
	pair_open(&p, "", "PROTOCOL=http/json", OP_SIGNAL_PROFILES);
	CHECK_EQ(pair_send(&p, wire_view(&w)).verdict, DONE);
	r = serve_at(p.s, 0);
	CHECK_STR(serve_header(r, "content-type"), "application/json");
	CHECK(strstr((const char *)r->body, "{\"resourceProfiles\":["));
	pair_close(&p);

	wire_set(&w, log);
	pair_open(&p, "", "PROTOCOL=http/json COMPRESSION=gzip",
		  OP_SIGNAL_LOGS);
	CHECK_EQ(pair_send(&p, wire_view(&w)).verdict, DONE);
	r = serve_at(p.s, 0);
	CHECK_STR(serve_header(r, "content-encoding"), "gzip");
	pair_close(&p);
}

/* What cannot be read cannot be sent as JSON, now or later. */
TEST(json_of_garbage)
{
	struct pair p;
	struct op_answer a;

	NEEDS_HTTP;
	pair_open(&p, "", "PROTOCOL=http/json", OP_SIGNAL_PROFILES);
	a = pair_send(&p, op_view("\xff", 1));
	CHECK_EQ(a.verdict, REFUSED);
	CHECK(!strncmp(a.text, "not sent: ", 10));
	CHECK_EQ(serve_nr(p.s), 0);
	pair_close(&p);
}

TEST(json_over_the_limit)
{
	struct wire w = { 0 };
	struct pair p;
	struct op_answer a;

	NEEDS_HTTP;
	wire_set(&w, empty_profile);
	pair_open(&p, "", "PROTOCOL=http/json COMPRESSION=gzip",
		  OP_SIGNAL_PROFILES);
	p.to.max_request = w.n;
	a = pair_send(&p, wire_view(&w));
	CHECK_EQ(a.verdict, REFUSED);
	CHECK(!strncmp(a.text, "not sent: as JSON, ", 19));
	CHECK_EQ(serve_nr(p.s), 0);
	pair_close(&p);
}

/* The limit of an answer is for what it unpacks to. */
static void check_packed(size_t bytes, int verdict)
{
	struct op_err err = { 0 };
	struct op_buf packed = { .err = &err }, script = { .err = &err };
	uint8_t *plain = calloc(bytes, 1);
	struct op_answer a;
	struct pair p;

	op_compress(OP_COMPRESSION_GZIP, op_view(plain, bytes), &packed);
	op_buf_z(&script, "status=503 header=content-encoding:gzip hex=");
	op_buf_hex(&script, op_view(packed.p, packed.n));
	op_buf_byte(&script, 0);
	CHECK(!err.code && packed.n < 10000);
	pair_open(&p, (const char *)script.p, "", OP_SIGNAL_PROFILES);
	a = pair_send(&p, op_view_z("message"));
	CHECK_EQ(a.verdict, verdict);
	pair_close(&p);
	op_buf_free(&script);
	op_buf_free(&packed);
	free(plain);
}

TEST(packed_answers)
{
	NEEDS_HTTP;
	check_packed(1000, RETRY);
	check_packed(4 << 20, RETRY);
	check_packed((4 << 20) + 1, REFUSED);
}

/* A little that unpacks to a lot. gRPC says whether it was taken in a trailer,
 * and the rest of the answer is then not looked at. */
TEST(packed_answers_of_grpc)
{
	enum { BYTES = 64 << 20 };
	struct op_err err = { 0 };
	struct op_buf packed = { .err = &err }, script = { .err = &err };
	uint8_t *plain = calloc(BYTES, 1);
	struct op_answer a;
	struct pair p;

	NEEDS_HTTP2;
	op_compress(OP_COMPRESSION_GZIP, op_view(plain, BYTES), &packed);
	op_buf_printf(&script, "hex=01%08zx", packed.n);
	op_buf_hex(&script, op_view(packed.p, packed.n));
	op_buf_z(&script, " grpc=0");
	op_buf_byte(&script, 0);
	CHECK(!err.code);
	pair_open(&p, (const char *)script.p, "PROTOCOL=grpc",
		  OP_SIGNAL_PROFILES);
	a = pair_send(&p, op_view_z("message"));
	CHECK_EQ(a.verdict, DONE);
	CHECK_STR(a.text,
		  "the server accepted it, but the response is not valid "
		  "OTLP");
	pair_close(&p);
	op_buf_free(&script);
	op_buf_free(&packed);
	free(plain);
}

TEST(over_the_limit)
{
	struct pair p;
	struct op_answer a;

	NEEDS_HTTP;
	pair_open(&p, "", "", OP_SIGNAL_PROFILES);
	p.to.max_request = 10;
	CHECK_EQ(pair_send(&p, op_view_z("1234567890")).verdict, DONE);
	a = pair_send(&p, op_view_z("12345678901"));
	CHECK_EQ(a.verdict, REFUSED);
	CHECK_STR(a.text, "not sent: 11 bytes exceed the limit of 10");
	CHECK_EQ(serve_nr(p.s), 1);
	pair_close(&p);
}

/* --- connections --- */

/* Two signals of one endpoint, one behind the other, share a connection. */
static void check_reuse(const char *script, const char *vars)
{
	struct op_rpc_config logs;
	struct op_err err = { 0 };
	struct op_answer a;
	struct pair p;

	pair_open(&p, script, vars, OP_SIGNAL_PROFILES);
	CHECK(!op_rpc_config_read(&logs, OP_SIGNAL_LOGS, NULL, &p.e, &err));
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(pair_send(&p, op_view_z("profiles")).verdict, DONE);
		op_client_send(p.c, &logs, op_view_z("logs"), &a);
		CHECK_EQ(a.verdict, DONE);
	}
	CHECK_EQ(serve_nr(p.s), 6);
	CHECK_EQ(serve_at(p.s, 5)->connection, 1);
	op_rpc_config_free(&logs);
	pair_close(&p);
}

/* Row 12 of docs/formats/splunk.md. */
TEST(connections_are_reused)
{
	NEEDS_HTTP2;
	check_reuse("", "PROTOCOL=http/protobuf");
	check_reuse("grpc=0", "PROTOCOL=grpc");
}

/* After any failure the next message goes over a new connection. */
static void check_recovery(const char *script, const char *vars)
{
	struct pair p;

	pair_open(&p, script, vars, OP_SIGNAL_PROFILES);
	CHECK_EQ(pair_send(&p, op_view_z("one")).verdict, DONE);
	CHECK_EQ(pair_send(&p, op_view_z("two")).verdict, RETRY);
	CHECK_EQ(pair_send(&p, op_view_z("two")).verdict, DONE);
	pair_close(&p);
}

TEST(connections_recover)
{
	NEEDS_HTTP2;
	check_recovery("\nstatus=503\n ", "");
	check_recovery("body=\ngarbage\nbody=", "");
	check_recovery("body=\ncut body=hello\nbody=", "");
	check_recovery("grpc=0\ngrpc=14\ngrpc=0", "PROTOCOL=grpc");
	check_recovery("grpc=0\nreset\ngrpc=0", "PROTOCOL=grpc");
	check_recovery("grpc=0\ncut body=hello\ngrpc=0", "PROTOCOL=grpc");
}

/* A server may close a connection that is kept: the message goes over a new
 * one, at the latest when it is tried again. */
static void check_closed(const char *script, const char *vars)
{
	struct pair p;
	struct op_answer a;

	pair_open(&p, script, vars, OP_SIGNAL_PROFILES);
	CHECK_EQ(pair_send(&p, op_view_z("one")).verdict, DONE);
	a = pair_send(&p, op_view_z("two"));
	CHECK(a.verdict != OP_VERDICT_REFUSED);
	CHECK_EQ(pair_send(&p, op_view_z("three")).verdict, DONE);
	CHECK_EQ(pair_send(&p, op_view_z("four")).verdict, DONE);
	CHECK_EQ(serve_at(p.s, serve_nr(p.s) - 1)->connection,
		 serve_at(p.s, serve_nr(p.s) - 2)->connection);
	pair_close(&p);
}

TEST(connections_are_closed)
{
	NEEDS_HTTP2;
	check_closed("body=\nclose\nbody=", "");
	check_closed("body=\nreset\nbody=", "");
	check_closed("grpc=0\nclose\ngrpc=0", "PROTOCOL=grpc");
}

TEST(nobody_listens)
{
	struct pair p;
	struct op_answer a;
	struct op_rpc_config to;

	NEEDS_HTTP;
	pair_open(&p, "", "", OP_SIGNAL_PROFILES);
	serve_stop(p.s);
	a = pair_send(&p, op_view_z("message"));
	CHECK_EQ(a.verdict, RETRY);
	CHECK(!strncmp(a.text, "no response: ", 13));
	to = p.to;
	op_client_free(p.c);
	op_rpc_config_free(&to);
}

TEST(nobody_answers)
{
	static const char *const vars[] = { "TIMEOUT=50",
					    "PROTOCOL=grpc TIMEOUT=50" };

	NEEDS_HTTP2;
	for (size_t i = 0; i < op_countof(vars); i++) {
		struct pair p;
		struct op_answer a;

		pair_open(&p, "hang", vars[i], OP_SIGNAL_PROFILES);
		a = pair_send(&p, op_view_z("message"));
		CHECK_EQ(a.verdict, RETRY);
		CHECK(!strncmp(a.text, "no response: ", 13));
		pair_close(&p);
	}
}

/* Without memory nothing is lost: it goes whole, or may be tried again. */
TEST(oom)
{
	struct pair p;
	struct wire w = { 0 };

	NEEDS_HTTP;
	wire_set(&w, empty_profile);
	pair_open(&p, "body=%7b%7d", "PROTOCOL=http/json COMPRESSION=gzip",
		  OP_SIGNAL_PROFILES);
	EACH_ALLOC_FAILS(k) {
		struct op_answer a = pair_send(&p, wire_view(&w));

		CHECK(a.verdict == OP_VERDICT_DONE ||
		      (a.verdict == OP_VERDICT_RETRY && op_alloc_failed()));
	}
	for (size_t i = 1; i < serve_nr(p.s); i++) {
		const struct serve_request *r = serve_at(p.s, i);
		const struct serve_request *first = serve_at(p.s, 0);

		CHECK(op_view_eq(op_view(r->body, r->n),
				 op_view(first->body, first->n)));
	}
	pair_close(&p);
}

TEST_MAIN(http_answers, grpc_answers, json_answers, what_is_sent,
	  large_messages, json_is_sent, json_of_garbage, json_over_the_limit,
	  packed_answers, packed_answers_of_grpc, over_the_limit,
	  connections_are_reused, connections_recover, connections_are_closed,
	  nobody_listens, nobody_answers, oom)
