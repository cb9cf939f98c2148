// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <time.h>

#include "test.h"

#define S 1000000000ull

static const struct {
	const char *text;
	enum op_time_kind kind;
	uint64_t ns;
} good[] = {
	{ "1970-01-01T00:00:00Z", OP_TIME_AT, 0 },
	{ "1970-01-01t00:00:01z", OP_TIME_AT, S },
	{ "1970-01-02 00:00:00Z", OP_TIME_AT, 86400 * S },
	{ "2024-02-29T12:30:00Z", OP_TIME_AT, 1709209800 * S },
	{ "2024-02-29T12:30:00.25Z", OP_TIME_AT, 1709209800 * S + S / 4 },
	{ "2024-02-29T12:30:00.123456789Z", OP_TIME_AT,
	  1709209800 * S + 123456789 },
	{ "2024-02-29T12:30:00.1234567899999999999999Z", OP_TIME_AT,
	  1709209800 * S + 123456789 },
	{ "2024-02-29T14:30:00+02:00", OP_TIME_AT, 1709209800 * S },
	{ "2024-02-29T07:00:00-05:30", OP_TIME_AT, 1709209800 * S },
	{ "1969-12-31T23:00:00-01:00", OP_TIME_AT, 0 },
	{ "2016-12-31T23:59:60Z", OP_TIME_AT, 1483228800 * S },
	{ "2100-03-01T00:00:00Z", OP_TIME_AT, 4107542400 * S },
	{ "2554-07-21T23:34:33.709551615Z", OP_TIME_AT, UINT64_MAX },
	{ "0", OP_TIME_AT, 0 },
	{ "1709209800", OP_TIME_AT, 1709209800 * S },
	{ "1709209800.25", OP_TIME_AT, 1709209800 * S + S / 4 },
	{ "1709209800.000000001", OP_TIME_AT, 1709209800 * S + 1 },
	{ "18446744073.709551615", OP_TIME_AT, UINT64_MAX },
	{ "+5s", OP_TIME_FROM_START, 5 * S },
	{ "+0s", OP_TIME_FROM_START, 0 },
	{ "+1.5m", OP_TIME_FROM_START, 90 * S },
	{ "-1m", OP_TIME_FROM_END, 60 * S },
	{ "-0.5h", OP_TIME_FROM_END, 1800 * S },
	{ "-2d", OP_TIME_FROM_END, 2 * 86400 * S },
	{ "+7ns", OP_TIME_FROM_START, 7 },
	{ "+7us", OP_TIME_FROM_START, 7000 },
	{ "+7.5ms", OP_TIME_FROM_START, 7500000 },
	{ "+0.9ns", OP_TIME_FROM_START, 0 },
};

TEST(good_times)
{
	for (size_t i = 0; i < op_countof(good); i++) {
		struct op_err err = { 0 };
		struct op_time t = { 0 };
		int before = test_failed;

		CHECK_EQ(op_time_parse(good[i].text, &t, &err), OP_OK);
		CHECK_EQ(t.kind, good[i].kind);
		CHECK_EQ(t.ns, good[i].ns);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", good[i].text,
				err.text);
	}
}

