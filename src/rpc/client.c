// SPDX-License-Identifier: Apache-2.0
/* rpc/client.c: one request: encodes it, sends it and judges the response. */
#include "rpc/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/utf8.h"
#include "fmt/unpack.h"
#include "rpc/compress.h"
#include "rpc/http.h"
#include "rpc/reply.h"
#include "rpc/signal_ops.h"

struct op_client {
	struct op_http *http;
};

int op_client_new(struct op_client **c, struct op_err *err)
{
	struct op_client *new = op_heap_resize(NULL, sizeof(*new), err);

	if (!new)
		return err->code;
	if (op_http_new(&new->http, err)) {
		op_heap_free(new);
		return err->code;
	}
	*c = new;
	return OP_OK;
}

void op_client_free(struct op_client *c)
{
	if (!c)
		return;
	op_http_free(c->http);
	op_heap_free(c);
}

void op_client_stop(struct op_client *c)
{
	op_http_stop(c->http);
}

/* --- the answer --- */

static void say(struct op_answer *a, const char *fmt, ...) op_printf(2, 3);

/* One sentence; text from outside is made one line again. */
static void say(struct op_answer *a, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	op_reply_clean(a->text, sizeof(a->text), op_view_z(text));
}

static const char *colon(const char *text)
{
	return *text ? ": " : "";
}

/* A response to an accepted request is protobuf, JSON or empty. The login page
 * of a proxy has status 200 too. */
static bool is_taken(const struct op_http_answer *h)
{
	enum op_reply_form form = op_reply_form(h->fields[OP_HTTP_CONTENT_TYPE],
						OP_REPLY_TEXT);
	struct op_reply ignored;

	return form == OP_REPLY_PROTOBUF || form == OP_REPLY_JSON ||
	       op_reply_export(op_view(h->body.p, h->body.n), form, &ignored);
}

static void not_taken(const struct op_http_answer *h, struct op_answer *a)
{
	struct op_view type = h->fields[OP_HTTP_CONTENT_TYPE];

	if (!type.n)
		type = op_view_z("unknown");
	a->verdict = OP_VERDICT_RETRY;
	say(a, "not an OTLP response: HTTP %d with a body of type %.*s",
	    h->status, (int)(type.n < 80 ? type.n : 80), (const char *)type.p);
}

/* The request was accepted; the body says whether all of it was. */
static void taken(struct op_view body, enum op_reply_form form,
		  enum op_signal signal, struct op_answer *a)
{
	struct op_reply r;

	a->verdict = OP_VERDICT_DONE;
	if (!op_reply_export(body, form, &r)) {
		say(a, "the server accepted it, but the response is not valid "
		       "OTLP");
		return;
	}
	a->rejected = r.rejected;
	if (r.rejected)
		say(a, "the server rejected %llu %s%s%s",
		    (unsigned long long)r.rejected, op_signals[signal].rows,
		    colon(r.text), r.text);
	else if (r.text[0])
		say(a, "the server warns: %s", r.text);
}

static void no_answer(const struct op_http_answer *h, struct op_answer *a)
{
	a->verdict = OP_VERDICT_RETRY;
	say(a, "no response: %s", h->err.text);
}

static void too_large(const struct op_http_answer *h, struct op_answer *a)
{
	a->verdict = OP_VERDICT_REFUSED;
	say(a, "HTTP %d: %s", h->status, h->err.text);
}

/* The delay that the server asks for; Retry-After has priority. */
static uint64_t delay(const struct op_http_answer *h, const struct op_reply *r)
{
	uint64_t ns;

	if (op_retry_after(h->fields[OP_HTTP_RETRY_AFTER], time(NULL), &ns))
		return ns;
	return r->has_delay ? r->delay_ns : 0;
}

/* The meaning of an HTTP status, with google.rpc.Status as the body. */
static void judge_status(const struct op_http_answer *h,
			 enum op_reply_form form, struct op_answer *a)
{
	struct op_view body = op_view(h->body.p, h->body.n);
	struct op_reply r;

	/* Many servers send the reason as text, whatever the content type. */
	if (!op_reply_status(body, form, &r) && op_utf8_prefix(body) == body.n)
		op_reply_status(body, OP_REPLY_TEXT, &r);
	a->verdict = op_http_verdict(h->status);
	if (a->verdict == OP_VERDICT_RETRY)
		a->delay_ns = delay(h, &r);
	say(a, "HTTP %d%s%s", h->status, colon(r.text), r.text);
}

static void judge_http(const struct op_rpc_config *to,
		       const struct op_http_answer *h, struct op_answer *a)
{
	enum op_reply_form form = to->protocol == OP_PROTOCOL_JSON ?
					  OP_REPLY_JSON :
					  OP_REPLY_PROTOBUF;

	form = op_reply_form(h->fields[OP_HTTP_CONTENT_TYPE], form);
	if (h->is_too_large)
		too_large(h, a);
	else if (!h->status)
		no_answer(h, a);
	else if (op_http_verdict(h->status) != OP_VERDICT_DONE)
		judge_status(h, form, a);
	else if (!h->is_whole)
		no_answer(h, a);
	else if (!is_taken(h))
		not_taken(h, a);
	else
		taken(op_view(h->body.p, h->body.n), form, to->signal, a);
}

/* --- gRPC --- */

/* Without grpc-status the request did not succeed, whatever else was received.
 */
static void judge_no_status(const struct op_http_answer *h, struct op_answer *a)
{
	if (!h->status || (h->status == 200 && h->err.code)) {
		no_answer(h, a);
		return;
	}
	if (h->status == 200) {
		a->verdict = OP_VERDICT_RETRY;
		say(a, "no response: grpc-status is missing");
		return;
	}
	judge_status(h,
		     op_reply_form(h->fields[OP_HTTP_CONTENT_TYPE],
				   OP_REPLY_TEXT),
		     a);
	if (a->verdict == OP_VERDICT_DONE)
		a->verdict = OP_VERDICT_REFUSED;
}

