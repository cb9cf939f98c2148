// SPDX-License-Identifier: Apache-2.0
#include "api_fixture.h"

static const struct sketch files[] = {
	{
		.samples = "main;a 10@1 thread.name=t1\n"
			   "main;a;c 5@2 thread.name=t1\n"
			   "main;b 20@3 thread.name=t2",
		.period = 5,
		.period_unit = "nanoseconds",
	},
	{ .samples = "main;a 30\nmain;d 5" },
};

TEST(flame)
{
	static const struct asked rows[] = {
		{ "flame?file=0", 200,
		  "{\"type\":\"cpu\",\"unit\":\"nanoseconds\",\"event\":\"\","
		  "\"total\":35,\"self\":0,\"period\":5,\"period_unit\":"
		  "\"nanoseconds\",\"diff\":false,\"nodes\":[0,1,0,0,2,20,1,3,"
		  "10,0,4,5],\"inlined\":[]," },
		{ "flame?file=0", 200,
		  "\"strings\":[\"(smaller frames)\",\"cut\",\"\",\"main\","
		  "\"b\",\"a\",\"c\"],\"cut\":{\"frames\":0,\"value\":0}}" },
		{ "flame", 200, "\"total\":70," },
		{ "flame?file=0&limit=2", 200,
		  "\"nodes\":[0,1,0,0,0,15,1,2,20]" },
		{ "flame?file=0&limit=2", 200,
		  "\"cut\":{\"frames\":2,\"value\":15}}" },
		{ "flame?file=0&least=0.2", 200,
		  "\"nodes\":[0,1,0,0,2,20,1,3,10,0,0,5]" },
		{ "flame?file=0&inverted=1", 200,
		  "\"nodes\":[0,1,20,0,2,0,2,3,10,0,2,0,2,4,5,0,3,0,0,2,0]" },
		{ "flame?file=0&by=thread", 200, "\"nodes\":[0,1,20,1,2,15]" },
		{ "flame?file=0&where=thread=t1", 200, "\"total\":15," },
		{ "flame?file=0&from=%2B2ns", 200, "\"total\":25," },
		{ "flame?file=0&to=%2B2ns", 200, "\"total\":10," },
		{ "flame?file=0&focus=c", 200, "\"total\":5," },
		{ "flame?file=0&ignore=b", 200, "\"total\":15," },
		{ "flame?file=0&hide=main&show_from=^a", 200,
		  "\"nodes\":[0,1,10,0,2,5]" },
		{ "flame?file=0&focus=nosuch", 200,
		  "\"total\":0,\"self\":0,\"period\":5,\"period_unit\":"
		  "\"nanoseconds\",\"diff\":false,\"nodes\":[]" },
		{ "flame?file=0&where=thread=x", 200, "\"nodes\":[]" },
		{ "flame?file=0&from=%2B1d", 200, "\"nodes\":[]" },
	};

	ask_about(files, 2, rows, op_countof(rows));
}

TEST(top)
{
	static const struct asked rows[] = {
		{ "top?file=0", 200,
		  "{\"type\":\"cpu\",\"unit\":\"nanoseconds\",\"event\":\"\","
		  "\"total\":35,\"rows\":[{\"name\":\"b\",\"flat\":20,\"cum\":"
		  "20,\"module\":\"\",\"file\":\"\",\"type\":\"\"},{\"name\":"
		  "\"a\",\"flat\":10,\"cum\":15," },
		{ "top?file=0&sort=cum&limit=1", 200,
		  "\"rows\":[{\"name\":\"main\",\"flat\":0,\"cum\":35," },
		{ "top?file=0&limit=1", 200,
		  "],\"nr\":4,\"rest\":{\"nr\":3,\"flat\":15}}" },
		{ "top?file=0&match=a", 200,
		  "],\"nr\":2,\"rest\":{\"nr\":0,\"flat\":0}}" },
		{ "top?file=0&by=thread", 200,
		  "\"rows\":[{\"name\":\"t2\",\"labels\":[\"t2\"],\"flat\":20,"
		  "\"cum\":20},{\"name\":\"t1\"" },
		{ "top?file=0&by=thread,function", 200,
		  "{\"name\":\"c\",\"labels\":[\"t1\"],\"flat\":5,\"cum\":5," },
		{ "top?file=0&focus=nosuch", 200,
		  "\"total\":0,\"rows\":[],\"nr\":0" },
	};

	ask_about(files, 1, rows, op_countof(rows));
}

TEST(differences)
{
	static const struct asked rows[] = {
		{ "flame?file=1&before.file=0", 200,
		  "\"total\":0,\"self\":0,\"period\":0,\"period_unit\":\"\","
		  "\"diff\":true,\"before_total\":35,\"after_total\":35,"
		  "\"nodes\":[0,1,0,0,2,-20,1,3,20,0,4,-5,2,5,5]" },
		{ "top?file=1&before.file=0", 200,
		  "\"total\":35,\"before_total\":35,\"rows\":[{\"name\":\"a\","
		  "\"flat\":30,\"cum\":30,\"before_flat\":10,\"before_cum\":"
		  "15," },
		{ "top?file=1&before.file=0", 200,
		  "{\"name\":\"b\",\"flat\":0,\"cum\":0,\"before_flat\":20,"
		  "\"before_cum\":20," },
		{ "top?file=1&before.file=0&by=thread", 200,
		  "{\"name\":\"(no thread)\",\"labels\":[\"(no thread)\"],"
		  "\"flat\":35,\"cum\":35,\"before_flat\":0,\"before_cum\":0"
		  "}" },
		{ "top?file=0&from=%2B3ns&before.file=0&before.to=%2B3ns", 200,
		  "\"total\":20,\"before_total\":15," },
		{ "top?file=0&where=thread=t2&before.file=0&"
		  "before.where=thread=t1&normalize=1",
		  200, "\"total\":20,\"before_total\":20," },
		{ "top?file=0&before.file=0&before.focus=nosuch&normalize=1",
		  200, "\"total\":35,\"before_total\":0," },
		{ "top?file=0&focus=nosuch&before.file=0", 200,
		  "\"total\":0,\"before_total\":35," },
		{ "flame?focus=nosuch&before.focus=nosuch", 200,
		  "\"before_total\":0,\"after_total\":0,\"nodes\":[]" },
	};

	ask_about(files, 2, rows, op_countof(rows));
}

TEST(functions)
{
	static const struct asked rows[] = {
		{ "peek?file=0&function=^a$", 200,
		  "\"total\":35,\"functions\":[{\"name\":\"a\",\"flat\":10,"
		  "\"cum\":15,\"callers\":[{\"name\":\"main\",\"value\":15}"
		  "],\"callees\":[{\"name\":\"c\",\"value\":5}]}],"
		  "\"rest\":{\"nr\":0,\"flat\":0}}" },
		{ "peek?file=0&function=.&limit=1", 200,
		  "\"rest\":{\"nr\":3,\"flat\":35}}" },
		{ "peek?function=nosuch", 200, "\"functions\":[]" },
		{ "peek", 400, "function expects a regular expression" },
		{ "peek?function=(", 400, "function: " },
		{ "lines?file=0&function=^a$", 200,
		  "\"total\":35,\"functions\":[{\"name\":\"a\",\"file\":"
		  "\"\",\"flat\":10,\"cum\":15,\"rows\":[{\"line\":0,"
		  "\"flat\":10,\"cum\":15}]}]}" },
		{ "lines", 400, "function expects a regular expression" },
	};

	ask_about(files, 1, rows, op_countof(rows));
}

TEST_MAIN(flame, top, differences, functions)
