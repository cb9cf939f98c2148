// SPDX-License-Identifier: Apache-2.0
#include "fmt/html/times.h"

#include "fmt/html/html_int.h"
#include "test.h"
#include "write/page.h"
#include "write/sketch.h"

/* What follows the k-th "times": in a page, up to the bracket that closes it,
 * without brackets in texts; good until the next. "": there is none. */
static const char *times_of(struct op_view page, int k)
{
	static char text[2000];
	const char *key = "\"times\":";
	const uint8_t *at = page.p, *end = page.p + page.n, *p;
	int depth = 0;

	for (; at && k >= 0; k--) {
		at = memmem(at, (size_t)(end - at), key, strlen(key));
		at = at ? at + strlen(key) : NULL;
	}
	for (p = at; p && p < end; p++) {
		depth += (*p == '{') - (*p == '}');
		if (!depth)
			break;
	}
	snprintf(text, sizeof(text), "%.*s", p ? (int)(p + 1 - at) : 0,
		 p ? (const char *)at : "");
	return text;
}

static struct op_buf written(struct sketch *s, size_t n, const char *setting,
			     struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	struct op_buf out = { .err = err };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, n, err), OP_OK);
	page_write(&m, &op_format_html, settings, &out);
	op_model_free(&m);
	return out;
}

static const struct {
	const char *name;
	struct sketch sketch;
	const char *setting;
	const char *profile; /* its times */
} rows[] = {
	{ "no times", { .samples = "a 1" }, NULL, "" },
	{ "not asked for", { .samples = "a 1@5" }, "times=no", "" },
	{ "points, sorted, of one value",
	  { .samples = "a;b 2@108 2@105\na 2@107",
	    .type = "x",
	    .unit = "count",
	    .time_ns = 100 },
	  NULL,
	  "{\"columns\":[\"time\"],\"each\":2,\"unit_ns\":0,\"waits\":false,"
	  "\"adds\":\"sum\",\"samples\":[2,0,2,0,0,1,0,1,0,0],"
	  "\"at\":[5,3,7]}" },
	{ "points of other values, of a known time",
	  { .samples = "a 2@108 3@105",
	    .type = "cpu",
	    .unit = "count",
	    .period = 10,
	    .period_type = "cpu",
	    .period_unit = "nanoseconds",
	    .time_ns = 100 },
	  NULL,
	  "{\"columns\":[\"time\",\"value\"],\"unit_ns\":10,\"waits\":false,"
	  "\"adds\":\"sum\",\"samples\":[1,0,2,0,0],\"at\":[5,3,3,2]}" },
	{ "what lasts",
	  { .samples = "a 40@108 30@105",
	    .type = "off_cpu",
	    .unit = "nanoseconds",
	    .time_ns = 100 },
	  NULL,
	  "{\"columns\":[\"time\",\"length\"],\"unit_ns\":1,\"waits\":true,"
	  "\"adds\":\"sum\",\"samples\":[1,0,2,0,0],\"at\":[5,30,3,40]}" },
	{ "states",
	  { .samples = "a 7@101 9@102",
	    .type = "inuse_space",
	    .unit = "bytes",
	    .time_ns = 100 },
	  NULL,
	  "{\"columns\":[\"time\",\"value\"],\"unit_ns\":0,\"waits\":false,"
	  "\"adds\":\"last\",\"samples\":[1,0,2,0,0],\"at\":[1,7,1,9]}" },
	{ "no frame, and a sum of nothing",
	  { .samples = "- 1@101\na 0@102", .time_ns = 100 },
	  NULL,
	  "{\"columns\":[\"time\",\"value\"],\"unit_ns\":1,\"waits\":false,"
	  "\"adds\":\"sum\",\"samples\":[0,0,1,0,0,1,0,1,0,0],"
	  "\"at\":[1,1,2,0]}" },
	{ "what was cut below its caller",
	  { .samples = "a;b 90@101\na;c;d 1@102\na;e 2@103", .time_ns = 100 },
	  "min-width=5",
	  "{\"columns\":[\"time\",\"value\"],\"unit_ns\":1,\"waits\":false,"
	  "\"adds\":\"sum\",\"samples\":[3,0,1,0,0,2,0,1,0,0,2,0,1,0,0],"
	  "\"at\":[1,90,2,1,3,2]}" },
	{ "threads as roots",
	  { .samples = "a 1@101 thread.name=x\na 1@102 thread.name=y",
	    .time_ns = 100 },
	  "threads=",
	  "{\"columns\":[\"time\"],\"each\":1,\"unit_ns\":1,\"waits\":false,"
	  "\"adds\":\"sum\",\"samples\":[2,0,1,0,0,4,1,1,0,0],"
	  "\"at\":[1,2]}" },
};

