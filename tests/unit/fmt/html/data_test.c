// SPDX-License-Identifier: Apache-2.0
#include "fmt/html/html_int.h"

#include "pb/json_read.h"
#include "test.h"
#include "write/page.h"
#include "write/sketch.h"

/* The value of a key of the data, as text; good until the next. */
static const char *value_of(struct op_view json, const char *key)
{
	static char text[1000];
	struct op_err err = { 0 };
	struct op_json_in in;
	char name[40];
	const uint8_t *at;

	snprintf(name, sizeof(name), "\"%s\":", key);
	at = memmem(json.p, json.n, name, strlen(name));
	if (!at)
		return NULL;
	at += strlen(name);
	in = op_json_in(op_view(at, (size_t)(json.p + json.n - at)), &err);
	op_json_skip(&in);
	if (err.code)
		return "not JSON";
	snprintf(text, sizeof(text), "%.*s", (int)(in.p - at), (char *)at);
	return text;
}

static bool is_json(struct op_view json)
{
	struct op_err err = { 0 };
	struct op_json_in in = op_json_in(json, &err);

	op_json_skip(&in);
	return !err.code && json.n && !op_json_peek(&in);
}

struct page {
	struct op_err err;
	struct op_buf buf;
	struct op_view data;
};

static void write(struct page *p, const struct op_model *m, const char *setting)
{
	const char *settings[] = { setting, NULL };

	*p = (struct page){ 0 };
	p->buf.err = &p->err;
	CHECK_EQ(page_write(m, &op_format_html, settings, &p->buf), OP_OK);
	p->data = page_data(op_view(p->buf.p, p->buf.n));
	CHECK(is_json(p->data));
}

static const struct {
	const char *name, *samples, *setting;
	const char *total, *self, *nodes, *strings;
} rows[] = {
	{ "no sample", "", NULL, "0", "0", "[]",
	  "[\"(smaller frames)\",\"cut\",\"\"]" },
	{ "one frame", "main 5", NULL, "5", "0", "[0,1,5]",
	  "[\"(smaller frames)\",\"cut\",\"\",\"main\"]" },
	{ "no frame", "- 5", NULL, "5", "5", "[]",
	  "[\"(smaller frames)\",\"cut\",\"\"]" },
	{ "down and up", "a;b;c 3\na;d 2\ne 1", NULL, "6", "0",
	  "[0,1,0,0,2,0,0,3,3,2,4,2,2,5,1]",
	  "[\"(smaller frames)\",\"cut\",\"\",\"a\",\"b\",\"c\",\"d\",\"e\"]" },
	{ "a frame that comes again has its number", "a;b 2\nb;a 1", NULL, "3",
	  "0", "[0,1,0,0,2,2,2,2,0,0,1,1]", NULL },
	{ "negative values", "a;b -2\na;c 3", NULL, "1", "0",
	  "[0,1,0,0,2,3,1,3,-2]", NULL },
	{ "a title", "a 1", "title=x\"y", "1", "0", "[0,1,1]", NULL },
	{ "small ones are joined", "a;b 90\na;c 1\na;d 2\ne;f 1\ng 6",
	  "min-width=5", "100", "0", "[0,0,1,1,1,0,0,0,3,1,2,90,2,3,6]", NULL },
	{ "small ones with a percent sign", "a 99\nb 1", "min-width=1.5%",
	  "100", "0", "[0,0,1,1,1,99]", NULL },
	{ "threads", "a 1 thread.name=x\nb 2 thread.name=y", "threads=", "3",
	  "0", "[0,1,0,0,2,2,2,3,0,0,4,1]", NULL },
};

TEST(trees)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .samples = rows[i].samples };
		int before = test_failed;
		struct op_model m;
		struct page p;

		sketch_one(&m, &s);
		write(&p, &m, rows[i].setting);
		CHECK_STR(value_of(p.data, "total"), rows[i].total);
		CHECK_STR(value_of(p.data, "self"), rows[i].self);
		CHECK_STR(value_of(p.data, "nodes"), rows[i].nodes);
		if (rows[i].strings)
			CHECK_STR(value_of(p.data, "strings"), rows[i].strings);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
		op_buf_free(&p.buf);
		op_model_free(&m);
	}
}

/* The one that is shown first, and what is said of each. */
TEST(profiles)
{
	struct sketch s[] = {
		{ .samples = "a 1", .type = "wall", .attrs = "k=v" },
		{ .samples = "b 2",
		  .type = "cpu",
		  .period = 10,
		  .period_unit = "ns" },
		{ .samples = "c 3", .type = "cpu" },
	};
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct page p;

	CHECK_EQ(sketch_model(&m, s, 3, &err), OP_OK);
	write(&p, &m, NULL);
	CHECK_STR(value_of(p.data, "first"), "1");
	CHECK_STR(value_of(p.data, "facts"), "[[\"k\",\"v\"]]");
	CHECK_STR(value_of(p.data, "period"), "10");
	CHECK_STR(value_of(p.data, "period_unit"), "\"ns\"");
	CHECK_STR(value_of(p.data, "diff"), "false");
	op_buf_free(&p.buf);
	op_model_free(&m);
}

/* Names that would end the script, the string or the comment they are in. */
TEST(hostile_names)
{
	static const char *const names[] = {
		"</script><script>alert(1)",
		"<!--<script>",
		"\"'\\",
		"\xff\xfe<\x01",
		"\xe2\x80\xa8",
		"</SCRIPT\t>",
		"{{data}}",
	};

	for (size_t i = 0; i < op_countof(names); i++) {
		struct sketch s = { .samples = "a 1",
				    .type = names[i],
				    .unit = names[i],
				    .scope = names[i] };
		char samples[100], title[100];
		struct op_model m;
		struct page p;

		snprintf(samples, sizeof(samples), "%s 1", names[i]);
		snprintf(title, sizeof(title), "title=%s", names[i]);
		s.samples = samples;
		sketch_one(&m, &s);
		write(&p, &m, title);
		CHECK(!memchr(p.data.p, '<', p.data.n));
		CHECK(!memmem(p.buf.p, p.buf.n, "alert(1)</title", 15) ||
		      !memmem(p.buf.p, p.buf.n, "<title></script>", 16));
		op_buf_free(&p.buf);
		op_model_free(&m);
	}
}

TEST(no_profile)
{
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct page p;

	CHECK_EQ(sketch_model(&m, NULL, 0, &err), OP_OK);
	write(&p, &m, NULL);
	CHECK_STR(value_of(p.data, "profiles"), "[]");
	op_buf_free(&p.buf);
	op_model_free(&m);
}

TEST(each_allocation_fails)
{
	struct sketch s = { .samples = "a;b 1 thread.name=x\nc 2\nd;e 3" };
	const char *settings[] = { "min-width=20", "threads=", NULL };
	struct op_model m;

	sketch_one(&m, &s);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf buf = { .err = &err };

		page_write(&m, &op_format_html, settings, &buf);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_buf_free(&buf);
	}
	op_model_free(&m);
}

TEST_MAIN(trees, profiles, hostile_names, no_profile, each_allocation_fails)
