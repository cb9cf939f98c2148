// SPDX-License-Identifier: Apache-2.0
/* Messages that are larger than a request may be. */
#include "rpc/split_send.h"

#include "fmt/otlp/otlp.h"
#include "serve/pair.h"
#include "write/sketch.h"

/* A message of many samples; ends with w. */
static struct op_view message_make(struct op_pbw *w, struct op_err *err)
{
	struct op_buf text = { .err = err };
	struct op_model m = { 0 };
	struct sketch s = { 0 };

	*w = (struct op_pbw){ .err = err };
	for (int i = 0; i < 200; i++)
		op_buf_printf(&text, "main;work%d %d\n", i, i + 1);
	op_buf_byte(&text, 0);
	s.samples = (const char *)text.p;
	sketch_one(&m, &s);
	CHECK_EQ(op_otlp_encode(&m, w), OP_OK);
	op_model_free(&m);
	op_buf_free(&text);
	return op_pbw_result(w);
}

struct outcome {
	struct op_answer a;
	size_t nr; /* requests */
	size_t largest;
};

/* Sends the message in requests of at most max bytes. */
static struct outcome send_split(const char *script, size_t max,
				 enum op_signal signal)
{
	struct outcome o = { 0 };
	struct op_err err = { 0 };
	struct op_view message;
	struct op_pbw w;
	struct pair p;

	message = message_make(&w, &err);
	pair_open(&p, script, "COMPRESSION=none", signal);
	p.to.max_request = max;
	op_split_send(p.c, &p.to, message, &o.a);
	o.nr = serve_nr(p.s);
	for (size_t i = 0; i < o.nr; i++) {
		size_t n = serve_at(p.s, i)->n;

		o.largest = n > o.largest ? n : o.largest;
	}
	pair_close(&p);
	op_pbw_free(&w);
	return o;
}

TEST(whole)
{
	struct outcome o;

	NEEDS_HTTP;
	o = send_split("", 1 << 20, OP_SIGNAL_PROFILES);
	CHECK_EQ(o.a.verdict, OP_VERDICT_DONE);
	CHECK_EQ(o.nr, 1);
}

TEST(parts)
{
	struct outcome o;

	NEEDS_HTTP;
	o = send_split("", 2000, OP_SIGNAL_PROFILES);
	CHECK_EQ(o.a.verdict, OP_VERDICT_DONE);
	CHECK_STR(o.a.text, "");
	CHECK(o.nr > 2);
	CHECK(o.largest <= 2000);
}

/* The others are sent all the same, and the message is not tried again. */
TEST(a_part_refused)
{
	struct outcome all, o;

	NEEDS_HTTP;
	all = send_split("", 2000, OP_SIGNAL_PROFILES);
	o = send_split("\nstatus=400\n\n", 2000, OP_SIGNAL_PROFILES);
	CHECK_EQ(o.a.verdict, OP_VERDICT_REFUSED);
	CHECK_EQ(o.nr, all.nr);
	CHECK(o.a.text[0]);
}

/* The message waits for the next try, and so do its other parts. */
TEST(a_part_to_retry)
{
	struct outcome o;

	NEEDS_HTTP;
	o = send_split("\nstatus=503\n\n", 2000, OP_SIGNAL_PROFILES);
	CHECK_EQ(o.a.verdict, OP_VERDICT_RETRY);
	CHECK_EQ(o.nr, 2);
}

/* What is no message cannot be split. */
TEST(damaged)
{
	struct op_answer a;
	uint8_t bytes[100];
	struct pair p;

	NEEDS_HTTP;
	memset(bytes, 0xff, sizeof(bytes));
	pair_open(&p, "", "", OP_SIGNAL_PROFILES);
	p.to.max_request = 50;
	op_split_send(p.c, &p.to, op_view(bytes, sizeof(bytes)), &a);
	CHECK_EQ(a.verdict, OP_VERDICT_REFUSED);
	CHECK(a.text[0]);
	CHECK_EQ(serve_nr(p.s), 0);
	pair_close(&p);
}

TEST_MAIN(whole, parts, a_part_refused, a_part_to_retry, damaged)
