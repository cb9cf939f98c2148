// SPDX-License-Identifier: Apache-2.0
/* Files of speedscope, read and written. */
#include "../viewer_fixture.h"

#define F (&op_format_speedscope)
#define FILE_OF(profiles)                                                  \
	"{'$schema':'https://www.speedscope.app/file-format-schema.json'," \
	"'profiles':[" profiles "],'shared':{'frames':["                   \
	"{'name':'a'},{'name':'b'}]}}"
#define SHORT(profiles) \
	"{'shared':{'frames':[{'name':'a'}]},'profiles':[" profiles "]}"
#define EVENTED(unit, events)                        \
	"{'type':'evented','name':'t','unit':'" unit \
	"','startValue':0,'endValue':20,'events':[" events "]}"
#define SAMPLED(unit, samples, weights)                      \
	"{'type':'sampled','name':'t','unit':'" unit         \
	"','startValue':3,'endValue':20,'samples':[" samples \
	"],'weights':[" weights "]}"
#define EV(type, frame, at) "{'type':'" type "','frame':" frame ",'at':" at "}"
#define WALL(time)                                         \
	"resource\nscope \nprofile wall/nanoseconds " time \
	" otprof.interval=true\n"
#define T " thread.name=t\n"

static const struct {
	const char *text, *words;
} rows[] = {
	{ FILE_OF(EVENTED("microseconds",
			  EV("O", "0", "1") "," EV("O", "1", "2") "," EV(
				  "C", "1", "5") "," EV("C", "0", "9"))),
	  WALL("1000+8000") "\ta 1000@1000 4000@5000" T "\ta;b 3000@2000" T },
	/* A call without length does not interrupt. */
	{ FILE_OF(EVENTED("seconds",
			  EV("O", "0", "1") "," EV("O", "1", "2") "," EV(
				  "C", "1", "2") "," EV("C", "0", "3"))),
	  WALL("1000000000+2000000000") "\ta 2000000000@1000000000" T },
	/* What is open ends with the profile. */
	{ FILE_OF(EVENTED("nanoseconds", EV("O", "0", "1"))),
	  WALL("1+19") "\ta 19@1" T },
	/* Weights of time are times; no stack is a gap. */
	{ FILE_OF(SAMPLED("milliseconds", "[0],[],[0,1]", "0.5,1,2")),
	  WALL("3000000+3500000") "\ta 500000@3000000" T
				  "\ta;b 2000000@4500000" T },
	{ FILE_OF(SAMPLED("none", "[0],[0],[0,1]", "1,2,3")),
	  "resource\nscope \nprofile samples/count\n\ta 3" T "\ta;b 3" T },
	{ FILE_OF(SAMPLED("bytes", "[0],[]", "1,2")),
	  "resource\nscope \nprofile space/bytes\n\t- 2" T "\ta 1" T },
	/* Threads are one profile, units are several. */
	{ FILE_OF(SAMPLED("none", "[0]", "1") "," SAMPLED(
		  "bytes", "[0]", "2") "," SAMPLED("none", "[1]", "3")),
	  "resource\nscope \nprofile samples/count\n\ta 1" T "\tb 3" T
	  "resource\nscope \nprofile space/bytes\n\ta 2" T },
	{ FILE_OF(""), "" },
};

TEST(reading)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		says(F, rows[i].text, rows[i].words, NULL);
		CHECK(taken_for(rows[i].text) == F);
	}
	CHECK(taken_for(SHORT("")) == F);
}

static const struct refused bad[] = {
	{ "", "the JSON text is truncated", 0 },
	{ "[]", "expected an object", 0 },
	{ "{'profiles':[]}", "no shared frames", 0 },
	{ "{'shared':{}}", "no profiles", 0 },
	{ "{'shared':7,'profiles':[]}", "expected an object", 10 },
	{ "{'shared':{'frames':[7]},'profiles':[]}", "expected a frame", 21 },
	{ SHORT("7"), "expected a profile", 48 },
	{ SHORT("{}"), "a profile has neither events nor samples and weights",
	  48 },
	{ SHORT(EVENTED("none", "7")), "expected an event", 130 },
	{ SHORT(EVENTED("none", EV("O", "1", "0"))),
	  "frame index 1 is out of range for a table of 1", 150 },
	{ SHORT(EVENTED("none", EV("O", "-1", "0"))),
	  "frame index -1 is out of range for a table of 1", 150 },
	{ SHORT(EVENTED("none", EV("Q", "0", "0"))),
	  "an event is neither O nor C", 130 },
	{ SHORT(EVENTED("none", EV("C", "0", "0"))),
	  "a frame is closed that is not the innermost", 130 },
	{ SHORT(EVENTED("none", EV("O", "0", "5") "," EV("C", "0", "4"))),
	  "an event is earlier than the previous one", 160 },
	{ SHORT(SAMPLED("none", "[0],[0]", "1")), "a sample without a weight",
	  135 },
	{ SHORT(SAMPLED("none", "[0]", "1,2")), "a weight without a sample",
	  149 },
	{ SHORT(SAMPLED("none", "7", "1")), "expected an array of frames",
	  131 },
	{ SHORT("") "x", "unexpected text after the JSON value", 50 },
};

