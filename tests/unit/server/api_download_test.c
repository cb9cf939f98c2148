// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <unistd.h>

#include "api_fixture.h"

static const struct sketch files[] = {
	{
		.samples = "main;a 10@1 thread.name=t1\n"
			   "main;b 20@3 thread.name=t2",
	},
	{ .samples = "main;a 15@5" },
};

TEST(downloads)
{
	static const struct asked rows[] = {
		{ "download?format=folded&file=0", 200, "main;b 20\n" },
		{ "download?format=folded&file=0&where=thread=t1", 200,
		  "main;a 10\n" },
		{ "download?format=folded&file=0&from=%2B2ns", 200,
		  "main;b 20\n" },
		{ "download?format=folded&file=1&before.file=0", 200,
		  "main;a 5\n" },
		{ "download?format=html&type=cpu", 200, "<!DOCTYPE html>" },
		{ "download?format=otlp-json&focus=nosuch", 200, "" },
		{ "download?format=otlp-json&file=0", 200, "\"profileId\":\"" },
		{ "download", 400, "format expects a name" },
		{ "download?format=pprov", 400,
		  "format: unknown format 'pprov'; did you mean 'pprof'?" },
		{ "download?format=jfr", 400, "format: jfr cannot be written" },
		{ "download?format=pprof&type=heap", 400, "heap" },
	};

	ask_about(files, 2, rows, op_countof(rows));
}

/* A title may be anything, a file name not. */
TEST(names)
{
	static const struct {
		const char *title, *want;
	} rows[] = {
		{ "app.jfr", "app.jfr.folded" },
		{ "../a b\"\r\n;", "_._a_b____.folded" },
		{ "", "profile.folded" },
		{ NULL, "profile.folded" },
	};
	struct op_err err = { 0 };
	struct fixture f = { 0 };

	CHECK_EQ(fixture_put(&f, &files[0], 1, &err), OP_OK);
	for (size_t i = 0; i < op_countof(rows); i++) {
		f.api.title = rows[i].title;
		ask(&f, "download?format=folded");
		CHECK_STR(f.reply.file_name, rows[i].want);
	}
	fixture_free(&f);
}

/* What is left out is said. */
TEST(notes)
{
	static const struct sketch both[] = {
		{ .samples = "main 1", .resource = "k=v" },
	};
	struct op_err err = { 0 };
	struct fixture f = { 0 };

	CHECK_EQ(fixture_put(&f, both, 1, &err), OP_OK);
	ask(&f, "download?format=otlp");
	CHECK_STR(f.reply.note, "");
	ask(&f, "download?format=pprof");
	CHECK_STR(f.reply.note, "pprof cannot hold attributes of the resource");
	fixture_free(&f);
}

TEST(sources)
{
	static const struct asked rows[] = {
		{ "source?file=%2Fbuild%2Fapp.c", 200,
		  "{\"file\":\"/build/app.c\",\"lines\":[\"int a;\","
		  "\"\\\"</script>\\u0001\",\"x\"]}" },
		{ "source?file=nosuch.c", 404, "there is no 'nosuch.c'" },
		{ "source?file=..%2F..%2Fetc%2Fpasswd", 404, "there is no" },
		{ "source", 400, "file expects a path" },
	};
	char dir[] = "/tmp/otprof-source-XXXXXX", path[64];
	struct op_err err = { 0 };
	struct fixture f = { 0 };
	FILE *out;

	CHECK_EQ(fixture_put(&f, &files[0], 1, &err), OP_OK);
	CHECK(strstr(ask(&f, "source?file=app.c"), "--source-path"));
	CHECK_EQ(f.reply.status, 404);
	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/app.c", dir);
	out = fopen(path, "w");
	CHECK(out && fputs("int a;\r\n\"</script>\x01\nx", out) >= 0);
	CHECK(out && !fclose(out));
	f.api.source_path = dir;
	ask_rows(&f, rows, op_countof(rows));
	unlink(path);
	rmdir(dir);
	fixture_free(&f);
}

TEST(oom)
{
	static const char *const requests[] = {
		"download?format=otlp&file=0&where=thread=t1",
		"download?format=folded&before.from=%2B2ns",
	};

	for (size_t i = 0; i < op_countof(requests); i++)
		ask_each_alloc_fails(files, 1, requests[i], 200);
}

TEST_MAIN(downloads, names, notes, sources, oom)
