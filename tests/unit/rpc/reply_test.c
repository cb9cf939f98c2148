// SPDX-License-Identifier: Apache-2.0
#include "rpc/reply.h"

#include "test.h"
#include "write/wire.h"

/* --- text --- */

static const struct {
	const char *in, *out;
} lines[] = {
	{ "", "" },
	{ "plain words", "plain words" },
	{ "  around \t\r\n them  ", "around them" },
	{ "two\nlines", "two lines" },
	{ "bell\a and \x1b[31mred\x1b[0m", "bell and [31mred [0m" },
	{ "del\x7f"
	  "ete",
	  "del ete" },
	{ "c1 \xc2\x9b!", "c1 !" },
	{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
	  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
	{ "bad \xff byte", "bad \xef\xbf\xbd byte" },
	{ "cut \xe2\x82", "cut \xef\xbf\xbd" },
	{ "12345678901234567890123456789012",
	  "1234567890123456789012345678..." },
	{ "1234567890123456789012345678901",
	  "1234567890123456789012345678901" },
	{ "123456789012345678901234567\xe2\x82\xac more",
	  "123456789012345678901234567..." },
	{ "12345678901234567890123456789\xe2\x82\xac",
	  "1234567890123456789012345678..." },
};

TEST(clean_lines)
{
	for (size_t i = 0; i < op_countof(lines); i++) {
		char out[32];

		op_reply_clean(out, sizeof(out), op_view_z(lines[i].in));
		CHECK_STR(out, lines[i].out);
	}
}

static const struct {
	const char *type;
	enum op_reply_form form;
} types[] = {
	{ "application/x-protobuf", OP_REPLY_PROTOBUF },
	{ "Application/X-Protobuf; v=1", OP_REPLY_PROTOBUF },
	{ "application/protobuf", OP_REPLY_PROTOBUF },
	{ "application/json", OP_REPLY_JSON },
	{ "application/json;charset=utf-8", OP_REPLY_JSON },
	{ "text/html; charset=utf-8", OP_REPLY_HTML },
	{ "application/problem+json", OP_REPLY_JSON },
	{ "text/plain", OP_REPLY_TEXT },
	{ "application/jsonl", OP_REPLY_TEXT },
	{ "", OP_REPLY_JSON },
};

TEST(content_types)
{
	for (size_t i = 0; i < op_countof(types); i++)
		CHECK_EQ(op_reply_form(op_view_z(types[i].type), OP_REPLY_JSON),
			 types[i].form);
}

/* --- bodies --- */

struct body {
	const char *in;
	bool is_good;
	uint64_t rejected;
	const char *text;
};

static void check_reply(const struct body *b, bool is_good,
			const struct op_reply *r)
{
	int before = test_failed;

	CHECK_EQ(is_good, b->is_good);
	CHECK_EQ(r->rejected, b->rejected);
	CHECK_STR(r->text, b->text);
	if (test_failed != before)
		fprintf(stderr, "  in row '%s'\n", b->in);
}

static const struct body exports_protobuf[] = {
	{ "", true, 0, "" },
	{ "1{}", true, 0, "" },
	{ "1{1:3}", true, 3, "" },
	{ "1{1:3 2'too old'}", true, 3, "too old" },
	{ "1{2'deprecated'}", true, 0, "deprecated" },
	{ "1{1:-3}", true, 0, "" },
	{ "9'later fields' 1{7:1 1:2}", true, 2, "" },
	{ "1{1:3 2'tw\no'}", true, 3, "tw o" },
	{ "1{1:3} =ff", false, 0, "" },
	{ "1{1:3 =12ff}", false, 0, "" },
	{ "=68656c6c6f", false, 0, "" },
};

TEST(export_protobuf)
{
	for (size_t i = 0; i < op_countof(exports_protobuf); i++) {
		struct wire w = { 0 };
		struct op_reply r;
		bool is_good;

		wire_set(&w, exports_protobuf[i].in);
		is_good = op_reply_export(wire_view(&w), OP_REPLY_PROTOBUF, &r);
		check_reply(&exports_protobuf[i], is_good, &r);
	}
}

static const struct body exports_json[] = {
	{ "", true, 0, "" },
	{ "{}", true, 0, "" },
	{ " {} \n", true, 0, "" },
	{ "{\"partialSuccess\":{}}", true, 0, "" },
	{ "{\"partialSuccess\":null}", true, 0, "" },
	{ "{\"partialSuccess\":{\"rejectedProfiles\":\"3\"}}", true, 3, "" },
	{ "{\"partialSuccess\":{\"rejectedProfiles\":3}}", true, 3, "" },
	{ "{\"partial_success\":{\"rejected_profiles\":3,"
	  "\"error_message\":\"old\"}}",
	  true, 3, "old" },
	{ "{\"partialSuccess\":{\"rejectedLogRecords\":\"4\","
	  "\"errorMessage\":\"a\\u000ab\\\"\"}}",
	  true, 4, "a b\"" },
	{ "{\"partialSuccess\":{\"rejectedProfiles\":\"-3\"}}", true, 0, "" },
	{ "{\"partialSuccess\":{\"rejectedProfiles\":[]}}", true, 0, "" },
	{ "{\"partialSuccess\":{\"rejectedProfiles\":1.5}}", true, 0, "" },
	{ "{\"new\":[{}],\"partialSuccess\":{\"x\":1,\"errorMessage\":7}}",
	  true, 0, "" },
	{ "{\"partialSuccess\":{\"rejectedProfiles\":\"3\"}", false, 0, "" },
	{ "{} {}", false, 0, "" },
	{ "[]", false, 0, "" },
	{ "<html>", false, 0, "" },
};

TEST(export_json)
{
	for (size_t i = 0; i < op_countof(exports_json); i++) {
		struct op_view in = op_view_z(exports_json[i].in);
		struct op_reply r;

		check_reply(&exports_json[i],
			    op_reply_export(in, OP_REPLY_JSON, &r), &r);
	}
}

/* Whatever it says, it is no Export*ServiceResponse. */
TEST(export_text)
{
	struct op_reply r;

	CHECK(!op_reply_export(op_view_z("welcome"), OP_REPLY_TEXT, &r));
	CHECK_STR(r.text, "");
	CHECK(op_reply_export((struct op_view){ 0 }, OP_REPLY_TEXT, &r));
}

static const struct body statuses_json[] = {
	{ "{\"code\":3,\"message\":\"no such table\"}", true, 0,
	  "no such table" },
	{ "{\"message\":\"\\ud83d\\ude00\"}", true, 0, "\xf0\x9f\x98\x80" },
	{ "{\"message\":null,\"details\":[{\"@type\":\"x\"}]}", true, 0, "" },
	{ "{\"message\":\"a\"", false, 0, "" },
	{ "oops", false, 0, "" },
};

TEST(status_json)
{
	for (size_t i = 0; i < op_countof(statuses_json); i++) {
		struct op_view in = op_view_z(statuses_json[i].in);
		struct op_reply r;

		check_reply(&statuses_json[i],
			    op_reply_status(in, OP_REPLY_JSON, &r), &r);
	}
}

/* What is too long is cut, and never inside an escape. */
TEST(status_json_long)
{
	char in[4000] = "{\"message\":\"";
	struct op_reply r;

	for (size_t shift = 0; shift < 6; shift++) {
		size_t n = 12 + shift;

		memset(in + 12, 'x', shift);
		while (n < sizeof(in) - 16) {
			memcpy(in + n, "\\u00e4", 6);
			n += 6;
		}
		memcpy(in + n, "\"}", 3);
		CHECK(op_reply_status(op_view_z(in), OP_REPLY_JSON, &r));
		CHECK(strlen(r.text) >= OP_REPLY_TEXT_MAX - 4);
		CHECK(!strcmp(r.text + strlen(r.text) - 3, "..."));
		CHECK(!strstr(r.text, "\\"));
	}
}

TEST(status_protobuf)
{
	struct wire w = { 0 };
	struct op_reply r;

	wire_set(&w, "1:3 2'bad request' 3{1'x/google.rpc.RetryInfo' "
		     "2{1{1:2}}}");
	CHECK(op_reply_status(wire_view(&w), OP_REPLY_PROTOBUF, &r));
	CHECK_STR(r.text, "bad request");
	CHECK(r.has_delay);
	CHECK_EQ(r.delay_ns, 2000000000);
	wire_set(&w, "1:3 2'bad request' =ff");
	CHECK(!op_reply_status(wire_view(&w), OP_REPLY_PROTOBUF, &r));
	CHECK_STR(r.text, "");
}

TEST(status_text)
{
	struct op_reply r;

	CHECK(op_reply_status(op_view_z("Bad Gateway\r\nnginx"), OP_REPLY_TEXT,
			      &r));
	CHECK_STR(r.text, "Bad Gateway");
}

/* --- gRPC --- */

static const struct {
	const char *body;
	bool is_good;
	const char *message;
} frames[] = {
	{ "=00 =00000000", true, "" },
	{ "=00 =00000002 1:3", true, "1:3" },
	{ "", false, "" },
	{ "=00 =000000", false, "" },
	{ "=01 =00000002 1:3", true, "1:3" },
	{ "=02 =00000002 1:3", false, "" },
	{ "=00 =00000003 1:3", false, "" },
	{ "=00 =00000001 1:3", false, "" },
	{ "=00 =ffffffff", false, "" },
	{ "=00 =00000000 =00 =00000000", false, "" },
};

TEST(grpc_frames)
{
	for (size_t i = 0; i < op_countof(frames); i++) {
		struct wire in = { 0 }, want = { 0 };
		struct op_view message = { 0 };
		bool is_packed = false;

		wire_set(&in, frames[i].body);
		wire_set(&want, frames[i].message);
		CHECK_EQ(op_grpc_frame(wire_view(&in), &message, &is_packed),
			 frames[i].is_good);
		CHECK_EQ(is_packed, frames[i].is_good && in.p[0]);
		CHECK(op_view_eq(message, wire_view(&want)));
	}
}

static const struct {
	const char *text;
	int code;
} numbers[] = {
	{ "0", 0 },   { "14", 14 }, { "999", 999 }, { "007", 7 },
	{ "", -1 },   { "-1", -1 }, { "1000", -1 }, { " 1", -1 },
	{ "1x", -1 }, { "OK", -1 },
};

TEST(grpc_statuses)
{
	for (size_t i = 0; i < op_countof(numbers); i++)
		CHECK_EQ(op_grpc_status(op_view_z(numbers[i].text)),
			 numbers[i].code);
}

/* Status { 8, "later", RetryInfo 3 s }, in base64. */
#define LATER                                                            \
	"CAgSBWxhdGVyGjAKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xlLnJwYy5SZX" \
	"RyeUluZm8SBAoCCAM"

static const struct {
	const char *message, *details, *text;
	uint64_t delay_s;
} trailers[] = {
	{ "", "", "", 0 },
	{ "no%20such%0Athing", "", "no such thing", 0 },
	{ "100% %zz %4", "", "100% %zz %4", 0 },
	{ "%E2%82%AC", "", "\xe2\x82\xac", 0 },
	{ "soon", LATER, "soon", 3 },
	{ "soon", LATER "=", "soon", 3 },
	{ "", LATER, "later", 3 },
	{ "soon", "!!!", "soon", 0 },
	{ "soon", "CAg", "soon", 0 },
};

TEST(grpc_trailers)
{
	for (size_t i = 0; i < op_countof(trailers); i++) {
		struct op_reply r;

		op_grpc_reply(op_view_z(trailers[i].message),
			      op_view_z(trailers[i].details), &r);
		CHECK_STR(r.text, trailers[i].text);
		CHECK_EQ(r.delay_ns, trailers[i].delay_s * 1000000000);
		CHECK_EQ(r.has_delay, trailers[i].delay_s != 0);
	}
}

TEST_MAIN(clean_lines, content_types, export_protobuf, export_json, export_text,
	  status_json, status_json_long, status_protobuf, status_text,
	  grpc_frames, grpc_statuses, grpc_trailers)
