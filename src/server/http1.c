// SPDX-License-Identifier: Apache-2.0
/* server/http1.c: reads requests with http-parser.
 *
 * The parser is paused where the state changes, so that a connection stays in
 * control, and what follows a request is read only when that was answered.
 */
#include "server/http1.h"

#include <http_parser.h>

#include "base/arena.h"

struct op_http1 {
	struct op_arena mem; /* this struct is in it */
	struct op_err err;
	http_parser parser;
	enum op_http1_state state;
	int status; /* of FAILED */
	bool has_head;
	bool is_within;
	size_t head_bytes;
	uint32_t nr_headers;
	uint64_t max_body;
	/* The header whose value is being read. */
	char field[24];
	uint32_t field_n;
	bool in_value;
	struct op_header_value *value; /* NULL: it does not matter */
	struct op_request req;
};

static struct op_http1 *http_of(http_parser *p)
{
	return p->data;
}

/* The parser stops, and never goes on. */
static int refuse(struct op_http1 *h, int status)
{
	if (!h->status)
		h->status = status;
	return -1;
}

/* --- what the parser calls --- */

static int on_begin(http_parser *p)
{
	http_of(p)->is_within = true;
	return 0;
}

static int on_url(http_parser *p, const char *at, size_t n)
{
	struct op_http1 *h = http_of(p);

	if (n > OP_HTTP1_MAX_URL - h->req.url.n)
		return refuse(h, 414);
	op_buf_view(&h->req.url, op_view(at, n));
	return h->err.code ? refuse(h, 500) : 0;
}

static struct op_header_value *value_of(struct op_http1 *h)
{
	const struct {
		const char *name;
		struct op_header_value *to;
	} known[] = {
		{ "host", &h->req.host },
		{ "origin", &h->req.origin },
		{ "sec-fetch-site", &h->req.fetch_site },
		{ "expect", &h->req.expect },
	};
	struct op_view name = op_view(h->field, h->field_n);

	for (size_t i = 0; i < op_countof(known); i++)
		if (op_view_eq_nocase(name, op_view_z(known[i].name)))
			return known[i].to;
	return NULL;
}

static int on_field(http_parser *p, const char *at, size_t n)
{
	struct op_http1 *h = http_of(p);

	if (h->in_value || !h->nr_headers) {
		h->in_value = false;
		h->field_n = 0;
		if (++h->nr_headers > OP_HTTP1_MAX_HEADERS)
			return refuse(h, 431);
	}
	/* A name that is longer than all that matter is cut. */
	if (n > sizeof(h->field) - h->field_n)
		n = sizeof(h->field) - h->field_n;
	memcpy(h->field + h->field_n, at, n);
	h->field_n += (uint32_t)n;
	return 0;
}

static int on_value(http_parser *p, const char *at, size_t n)
{
	struct op_http1 *h = http_of(p);
	struct op_header_value *v;

	if (!h->in_value) {
		h->in_value = true;
		/* Behind the body there may be more headers, which nobody
		 * needs. */
		h->value = h->has_head ? NULL : value_of(h);
		if (h->value && h->value->nr_given++)
			return refuse(h, 400);
	}
	v = h->value;
	if (!v)
		return 0;
	if (n > sizeof(v->text) - v->n)
		return refuse(h, 431);
	memcpy(v->text + v->n, at, n);
	v->n += (uint32_t)n;
	return 0;
}

static enum op_method method_of(const http_parser *p)
{
	switch (p->method) {
	case HTTP_GET:
		return OP_GET;
	case HTTP_HEAD:
		return OP_HEAD;
	case HTTP_POST:
		return OP_POST;
	default:
		return OP_OTHER_METHOD;
	}
}

static int on_head(http_parser *p)
{
	struct op_http1 *h = http_of(p);

	if (p->http_major != 1)
		return refuse(h, 505);
	h->has_head = true;
	h->req.method = method_of(p);
	/* A client that would rather speak another protocol stays with this
	 * one, for one request. */
	h->req.keeps_alive = http_should_keep_alive(p) && !p->upgrade;
	if (p->flags & F_CONTENTLENGTH && !(p->flags & F_CHUNKED))
		h->req.body_bytes = p->content_length;
	h->state = OP_HTTP1_HEAD;
	http_parser_pause(p, 1);
	return 0;
}

