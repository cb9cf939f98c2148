// SPDX-License-Identifier: Apache-2.0
#include "api_fixture.h"
#include "base/budget.h"

static const struct sketch files[] = {
	{
		.samples = "main;a 10@1 thread.name=t1\n"
			   "main;b 20@3 thread.name=t2",
	},
};

TEST(errors)
{
	static const struct asked rows[] = {
		{ "nothing", 404, "{\"error\":\"unknown API call api/nothing" },
		{ "flam", 404, "did you mean api/flame?" },
		{ "", 404, "unknown API call api/" },
		{ "flame?nosuch=1", 400,
		  "api/flame has no parameter 'nosuch'" },
		{ "flame?form=1", 400, "did you mean 'from'?" },
		{ "overview?from=1", 400, "api/overview has no parameter" },
		{ "values?before.from=1", 400, "api/values has no parameter" },
		{ "flame?before.nosuch=1", 400, "has no parameter" },
		{ "flame?limit=0", 400, "limit expects a number from 1 to" },
		{ "flame?limit=x", 400, "limit expects a number" },
		{ "flame?limit=99999999999", 400, "limit expects a number" },
		{ "flame?least=1", 400, "least expects a share" },
		{ "flame?least=-1", 400, "least expects a share" },
		{ "flame?inverted=2", 400, "inverted expects a number" },
		{ "flame?collapse=x", 400, "collapse expects a number" },
		{ "flame?by=", 200, "\"total\":30" },
		{ "flame?by=,", 400, "by expects at most 8 labels" },
		{ "flame?by=thred", 400,
		  "by: no sample has the label 'thred' (did you mean" },
		{ "flame?type=heap", 400, "heap" },
		{ "flame?file=1", 400, "there is no file 1" },
		{ "flame?file=-1", 400, "file expects a number" },
		{ "flame?from=x", 400, "from: " },
		{ "flame?from=%2B2s&to=%2B1s", 400, "from is not before to" },
		{ "flame?before.from=%2B2s&before.to=%2B1s", 400,
		  "before.from is not before before.to" },
		{ "flame?focus=(", 400, "focus: " },
		{ "flame?before.hide=(", 400, "before.hide: " },
		{ "flame?where=a", 400, "\"at\":1}" },
		{ "flame?where=a", 400, "{\"error\":\"where: " },
		{ "top?sort=name", 400,
		  "sort expects flat or cum, not 'name'" },
		{ "top?match=(", 400, "match: " },
		{ "values", 400, "label expects one label" },
		{ "values?label=a,b", 400, "label expects one label" },
		{ "values?label=nosuch", 400, "label: no sample has" },
	};

	ask_about(files, 1, rows, op_countof(rows));
}

/* A recording that has not told anything yet. */
TEST(empty)
{
	static const struct asked rows[] = {
		{ "overview", 200, "\"types\":[]" },
		{ "overview", 200, "\"live\":true" },
		{ "flame", 404, "there is no profile" },
		{ "top", 404, "there is no profile" },
	};
	struct op_err err = { 0 };
	struct fixture f = { .api.is_live = true };

	f.api.store = op_memory_store(&err);
	ask_rows(&f, rows, op_countof(rows));
	fixture_free(&f);
}

/* The work of a request is limited as that of a run. */
TEST(limits)
{
	struct op_err err = { 0 };
	struct fixture f = { 0 };
	const char *slow = "top?match=%28a%2B%29%2B%24";
	struct sketch s = { .samples = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
				       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab 1" };

	CHECK_EQ(fixture_put(&f, &s, 1, &err), OP_OK);
	ask(&f, slow);
	CHECK(f.reply.status == 413 || f.reply.status == 200);
	fixture_free(&f);
}

/* Whatever is spent, the answer says so. */
TEST(spent)
{
	static const uint32_t parts[] = { 20000, 30000, 40000 };

	for (size_t i = 0; i < op_countof(parts); i++) {
		struct op_budget own = { .times = 1, .part = parts[i] };
		struct op_budget *before;
		struct op_err err = { 0 };
		struct fixture f = { 0 };
		const char *got;

		CHECK_EQ(fixture_put(&f, files, 1, &err), OP_OK);
		before = op_budget_use(&own);
		got = ask(&f, "flame?limit=2&by=thread,function");
		op_budget_use(before);
		CHECK_EQ(f.reply.status, 413);
		CHECK(strstr(got, "{\"error\":\"takes more"));
		fixture_free(&f);
	}
}

TEST(oom)
{
	static const char *const requests[] = {
		"overview",
		"values?label=thread",
		"values?label=function",
		"flame?by=thread,function&limit=2",
		"flame?from=%2B0ns&to=%2B2ns",
		"flame?where=thread=t1&before.where=thread=t2&normalize=1",
		"top?by=thread,function",
		"top?by=thread&before.from=%2B2ns&normalize=1",
		"top?where=thread=nosuch",
	};

	for (size_t i = 0; i < op_countof(requests); i++)
		ask_each_alloc_fails(files, 1, requests[i], 200);
	ask_each_alloc_fails(files, 1, "nosuch", 404);
}

TEST_MAIN(errors, empty, limits, spent, oom)
