// SPDX-License-Identifier: Apache-2.0
/* Trace events: what each kind becomes, in which order they may stand, and
 * what is put right. */
#include "../viewer_fixture.h"

#define F (&op_format_chrome_trace)
#define HEAD(time, kind)                                            \
	"resource process.pid=1\nscope \n"                          \
	"profile wall/nanoseconds " time " otprof.event.type=" kind \
	" otprof.interval=true\n"
#define SLICES(time) HEAD(time, "slice")
#define T " thread.id=2\n"

/* A list of events, one a line: PHASE NAME TS [DUR], all of process 1 and
 * thread 2. A name "-" is none. */
static const char *events(const char *lines)
{
	static struct op_err err;
	static struct op_buf out = { .err = &err };

	out.n = 0;
	for (; *lines; lines += strcspn(lines, "\n"), lines += *lines != 0) {
		char ph, name[20], ts[20], dur[20] = "0", line[80];

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(lines, "\n"),
			 lines);
		sscanf(line, "%c %19s %19s %19s", &ph, name, ts, dur);
		op_buf_printf(&out, "%c{'ph':'%c','pid':1,'tid':2,'ts':%s",
			      out.n ? ',' : '[', ph, ts);
		if (*name != '-')
			op_buf_printf(&out, ",'name':'%s'", name);
		op_buf_printf(&out, ",'dur':%s}", dur);
	}
	op_buf_z(&out, "]");
	op_buf_byte(&out, 0);
	return (const char *)out.p;
}

struct row {
	const char *text, *words, *notes;
};

/* A list or an object; the end of a list may be missing. */
#define A "{'ph':'X','name':'a','pid':1,'tid':2,'ts':1,'dur':5}"

TEST(containers)
{
	static const char *const texts[] = {
		"[" A "]",
		"[" A ",]",
		"[" A ",\n",
		"[" A,
		" [ " A " ] \n",
		"\xef\xbb\xbf[" A "]",
		"{'traceEvents':[" A "]}",
		"{'metadata':{'x':[1]},'traceEvents':[" A "],'z':'ms'}",
	};

	for (size_t i = 0; i < op_countof(texts); i++) {
		says(F, texts[i], SLICES("1000+5000") "\ta 5000@1000" T, NULL);
		CHECK(taken_for(texts[i]) == F);
	}
	says(F, "[]", "", NULL);
	says(F, "{'traceEvents':[]}", "", NULL);
}

static const struct row slice_rows[] = {
	{ "X a 0 10\nX b 2 3",
	  SLICES("0+10000") "\ta 2000@0 5000@5000" T "\ta;b 3000@2000" T,
	  NULL },
	/* Order in the file does not count, nor does that of equal times. */
	{ "X b 0 3\nX a 0 10",
	  SLICES("0+10000") "\ta 7000@3000" T "\ta;b 3000@0" T, NULL },
	{ "X b 2 3\nX a 0 10",
	  SLICES("0+10000") "\ta 2000@0 5000@5000" T "\ta;b 3000@2000" T,
	  NULL },
	{ "B a 0\nB b 2\nE b 5\nE a 10",
	  SLICES("0+10000") "\ta 2000@0 5000@5000" T "\ta;b 3000@2000" T,
	  NULL },
	/* An end need not have a name. */
	{ "B a 0\nE - 4", SLICES("0+4000") "\ta 4000@0" T, NULL },
	/* What has no length does not interrupt. */
	{ "X a 0 10\nX b 5 0", SLICES("0+10000") "\ta 10000@0" T, NULL },
	/* Two slices are two runs, though they are alike. */
	{ "X a 0 5\nX a 5 5", SLICES("0+10000") "\ta 5000@0 5000@5000" T,
	  NULL },
	/* Fractions, and text for numbers. */
	{ "X a 0.25 1.0005", SLICES("250+1001") "\ta 1001@250" T, NULL },
	{ "X a '7' '1e1'", SLICES("7000+10000") "\ta 10000@7000" T, NULL },
	/* Before 0 there is no time. */
	{ "X a -5 2\nX b 0 1",
	  SLICES("0+6000") "\ta 2000@0" T "\tb 1000@5000" T,
	  "negative timestamps: all moved 5000 ns later\n" },
	/* One that is written before the other ends, at the same time. */
	{ "B a 0\nB b 5\nE a 5\nE b 9",
	  SLICES("0+9000") "\ta 5000@0" T "\tb 4000@5000" T, NULL },
	/* An end ends no other than what it can belong to. */
	{ "B a 0\nB b 2\nE a 5\nE b 9",
	  SLICES("0+9000") "\ta 2000@0" T "\ta;b 3000@2000" T "\tb 4000@5000" T,
	  NULL },
	{ "X a 0 10\nB b 1\nB c 1\nE b 2\nE c 2",
	  SLICES("0+10000") "\ta 1000@0 8000@2000" T "\ta;b;c 1000@1000" T,
	  NULL },
	{ "B a 0\nB b 2\nE a 5",
	  SLICES("0+5000") "\ta 2000@0" T "\ta;b 3000@2000" T,
	  "1 slice without an end: closed at the last event\n" },
	{ "B a 0\nX c 7 1\nE x 5",
	  SLICES("0+8000") "\ta 7000@0" T "\ta;c 1000@7000" T,
	  "1 end without a begin skipped\n1 slice without an end: closed at "
	  "the last event\n" },
	{ "B a 0\nB b 1\nE - 2\nE a 3\nE - 4",
	  SLICES("0+3000") "\ta 1000@0 1000@2000" T "\ta;b 1000@1000" T,
	  "1 end without a begin skipped\n" },
	/* Begins and whole slices nest by length. */
	{ "B b 0\nX a 0 10\nE b 3",
	  SLICES("0+10000") "\ta 7000@3000" T "\ta;b 3000@0" T, NULL },
	{ "X a 0 1\nE a 5\nE a 6", SLICES("0+1000") "\ta 1000@0" T,
	  "2 ends without a begin skipped\n" },
	{ "B a 0\nX b 2 3", SLICES("0+5000") "\ta 2000@0" T "\ta;b 3000@2000" T,
	  "1 slice without an end: closed at the last event\n" },
	/* A microsecond is rounding; what overlaps more is on its own there.
	 * No moment counts twice. */
	{ "X a 0 10\nX b 5 6",
	  SLICES("0+11000") "\ta 5000@0" T "\ta;b 6000@5000" T, NULL },
	{ "X a 0 10\nX b 9 6",
	  SLICES("0+15000") "\ta 9000@0" T "\tb 6000@9000" T, NULL },
	{ "X a 0 10\nX b 5 7",
	  SLICES("0+12000") "\ta 5000@0" T "\ta;b 5000@5000" T
			    "\tb 2000@10000" T,
	  NULL },
	{ "X a 0 10\nX b 5 20\nX c 8 20",
	  SLICES("0+28000") "\ta 5000@0" T "\ta;b 3000@5000" T
			    "\ta;b;c 2000@8000" T "\tc 3000@25000" T
			    "\tc;b 15000@10000" T,
	  NULL },
};

