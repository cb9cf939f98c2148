// SPDX-License-Identifier: Apache-2.0
#include "fmt/firefox/location.h"

#include "test.h"

static const struct {
	const char *text, *want;
} rows[] = {
	{ "0x7fff7d962da1", "||||7fff7d962da1" },
	{ "0xFFFFFFFFFFFFFFFF", "||||ffffffffffffffff" },
	{ "0x12345678901234567", "0x12345678901234567|||" },
	{ "0x", "0x|||" },
	{ "0xzz", "0xzz|||" },
	{ "(root)", "(root)|||" },
	{ "Startup::XRE_Main", "Startup::XRE_Main|||" },
	{ "", "|||" },
	/* Libraries */
	{ "f(int) (in xul)", "f(int)||xul|" },
	{ "f (in xul) + 12", "f||xul|" },
	{ "f (in xul) (a.cpp:12)", "f||xul|" },
	{ "f (in xul", "f (in xul|||" },
	/* Scripts */
	{ "f (chrome://x:34)", "f|chrome://x||34" },
	{ "f (http://a/b.js:12:5)", "f|http://a/b.js||12:5" },
	{ "f (http://a/b.js:12:5)[3]", "f|http://a/b.js||12:5" },
	{ "a (b) (c.js:1)", "a (b)|c.js||1" },
	{ "f (resource://a.js -> resource://b.js:7)", "f|resource://b.js||7" },
	{ "http://a/b.js:12", "|http://a/b.js||12" },
	{ "http://a/b.js:12:5", "|http://a/b.js||12:5" },
	{ "f (http://a/b.js:12x)", "f (http://a/b.js:12x)|||" },
	{ "f (x)[3]", "f (x)[3]|||" },
	{ "f (:3)", "f (:3)|||" },
	{ "99999999999999999999999:99999999999999999999999",
	  "99999999999999999999999:99999999999999999999999|||" },
};

TEST(location)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_gecko_location l = op_gecko_location(
			op_view_z(rows[i].text));
		char got[200], place[80] = "";

		if (l.column)
			snprintf(place, sizeof(place), "%lld:%lld",
				 (long long)l.line, (long long)l.column);
		else if (l.line)
			snprintf(place, sizeof(place), "%lld",
				 (long long)l.line);
		if (l.has_address)
			snprintf(place, sizeof(place), "|%llx",
				 (unsigned long long)l.address);
		snprintf(got, sizeof(got), "%.*s|%.*s|%.*s|%s", (int)l.name.n,
			 (const char *)l.name.p, (int)l.file.n,
			 (const char *)l.file.p, (int)l.library.n,
			 (const char *)l.library.p, place);
		CHECK_STR(got, rows[i].want);
	}
}

TEST_MAIN(location)
