// SPDX-License-Identifier: Apache-2.0
#include "rpc/config.h"

#include "test.h"
#include "write/env.h"

/* What a row does not say is as it is without any variable. */
struct row {
	const char *name;
	struct env env;
	struct op_rpc_opts opts;
	enum op_signal signal;
	const char *url;
	enum op_protocol protocol;
	enum op_compression compression;
	uint64_t timeout_ms;
	const char *headers; /* a line each */
	const char *warnings;
};

#define DEFAULT_URL "http://localhost:4318/v1development/profiles"
#define GRPC_PATH                                                \
	"/opentelemetry.proto.collector.profiles.v1development." \
	"ProfilesService/Export"
#define LOGS_PATH "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
#define OTLP "OTEL_EXPORTER_OTLP_"

static const struct row rows[] = {
	{ .name = "nothing" },
	{ .name = "empty is unset",
	  .env = { .vars = { OTLP "ENDPOINT=", OTLP "CERTIFICATE=",
			     OTLP "COMPRESSION=", OTLP "PROTOCOL=",
			     OTLP "TIMEOUT=", OTLP "HEADERS=",
			     OTLP "INSECURE=" } } },
	{ .name = "general endpoint",
	  .env = { .vars = { OTLP "ENDPOINT=http://h:1/x" } },
	  .url = "http://h:1/x/v1development/profiles" },
	{ .name = "endpoint of the signal",
	  .env = { .vars = { OTLP "ENDPOINT=http://h:1/x",
			     OTLP "PROFILES_ENDPOINT=http://g:2/y" } },
	  .url = "http://g:2/y" },
	{ .name = "endpoint of another signal",
	  .env = { .vars = { OTLP "LOGS_ENDPOINT=http://g:2/y" } } },
	{ .name = "endpoint as an option",
	  .env = { .vars = { OTLP "PROFILES_ENDPOINT=http://g:2/y" } },
	  .opts = { .endpoint = "http://o:3/x" },
	  .url = "http://o:3/x" },
	{ .name = "endpoint as an option, without a path",
	  .env = { .vars = { OTLP "PROFILES_ENDPOINT=http://g:2/y" } },
	  .opts = { .endpoint = "http://o:3" },
	  .url = "http://o:3/v1development/profiles" },
	{ .name = "endpoint as an option, with the shortest path",
	  .opts = { .endpoint = "http://o:3/" },
	  .url = "http://o:3/" },
	{ .name = "bad endpoint",
	  .env = { .vars = { OTLP "ENDPOINT=http://h:1",
			     OTLP "PROFILES_ENDPOINT=g:2" } },
	  .url = "http://h:1/v1development/profiles",
	  .warnings = OTLP "PROFILES_ENDPOINT=g:2 is ignored: it must begin "
			   "with http:// or https://" },
	{ .name = "bad endpoint with a password",
	  .env = { .vars = { OTLP "ENDPOINT=ftp://me:secret@h" } },
	  .warnings = OTLP "ENDPOINT=... is ignored: it must begin with "
			   "http:// or https://" },
	{ .name = "logs",
	  .env = { .vars = { OTLP "ENDPOINT=http://h:1" } },
	  .signal = OP_SIGNAL_LOGS,
	  .url = "http://h:1/v1/logs" },
	{ .name = "grpc",
	  .env = { .vars = { OTLP "PROTOCOL=grpc" } },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "http://localhost:4317" GRPC_PATH },
	{ .name = "grpc without a scheme",
	  .env = { .vars = { OTLP "PROTOCOL=grpc", OTLP "ENDPOINT=h:4317" } },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "https://h:4317" GRPC_PATH },
	{ .name = "grpc, insecure",
	  .env = { .vars = { OTLP "PROTOCOL=GRPC", OTLP "ENDPOINT=h:4317",
			     OTLP "INSECURE=True" } },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "http://h:4317" GRPC_PATH },
	{ .name = "grpc, insecure by the signal",
	  .env = { .vars = { OTLP "PROTOCOL=grpc",
			     OTLP "PROFILES_ENDPOINT=h:4317",
			     OTLP "INSECURE=true",
			     OTLP "PROFILES_INSECURE=false" } },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "https://h:4317" GRPC_PATH },
	{ .name = "grpc, a scheme counts first",
	  .env = { .vars = { OTLP "PROTOCOL=grpc",
			     OTLP "ENDPOINT=https://h:4317",
			     OTLP "INSECURE=true" } },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "https://h:4317" GRPC_PATH },
	{ .name = "bad insecure",
	  .env = { .vars = { OTLP "INSECURE=yes" } },
	  .warnings = OTLP "INSECURE=yes is ignored: expected true or false" },
	{ .name = "grpc with a path",
	  .env = { .vars = { OTLP "PROTOCOL=grpc",
			     OTLP "ENDPOINT=http://h:1/x" } },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "http://h:1" GRPC_PATH,
	  .warnings = "the path in " OTLP "ENDPOINT is ignored: gRPC has its "
		      "own" },
	{ .name = "json of the signal",
	  .env = { .vars = { OTLP "PROTOCOL=grpc",
			     OTLP "PROFILES_PROTOCOL=http/JSON" } },
	  .protocol = OP_PROTOCOL_JSON },
	{ .name = "bad protocol of the signal",
	  .env = { .vars = { OTLP "PROTOCOL=http/json",
			     OTLP "PROFILES_PROTOCOL=http" } },
	  .protocol = OP_PROTOCOL_JSON,
	  .warnings = OTLP "PROFILES_PROTOCOL=http is ignored: "
			   "expected http/protobuf, grpc or http/json" },
	{ .name = "protocol as an option",
	  .env = { .vars = { OTLP "PROTOCOL=grpc" } },
	  .opts = { .protocol = "http/protobuf" } },
	{ .name = "gzip",
	  .env = { .vars = { OTLP "COMPRESSION=GZIP" } },
	  .compression = OP_COMPRESSION_GZIP },
	{ .name = "zstd",
	  .env = { .vars = { OTLP "COMPRESSION=gzip",
			     OTLP "PROFILES_COMPRESSION=zstd" } },
	  .compression = OP_COMPRESSION_ZSTD },
	{ .name = "bad compression",
	  .env = { .vars = { OTLP "COMPRESSION=bro\ntli" } },
	  .warnings = OTLP "COMPRESSION=bro tli is ignored: expected none, "
			   "gzip or zstd" },
	{ .name = "timeout",
	  .env = { .vars = { OTLP "TIMEOUT=500" } },
	  .timeout_ms = 500 },
	{ .name = "negative timeout",
	  .env = { .vars = { OTLP "TIMEOUT=-1" } },
	  .warnings = OTLP "TIMEOUT=-1 is ignored: expected a number of "
			   "milliseconds" },
	{ .name = "timeout with a unit",
	  .env = { .vars = { OTLP "TIMEOUT=10s",
			     OTLP "PROFILES_TIMEOUT=99999999999" } },
	  .warnings = OTLP "PROFILES_TIMEOUT=99999999999 is ignored: "
			   "expected a number of milliseconds\n" OTLP
			   "TIMEOUT=10s is ignored: expected a number of "
			   "milliseconds" },
	{ .name = "headers",
	  .env = { .vars = { OTLP "HEADERS=Api-Key=a%20b, x = 1 ,empty=" } },
	  .headers = "Api-Key: a b\nx: 1\nempty: \n" },
	{ .name = "headers of the signal",
	  .env = { .vars = { OTLP "HEADERS=a", OTLP "PROFILES_HEADERS=b=2" } },
	  .headers = "b: 2\n" },
	{ .name = "headers of gRPC are lower case",
	  .env = { .vars = { OTLP "HEADERS=Api-Key=AbC",
			     OTLP "PROTOCOL=grpc" } },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "http://localhost:4317" GRPC_PATH,
	  .headers = "api-key: AbC\n" },
	{ .name = "bad headers, which may be secret",
	  .env = { .vars = { OTLP "HEADERS=a=1,secret" } },
	  .warnings = OTLP "HEADERS=... is ignored: '=' is missing" },
	{ .name = "headers in headers",
	  .env = { .vars = { OTLP "HEADERS=a=1%0d%0ab: 2" } },
	  .warnings = OTLP "HEADERS=... is ignored: no headers found" },
	{ .name = "bad name of a header",
	  .env = { .vars = { OTLP "HEADERS=a b=1" } },
	  .warnings = OTLP "HEADERS=... is ignored: no headers found" },
	{ .name = "headers that are ours",
	  .env = { .vars = { OTLP "HEADERS=Content-Type=text/plain" } },
	  .warnings = OTLP "HEADERS=... is ignored: Content-Type cannot be "
			   "set" },
	{ .name = "key without a certificate",
	  .env = { .vars = { OTLP "CLIENT_KEY=/dev/null" } },
	  .warnings = "the client key is ignored: there is no client "
		      "certificate" },

	{ .name = "gRPC as a default",
	  .opts = { .is_grpc = true },
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "http://localhost:4317" GRPC_PATH },
	{ .name = "splunk",
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "https://localhost:4317" LOGS_PATH },
	{ .name = "splunk, general endpoint",
	  .env = { .vars = { OTLP "ENDPOINT=http://h:1", "SPLUNK_REALM=us0" } },
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "http://h:1" LOGS_PATH },
	{ .name = "splunk, its own endpoint",
	  .env = { .vars = { OTLP "LOGS_ENDPOINT=http://h:1",
			     "SPLUNK_PROFILER_LOGS_ENDPOINT=http://s:2" } },
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "http://s:2" LOGS_PATH },
	{ .name = "splunk, its own endpoint, HTTP",
	  .env = { .vars = { OTLP "PROTOCOL=http/protobuf",
			     "SPLUNK_PROFILER_LOGS_ENDPOINT=http://s:2" } },
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .url = "http://s:2/v1/logs" },
	{ .name = "splunk, its own whole endpoint, HTTP",
	  .env = { .vars = { OTLP "PROTOCOL=http/protobuf",
			     "SPLUNK_PROFILER_LOGS_ENDPOINT=http://s:2/v1/logs" } },
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .url = "http://s:2/v1/logs" },
	{ .name = "splunk, realm and token",
	  .env = { .vars = { "SPLUNK_REALM=us0", "SPLUNK_ACCESS_TOKEN=t" } },
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "https://ingest.us0.signalfx.com" LOGS_PATH,
	  .headers = "x-sf-token: t\n" },
	{ .name = "splunk, no realm, token in headers",
	  .env = { .vars = { "SPLUNK_REALM=none", "SPLUNK_ACCESS_TOKEN=t",
			     OTLP "HEADERS=X-SF-Token=u" } },
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "https://localhost:4317" LOGS_PATH,
	  .headers = "x-sf-token: u\n" },
	{ .name = "splunk, bad realm",
	  .env = { .vars = { "SPLUNK_REALM=a/b" } },
	  .opts = { .is_splunk = true },
	  .signal = OP_SIGNAL_LOGS,
	  .protocol = OP_PROTOCOL_GRPC,
	  .url = "https://localhost:4317" LOGS_PATH,
	  .warnings = "SPLUNK_REALM=a/b is ignored: invalid realm name" },
	{ .name = "splunk's variables are for splunk",
	  .env = { .vars = { "SPLUNK_REALM=us0", "SPLUNK_ACCESS_TOKEN=t",
			     "SPLUNK_PROFILER_LOGS_ENDPOINT=http://s:2" } },
	  .signal = OP_SIGNAL_LOGS,
	  .url = "http://localhost:4318/v1/logs" },
};

