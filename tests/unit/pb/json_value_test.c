// SPDX-License-Identifier: Apache-2.0
#include "pb/json_value.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

static const struct {
	const char *text;
	enum op_json_verdict verdict;
	bool negative;
	uint64_t v;
} integers[] = {
	{ "0", OP_JSON_FINE, false, 0 },
	{ "-0", OP_JSON_FINE, true, 0 },
	{ "7", OP_JSON_FINE, false, 7 },
	{ "-12", OP_JSON_FINE, true, 12 },
	{ "9007199254740993", OP_JSON_FINE, false, 9007199254740993 },
	{ "18446744073709551615", OP_JSON_FINE, false, UINT64_MAX },
	{ "-9223372036854775808", OP_JSON_FINE, true, UINT64_C(1) << 63 },
	{ "18446744073709551616", OP_JSON_TOO_LARGE, false, 0 },
	{ "99999999999999999999", OP_JSON_TOO_LARGE, false, 0 },
	{ "12.0", OP_JSON_FINE, false, 12 },
	{ "12.000", OP_JSON_FINE, false, 12 },
	{ "0.0", OP_JSON_FINE, false, 0 },
	{ "1e3", OP_JSON_FINE, false, 1000 },
	{ "1E+3", OP_JSON_FINE, false, 1000 },
	{ "1.5e1", OP_JSON_FINE, false, 15 },
	{ "1200e-2", OP_JSON_FINE, false, 12 },
	{ "100.50e2", OP_JSON_FINE, false, 10050 },
	{ "0.00012e5", OP_JSON_FINE, false, 12 },
	{ "1.8446744073709551615e19", OP_JSON_FINE, false, UINT64_MAX },
	{ "0e999999999999999999", OP_JSON_FINE, false, 0 },
	{ "0e-999999999999999999", OP_JSON_FINE, false, 0 },
	{ "1e19", OP_JSON_FINE, false, UINT64_C(10000000000000000000) },
	{ "1e20", OP_JSON_TOO_LARGE, false, 0 },
	{ "1e99999999999999999999", OP_JSON_TOO_LARGE, false, 0 },
	{ "1e-99999999999999999999", OP_JSON_FRACTION, false, 0 },
	{ "1.5", OP_JSON_FRACTION, false, 0 },
	{ "15e-1", OP_JSON_FRACTION, false, 0 },
	{ "0.1", OP_JSON_FRACTION, false, 0 },
	{ "", OP_JSON_NO_NUMBER, false, 0 },
	{ "-", OP_JSON_NO_NUMBER, false, 0 },
	{ "+1", OP_JSON_NO_NUMBER, false, 0 },
	{ " 1", OP_JSON_NO_NUMBER, false, 0 },
	{ "1 ", OP_JSON_NO_NUMBER, false, 0 },
	{ "01", OP_JSON_NO_NUMBER, false, 0 },
	{ "1.", OP_JSON_NO_NUMBER, false, 0 },
	{ ".5", OP_JSON_NO_NUMBER, false, 0 },
	{ "1.2.3", OP_JSON_NO_NUMBER, false, 0 },
	{ "1e", OP_JSON_NO_NUMBER, false, 0 },
	{ "1e+", OP_JSON_NO_NUMBER, false, 0 },
	{ "1ex", OP_JSON_NO_NUMBER, false, 0 },
	{ "0x10", OP_JSON_NO_NUMBER, false, 0 },
	{ "NaN", OP_JSON_NO_NUMBER, false, 0 },
};

TEST(integer_rows)
{
	for (size_t i = 0; i < op_countof(integers); i++) {
		struct op_json_int r = { 0 };
		int before = test_failed;

		CHECK_EQ(op_json_integer(op_view_z(integers[i].text), &r),
			 integers[i].verdict);
		if (!integers[i].verdict) {
			CHECK_EQ(r.negative, integers[i].negative);
			CHECK(r.v == integers[i].v);
		}
		if (test_failed != before)
			fprintf(stderr, "  of %s\n", integers[i].text);
	}
}

static const struct {
	const char *text;
	double v;
} reals[] = {
	{ "0", 0 },
	{ "1", 1 },
	{ "-1.5", -1.5 },
	{ "0.1", 0.1 },
	{ "1e22", 1e22 },
	{ "1e23", 1e23 },
	{ "123456789012345678", 123456789012345678.0 },
	{ "9007199254740993", 9007199254740992.0 },
	{ "5e-324", 5e-324 },
	{ "2.2250738585072011e-308", 2.2250738585072011e-308 },
	{ "1.7976931348623157e308", 1.7976931348623157e308 },
	{ "3.141592653589793", 3.141592653589793 },
	{ "1e-400", 0 },
	{ "0e9999999999", 0 },
	{ "0.000000000000000000000000000000000001", 1e-36 },
};

