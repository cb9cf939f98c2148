// SPDX-License-Identifier: Apache-2.0
/* rpc/http.h: one POST and its answer, over HTTP/1.1 or HTTP/2.
 *
 * The only place that calls libcurl; http_none.c stands in for it. Connections
 * are kept for the next request. Nothing here is retried but what a kept
 * connection makes necessary: if the server closed it meanwhile, the request
 * goes over a new one. */
#ifndef OP_RPC_HTTP_H
#define OP_RPC_HTTP_H

#include "base/buf.h"

struct op_http;

struct op_http_request {
	const char *url;
	const char *const *headers; /* each "name: value" */
	size_t nr_headers;
	const char *content_type;
	const char *encoding;  /* of the body; NULL: none */
	struct op_view prefix; /* stands before the body */
	struct op_view body;
	/* HTTP/2 and nothing else, and an answer with trailers. */
	bool is_grpc;
	const char *ca_file, *cert_file, *key_file; /* PEM; NULL: none */
	uint64_t timeout_ms;			    /* 0: no limit */
	size_t max_answer;			    /* bytes of its body */
};

/* The headers and trailers that are looked at. */
enum op_http_field {
	OP_HTTP_CONTENT_TYPE,
	OP_HTTP_RETRY_AFTER,
	OP_HTTP_GRPC_STATUS,
	OP_HTTP_GRPC_MESSAGE,
	OP_HTTP_GRPC_DETAILS,
	OP_HTTP_NR_FIELDS,
};

struct op_http_answer {
	int status;	    /* 200 or more; 0: there was none */
	bool is_too_large;  /* the body was longer than max_answer */
	bool is_whole;	    /* it came to its end */
	struct op_err err;  /* what went wrong on the way; text only */
	struct op_buf body; /* as much as came */
	struct op_buf text; /* of the fields */
	struct op_view fields[OP_HTTP_NR_FIELDS];
};

int op_http_new(struct op_http **h, struct op_err *err);
void op_http_free(struct op_http *h);

/* a is filled whatever happens, and op_http_answer_free() is due. */
void op_http_post(struct op_http *h, const struct op_http_request *r,
		  struct op_http_answer *a);
void op_http_answer_free(struct op_http_answer *a);

/* From any thread: ends the request under way, and those to come fail. */
void op_http_stop(struct op_http *h);

#endif
