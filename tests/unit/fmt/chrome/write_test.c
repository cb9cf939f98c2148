// SPDX-License-Identifier: Apache-2.0
/* Trace events as they are written, and what comes back. */
#include "../viewer_fixture.h"

#define F (&op_format_chrome_trace)

TEST(text)
{
	static const struct sketch s = {
		.samples = "a;b 3000@1500 thread.id=7 thread.name=t\n"
			   "a 500@4500 thread.id=7 thread.name=t",
		.attrs = "k=v",
		.resource = "process.pid=5 service.name=s",
	};
	struct viewer v = { 0 };
	struct op_err err = { 0 };
	struct op_model m;

	sketch_one(&m, &s);
	CHECK_STR(
		written(F, &m, &v, &err),
		"{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"tid\":0,"
		"\"ts\":0,\"args\":{\"name\":\"s\"}},"
		"{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":5,\"tid\":0,"
		"\"ts\":0,\"args\":{\"labels\":\"cpu/nanoseconds\"}},"
		"{\"ph\":\"M\",\"name\":\"otprof.profile\",\"pid\":5,\"tid\":0,"
		"\"ts\":0,\"args\":{\"profile\":0,\"type\":\"cpu\","
		"\"unit\":\"nanoseconds\",\"timed\":true,\"resource\":{"
		"\"process.pid\":\"5\",\"service.name\":\"s\"},\"attributes\":{"
		"\"k\":\"v\"}}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":5,\"tid\":7,"
		"\"ts\":0,\"args\":{\"name\":\"t\"}},"
		"{\"ph\":\"M\",\"name\":\"otprof.thread\",\"pid\":5,\"tid\":7,"
		"\"ts\":0,\"args\":{\"thread\":{\"id\":\"7\",\"name\":\"t\"}}},"
		"{\"ph\":\"B\",\"pid\":5,\"tid\":7,\"ts\":1.5,\"name\":\"a\"},"
		"{\"ph\":\"B\",\"pid\":5,\"tid\":7,\"ts\":1.5,\"name\":\"b\"},"
		"{\"ph\":\"E\",\"pid\":5,\"tid\":7,\"ts\":4.5,\"name\":\"b\"},"
		"{\"ph\":\"E\",\"pid\":5,\"tid\":7,\"ts\":5,\"name\":\"a\"}"
		"]}\n");
	op_buf_free(&v.out);
	op_model_free(&m);
}

#define HEAD(time) "resource\nscope \nprofile cpu/nanoseconds " time "\n"
#define INTERVAL(time) \
	"resource\nscope \nprofile off_cpu/nanoseconds " time "\n"

#define LATE "\ta 5@1700000000123456789\n\tb 6@1700000000123456799\n"

static const struct round_trip rows[] = {
	{ "times, threads and their names",
	  { .samples = "a;b 5@100 thread.id=1 thread.name=x\n"
		       "a 7@105 9@200 thread.id=1 thread.name=x\n"
		       "c 3@100 thread.name=y\n"
		       "d 2@100" },
	  HEAD("100+109") "\ta 7@105 9@200 thread.id=1 thread.name=x\n"
			  "\ta;b 5@100 thread.id=1 thread.name=x\n"
			  "\tc 3@100 thread.name=y\n"
			  "\td 2@100\n",
	  NULL },
	{ "no times",
	  { .samples = "a;b 5\na 7\nc 3 thread.id=4" },
	  "resource\nscope \nprofile cpu/nanoseconds\n"
	  "\ta 7\n\ta;b 5\n\tc 3 thread.id=4\n",
	  NULL },
	{ "times of today",
	  { .samples = "a 5@1700000000123456789\nb 6@1700000000123456799" },
	  HEAD("1700000000123456789+16") LATE,
	  NULL },
	{ "points that are close are pushed apart",
	  { .samples = "a 10@100 10@105" },
	  HEAD("100+20") "\ta 20@100\n",
	  NULL },
	{ "intervals that overlap are in lanes",
	  { .samples = "a 10@100 thread.id=1\nb 10@105 thread.id=1",
	    .type = "off_cpu" },
	  INTERVAL("100+15") "\ta 10@100 thread.id=1\n"
			     "\tb 10@105 thread.id=1\n",
	  NULL },
	{ "another unit",
	  { .samples = "a 10\nb 20", .type = "space", .unit = "bytes" },
	  "resource\nscope \nprofile space/bytes\n\ta 10\n\tb 20\n",
	  "space/bytes is shown as time: 1 as a nanosecond\n" },
	{ "a count with a period of time is time",
	  { .samples = "a 2\nb 3",
	    .type = "samples",
	    .unit = "count",
	    .period = 10,
	    .period_unit = "milliseconds" },
	  "resource\nscope \nprofile samples/count\n\ta 2\n\tb 3\n",
	  NULL },
	{ "microseconds",
	  { .samples = "a 2\nb 3", .type = "x", .unit = "microseconds" },
	  "resource\nscope \nprofile x/microseconds\n\ta 2\n\tb 3\n",
	  NULL },
	{ "less than nothing",
	  { .samples = "a -10\nb 20\nc 0" },
	  "resource\nscope \nprofile cpu/nanoseconds\n\tb 20\n",
	  "1 negative observation left out\n" },
	{ "no frames",
	  { .samples = "- 10" },
	  "resource\nscope \nprofile cpu/nanoseconds\n\t[unknown] 10\n",
	  NULL },
	{ "resource and attributes",
	  { .samples = "a 1",
	    .resource = "process.pid=7 service.name=s",
	    .attrs = "k=v" },
	  "resource process.pid=7 service.name=s\nscope \n"
	  "profile cpu/nanoseconds k=v\n\ta 1\n",
	  NULL },
};

TEST(round_trips)
{
	comes_back(F, rows, op_countof(rows));
}

/* Two profiles of one process are two processes, since each has all time. */
TEST(several)
{
	static const struct sketch s[] = {
		{ .samples = "a 1@5", .resource = "process.pid=7" },
		{ .samples = "b 1", .resource = "process.pid=7", .type = "x" },
		{ .samples = "c 1" },
	};
	struct viewer v = { 0 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, 3, &err), OP_OK);
	says(F, written(F, &m, &v, &err),
	     "resource process.pid=7\nscope \nprofile cpu/nanoseconds 5+1\n"
	     "\ta @5\n"
	     "resource process.pid=7\nscope \nprofile x/nanoseconds\n\tb 1\n"
	     "resource\nscope \nprofile cpu/nanoseconds\n\tc 1\n",
	     NULL);
	op_buf_free(&v.out);
	op_model_free(&m);
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

TEST_MAIN(text, round_trips, several, oom)
