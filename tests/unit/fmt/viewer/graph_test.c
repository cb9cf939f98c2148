// SPDX-License-Identifier: Apache-2.0
#include "fmt/viewer/graph.h"

#include "test.h"
#include "write/sketch.h"

TEST(widths)
{
	static const struct {
		const char *setting;
		int code;
		double least;
	} rows[] = {
		{ NULL, OP_OK, 0.5 },
		{ "min-width=0", OP_OK, 0 },
		{ "min-width=1", OP_OK, 0.01 },
		{ "min-width=.5", OP_OK, 0.005 },
		{ "min-width=0.1%", OP_OK, 0.001 },
		{ "min-width=", OP_EUSAGE, 0 },
		{ "min-width=100", OP_EUSAGE, 0 },
		{ "min-width=-1", OP_EUSAGE, 0 },
		{ "min-width=1px", OP_EUSAGE, 0 },
		{ "min-width=nan", OP_EUSAGE, 0 },
		{ "min-width=0x1", OP_EUSAGE, 0 },
		{ "min-width=1e1", OP_OK, 0.1 },
		{ "min-width=%", OP_EUSAGE, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		const char *settings[] = { rows[i].setting, NULL };
		struct op_write_opts opts = { .settings = settings };
		struct op_graph_opts g = { .least = 0.5 };
		struct op_err err = { 0 };

		CHECK_EQ(op_graph_settings(&opts, &g, &err), rows[i].code);
		if (!err.code)
			CHECK_EQ(g.least * 1e6 + 0.5,
				 rows[i].least * 1e6 + 0.5);
	}
}

TEST(titles)
{
	static const struct {
		const char *resource, *given, *want;
	} rows[] = {
		{ NULL, NULL, "Profile" },
		{ "service.name=shop", NULL, "shop" },
		{ "process.executable.name=sh service.name=shop", NULL,
		  "shop" },
		{ "process.executable.name=sh", NULL, "sh" },
		{ "service.name=shop", "mine", "mine" },
		{ "service.name=shop", "", "" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .samples = "a 1",
				    .resource = rows[i].resource };
		struct op_graph_opts g = { .title = rows[i].given };
		struct op_model m;

		sketch_one(&m, &s);
		CHECK(op_view_is(op_graph_title(&m, &g), rows[i].want));
		op_model_free(&m);
	}
}

TEST(escapes)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" },
		{ "plain \xc3\xa4", "plain \xc3\xa4" },
		{ "<a href='x' id=\"y\">&", "&lt;a href=&#39;x&#39; "
					    "id=&quot;y&quot;&gt;&amp;" },
		{ "a\x01"
		  "b\x1f",
		  "a\xef\xbf\xbd"
		  "b\xef\xbf\xbd" },
		{ "\t\n\r", "\t\n\xef\xbf\xbd" },
		{ "\xff<", "\xef\xbf\xbd&lt;" },
		{ "\xef\xbf\xbe", "\xef\xbf\xbd" },
		{ "x\xef\xbf\xbfy", "x\xef\xbf\xbdy" },
		{ "]]>", "]]&gt;" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };

		op_graph_escape(&b, op_view_z(rows[i].text));
		op_buf_byte(&b, 0);
		CHECK_STR((char *)b.p, rows[i].want);
		op_buf_free(&b);
	}
}

TEST_MAIN(widths, titles, escapes)
