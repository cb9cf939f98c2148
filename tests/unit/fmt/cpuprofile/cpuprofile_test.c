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

#define COUNTS "resource\nscope \nprofile samples/count\n"

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
	/* Without samples. */
	{ "{'nodes':[" NODE("1", "f", ",'hitCount':5") "]}", COUNTS "\tf 5\n" },
};

/* The older form: one node with all others inside. */
#define OLD(name, more) "{'functionName':'" name "'" more "}"
#define KIDS(list) ",'children':[" list "]"
#define OLD_HEAD                                                              \
	"'head':" OLD("(root)",                                               \
		      ",'id':1,'hitCount':0" KIDS(                            \
			      OLD("f", ",'id':2,'hitCount':1" KIDS(           \
					       OLD("", ",'id':3,'hitCount':2" \
						       ",'children':[]")))))

static const struct {
	const char *text, *words;
} old_rows[] = {
	/* One timestamp more than samples is the end. */
	{ "{" OLD_HEAD ",'startTime':5,'endTime':6,'samples':[2,3,2],"
	  "'timestamps':[100,110,130,135]}",
	  HEAD("100000+35000") "\tf 10000@100000 5000@130000\n"
			       "\tf;(anonymous) 20000@110000\n" },
	/* Without it the last has no length; endTime is not in the same
	 * unit. Members are in another order. */
	{ "{'timestamps':[100,110],'endTime':9,'samples':[2,3]," OLD_HEAD "}",
	  HEAD("100000+10001") "\tf 10000@100000\n"
			       "\tf;(anonymous) 0@110000\n" },
	/* No times: counts, of the samples or of the nodes. */
	{ "{" OLD_HEAD "}", COUNTS "\tf 1\n\tf;(anonymous) 2\n" },
	{ "{" OLD_HEAD ",'samples':[2,3,2,3,1]}",
	  COUNTS "\t- 1\n\tf 2\n\tf;(anonymous) 2\n" },
	/* Two nodes of one id. */
	{ "{'head':" OLD(
		  "f",
		  ",'id':0,'hitCount':1" KIDS(OLD(
			  "g", ",'id':0,'hitCount':2"))) ","
							 "'samples':[0,0,0]}",
	  COUNTS "\tf 1\n\tf;g 2\n" },
	/* Still older: time in milliseconds. */
	{ "{'head':" OLD("(root)", ",'selfTime':0,'totalTime':3.5" KIDS(
					   OLD("f", ",'selfTime':3.5"))) "}",
	  "resource\nscope \nprofile wall/nanoseconds\n\tf 3500000\n" },
	/* What a node is stands behind what is inside of it. */
	{ "{'head':{'children':[{'children':[],'hitCount':3,"
	  "'functionName':'g'}],'functionName':'f'}}",
	  COUNTS "\tf;g 3\n" },
};

TEST(older_form)
{
	for (size_t i = 0; i < op_countof(old_rows); i++) {
		says(F, old_rows[i].text, old_rows[i].words, NULL);
		CHECK(taken_for(old_rows[i].text) == F);
	}
}

/* Lines count from 1 if the root has 0, from 0 if it has -1. */
TEST(older_lines)
{
	static const struct {
		const char *root, *line;
		long long start_line;
	} lines[] = {
		{ "0", "7", 7 },  { "-1", "7", 8 },  { "0", "0", 0 },
		{ "-1", "0", 1 }, { "-1", "-1", 0 },
	};

	for (size_t i = 0; i < op_countof(lines); i++) {
		struct viewer v = { 0 };
		struct op_model m;
		struct op_err err;
		char text[200];

		snprintf(text, sizeof(text),
			 "{'head':{'functionName':'(root)','lineNumber':%s,"
			 "'children':[{'functionName':'f','url':'u',"
			 "'lineNumber':%s,'hitCount':1}]}}",
			 lines[i].root, lines[i].line);
		CHECK_EQ(viewer_read(F, op_view_z(text), &m, &v, &err), OP_OK);
		CHECK_EQ(m.dict.functions[1].start_line, lines[i].start_line);
		op_model_free(&m);
	}
}

