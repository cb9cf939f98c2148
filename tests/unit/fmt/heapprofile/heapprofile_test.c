// SPDX-License-Identifier: Apache-2.0
/* V8's heap profiles. */
#include "../viewer_fixture.h"

#define F (&op_format_heapprofile)
#define CALL(name)                                                         \
	"{'callFrame':{'functionName':'" name "','scriptId':'0','url':''," \
	"'lineNumber':-1,'columnNumber':-1},'selfSize':"
#define INNER CALL("") "12,'id':3,'children':[]}"
#define OUTER CALL("f") "30,'id':2,'children':[" INNER "]}"
#define EMPTY CALL("g") "0,'id':4,'children':[]}"
#define HEAD "resource\nscope \nprofile space/bytes\n"

static const struct {
	const char *text, *words;
} rows[] = {
	{ "{'head':" CALL("(root)") "0,'id':1,'children':[" OUTER "," EMPTY
				    "]},'samples':[{'size':30,'nodeId':2}]}",
	  HEAD "\tf 30\n\tf;(anonymous) 12\n" },
	/* The root may hold something. */
	{ "{'head':" CALL("(root)") "8,'children':[]}}", HEAD "\t- 8\n" },
	/* An older form. */
	{ "{'samples':[],'head':{'functionName':'f','selfSize':1.5}}",
	  HEAD "\tf 2\n" },
	{ "{'head':{'children':[{'selfSize':4,'callFrame':{"
	  "'functionName':'g'}}],'callFrame':{'functionName':'f'}}}",
	  HEAD "\tf;g 4\n" },
	{ "{'head':" CALL("(root)") "0,'children':[]}}", HEAD },
};

TEST(reading)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		says(F, rows[i].text, rows[i].words, NULL);
		CHECK(taken_for(rows[i].text) == F);
	}
}

static const struct refused bad[] = {
	{ "", "the JSON text is truncated", 0 },
	{ "[]", "expected an object", 0 },
	{ "{}", "no head with a selfSize", 0 },
	{ "{'head':{}}", "no head with a selfSize", 0 },
	{ "{'head':[]}", "expected a node", 8 },
	{ "{'head':{'selfSize':-1}}", "a negative number", 20 },
	{ "{'head':{'selfSize':x}}", "expected a number", 20 },
	{ "{'head':{'selfSize':1}} x", "unexpected text after the JSON value",
	  24 },
	{ "{'head':{'selfSize':1,'children':[", "the JSON text is truncated",
	  34 },
};

TEST(refused)
{
	refuses(F, bad, op_countof(bad));
}

TEST(not_recognised)
{
	CHECK(taken_for("{'head':{'selfSiz':1}}") != F);
	CHECK(taken_for("{'head':7,'selfSize':1}") != F);
	CHECK(taken_for("{'nodes':[{'selfSize':1}]}") != F);
}

TEST(oom)
{
	survives(F, rows[0].text);
}

TEST_MAIN(reading, refused, not_recognised, oom)