static int on_body(http_parser *p, const char *at, size_t n)
{
	struct op_http1 *h = http_of(p);

	if (n > h->max_body - h->req.body.n)
		return refuse(h, 413);
	op_buf_view(&h->req.body, op_view(at, n));
	return h->err.code ? refuse(h, 413) : 0;
}

static int on_complete(http_parser *p)
{
	struct op_http1 *h = http_of(p);

	h->is_within = false;
	h->state = OP_HTTP1_REQUEST;
	http_parser_pause(p, 1);
	return 0;
}

static const http_parser_settings settings = {
	.on_message_begin = on_begin,
	.on_url = on_url,
	.on_header_field = on_field,
	.on_header_value = on_value,
	.on_headers_complete = on_head,
	.on_body = on_body,
	.on_message_complete = on_complete,
};

/* --- a connection --- */

struct op_http1 *op_http1_new(struct op_err *err)
{
	struct op_arena mem = { .err = err };
	struct op_http1 *h = op_new(&mem, struct op_http1, 1);

	if (!h)
		return NULL;
	h->mem = mem;
	h->mem.err = NULL;
	h->req.url.err = h->req.body.err = &h->err;
	http_parser_init(&h->parser, HTTP_REQUEST);
	h->parser.data = h;
	return h;
}

void op_http1_free(struct op_http1 *h)
{
	struct op_arena mem;

	if (!h)
		return;
	op_buf_free(&h->req.url);
	op_buf_free(&h->req.body);
	mem = h->mem;
	op_arena_free(&mem);
}

enum op_http1_state op_http1_state(const struct op_http1 *h)
{
	return h->state;
}

const struct op_request *op_http1_request(const struct op_http1 *h)
{
	return &h->req;
}

struct op_buf *op_http1_body(struct op_http1 *h)
{
	return &h->req.body;
}

int op_http1_status(const struct op_http1 *h)
{
	return h->status;
}

bool op_http1_is_within(const struct op_http1 *h)
{
	return h->is_within;
}

static void fail(struct op_http1 *h, int status)
{
	refuse(h, status);
	h->state = OP_HTTP1_FAILED;
}

/* What the parser did not understand. */
static int status_of(const http_parser *p)
{
	switch (HTTP_PARSER_ERRNO(p)) {
	case HPE_INVALID_METHOD:
		return 405;
	case HPE_INVALID_VERSION:
		return 505;
	case HPE_HEADER_OVERFLOW:
		return 431;
	default:
		return 400;
	}
}

size_t op_http1_feed(struct op_http1 *h, struct op_view in, uint64_t max_body)
{
	http_parser *p = &h->parser;
	size_t n;

	if (h->state == OP_HTTP1_REQUEST || h->state == OP_HTTP1_FAILED ||
	    !in.n)
		return 0;
	if (h->state == OP_HTTP1_HEAD) {
		h->max_body = max_body;
		h->state = OP_HTTP1_READING;
		http_parser_pause(p, 0);
	}
	if (!h->has_head)
		in = op_view_first(in, OP_HTTP1_MAX_HEAD - h->head_bytes);
	n = http_parser_execute(p, &settings, (const char *)in.p, in.n);
	if (!h->has_head)
		h->head_bytes += n;
	if (HTTP_PARSER_ERRNO(p) != HPE_OK &&
	    HTTP_PARSER_ERRNO(p) != HPE_PAUSED)
		fail(h, status_of(p));
	else if (!h->has_head && h->head_bytes >= OP_HTTP1_MAX_HEAD)
		fail(h, 431);
	return n;
}

void op_http1_next(struct op_http1 *h)
{
	struct op_request *r = &h->req;

	/* What was large is not kept. */
	op_buf_free(&r->body);
	r->url.n = 0;
	*r = (struct op_request){ .url = r->url, .body.err = &h->err };
	h->err = (struct op_err){ 0 };
	h->state = OP_HTTP1_READING;
	h->has_head = h->in_value = false;
	h->head_bytes = 0;
	h->nr_headers = h->field_n = 0;
	h->value = NULL;
	http_parser_pause(&h->parser, 0);
}
