// SPDX-License-Identifier: Apache-2.0
/* rpc/endpoint.h: from what a user calls an endpoint to the URL of a signal.
 *
 *	HTTP, base     http://host:4318/x      .../x/v1development/profiles
 *	HTTP, whole    http://host:4318/x      as it is; "/" if there is no path
 *	gRPC           https://host:4317       .../<service>/Export
 *	gRPC           host:4317               the same, with TLS unless told
 *
 * A port that is missing is that of the scheme; of gRPC without a scheme it is
 * 4317. gRPC has no use for a path. */
#ifndef OP_RPC_ENDPOINT_H
#define OP_RPC_ENDPOINT_H

#include "rpc/config.h"

struct op_endpoint {
	enum op_signal signal;
	enum op_protocol protocol;
	bool is_base;	  /* the path of the signal goes behind it */
	bool is_insecure; /* what has no scheme has no TLS */
};

/* The URL in mem; NULL if text is no endpoint (OP_EUSAGE), or without memory.
 * *ignored says, unless NULL, whether there was a path of no use. */
const char *op_endpoint_url(struct op_arena *mem, const struct op_endpoint *e,
			    const char *text, bool *ignored,
			    struct op_err *err);

/* Whether there is a path, if only "/". */
bool op_endpoint_has_path(const char *text);

#endif
