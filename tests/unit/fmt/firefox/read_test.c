// SPDX-License-Identifier: Apache-2.0
/* Profiles of Gecko and of the Firefox Profiler, read. */
#include "../viewer_fixture.h"

#define F (&op_format_firefox)

#define META "'meta':{'interval':1,'startTime':1000,'stackwalk':1}"
#define HEAD "resource\nscope \nprofile samples/count period 1000000 1000000000"

/* --- raw --- */

#define RAW_THREAD(head, samples, stacks, frames, strings)                   \
	"{" head "'samples':{'schema':{'stack':0,'time':1},'data':[" samples \
	"]},'stackTable':{'schema':{'prefix':0,'frame':1},"                  \
	"'data':[" stacks "]},'frameTable':{'schema':{'location':0,"         \
	"'line':1,'column':2},'data':[" frames "]},'stringTable':[" strings  \
	"]}"
#define THREADS(threads) "{" META ",'threads':[" threads "]}"
#define RAW(head, samples, stacks, frames, strings) \
	THREADS(RAW_THREAD(head, samples, stacks, frames, strings))
#define LIB                                                      \
	"{'name':'x','path':'/x','breakpadId':'0','start':4096," \
	"'end':8192,'offset':0}"
#define QUOTED_THREAD                                                  \
	"{\\'name\\':\\'t\\',\\'samples\\':{\\'schema\\':{\\'stack\\'" \
	":0,\\'time\\':1},\\'data\\':[[null,1]]}}"
#define AT_1_MS \
	"resource\nscope \nprofile samples/count period 1000000 1001000000+1\n"

struct row {
	const char *text, *words;
};

static const struct row raw[] = {
	{ RAW("'name':'t','tid':7,'pid':5,", "[1,0.5],[0,1],[1,2.25]",
	      "[null,0],[0,1]", "[0],[1]", "'(root)','f'"),
	  "resource process.pid=5\nscope \nprofile samples/count "
	  "period 1000000 1000500000+1750001\n"
	  "\t(root) @1001000000 thread.id=7 thread.name=t\n"
	  "\t(root);f @1000500000 @1002250000 thread.id=7 thread.name=t\n" },
	/* A row without a stack counts. */
	{ RAW("", "[null,0],[0,0]", "[null,0]", "[0]", "'f'"),
	  HEAD "+1\n\t- @1000000000\n\tf @1000000000\n" },
	/* An address of a caller is the one it returns to. */
	{ "{" META ",'libs':[" LIB
	  "],'threads':[" RAW_THREAD("", "[1,0],[0,0]", "[null,0],[0,1]",
				     "[0],[1]", "'0x1010','0x9000'") "]}",
	  HEAD "+1\n\t0x10 @1000000000\n\t0xf;0x9000 @1000000000\n" },
	/* Two threads share the libraries. */
	{ "{" META ",'libs':[" LIB "],'threads':[" RAW_THREAD(
		  "", "[0,0]", "[null,0]", "[0]",
		  "'0x1010'") "," RAW_THREAD("", "[0,0]", "[null,0]", "[0]",
					     "'0x1020'") "]}",
	  HEAD "+1\n\t0x10 @1000000000\n\t0x20 @1000000000\n" },
	/* Prefixes in any order; two stacks of the same frames are one. */
	{ RAW("", "[0,0],[2,0]", "[1,0],[null,1],[1,0]", "[0],[1]", "'f','g'"),
	  HEAD "+1\n\tg;f @1000000000 @1000000000\n" },
	/* The profile of another process, with a time of its own. */
	{ "{" META ",'threads':[],'processes':[{'meta':{'startTime':3000},"
	  "'threads':[" RAW_THREAD("'processType':'tab','processName':'w',",
				   "[0,1]", "[null,0]", "[0]", "'f'") "]}]}",
	  "resource process.title=w firefox.process.type=tab\nscope \n"
	  "profile samples/count period 1000000 3001000000+1\n"
	  "\tf @3001000000\n" },
	/* Strings of JSON: a profile and a thread among the threads, a
	 * process, libraries. */
	{ THREADS("'{\\'threads\\':[" QUOTED_THREAD "]}'"),
	  AT_1_MS "\t- @1001000000 thread.name=t\n" },
	{ THREADS("'" QUOTED_THREAD "'"),
	  AT_1_MS "\t- @1001000000 thread.name=t\n" },
	{ "{" META ",'threads':[],'processes':['{\\'threads\\':[" QUOTED_THREAD
	  "]}']}",
	  AT_1_MS "\t- @1001000000 thread.name=t\n" },
	{ "{'libs':'[{\\'name\\':\\'x\\',\\'start\\':4096,"
	  "\\'end\\':8192}]'," META ",'threads':[" RAW_THREAD(
		  "", "[0,0]", "[null,0]", "[0]", "'0x1010'") "]}",
	  HEAD "+1\n\t0x10 @1000000000\n" },
	/* What developer tools wrote. */
	{ "{'label':'','duration':1,'markers':[],'profile':" RAW(
		  "", "[0,0]", "[null,0]", "[0]", "'f'") "}",
	  HEAD "+1\n\tf @1000000000\n" },
	/* Allocations are markers. */
	{ THREADS("{'markers':{'schema':{'name':0,'startTime':1,'data':2},"
		  "'data':[[0,1,null],[0,1,{'type':'JS allocation',"
		  "'className':'C','size':24,'stack':{'name':'x','samples':"
		  "{'schema':{'stack':0,'time':1},'data':[[0,0]]}}}],"
		  "[0,2,{'size':-8,'type':'Native allocation'}],"
		  "[0,2,{'size':'s','type':'other'}]]},"
		  "'stackTable':{'schema':{'prefix':0,'frame':1},"
		  "'data':[[null,0]]},'frameTable':{'schema':{'location':0},"
		  "'data':[[0]]},'stringTable':['0x10']}"),
	  "resource\nscope \nprofile alloc_space/bytes 1001000000+1 "
	  "otprof.event.type=jsAllocations\n"
	  "\t0xf 24@1001000000 firefox.class=C\n"
	  "profile free_space/bytes 1002000000+1 "
	  "otprof.event.type=nativeAllocations\n\t- 8@1002000000\n" },
	{ THREADS(""), "" },
};

