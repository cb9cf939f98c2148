// SPDX-License-Identifier: Apache-2.0
#include "model/check.h"

#include "test.h"
#include "write/wire.h"

#define TRACE "000102030405060708090a0b0c0d0e0f"
#define BUILD_ID "process.executable.build_id.gnu"
#define P "resource_profiles[0].scope_profiles[0].profiles[0]"
#define DICT "dictionary."

/* A message without a fault. */
static const char valid[] =
	"2{ 1{} 1{ 1:16 2:32 4:3 5[1] } "
	"2{} 2{ 1:1 2:20 3{ 1:1 2:10 } } 3{} 3{ 1:1 } "
	"4{} 4{ 1#" TRACE " 2#0001020304050607 } "
	"5'' 5'fn' 5'cpu' 5'/bin/x' 5'" BUILD_ID "' "
	"6{} 6{ 1:4 2{ 1'abc' } } 7{} 7{ 1[1] } } "
	"1{ 1{ 1{ 1'host' 2{ 1'h' } } } 2{ 1{ 1's' } "
	"2{ 1{ 1:2 } 2{ 1:1 3:1 4[5] 5<950> } 3@900 4:100 } } }";

/* valid with the first from replaced by to, one change after the other; a row
 * whose first from is NULL is a message of its own. */
enum { MAX_CHANGES = 3 };

struct change {
	const char *from, *to;
};

static const char *changed(const struct change *c)
{
	static char out[MAX_CHANGES][4096];
	const char *in = valid;

	if (!c[0].from)
		return c[0].to;
	for (int i = 0; i < MAX_CHANGES && c[i].from; i++) {
		const char *at = strstr(in, c[i].from);

		if (!at) {
			TEST_FAIL("'%s' is not in the message", c[i].from);
			return valid;
		}
		snprintf(out[i], sizeof(out[i]), "%.*s%s%s", (int)(at - in), in,
			 c[i].to, at + strlen(c[i].from));
		in = out[i];
	}
	return in;
}

struct findings {
	unsigned int nr;
	struct op_finding first, last;
};

static void note(void *ctx, const struct op_finding *f)
{
	struct findings *all = ctx;

	if (!all->nr++)
		all->first = *f;
	all->last = *f;
}

/* For a failed row: what was found in place of what should have been. */
static void tell(const struct findings *all)
{
	if (all->nr)
		fprintf(stderr, "  first %s at %s: %s\n",
			op_rules[all->first.rule].name, all->first.path,
			all->first.text);
	if (all->nr > 1)
		fprintf(stderr, "  last %s at %s: %s\n",
			op_rules[all->last.rule].name, all->last.path,
			all->last.text);
}

/* Checks text; what is found is in *found and *result. */
static int check(const char *text, const struct op_check_opts *opts,
		 struct findings *found, struct op_check_result *result)
{
	struct op_otlp_opts unchecked = { .unchecked = true };
	static struct wire w;
	struct op_model m;
	struct op_err err;

	*found = (struct findings){ 0 };
	*result = (struct op_check_result){ 0 };
	wire_set(&w, text);
	CHECK_EQ(wire_decode(&m, wire_view(&w), &unchecked, &err), OP_OK);
	if (!err.code)
		CHECK_EQ(op_check(&m, opts, note, found, result, &err), OP_OK);
	op_model_free(&m);
	return err.code;
}

#define EMPTY_PROFILE "1{ 2{ 2{} } } "
#define SECOND(fields)                           \
	{                                        \
		"4:100", "4:100 2{ " fields " }" \
	}

