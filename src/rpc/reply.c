// SPDX-License-Identifier: Apache-2.0
/* rpc/reply.c: parses bodies and trailers of responses, which are untrusted. */
#include "rpc/reply.h"

#include "base/hex.h"
#include "base/utf8.h"
#include "pb/json_read.h"
#include "pb/json_value.h"
#include "pb/read.h"
#include "rpc/retry.h"

/* --- text --- */

struct line {
	char *out;
	size_t n, max; /* max leaves room for the NUL */
	bool space;    /* a space is due before the next character */
	bool is_full;
};

static void line_add(struct line *l, const void *p, size_t n)
{
	size_t gap = l->space && l->n;

	if (l->is_full || l->n + gap + n > l->max) {
		l->is_full = true;
		return;
	}
	if (gap)
		l->out[l->n++] = ' ';
	l->space = false;
	memcpy(l->out + l->n, p, n);
	l->n += n;
}

/* The length of the valid character at p. */
static size_t character(const uint8_t *p)
{
	if (*p < 0x80)
		return 1;
	return *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
}

/* Control characters of ASCII and of Latin 1; the latter have two bytes. */
static bool is_blank(const uint8_t *p)
{
	return *p <= ' ' || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
}

static void line_valid(struct line *l, struct op_view v)
{
	for (size_t i = 0; i < v.n && !l->is_full;) {
		size_t n = character(v.p + i);

		if (is_blank(v.p + i))
			l->space = true;
		else
			line_add(l, v.p + i, n);
		i += n;
	}
}

/* Replaces the end by dots, at a character boundary. */
static void line_cut(struct line *l)
{
	size_t at = l->max > 3 ? l->max - 3 : 0;

	if (at > l->n)
		at = l->n;
	while (at && at < l->n && ((uint8_t)l->out[at] & 0xc0) == 0x80)
		at--;
	l->n = at;
	while (l->n < l->max && l->n < at + 3)
		l->out[l->n++] = '.';
}

void op_reply_clean(char *out, size_t n, struct op_view v)
{
	struct line l = { .out = out, .max = n - 1 };

	while (v.n && !l.is_full) {
		size_t good = op_utf8_prefix(v);

		line_valid(&l, op_view(v.p, good));
		v = op_view(v.p + good, v.n - good);
		if (!v.n)
			break;
		good = op_utf8_bad(v);
		line_add(&l, "\xef\xbf\xbd", 3);
		v = op_view(v.p + good, v.n - good);
	}
	if (l.is_full)
		line_cut(&l);
	out[l.n] = 0;
}

static void text_set(struct op_reply *r, struct op_view v)
{
	op_reply_clean(r->text, sizeof(r->text), v);
}

/* --- forms --- */

static bool is_type(struct op_view v, const char *name)
{
	size_t n = strlen(name);

	return v.n >= n &&
	       op_view_eq_nocase(op_view(v.p, n), op_view_z(name)) &&
	       (v.n == n || v.p[n] == ';' || v.p[n] == ' ');
}

enum op_reply_form op_reply_form(struct op_view content_type,
				 enum op_reply_form other)
{
	if (!content_type.n)
		return other;
	if (is_type(content_type, "application/x-protobuf") ||
	    is_type(content_type, "application/protobuf"))
		return OP_REPLY_PROTOBUF;
	if (is_type(content_type, "text/html") ||
	    is_type(content_type, "application/xhtml+xml"))
		return OP_REPLY_HTML;
	return is_type(content_type, "application/json") ||
			       is_type(content_type,
				       "application/problem+json") ?
		       OP_REPLY_JSON :
		       OP_REPLY_TEXT;
}

/* --- protobuf --- */

static void partial_protobuf(struct op_cur c, struct op_reply *r)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(1, OP_PB_VARINT))
			r->rejected = (int64_t)f.v > 0 ? f.v : 0;
		else if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			text_set(r, f.bytes);
	}
}