/* Servers may compress the response as the request was. */
static void grpc_taken(const struct op_rpc_config *to,
		       const struct op_http_answer *h, struct op_answer *a)
{
	struct op_err err = { 0 };
	struct op_buf unpacked = { .err = &err, .limit = to->max_response };
	struct op_view message;
	bool is_packed = false;
	bool is_good = op_grpc_frame(op_view(h->body.p, h->body.n), &message,
				     &is_packed);

	if (is_good && is_packed) {
		is_good = op_packing(message) && !op_unpack(message, &unpacked);
		message = op_view(unpacked.p, unpacked.n);
	}
	if (is_good)
		taken(message, OP_REPLY_PROTOBUF, to->signal, a);
	else
		taken(op_view("?", 1), OP_REPLY_TEXT, to->signal, a);
	op_buf_free(&unpacked);
}

static void judge_grpc(const struct op_rpc_config *to,
		       const struct op_http_answer *h, struct op_answer *a)
{
	int code = op_grpc_status(h->fields[OP_HTTP_GRPC_STATUS]);
	const char *name = op_grpc_name(code);
	struct op_reply r;

	if (h->is_too_large) {
		too_large(h, a);
		return;
	}
	if (!h->fields[OP_HTTP_GRPC_STATUS].n) {
		judge_no_status(h, a);
		return;
	}
	op_grpc_reply(h->fields[OP_HTTP_GRPC_MESSAGE],
		      h->fields[OP_HTTP_GRPC_DETAILS], &r);
	a->verdict = op_grpc_verdict(code, r.has_delay);
	if (a->verdict == OP_VERDICT_DONE) {
		grpc_taken(to, h, a);
		return;
	}
	if (a->verdict == OP_VERDICT_RETRY && r.has_delay)
		a->delay_ns = r.delay_ns;
	if (name)
		say(a, "gRPC %s%s%s", name, colon(r.text), r.text);
	else
		say(a, "gRPC status %d%s%s", code, colon(r.text), r.text);
}

/* --- the request --- */

/* The five bytes before a gRPC message. */
struct frame_head {
	uint8_t bytes[5];
};

static struct frame_head frame_head(size_t n, bool is_packed)
{
	uint32_t size = __builtin_bswap32((uint32_t)n);
	struct frame_head f = { { is_packed } };

	memcpy(f.bytes + 1, &size, sizeof(size));
	return f;
}

static const char *content_type(enum op_protocol p)
{
	static const char *const types[] = {
		[OP_PROTOCOL_HTTP] = "application/x-protobuf",
		[OP_PROTOCOL_GRPC] = "application/grpc+proto",
		[OP_PROTOCOL_JSON] = "application/json",
	};

	return types[p];
}

static void post(struct op_client *c, const struct op_rpc_config *to,
		 struct op_view body, struct op_answer *a)
{
	bool is_grpc = to->protocol == OP_PROTOCOL_GRPC;
	struct frame_head head = frame_head(
		body.n, to->compression != OP_COMPRESSION_NONE);
	struct op_http_request r = {
		.url = to->url,
		.headers = to->headers.p,
		.nr_headers = to->headers.n,
		.content_type = content_type(to->protocol),
		.encoding = op_compression_name(to->compression),
		.prefix = op_view(head.bytes, is_grpc ? sizeof(head) : 0),
		.body = body,
		.is_grpc = is_grpc,
		.ca_file = to->ca_file,
		.cert_file = to->cert_file,
		.key_file = to->key_file,
		.timeout_ms = to->timeout_ms,
		.max_answer = to->max_response,
	};
	struct op_http_answer h;

	op_http_post(c->http, &r, &h);
	if (is_grpc)
		judge_grpc(to, &h, a);
	else
		judge_http(to, &h, a);
	op_http_answer_free(&h);
}

/* Makes the body in one or two steps; copies nothing without need. */
static struct op_view body_of(const struct op_rpc_config *to,
			      struct op_view message, struct op_buf *json,
			      struct op_buf *packed)
{
	struct op_view body = message;

	if (to->protocol == OP_PROTOCOL_JSON) {
		op_signals[to->signal].to_json(message, json, json->err);
		body = op_view(json->p, json->n);
		if (json->n > to->max_request)
			op_fail(json->err, OP_ELIMIT,
				"as JSON, %zu bytes exceed the limit of %zu",
				json->n, to->max_request);
	}
	if (to->compression == OP_COMPRESSION_NONE || json->err->code)
		return body;
	op_compress(to->compression, body, packed);
	op_buf_free(json);
	return op_view(packed->p, packed->n);
}

void op_client_send(struct op_client *c, const struct op_rpc_config *to,
		    struct op_view message, struct op_answer *a)
{
	struct op_err err = { 0 };
	struct op_buf json = { .err = &err }, packed = { .err = &err };
	struct op_view body;

	*a = (struct op_answer){ .verdict = OP_VERDICT_REFUSED };
	if (message.n > to->max_request || message.n > UINT32_MAX) {
		say(a, "not sent: %zu bytes exceed the limit of %zu", message.n,
		    to->max_request);
		return;
	}
	body = body_of(to, message, &json, &packed);
	if (!err.code) {
		post(c, to, body, a);
	} else {
		a->verdict = err.code == OP_ENOMEM ? OP_VERDICT_RETRY :
						     OP_VERDICT_REFUSED;
		say(a, "not sent: %s", err.text);
	}
	op_buf_free(&json);
	op_buf_free(&packed);
}
