// SPDX-License-Identifier: Apache-2.0
/* server/request.h: what a client asks for. */
#ifndef OP_SERVER_REQUEST_H
#define OP_SERVER_REQUEST_H

#include "base/buf.h"

enum op_method { OP_GET, OP_HEAD, OP_POST, OP_OTHER_METHOD };

/* Headers that matter, each as it was sent. */
enum { OP_MAX_HEADER_VALUE = 200 };

struct op_header_value {
	char text[OP_MAX_HEADER_VALUE];
	uint32_t n;
	uint32_t nr_given; /* how often */
};

struct op_request {
	enum op_method method;
	struct op_buf url; /* path and parameters */
	struct op_header_value host, origin, fetch_site, expect;
	uint64_t body_bytes; /* that are announced; 0: none or unknown */
	bool keeps_alive;    /* more requests may follow */
	struct op_buf body;
};

/* Without the spaces behind it. */
op_inline struct op_view op_header_text(const struct op_header_value *v)
{
	size_t n = v->n;

	while (n && (v->text[n - 1] == ' ' || v->text[n - 1] == '\t'))
		n--;
	return op_view(v->text, n);
}

/* The path, without the parameters. */
op_inline struct op_view op_request_path(const struct op_request *r)
{
	const uint8_t *end = r->url.n ? memchr(r->url.p, '?', r->url.n) : NULL;

	return op_view(r->url.p, end ? (size_t)(end - r->url.p) : r->url.n);
}

/* The parameters, without the question mark. */
op_inline struct op_view op_request_query(const struct op_request *r)
{
	size_t n = op_request_path(r).n;

	if (n == r->url.n)
		return op_view(NULL, 0);
	return op_view(r->url.p + n + 1, r->url.n - n - 1);
}

#endif