/* --- processed --- */

#define VERSION \
	"'meta':{'interval':1,'startTime':1000,'preprocessedProfileVersion':"
#define TWO                                                          \
	"'stackTable':{'prefix':[null,0],'frame':[0,1],'length':2}," \
	"'frameTable':{'func':[0,1],'address':[-1,-1]},"             \
	"'funcTable':{'name':[0,1]},'stringArray':['f','g']"
#define PROCESSED(version, thread) \
	"{" VERSION version "},'libs':[],'threads':[{" thread "}]}"
#define ROWS "'samples':{'stack':[1,0],'time':[0,1],'length':2"
#define ONE_ROW "'samples':{'stack':[0],'time':[0]},"
#define F_G "\tf @1001000000\n\tf;g @1000000000\n"

static const struct row processed[] = {
	{ PROCESSED("48", ROWS "}," TWO), HEAD "+1000001\n" F_G },
	{ PROCESSED("48", "'samples':{'stack':[1,0],'timeDeltas':[0,1]}," TWO),
	  HEAD "+1000001\n" F_G },
	{ PROCESSED("48", ROWS ",'weight':null}," TWO), HEAD "+1000001\n" F_G },
	{ PROCESSED("48", ROWS ",'weight':[3,-4],'weightType':'samples'}," TWO),
	  HEAD "+1000001\n\tf -4@1001000000\n\tf;g 3@1000000000\n" },
	{ PROCESSED("24", ROWS ",'duration':[3,4]}," TWO),
	  HEAD "+1000001\n\tf 4@1001000000\n\tf;g 3@1000000000\n" },
	{ PROCESSED("48",
		    ROWS ",'weight':[0.5,2],'weightType':'tracing-ms'}," TWO),
	  "resource\nscope \nprofile wall/nanoseconds 1000000000+3000000 "
	  "otprof.interval=true\n"
	  "\tf 2000000@1001000000\n\tf;g 500000@1000000000\n" },
	{ PROCESSED("48", ROWS ",'weight':[5,6],'weightType':'bytes'}," TWO),
	  "resource\nscope \nprofile space/bytes 1000000000+1000001\n"
	  "\tf 6@1001000000\n\tf;g 5@1000000000\n" },
	/* A size profile has no times. */
	{ "{'meta':{'startTime':1,'sampleUnits':{'time':'bytes'},"
	  "'preprocessedProfileVersion':55},'threads':[{" ROWS
	  ",'weight':[5,6],'weightType':'bytes'}," TWO "}]}",
	  "resource\nscope \nprofile space/bytes\n\tf 6\n\tf;g 5\n" },
	/* Strings are shared, or all tables are. */
	{ "{" VERSION "58},'shared':{'stringArray':['f','h.js'],"
	  "'sources':{'filename':[1]}},'threads':[{" ONE_ROW
	  "'stackTable':{'prefix':[null],'frame':[0]},"
	  "'frameTable':{'func':[0]},"
	  "'funcTable':{'name':[0],'source':[0]}}]}",
	  HEAD "+1\n\tf @1000000000\n" },
	{ "{'shared':{'stackTable':{'prefixOffset':[0,1],'frame':[0,1]},"
	  "'frameTable':{'func':[0,1],'lib':[-1,-1]},'funcTable':{'name':"
	  "[0,1]},'stringArray':['f','g']},'threads':[{" ROWS
	  "},'tid':'7.1','pid':'a'},{'samples':{'stack':[1],'time':[0]},"
	  "'pid':'a'}]," VERSION "70}}",
	  "resource process.pid=a\nscope \nprofile samples/count period "
	  "1000000 1000000000+1000001\n\tf @1001000000 thread.id=7.1\n"
	  "\tf;g @1000000000\n\tf;g @1000000000 thread.id=7.1\n" },
	/* What is inlined is one location. */
	{ "{" VERSION "48},'libs':[" LIB "],'threads':[{"
	  "'samples':{'stack':[2,3,1],'time':[0,0,0]},"
	  "'stackTable':{'prefix':[null,0,1,1],'frame':[0,1,2,3]},"
	  "'frameTable':{'func':[0,1,2,3],'address':[16,32,32,32],"
	  "'inlineDepth':[0,0,1,2]},'funcTable':{'name':[0,1,2,3],"
	  "'resource':[0,0,0,0]},'stringArray':['f','g','h','i'],"
	  "'resourceTable':{'lib':[0]}}]}",
	  HEAD "+1\n\tf;g @1000000000\n\tf;g;i @1000000000\n"
	       "\tf;g>h @1000000000\n" },
	/* Names that are addresses are none. */
	{ "{" VERSION "48},'libs':[" LIB "],'threads':[{"
	  "'samples':{'stack':[1],'time':[0]},"
	  "'stackTable':{'prefix':[null,0],'frame':[0,1]},"
	  "'frameTable':{'func':[0,1],'address':[16,-1],'lib':[0,-1]},"
	  "'funcTable':{'name':[0,1]},'stringArray':['0x10','0x99']}]}",
	  HEAD "+1\n\t0x10;0x99 @1000000000\n" },
	/* Up to version 37 addresses of callers are behind the call. */
	{ "{" VERSION "37},'threads':[{'libs':[" LIB "],"
	  "'samples':{'stack':[1],'time':[0]},"
	  "'stackTable':{'prefix':[null,0],'frame':[0,0]},"
	  "'frameTable':{'func':[0],'address':[16]},"
	  "'funcTable':{'name':[0],'resource':[0]},'stringArray':['0x10'],"
	  "'resourceTable':{'lib':[0],'length':2}}]}",
	  HEAD "+1\n\t0xf;0x10 @1000000000\n" },
	/* A function without a name. */
	{ PROCESSED("48",
		    ONE_ROW "'stackTable':{'prefix':[null],'frame':[0]},"
			    "'frameTable':{'func':[null]},'funcTable':{}"),
	  HEAD "+1\n\t[unknown] @1000000000\n" },
	{ PROCESSED("48", "'jsAllocations':{'time':[1],'weight':[24],"
			  "'className':['C'],'stack':[1],'length':1},"
			  "'nativeAllocations':{'time':[1,2],'weight':[5,-6],"
			  "'stack':[0,null],'length':2}," TWO),
	  "resource\nscope \nprofile alloc_space/bytes 1001000000+1 "
	  "otprof.event.type=jsAllocations\n"
	  "\tf;g 24@1001000000 firefox.class=C\n"
	  "profile malloc_space/bytes 1001000000+1 "
	  "otprof.event.type=nativeAllocations\n\tf 5@1001000000\n"
	  "profile free_space/bytes 1002000000+1 "
	  "otprof.event.type=nativeAllocations\n\t- 6@1002000000\n" },
	{ PROCESSED("48", "'samples':{'length':0}"), "" },
};

