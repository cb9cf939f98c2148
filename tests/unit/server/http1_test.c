// SPDX-License-Identifier: Apache-2.0
#include "server/http1.h"

#include <stdlib.h>

#include "test.h"

/* What becomes of bytes: a line per request, "METHOD url host body", or the
 * status of a failure, "!400"; "+" if the connection stays open. */
static void run(struct op_view in, size_t piece, uint64_t max_body,
		struct op_buf *out)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "OTHER" };
	struct op_err err = { 0 };
	struct op_http1 *h = op_http1_new(&err);
	const struct op_request *r = op_http1_request(h);
	size_t at = 0;

	while (at < in.n) {
		size_t n = in.n - at < piece ? in.n - at : piece;

		at += op_http1_feed(h, op_view(in.p + at, n), max_body);
		if (op_http1_state(h) == OP_HTTP1_FAILED) {
			op_buf_printf(out, "!%d\n", op_http1_status(h));
			break;
		}
		if (op_http1_state(h) != OP_HTTP1_REQUEST)
			continue;
		op_buf_printf(out, "%s ", methods[r->method]);
		op_buf_view(out, op_view(r->url.p, r->url.n));
		op_buf_byte(out, ' ');
		op_buf_view(out, op_header_text(&r->host));
		op_buf_byte(out, ' ');
		op_buf_view(out, op_view(r->body.p, r->body.n));
		op_buf_z(out, r->keeps_alive ? "+\n" : "\n");
		if (!r->keeps_alive)
			break;
		op_http1_next(h);
	}
	if (op_http1_is_within(h) && op_http1_state(h) == OP_HTTP1_READING)
		op_buf_z(out, "...\n");
	op_buf_byte(out, 0);
	op_http1_free(h);
}

static char *repeat(const char *before, char c, size_t n, const char *after)
{
	size_t a = strlen(before), b = strlen(after);
	char *text = malloc(a + n + b + 1);

	memcpy(text, before, a);
	memset(text + a, c, n);
	memcpy(text + a + n, after, b + 1);
	return text;
}

/* The same whatever the pieces are in which it comes. */
static void check(const char *in, const char *want)
{
	static const size_t pieces[] = { SIZE_MAX, 1, 2, 3, 7, 64, 1000 };

	for (size_t i = 0; i < op_countof(pieces); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		run(op_view_z(in), pieces[i], 10, &out);
		if (strcmp((char *)out.p, want))
			TEST_FAIL("'%.40s' in pieces of %zu: '%.60s'", in,
				  pieces[i], out.p);
		op_buf_free(&out);
	}
}

TEST(requests)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / a +\n" },
		{ "GET /x?y=1 HTTP/1.1\r\nhOsT:  b:1 \r\nX: 1\r\n\r\n",
		  "GET /x?y=1 b:1 +\n" },
		{ "\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD / a +\n" },
		{ "GET / HTTP/1.0\r\n\r\n", "GET /  \n" },
		{ "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "GET /  \n" },
		{ "PUT /x HTTP/1.1\r\n\r\n", "OTHER /x  +\n" },
		{ "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
		  "GET /2 HTTP/1.1\r\nHost: b\r\n\r\n",
		  "GET /1 a +\nGET /2 b +\n" },
		{ "POST /o HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
		  "GET / HTTP/1.1\r\n\r\n",
		  "POST /o  abc+\nGET /  +\n" },
		{ "POST /o HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "2\r\nab\r\n1;x=y\r\nc\r\n0\r\nHost: z\r\n\r\n",
		  "POST /o  abc+\n" },
		{ "GET / HTTP/1.1\r\nUpgrade: h2c\r\n"
		  "Connection: Upgrade\r\n\r\nPRI",
		  "GET /  \n" },
		{ "GET / HTTP/1.1\r\nHost: a\r\n", "...\n" },
		{ "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", "...\n" },
		{ "", "" },
	};

	for (size_t i = 0; i < op_countof(cases); i++)
		check(cases[i].in, cases[i].want);
}