static const struct {
	enum op_rule rule;
	const char *path;
	struct change change[MAX_CHANGES];
} rows[] = {
	{ OP_RULE_RESOURCE_MISSING,
	  "resource_profiles",
	  { { NULL, "2{ " WIRE_ZERO_ROWS "}" } } },
	{ OP_RULE_SCOPE_MISSING,
	  "resource_profiles[0].scope_profiles",
	  { { NULL, "1{} 2{ " WIRE_ZERO_ROWS "}" } } },
	{ OP_RULE_PROFILE_MISSING,
	  "resource_profiles[1].scope_profiles[0].profiles",
	  { { NULL, EMPTY_PROFILE "1{ 2{} } 2{ " WIRE_ZERO_ROWS "}" } } },

	{ OP_RULE_ZERO_ELEMENT,
	  DICT "mapping_table",
	  { { NULL, EMPTY_PROFILE "2{ 2{} 3{} 4{} 5'' 6{} 7{} }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "location_table",
	  { { NULL, EMPTY_PROFILE "2{ 1{} 3{} 4{} 5'' 6{} 7{} }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "function_table",
	  { { NULL, EMPTY_PROFILE "2{ 1{} 2{} 4{} 5'' 6{} 7{} }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "link_table",
	  { { NULL, EMPTY_PROFILE "2{ 1{} 2{} 3{} 5'' 6{} 7{} }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "string_table",
	  { { NULL, EMPTY_PROFILE "2{ 1{} 2{} 3{} 4{} 6{} 7{} }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "attribute_table",
	  { { NULL, EMPTY_PROFILE "2{ 1{} 2{} 3{} 4{} 5'' 7{} }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "stack_table",
	  { { NULL, EMPTY_PROFILE "2{ 1{} 2{} 3{} 4{} 5'' 6{} }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "mapping_table",
	  { { "1{}", "1{ 2:1 }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "location_table",
	  { { "2{}", "2{ 2:1 }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "function_table",
	  { { "3{}", "3{ 4:1 }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "link_table",
	  { { "4{}", "4{ 1#" TRACE " }" } } },
	{ OP_RULE_ZERO_ELEMENT, DICT "string_table", { { "5''", "5'x'" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "attribute_table",
	  { { "6{}", "6{ 2{ 3:0 } }" } } },
	{ OP_RULE_ZERO_ELEMENT,
	  DICT "stack_table",
	  { { "7{}", "7{ 1[1 1] }" } } },

	{ OP_RULE_STRING_INDEX,
	  P ".sample_type.unit_strindex",
	  { { "1{ 1:2 }", "1{ 1:2 2:9 }" } } },
	{ OP_RULE_STRING_INDEX,
	  P ".sample_type.type_strindex",
	  { { "1{ 1:2 } 2{ 1:1", "1{ 1:5 2:2 } 2{ 1:1" } } },
	{ OP_RULE_STRING_INDEX,
	  P ".period_type.type_strindex",
	  { { "4:100", "4:100 5{ 1:9 }" } } },
	{ OP_RULE_STRING_INDEX,
	  P ".period_type.unit_strindex",
	  { { "4:100", "4:100 5{ 2:-1 }" } } },
	{ OP_RULE_STRING_INDEX,
	  DICT "function_table[1].system_name_strindex",
	  { { "3{ 1:1 }", "3{ 1:1 2:9 }" } } },
	{ OP_RULE_STRING_INDEX,
	  DICT "function_table[1].filename_strindex",
	  { { "3{ 1:1 }", "3{ 1:1 3:9 }" } } },
	{ OP_RULE_STRING_INDEX,
	  DICT "mapping_table[1].filename_strindex",
	  { { "4:3 5[1]", "4:9 5[1]" }, { "3{ 1:1 }", "3{ 1:1 3:3 }" } } },
	{ OP_RULE_STRING_INDEX,
	  DICT "attribute_table[1].unit_strindex",
	  { { "2{ 1'abc' }", "2{ 1'abc' } 3:9" } } },
	{ OP_RULE_STRING_INDEX,
	  DICT "attribute_table[1].value",
	  { { "1'abc'", "5{ 1{ 8:9 } }" } } },
	{ OP_RULE_STRING_INDEX,
	  "resource_profiles[0].resource.attributes",
	  { { "2{ 1'h' }", "2{ 8:9 }" } } },
	{ OP_RULE_STRING_INDEX,
	  "resource_profiles[0].scope_profiles[0]"
	  ".scope.attributes",
	  { { "1's'", "1's' 3{ 3:9 }" } } },
	{ OP_RULE_ATTRIBUTE_INDEX,
	  P ".samples[0].attribute_indices",
	  { { "2{ 1:1 3:1", "2{ 1:1 2[9] 3:1" } } },
	{ OP_RULE_ATTRIBUTE_INDEX,
	  P ".attribute_indices",
	  { { "4:100", "4:100 11[9]" } } },
	{ OP_RULE_ATTRIBUTE_INDEX,
	  DICT "mapping_table[1].attribute_indices",
	  { { "5[1]", "5[1 9]" }, { "1:16", "1:15" } } },
	{ OP_RULE_ATTRIBUTE_INDEX,
	  DICT "location_table[1].attribute_indices",
	  { { "3{ 1:1 2:10 }", "3{ 1:1 2:10 } 4[9]" } } },
	{ OP_RULE_STACK_INDEX,
	  P ".samples[1].stack_index",
	  { SECOND("1:9 4[5] 5<950>") } },
	{ OP_RULE_LINK_INDEX,
	  P ".samples[1].link_index",
	  { SECOND("3:9 4[5] 5<950>") } },
	{ OP_RULE_LOCATION_INDEX,
	  DICT "stack_table[1].location_indices",
	  { { "7{ 1[1] }", "7{ 1[1 9] }" } } },
	{ OP_RULE_MAPPING_INDEX,
	  DICT "location_table[2].mapping_index",
	  { { "2:10 } }", "2:10 } } 2{ 1:9 }" }, { "1[1]", "1[1 2]" } } },
	{ OP_RULE_FUNCTION_INDEX,
	  DICT "location_table[1].lines.function_index",
	  { { "3{ 1:1 2:10 }", "3{ 1:1 2:10 } 3{ 1:9 }" } } },

	{ OP_RULE_KEY_TWICE,
	  DICT "mapping_table[1].attribute_indices",
	  { { "5[1]", "5[1 1]" } } },
	{ OP_RULE_KEY_TWICE,
	  P ".samples[0].attribute_indices",
	  { { "1'abc' } }", "1'abc' } } 6{ 1:4 2{ 3:1 } }" },
	    { "2{ 1:1 3:1", "2{ 1:1 2[1 2] 3:1" } } },
	{ OP_RULE_KEY_TWICE,
	  "resource_profiles[0].resource.attributes",
	  { { "1{ 1'host'", "1{ 1'host' } 1{ 1'host'" } } },
	{ OP_RULE_KEY_TWICE,
	  DICT "attribute_table[1].value",
	  { { "1'abc'", "6{ 1{ 1'a' } 1{ 1'a' } }" } } },
	{ OP_RULE_KEY_AMBIGUOUS,
	  "resource_profiles[0].resource.attributes",
	  { { "1'host'", "1'host' 3:2" } } },

	{ OP_RULE_SAMPLE_EMPTY, P ".samples[0]", { { "4[5] 5<950>", "" } } },
	{ OP_RULE_SAMPLE_COUNTS,
	  P ".samples[0].values",
	  { { "4[5]", "4[5 6]" } } },
	{ OP_RULE_SAMPLE_VALUES,
	  P ".samples[0].values",
	  { { "4[5] 5<950>", "4[5 6]" } } },
	{ OP_RULE_MAPPING_RANGE,
	  DICT "mapping_table[1].memory_limit",
	  { { "2:32", "2:16" } } },
	{ OP_RULE_MAPPING_RANGE,
	  DICT "mapping_table[1].memory_limit",
	  { { "2:32", "" } } },
	{ OP_RULE_LINE_NEGATIVE,
	  DICT "location_table[1].lines",
	  { { "2:10", "2:-1" } } },
	{ OP_RULE_LINE_NEGATIVE,
	  DICT "location_table[1].lines",
	  { { "2:10", "3:-1" } } },
	{ OP_RULE_LINE_NEGATIVE,
	  DICT "function_table[1].start_line",
	  { { "3{ 1:1 }", "3{ 1:1 4:-1 }" } } },
	{ OP_RULE_FUNCTION_NAME,
	  DICT "function_table[2]",
	  { { "3{ 1:1 }", "3{ 1:1 } 3{ 4:7 }" },
	    { "3{ 1:1 2:10 }", "3{ 1:1 2:10 } 3{ 1:2 }" } } },
	{ OP_RULE_ID_LENGTH,
	  DICT "link_table[1].trace_id",
	  { { "1#" TRACE, "1#0102" } } },
	{ OP_RULE_ID_LENGTH,
	  DICT "link_table[1].span_id",
	  { { "2#0001020304050607", "" } } },
	{ OP_RULE_ID_LENGTH, P ".profile_id", { { "4:100", "4:100 7#0102" } } },
	{ OP_RULE_PROFILE_ID_ZERO,
	  P ".profile_id",
	  { { "4:100", "4:100 7#00000000000000000000000000000000" } } },
	{ OP_RULE_PAYLOAD_FORMAT,
	  P ".original_payload",
	  { { "4:100", "4:100 9'pprof'" } } },
	{ OP_RULE_PAYLOAD_FORMAT,
	  P ".original_payload",
	  { { "4:100", "4:100 10'bytes'" } } },
	{ OP_RULE_UTF8, DICT "string_table[1]", { { "5'fn'", "5'f\xff'" } } },
	{ OP_RULE_UTF8,
	  DICT "attribute_table[1].value",
	  { { "1'abc'", "1'\xc3'" } } },
	{ OP_RULE_UTF8,
	  "resource_profiles[0].resource.attributes",
	  { { "1'host'", "1'\xc3'" } } },
	{ OP_RULE_UTF8,
	  "resource_profiles[0].scope_profiles[0].scope.name",
	  { { "1's'", "1'\xc3'" } } },
	{ OP_RULE_UTF8,
	  "resource_profiles[0].scope_profiles[0].scope.version",
	  { { "1's'", "1's' 2'\xc3'" } } },
	{ OP_RULE_UTF8,
	  "resource_profiles[0].scope_profiles[0].schema_url",
	  { { "1{ 1's' }", "1{ 1's' } 3'\xc3'" } } },
	{ OP_RULE_UTF8,
	  "resource_profiles[0].resource.entity_refs",
	  { { "1{ 1'host'", "3{ 3'\xc3' } 1{ 1'host'" } } },
	{ OP_RULE_UTF8,
	  P ".original_payload_format",
	  { { "4:100", "4:100 9'\xc3' 10'x'" } } },

	{ OP_RULE_TIME_RANGE,
	  P ".samples[0].timestamps_unix_nano",
	  { { "5<950>", "5<1000>" } } },
	{ OP_RULE_TIME_RANGE,
	  P ".samples[0].timestamps_unix_nano",
	  { { "5<950>", "5<899>" } } },
	{ OP_RULE_SAMPLE_SHAPES, P ".samples[1]", { SECOND("4[1]") } },
	{ OP_RULE_SAMPLE_SHAPES, P ".samples[1]", { SECOND("5<950>") } },
	{ OP_RULE_SAMPLE_TWICE,
	  P ".samples[1]",
	  { SECOND("1:1 3:1 4[5] 5<950>") } },
	{ OP_RULE_LINK_ZERO,
	  DICT "link_table[1].trace_id",
	  { { TRACE, "00000000000000000000000000000000" } } },
	{ OP_RULE_LINK_ZERO,
	  DICT "link_table[1].span_id",
	  { { "0001020304050607 }", "0000000000000000 }" } } },

	{ OP_RULE_DUPLICATE,
	  DICT "string_table[5]",
	  { { BUILD_ID "'", BUILD_ID "' 5'fn'" },
	    { "3{ 1:1 }", "3{ 1:1 2:5 }" } } },
	{ OP_RULE_DUPLICATE,
	  DICT "link_table[2]",
	  { { "4{}", "4{} 4{ 1#" TRACE " 2#0001020304050607 }" },
	    SECOND("3:2 4[5] 5<950>") } },
	{ OP_RULE_DUPLICATE,
	  DICT "attribute_table[2]",
	  { { "6{}", "6{} 6{ 1:4 2{ 1'abc' } }" },
	    SECOND("2[2] 4[5] 5<950>") } },
	{ OP_RULE_DUPLICATE,
	  DICT "stack_table[2]",
	  { { "7{}", "7{} 7{ 1[1] }" }, SECOND("1:2 4[5] 5<950>") } },
	{ OP_RULE_DUPLICATE,
	  DICT "function_table[2]",
	  { { "3{}", "3{} 3{ 1:1 }" },
	    { "3{ 1:1 2:10 }", "3{ 1:1 2:10 } 3{ 1:2 }" } } },
	{ OP_RULE_DUPLICATE,
	  DICT "location_table[2]",
	  { { "2{}", "2{} 2{ 1:1 2:20 3{ 1:1 2:10 } }" },
	    { "1[1] }", "1[1 2] }" } } },
	{ OP_RULE_DUPLICATE,
	  DICT "mapping_table[2]",
	  { { "1{}", "1{} 1{ 1:16 2:32 4:3 5[1] }" },
	    { "2:10 } }", "2:10 } } 2{ 1:2 }" },
	    { "1[1] }", "1[1 2] }" } } },

	{ OP_RULE_ORPHAN,
	  DICT "string_table[5]",
	  { { BUILD_ID "'", BUILD_ID "' 5'x'" } } },
	{ OP_RULE_ORPHAN,
	  DICT "mapping_table[2]",
	  { { "5[1] }", "5[1] } 1{ 1:99 2:100 4:3 5[1] }" } } },
	{ OP_RULE_ORPHAN,
	  DICT "location_table[2]",
	  { { "2:10 } }", "2:10 } } 2{ 2:7 }" } } },
	{ OP_RULE_ORPHAN,
	  DICT "function_table[2]",
	  { { "3{ 1:1 }", "3{ 1:1 } 3{ 1:2 }" } } },
	{ OP_RULE_ORPHAN,
	  DICT "link_table[2]",
	  { { "0001020304050607 }",
	      "0001020304050607 } 4{ 1#" TRACE " 2#0101010101010101 }" } } },
	{ OP_RULE_ORPHAN,
	  DICT "attribute_table[2]",
	  { { "1'abc' } }", "1'abc' } } 6{ 1:4 2{ 1'x' } }" } } },
	{ OP_RULE_ORPHAN,
	  DICT "stack_table[2]",
	  { { "7{ 1[1] }", "7{ 1[1] } 7{ 1[1 1] }" } } },
	{ OP_RULE_BUILD_ID,
	  DICT "mapping_table[1].attribute_indices",
	  { { "5[1] }", "}" }, { "2:10 }", "2:10 } 4[1]" } } },
	{ OP_RULE_DIALECT,
	  "",
	  { { "2{ 1:1 3:1 4[5] 5<950> }", "2{ 1:1 4:1 2[5] 5<950> }" } } },
};

/* Each row breaks one rule, and that is what is found: once, at its place. */
TEST(each_rule)
{
	bool has_row[OP_NR_RULES] = { 0 };

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_check_result result;
		struct findings found;
		enum op_rule rule = rows[i].rule;
		bool is_error = op_rules[rule].is_error;

		check(changed(rows[i].change), NULL, &found, &result);
		CHECK_EQ(found.nr, 1);
		CHECK_STR(op_rules[found.first.rule].name, op_rules[rule].name);
		CHECK_EQ(found.first.is_error, is_error);
		CHECK(!strcmp(found.first.path, rows[i].path));
		CHECK(found.first.text[0]);
		CHECK_EQ(result.nr[rule], 1);
		CHECK_EQ(result.nr_errors, is_error);
		CHECK_EQ(result.nr_warnings, !is_error);
		if (test_failed != before) {
			fprintf(stderr, "  in row %zu: %s at %s\n", i,
				op_rules[rule].name, rows[i].path);
			tell(&found);
		}
		has_row[rule] = true;
	}
	for (int r = 0; r < OP_NR_RULES; r++)
		if (!has_row[r])
			TEST_FAIL("no row for %s", op_rules[r].name);
}

TEST(rules_are_named)
{
	for (int r = 0; r < OP_NR_RULES; r++) {
		CHECK(op_rules[r].name && op_rules[r].ref);
		CHECK(op_rules[r].summary && *op_rules[r].summary);
		for (int k = 0; k < r; k++)
			CHECK(strcmp(op_rules[r].name, op_rules[k].name));
	}
}

/* --- what is fine --- */

static const struct {
	const char *name;
	struct change change[MAX_CHANGES];
} fine[] = {
	{ "the message", { { "1{ 1's' }", "1{ 1's' }" } } },
	{ "link 0 of zero bytes",
	  { { "4{}", "4{ 1#00000000000000000000000000000000 "
		     "2#0000000000000000 }" } } },
	{ "link 0 of empty ids", { { "4{}", "4{ 1'' 2'' }" } } },
	{ "attribute 0 with an empty value", { { "6{}", "6{ 2{} }" } } },
	{ "first and last moment", { { "4[5] 5<950>", "4[5 6] 5<900 999>" } } },
	{ "end of time", { { "3@900 4:100", "3@900 4:0xffffffffffffffff" } } },
	{ "a mapping without addresses", { { "1:16 2:32 4:3", "4:3" } } },
	{ "only times", { { "4[5] 5<950>", "5<950>" } } },
	{ "one value without a time", { { "4[5] 5<950>", "4[5]" } } },
	{ "a function with a file name only", { { "3{ 1:1 }", "3{ 3:1 }" } } },
	{ "an id, a payload and its format",
	  { { "4:100", "4:100 7#" TRACE " 9'pprof' 10'x'" } } },
	{ "a key by reference", { { "1'host' 2{ 1'h' }", "3:2 2{ 8:1 }" } } },
	{ "strings used by resources only",
	  { { BUILD_ID "'", BUILD_ID "' 5'rk' 5'rv'" },
	    { "1'host' 2{ 1'h' }", "3:5 2{ 5{ 1{ 8:6 } } }" } } },
	{ "strings used by values only",
	  { { BUILD_ID "'", BUILD_ID "' 5'hex'" }, { "1'abc'", "8:5" } } },
	{ "the same key in two lists",
	  { { "1'abc' } }", "1'abc' } } 6{ 1:4 2{ 1'x' } }" },
	    { "2{ 1:1 3:1", "2{ 1:1 2[2] 3:1" } } },
	{ "samples that differ in their link", { SECOND("1:1 4[5] 5<950>") } },
};

TEST(nothing_found)
{
	for (int strict = 0; strict < 2; strict++) {
		struct op_check_opts opts = { .strict = strict };

		for (size_t i = 0; i < op_countof(fine); i++) {
			struct op_check_result result;
			struct findings found;

			check(changed(fine[i].change), &opts, &found, &result);
			if (found.nr)
				TEST_FAIL("%s", fine[i].name);
			tell(&found);
			CHECK_EQ(result.nr_errors + result.nr_warnings, 0);
		}
	}
}

/* --- options --- */

TEST(strict_makes_errors)
{
	struct op_check_opts opts = { .strict = true };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_check_result result;
		struct findings found;

		check(changed(rows[i].change), &opts, &found, &result);
		CHECK_EQ(result.nr_errors, 1);
		CHECK_EQ(result.nr_warnings, 0);
		CHECK(found.first.is_error);
	}
}

/* Strict or not, a mapping that can have no build id is no error; without
 * strict it is a warning like the others. */
static const struct {
	const char *name;
	struct change change[MAX_CHANGES];
	bool forgiven;
} mappings[] = {
	{ "a file", { { "1:4 2{ 1'abc' }", "1:1 2{ 1'abc' }" } }, false },
	{ "virtual", { { "1:4 2{", "1:1 2{" }, { "/bin/x", "[vdso]" } }, true },
	{ "anonymous",
	  { { "1:4 2{", "1:1 2{" }, { "/bin/x", "//anon" } },
	  true },
	{ "no file", { { "1:4 2{", "1:3 2{" }, { "4:3 5[1]", "5[1]" } }, true },
	{ "no addresses",
	  { { "1:4 2{", "1:1 2{" }, { "1:16 2:32", "" } },
	  true },
	{ "from pprof", { { BUILD_ID, "pprof.mapping.has_functions" } }, true },
	{ "Go", { { BUILD_ID, "process.executable.build_id.go" } }, true },
	{ "hash",
	  { { BUILD_ID, "process.executable.build_id.htlhash" } },
	  true },
	{ "another id",
	  { { BUILD_ID, "process.executable.build_id.x" } },
	  false },
};

TEST(build_ids)
{
	struct op_check_opts opts = { .strict = true };

	for (size_t i = 0; i < op_countof(mappings); i++) {
		struct op_check_result result;
		struct findings found;

		check(changed(mappings[i].change), &opts, &found, &result);
		if (result.nr[OP_RULE_BUILD_ID] != !mappings[i].forgiven)
			TEST_FAIL("%s", mappings[i].name);
	}
}

/* most bounds what is told, not what is counted. */
TEST(most)
{
	static const char text[] = EMPTY_PROFILE "2{ " WIRE_ZERO_ROWS
						 "5'a' 5'b' 5'c' 5'd' 3{ 1:9 } "
						 "3{ 1:8 } }";
	static const struct {
		uint64_t most;
		unsigned int told;
	} caps[] = { { 0, 8 }, { 1, 2 }, { 2, 4 }, { 100, 8 } };

	for (size_t i = 0; i < op_countof(caps); i++) {
		struct op_check_opts opts = { .most = caps[i].most };
		struct op_check_result result;
		struct findings found;

		check(text, &opts, &found, &result);
		CHECK_EQ(result.nr[OP_RULE_ORPHAN], 6);
		CHECK_EQ(result.nr[OP_RULE_STRING_INDEX], 2);
		CHECK_EQ(result.nr_errors, 2);
		CHECK_EQ(result.nr_warnings, 6);
		CHECK_EQ(found.nr, caps[i].told);
	}
}

/* Results of several messages add up; nobody need listen. */
TEST(counts_add_up)
{
	struct op_check_result result = { 0 };
	struct op_err err = { 0 };
	struct op_model m = { .mem.err = &err };

	CHECK_EQ(op_dict_complete(&m.dict, &m.mem), OP_OK);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(op_check(&m, NULL, NULL, NULL, &result, &err), OP_OK);
	CHECK_EQ(result.nr[OP_RULE_RESOURCE_MISSING], 3);
	CHECK_EQ(result.nr[OP_RULE_ZERO_ELEMENT], 3 * OP_NR_TABLES);
	op_model_free(&m);
}

TEST(dialects)
{
	struct op_check_result result;
	struct findings found;

	/* v1.10 or v1.9: a doubt. */
	check("2{ " WIRE_ZERO_ROWS "} 1{ 2{ 2{ 3@1 4:9 2{ 2[0] 5<2> } } } }",
	      NULL, &found, &result);
	CHECK_EQ(result.nr[OP_RULE_DIALECT], 1);
	CHECK(strstr(found.first.text, "v1.9"));
	/* Certainly v1.7. */
	check("2{ 2{} 5'' } 1{ 2{ 2{ 2{ 2:1 3[5] } 3[0] 5:7 } } }", NULL,
	      &found, &result);
	CHECK_EQ(result.nr[OP_RULE_DIALECT], 1);
	CHECK(strstr(found.first.text, "v1.7"));
}

/* --- what is not fine at all --- */

TEST(long_lists)
{
	static char text[WIRE_MAX];
	struct op_check_result result;
	struct findings found;
	size_t n = 0;

	/* 100 attributes of 50 keys, in one list. */
	n += (size_t)snprintf(text + n, sizeof(text) - n, "1{ 1{ ");
	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "1{ 1'key%d' } ", i % 50);
	snprintf(text + n, sizeof(text) - n,
		 "} 2{ 2{} } } 2{ " WIRE_ZERO_ROWS "}");
	check(text, &(struct op_check_opts){ .most = 1 }, &found, &result);
	CHECK_EQ(result.nr[OP_RULE_KEY_TWICE], 50);
	CHECK_EQ(result.nr_errors, 50);
}

TEST(nothing_in_range)
{
	struct op_check_result result;
	struct findings found;

	check("2{ 1{ 4:-1 5[90 -1] } 1{ 4:91 5[92] } 2{ 1:94 3{ 1:95 } 4[96] }"
	      " 3{ 1:97 2:98 3:-1 } 4{ 1#01 } 5'\xff' 6{ 1:99 2{ 8:-1 } 3:90 } "
	      "6{ 1:0 2{ 6{ 1{ 3:91 2{ 5{ 1{ 8:92 } } } } } } } "
	      "7{ 1[93 -1 0x7fffffffffffffff] } } "
	      "1{ 1{ 1{ 3:94 2{ 8:95 } } } 2{ 1{ 3{ 3:96 } } 2{ 1{ 1:97 2:98 } "
	      "5{ 1:99 2:-1 } 2{ 1:90 2[91 92 1] 3:93 4[1 2] 5<1> } "
	      "2{ 1:90 2[92 91 1] 3:93 4[1] } 7#01 11[94 95] } } }",
	      &(struct op_check_opts){ .most = 1 }, &found, &result);
	CHECK(result.nr[OP_RULE_STRING_INDEX] > 10);
	CHECK(result.nr[OP_RULE_ATTRIBUTE_INDEX] > 5);
	CHECK(result.nr[OP_RULE_LOCATION_INDEX] == 3);
	CHECK(result.nr[OP_RULE_MAPPING_INDEX] == 1);
	CHECK(result.nr[OP_RULE_FUNCTION_INDEX] == 1);
	CHECK(result.nr[OP_RULE_STACK_INDEX] == 2);
	CHECK(result.nr[OP_RULE_LINK_INDEX] == 2);
	CHECK(result.nr[OP_RULE_SAMPLE_TWICE] == 1);
}

/* Any byte changed to any of a few, unchecked: no crash (ASan watches). */
TEST(bytes_changed)
{
	static const uint8_t to[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct op_otlp_opts unchecked = { .unchecked = true };
	static char text[WIRE_MAX];
	static struct wire w;
	unsigned int nr = 0;

	wire_generate(text, sizeof(text), 7);
	wire_set(&w, text);
	for (size_t i = 0; i < w.n * op_countof(to); i++) {
		uint8_t *byte = &w.p[i / op_countof(to)];
		struct op_check_result result = { 0 };
		uint8_t was = *byte;
		struct op_model m;
		struct op_err err;

		*byte = to[i % op_countof(to)];
		if (!wire_decode(&m, wire_view(&w), &unchecked, &err)) {
			CHECK_EQ(op_check(&m, NULL, NULL, NULL, &result, &err),
				 OP_OK);
			nr++;
		}
		op_model_free(&m);
		*byte = was;
	}
	CHECK(nr > w.n);
}

TEST(each_allocation_fails)
{
	static char text[WIRE_MAX];
	static struct wire w;
	struct op_model m;
	struct op_err ok;

	wire_generate(text, sizeof(text), 8);
	wire_set(&w, text);
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &ok), OP_OK);
	EACH_ALLOC_FAILS(k) {
		struct op_check_result result = { 0 };
		struct op_err err = { 0 };

		CHECK_EQ(op_check(&m, NULL, NULL, NULL, &result, &err),
			 op_alloc_failed() ? OP_ENOMEM : OP_OK);
	}
	op_model_free(&m);
}

TEST_MAIN(each_rule, rules_are_named, nothing_found, strict_makes_errors,
	  build_ids, most, counts_add_up, dialects, long_lists,
	  nothing_in_range, bytes_changed, each_allocation_fails)