TEST(slices)
{
	for (size_t i = 0; i < op_countof(slice_rows); i++)
		says(F, events(slice_rows[i].text), slice_rows[i].words,
		     slice_rows[i].notes);
	/* The thread's time, for want of any other. */
	says(F, "[{'ph':'X','name':'a','pid':1,'tid':2,'ts':7,'tdur':3}]",
	     SLICES("7000+3000") "\ta 3000@7000" T, NULL);
	says(F,
	     "[{'ph':'X','name':'a','pid':1,'tid':2,'ts':7,'dur':4,'tdur':3}]",
	     SLICES("7000+4000") "\ta 4000@7000" T, NULL);
}

#define FRAMES                                \
	"'stackFrames':{'1':{'name':'main'}," \
	"'2':{'name':'f','parent':'1'},"      \
	"'3':{'name':'g','parent':1,'category':'c'}}}"
#define P "{'ph':'P','pid':1,'tid':2,"

static const struct row sample_rows[] = {
	{ "{'traceEvents':[" P "'ts':1,'sf':2}," P "'ts':3,'sf':'1'}]," FRAMES,
	  HEAD("1000+2001", "sample") "\tmain 0@3000" T "\tmain;f 2000@1000" T,
	  NULL },
	/* The list of samples, before the frames it refers to. */
	{ "{'traceEvents':[],'samples':[{'pid':1,'tid':2,'ts':'5','sf':3},"
	  "{'pid':1,'tid':2,'ts':2,'sf':2}]," FRAMES,
	  HEAD("2000+3001", "sample") "\tmain;f 3000@2000" T
				      "\tmain;g 0@5000" T,
	  NULL },
	/* From the root; for want of a stack the name. */
	{ "[" P "'ts':1,'stack':['a','b']}," P "'ts':4,'name':'n'}]",
	  HEAD("1000+3001", "sample") "\ta;b 3000@1000" T "\tn 0@4000" T,
	  NULL },
};

TEST(samples)
{
	for (size_t i = 0; i < op_countof(sample_rows); i++)
		says(F, sample_rows[i].text, sample_rows[i].words, NULL);
}

#define CHUNK(data)                                                   \
	"{'ph':'P','id':'0x1','name':'ProfileChunk','pid':1,'tid':9," \
	"'args':{'data':{" data "}}}"

/* Parts of one profile, from the thread that takes samples. */
#define FIRST_NODES                                                \
	"'nodes':[{'id':1,'callFrame':{'functionName':'(root)'}}," \
	"{'id':2,'callFrame':{'functionName':'f'},'parent':1}]"
#define MORE_NODES \
	"'nodes':[{'id':3,'callFrame':{'functionName':'g'},'parent':2}]"

static const char v8_text[] =
	"[{'ph':'P','id':'0x1','name':'Profile','pid':1,'tid':2,"
	"'args':{'data':{'startTime':100}}},"
	"{'ph':'P','id':'0x1','name':'ProfileChunk','pid':1,'tid':9,"
	"'args':{'data':{'cpuProfile':{" FIRST_NODES ",'samples':[2,2]},"
	"'timeDeltas':[5,10]}}},"
	"{'ph':'P','id':'0x1','name':'ProfileChunk','pid':1,'tid':9,"
	"'args':{'data':{'cpuProfile':{" MORE_NODES ",'samples':[3,1]},"
	"'timeDeltas':[20,30],'endTime':200}}}]";

