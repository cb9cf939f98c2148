// SPDX-License-Identifier: Apache-2.0
/* rpc/config.h: where and how to send, from the OTEL_EXPORTER_OTLP_* variables
 * and options.
 *
 * Each variable has a general form and a signal-specific one (_PROFILES_,
 * _LOGS_), which takes precedence; options of the caller take precedence over
 * both. An empty variable counts as unset. An invalid value is reported and
 * ignored. */
#ifndef OP_RPC_CONFIG_H
#define OP_RPC_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "base/view.h"
#include "fmt/signal.h"

enum op_protocol {
	OP_PROTOCOL_HTTP, /* protobuf */
	OP_PROTOCOL_GRPC,
	OP_PROTOCOL_JSON,
};

enum op_compression {
	OP_COMPRESSION_NONE,
	OP_COMPRESSION_GZIP,
	OP_COMPRESSION_ZSTD,
};

struct op_rpc_config {
	struct op_arena mem; /* of all strings */
	enum op_signal signal;
	enum op_protocol protocol;
	enum op_compression compression;
	const char *url; /* complete, with the path of the signal */
	OP_VEC(const char *) headers;		    /* each "name: value" */
	const char *ca_file, *cert_file, *key_file; /* PEM; NULL: none */
	uint64_t timeout_ms;			    /* 0: no limit */
	size_t max_request, max_response;	    /* bytes */
};

/* Options of a caller; NULL and 0: from the variables. */
struct op_rpc_opts {
	/* Used as is; without a path it is a base, like the general variable,
	 * and serves all signals. */
	const char *endpoint;
	const char *protocol;
	const char *compression;
	const char *headers; /* "k=v,k2=v2", percent-encoded */
	const char *ca_file, *cert_file, *key_file;
	const char *timeout_ms;
	size_t max_request;
	/* For logs: they carry Splunk's profiles. Then SPLUNK_ variables are
	 * used too, and the default protocol is gRPC. */
	bool is_splunk;
	/* The default protocol is gRPC. */
	bool is_grpc;
};

/* Returns the value of a variable, or NULL, like getenv(). */
typedef const char *op_getenv_fn(void *ctx, const char *name);

struct op_rpc_env {
	op_getenv_fn *get;
	void (*warn)(void *ctx, const char *text);
	void *ctx;
};

/* Fills c. An invalid option is OP_EUSAGE; an invalid variable is reported
 * through warn() and ignored. Call op_rpc_config_free() in either case. */
int op_rpc_config_read(struct op_rpc_config *c, enum op_signal signal,
		       const struct op_rpc_opts *opts,
		       const struct op_rpc_env *env, struct op_err *err);
void op_rpc_config_free(struct op_rpc_config *c);

/* The maximum size of a message in protobuf, so that what is sent is within
 * max_request: JSON is up to eight times as long. */
size_t op_rpc_config_max(const struct op_rpc_config *c);

#endif
