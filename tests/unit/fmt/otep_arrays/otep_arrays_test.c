// SPDX-License-Identifier: Apache-2.0
/* Which bytes are taken for the "arrays" draft, and which are not. */
#include "fmt/otep_arrays/otep_arrays_int.h"

#include "test.h"
#include "write/wire.h"

#define ID "1#0102030405060708090a0b0c0d0e0f10 "

static const struct {
	const char *text, *format;
} rows[] = {
	{ "1{ 2{ 2{ " ID "2@5 3@6 7{} 13'' 14{ 3:1 10[0] 13[5] } } } }",
	  "otep-arrays" },
	{ "1{ 1{} 2{ 1{} 2{ 7{} 13'' 14{ 10:0 13:5 } } } 3'url' }",
	  "otep-arrays" },
	{ "1{ 2{ 2{ " ID "8{ 6'' } } } }", "otep239" },
	/* The id is no id, the times are no times. */
	{ "1{ 2{ 2{ 1{ 1:1 } 13'' 14{ 3:1 } } } }", "otlp" },
	{ "1{ 2{ 2{ 2{ 1:1 } 13'' 14{ 3:1 } } } }", "otlp" },
	/* v1.6, with a payload and attributes. */
	{ "1{ 2{ 2{ 1{ 1:1 } 2{ 3[5] } 4:7 13'' 14[1] } } } 6'' 6'x'", "otlp" },
};

TEST(sniffs)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(rows); i++) {
		const struct op_format *f;

		wire_set(&w, rows[i].text);
		f = op_format_sniff(wire_view(&w));
		CHECK_STR(f ? f->name : NULL, rows[i].format);
	}
}

TEST_MAIN(sniffs)
