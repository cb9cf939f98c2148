// SPDX-License-Identifier: Apache-2.0
#include "api_fixture.h"

/* Links of sketches have ids made of their number. */
static const struct sketch s = {
	.samples = "main;a 10@1000 5@1010 thread.name=t #1\n"
		   "main;b 20@1005 thread.name=u #1\n"
		   "main;b 50@1020 thread.name=u #2\n"
		   "main;c 7@1000",
};

TEST(answers)
{
	static const struct asked rows[] = {
		{ "traces", 200, "{\"nr\":2,\"traces\":[{\"trace\":\"" },
		{ "traces", 200,
		  "\"value\":50,\"observations\":1,\"first\":20,\"last\":21,"
		  "\"spans\":1},{\"trace\":\"" },
		{ "traces", 200,
		  "\"value\":35,\"observations\":3,\"first\":0,\"last\":11,"
		  "\"spans\":1}],\"rest\":{\"nr\":0,\"value\":0}}" },
		{ "traces?limit=1", 200,
		  "}],\"rest\":{\"nr\":1,\"value\":35}}" },
		{ "spans", 200, "{\"trace\":\"\",\"spans\":[{\"trace\":\"" },
		{ "spans", 200,
		  "\"value\":35,\"observations\":3,\"first\":0,\"last\":11,"
		  "\"threads\":[\"u\",\"t\"]}],\"nr\":2,"
		  "\"rest\":{\"nr\":0,\"value\":0}}" },
		{ "spans?limit=1", 200, "\"rest\":{\"nr\":1,\"value\":35}}" },
		{ "spans?trace=00", 200, "\"spans\":[],\"nr\":0," },
		{ "spans?from=%2B20ns", 200, "\"nr\":1," },
		{ "traces?focus=nosuch", 200, "{\"nr\":0,\"traces\":[]" },
	};
	struct op_err err = { 0 };
	struct fixture f = { .api.origin_ns = 1000 };
	char request[100] = "spans?trace=";
	const char *id;

	CHECK_EQ(fixture_put(&f, &s, 1, &err), OP_OK);
	ask_rows(&f, rows, op_countof(rows));
	id = strstr(ask(&f, "traces?limit=1"), "\"trace\":\"");
	if (id)
		strncat(request, id + 9, 32);
	CHECK(strstr(ask(&f, request), "\"value\":50"));
	CHECK(strstr(ask(&f, request), "\"nr\":1,"));
	fixture_free(&f);
}

TEST(oom)
{
	static const char *const requests[] = { "traces", "spans" };

	for (size_t i = 0; i < op_countof(requests); i++)
		ask_each_alloc_fails(&s, 1, requests[i], 200);
}

TEST_MAIN(answers, oom)