static void all_say(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		says(F, rows[i].text, rows[i].words, NULL);
		CHECK(taken_for(rows[i].text) == F);
	}
}

TEST(reading)
{
	all_say(raw, op_countof(raw));
	all_say(processed, op_countof(processed));
}

/* --- places --- */

/* The only function and line of a text. */
static void place_is(const char *text, const char *file, const int64_t *want)
{
	struct viewer v = { 0 };
	struct op_model m;
	struct op_err err;
	const struct op_function *f;
	const struct op_line *l;

	if (viewer_read(F, op_view_z(text), &m, &v, &err)) {
		TEST_FAIL("%.60s is refused: %.80s", text, err.text);
		return;
	}
	CHECK_EQ(m.dict.nr[OP_FUNCTIONS], 2);
	f = &m.dict.functions[1];
	l = &m.dict.lines[m.dict.locations[1].first_line];
	CHECK(op_view_is(op_string(&m, f->name), "f"));
	CHECK(op_view_is(op_string(&m, f->filename), file));
	CHECK_EQ(f->start_line, want[0]);
	CHECK_EQ(l->line, want[1]);
	CHECK_EQ(l->column, want[2]);
	op_model_free(&m);
}

#define PLACE(version, frame, func, strings, more)                        \
	"{" VERSION version "},'threads':[{" ONE_ROW                      \
	"'stackTable':{'prefix':[null],'frame':[0]},"                     \
	"'frameTable':{'func':[0]" frame "},'funcTable':{'name':[0]" func \
	"},'stringArray':[" strings "]" more "}]}"

