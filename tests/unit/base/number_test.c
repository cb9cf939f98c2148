// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "test.h"
#include "write/locale.h"

static const struct {
	const char *text;
	bool ok;
	double v;
} numbers[] = {
	{ "0", true, 0 },
	{ "5", true, 5 },
	{ "007", true, 7 },
	{ ".5", true, 0.5 },
	{ "5.", true, 5 },
	{ "3.14159", true, 3.14159 },
	{ "1e3", true, 1000 },
	{ "2.5E-1", true, 0.25 },
	{ "123456789012345678901234567890", true,
	  123456789012345678901234567890.0 },
	{ "0.1000000000000000055511151231257827021181583404541015625", true,
	  0.1 },
	{ "1e308", true, 1e308 },
	{ "1e309", false, 0 },
	{ "", false, 0 },
	{ ".", false, 0 },
	{ "-1", false, 0 },
	{ "+1", false, 0 },
	{ " 1", false, 0 },
	{ "1 ", false, 0 },
	{ "1,5", false, 0 },
	{ "1.5.2", false, 0 },
	{ "1e", false, 0 },
	{ "0x10", false, 0 },
	{ "inf", false, 0 },
	{ "nan", false, 0 },
};

static void parse_rows(void)
{
	for (size_t i = 0; i < op_countof(numbers); i++) {
		double v = -1;
		int before = test_failed;

		CHECK_EQ(op_number_parse(op_view_z(numbers[i].text), &v),
			 numbers[i].ok);
		CHECK(!numbers[i].ok || v == numbers[i].v);
		if (test_failed != before)
			fprintf(stderr, "  of '%s'\n", numbers[i].text);
	}
}

static void texts(void)
{
	CHECK_STR(op_double_text(0).s, "0.0");
	CHECK_STR(op_double_text(-0.0).s, "-0.0");
	CHECK_STR(op_double_text(1.5).s, "1.5");
	CHECK_STR(op_double_text(-3).s, "-3.0");
	CHECK_STR(op_double_text(0.1).s, "0.1");
	CHECK_STR(op_double_text(0.1 + 0.2).s, "0.30000000000000004");
	CHECK_STR(op_double_text(1e22).s, "1e+22");
	CHECK_STR(op_double_text(1.5e-7).s, "1.5e-07");
	CHECK_STR(op_double_text(DBL_MAX).s, "1.7976931348623157e+308");
	CHECK_STR(op_double_text(5e-324).s, "4.94065645841247e-324");
	CHECK_STR(op_double_text(NAN).s, "nan");
	CHECK_STR(op_double_text(INFINITY).s, "inf");
	CHECK_STR(op_double_text(-INFINITY).s, "-inf");
	CHECK_STR(op_fixed_text(1234567.891, 2).s, "1234567.89");
	CHECK_STR(op_fixed_text(-0.004, 2).s, "-0.00");
	CHECK_STR(op_fixed_text(12, 0).s, "12");
	CHECK_STR(op_fixed_text(INFINITY, 2).s, "inf");
	CHECK_EQ(strlen(op_fixed_text(-DBL_MAX, 6).s), 317);
	CHECK_STR(op_general_text(12.5, 6).s, "12.5");
	CHECK_STR(op_general_text(1234567, 3).s, "1.23e+06");
}

/* Random bits: what is written reads back, and is what the C library writes in
 * its own locale. */
static void round_trips(bool is_c_locale)
{
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t bits = i * 0x9e3779b97f4a7c15;
		struct op_double_text t;
		struct op_decimal d;
		double v, back = 0;

		memcpy(&v, &bits, sizeof(v));
		if (!isfinite(v))
			continue;
		t = op_double_text(v);
		CHECK(op_decimal_read(op_view_z(t.s), &d));
		CHECK(op_decimal_real(&d, &back) && back == v);
		CHECK(!is_c_locale || strtod(t.s, NULL) == v);
	}
}

TEST(c_locale)
{
	parse_rows();
	texts();
	round_trips(true);
}

static void nearest_of(const char *text)
{
	double got = 0;

	CHECK(op_number_parse(op_view_z(text), &got));
	if (got != strtod(text, NULL))
		TEST_FAIL("%s read as %.17g", text, got);
}

/* The C library rounds well in its own locale: the middle of two doubles, what
 * is just beside it, and digits at random. */
TEST(nearest)
{
	static const char *const middles[] = {
		"9007199254740993",	    "9007199254740995",
		"9007199254740993.0001",    "4503599627370497.5",
		"4503599627370498.5",	    "4503599627370497.501",
		"4503599627370497.499",	    "18446744073709551615",
		"1844674407370955161.5",    "18446744073709551615e19",
		"18446744073709551615e-19", "9007199254740993e19",
		"9007199254740993e-19",	    "9007199254740993e-20",
	};
	char text[64];

	for (size_t i = 0; i < op_countof(middles); i++)
		nearest_of(middles[i]);
	for (uint64_t i = 1; i < 60000; i++) {
		uint64_t v = i * 0x9e3779b97f4a7c15 >> i % 11;

		snprintf(text, sizeof(text), "%llue%d", (unsigned long long)v,
			 (int)(i / 11 % 51) - 25);
		nearest_of(text);
	}
}

static void other_locale(const char *point)
{
	char text[16];

	if (!locale_set(point))
		TEST_SKIP(LOCALE_MISSING);
	snprintf(text, sizeof(text), "%.1f", 0.5);
	CHECK(strcmp(text, "0.5"));
	parse_rows();
	texts();
	round_trips(false);
	setlocale(LC_ALL, "C");
}

TEST(comma)
{
	other_locale("<U002C>");
}

/* As in Pashto: the point is two bytes. */
TEST(point_of_two_bytes)
{
	other_locale("<U066B>");
}

TEST_MAIN(c_locale, nearest, comma, point_of_two_bytes)
