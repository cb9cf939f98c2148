// SPDX-License-Identifier: Apache-2.0
#include "fmt/format.h"

#include "test.h"
#include "write/wire.h"

/* Every row of the table can be named, and says what it is. */
TEST(table)
{
	for (size_t i = 0; op_formats[i]; i++) {
		const struct op_format *f = op_formats[i];

		CHECK(f->name && *f->name);
		CHECK(f->summary && *f->summary);
		CHECK(f->read || f->write);
		CHECK(op_format_named(f->name) == f);
		for (size_t k = 0; k < op_countof(f->endings); k++)
			CHECK(!f->endings[k] || f->endings[k][0] == '.');
		if (f->endings[0])
			CHECK(op_format_by_ending(f->endings[0]) == f);
	}
	CHECK(!op_format_named("no such format"));
	CHECK(!op_format_named(""));
}

TEST(by_ending)
{
	static const struct {
		const char *file, *format;
	} rows[] = {
		{ "a.otlp", "otlp" },
		{ "dir.x/a.otlp", "otlp" },
		{ "a.otlp.pb", "otlp" },
		{ "a.otlpx", NULL },
		{ "otlp", NULL },
		{ "", NULL },
		{ "a.nothing", NULL },
		{ "a.folded", "folded" },
		{ "a.collapsed", "folded" },
		{ "a.trace.json", "chrome-trace" },
		{ "a.cpuprofile", "cpuprofile" },
		{ "a.heapprofile.gz", "heapprofile" },
		{ "a.speedscope.json", "speedscope" },
		{ "a.firefox.json.gz", "firefox" },
		{ "a.json", "otlp-json" },
		{ "a.otep239", "otep239" },
		{ "a.otep-arrays", "otep-arrays" },
		{ "a.otlp-events.gz", "otlp-events" },
		{ "a.txtpb", "otlp-events-text" },
		{ "a.logs.otlp", "splunk-pprof" },
		{ "a.logs.json.gz", "splunk-pprof" },
		{ "a.text.logs.otlp", "splunk-text" },
		{ "a.text.logs.json", "splunk-text" },
		{ "a.html", "html" },
		{ "a.htm", "html" },
		{ "a.svg", "svg" },
		/* Packed */
		{ "a.otlp.gz", "otlp" },
		{ "a.otlp.pb.zst", "otlp" },
		{ "a.folded.lz4", "folded" },
		{ "a.otlp.gz.gz", NULL },
		{ "a.gz", NULL },
		{ "a.otlp.zip", NULL },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		const struct op_format *f = op_format_by_ending(rows[i].file);

		CHECK_STR(f ? f->name : NULL, rows[i].format);
	}
}

TEST(by_bytes)
{
	static struct wire w;

	wire_set(&w, "1{} 2{ " WIRE_ZERO_ROWS "}");
	CHECK(op_format_sniff(wire_view(&w)) == &op_format_otlp);
	CHECK(!op_format_sniff(op_view("\xff\xff\xff\xff", 4)));
	/* pprof without types, as Splunk's bodies are. */
	wire_set(&w, "2{ 1[1] } 4{ 1:1 4{ 1:1 } } 5{ 1:1 2:1 } 6'' 6'f'");
	CHECK(op_format_sniff(wire_view(&w)) == &op_format_pprof);
	/* pprof whose type has no name. */
	wire_set(&w, "1{} 2{ 1[1] 2[5] } 4{ 1:1 4{ 1:1 } } 5{ 1:1 2:1 } "
		     "6'' 6'f'");
	CHECK(op_format_sniff(wire_view(&w)) == &op_format_pprof);
	/* Tables as OTLP v1.6 has them. */
	wire_set(&w, "1{} 4{} 4{ 1:1 } 6'' 6'f'");
	CHECK(op_format_sniff(wire_view(&w)) == &op_format_otlp);
}

/* What is JSON is told apart by the keys at its top. */
TEST(by_keys)
{
	static const struct {
		const char *text, *format;
	} rows[] = {
		{ "{\"resourceProfiles\":[]}", "otlp-json" },
		{ "{\"dictionary\":{},\"traceEvents\":[]}", "otlp-json" },
		{ "{}", "otlp-json" },
		{ "{\"traceEvents\":[]}", "chrome-trace" },
		{ "{\"a\":{\"nodes\":[]},\"traceEvents\":[", "chrome-trace" },
		{ "[{\"ph\":\"X\"}]", "chrome-trace" },
		{ "[\n{ \"name\":\"a\", \"ph\":\"", "chrome-trace" },
		{ "[{\"ph\":1}]", NULL },
		{ "[]", NULL },
		{ "[1]", NULL },
		{ "{\"nodes\":[{\"id\":1,\"callFrame\":{}", "cpuprofile" },
		{ "{\"nodes\":7}", NULL },
		{ "{\"head\":{\"functionName\":\"\",\"hitCount\":",
		  "cpuprofile" },
		{ "{\"head\":{\"callFrame\":{},\"selfSize\":", "heapprofile" },
		{ "{\"head\":{}}", NULL },
		{ "{\"$schema\":\"https://www.speedscope.app/x\"",
		  "speedscope" },
		{ "{\"$schema\":\"https://other/x\"}", NULL },
		{ "{\"shared\":{\"frames\":[", "speedscope" },
		{ "{\"meta\":{\"interval\":1,\"startTime\":1}", "firefox" },
		{ "{\"meta\":{\"interval\":1}}", NULL },
		{ "{\"libs\":[{\"breakpadId\":\"", "firefox" },
		{ "{\"libs\":[]}", NULL },
		{ "{\"threads\":[{\"name\":\"a\",\"stackTable\":", "firefox" },
		{ "{\"threads\":[\"a\"]}", NULL },
		{ "{\"shared\":{\"stackTable\":{", "firefox" },
		{ "{\"label\":\"\",\"duration\":1,\"markers\":[", "firefox" },
		{ "{\"label\":\"\",\"markers\":[", NULL },
		{ "{\"meta\":{\"interval\":1,\"startTime\":1},"
		  "\"traceEvents\":[]}",
		  "chrome-trace" },
		{ "{\"x\":1}", NULL },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		const struct op_format *f = op_format_sniff(
			op_view_z(rows[i].text));

		CHECK_STR(f ? f->name : NULL, rows[i].format);
		/* Nothing is above 100, where op_format_sniff() stops. */
		for (size_t k = 0; op_formats[k]; k++)
			CHECK(!op_formats[k]->sniff ||
			      op_formats[k]->sniff(op_view_z(rows[i].text)) <=
				      100);
	}
}

TEST(setting)
{
	const char *const list[] = { "style=pretty", "as=cpu/ns", "style=lines",
				     "empty=", NULL };

	CHECK_STR(op_setting(list, "style"), "lines");
	CHECK_STR(op_setting(list, "as"), "cpu/ns");
	CHECK_STR(op_setting(list, "empty"), "");
	CHECK_STR(op_setting(list, "sty"), NULL);
	CHECK_STR(op_setting(NULL, "style"), NULL);
}

TEST(setting_words)
{
	const char *const list[] = { "event=a,b", "events=x",
				     "event=", "event=c,,d,", NULL };
	struct op_setting_words w = { list, NULL }, none = { 0 };
	struct op_view word;
	char got[40] = "";

	while (op_setting_word(&w, "event", &word))
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s;",
			 (int)word.n, (const char *)word.p);
	CHECK_STR(got, "a;b;c;;d;");
	CHECK(!op_setting_word(&none, "event", &word));
}

TEST_MAIN(table, by_ending, by_bytes, by_keys, setting, setting_words)