TEST(places)
{
	place_is(RAW("", "[0,0]", "[null,0]", "[0]", "'f (a.js:5:6)'"), "a.js",
		 (const int64_t[]){ 5, 5, 6 });
	place_is(RAW("", "[0,0]", "[null,0]", "[0,7,8]", "'f (a.js:5:6)'"),
		 "a.js", (const int64_t[]){ 5, 7, 8 });
	place_is(RAW("", "[0,0]", "[null,0]", "[0,7]", "'f (a.js:5:6)'"),
		 "a.js", (const int64_t[]){ 5, 7, 0 });
	place_is(PLACE("48", ",'line':[7],'column':[8]",
		       ",'fileName':[1],'lineNumber':[5],'columnNumber':[6]",
		       "'f','a.js'", ""),
		 "a.js", (const int64_t[]){ 5, 7, 8 });
	place_is(PLACE("48", ",'line':[null]",
		       ",'fileName':[1],'lineNumber':[5],'columnNumber':[6]",
		       "'f','a.js'", ""),
		 "a.js", (const int64_t[]){ 5, 5, 6 });
	/* Before there were columns. */
	place_is(PLACE("12", "",
		       ",'isJS':[true],'fileName':[1],'lineNumber':[6]",
		       "'f','a.js:5'", ""),
		 "a.js", (const int64_t[]){ 5, 5, 6 });
	/* Before there were files. */
	place_is(PLACE("1", "", ",'isJS':[true]", "'f (a.js:5)'", ""), "a.js",
		 (const int64_t[]){ 5, 5, 0 });
	/* Before a compiler. */
	place_is(PLACE("64", ",'line':[1],'originalLocation':[1]",
		       ",'source':[0],'lineNumber':[1],'originalLocation':[0]",
		       "'f','out.js','a.js'",
		       ",'sources':{'filename':[1,2]},'sourceLocationTable':"
		       "{'source':[1,1],'line':[5,7],'column':[6,8]}"),
		 "a.js", (const int64_t[]){ 5, 7, 8 });
}

