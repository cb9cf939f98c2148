// SPDX-License-Identifier: Apache-2.0
/* What is taken out of arguments and properties. */
#include "fmt/jfr/redact.h"
#include "test.h"

#define GONE "[redacted]"

TEST(names)
{
	static const struct {
		const char *name;
		bool is_secret;
	} rows[] = {
		{ "PASSWORD", true },
		{ "db.password", true },
		{ "javax.net.ssl.keyStorePassword", true },
		{ "AWS_SECRET_ACCESS_KEY", true },
		{ "GITHUB_TOKEN", true },
		{ "dd.api-key", true },
		{ "GOOGLE_CREDENTIALS", true },
		{ "basicAuth", true },
		{ "DB_PWD", true },
		{ "PWD", false },
		{ "OLDPWD", false },
		{ "PATH", false },
		{ "java.home", false },
		{ "user.name", false },
		{ "", false },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_jfr_is_secret(op_view_z(rows[i].name)) !=
		    rows[i].is_secret)
			TEST_FAIL("%s", rows[i].name);
}

TEST(texts)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" },
		{ "-Xmx1g -Dfile=a Main x", "-Xmx1g -Dfile=a Main x" },
		{ "-Ddb.password=hunter2", "-Ddb.password=" GONE },
		{ "-Dpassword=a -Xmx1g", "-Dpassword=" GONE " -Xmx1g" },
		{ "-Dpassword=two words -Xmx1g", "-Dpassword=" GONE " -Xmx1g" },
		{ "-Dpassword= -Xmx1g", "-Dpassword= -Xmx1g" },
		{ "Main --token=abc", "Main --token=" GONE },
		{ "Main --token abc --port 80",
		  "Main --token " GONE " --port 80" },
		{ "Main --token --port 80", "Main --token --port 80" },
		{ "Main api_key=abc", "Main api_key=" GONE },
		{ "-javaagent:a.jar=x=1,apiKey=abc,y=2 -Xmx1g",
		  "-javaagent:a.jar=x=1,apiKey=" GONE " -Xmx1g" },
		{ "-Durl=jdbc:pg://me:pw@db/x",
		  "-Durl=jdbc:pg://" GONE "@db/x" },
		{ "http://host:80/a", "http://host:80/a" },
		{ "http://me@host:80/a@b", "http://me@host:80/a@b" },
		{ "http://h/?access_token=abc",
		  "http://h/?access_token=" GONE },
		{ "//", "//" },
		{ "key=", "key=" },
		{ "=", "=" },
		{ "-Da.secret=1 -Db.secret=2",
		  "-Da.secret=" GONE " -Db.secret=" GONE },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_view v = op_jfr_redact(&mem, op_view_z(rows[i].text),
						 &err);

		CHECK_EQ(err.code, OP_OK);
		if (!op_view_is(v, rows[i].want))
			TEST_FAIL("%s became %.*s", rows[i].text, (int)v.n,
				  (const char *)v.p);
		op_arena_free(&mem);
	}
}

TEST(no_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };

		op_jfr_redact(&mem, op_view_z("password=1"), &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_arena_free(&mem);
	}
}

TEST_MAIN(names, texts, no_memory)