TEST(real_rows)
{
	double r;

	for (size_t i = 0; i < op_countof(reals); i++) {
		r = NAN;
		CHECK_EQ(op_json_real(op_view_z(reals[i].text), &r),
			 OP_JSON_FINE);
		if (r != reals[i].v)
			TEST_FAIL("%s gives %.17g", reals[i].text, r);
	}
	CHECK_EQ(op_json_real(op_view_z("-0.0"), &r), OP_JSON_FINE);
	CHECK(r == 0 && signbit(r) != 0);
	CHECK_EQ(op_json_real(op_view_z("1e309"), &r), OP_JSON_TOO_LARGE);
	CHECK_EQ(op_json_real(op_view_z("-1e99999"), &r), OP_JSON_TOO_LARGE);
	CHECK_EQ(op_json_real(op_view_z("x"), &r), OP_JSON_NO_NUMBER);
	CHECK_EQ(op_json_real(op_view_z("1e"), &r), OP_JSON_NO_NUMBER);
}

/* As many digits as fit, and what stands behind them. */
static const struct {
	const char *text;
	size_t n; /* digits; 0: not for this function */
} digits[] = {
	{ "0,", 1 },
	{ "7]", 1 },
	{ "12\"", 2 },
	{ "1234567,", 7 },
	{ "12345678,", 8 },
	{ "123456789,", 9 },
	{ "1234567890123456,", 16 },
	{ "12345678901234567,", 17 },
	{ "9223372036854775807,", 19 },
	{ "9999999999999999999,", 19 },
	{ "12345678901234567890,", 0 },
	{ "00,", 0 },
	{ "01,", 0 },
	{ "x", 0 },
	{ "-1,", 0 },
	{ "12.5", 2 },
	{ "12:", 2 },
	{ "12/", 2 },
};

TEST(digits_rows)
{
	for (size_t i = 0; i < op_countof(digits); i++) {
		uint8_t text[40] = { 0 };
		const uint8_t *end;
		uint64_t v = 0;

		memcpy(text, digits[i].text, strlen(digits[i].text));
		end = op_json_digits(text, text + sizeof(text) - 7, &v);
		CHECK_EQ(end ? end - text : 0, digits[i].n);
		if (end)
			CHECK(v == strtoull(digits[i].text, NULL, 10));
		/* Too near to the end it does not look. */
		CHECK(!op_json_digits(text, text, &v));
	}
}

static const struct {
	const char *text, *bytes; /* NULL: none */
} base64[] = {
	{ "", "" },
	{ "Zg==", "f" },
	{ "Zg", "f" },
	{ "Zm8=", "fo" },
	{ "Zm8", "fo" },
	{ "Zm9v", "foo" },
	{ "Zm9vYg==", "foob" },
	{ "++//", "\xfb\xef\xff" },
	{ "--__", "\xfb\xef\xff" },
	{ "Zm9vY", NULL },
	{ "Zg=", NULL },
	{ "====", NULL },
	{ "Zm9v=", NULL },
	{ "Zm=v", NULL },
	{ "Zm 9v", NULL },
	{ "Zm9\n", NULL },
	{ "=", NULL },
};

TEST(base64_rows)
{
	for (size_t i = 0; i < op_countof(base64); i++) {
		uint8_t out[32];
		size_t n = op_base64_decode(op_view_z(base64[i].text), out);

		if (base64[i].bytes ?
			    n == OP_NOT_TEXT || !op_view_is(op_view(out, n),
							    base64[i].bytes) :
			    n != OP_NOT_TEXT)
			TEST_FAIL("'%s' gives %zu bytes", base64[i].text, n);
	}
}

TEST(hex_rows)
{
	uint8_t out[8];

	CHECK_EQ(op_hex_decode(op_view_z("00fFa9"), out), 3);
	CHECK(!memcmp(out, "\x00\xff\xa9", 3));
	CHECK_EQ(op_hex_decode(op_view_z(""), out), 0);
	CHECK(op_hex_decode(op_view_z("0"), out) == OP_NOT_TEXT);
	CHECK(op_hex_decode(op_view_z("0g"), out) == OP_NOT_TEXT);
	CHECK(op_hex_decode(op_view_z("@0"), out) == OP_NOT_TEXT);
	CHECK(op_hex_decode(op_view_z(":0"), out) == OP_NOT_TEXT);
}

TEST_MAIN(integer_rows, real_rows, digits_rows, base64_rows, hex_rows)