static bool export_protobuf(struct op_view body, struct op_reply *r)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(body, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(1, OP_PB_LEN))
			partial_protobuf(op_pb_sub(&c, &f), r);
	return !err.code;
}

static bool status_protobuf(struct op_view body, struct op_reply *r)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(body, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			text_set(r, f.bytes);
	r->has_delay = op_retry_info(body, &r->delay_ns);
	return !err.code;
}

/* --- JSON --- */

/* At most max bytes of a string, but not half an escape. */
static size_t escaped_prefix(struct op_view raw, size_t max)
{
	size_t n = 0;

	while (n < raw.n) {
		size_t step = 1;

		if (raw.p[n] == '\\')
			step = raw.p[n + 1] == 'u' ? 6 : 2;
		if (n + step > max)
			break;
		n += step;
	}
	return n;
}

/* A string becomes the text; other values are skipped. Looks only at as much of
 * it as fits. */
static void json_text(struct op_json_in *in, struct op_reply *r)
{
	uint8_t plain[4 * OP_REPLY_TEXT_MAX];
	struct op_json_text t;

	if (op_json_peek(in) != '"') {
		op_json_skip(in);
		return;
	}
	t = op_json_extract_string(in);
	if (!t.escaped) {
		text_set(r, t.raw);
		return;
	}
	t.raw.n = escaped_prefix(t.raw, sizeof(plain));
	text_set(r, op_view(plain, op_json_unescape(t.raw, plain)));
}

/* int64 is a string in JSON, but a number is accepted too. */
static uint64_t json_count(struct op_json_in *in)
{
	struct op_json_int i = { 0 };
	struct op_view text;

	if (op_json_peek(in) == '"') {
		text = op_json_extract_string(in).raw;
	} else if (op_json_peek(in) == '-' ||
		   (op_json_peek(in) >= '0' && op_json_peek(in) <= '9')) {
		text = op_json_extract_number(in);
	} else {
		op_json_skip(in);
		return 0;
	}
	if (op_json_integer(text, &i) != OP_JSON_FINE || i.negative)
		return 0;
	return i.v;
}

static bool is_rejected(struct op_view key)
{
	return op_view_is(key, "rejectedProfiles") ||
	       op_view_is(key, "rejected_profiles") ||
	       op_view_is(key, "rejectedLogRecords") ||
	       op_view_is(key, "rejected_log_records");
}

static void partial_json(struct op_json_in *in, struct op_reply *r)
{
	bool first = true;

	if (op_json_peek(in) != '{') {
		op_json_skip(in);
		return;
	}
	op_json_take(in, '{', "expected an object");
	while (op_json_more(in, '}', &first)) {
		struct op_view key = op_json_extract_key(in).raw;

		if (is_rejected(key))
			r->rejected = json_count(in);
		else if (op_view_is(key, "errorMessage") ||
			 op_view_is(key, "error_message"))
			json_text(in, r);
		else
			op_json_skip(in);
	}
}

static bool export_json(struct op_view body, struct op_reply *r)
{
	struct op_err err = { 0 };
	struct op_json_in in = op_json_in(body, &err);
	bool first = true;

	op_json_take(&in, '{', "expected an object");
	while (op_json_more(&in, '}', &first)) {
		struct op_view key = op_json_extract_key(&in).raw;

		if (op_view_is(key, "partialSuccess") ||
		    op_view_is(key, "partial_success"))
			partial_json(&in, r);
		else
			op_json_skip(&in);
	}
	return !err.code && !op_json_peek(&in);
}

/* The members of an object that describe the error; "error" may be an object
 * that contains the message. */
static void error_json(struct op_json_in *in, bool is_inner, struct op_reply *r)
{
	bool first = true;

	op_json_take(in, '{', "expected an object");
	while (op_json_more(in, '}', &first)) {
		struct op_view key = op_json_extract_key(in).raw;
		bool is_error = op_view_is(key, "error");

		if (is_error && !is_inner && op_json_peek(in) == '{')
			error_json(in, true, r);
		else if (op_view_is(key, "message") ||
			 ((is_error || op_view_is(key, "detail")) &&
			  !r->text[0]))
			json_text(in, r);
		else
			op_json_skip(in);
	}
}

