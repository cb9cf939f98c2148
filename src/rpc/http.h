// SPDX-License-Identifier: Apache-2.0
/* rpc/http.h: one POST request and its response, over HTTP/1.1 or HTTP/2.
 *
 * The only file that calls libcurl; http_none.c replaces it in builds without.
 * Connections are kept for the next request. Nothing is retried here, with one
 * exception: if the server closed a kept connection, the request uses a new
 * one. */
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
	struct op_view prefix; /* precedes the body */
	struct op_view body;
	/* HTTP/2 only, and a response with trailers. */
	bool is_grpc;
	const char *ca_file, *cert_file, *key_file; /* PEM; NULL: none */
	uint64_t timeout_ms;			    /* 0: no limit */
	size_t max_answer;			    /* bytes of its body */
};

/* The headers and trailers that are used. */
enum op_http_field {
	OP_HTTP_CONTENT_TYPE,
	OP_HTTP_RETRY_AFTER,
	OP_HTTP_GRPC_STATUS,
	OP_HTTP_GRPC_MESSAGE,
	OP_HTTP_GRPC_DETAILS,
	OP_HTTP_NR_FIELDS,
};

struct op_http_answer {
	int status;	    /* 200 or more; 0: no response */
	bool is_too_large;  /* the body exceeded max_answer */
	bool is_whole;	    /* the response is complete */
	struct op_err err;  /* transport error; text only */
	struct op_buf body; /* as far as received */
	struct op_buf text; /* of the fields */
	struct op_view fields[OP_HTTP_NR_FIELDS];
};

int op_http_new(struct op_http **h, struct op_err *err);
void op_http_free(struct op_http *h);

/* Always fills a; call op_http_answer_free(). */
void op_http_post(struct op_http *h, const struct op_http_request *r,
		  struct op_http_answer *a);
void op_http_answer_free(struct op_http_answer *a);

/* From any thread: ends the request in flight, and later ones fail. */
void op_http_stop(struct op_http *h);

#endif