static const struct {
	const char *text;
	uint64_t at;
	const char *why;
} wrong[] = {
	{ "", 0, "a digit is missing" },
	{ "now", 0, "a digit is missing" },
	{ "1709209800.", 11, "a digit is missing" },
	{ "1709209800s", 10, "unexpected text after it" },
	{ "17 ", 2, "unexpected text after it" },
	{ "0x10", 1, "unexpected text after it" },
	{ "1e9", 1, "unexpected text after it" },
	{ "18446744073.709551616", 0, "too large" },
	{ "99999999999999999999", 0, "too large" },
	{ "+5", 2, "a unit is missing" },
	{ "+s", 1, "a digit is missing" },
	{ "+-5s", 1, "a unit is missing" },
	{ "+5sec", 2, "a unit is missing" },
	{ "+5 s", 2, "a unit is missing" },
	{ "+1.2.3s", 4, "more than one point" },
	{ "+.5s", 1, "a digit is missing" },
	{ "-99999999999d", 1, "too large" },
	{ "2024-02", 7, "YYYY-MM-DD" },
	{ "2024-2-29T12:30:00Z", 6, "a digit is missing" },
	{ "2024-13-01T00:00:00Z", 5, "no such month" },
	{ "2024-00-01T00:00:00Z", 5, "no such month" },
	{ "2024-04-31T00:00:00Z", 8, "no such day" },
	{ "2023-02-29T00:00:00Z", 8, "no such day" },
	{ "2100-02-29T00:00:00Z", 8, "no such day" },
	{ "2024-04-00T00:00:00Z", 8, "no such day" },
	{ "2024-04-30", 10, "T and a time of day" },
	{ "2024-04-30T24:00:00Z", 11, "no such hour" },
	{ "2024-04-30T12:60:00Z", 14, "no such minute" },
	{ "2024-04-30T12:00:61Z", 17, "no such second" },
	{ "2024-04-30T12:00Z", 16, "hh:mm:ss" },
	{ "2024-04-30T12:00:00", 19, "Z or an offset" },
	{ "2024-04-30T12:00:00.Z", 20, "a digit is missing" },
	{ "2024-04-30T12:00:00+0200", 22, "hh:mm:ss" },
	{ "2024-04-30T12:00:00Zx", 20, "unexpected text after it" },
	{ "1969-12-31T23:59:59Z", 0, "before 1970" },
	{ "1970-01-01T00:59:59+01:00", 0, "before 1970" },
	{ "2554-07-21T23:34:33.709551616Z", 0, "too late" },
	{ "9999-12-31T00:00:00Z", 0, "too late" },
};

TEST(wrong_times)
{
	for (size_t i = 0; i < op_countof(wrong); i++) {
		struct op_err err = { 0 };
		struct op_time t = { 0 };
		int before = test_failed;

		CHECK_EQ(op_time_parse(wrong[i].text, &t, &err), OP_EUSAGE);
		CHECK(strstr(err.text, wrong[i].why));
		CHECK_EQ(err.at, wrong[i].at);
		CHECK_EQ(t.kind, OP_TIME_NONE);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", wrong[i].text,
				err.text);
	}
}

/* What the C library writes of a second is that second, in every zone. */
TEST(round_trip)
{
	uint64_t seed = 88172645463325252u;

	for (int i = 0; i < 20000; i++) {
		struct op_err err = { 0 };
		struct op_time t = { 0 };
		int zone = (int)(seed >> 40) % (24 * 60) - 12 * 60;
		int away = zone < 0 ? -zone : zone;
		uint64_t ns;
		char text[80], day[40];
		struct tm tm;
		time_t s;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		ns = seed % (UINT64_MAX - 86400 * S) + 43200 * S;
		s = (time_t)(ns / S) + zone * 60;
		strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S",
			 gmtime_r(&s, &tm));
		snprintf(text, sizeof(text), "%s.%09llu%c%02d:%02d", day,
			 (unsigned long long)(ns % S), zone < 0 ? '-' : '+',
			 away / 60, away % 60);
		CHECK_EQ(op_time_parse(text, &t, &err), OP_OK);
		CHECK_EQ(t.ns, ns);
		snprintf(text, sizeof(text), "%llu.%09llu",
			 (unsigned long long)(ns / S),
			 (unsigned long long)(ns % S));
		CHECK_EQ(op_time_parse(text, &t, &err), OP_OK);
		CHECK_EQ(t.ns, ns);
	}
}

TEST(relative)
{
	struct op_time start = { OP_TIME_FROM_START, 10 };
	struct op_time end = { OP_TIME_FROM_END, 10 };
	struct op_time at = { OP_TIME_AT, 10 };
	struct op_time none = { 0 };

	CHECK_EQ(op_time_ns(start, 100, 200), 110);
	CHECK_EQ(op_time_ns(end, 100, 200), 190);
	CHECK_EQ(op_time_ns(at, 100, 200), 10);
	CHECK_EQ(op_time_ns(none, 100, 200), 0);
	CHECK_EQ(op_time_ns(end, 0, 9), 0);
	CHECK(op_time_ns(start, UINT64_MAX - 9, 0) == UINT64_MAX);
}

TEST_MAIN(good_times, wrong_times, round_trip, relative)
