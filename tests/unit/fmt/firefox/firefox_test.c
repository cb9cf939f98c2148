// SPDX-License-Identifier: Apache-2.0
/* Processed profiles of the Firefox Profiler, as they are written. */
#include "../viewer_fixture.h"

#define F (&op_format_firefox)

struct part {
	const char *name;
	struct sketch s;
	const char *has; /* in the text */
};

static const struct part parts[] = {
	{ "times and weights are milliseconds",
	  { .samples = "a;b 5000@1000000 thread.id=7\na 7000@2000000 "
		       "thread.id=7" },
	  "\"samples\":{\"weightType\":\"tracing-ms\",\"weight\":[0.005,0.007],"
	  "\"stack\":[1,0],\"time\":[1,2],\"length\":2}" },
	{ "a stack has its prefix before it",
	  { .samples = "a;b;a 1\na;c 1" },
	  "\"stackTable\":{\"frame\":[0,1,0,2],\"prefix\":[null,0,1,0],"
	  "\"category\":[0,0,0,0],\"subcategory\":[0,0,0,0],\"length\":4}" },
	{ "functions are names in the list of texts",
	  { .samples = "a;b 1" },
	  "\"funcTable\":{\"name\":[0,1],\"isJS\":[false,false],"
	  "\"relevantForJS\":[false,false],\"resource\":[-1,-1],"
	  "\"fileName\":[null,null],\"lineNumber\":[null,null],"
	  "\"columnNumber\":[null,null],\"length\":2}" },
	{ "texts", { .samples = "a;b 1" }, "\"stringArray\":[\"a\",\"b\"]" },
	{ "thread",
	  { .samples = "a 1 thread.id=7 thread.name=t",
	    .resource = "process.pid=5 service.name=s" },
	  "\"processName\":\"s\",\"processStartupTime\":0,"
	  "\"processShutdownTime\":null,\"registerTime\":0,"
	  "\"unregisterTime\":null,\"pausedRanges\":[],\"name\":\"t\","
	  "\"isMainThread\":true,\"pid\":\"5\",\"tid\":7," },
	{ "bytes",
	  { .samples = "a 10\nb 20", .unit = "bytes" },
	  "\"weightType\":\"bytes\",\"weight\":[10,20],\"stack\":[0,1],"
	  "\"time\":[0,1],\"length\":2" },
	{ "counts",
	  { .samples = "a 10", .unit = "count" },
	  "\"weightType\":\"samples\",\"weight\":[10]" },
	{ "counts with a period of time",
	  { .samples = "a 10",
	    .unit = "count",
	    .period = 5,
	    .period_unit = "milliseconds" },
	  "\"weightType\":\"tracing-ms\",\"weight\":[50]" },
	{ "times of today are from the first on",
	  { .samples = "a 5@1700000000123456789 6@1700000000124456789" },
	  "\"time\":[0,1]" },
	{ "and the first is told",
	  { .samples = "a 5@1700000000123456789" },
	  "\"startTime\":1700000000123.456789," },
	{ "version", { .samples = "" }, "\"preprocessedProfileVersion\":48," },
};

TEST(writing)
{
	for (size_t i = 0; i < op_countof(parts); i++) {
		struct viewer v = { 0 };
		struct op_err err = { 0 };
		struct op_model m;
		const char *text;

		sketch_one(&m, &parts[i].s);
		text = written(F, &m, &v, &err);
		if (!strstr(text, parts[i].has))
			TEST_FAIL("%s: %.100s", parts[i].name, text);
		op_buf_free(&v.out);
		op_model_free(&m);
	}
}

/* Each thread has tables of its own, whose rows count from 0. */
TEST(threads)
{
	static const struct sketch s = {
		.samples = "a;b 1@5 thread.id=1\nc 1@6 thread.id=2",
	};
	struct viewer v = { 0 };
	struct op_err err = { 0 };
	struct op_model m;
	const char *text;

	sketch_one(&m, &s);
	text = written(F, &m, &v, &err);
	CHECK(strstr(text, "\"stringArray\":[\"a\",\"b\"]"));
	CHECK(strstr(text, "\"stringArray\":[\"c\"]"));
	CHECK(strstr(text, "\"frame\":[0],\"prefix\":[null]"));
	op_buf_free(&v.out);
	op_model_free(&m);
}

#define HEAD(time) "resource\nscope \nprofile cpu/nanoseconds " time "\n"

static const struct round_trip trips[] = {
	{ "a count with a period of time is time there",
	  { .samples = "a 2@100000000\nb 3@200000000",
	    .type = "samples",
	    .unit = "count",
	    .period = 10,
	    .period_unit = "milliseconds" },
	  "resource\nscope \nprofile samples/count 100000000+130000000\n"
	  "\ta 2@100000000\n\tb 3@200000000\n",
	  NULL },
	{ "times and threads",
	  { .samples = "a;b 5@100 thread.id=1 thread.name=x\n"
		       "a 7@105 9@200 thread.id=1 thread.name=x\n"
		       "d 2@100" },
	  HEAD("100+109") "\ta 7@105 9@200 thread.id=1 thread.name=x\n"
			  "\ta;b 5@100 thread.id=1 thread.name=x\n"
			  "\td 2@100\n",
	  NULL },
	{ "times of today",
	  { .samples = "a 5@1700000000123456789\nb 6@1700000000123456799" },
	  HEAD("1700000000123456789+16") "\ta 5@1700000000123456789\n"
					 "\tb 6@1700000000123456799\n",
	  NULL },
	{ "no times",
	  { .samples = "a;b 5\na 7\nc 3 thread.id=4",
	    .attrs = "k=v",
	    .resource = "service.name=s" },
	  "resource service.name=s\nscope \nprofile cpu/nanoseconds k=v\n"
	  "\ta 7\n\ta;b 5\n\tc 3 thread.id=4\n",
	  NULL },
	{ "times of what is no time",
	  { .samples = "a 10@5 4@19\nb 20@70", .unit = "bytes" },
	  "resource\nscope \nprofile cpu/bytes 5+66\n"
	  "\ta 10@5 4@19\n\tb 20@70\n",
	  NULL },
	{ "less than nothing",
	  { .samples = "a -10\nb 20\nc 0", .unit = "x" },
	  "resource\nscope \nprofile cpu/x\n\tb 20\n\tc 0\n",
	  "1 negative observation left out\n" },
};

TEST(round_trips)
{
	comes_back(F, trips, op_countof(trips));
	CHECK(op_format_by_ending("x.firefox.json") == F);
}

TEST(oom)
{
	static const struct sketch s[] = {
		{ .samples = "a;b 9@5 thread.id=1\nc 9@7 thread.id=1",
		  .type = "off_cpu" },
		{ .samples = "b 1", .type = "x", .unit = "y" },
	};

	survives_writing(F, s, op_countof(s));
}

TEST_MAIN(writing, threads, round_trips, oom)
