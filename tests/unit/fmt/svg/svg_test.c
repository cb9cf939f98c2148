// SPDX-License-Identifier: Apache-2.0
#include "fmt/viewer/graph.h"

#include "test.h"
#include "write/page.h"
#include "write/sketch.h"

static int count(const struct op_buf *b, const char *text)
{
	const char *p = (const char *)b->p;
	int n = 0;

	for (; p && (p = strstr(p, text)); p++)
		n++;
	return n;
}

static void write(struct op_buf *out, const struct sketch *s,
		  const char *setting)
{
	const char *settings[] = { setting, NULL };
	struct op_model m;

	sketch_one(&m, s);
	CHECK_EQ(page_write(&m, &op_format_svg, settings, out), OP_OK);
	CHECK(page_is_xml(op_view(out->p, out->n)));
	op_buf_byte(out, 0);
	op_model_free(&m);
}

static const struct {
	const char *samples, *setting;
	int frames;	  /* with the root */
	const char *want; /* somewhere in it */
} rows[] = {
	{ "", NULL, 1, "<title>all (0 ns, 0.00%)</title>" },
	{ "- 5", NULL, 1, "<title>all (5 ns, 100.00%)</title>" },
	{ "a;b 1\na;c 3", NULL, 4, "<title>c (3 ns, 75.00%)</title>" },
	{ "a;b 1\na;c 3", NULL, 4,
	  "<title>b (1 ns, 25.00%)</title><rect x=\"895.00\" y=\"100\" "
	  "width=\"295.00\" height=\"16\"" },
	{ "a 1\nb 999", NULL, 3, "<title>a (1 ns, 0.10%)" },
	{ "a 1\nb 9999", NULL, 2, "viewBox=\"0 0 1200 110\"" },
	{ "a 1\nb 9999", "min-width=0", 3, "<title>a (1 ns, 0.01%)" },
	{ "a;b;c 1\nb 9", "min-width=20", 2, "<title>b (9 ns" },
	{ "a;b -1\na;c 3", NULL, 4, "<title>a (2 ns, 100.00%)" },
	{ "a 1", "title=a<b", 2, "y=\"22\">a&lt;b</text>" },
	{ "a 1 thread.name=t", "threads=", 3, "<title>t (1 ns, 100.00%)" },
};

TEST(pictures)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .samples = rows[i].samples };
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		write(&b, &s, rows[i].setting);
		CHECK_EQ(count(&b, "<g><title>"), rows[i].frames);
		if (!strstr((char *)b.p, rows[i].want))
			TEST_FAIL("row %zu: no %s", i, rows[i].want);
		op_buf_free(&b);
	}
}

/* Names are cut between characters, to what there is room for. */
TEST(labels)
{
	static const struct {
		const char *samples, *want;
	} labels[] = {
		{ "abcdefghijklmnopqrstuvwxyz 1\nb 9",
		  ">abcdefghijklmn..</text>" },
		{ "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 "
		  "1\nb 29",
		  ">\xc3\xa4\xc3\xa4\xc3\xa4..</text>" },
		{ "abcdefgh 1\nb 50", "fill=\"#" },
	};

	for (size_t i = 0; i < op_countof(labels); i++) {
		struct sketch s = { .samples = labels[i].samples };
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		write(&b, &s, NULL);
		if (!strstr((char *)b.p, labels[i].want))
			TEST_FAIL("row %zu: no %s", i, labels[i].want);
		op_buf_free(&b);
	}
}

TEST(hostile_names)
{
	static const char *const names[] = {
		"</title><script>alert(1)</script>",
		"]]>",
		"\"'&<>",
		"\xff\xfe\x01\x7f",
		"\xef\xbf\xbf",
		"&#0",
		"<![CDATA[",
	};

	for (size_t i = 0; i < op_countof(names); i++) {
		char samples[100], title[100];
		struct sketch s = { .samples = samples,
				    .type = names[i],
				    .unit = names[i] };
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		snprintf(samples, sizeof(samples), "%s 1", names[i]);
		snprintf(title, sizeof(title), "title=%s", names[i]);
		write(&b, &s, title);
		CHECK_EQ(count(&b, "<script>"), 1);
		op_buf_free(&b);
	}
}

TEST(no_profile)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, NULL, 0, &err), OP_OK);
	CHECK_EQ(page_write(&m, &op_format_svg, NULL, &b), OP_EFORMAT);
	CHECK_STR(err.text, "there is no profile to draw");
	op_buf_free(&b);
	op_model_free(&m);
}

TEST(each_allocation_fails)
{
	struct sketch s = { .samples = "a;b 1 thread.name=x\nc 2\nd;e 3" };
	const char *settings[] = { "threads=", NULL };
	struct op_model m;

	sketch_one(&m, &s);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		page_write(&m, &op_format_svg, settings, &b);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_buf_free(&b);
	}
	op_model_free(&m);
}

TEST_MAIN(pictures, labels, hostile_names, no_profile, each_allocation_fails)
