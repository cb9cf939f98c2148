// SPDX-License-Identifier: Apache-2.0
#include "server/params.h"

#include "test.h"

TEST(values)
{
	struct op_err err = { 0 };
	struct op_params p = { 0 };

	op_params_parse(&p, op_view_z("a=1&b=%2B5s&&c=x+y%3d&d&e="), &err);
	CHECK_EQ(err.code, OP_OK);
	CHECK_STR(op_param(&p, "a"), "1");
	CHECK_STR(op_param(&p, "b"), "+5s");
	CHECK_STR(op_param(&p, "c"), "x y=");
	CHECK(!op_param(&p, "d"));
	CHECK(!op_param(&p, "e"));
	CHECK(!op_param(&p, "f"));
	CHECK_EQ(op_param_number(&p, "a", 7, 9, &err), 1);
	CHECK_EQ(op_param_number(&p, "f", 7, 9, &err), 7);
	CHECK_EQ(err.code, OP_OK);
	CHECK_EQ(op_param_number(&p, "b", 7, 9, &err), 7);
	CHECK_EQ(err.code, OP_EUSAGE);
	op_params_free(&p);
}

/* Each is refused. */
TEST(refused)
{
	static const char *const texts[] = { "a=%",   "a=%2", "a=%zz",
					     "a=%00", "%=1",  "a=1&a=2" };

	for (size_t i = 0; i < op_countof(texts); i++) {
		struct op_err err = { 0 };
		struct op_params p = { 0 };

		op_params_parse(&p, op_view_z(texts[i]), &err);
		CHECK_EQ(err.code, OP_EUSAGE);
		op_params_free(&p);
	}
}

/* A number is not read beyond what it may be. */
TEST(numbers)
{
	static const struct {
		const char *text;
		uint64_t max;
		bool is_valid;
	} cases[] = {
		{ "n=100", 100, true },
		{ "n=0000000000000000000000100", 100, true },
		{ "n=101", 100, false },
		{ "n=-1", 100, false },
		{ "n=1x", 100, false },
		{ "n=2", 1, false },
		{ "n=9223372036854775807", INT64_MAX, true },
		{ "n=9223372036854775808", INT64_MAX, false },
		{ "n=18446744073709551615", UINT64_MAX, true },
		{ "n=18446744073709551616", UINT64_MAX, false },
		{ "n=18446744073709551617", INT64_MAX, false },
	};

	for (size_t i = 0; i < op_countof(cases); i++) {
		struct op_err err = { 0 };
		struct op_params p = { 0 };

		op_params_parse(&p, op_view_z(cases[i].text), &err);
		op_param_number(&p, "n", 0, cases[i].max, &err);
		CHECK_EQ(err.code == OP_OK, cases[i].is_valid);
		op_params_free(&p);
	}
}

TEST_MAIN(values, refused, numbers)
