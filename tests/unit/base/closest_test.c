// SPDX-License-Identifier: Apache-2.0
#include "base/closest.h"

#include "test.h"

#define LONG                                                                  \
	"0123456789012345678901234567890123456789012345678901234567890123456" \
	"789"

static const struct {
	const char *wanted, *names, *best;
} rows[] = {
	{ "focus", "from focus file", "focus" },
	{ "fcous", "from focus file", "focus" },
	{ "fous", "from focus file", "focus" },
	{ "focuss", "from focus file", "focus" },
	{ "Focus", "from focus file", "focus" },
	{ "pporf", "perf pprof", "pprof" },
	{ "servce.name", "service.name host.name", "service.name" },
	{ "ab", "ba bb", "ba" },
	{ "xyz", "from focus file", "" },
	{ "", "a b", "" },
	{ "a", "b", "b" },
	{ LONG "a", LONG "b", "" },
};

TEST(finds_the_name_that_was_meant)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_closest c = { .wanted = op_view_z(rows[i].wanted) };
		const char *s = rows[i].names;
		int before = test_failed;

		while (*s) {
			size_t n = strcspn(s, " ");

			op_closest_offer(&c, op_view(s, n));
			s += n + (s[n] == ' ');
		}
		CHECK(op_view_is(c.best, rows[i].best));
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].wanted);
	}
}

TEST_MAIN(finds_the_name_that_was_meant)