TEST(profiles)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = rows[i].sketch;
		struct op_err err = { 0 };
		struct op_buf out = written(&s, 1, rows[i].setting, &err);
		int before = test_failed;

		CHECK_EQ(err.code, OP_OK);
		CHECK_STR(times_of(op_view(out.p, out.n), 0), rows[i].profile);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_buf_free(&out);
	}
}

/* What all profiles share; one of them has no times. */
TEST(shared)
{
	struct sketch s[] = {
		{ .samples = "a 1@1000000000000000007 thread.name=x "
			     "thread.state=sleeping\n"
			     "a 1@1000000000000000003 thread.name=y",
		  .time_ns = 1000000000000000000,
		  .duration_ns = 50 },
		{ .samples = "a 3 thread.name=y",
		  .type = "alloc",
		  .unit = "bytes",
		  .time_ns = 1000000000000000000 },
	};
	struct op_err err = { 0 };
	struct op_buf out = written(s, 2, NULL, &err);
	struct op_view page = op_view(out.p, out.n);

	CHECK_EQ(err.code, OP_OK);
	CHECK_STR(times_of(page, 1),
		  "{\"columns\":[],\"unit_ns\":0,\"waits\":false,"
		  "\"adds\":\"sum\",\"samples\":[1,1,0,1,3],\"at\":[]}");
	CHECK_STR(times_of(page, 2),
		  "{\"origin\":\"1000000000000000000\",\"has_date\":true,"
		  "\"duration\":50,\"labels\":[\"thread\",\"state\","
		  "\"process\"],\"groups\":[3,4,2,5,1,2],\"texts\":["
		  "\"(no thread)\",\"(no state)\",\"(no process)\",\"x\","
		  "\"sleeping\",\"y\"],\"waits\":[0,0,0,0,1,0]}");
	op_buf_free(&out);
}

/* Pages without times have no views of them either. */
TEST(scripts)
{
	struct op_err err = { 0 };
	struct op_buf without = { .err = &err }, with = { .err = &err };

	op_page_script(&without, false);
	op_page_script(&with, true);
	CHECK(!memmem(without.p, without.n, "class HeatmapView", 17));
	CHECK(memmem(with.p, with.n, "class HeatmapView", 17));
	CHECK(without.n < with.n);
	op_buf_free(&without);
	op_buf_free(&with);
}

TEST(settings)
{
	struct sketch s = { .samples = "a 1@5" };
	struct op_err err = { 0 };
	struct op_buf out = written(&s, 1, "times=maybe", &err);

	CHECK_EQ(err.code, OP_EUSAGE);
	CHECK_STR(err.text, "--times takes yes or no, not 'maybe'");
	CHECK_EQ(out.n, 0);
	op_buf_free(&out);
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct sketch s = { .samples = "a;b 1@5 2@6 thread.name=x\n"
					       "c 1@7 thread.name=y" };
		const char *settings[] = { "times=yes", NULL };
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_model m = { 0 };

		if (!sketch_model(&m, &s, 1, &err))
			page_write(&m, &op_format_html, settings, &out);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_buf_free(&out);
		op_model_free(&m);
	}
}

TEST_MAIN(profiles, shared, scripts, settings, oom)
