// SPDX-License-Identifier: Apache-2.0
/* Which files are known as profiles in logs, and which are not. */
#include "unit/fmt/splunk/splunk_fixture.h"

#define SOURCE "6{ 1'com.splunk.sourcetype' 2{ 1'otel.profiling' } } "
#define FORMAT "6{ 1'profiling.data.format' 2{ 1'pprof-gzip-base64' } } "
#define SCOPE "1{ 1'otel.profiling' } "

static const struct {
	const char *name, *text, *format; /* NULL: some other, or none */
} wire_rows[] = {
	{ "by the scope", "1{ 2{ " SCOPE "2{ 1@5 5{ 1'x' } } } }",
	  "splunk-text" },
	{ "by the attribute", "1{ 2{ 1{ 1'x' } 2{ 1@5 " SOURCE "} } }",
	  "splunk-text" },
	{ "by the body's form", "1{ 2{ " SCOPE "2{ 1@5 " FORMAT "} } }",
	  "splunk-pprof" },
	{ "a library", "1{ 1000{ " SCOPE "2{ 1@5 4'otel.profiling' } } }",
	  "splunk-text" },
	{ "the second resource",
	  "1{ 2{ 1{ 1'x' } 2{ 1@5 } } } 1{ 2{ " SCOPE "2{ 1@5 } } }",
	  "splunk-text" },
	{ "a head without records",
	  "1{ 2{ 1{ 1'otel.profiling' 3{ 1'otprof.profile' 2{ 6{} } } } } }",
	  "splunk-text" },
	{ "other logs", "1{ 2{ 1{ 1'x' } 2{ 1@5 5{ 1'y' } } } }", "otlp" },
	{ "profiles in such a scope",
	  "1{ 2{ " SCOPE "2{ 1{ 1:1 2:2 } 2{ 1:1 } 3@5 } } } 2{ " WIRE_ZERO_ROWS
	  "}",
	  "otlp" },
	{ "the same without a dictionary",
	  "1{ 2{ " SCOPE "2{ 1{ 1:1 2:2 } 3@5 } } }", "otlp" },
	{ "a profile that is empty", "1{ 2{ " SCOPE "2{} } }", "otlp" },
	{ "a record with an odd field", "1{ 2{ " SCOPE "2{ 1:5 5{ 1'x' } } } }",
	  "otlp" },
};

TEST(wire)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(wire_rows); i++) {
		const struct op_format *f;

		wire_set(&w, wire_rows[i].text);
		f = op_format_sniff(wire_view(&w));
		if (!f || strcmp(f->name, wire_rows[i].format))
			TEST_FAIL("%s: %s", wire_rows[i].name,
				  f ? f->name : "none");
	}
}

static const struct {
	const char *name, *text, *format;
} json_rows[] = {
	{ "by the scope",
	  "{'resourceLogs':[{'scopeLogs':[{'scope':{'name':"
	  "'otel.profiling'}}]}]}",
	  "splunk-text" },
	{ "as in the schema",
	  " {'resource_logs':[{'scope_logs':[{'scope':{'name':"
	  "'otel.profiling'}}]}]}",
	  "splunk-text" },
	{ "by the body's form",
	  "{'resourceLogs':[{'x':'otel.profiling pprof-gzip-base64'}]}",
	  "splunk-pprof" },
	{ "other logs", "{'resourceLogs':[{'scopeLogs':[]}]}", NULL },
	{ "profiles",
	  "{'resourceProfiles':[{'scopeProfiles':[{'scope':{'name':"
	  "'otel.profiling'}}]}]}",
	  "otlp-json" },
};

TEST(json)
{
	static struct json_text t;

	for (size_t i = 0; i < op_countof(json_rows); i++) {
		const struct op_format *f;

		json_set(&t, json_rows[i].text);
		f = op_format_sniff(op_view(t.p, t.n));
		CHECK_STR(f ? f->name : NULL, json_rows[i].format);
	}
}

/* A message of 123 bytes begins with a line feed and a brace. */
TEST(like_json)
{
	static struct wire w;
	static struct wire inner;
	char text[400];
	struct op_err err = { 0 };
	struct op_model m;

	wire_set(&inner, "2{ " SCOPE "2{ 1@5 5{ 1'' } } }");
	snprintf(text, sizeof(text), "1{ 2{ " SCOPE "2{ 1@5 5{ 1'%*s' } } } }",
		 (int)(123 - inner.n), "");
	wire_set(&w, text);
	CHECK_EQ(w.p[0], '\n');
	CHECK_EQ(w.p[1], '{');
	CHECK(op_format_sniff(wire_view(&w)) == &op_format_splunk_text);
	CHECK(!splunk_read(&m, wire_view(&w), NULL, NULL, &err));
	CHECK_EQ(m.nr_resources, 1);
	op_model_free(&m);
}

TEST(lengths_before_messages)
{
	static struct wire w, msg;
	char text[400];
	struct op_err err = { 0 };
	struct op_model m;

	wire_set(&msg, "1{ 2{ " SCOPE "2{ 1@5 5{ 1'x' } } } }");
	snprintf(text, sizeof(text),
		 "=000000%02x 1{ 2{ " SCOPE "2{ 1@5 5{ 1'x' } } } } "
		 "=000000%02x 1{ 2{ " SCOPE "2{ 1@5 5{ 1'x' } } } }",
		 (unsigned int)msg.n, (unsigned int)msg.n);
	wire_set(&w, text);
	CHECK(op_format_sniff(wire_view(&w)) == &op_format_splunk_text);
	CHECK(!splunk_read(&m, wire_view(&w), NULL, NULL, &err));
	CHECK_EQ(m.nr_resources, 1);
	CHECK_EQ(op_profile_observations(m.resources[0].scopes[0].profiles), 2);
	op_model_free(&m);
}

TEST_MAIN(wire, json, like_json, lengths_before_messages)
