// SPDX-License-Identifier: Apache-2.0
/* Logs as JSON, to and from protobuf. */
#include "unit/fmt/logs/logs_fixture.h"

/* The wire of a text, without the padding of its lengths. */
static int from_json(const char *text, struct op_pbw *out, struct op_err *err)
{
	static struct json_text t;
	struct op_buf wire = { .err = err };
	struct op_json_in in;
	struct op_logs l = { 0 };

	json_set(&t, text);
	in = op_json_in(op_view(t.p, t.n), err);
	if (!op_logs_from_json(&in, &wire) &&
	    !op_logs_decode(&l, op_view(wire.p, wire.n), err))
		op_logs_encode(&l, NULL, out);
	op_logs_free(&l);
	op_buf_free(&wire);
	return err->code;
}

static const struct {
	const char *name, *json, *wire;
} reads_rows[] = {
	{ "nothing", "{}", "" },
	{ "every field", LOGS_FULL_JSON, LOGS_FULL },
	{ "names of fields as in the schema",
	  "{'resource_logs':[{'scope_logs':[{'log_records':[{"
	  "'time_unix_nano':5,'severity_number':1,'dropped_attributes_count':2,"
	  "'trace_id':'" LOGS_TRACE "','event_name':'e',"
	  "'observed_time_unix_nano':'6'}]}]}]}",
	  "1{ 2{ 2{ 1@5 2:1 7:2 9#" LOGS_TRACE " 11@6 12'e' } } }" },
	{ "libraries",
	  "{'resourceLogs':[{'instrumentationLibraryLogs':[{"
	  "'instrumentationLibrary':{'name':'a','version':'1'},"
	  "'logs':[{'name':'n'}]}]}]}",
	  "1{ 2{ 1{ 1'a' 2'1' } 2{ 4'n' } } }" },
	{ "severities by name",
	  "{'resourceLogs':[{'scopeLogs':[{'logRecords':["
	  "{'severityNumber':'SEVERITY_NUMBER_INFO'},"
	  "{'severityNumber':'SEVERITY_NUMBER_FATAL4'},"
	  "{'severityNumber':'SEVERITY_NUMBER_UNSPECIFIED'},"
	  "{'severityNumber':'3'}]}]}]}",
	  "1{ 2{ 2{ 2:9 } 2{ 2:24 } 2{} 2{ 2:3 } } }" },
	{ "ids in base64",
	  "{'resourceLogs':[{'scopeLogs':[{'logRecords':["
	  "{'traceId':'AAECAwQFBgcICQoLDA0ODw==','spanId':'EBESExQVFhc='}"
	  "]}]}]}",
	  "1{ 2{ 2{ 9#" LOGS_TRACE " 10#" LOGS_SPAN " } } }" },
	{ "unknown keys and null",
	  "{'a':[{}],'resourceLogs':[{'x':1,'resource':null,'scopeLogs':"
	  "[{'logRecords':[{'flags':7,'y':{'z':[1]}}]}]}]}",
	  "1{ 2{ 2{ 8%7 } } }" },
};

TEST(reads)
{
	static struct wire want;

	for (size_t i = 0; i < op_countof(reads_rows); i++) {
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };

		wire_set(&want, reads_rows[i].wire);
		if (from_json(reads_rows[i].json, &out, &err) ||
		    !op_view_eq(op_pbw_result(&out), wire_view(&want)))
			TEST_FAIL("%s: %.100s", reads_rows[i].name, err.text);
		op_pbw_free(&out);
	}
}

static const struct {
	const char *name, *json;
} refuses_rows[] = {
	{ "no object", "^[]" },
	{ "no array", "{'resourceLogs':^{}}" },
	{ "a severity", "{'resourceLogs':[{'scopeLogs':[{'logRecords':["
			"{'severityNumber':^'SEVERITY_NUMBER_INFO5'}]}]}]}" },
	{ "flags", "{'resourceLogs':[{'scopeLogs':[{'logRecords':["
		   "{'flags':^4294967296}]}]}]}" },
	{ "a body that is no object",
	  "{'resourceLogs':[{'scopeLogs':[{'logRecords':["
	  "{'body':^'x'}]}]}]}" },
	{ "cut off", "{'resourceLogs':[^" },
};