/* --- libraries --- */

#define ONE_LIB(ids)                                               \
	"{" VERSION "48},'libs':[{'name':'x','path':'/lib/x'," ids \
	"}],'threads':[{" ONE_ROW                                  \
	"'stackTable':{'prefix':[null],'frame':[0]},"              \
	"'frameTable':{'func':[0],'address':[16],'lib':[0]},"      \
	"'funcTable':{'name':[0]},'stringArray':['0x10']}]}"

TEST(libraries)
{
	static const struct {
		const char *text, *key, *value;
	} rows[] = {
		{ ONE_LIB("'breakpadId':'EB6A9C9ADFA57841DE168E26FE30DDCD0',"
			  "'codeId':'9A9C6AEBA5DF4178DE168E26FE30DDCD"
			  "AB47D374'"),
		  "process.executable.build_id.gnu",
		  "9a9c6aeba5df4178de168e26fe30ddcdab47d374" },
		/* Of fewer bytes */
		{ ONE_LIB("'breakpadId':'04030201000000000000000000000000"
			  "0','codeId':'01020304'"),
		  "process.executable.build_id.gnu", "01020304" },
		/* macOS */
		{ ONE_LIB("'breakpadId':'F635824E318B3F0C842CC369737F2B680',"
			  "'codeId':'F635824E318B3F0C842CC369737F2B68'"),
		  "otprof.mapping.breakpad_id",
		  "F635824E318B3F0C842CC369737F2B680" },
		/* Windows */
		{ ONE_LIB("'breakpadId':'F635824E318B3F0C842CC369737F2B68a',"
			  "'codeId':'6132B96B70fd000'"),
		  "otprof.mapping.code_id", "6132B96B70fd000" },
		{ ONE_LIB("'breakpadId':'000000000000000000000000000000000',"
			  "'codeId':null"),
		  NULL, NULL },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct viewer v = { 0 };
		struct op_model m;
		struct op_err err;
		const struct op_attr *a = NULL;

		CHECK_EQ(viewer_read(F, op_view_z(rows[i].text), &m, &v, &err),
			 OP_OK);
		CHECK_EQ(m.dict.nr[OP_MAPPINGS], 2);
		if (m.dict.nr[OP_MAPPINGS] == 2 && rows[i].key)
			a = op_set_find(&m, m.dict.mappings[1].attrs,
					rows[i].key);
		if (rows[i].key)
			CHECK(a && op_view_is(op_any_text(&m, &a->value),
					      rows[i].value));
		else
			CHECK_EQ(m.dict.mappings[1].attrs, 0);
		op_model_free(&m);
	}
}

/* --- what is refused --- */

#define ONE(samples) RAW("", samples, "[null,0]", "[0]", "'f'")