static void headers_text(const struct op_rpc_config *c, char *out, size_t n)
{
	size_t at = 0;

	*out = 0;
	for (size_t i = 0; i < c->headers.n; i++)
		at += (size_t)snprintf(out + at, n - at, "%s\n",
				       c->headers.p[i]);
}

static void check_row(const struct row *row)
{
	struct env env = row->env;
	struct op_rpc_env e = env_of(&env);
	struct op_rpc_config c;
	struct op_err err = { 0 };
	char headers[500];
	int before = test_failed;

	op_rpc_config_read(&c, row->signal, &row->opts, &e, &err);
	CHECK_EQ(err.code, OP_OK);
	headers_text(&c, headers, sizeof(headers));
	CHECK_EQ(c.signal, row->signal);
	CHECK_EQ(c.protocol, row->protocol);
	CHECK_STR(c.url, row->url ? row->url : DEFAULT_URL);
	CHECK_EQ(c.compression, row->compression);
	CHECK_EQ(c.timeout_ms, row->timeout_ms ? row->timeout_ms : 10000);
	CHECK_STR(headers, row->headers ? row->headers : "");
	CHECK_STR(env.warnings, row->warnings ? row->warnings : "");
	CHECK_EQ(c.max_request, 64 << 20);
	CHECK_EQ(c.max_response, 4 << 20);
	if (test_failed != before)
		fprintf(stderr, "  in row '%s'\n", row->name);
	op_rpc_config_free(&c);
}

