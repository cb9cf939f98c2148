// SPDX-License-Identifier: Apache-2.0
#include "api_fixture.h"

static const struct sketch s[] = {
	{ .samples = "main;a 1@1000 1@1020 thread.name=t\n"
		     "main;a;c 1@1010 thread.name=t\n"
		     "- 1@1030 thread.name=t",
	  .type = "samples",
	  .unit = "count" },
	{ .samples = "main;b 15@1005 thread.name=t", .type = "park" },
};

TEST(answers)
{
	static const struct asked rows[] = {
		{ "chart?type=samples", 200,
		  "\"from\":0,\"to\":31,\"nr\":4,\"shown\":4,\"step\":10,"
		  "\"tree\":{\"nodes\":[0,1,0,0,2,2,0,3,1],\"inlined\":[]," },
		{ "chart?type=samples", 200,
		  "\"at\":[0,0,2,10,0,3,20,0,2,30,0,0]}" },
		{ "chart?type=samples&from=%2B5ns&to=%2B15ns", 200,
		  "\"from\":5,\"to\":15,\"nr\":1,\"shown\":1,\"step\":0," },
		/* What reaches into the range is told as a whole. */
		{ "chart?type=park&from=%2B10ns", 200,
		  "\"from\":10,\"to\":20,\"nr\":1," },
		{ "chart?type=park&from=%2B10ns", 200, "\"at\":[5,15,2]}" },
		{ "chart?type=park&from=%2B30ns&to=%2B40ns", 200,
		  "\"nr\":0,\"shown\":0,\"step\":0," },
		{ "chart?type=park&focus=nosuch", 200, "\"at\":[]}" },
		{ "chart?where=thread=t", 200, "\"nr\":4" },
		{ "chart?limit=5", 400, "limit expects at least 256" },
		{ "chart?columns=5000", 400, "columns expects" },
	};
	struct op_err err = { 0 };
	struct fixture f = { .api.origin_ns = 1000 };

	CHECK_EQ(fixture_put(&f, s, 2, &err), OP_OK);
	ask_rows(&f, rows, op_countof(rows));
	fixture_free(&f);
}

/* Times of 64 bits do not become negative, or positive. */
TEST(far)
{
	static const struct sketch far = {
		.samples = "a 1@10 1@20 1@18446744073709551600",
	};
	struct fixture f = { .api.origin_ns = 10 };
	struct op_err err = { 0 };
	const char *got;

	CHECK_EQ(fixture_put(&f, &far, 1, &err), OP_OK);
	got = ask(&f, "chart");
	CHECK(strstr(got, "\"from\":0,\"to\":18446744073709551591,"));
	CHECK(strstr(got, "\"at\":[0,0,1,10,0,1,18446744073709551590,0,1]"));
	f.api.origin_ns = UINT64_MAX;
	got = ask(&f, "chart");
	CHECK(strstr(got, "\"from\":-9223372036854775808,\"to\":-14,"));
	fixture_free(&f);
}

/* Hostile names are texts of JSON as others. */
TEST(names)
{
	static const struct sketch bad = {
		.samples = "</script>;a\"\\\x01\xff 1@1000 "
			   "thread.name=\"\xc0<!--",
	};
	static const char *const requests[] = {
		"overview",
		"values?label=thread",
		"flame?by=thread,function",
		"top?by=thread,function",
		"series?by=thread",
		"lanes",
		"chart",
		"peek?function=.",
		"lines?function=.",
		"traces",
		"spans",
	};
	struct op_err err = { 0 };
	struct fixture f = { 0 };

	CHECK_EQ(fixture_put(&f, &bad, 1, &err), OP_OK);
	for (size_t i = 0; i < op_countof(requests); i++) {
		ask(&f, requests[i]);
		CHECK_EQ(f.reply.status, 200);
	}
	fixture_free(&f);
}

TEST(oom)
{
	ask_each_alloc_fails(s, 2, "chart?type=samples&where=thread=t", 200);
}

TEST_MAIN(answers, far, names, oom)
