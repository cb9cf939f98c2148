// SPDX-License-Identifier: Apache-2.0
#include "rpc/endpoint.h"

#include "test.h"

#define PROFILES                                                \
	"opentelemetry.proto.collector.profiles.v1development." \
	"ProfilesService/Export"
#define LOGS "opentelemetry.proto.collector.logs.v1.LogsService/Export"

enum { BASE = 1, INSECURE = 2, LOGS_SIGNAL = 4, IGNORED = 8 };

static const struct {
	const char *text;
	enum op_protocol protocol;
	unsigned int flags;
	const char *url; /* NULL: it is none */
} rows[] = {
	/* A base gets the path of the signal. */
	{ "http://localhost:4318", OP_PROTOCOL_HTTP, BASE,
	  "http://localhost:4318/v1development/profiles" },
	{ "http://localhost:4318/", OP_PROTOCOL_HTTP, BASE,
	  "http://localhost:4318/v1development/profiles" },
	{ "http://localhost:4318", OP_PROTOCOL_JSON, BASE | LOGS_SIGNAL,
	  "http://localhost:4318/v1/logs" },
	{ "https://h/base", OP_PROTOCOL_HTTP, BASE,
	  "https://h/base/v1development/profiles" },
	{ "https://h/base/", OP_PROTOCOL_HTTP, BASE,
	  "https://h/base/v1development/profiles" },
	{ "https://h/base?key=1", OP_PROTOCOL_HTTP, BASE,
	  "https://h/base/v1development/profiles?key=1" },
	{ "https://h?key=1#part", OP_PROTOCOL_HTTP, BASE,
	  "https://h/v1development/profiles?key=1" },
	{ "HTTPS://h", OP_PROTOCOL_HTTP, BASE,
	  "https://h/v1development/profiles" },
	/* One of the signal is taken as it is. */
	{ "http://h:4318/my/path", OP_PROTOCOL_HTTP, 0,
	  "http://h:4318/my/path" },
	{ "http://h:4318/my/path/", OP_PROTOCOL_HTTP, 0,
	  "http://h:4318/my/path/" },
	{ "http://h:4318", OP_PROTOCOL_HTTP, 0, "http://h:4318/" },
	{ "http://h:4318/", OP_PROTOCOL_JSON, 0, "http://h:4318/" },
	{ "http://h?x", OP_PROTOCOL_HTTP, 0, "http://h/?x" },
	{ "http://[::1]:4318/x", OP_PROTOCOL_HTTP, 0, "http://[::1]:4318/x" },
	{ "http://user:pw@h:1/x", OP_PROTOCOL_HTTP, 0, "http://user:pw@h:1/x" },
	{ "http://h:65535/x", OP_PROTOCOL_HTTP, 0, "http://h:65535/x" },
	/* gRPC has its own path, and a scheme counts before INSECURE. */
	{ "http://h:4317", OP_PROTOCOL_GRPC, BASE, "http://h:4317/" PROFILES },
	{ "http://h:4317/", OP_PROTOCOL_GRPC, 0, "http://h:4317/" PROFILES },
	{ "https://h:4317", OP_PROTOCOL_GRPC, INSECURE,
	  "https://h:4317/" PROFILES },
	{ "https://h", OP_PROTOCOL_GRPC, LOGS_SIGNAL, "https://h/" LOGS },
	{ "http://h:4317/x", OP_PROTOCOL_GRPC, BASE | IGNORED,
	  "http://h:4317/" PROFILES },
	{ "h:4317", OP_PROTOCOL_GRPC, 0, "https://h:4317/" PROFILES },
	{ "h:4317", OP_PROTOCOL_GRPC, INSECURE, "http://h:4317/" PROFILES },
	{ "h", OP_PROTOCOL_GRPC, 0, "https://h:4317/" PROFILES },
	{ "[::1]", OP_PROTOCOL_GRPC, INSECURE, "http://[::1]:4317/" PROFILES },
	{ "[::1]:9", OP_PROTOCOL_GRPC, 0, "https://[::1]:9/" PROFILES },
	{ "10.0.0.1:4317", OP_PROTOCOL_GRPC, INSECURE,
	  "http://10.0.0.1:4317/" PROFILES },
	/* What is none. */
	{ "", OP_PROTOCOL_HTTP, 0, NULL },
	{ "localhost:4318", OP_PROTOCOL_HTTP, 0, NULL },
	{ "ftp://h/x", OP_PROTOCOL_HTTP, 0, NULL },
	{ "unix:///run/x", OP_PROTOCOL_GRPC, 0, NULL },
	{ "http://", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http:///x", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://:4318", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://user@:4318", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://h:0", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://h:", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://h:65536", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://h:99999999999999", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://h:port", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://[::1", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://[]", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://[::1]4318", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://h/a b", OP_PROTOCOL_HTTP, 0, NULL },
	{ "http://h/a\r\nb", OP_PROTOCOL_HTTP, 0, NULL },
	{ "", OP_PROTOCOL_GRPC, 0, NULL },
	{ ":4317", OP_PROTOCOL_GRPC, 0, NULL },
};

TEST(urls)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_endpoint e = {
			.signal = rows[i].flags & LOGS_SIGNAL ?
					  OP_SIGNAL_LOGS :
					  OP_SIGNAL_PROFILES,
			.protocol = rows[i].protocol,
			.is_base = rows[i].flags & BASE,
			.is_insecure = rows[i].flags & INSECURE,
		};
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		bool ignored = false;
		const char *url = op_endpoint_url(&mem, &e, rows[i].text,
						  &ignored, &err);

		CHECK_STR(url, rows[i].url);
		CHECK_EQ(err.code, rows[i].url ? OP_OK : OP_EUSAGE);
		CHECK_EQ(ignored, (rows[i].flags & IGNORED) != 0);
		op_arena_free(&mem);
	}
}

TEST_MAIN(urls)
