// SPDX-License-Identifier: Apache-2.0
/* Which bytes are taken for OTEP 239, and which are not. */
#include "fmt/otep239/otep239_int.h"

#include "test.h"
#include "write/wire.h"

#define ID "1#0102030405060708090a0b0c0d0e0f10 "

static const struct {
	const char *text, *format;
} rows[] = {
	{ "1{ 2{ 2{ " ID "2@5 3@6 8{ 1{ 1:1 } 6'' 6'x' } } } }", "otep239" },
	{ "1{ 1{} 2{ 1{} 2{ " ID "8{ 6'' } } } 3'url' }", "otep239" },
	{ "1{ 2{ 2{ 8{ 2{ 2[1] 8:1 } 15[0] 4{} 6'' 16{} } } } }", "otep239" },
	/* Nothing in it that another could not be. */
	{ "1{ 2{ 2{ " ID "8{} } } }", "otlp" },
	/* The id is no id, the times are no times. */
	{ "1{ 2{ 2{ 1{ 1:1 } 8{ 6'' } } } }", "otlp" },
	{ "1{ 2{ 2{ " ID "2{ 1:1 } 8{ 6'' } } } }", "otlp" },
	/* v1.4, with units of attributes in field 8, and v1.10. */
	{ "1{ 2{ 2{ 1{ 1:1 2:2 } 2{ 1:0 2:1 3[5] } 5[0] 8{ 1:1 2:2 } "
	  "10'' 10'x' 10'y' } } }",
	  "otlp" },
	{ "1{ 2{ 2{ 1{ 1:1 } 2{ 1:0 4[5] } } } } 2{ " WIRE_ZERO_ROWS "5'x' }",
	  "otlp" },
	/* pprof */
	{ "1{ 1:1 2:2 } 2{ 1[1] 2[5] } 4{ 1:1 } 6'' 6'x' 6'y'", "pprof" },
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