TEST(variables)
{
	for (size_t i = 0; i < op_countof(rows); i++)
		check_row(&rows[i]);
}

/* 0 means that there is no limit, and a number of bytes is one. */
TEST(limits)
{
	struct env env = { .vars = { OTLP "TIMEOUT=0" } };
	struct op_rpc_env e = env_of(&env);
	struct op_rpc_opts opts = { .max_request = 4 << 20 };
	struct op_rpc_config c;
	struct op_err err = { 0 };

	CHECK(!op_rpc_config_read(&c, OP_SIGNAL_PROFILES, &opts, &e, &err));
	CHECK_EQ(c.timeout_ms, 0);
	CHECK_EQ(c.max_request, 4 << 20);
	CHECK_EQ(op_rpc_config_max(&c), 4 << 20);
	op_rpc_config_free(&c);
	opts.protocol = "http/json";
	CHECK(!op_rpc_config_read(&c, OP_SIGNAL_PROFILES, &opts, &e, &err));
	CHECK_EQ(op_rpc_config_max(&c), 512 << 10);
	op_rpc_config_free(&c);
}

/* What a variable names is kept: to do without would be less safe. */
TEST(files)
{
	struct env env = { .vars = { OTLP "CERTIFICATE=/dev/null",
				     OTLP "CLIENT_CERTIFICATE=/nowhere/c.pem",
				     OTLP "PROFILES_CLIENT_KEY=/dev/null" } };
	struct op_rpc_env e = env_of(&env);
	struct op_rpc_config c;
	struct op_err err = { 0 };

	CHECK(!op_rpc_config_read(&c, OP_SIGNAL_PROFILES, NULL, &e, &err));
	CHECK_STR(c.ca_file, "/dev/null");
	CHECK_STR(c.cert_file, "/nowhere/c.pem");
	CHECK_STR(c.key_file, "/dev/null");
	CHECK_STR(env.warnings, OTLP "CLIENT_CERTIFICATE=/nowhere/c.pem "
				     "cannot be read: no TLS connection is "
				     "possible");
	op_rpc_config_free(&c);
}

