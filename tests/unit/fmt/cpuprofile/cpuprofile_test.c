// SPDX-License-Identifier: Apache-2.0
/* V8's CPU profiles, read and written. */
#include "../viewer_fixture.h"

#define F (&op_format_cpuprofile)
#define CALL(name) "'callFrame':{'functionName':'" name "'}"
#define NODE(id, name, more) "{'id':" id "," CALL(name) more "}"
#define NODES                                                               \
	"'nodes':[" NODE("1", "(root)", ",'children':[2,3]") "," NODE(      \
		"2", "f", ",'children':[4]") "," NODE("3", "(idle)",        \
						      "") "," NODE("4", "", \
								   "") "]"
#define HEAD(time)                                         \
	"resource\nscope \nprofile wall/nanoseconds " time \
	" otprof.interval=true\n"

static const struct {
	const char *text, *words;
} rows[] = {
	/* A sample lasts until the next, the last until the end. */
	{ "{" NODES ",'startTime':100,'endTime':150,'samples':[2,4,3],"
	  "'timeDeltas':[5,10,20]}",
	  HEAD("105000+45000") "\t(idle) 15000@135000\n\tf 10000@105000\n"
			       "\tf;(anonymous) 20000@115000\n" },
	/* Members in another order; no end. */
	{ "{'timeDeltas':[0,10],'samples':[2,4]," NODES "}",
	  HEAD("0+10001") "\tf 10000@0\n\tf;(anonymous) 0@10000\n" },
	/* The root is no stack. */
	{ "{" NODES ",'samples':[2,1,2,1],'timeDeltas':[1,2,3,4]}",
	  HEAD("1000+9000") "\tf 2000@1000 4000@6000\n" },
	/* Time does not go back. */
	{ "{" NODES ",'samples':[2,3,4,1],'timeDeltas':[10,-5,10,5]}",
	  HEAD("10000+10000") "\t(idle) 5000@10000\n\tf 0@10000\n"
			      "\tf;(anonymous) 5000@15000\n" },
	/* By parents, as traces have it. */
	{ "{'nodes':[" NODE("'a'", "g", ",'parent':'b'") "," NODE(
		  "'b'", "f", "") "],'samples':['a'],'timeDeltas':[0],"
				  "'endTime':0.5}",
	  HEAD("0+500") "\tf;g 500@0\n" },
	{ "{'nodes':[]}",
	  "resource\nscope \nprofile wall/nanoseconds otprof.interval=true\n" },
};

TEST(reading)
{
	for (size_t i = 0; i < op_countof(rows); i++)
		says(F, rows[i].text, rows[i].words, NULL);
	CHECK(taken_for(rows[0].text) == F);
	CHECK(taken_for(rows[4].text) == F);
}

/* Time is kept, though the stack is not there. */
TEST(missing_nodes)
{
	says(F,
	     "{" NODES ",'endTime':9,'samples':[2,7,8],'timeDeltas':[0,2,3]}",
	     HEAD("0+9000") "\t- 3000@2000 4000@5000\n\tf 2000@0\n",
	     "2 samples name nodes that are not in the file: they have no "
	     "stack\n");
}

/* Lines count from 0 there and from 1 here. */
TEST(places)
{
	static const char text[] =
		"{'nodes':[{'id':1,'callFrame':{'functionName':'f',"
		"'url':'file:///a.js','lineNumber':4,"
		"'columnNumber':7}}],'samples':[1],'timeDeltas':[0]}";
	struct viewer v = { 0 };
	struct op_model m;
	struct op_err err;

	CHECK_EQ(viewer_read(F, op_view_z(text), &m, &v, &err), OP_OK);
	CHECK_EQ(m.dict.functions[1].start_line, 5);
	CHECK_EQ(m.dict.lines[0].column, 8);
	CHECK(op_view_is(op_string(&m, m.dict.functions[1].filename),
			 "file:///a.js"));
	CHECK(strstr(written(F, &m, &v, &err),
		     "\"url\":\"file:///a.js\",\"lineNumber\":4,"
		     "\"columnNumber\":7}"));
	op_buf_free(&v.out);
	op_model_free(&m);
}

static const struct refused bad[] = {
	{ "", "the JSON text ends too early", 0 },
	{ "[]", "an object expected", 0 },
	{ "{}", "there are no nodes", 0 },
	{ "{'nodes':[7]}", "a node expected", 10 },
	{ "{'nodes':[{}]}", "a node without an id", 10 },
	{ "{'nodes':[],'samples':[],'timeDeltas':[0]}",
	  "there are 0 samples and 1 timeDeltas", 0 },
	{ "{'nodes':[],'timeDeltas':[x]}", "a number expected", 26 },
	{ "{'nodes':[],'startTime':1e99}",
	  "a number that is too large, or none", 24 },
	{ "{'nodes':[{'id':1,'children':[1]}],'samples':[1],"
	  "'timeDeltas':[0]}",
	  "a node that is above itself", 30 },
	{ "{'nodes':[]} x", "more follows the JSON text", 13 },
};

TEST(refused)
{
	refuses(F, bad, op_countof(bad));
}

static const struct round_trip trips[] = {
	{ "one thread",
	  { .samples =
		    "a;b 5000@1100 thread.id=1\na 7@6100 9@8000 thread.id=1" },
	  HEAD("1100+6909") "\ta 7@6100 9@8000\n\ta;b 5000@1100\n",
	  NULL },
	{ "times of today",
	  { .samples = "a 5@1700000000123456789" },
	  HEAD("1700000000123456789+5") "\ta 5@1700000000123456789\n",
	  NULL },
	{ "two threads",
	  { .samples = "a 5@100 thread.id=1\nb 7@102 thread.id=2" },
	  HEAD("0+12") "\ta 5@0\n\tb 7@5\n",
	  "a CPU profile holds one thread: several are one behind the "
	  "other\n" },
	{ "no times",
	  { .samples = "a 5\nb 7", .type = "x", .unit = "count" },
	  HEAD("0+12") "\ta 5@0\n\tb 7@5\n",
	  "x/count is shown as time: 1 as a nanosecond\n" },
	{ "a count with a period of time is time",
	  { .samples = "a 2\nb 3",
	    .type = "samples",
	    .unit = "count",
	    .period = 10,
	    .period_unit = "milliseconds" },
	  HEAD("0+50000000") "\ta 20000000@0\n\tb 30000000@20000000\n",
	  NULL },
};

TEST(writing)
{
	comes_back(F, trips, op_countof(trips));
}

TEST(others_are_left_out)
{
	static const struct sketch s[] = { { .samples = "a 1" },
					   { .samples = "b 1", .type = "x" } };
	struct viewer v = { 0 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, 2, &err), OP_OK);
	written(F, &m, &v, &err);
	CHECK_STR(v.notes, "x/nanoseconds is left out: a CPU profile holds one "
			   "type\n");
	op_buf_free(&v.out);
	op_model_free(&m);
}

TEST(oom)
{
	static const struct sketch s = {
		.samples = "a;b 9@5\nc 9@70 thread.id=1"
	};

	survives(F, rows[0].text);
	survives_writing(F, &s, 1);
}

TEST_MAIN(reading, missing_nodes, places, refused, writing, others_are_left_out,
	  oom)