static const struct refused bad[] = {
	{ "", "the JSON text is truncated", 0 },
	{ "[]", "expected an object", 0 },
	{ "{}", "a profile without threads", 0 },
	{ "{'threads':7}", "expected an array of threads", 11 },
	{ "{'threads':[7]}", "expected a thread", 12 },
	{ "{'threads':[]}x", "unexpected text after the JSON value", 14 },
	{ "{'libs':[7],'threads':[]}", "expected a library", 9 },
	{ ONE("[1,0]"), "stack index 1 is out of range for a table of 1", 136 },
	{ ONE("['x',0]"), "not a number, or too large", 116 },
	{ ONE("[0,tru]"), "expected a value", 118 },
	{ ONE("[0]"), "a table row has no time", 76 },
	{ ONE("7"), "expected a table row", 115 },
	{ RAW("", "[0,0]", "[0,0]", "[0]", "'f'"),
	  "row 0 of the stack table is its own ancestor", 136 },
	{ RAW("", "[0,0]", "[5,0]", "[0]", "'f'"),
	  "prefix index 5 is out of "
	  "range for a table of 1",
	  136 },
	{ RAW("", "[0,0]", "[null,3]", "[0]", "'f'"),
	  "frame index 3 is out of range for a table of 1", 136 },
	{ RAW("", "[0,0]", "[null]", "[0]", "'f'"),
	  "frame index -1 is out of range for a table of 1", 136 },
	{ RAW("", "[0,0]", "[null,0]", "[1]", "'f'"),
	  "string index 1 is out of range for a table of 1", 136 },
	{ PROCESSED("48", "'samples':{'stack':[0],'length':2}," TWO),
	  "the number of rows differs from the table's length", 104 },
	{ PROCESSED("48", "'samples':{'stack':[0],'time':[]}," TWO),
	  "a table row has no time", 104 },
	{ PROCESSED("48", "'samples':{'stack':[0],'weight':[null]}," TWO),
	  "a table row has no weight", 104 },
	{ PROCESSED("48", "'samples':{'time':[0]}," TWO),
	  "the table has no stack column", 104 },
	{ PROCESSED("48", "'samples':{'weightType':'x'}," TWO),
	  "an unknown weightType", 104 },
	{ PROCESSED("48", "'samples':{'stack':[0]},"
			  "'stackTable':{'prefix':[null],'frame':[0]},"
			  "'frameTable':{'func':[1]},'funcTable':{'name':[0]},"
			  "'stringArray':['f']"),
	  "func index 1 is out of range for a table of 1", 131 },
	/* The place is in the string. */
	{ THREADS("'{\\'threads\\':[7]}'"), "expected a thread", 78 },
	{ THREADS("'{'"), "the JSON text is truncated", 67 },
};

TEST(refused)
{
	refuses(F, bad, op_countof(bad));
}

/* Profiles inside of each other, each in the list of processes. */
TEST(levels)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct viewer v = { 0 };
	struct op_model m;

	for (int i = 0; i < 20; i++)
		op_buf_z(&b, "{\"threads\":[],\"processes\":[");
	for (int i = 0; i < 20; i++)
		op_buf_z(&b, "]}");
	CHECK_EQ(viewer_read(F, op_view(b.p, b.n), &m, &v, &err), OP_ELIMIT);
	CHECK_STR(err.text, "profiles nested more than 16 deep");
	op_buf_free(&b);
}

/* --- notes and options --- */

#define WITH_CPU                                                     \
	"{'meta':{'startTime':1000,'preprocessedProfileVersion':48," \
	"'sampleUnits':{'threadCPUDelta':'\u00b5s'}},'threads':[{"   \
	"'name':'main'," ROWS ",'threadCPUDelta':[7,9]}," TWO "}]}"

TEST(notes)
{
	says(F, WITH_CPU,
	     "resource\nscope \nprofile samples/count 1000000000+1000001\n"
	     "\tf @1001000000 thread.name=main\n"
	     "\tf;g @1000000000 thread.name=main\n",
	     "CPU times of 1 samples skipped: --event samples,cpu reads "
	     "them\n");
	says(F,
	     PROCESSED("48", "'samples':{'stack':[0,0],'time':[0,0],"
			     "'weight':[1.0,1.5]}," TWO),
	     HEAD "+1\n\tf 1@1000000000 2@1000000000\n",
	     "1 weights rounded to integers\n");
	says(F, ONE("[0,-2000]"),
	     "resource\nscope \nprofile samples/count period 1000000 0+1\n"
	     "\tf @0\n",
	     "1 timestamps before 1970 read as 1970\n");
	says(F,
	     "{'label':'','duration':1,'markers':[],'allocations':{'frames':"
	     "[],'sites':[1,2],'sizes':[3,4]},'profile':{'threads':[]}}",
	     "", "2 allocations of the recording skipped\n");
	says(F, "{" VERSION "71},'threads':[]}", "",
	     "format version 71 is newer than 70, the newest supported one\n");
}