static bool status_json(struct op_view body, struct op_reply *r)
{
	struct op_err err = { 0 };
	struct op_json_in in = op_json_in(body, &err);

	error_json(&in, false, r);
	return !err.code && !op_json_peek(&in);
}

/* --- both --- */

static bool result(bool is_good, struct op_reply *r)
{
	if (!is_good)
		*r = (struct op_reply){ 0 };
	return is_good;
}

bool op_reply_export(struct op_view body, enum op_reply_form form,
		     struct op_reply *r)
{
	*r = (struct op_reply){ 0 };
	if (!body.n)
		return true;
	switch (form) {
	case OP_REPLY_JSON:
		return result(export_json(body, r), r);
	case OP_REPLY_PROTOBUF:
		return result(export_protobuf(body, r), r);
	case OP_REPLY_TEXT:
		return result(export_json(body, r), r) ||
		       result(export_protobuf(body, r), r);
	default:
		return false;
	}
}

/* The first line that is not empty. */
static void status_text(struct op_view body, struct op_reply *r)
{
	while (body.n && !r->text[0]) {
		const uint8_t *end = memchr(body.p, '\n', body.n);
		size_t n = end ? (size_t)(end - body.p) : body.n;

		text_set(r, op_view(body.p, n));
		n += end != NULL;
		body = op_view(body.p + n, body.n - n);
	}
}

bool op_reply_status(struct op_view body, enum op_reply_form form,
		     struct op_reply *r)
{
	*r = (struct op_reply){ 0 };
	if (!body.n)
		return true;
	switch (form) {
	case OP_REPLY_JSON:
		return result(status_json(body, r), r);
	case OP_REPLY_PROTOBUF:
		return result(status_protobuf(body, r), r);
	default:
		status_text(body, r);
		return true;
	}
}

/* --- gRPC --- */

bool op_grpc_frame(struct op_view body, struct op_view *message,
		   bool *is_packed)
{
	uint32_t n;

	if (body.n < 5 || body.p[0] > 1)
		return false;
	memcpy(&n, body.p + 1, sizeof(n));
	n = __builtin_bswap32(n);
	if (n != body.n - 5)
		return false;
	*message = op_view(body.p + 5, n);
	*is_packed = body.p[0];
	return true;
}

int op_grpc_status(struct op_view text)
{
	int code = 0;

	if (!text.n || text.n > 3)
		return -1;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return -1;
		code = code * 10 + (text.p[i] - '0');
	}
	return code;
}

/* %XX stands for a byte; anything else stands for itself. */
static void percent_text(struct op_view v, struct op_reply *r)
{
	uint8_t plain[4 * OP_REPLY_TEXT_MAX];
	size_t n = 0;

	for (size_t i = 0; i < v.n && n < sizeof(plain); i++) {
		uint8_t c = v.p[i];

		if (c == '%' && v.n - i > 2 &&
		    op_unhex(op_view(v.p + i + 1, 2), &c, 1))
			i += 2;
		plain[n++] = c;
	}
	text_set(r, op_view(plain, n));
}

void op_grpc_reply(struct op_view message, struct op_view details,
		   struct op_reply *r)
{
	uint8_t status[4096];
	size_t n;

	*r = (struct op_reply){ 0 };
	percent_text(message, r);
	if (!details.n || details.n > sizeof(status))
		return;
	n = op_base64_decode(details, status);
	if (n == OP_NOT_TEXT)
		return;
	if (!r->text[0])
		op_reply_status(op_view(status, n), OP_REPLY_PROTOBUF, r);
	else
		r->has_delay = op_retry_info(op_view(status, n), &r->delay_ns);
}
