// SPDX-License-Identifier: Apache-2.0
/* Events as protobuf's text format: what is read of it, and where it is
 * wrong. */
#include "fmt/otlp_events/otlp_events_int.h"

#include <stdlib.h>

#include "unit/fmt/draft_fixture.h"

#define TYPE "event_types { name_string_index: 1 unit_string_index: 2 } "
#define STRINGS "strings: ['', 'cpu', 'ms'] "
#define PLAIN "resource\nscope \nprofile cpu/ms\n\tstack 1 3\n"

static int text_read(struct op_model *m, const char *text, struct op_err *err)
{
	return draft_decode(op_events_text_read, m, op_view_z(text), err);
}

static const struct draft_row takes_rows[] = {
	{ "as protobuf writes it",
	  TYPE STRINGS "events { stack_index: 1 count: 3 }", PLAIN },
	{ "comments and white space",
	  "# one\n" TYPE "#\n" STRINGS
	  "\tevents\r\n{stack_index # two\n : 1 count:3}#",
	  PLAIN },
	{ "a colon before a message",
	  TYPE STRINGS "events: { stack_index: 1 count: 3 }", PLAIN },
	{ "angles", TYPE STRINGS "events < stack_index: 1 count: 3 >", PLAIN },
	{ "commas and semicolons",
	  TYPE STRINGS "events { stack_index: 1, count: 3; };", PLAIN },
	{ "a list of messages, without commas",
	  TYPE STRINGS "events: [ { stack_index: 1 count: 1 } "
		       "{ stack_index: 1 count: 2 } ]",
	  PLAIN },
	{ "a comma too many",
	  TYPE STRINGS "events: [ { stack_index: 1 count: 3, }, ],", PLAIN },
	{ "an empty list",
	  TYPE STRINGS "links: [] events { stack_index: 1 "
		       "count: 3 attributes: [] }",
	  PLAIN },
	{ "digits with _ between them",
	  TYPE STRINGS "events { stack_index: 0_1 count: 0x3 }", PLAIN },
	{ "octal", TYPE STRINGS "events { stack_index: 01 count: 03 }", PLAIN },
	{ "strings behind one another, with escapes",
	  TYPE "strings: '' strings: \"c\" 'p\\x75' strings: '\\155\\u0073' "
	       "events { stack_index: 1 count: 3 }",
	  PLAIN },
	{ "names of the proposal's text",
	  "event_types { name_string_index: 1 clock_id: 0 } strings: ['', "
	  "'cpu', 'k'] clocks { frequency: 1000 time_unix_nanos: 7 } "
	  "attributes { key_index: 2 value: { key_index: 1 } } "
	  "events { time: 1 attributes: [0] }",
	  "resource\nscope \nprofile cpu/\n\t- @1000007 k=cpu\n" },
	{ "values of every kind",
	  TYPE
	  "strings: ['', 'cpu', 'ms', 'a', 'b', 'c', 'd', 'e'] "
	  "attributes { key_string_index: 3 value { bool_value: true } } "
	  "attributes { key_string_index: 4 value { double_value: -1.5 } } "
	  "attributes { key_string_index: 5 value { bytes_value: '\\001' }"
	  " } attributes { key_string_index: 6 value { array_value { "
	  "values { int_value: -7 } values { string_index: 1 } } } } "
	  "attributes { key_string_index: 7 value { kvlist_value { values "
	  "{ key_string_index: 3 value { bool_value: f } } } } } "
	  "events { count: 3 attribute_indices: [0, 1, 2, 3, 4] }",
	  "resource\nscope \nprofile cpu/ms\n"
	  "\t- 3 a=true b=(kind 4, 0 elements) c=(kind 7, 0 elements) "
	  "d=(kind 5, 2 elements):-7,cpu e=(kind 6, 1 elements)\n" },
	{ "profiles in resources",
	  "resource_profiles { resource { attributes { key: 'host' value { "
	  "string_value: 'x' } } } scope_profiles { scope { name: 'lib' } "
	  "profiles { " TYPE STRINGS "events { count: 3 } } } }",
	  "resource host=x\nscope lib\nprofile cpu/ms\n\t- 3\n" },
	{ "stacks that are there",
	  TYPE "strings: ['', 'cpu', 'ms', 'main'] stacks: [{}, { "
	       "location_index: [0] }] locations { line {} } functions { "
	       "name_string_uindex: 3 } events { stack_index: 1 count: 3 }",
	  "resource\nscope \nprofile cpu/ms\n\tmain 3\n" },
	{ "nothing but a type", TYPE STRINGS,
	  "resource\nscope \nprofile cpu/ms\n" },
};