TEST(v8)
{
	says(F, v8_text,
	     HEAD("105000+60000", "v8") "\tf 10000@105000 20000@115000" T
					"\tf;g 30000@135000" T,
	     NULL);
}

/* The start and the nodes came before the trace began: what is left has no
 * stack, but a time. */
TEST(v8_cut_off)
{
	says(F,
	     "[" CHUNK("'cpuProfile':{'samples':[4,5]},'timeDeltas':[5,10],"
		       "'endTime':100") "]",
	     HEAD("90000+10001", "v8") "\t- 10000@90000 0@100000"
				       " thread.id=9\n",
	     "2 samples refer to missing nodes and have no stack\n");
}

TEST(names)
{
	says(F,
	     "[" A ",{'ph':'M','name':'thread_name','pid':1,'tid':2,"
	     "'args':{'name':'ma\\u0069n'}},{'ph':'M','name':'process_name',"
	     "'pid':1,'tid':0,'args':{'name':'p'}}]",
	     "resource process.pid=1 process.title=p\nscope \n"
	     "profile wall/nanoseconds 1000+5000 otprof.event.type=slice "
	     "otprof.interval=true\n"
	     "\ta 5000@1000 thread.id=2 thread.name=main\n",
	     NULL);
	/* Ids that are no numbers. */
	says(F, "[{'ph':'X','name':'a','pid':'p','tid':'t','ts':1,'dur':1}]",
	     "resource process.pid=p\nscope \n"
	     "profile wall/nanoseconds 1000+1000 otprof.event.type=slice "
	     "otprof.interval=true\n"
	     "\ta 1000@1000 thread.name=t\n",
	     NULL);
}

TEST(left_out)
{
	says(F,
	     events("b x 1\ne x 1\nS x 1\ni x 1\nC x 1\ns x 1\nN x 1\n? x 1"),
	     "",
	     "3 async events, 1 instant event, 1 counter event, 1 flow event, "
	     "1 object event, 1 other event skipped\n");
	says(F, "[{'ph':'X','name':'a'}]", "",
	     "1 event without a timestamp skipped\n");
}

static const struct refused bad[] = {
	{ "", "the JSON text is truncated", 0 },
	{ "7", "expected an object or an array", 0 },
	{ "{}", "no traceEvents", 0 },
	{ "{'traceEvents':{}}", "expected an array of events", 15 },
	{ "{'traceEvents':[", "the JSON text is truncated", 16 },
	{ "[7]", "expected an event", 1 },
	{ "[{'ph':'X'", "the JSON text is truncated", 10 },
	{ "[{'ts':true}]", "expected a number", 7 },
	{ "[{'ts':1e30}]", "not a number, or too large", 7 },
	{ "[{'ts':'x'}]", "not a number, or too large", 7 },
	{ "[{} {}]", "expected ',' or ']'", 4 },
	{ "[]x", "unexpected text after the JSON value", 2 },
	{ "{'traceEvents':[]}{}", "unexpected text after the JSON value", 18 },
	{ "{'traceEvents':[],'stackFrames':{'1':7}}", "expected a stack frame",
	  37 },
	{ "{'traceEvents':[" P "'ts':1,'sf':1}],"
	  "'stackFrames':{'1':{'parent':1}}}",
	  "a stack frame is its own ancestor", 54 },
	{ "[" CHUNK("'nodes':[{}]") "]", "a node without an id", 85 },
	{ "[" CHUNK("'nodes':[{'id':1,'parent':1}],'samples':[1]") "]",
	  "a node is its own ancestor", 91 },
};

TEST(refused)
{
	refuses(F, bad, op_countof(bad));
}

/* Ten thousand slices in each other: the stack is cut, the time is not. */
TEST(deep)
{
	enum { NR = 10000 };
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct viewer v = { 0 };
	struct op_model m;

	for (int i = 0; i < NR; i++)
		op_buf_printf(&text, "%s{'ph':'B','name':'f','ts':%d}",
			      i ? "," : "[", i);
	op_buf_printf(&text, ",{'ph':'E','ts':%d}", NR);
	CHECK_EQ(viewer_read(F, op_view(text.p, text.n), &m, &v, &err), OP_OK);
	CHECK_EQ(op_profile_total(m.resources[0].scopes[0].profiles),
		 NR * 1000);
	CHECK(strstr(v.notes, "stacks of more than 2048 frames"));
	op_model_free(&m);
	op_buf_free(&text);
}

TEST(oom)
{
	survives(F, events("X a 0 10\nX b 2 13\nB c 3\nE c 4\nX d 1 1"));
	survives(F, sample_rows[0].text);
	survives(F, v8_text);
}

TEST_MAIN(containers, slices, samples, v8, v8_cut_off, names, left_out, refused,
	  deep, oom)