TEST(refuses)
{
	static struct json_text t;

	for (size_t i = 0; i < op_countof(refuses_rows); i++) {
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };

		json_set(&t, refuses_rows[i].json);
		CHECK_EQ(from_json(refuses_rows[i].json, &out, &err),
			 OP_EFORMAT);
		if (!err.has_at || err.at != t.mark)
			TEST_FAIL("%s: at %d, not %d", refuses_rows[i].name,
				  (int)err.at, (int)t.mark);
		op_pbw_free(&out);
	}
}

static const struct {
	const char *name, *wire, *json;
} writes_rows[] = {
	{ "nothing", "", "{}" },
	{ "every field", LOGS_FULL, LOGS_FULL_JSON },
	{ "no value", "1{ 2{ 2{ 6{ 1'n' } } } }",
	  "{'resourceLogs':[{'scopeLogs':[{'logRecords':[{'attributes':"
	  "[{'key':'n','value':{}}]}]}]}]}" },
	{ "an id of another length is none", "1{ 2{ 2{ 9#0102 } } }",
	  "{'resourceLogs':[{'scopeLogs':[{'logRecords':[{}]}]}]}" },
	{ "lists that are empty", "1{ 2{ 2{ 5{ 5{} } 6{ 1'k' 2{ 6{} } } } } }",
	  "{'resourceLogs':[{'scopeLogs':[{'logRecords':[{'body':"
	  "{'arrayValue':{}},'attributes':[{'key':'k','value':"
	  "{'kvlistValue':{}}}]}]}]}]}" },
};

TEST(writes)
{
	static struct json_text want;
	static struct wire w;

	for (size_t i = 0; i < op_countof(writes_rows); i++) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };

		wire_set(&w, writes_rows[i].wire);
		json_set(&want, writes_rows[i].json);
		if (op_logs_to_json(wire_view(&w), &out, &err) ||
		    !op_view_eq(op_view(out.p, out.n), op_view(want.p, want.n)))
			TEST_FAIL("%s: %.*s", writes_rows[i].name,
				  (int)(out.n < 150 ? out.n : 150),
				  (const char *)out.p);
		op_buf_free(&out);
	}
}

/* Failures of the message are told as the decoder tells them. */
TEST(not_a_message)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };

	CHECK_EQ(op_logs_to_json(op_view_z("\n\x05"), &out, &err), OP_EFORMAT);
	CHECK(err.has_at);
	op_buf_free(&out);
}

/* A byte of the wire leads back to the text it came from. */
TEST(places)
{
	static struct json_text t;
	struct op_err err = { 0 };
	struct op_buf wire = { .err = &err };
	struct op_json_in in, start;
	struct op_logs l = { 0 };
	const uint8_t *at;

	json_set(&t, "  {'resourceLogs':[{'scopeLogs':[{'logRecords':["
		     "{'body':{'stringValue':^'abc'}}]}]}]}");
	start = in = op_json_in(op_view(t.p, t.n), &err);
	CHECK(!op_logs_from_json(&in, &wire));
	CHECK(!op_logs_decode(&l, op_view(wire.p, wire.n), &err));
	at = l.resources[0].scopes[0].records[0].body.bytes.p;
	CHECK_EQ(op_logs_json_place(start, (uint64_t)(at - wire.p)) -
			 start.base,
		 t.mark);
	op_logs_free(&l);
	op_buf_free(&wire);
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_pbw wire = { .err = &err };
		struct op_buf out = { .err = &err };

		if (!from_json(LOGS_FULL_JSON, &wire, &err))
			op_logs_to_json(op_pbw_result(&wire), &out, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_buf_free(&out);
		op_pbw_free(&wire);
	}
}

TEST_MAIN(reads, refuses, writes, not_a_message, places, oom)
