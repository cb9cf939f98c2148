// SPDX-License-Identifier: Apache-2.0
#include "fmt/html/html_int.h"

#include "test.h"
#include "write/page.h"
#include "write/sketch.h"

static void write(struct op_buf *out, const char *setting)
{
	struct sketch s = { .samples = "main 1",
			    .resource = "service.name=shop" };
	const char *settings[] = { setting, NULL };
	struct op_model m;

	sketch_one(&m, &s);
	page_write(&m, &op_format_html, settings, out);
	op_buf_byte(out, 0);
	op_model_free(&m);
}

/* Nothing that is loaded from elsewhere, every part filled in. */
TEST(page)
{
	static const struct {
		const char *text;
		bool there;
	} rows[] = {
		{ "<title>shop</title>", true },
		{ "default-src 'none'; base-uri 'none'; "
		  "script-src 'sha256-",
		  true },
		{ "; style-src 'sha256-", true },
		{ "otprof " OTPROF_VERSION, true },
		{ "unsafe-inline", false },
		{ "{{", false },
		{ "http:", false },
		{ "https:", false },
		{ " src=", false },
		{ "@import", false },
		{ "url(", false },
		{ "fetch(", false },
		{ "innerHTML", false },
		{ "eval(", false },
	};
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	write(&b, NULL);
	CHECK_EQ(err.code, OP_OK);
	for (size_t i = 0; i < op_countof(rows); i++) {
		bool there = strstr((char *)b.p, rows[i].text);

		if (there != rows[i].there)
			TEST_FAIL("'%s' is %s", rows[i].text,
				  there ? "there" : "missing");
	}
	op_buf_free(&b);
}

TEST(titles)
{
	static const struct {
		const char *setting, *want;
	} rows[] = {
		{ "title=a", "<title>a</title>" },
		{ "title=", "<title></title>" },
		{ "title=<b>&\"'", "<title>&lt;b&gt;&amp;&quot;&#39;</title>" },
		{ "title=\xff", "<title>\xef\xbf\xbd</title>" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		write(&b, rows[i].setting);
		CHECK(strstr((char *)b.p, rows[i].want));
		op_buf_free(&b);
	}
}

/* One script without imports and exports, which must not end itself. */
TEST(script)
{
	static const char *const none[] = { "</script", "<!--", "\nimport ",
					    "\nexport " };
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	op_page_script(&b, true);
	CHECK_EQ(err.code, OP_OK);
	CHECK(b.n > 10000);
	for (size_t i = 0; i < op_countof(none); i++)
		if (memmem(b.p, b.n, none[i], strlen(none[i])))
			TEST_FAIL("'%s' is there", none[i]);
	op_buf_free(&b);
}

TEST_MAIN(page, titles, script)
