// SPDX-License-Identifier: Apache-2.0
#include "server/guard.h"

#include "test.h"

static void header(struct op_header_value *v, const char *text)
{
	if (!text)
		return;
	v->n = (uint32_t)strlen(text);
	memcpy(v->text, text, v->n);
	v->nr_given = 1;
}

TEST(tokens)
{
	struct op_err err = { 0 };
	struct op_guard a = { 0 }, b = { 0 };

	CHECK_EQ(op_guard_init(&a, &err), OP_OK);
	CHECK_EQ(op_guard_init(&b, &err), OP_OK);
	CHECK_EQ(strlen(a.token), OP_TOKEN_CHARS);
	CHECK_EQ(strspn(a.token, "0123456789abcdef"), OP_TOKEN_CHARS);
	CHECK(strcmp(a.token, b.token));
}

/* A name that leads here but is not this server's is DNS rebinding; the origin
 * and the site of a fetch are those of a page that is not ours. */
TEST(headers)
{
	static const struct {
		uint16_t port;
		const char *host, *origin, *site;
		bool is_fine;
	} cases[] = {
		{ 8080, "127.0.0.1:8080", NULL, NULL, true },
		{ 8080, "localhost:8080", NULL, NULL, true },
		{ 8080, "LocalHost:8080", NULL, "none", true },
		{ 8080, "localhost:8080", "http://localhost:8080",
		  "same-origin", true },
		{ 80, "localhost", "http://localhost", NULL, true },
		{ 80, "127.0.0.1:80", NULL, NULL, true },
		{ 8080, NULL, NULL, NULL, false },
		{ 8080, "", NULL, NULL, false },
		{ 8080, "localhost", NULL, NULL, false },
		{ 8080, "127.0.0.1", NULL, NULL, false },
		{ 8080, "127.0.0.1:8081", NULL, NULL, false },
		{ 8080, "127.0.0.1:80800", NULL, NULL, false },
		{ 8080, "evil.example:8080", NULL, NULL, false },
		{ 8080, "127.0.0.1.evil.example:8080", NULL, NULL, false },
		{ 8080, "localhost:8080@evil.example", NULL, NULL, false },
		{ 8080, "0.0.0.0:8080", NULL, NULL, false },
		{ 8080, "[::1]:8080", NULL, NULL, false },
		{ 8080, "localhost:8080", "http://evil.example", NULL, false },
		{ 8080, "localhost:8080", "https://localhost:8080", NULL,
		  false },
		{ 8080, "localhost:8080", "http://127.0.0.1:8080", NULL,
		  false },
		{ 8080, "localhost:8080", "http://localhost:8081", NULL,
		  false },
		{ 8080, "localhost:8080", "http://localhost:8080.evil", NULL,
		  false },
		{ 8080, "localhost:8080", "null", NULL, false },
		{ 8080, "localhost:8080", "", NULL, false },
		{ 8080, "localhost:8080", "http://", NULL, false },
		{ 8080, "localhost:8080", NULL, "cross-site", false },
		{ 8080, "localhost:8080", NULL, "same-site", false },
		{ 8080, "localhost:8080", NULL, "", false },
	};

	for (size_t i = 0; i < op_countof(cases); i++) {
		struct op_guard g = { .port = cases[i].port };
		struct op_request r = { 0 };

		header(&r.host, cases[i].host);
		header(&r.origin, cases[i].origin);
		header(&r.fetch_site, cases[i].site);
		if (!op_guard_refuses(&g, &r) != cases[i].is_fine)
			TEST_FAIL("case %zu", i);
	}
}

#define TOKEN "0123456789abcdef0123456789abcdef"

TEST(paths)
{
	static const struct op_guard g = { .token = TOKEN };
	static const struct {
		const char *path, *rest; /* NULL: no entry */
	} cases[] = {
		{ "/" TOKEN, "" },
		{ "/" TOKEN "/", "/" },
		{ "/" TOKEN "/api/top", "/api/top" },
		{ "/" TOKEN "//", "//" },
		{ "", NULL },
		{ "/", NULL },
		{ TOKEN, NULL },
		{ "/0123456789abcdef0123456789abcde", NULL },
		{ "/0123456789abcdef0123456789abcdeF/", NULL },
		{ "/1123456789abcdef0123456789abcdef/", NULL },
		{ "/" TOKEN "x", NULL },
		{ "/x/" TOKEN, NULL },
	};

	for (size_t i = 0; i < op_countof(cases); i++) {
		struct op_view path = op_view_z(cases[i].path);
		bool is_in = op_guard_enter(&g, &path);

		if (is_in != !!cases[i].rest ||
		    (is_in && !op_view_is(path, cases[i].rest)))
			TEST_FAIL("path '%s'", cases[i].path);
	}
}

TEST_MAIN(tokens, headers, paths)
