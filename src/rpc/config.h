// SPDX-License-Identifier: Apache-2.0
/* rpc/config.h: where and how to send, as the OTEL_EXPORTER_OTLP_* variables
 * and options say.
 *
 * Each variable has a general form and one of the signal (_PROFILES_, _LOGS_),
 * which counts first; options of a caller count before both. An empty variable
 * is one that is not set. A value that cannot be meant is told and ignored. */
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
	const char *url;	      /* whole, with the path of the signal */
	OP_VEC(const char *) headers; /* each "name: value" */
	const char *ca_file, *cert_file, *key_file; /* PEM; NULL: none */
	uint64_t timeout_ms;			    /* 0: no limit */
	size_t max_request, max_response;	    /* bytes */
};

/* What a caller asks for; NULL and 0: as the variables say. */
struct op_rpc_opts {
	/* Used as it is; without a path it is a base, as the general variable
	 * is, and serves all signals. */
	const char *endpoint;
	const char *protocol;
	const char *compression;
	const char *headers; /* "k=v,k2=v2", percent-encoded */
	const char *ca_file, *cert_file, *key_file;
	const char *timeout_ms;
	size_t max_request;
	/* Of logs: they carry Splunk's profiles. Then SPLUNK_ variables count
	 * too, and the protocol is gRPC unless something says otherwise. */
	bool is_splunk;
};

/* Gives the value of a variable, or NULL; as getenv() does. */
typedef const char *op_getenv_fn(void *ctx, const char *name);

struct op_rpc_env {
	op_getenv_fn *get;
	void (*warn)(void *ctx, const char *text);
	void *ctx;
};

/* Fills c. An option that cannot be meant is OP_EUSAGE; a variable is told
 * through warn() and ignored. op_rpc_config_free() is due either way. */
int op_rpc_config_read(struct op_rpc_config *c, enum op_signal signal,
		       const struct op_rpc_opts *opts,
		       const struct op_rpc_env *env, struct op_err *err);
void op_rpc_config_free(struct op_rpc_config *c);

/* The most bytes of protobuf that a message may have, so that what is sent is
 * within max_request: JSON is up to eight times as long. */
size_t op_rpc_config_max(const struct op_rpc_config *c);

#endif
