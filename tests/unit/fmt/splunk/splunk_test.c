// SPDX-License-Identifier: Apache-2.0
/* Files: several objects, places of failures, settings. */
#include "unit/fmt/splunk/splunk_fixture.h"

#define RECORD(body) "{'timeUnixNano':'5','body':{'stringValue':" body "}}"
#define OBJECT(records)                                    \
	"{'resourceLogs':[{'scopeLogs':[{'scope':{'name':" \
	"'otel.profiling'},'logRecords':[" records "]}]}]}"
#define STACK "'\\n\\nat f(a:1)'"
#define HEAD "resource\nscope otel.profiling\nprofile samples/count 5+0\n"

static const struct {
	const char *name, *text, *result;
} json_rows[] = {
	{ "one object", OBJECT(RECORD(STACK)), HEAD "\tf @5\n" },
	{ "lines are one model",
	  OBJECT(RECORD(STACK)) "\n" OBJECT(RECORD(STACK)) "\n",
	  HEAD "\tf @5 @5\n" },
	{ "an object that says nothing", "{}", "" },
	{ "a mark of the byte order", "\xef\xbb\xbf" OBJECT(RECORD(STACK)),
	  HEAD "\tf @5\n" },
};

TEST(json)
{
	static struct json_text t;

	for (size_t i = 0; i < op_countof(json_rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;

		json_set(&t, json_rows[i].text);
		CHECK(!splunk_read(&m, op_view(t.p, t.n), NULL, NULL, &err));
		CHECK_STR(sketch_text(&m), json_rows[i].result);
		op_model_free(&m);
	}
}

static const struct {
	const char *name, *text, *why;
} bad_json_rows[] = {
	{ "cut off", "{'resourceLogs':[^", NULL },
	{ "more behind it", OBJECT(RECORD(STACK)) " ^x",
	  "expected a JSON object" },
	{ "a body that is no base64, in the second object",
	  OBJECT(RECORD(STACK)) "\n" OBJECT(
		  "{'attributes':[{'key':'profiling.data.format','value':"
		  "{'stringValue':'pprof-gzip-base64'}}],"
		  "'body':{'stringValue':^'*'}}"),
	  "the body is not valid base64" },
};

TEST(bad_json)
{
	static struct json_text t;

	for (size_t i = 0; i < op_countof(bad_json_rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;

		json_set(&t, bad_json_rows[i].text);
		CHECK_EQ(splunk_read(&m, op_view(t.p, t.n), NULL, NULL, &err),
			 OP_EFORMAT);
		if (bad_json_rows[i].why)
			CHECK_STR(err.text, bad_json_rows[i].why);
		if (!err.has_at || err.at != t.mark)
			TEST_FAIL("%s: at %d, not %d", bad_json_rows[i].name,
				  (int)err.at, (int)t.mark);
	}
}

TEST(bad_wire)
{
	/* As bytes: lengths stand between messages. */
	static const struct {
		struct op_view in;
		uint64_t at;
		const char *why;
	} rows[] = {
		{ { (const uint8_t *)"\x0a\x04\x12\x02\x12\x05", 6 },
		  6,
		  "5 bytes declared, but only 0 are left" },
		{ { (const uint8_t *)"\0\0", 2 },
		  0,
		  "truncated length of a message" },
		{ { (const uint8_t *)"\0\0\0\x05\x0a\0", 6 },
		  0,
		  "a message declares 5 bytes, but only 2 are left" },
		{ { (const uint8_t *)"\0\0\0\x02\x0a\0\0\0\0\x02\x0a\x05", 12 },
		  12,
		  "5 bytes declared, but only 0 are left" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;

		CHECK_EQ(splunk_read(&m, rows[i].in, NULL, NULL, &err),
			 OP_EFORMAT);
		CHECK_STR(err.text, rows[i].why);
		CHECK_EQ(err.at, rows[i].at);
	}
}

TEST(settings)
{
	struct op_err err = { 0 };
	struct op_model m;

	CHECK_EQ(splunk_read(&m, op_view_z("{}"), "splunk-frames=3", NULL,
			     &err),
		 OP_EUSAGE);
	CHECK_STR(err.text, "--splunk-frames takes 2021 or 1.4, not '3'");
}

TEST_MAIN(json, bad_json, bad_wire, settings)