static const struct {
	const char *settings[3];
	const char *text, *words;
} asked[] = {
	{ { "event=cpu" },
	  WITH_CPU,
	  "resource\nscope \nprofile cpu/nanoseconds 1001000000+1\n"
	  "\tf 9000@1001000000 thread.name=main\n" },
	{ { "event=samples", "thread=mai" },
	  WITH_CPU,
	  "resource\nscope \nprofile samples/count 1000000000+1000001\n"
	  "\tf @1001000000 thread.name=main\n"
	  "\tf;g @1000000000 thread.name=main\n" },
	{ { "event=alloc,nativemem" }, WITH_CPU, "" },
	{ { "thread=x" }, WITH_CPU, "" },
};

TEST(options)
{
	static const char *const wrong[] = { "event=wall", NULL };
	struct viewer v = { .settings = wrong };
	struct op_model m;
	struct op_err err;

	viewer_read(F, op_view_z(WITH_CPU), &m, &v, &err);
	CHECK_EQ(err.code, OP_EUSAGE);
	for (size_t i = 0; i < op_countof(asked); i++) {
		v.settings = asked[i].settings;
		viewer_read(F, op_view_z(asked[i].text), &m, &v, &err);
		CHECK_EQ(err.code, OP_OK);
		CHECK_STR(sketch_text(&m), asked[i].words);
		CHECK_STR(v.notes, "");
		op_model_free(&m);
	}
}

/* Deep stacks are cut, whichever end the table begins with. */
TEST(depth)
{
	enum { DEEP = 3000 };

	for (int turn = 0; turn < 2; turn++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };
		struct viewer v = { 0 };
		struct op_model m;

		op_buf_z(&b, "{\"threads\":[{\"samples\":{\"stack\":[");
		op_buf_printf(&b, "0,%d", DEEP - 1);
		op_buf_z(&b, "]},\"frameTable\":{\"func\":[0]},\"funcTable\":"
			     "{\"name\":[0]},\"stringArray\":[\"f\"],"
			     "\"stackTable\":{\"frame\":[0");
		for (int i = 1; i < DEEP; i++)
			op_buf_z(&b, ",0");
		op_buf_z(&b, "],\"prefix\":[");
		for (int i = 0; i < DEEP; i++) {
			int up = turn ? i + 1 : i - 1;

			if (up < 0 || up == DEEP)
				op_buf_z(&b, i ? ",null" : "null");
			else
				op_buf_printf(&b, i ? ",%d" : "%d", up);
		}
		op_buf_z(&b, "]}}]}");
		CHECK_EQ(viewer_read(F, op_view(b.p, b.n), &m, &v, &err),
			 OP_OK);
		CHECK_STR(v.notes, "stacks of more than 2048 frames are "
				   "truncated at the leaf\n");
		CHECK_EQ(m.dict.stacks.at[m.dict.nr[OP_STACKS]], 2048 + 1);
		op_model_free(&m);
		op_buf_free(&b);
	}
}

TEST(oom)
{
	survives(F, raw[0].text);
	survives(F, raw[2].text);
	survives(F, raw[5].text);
	survives(F, raw[8].text);
	survives(F, raw[10].text);
	survives(F, processed[9].text);
	survives(F, processed[10].text);
	survives(F, processed[14].text);
	survives(F, WITH_CPU);
}

TEST_MAIN(reading, places, libraries, refused, levels, notes, options, depth,
	  oom)
