// SPDX-License-Identifier: Apache-2.0
/* Which bytes are taken for events, and which are not. */
#include "fmt/otlp_events/otlp_events_int.h"

#include "test.h"
#include "write/wire.h"

static const struct {
	const char *text, *format;
} rows[] = {
	{ "1{ 2{ 2{ 1{ 1:0 } 3{ 1:1 } 11'' 11'x' 16@5 17:3 } } }",
	  "otlp-events" },
	{ "1{ 1{} 2{ 2{ 3{} 11'' } } 3'url' }", "otlp-events" },
	{ "1{ 2{ 2{ 1{ 1:0 } 3{ 1:1 } 2{} 11'' } } }", "otlp" },
	{ "1{ 2{ 2{ 1{ 1:1 } 3@5 11[0] } } }", "otlp" },
	{ "1{ 2{ 2{ 1{ 1:1 } 2{ 3[5] } 3{ 1:1 } 10'' 10'x' 11:5 } } }",
	  "otlp" },
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

TEST(sniffs_text)
{
	static const struct {
		const char *text;
		bool ours;
	} texts[] = {
		{ "events { }", true },
		{ "# a comment\nevent_types: [", true },
		{ "resource_profiles<", true },
		{ "strings : ''", true },
		{ "events", false },
		{ "events;main 3\n", false },
		{ "eventsx {", false },
		{ "{\"events\": []}", false },
		{ "main;work 3\n", false },
		{ "# nothing", false },
	};

	for (size_t i = 0; i < op_countof(texts); i++)
		CHECK_EQ(op_format_sniff(op_view_z(texts[i].text)) ==
				 &op_format_otlp_events_text,
			 texts[i].ours);
}

TEST_MAIN(sniffs, sniffs_text)