TEST(refused)
{
	refuses(F, bad, op_countof(bad));
}

TEST(text)
{
	static const struct sketch s = {
		.samples = "a;b 3@10 thread.id=7 thread.name=t",
	};
	struct viewer v = { 0 };
	struct op_err err = { 0 };
	struct op_model m;

	sketch_one(&m, &s);
	CHECK_STR(
		written(F, &m, &v, &err),
		"{\"$schema\":"
		"\"https://www.speedscope.app/file-format-schema.json\","
		"\"exporter\":\"otprof " OTPROF_VERSION
		"\",\"activeProfileIndex\":0,\"profiles\":[{"
		"\"type\":\"evented\",\"name\":\"t\",\"unit\":\"nanoseconds\","
		"\"startValue\":10,\"endValue\":13,\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":10},"
		"{\"type\":\"O\",\"frame\":1,\"at\":10},"
		"{\"type\":\"C\",\"frame\":1,\"at\":13},"
		"{\"type\":\"C\",\"frame\":0,\"at\":13}],"
		"\"otprof\":{\"profile\":0,\"type\":\"cpu\","
		"\"unit\":\"nanoseconds\",\"timed\":true,\"resource\":{},"
		"\"attributes\":{},\"thread\":{\"id\":\"7\",\"name\":\"t\"}}}],"
		"\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}"
		"\n");
	op_buf_free(&v.out);
	op_model_free(&m);
}

#define HEAD(time) "resource\nscope \nprofile cpu/nanoseconds " time "\n"

#define LATE "\ta 5@1700000000123456789\n\tb 6@1700000000123456799\n"

static const struct round_trip trips[] = {
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
	  HEAD("1700000000123456789+16") LATE,
	  NULL },
	{ "no times",
	  { .samples = "a;b 5\na 7\nc 3 thread.id=4", .attrs = "k=v" },
	  "resource\nscope \nprofile cpu/nanoseconds k=v\n"
	  "\ta 7\n\ta;b 5\n\tc 3 thread.id=4\n",
	  NULL },
	{ "times of what is no time",
	  { .samples = "a 10@5 4@9\nb 20@7", .unit = "bytes" },
	  "resource\nscope \nprofile cpu/bytes\n\ta 14\n\tb 20\n",
	  NULL },
	{ "a count with a period of time is time",
	  { .samples = "a 2\nb 3",
	    .type = "samples",
	    .unit = "count",
	    .period = 10,
	    .period_unit = "milliseconds" },
	  "resource\nscope \nprofile samples/count\n\ta 2\n\tb 3\n",
	  NULL },
	{ "a count with a period, with times",
	  { .samples = "a 2@100000000\nb 3@200000000",
	    .type = "samples",
	    .unit = "count",
	    .period = 10000000,
	    .period_unit = "nanoseconds" },
	  "resource\nscope \nprofile samples/count 100000000+130000000\n"
	  "\ta 2@100000000\n\tb 3@200000000\n",
	  NULL },
	{ "microseconds",
	  { .samples = "a 2\nb 3", .type = "x", .unit = "microseconds" },
	  "resource\nscope \nprofile x/microseconds\n\ta 2\n\tb 3\n",
	  NULL },
	{ "less than nothing",
	  { .samples = "a -10\nb 20\nc 0", .unit = "x" },
	  "resource\nscope \nprofile cpu/x\n\tb 20\n",
	  "1 negative observation left out\n" },
};

/* As speedscope shows them: 20 and 30 ms, of 2 and 3 samples. */
TEST(counts_are_time)
{
	static const struct sketch s = {
		.samples = "a 2\nb 3",
		.type = "samples",
		.unit = "count",
		.period = 10,
		.period_unit = "ms",
	};
	struct viewer v = { 0 };
	struct op_err err = { 0 };
	struct op_model m;
	const char *text;

	sketch_one(&m, &s);
	text = written(F, &m, &v, &err);
	CHECK(strstr(text, "\"unit\":\"nanoseconds\""));
	CHECK(strstr(text, "\"weights\":[20000000,30000000]"));
	CHECK(strstr(text, "\"value_ns\":10000000,"));
	op_buf_free(&v.out);
	op_model_free(&m);
}

TEST(round_trips)
{
	comes_back(F, trips, op_countof(trips));
}

TEST(oom)
{
	static const struct sketch s[] = {
		{ .samples = "a;b 9@5 thread.id=1\nc 9@7 thread.id=1",
		  .type = "off_cpu" },
		{ .samples = "b 1", .type = "x", .unit = "y" },
	};

	survives(F, rows[0].text);
	survives(F, rows[6].text);
	survives_writing(F, s, op_countof(s));
}

TEST_MAIN(reading, refused, text, counts_are_time, round_trips, oom)