TEST(takes)
{
	for (size_t i = 0; i < op_countof(takes_rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;

		if (text_read(&m, takes_rows[i].text, &err)) {
			TEST_FAIL("%s: %.100s at %d", takes_rows[i].name,
				  err.text, (int)err.at);
			continue;
		}
		if (strcmp(sketch_text(&m), takes_rows[i].result))
			TEST_FAIL("%s: %s", takes_rows[i].name,
				  sketch_text(&m));
		op_model_free(&m);
	}
}

/* ^ stands before the place and is not part of the text. */
static const struct {
	const char *text, *message;
} refuses_rows[] = {
	{ "^nothing: 1", "unknown field" },
	{ "events { ^nothing: 1 }", "unknown field" },
	{ "^: 1", "expected a field name" },
	{ "^[ext]: 1", "expected a field name" },
	{ "events { count ^1 }", "expected a colon" },
	{ "events { count: ^x }", "expected an integer" },
	{ "events { count: ^1.5 }", "expected an integer" },
	{ "events { count: ^_1 }", "expected an integer" },
	{ "events { count: ^1__0 }", "expected an integer" },
	{ "events { count: ^08 }", "expected an integer" },
	{ "events { count: ^-1 }", "the number is too small" },
	{ "events { count: ^18446744073709551616 }", "expected an integer" },
	{ "events { stack_index: ^4294967296 }", "the number is too large" },
	{ "events { time: ^9223372036854775808 }", "the number is too large" },
	{ "events { time: ^-9223372036854775809 }", "the number is too small" },
	{ "events: ^5", "expected a message in braces" },
	{ "events { count: 1^", "unterminated message" },
	{ "strings: ['a'^", "unterminated list" },
	{ "strings: ^'a", "unterminated string" },
	{ "strings: ^'a\n'", "unterminated string" },
	{ "strings: '\\^q'", "unknown escape" },
	{ "strings: '\\^x'", "unknown escape" },
	{ "strings: ^5", "expected a string" },
	{ "locations { is_folded: ^2 }", "expected true or false" },
	{ "attributes { value { double_value: ^x } }", "expected a number" },
	{ "strings: '' mappings { build_id_kind: ^OTHER }",
	  "expected an integer" },
	{ "time_unix_nano: 1 ^1", "unknown field" },
	/* Of the message, told at its place in the text */
	{ "strings: ^'x'", "the first string is not empty" },
	{ TYPE STRINGS "events { event_type_index: ^1 }",
	  "event type index 1 is out of range for a table of 1" },
	{ TYPE STRINGS "events { count: 1 } events { attributes: [^4] }",
	  "attribute index 4 is out of range for a table of 0" },
	{ TYPE STRINGS "stacks {} events { stack_index: ^1 }",
	  "stack index 1 is out of range for a table of 1" },
	{ "event_types { name_string_index: ^7 } " STRINGS,
	  "string index 7 is out of range for a table of 3" },
	{ "event_types { clock_index: ^0 }",
	  "clock index 0 is out of range for a table of 0" },
};

TEST(refuses)
{
	for (size_t i = 0; i < op_countof(refuses_rows); i++) {
		struct op_err err = { 0 };
		struct op_model m;
		char text[400];
		size_t at = strcspn(refuses_rows[i].text, "^");

		snprintf(text, sizeof(text), "%.*s%s", (int)at,
			 refuses_rows[i].text, refuses_rows[i].text + at + 1);
		CHECK_EQ(text_read(&m, text, &err), OP_EFORMAT);
		CHECK_STR(err.text, refuses_rows[i].message);
		if (err.at != at)
			TEST_FAIL("%s: at %d, not %d", text, (int)err.at,
				  (int)at);
		if (!err.code)
			op_model_free(&m);
	}
}

TEST(depth)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct op_model m;

	op_buf_z(&text, "attributes { value {");
	for (int i = 0; i < 150; i++)
		op_buf_z(&text, "array_value{values{");
	CHECK_EQ(draft_decode(op_events_text_read, &m, op_view(text.p, text.n),
			      &err),
		 OP_ELIMIT);
	op_buf_free(&text);
}

TEST(not_text)
{
	struct op_err err = { 0 };
	struct op_model m;

	CHECK_EQ(text_read(&m, "strings: '\xff'", &err), OP_EFORMAT);
	CHECK_EQ(err.at, 10);
	CHECK_STR(err.text, "the text is not valid UTF-8");
}

/* Random models of OTLP: the text reads back as the bytes do. */
TEST(generated)
{
	static char text[WIRE_MAX];
	static struct wire w;

	for (uint32_t seed = 1; seed <= 60; seed++) {
		struct op_err err = { 0 };
		struct op_pbw bytes = { .err = &err };
		struct op_buf out = { .err = &err };
		struct op_model m = { 0 }, a = { 0 }, b = { 0 };

		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		CHECK(!wire_decode(&m, wire_view(&w), NULL, &err));
		CHECK(!op_events_encode(&m, NULL, &bytes));
		CHECK(!op_events_decode(&a, op_pbw_result(&bytes), &err));
		CHECK(!op_events_text_write(&m, NULL, &out));
		CHECK(!op_events_text_read(&b, op_view(out.p, out.n), &err));
		if (err.code || !draft_same(&a, &b))
			TEST_FAIL("seed %u: %.100s", seed, err.text);
		op_pbw_free(&bytes);
		op_buf_free(&out);
		op_model_free(&m);
		op_model_free(&a);
		op_model_free(&b);
	}
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_model m;

		if (!text_read(&m, takes_rows[12].text, &err)) {
			op_events_text_write(&m, NULL, &out);
			op_model_free(&m);
		}
		op_buf_free(&out);
		CHECK(!err.code || err.code == OP_ENOMEM);
	}
}

TEST_MAIN(takes, refuses, depth, not_text, generated, oom)