static const struct {
	struct op_rpc_opts opts;
	const char *text;
} wrong[] = {
	{ { .endpoint = "h:1" },
	  "endpoint 'h:1': it must begin with http:// or https://" },
	{ { .endpoint = "" }, "endpoint '': the host is missing" },
	{ { .protocol = "http" },
	  "protocol 'http': expected http/protobuf, grpc or http/json" },
	{ { .compression = "x" },
	  "compression 'x': expected none, gzip or zstd" },
	{ { .timeout_ms = "1s" },
	  "timeout '1s': expected a number of milliseconds" },
	{ { .headers = "x" }, "headers '...': '=' is missing" },
	{ { .ca_file = "/nowhere/ca.pem" },
	  "certificate '/nowhere/ca.pem': the file cannot be read" },
	{ { .key_file = "/dev/null" },
	  "a client key requires a client certificate" },
};

TEST(wrong_options)
{
	for (size_t i = 0; i < op_countof(wrong); i++) {
		struct op_rpc_config c;
		struct op_err err = { 0 };

		CHECK_EQ(op_rpc_config_read(&c, OP_SIGNAL_PROFILES,
					    &wrong[i].opts, NULL, &err),
			 OP_EUSAGE);
		CHECK_STR(err.text, wrong[i].text);
		op_rpc_config_free(&c);
	}
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct env env = { .vars = { OTLP "HEADERS=a=1,b=2",
					     OTLP "ENDPOINT=http://h",
					     OTLP "CERTIFICATE=/dev/null" } };
		struct op_rpc_env e = env_of(&env);
		struct op_rpc_config c;
		struct op_err err = { 0 };

		op_rpc_config_read(&c, OP_SIGNAL_PROFILES, NULL, &e, &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_STR(env.warnings, "");
		op_rpc_config_free(&c);
	}
}

TEST_MAIN(variables, limits, files, wrong_options, oom)
