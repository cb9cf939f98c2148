// SPDX-License-Identifier: Apache-2.0
#include "server/http1.h"
#include "test.h"

static void head(const struct op_response *r, unsigned int how,
		 struct op_buf *out)
{
	out->n = 0;
	op_response_head(out, r, how);
	op_buf_byte(out, 0);
}

TEST(heads)
{
	static const char policy[] =
		"\r\nContent-Security-Policy: default-src 'none'; "
		"script-src 'self'; style-src 'self'; connect-src 'self'; "
		"img-src 'self' data: blob:; frame-ancestors 'none'; "
		"base-uri 'none'; form-action 'none'\r\n";
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_response r = { .status = 200,
				 .type = "text/plain",
				 .body.n = 12 };

	head(&r, 0, &out);
	CHECK(!strncmp((char *)out.p, "HTTP/1.1 200 OK\r\n", 17));
	CHECK(strstr((char *)out.p, "\r\nContent-Type: text/plain\r\n"));
	CHECK(strstr((char *)out.p, "\r\nContent-Length: 12\r\n"));
	CHECK(strstr((char *)out.p, policy));
	CHECK(strstr((char *)out.p, "\r\nX-Content-Type-Options: nosniff\r\n"));
	CHECK(strstr((char *)out.p, "\r\nReferrer-Policy: no-referrer\r\n"));
	CHECK(strstr((char *)out.p, "\r\nCache-Control: no-store\r\n"));
	CHECK(strstr((char *)out.p,
		     "\r\nCross-Origin-Opener-Policy: same-origin\r\n"));
	CHECK(strstr((char *)out.p,
		     "\r\nCross-Origin-Resource-Policy: same-origin\r\n"));
	CHECK(!strstr((char *)out.p, "Connection"));
	CHECK(!strcmp((char *)out.p + out.n - 5, "\r\n\r\n"));
	head(&r, OP_HTTP1_CLOSES | OP_HTTP1_STREAMS, &out);
	CHECK(strstr((char *)out.p, "\r\nConnection: close\r\n"));
	CHECK(!strstr((char *)out.p, "Content-Length"));
	op_buf_free(&out);
}

/* A name cannot end its header, or begin another. */
TEST(file_names)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_response r = { .status = 200,
				 .file_name = "a\"b\r\nX: y/\xc3\xa4.pb.gz" };

	head(&r, 0, &out);
	CHECK(strstr((char *)out.p, "\r\nContent-Disposition: attachment; "
				    "filename=\"a_b__X__y___.pb.gz\"\r\n"));
	op_buf_free(&out);
}

/* A note may have names of the profile in it. */
TEST(notes)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_response r = { .status = 200,
				 .note = "a\r\nX: y\x7f\xc3\xa4 is left out" };

	op_response_head(&out, &r, 0);
	op_buf_byte(&out, 0);
	CHECK(strstr((char *)out.p,
		     "\r\nOtprof-Note: a??X: y??? is left out\r\n"));
	op_buf_free(&out);
}

TEST(errors)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };
	struct op_response r = { .body.err = &err };

	op_buf_z(&r.body, "half of an answer");
	op_response_error(&r, 405, "a \"text\"");
	CHECK(op_view_is(op_view(r.body.p, r.body.n),
			 "{\"error\":\"a \\\"text\\\"\"}"));
	head(&r, 0, &out);
	CHECK(!strncmp((char *)out.p, "HTTP/1.1 405 Method Not Allowed\r\n",
		       33));
	CHECK(strstr((char *)out.p, "\r\nAllow: GET, HEAD, POST\r\n"));
	CHECK_STR(op_status_text(999), "Unknown");
	op_buf_free(&r.body);
	op_buf_free(&out);
}

TEST_MAIN(heads, file_names, notes, errors)
