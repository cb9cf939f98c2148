// SPDX-License-Identifier: Apache-2.0
#include "api_fixture.h"

TEST(overview)
{
	static const struct sketch s[] = {
		{ .samples = "main;a 10@1000 thread.name=t1 http.route=/x\n"
			     "main;b 20@1003 thread.name=t2",
		  .resource = "service.name=shop",
		  .time_ns = 1000,
		  .duration_ns = 500,
		  .period = 10,
		  .period_type = "cpu",
		  .period_unit = "nanoseconds" },
		{ .samples = "main 7",
		  .type = "inuse_space",
		  .unit = "bytes",
		  .resource = "service.name=shop" },
	};
	static const char *const notes[] = { "a \"note\"", NULL };
	static const char *const want[] = {
		"{\"version\":\"",
		"\"title\":\"test\",\"live\":false,\"origin\":\"1000\","
		"\"has_date\":false,\"duration\":500,\"files\":[{\"name\":"
		"\"a\",\"format\":\"otlp\",\"bytes\":123,"
		"\"from\":200,\"to\":500,"
		"\"types\":[0,1],\"first\":0,\"labels\":[\"service\","
		"\"thread\",\"http.route\"]}]",
		"\"types\":[{\"select\":\"cpu\",\"type\":\"cpu\",\"unit\":"
		"\"nanoseconds\",\"event\":\"\",\"total\":30,\"observations\":"
		"2,\"samples\":2,\"timed\":true,\"period\":10,\"period_type\":"
		"\"cpu\",\"period_unit\":\"nanoseconds\",\"adds\":\"sum\"},"
		"{\"select\":\"inuse_space\",",
		"\"timed\":false,\"period\":0,\"period_type\":\"\","
		"\"period_unit\":\"\",\"adds\":\"last\"}]",
		"\"first\":0,\"labels\":[{\"name\":\"service\",\"values\":1},"
		"{\"name\":\"thread\",\"values\":2},{\"name\":\"http.route\","
		"\"values\":1}],\"more_labels\":false,\"facts\":[["
		"\"service.name\",\"shop\"]],\"notes\":[\"a \\\"note\\\"\"],"
		"\"formats\":[{\"name\":\"otlp\",",
		"\"source\":false}",
	};
	struct op_err err = { 0 };
	struct fixture f = { .api = { .notes = notes, .origin_ns = 1000 } };
	const char *got;

	CHECK_EQ(fixture_put(&f, s, 2, &err), OP_OK);
	f.files[0].bytes = 123;
	f.files[0].times = (struct op_range){ 1200, 1500 };
	got = ask(&f, "overview");
	for (size_t i = 0; i < op_countof(want); i++)
		if (!strstr(got, want[i]))
			TEST_FAIL("%s\nin %s", want[i], got);
	fixture_free(&f);
}

/* Files may have different types and labels. */
TEST(types_of_files)
{
	static const struct sketch files[] = {
		{ .samples = "a 1 http.route=/x",
		  .type = "heap",
		  .unit = "bytes" },
		{ .samples = "a 1", .type = "wall", .unit = "ns" },
		{ .samples = "a 1" },
	};
	static const struct asked rows[] = {
		{ "overview", 200,
		  "[{\"name\":\"a\",\"format\":\"otlp\",\"bytes\":0,"
		  "\"types\":[0],\"first\":0,\"labels\":[\"http.route\"]},"
		  "{\"name\":\"b\",\"format\":\"otlp\",\"bytes\":0,"
		  "\"types\":[1],\"first\":1,\"labels\":[]},"
		  "{\"name\":\"c\",\"format\":\"otlp\",\"bytes\":0,"
		  "\"types\":[2],\"first\":2,\"labels\":[]}]" },
		{ "overview", 200, "\"more_types\":false,\"first\":2" },
	};

	ask_about(files, op_countof(files), rows, op_countof(rows));
}

TEST(values)
{
	static const struct sketch s = {
		.samples = "main;a 10@1 20@2 thread.name=t1\n"
			   "main;b 20@3 thread.name=t2\n"
			   "main;c 5@3 thread.name=t\"\\\n"
			   "main;c 1@4",
	};
	static const struct asked rows[] = {
		{ "values?label=thread", 200,
		  "{\"label\":\"thread\",\"total\":56,\"values\":[{\"text\":"
		  "\"t1\",\"value\":30,\"observations\":2,\"where\":"
		  "\"thread=\\\"t1\\\"\"},{\"text\":\"t2\"" },
		{ "values?label=thread", 200,
		  "{\"text\":\"(no thread)\",\"value\":1,\"observations\":1,"
		  "\"where\":\"thread=\\\"\\\"\"}],\"nr\":4,"
		  "\"rest\":{\"nr\":0,\"value\":0}}" },
		{ "values?label=thread&limit=1", 200,
		  "\"nr\":4,\"rest\":{\"nr\":3,\"value\":26}}" },
		{ "values?label=thread&match=2", 200,
		  "\"values\":[{\"text\":\"t2\",\"value\":20,\"observations\":"
		  "1,\"where\":\"thread=\\\"t2\\\"\"}],\"nr\":1," },
		{ "values?label=function&limit=2", 200,
		  "\"total\":56,\"values\":[{\"text\":\"main\",\"value\":56},"
		  "{\"text\":\"a\",\"value\":30}],\"nr\":4,"
		  "\"rest\":{\"nr\":2}}" },
		{ "values?label=thread&from=%2B2ns&to=%2B3ns", 200,
		  "\"total\":20,\"values\":[{\"text\":\"t1\",\"value\":20,"
		  "\"observations\":1," },
		{ "values?label=thread&focus=nosuch", 200,
		  "\"total\":0,\"values\":[],\"nr\":0" },
		/* What a value is selected by selects it. */
		{ "flame?where=thread%3D%22t1%22", 200, "\"total\":30," },
		{ "flame?where=thread%3D%22%22", 200, "\"total\":1," },
	};
	struct op_err err = { 0 };
	struct fixture f = { 0 };

	CHECK_EQ(fixture_put(&f, &s, 1, &err), OP_OK);
	ask_rows(&f, rows, op_countof(rows));
	fixture_free(&f);
}

TEST_MAIN(overview, types_of_files, values)