TEST(failures)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "\x16\x03\x01", "!405\n" }, /* TLS */
		{ "hello\r\n", "!405\n" },
		{ "GET\r\n\r\n", "!405\n" },
		{ "GET / HTTP/2.0\r\n\r\n", "!505\n" },
		{ "GET / HTTP/x\r\n\r\n", "!505\n" },
		{ "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "!400\n" },
		{ "GET / HTTP/1.1\r\nHo\x01st: a\r\n\r\n", "!400\n" },
		{ "POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n01234567890",
		  "!413\n" },
		{ "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "!400\n" },
		{ "POST / HTTP/1.1\r\nContent-Length: 1\r\n"
		  "Content-Length: 2\r\n\r\n",
		  "!400\n" },
		{ "POST / HTTP/1.1\r\nContent-Length: 1\r\n"
		  "Transfer-Encoding: chunked\r\n\r\n",
		  "!400\n" },
		{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "b\r\n01234567890",
		  "!413\n" },
		{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz",
		  "!400\n" },
	};

	for (size_t i = 0; i < op_countof(cases); i++)
		check(cases[i].in, cases[i].want);
}

TEST(limits)
{
	char *many = repeat("", 'x', OP_HTTP1_MAX_HEADERS * 6 + 40, "");
	char *text;
	size_t n;

	text = repeat("GET /", 'a', OP_HTTP1_MAX_URL, " HTTP/1.1\r\n\r\n");
	check(text, "!414\n");
	free(text);
	text = repeat("GET / HTTP/1.1\r\nX: ", 'a', OP_HTTP1_MAX_HEAD, "\r\n");
	check(text, "!431\n");
	free(text);
	text = repeat("GET / HTTP/1.1\r\n", 'a', OP_HTTP1_MAX_HEAD, "\r\n");
	check(text, "!431\n");
	free(text);
	text = repeat("GET / HTTP/1.1\r\nHost: ", 'a', OP_MAX_HEADER_VALUE + 1,
		      "\r\n\r\n");
	check(text, "!431\n");
	free(text);
	n = (size_t)snprintf(many, 40, "GET / HTTP/1.1\r\n");
	for (int i = 0; i <= OP_HTTP1_MAX_HEADERS; i++)
		n += (size_t)snprintf(many + n, 7, "a: b\r\n");
	check(many, "!431\n");
	free(many);
}

TEST(head_first)
{
	static const char text[] = "POST /o HTTP/1.1\r\n"
				   "Expect: 100-continue\r\n"
				   "Content-Length: 7\r\n\r\nabcdefg";
	struct op_err err = { 0 };
	struct op_http1 *h = op_http1_new(&err);
	struct op_view in = op_view(text, sizeof(text) - 1);
	size_t n = op_http1_feed(h, in, 0);

	CHECK_EQ(op_http1_state(h), OP_HTTP1_HEAD);
	CHECK_EQ(op_http1_request(h)->body_bytes, 7);
	CHECK(op_view_is(op_header_text(&op_http1_request(h)->expect),
			 "100-continue"));
	n += op_http1_feed(h, op_view(in.p + n, in.n - n), 7);
	CHECK_EQ(n, in.n);
	CHECK_EQ(op_http1_state(h), OP_HTTP1_REQUEST);
	CHECK_EQ(op_http1_feed(h, in, 7), 0);
	CHECK_EQ(op_http1_body(h)->n, 7);
	op_http1_free(h);
	op_http1_free(NULL);
}

TEST(memory)
{
	static const char text[] = "POST /o HTTP/1.1\r\nContent-Length: 4\r\n"
				   "\r\nabcd";

	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_http1 *h = op_http1_new(&err);
		size_t at = 0;

		CHECK_EQ(!h, err.code != 0);
		while (h && at < sizeof(text) - 1 &&
		       op_http1_state(h) != OP_HTTP1_FAILED)
			at += op_http1_feed(
				h, op_view(text + at, sizeof(text) - 1 - at),
				4);
		if (h)
			CHECK_EQ(op_http1_state(h), op_alloc_failed() ?
							    OP_HTTP1_FAILED :
							    OP_HTTP1_REQUEST);
		op_http1_free(h);
	}
}

TEST_MAIN(requests, failures, limits, head_first, memory)
