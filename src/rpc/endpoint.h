// SPDX-License-Identifier: Apache-2.0
/* rpc/endpoint.h: the URL of a signal from an endpoint as configured.
 *
 *	HTTP, base     http://host:4318/x      .../x/v1development/profiles
 *	HTTP, complete http://host:4318/x      as is; "/" if there is no path
 *	gRPC           https://host:4317       .../<service>/Export
 *	gRPC           host:4317               the same, with TLS by default
 *
 * The default port is that of the scheme; for gRPC without a scheme it is 4317.
 * gRPC ignores the path. */
#ifndef OP_RPC_ENDPOINT_H
#define OP_RPC_ENDPOINT_H

#include "rpc/config.h"

struct op_endpoint {
	enum op_signal signal;
	enum op_protocol protocol;
	bool is_base;	  /* the path of the signal is appended */
	bool is_insecure; /* without a scheme: no TLS */
};

/* The URL in mem; NULL if text is not an endpoint (OP_EUSAGE), or if out of
 * memory. If not NULL, *ignored is set to whether a path was ignored. */
const char *op_endpoint_url(struct op_arena *mem, const struct op_endpoint *e,
			    const char *text, bool *ignored,
			    struct op_err *err);

/* Whether there is a path, even just "/". */
bool op_endpoint_has_path(const char *text);

#endif