/* A tree of a million nodes, each in the one before, needs no stack. */
TEST(deep)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	enum { DEPTH = 1000000 };
	struct viewer v = { 0 };
	struct op_model m;

	op_buf_z(&text, "{'head':");
	for (int i = 0; i < DEPTH; i++)
		op_buf_z(&text, "{'hitCount':1,'children':[");
	for (int i = 0; i < DEPTH; i++)
		op_buf_z(&text, "]}");
	op_buf_z(&text, "}");
	CHECK_EQ(viewer_read(F, op_view(text.p, text.n), &m, &v, &err), OP_OK);
	CHECK_EQ(op_profile_total(m.resources[0].scopes[0].profiles), DEPTH);
	CHECK_STR(
		v.notes,
		"stacks of more than 2048 frames are truncated at the leaf\n");
	op_model_free(&m);
	op_buf_free(&text);
}

/* Functions of two scripts in one page are two. */
TEST(scripts_of_a_page)
{
	static const char text[] =
		"{'nodes':[{'id':1,'callFrame':{'functionName':'f','url':'u',"
		"'scriptId':'7','lineNumber':4}},"
		"{'id':2,'callFrame':{'functionName':'f','url':'u',"
		"'scriptId':'8','lineNumber':4}},"
		"{'id':3,'callFrame':{'functionName':'f','url':'u',"
		"'scriptId':'7','lineNumber':4}}],"
		"'samples':[1,2,3],'timeDeltas':[0,1,1]}";
	struct viewer v = { 0 };
	struct op_model m;
	struct op_err err;

	CHECK_EQ(viewer_read(F, op_view_z(text), &m, &v, &err), OP_OK);
	CHECK_EQ(m.resources[0].scopes[0].profiles[0].nr_samples, 2);
	CHECK_EQ(m.dict.nr[OP_FUNCTIONS], 2);
	CHECK(!op_set_find(&m, m.dict.locations[1].attrs, "v8.script.id"));
	CHECK(op_set_find(&m, m.dict.locations[2].attrs, "v8.script.id"));
	op_model_free(&m);
}

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
	     "2 samples refer to missing nodes and have no stack\n");
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
	{ "", "the JSON text is truncated", 0 },
	{ "[]", "expected an object", 0 },
	{ "{}", "no nodes", 0 },
	{ "{'nodes':[7]}", "expected a node", 10 },
	{ "{'nodes':[{}]}", "a node without an id", 10 },
	{ "{'nodes':[],'samples':[],'timeDeltas':[0]}",
	  "0 samples, but 1 timeDeltas", 0 },
	{ "{'nodes':[],'timeDeltas':[x]}", "expected a number", 26 },
	{ "{'nodes':[],'startTime':1e99}", "not a number, or too large", 24 },
	{ "{'nodes':[{'id':1,'children':[1]}],'samples':[1],"
	  "'timeDeltas':[0]}",
	  "a node is its own ancestor", 30 },
	{ "{'nodes':[]} x", "unexpected text after the JSON value", 13 },
	{ "{'head':7}", "expected a node", 8 },
	{ "{'head':{'children':[7]}}", "expected a node", 21 },
	{ "{'head':{'children':[{]}}", "expected a string", 22 },
	{ "{'head':{'hitCount':-1}}", "a negative number", 20 },
	{ "{'head':{}}", "neither samples nor the hitCount of a node", 0 },
	{ "{'head':{},'samples':[1,1,1],'timestamps':[1]}",
	  "3 samples, but 1 timestamps", 0 },
	{ "{'head':{},'samples':[],'timestamps':[1,2]}",
	  "0 samples, but 2 timestamps", 0 },
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
	  "a CPU profile holds one thread: several are written one after the "
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
	survives(F, old_rows[0].text);
	survives(F, old_rows[2].text);
	survives_writing(F, &s, 1);
}

TEST_MAIN(reading, missing_nodes, older_form, older_lines, deep,
	  scripts_of_a_page, places, refused, writing, others_are_left_out, oom)
