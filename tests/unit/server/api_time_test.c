// SPDX-License-Identifier: Apache-2.0
#include "api_fixture.h"

static const struct sketch three[] = {
	{ .samples = "main;a 10@1000 10@1010 thread.name=t1\n"
		     "main;b 10@1030 thread.name=t2",
	  .resource = "process.pid=1" },
	{ .samples = "main;c 7", .resource = "process.pid=1" },
	{ .samples = "main;wait 20@1010 thread.name=t1",
	  .type = "park",
	  .resource = "process.pid=1" },
};

TEST(answers)
{
	static const struct asked rows[] = {
		{ "series?type=cpu&columns=4", 200,
		  "{\"type\":\"cpu\",\"unit\":\"nanoseconds\",\"event\":\"\","
		  "\"from\":0,\"width\":8,\"columns\":4,\"range_to\":31,"
		  "\"series\":[{\"text\":\"\",\"total\":37,\"values\":[10,10,0,"
		  "10],\"counts\":[1,1,0,1]}],\"has_others\":false,"
		  "\"untimed\":{\"observations\":1,\"value\":7},"
		  "\"outside\":{\"observations\":0,\"value\":0}}" },
		{ "series?type=cpu&columns=1&by=thread&limit=1", 200,
		  "\"series\":[{\"text\":\"t1\",\"total\":20,\"values\":[20],"
		  "\"counts\":[2]},{\"text\":\"(2 others)\",\"total\":17,"
		  "\"values\":[10],\"counts\":[1]}],\"has_others\":true" },
		{ "series?type=cpu&from=%2B10ns&to=%2B20ns&columns=1", 200,
		  "\"from\":10,\"width\":1,\"columns\":1,\"range_to\":11,"
		  "\"series\":[{\"text\":\"\",\"total\":17,\"values\":[10]" },
		{ "series?type=cpu&focus=nosuch", 200,
		  "\"from\":0,\"width\":0,\"columns\":0,\"range_to\":0,"
		  "\"series\":[]" },
		{ "series?by=function", 400, "by expects labels of samples" },
		{ "series?columns=20000&limit=1000", 400,
		  "columns times limit is more than" },
		{ "heatmap?type=cpu&rows=2&width=10", 200,
		  "\"from\":0,\"width\":10,\"columns\":4,\"range_to\":31,"
		  "\"rows\":2,\"counts\":[1,0,1,0,0,0,1,0],\"values\":[10,0,"
		  "10,0,0,0,10,0],\"max_count\":1,\"max_value\":10," },
		{ "heatmap?type=cpu&focus=nosuch", 200,
		  "\"columns\":0,\"range_to\":0,\"rows\":0,\"counts\":[]" },
		{ "heatmap?width=0", 400, "width expects nanoseconds" },
		{ "heatmap?rows=0", 400, "rows expects" },
		{ "lanes?type=cpu&columns=3", 200,
		  "{\"from\":0,\"width\":11,\"columns\":3,\"range_to\":31," },
		{ "lanes?type=cpu&columns=3", 200,
		  "\"states\":[{\"text\":\"cpu\",\"waits\":false},{\"text\":"
		  "\"park\",\"waits\":true}],\"nr\":2,\"lanes\":[{\"process\":"
		  "\"1\",\"thread\":\"t1\",\"where\":\"process=\\\"1\\\","
		  "thread=\\\"t1\\\"\",\"first\":0,\"last\":30,\"busy\":20,"
		  "\"waiting\":20,\"points\":2,\"intervals\":1,\"parts\":[" },
		{ "lanes?type=cpu&columns=3", 200,
		  "\"cells\":[-1,0,-1,0,0,1]}],\"rest\":{\"nr\":0,\"busy\":0}"
		  ",\"untimed\":1}" },
		{ "lanes?type=cpu&columns=1&intervals=type", 200,
		  "\"waiting\":0,\"points\":2,\"intervals\":0" },
		{ "lanes?type=cpu&limit=1", 200,
		  "\"rest\":{\"nr\":1,\"busy\":10}" },
		{ "lanes?type=cpu&match=t2", 200,
		  "\"nr\":1,\"lanes\":[{\"process\":\"1\",\"thread\":\"t2\"" },
		{ "lanes?type=cpu&sort=name&columns=1", 200,
		  "\"thread\":\"t1\"" },
		/* Only what lasts is there. */
		{ "lanes?type=cpu&from=%2B15ns&to=%2B20ns&columns=1", 200,
		  "\"nr\":1,\"lanes\":[{\"process\":\"1\",\"thread\":\"t1\"" },
		{ "lanes?focus=nosuch", 200, "\"nr\":0,\"lanes\":[]" },
		{ "lanes?sort=x", 400, "sort expects busy or name" },
		{ "lanes?columns=20000&limit=100000", 400, "columns times" },
	};
	struct op_err err = { 0 };
	struct fixture f = { .api.origin_ns = 1000 };

	CHECK_EQ(fixture_put(&f, three, 3, &err), OP_OK);
	ask_rows(&f, rows, op_countof(rows));
	fixture_free(&f);
}

TEST(oom)
{
	static const char *const requests[] = {
		"series?by=thread&columns=3&limit=1",
		"heatmap?width=10&rows=2",
		"lanes?columns=3&match=t&sort=name",
		"lanes?columns=3&from=%2B5ns",
	};

	for (size_t i = 0; i < op_countof(requests); i++) {
		EACH_ALLOC_FAILS(k) {
			struct op_err err = { 0 };
			struct fixture f = { .api.origin_ns = 1000 };

			if (!fixture_put(&f, three, 3, &err)) {
				ask(&f, requests[i]);
				CHECK(f.reply.status == 200 ||
				      op_alloc_failed());
			}
			fixture_free(&f);
		}
	}
}

TEST_MAIN(answers, oom)
