// SPDX-License-Identifier: Apache-2.0
/* One profile in the field numbers of every release, and what tells them
 * apart where it can be told. */
#include "fmt/otlp/dialect.h"

#include "fmt/format.h"
#include "model/merge.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

static struct wire w;

struct row {
	const char *name, *text, *dialect, *result;
	bool dialect_note;
};

static void check_row(const struct row *r)
{
	int before = test_failed;
	struct op_model m;
	struct op_err err;

	wire_set(&w, r->text);
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	CHECK_STR(m.dialect, r->dialect);
	CHECK_EQ(m.dialect_note != NULL, r->dialect_note);
	if (r->result)
		CHECK_STR(sketch_text(&m), r->result);
	if (test_failed != before)
		fprintf(stderr, "  in row '%s': %s\n", r->name, err.text);
	op_model_free(&m);
}

/* --- releases --- */

#define RESULT                                                   \
	"resource host=h\nscope \nprofile cpu/ns period 9 7+8\n" \
	"\tmain;leaf 5 k=v #1\n"
#define ATTRS_RESULT                                                 \
	"resource host=h\nscope \nprofile cpu/ns period 9 7+8 k=v\n" \
	"\tmain;leaf 5 k=v #1\n"
#define TRACE "1#01000000000000000000000000000000 2#0100000000000000"
#define RESOURCE(scopes) "1{ 1{ 1{ 1'host' 2{ 1'h' } } } 2{ " scopes " } } "
#define TYPE "1{ 1:1 2:2 } "

/* Until v1.7 stacks are slices of a list, and rows begin at 0. */
#define SLICE "2{ 1:1 2:2 3[5] 4[0] 5:0 } "

/* Strings, functions and locations, by the numbers of their tables. */
#define LEGACY_TABLES(strings, functions, locations)                          \
	strings "''" strings "'cpu'" strings "'ns'" strings "'leaf'" strings  \
		"'main' " functions "{ 1:3 } " functions "{ 1:4 } " locations \
		"{ 2:9 } " locations "{ 3{} } " locations "{ 3{ 1:1 } } "
#define KEY_VALUE "{ 1'k' 2{ 1'v' } } "

#define V1_4(more)                                        \
	RESOURCE("2{ " TYPE SLICE LEGACY_TABLES(          \
		"10", "6", "4") "5[0 1 2] "               \
				"7" KEY_VALUE "9{ " TRACE \
				" } 11:7 12:8 14:9 " more "}")
#define V1_6(more)                                                  \
	RESOURCE("2{ " TYPE SLICE "3[0 1 2] 4:7 5:8 7:9 " more "}") \
	LEGACY_TABLES("6", "4", "3") "7" KEY_VALUE "5{ " TRACE " } "
#define V1_7(more)                                                  \
	RESOURCE("2{ " TYPE SLICE "3[0 1 2] 4:7 5:8 7:9 " more "}") \
	"2{ " LEGACY_TABLES("5", "3", "2") "6" KEY_VALUE "4{ " TRACE " } } "

/* From v1.8 on stacks have a table, and row 0 is the zero value. */
#define TABLES                                                              \
	"2{ 1{} 2{} 2{ 3{ 1:1 } } 2{ 3{ 1:2 } } 3{} 3{ 1:3 } 3{ 1:4 } 4{} " \
	"4{ " TRACE " } 5'' 5'cpu' 5'ns' 5'leaf' 5'main' 5'k' 6{} "         \
	"6{ 1:5 2{ 1'v' } } 7{} 7{ 1[1 2] } } "
#define STACKS(sample, more) \
	RESOURCE("2{ " TYPE "2{ " sample "} 3@7 4:8 6:9 " more "}") TABLES
#define V1_8(more) STACKS("1:1 2[5] 3[1] 4:1 ", more)
#define V1_10(more) STACKS("1:1 2[1] 3:1 4[5] ", more)

static const struct row releases[] = {
	{ "v1.4", V1_4(""), "v1.4", RESULT, 0 },
	{ "v1.4 with its attributes", V1_4("18" KEY_VALUE), "v1.4",
	  ATTRS_RESULT, 0 },
	{ "v1.5", V1_4("22[0] "), "v1.5", ATTRS_RESULT, 0 },
	{ "v1.6", V1_6(""), "v1.6", RESULT, 0 },
	{ "v1.6 with attributes", V1_6("14[0] "), "v1.6", ATTRS_RESULT, 0 },
	{ "v1.7", V1_7(""), "v1.7", RESULT, 0 },
	{ "v1.7 with attributes", V1_7("14[0] "), "v1.7", ATTRS_RESULT, 0 },
	{ "v1.8", V1_8("12[1] "), "v1.8", ATTRS_RESULT, 0 },
	{ "v1.9", V1_8(""), "v1.9", RESULT, 0 },
	{ "v1.9 with attributes", V1_8("11[1] "), "v1.9", ATTRS_RESULT, 0 },
	{ "v1.10", V1_10(""), "v1.10", RESULT, 0 },
	{ "v1.10 with attributes", V1_10("11[1] "), "v1.10", ATTRS_RESULT, 0 },
};

TEST(each_release)
{
	for (size_t i = 0; i < op_countof(releases); i++)
		check_row(&releases[i]);
}

/* Whatever release a message came in, it goes out in today's, where nothing
 * is in doubt. */
TEST(goes_out_as_today)
{
	for (size_t i = 0; i < op_countof(releases); i++) {
		int before = test_failed;
		struct op_model m, again;
		struct op_err err;
		struct op_pbw out = { .err = &err };

		wire_set(&w, releases[i].text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		CHECK_EQ(op_otlp_encode(&m, &out), OP_OK);
		CHECK_EQ(wire_decode(&again, op_pbw_result(&out), NULL, &err),
			 OP_OK);
		CHECK_STR(again.dialect, "v1.10");
		CHECK_STR(again.dialect_note, NULL);
		CHECK_STR(sketch_text(&again), releases[i].result);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", releases[i].name);
		op_model_free(&m);
		op_model_free(&again);
		op_pbw_free(&out);
	}
}

/* --- doubts --- */

/* What we write is never in doubt, and is the same when it was read and
 * written again: also where samples have attributes and times alone, as many
 * of the one as of the other, which could be values of v1.9. */
TEST(what_we_write_is_clear)
{
	static const char *const texts[] = {
		"2{ 2[1] 4[1] 5<7> }",
		"2{ 2[1 2] 4[1 1] 5<7 8> }", /* a key twice */
		"2{ 2[3] 4[1] 5<7> } 2{ 1:1 4[1] 5<8> }",
		"2{ 1:1 4[1] 5<7> }",
	};

	for (size_t i = 0; i < op_countof(texts); i++) {
		struct op_err err = { 0 };
		struct op_pbw once = { .err = &err }, twice = { .err = &err };
		struct op_model m, again;
		char text[400];

		snprintf(text, sizeof(text),
			 "2{ 1{} 2{} 3{} 4{} 5'' 5'k' 5'l' 6{} "
			 "6{ 1:1 2{ 3:1 } } 6{ 1:1 2{ 3:2 } } "
			 "6{ 1:2 2{ 3:3 } } 7{} 7{} } 1{ 2{ 2{ %s } } }",
			 texts[i]);
		wire_set(&w, text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		CHECK_EQ(op_normalise(&m, &err), OP_OK);
		CHECK_EQ(op_otlp_encode(&m, &once), OP_OK);
		CHECK_EQ(wire_decode(&again, op_pbw_result(&once), NULL, &err),
			 OP_OK);
		CHECK_STR(again.dialect, "v1.10");
		CHECK_STR(again.dialect_note, NULL);
		CHECK_EQ(op_normalise(&again, &err), OP_OK);
		CHECK_EQ(op_otlp_encode(&again, &twice), OP_OK);
		if (!op_view_eq(op_pbw_result(&once), op_pbw_result(&twice)))
			TEST_FAIL("row %zu", i);
		op_pbw_free(&once);
		op_pbw_free(&twice);
		op_model_free(&m);
		op_model_free(&again);
	}
}

/* Attributes 1 and 2 have one key, 3 another. */
#define THREE_ATTRS                                               \
	"2{ 1{} 2{} 3{} 4{} 5'' 5'k' 5'l' 6{} 6{ 1:1 2{ 3:1 } } " \
	"6{ 1:1 2{ 3:2 } } 6{ 1:2 2{ 3:3 } } 7{} 7{} } "
#define SAMPLES(text) THREE_ATTRS "1{ 2{ 2{ " text " } } }"
#define LINKED(text) "2{ 4{} 4{ " TRACE " } } " SAMPLES(text)
#define HEAD "resource\nscope \nprofile /\n"

static const struct row doubts[] = {
	{ "only 1 and 2: the data must be in 2", SAMPLES("2{ 1:1 2[1] }"),
	  "v1.9", HEAD "\t- 1\n", 0 },
	{ "one such sample is enough", SAMPLES("2{ 1:1 2[3] 5<7> } 2{ 2[4] }"),
	  "v1.9", HEAD "\t- 3@7\n\t- 4\n", 0 },
	{ "1, 2 and 5, and 2 could be attributes", SAMPLES("2{ 2[3] 5<7> }"),
	  "v1.10", HEAD "\t- @7 l=3\n", 1 },
	{ "the same twice, of two keys", SAMPLES("2{ 2[1 3] 5<7 8> }"), "v1.10",
	  HEAD "\t- @7 @8 k=1 l=3\n", 1 },
	{ "2 is past the attributes", SAMPLES("2{ 2[9] 5<7> }"), "v1.9",
	  HEAD "\t- 9@7\n", 0 },
	{ "in any sample", SAMPLES("2{ 2[3] 5<7> } 2{ 2[-1] 5<8> }"), "v1.9",
	  HEAD "\t- -1@8\n\t- 3@7\n", 0 },
	{ "2 has a key twice", SAMPLES("2{ 2[1 2] 5<7 8> }"), "v1.9",
	  HEAD "\t- 1@7 2@8\n", 0 },
	{ "2 has a number twice", SAMPLES("2{ 2[3 3] 5<7 8> }"), "v1.9",
	  HEAD "\t- 3@7 3@8\n", 0 },
	{ "2 and 5 differ in number", SAMPLES("2{ 2[3] 5<7 8> }"), "v1.10",
	  HEAD "\t- @7 @8 l=3\n", 0 },
	{ "in any sample too", SAMPLES("2{ 2[3] 5<7> } 2{ 2[3] 5<7 8> }"),
	  "v1.10", NULL, 0 },
	{ "only 1 and 5", SAMPLES("2{ 1:1 5<7> }"), "v1.10", HEAD "\t- @7\n",
	  0 },
	{ "only 1", SAMPLES("2{ 1:1 }"), "v1.10", HEAD "\t-\n", 0 },
	{ "3 is a run", SAMPLES("2{ 2[5] 3[1] }"), "v1.9", HEAD "\t- 5 k=1\n",
	  0 },
	{ "3 is a number", SAMPLES("2{ 2[1] 3:0 5<7> }"), "v1.10",
	  HEAD "\t- @7 k=1\n", 0 },
	{ "4 is a number beside 2", SAMPLES("2{ 2[5] 4:0 }"), "v1.9",
	  HEAD "\t- 5\n", 0 },
	{ "4 is a run", SAMPLES("2{ 2[1] 4[5] }"), "v1.10", HEAD "\t- 5 k=1\n",
	  0 },
	{ "4 is a number alone: values not packed", SAMPLES("2{ 4:5 }"),
	  "v1.10", HEAD "\t- 5\n", 0 },
	{ "samples of both", SAMPLES("2{ 2[3] 3[3] } 2{ 3:0 4[5] }"), "v1.10",
	  NULL, 1 },
	{ "no samples", SAMPLES(""), "v1.10", HEAD, 0 },

	/* As async-profiler 4.3 and 4.4 write v1.9. */
	{ "values not packed, nothing else", SAMPLES("2{ 1:1 2:5 }"), "v1.9",
	  HEAD "\t- 5\n", 0 },
	{ "values that could be attributes, but are the only data",
	  SAMPLES("2{ 1:1 2:3 }"), "v1.9", HEAD "\t- 3\n", 0 },
	{ "values and an attribute, not packed", SAMPLES("2{ 2:5 3:1 }"),
	  "v1.9", HEAD "\t- 5 k=1\n", 0 },
	{ "a time, not packed", SAMPLES("2{ 2:5 3:1 5@7 }"), "v1.9",
	  HEAD "\t- 5@7 k=1\n", 0 },
	{ "values in a run, an attribute not", SAMPLES("2{ 2[1] 3:3 5<7> }"),
	  "v1.9", HEAD "\t- 1@7 l=3\n", 0 },
	{ "the same with as many times",
	  SAMPLES("2{ 2[1 3] 3:1 5<7 8> } 2{ 2[1] 3:3 5<9> }"), "v1.9",
	  HEAD "\t- 1@7 3@8 k=1\n\t- 1@9 l=3\n", 0 },
	{ "v1.10, not packed", SAMPLES("2{ 2:3 4:5 5@7 }"), "v1.10",
	  HEAD "\t- 5@7 l=3\n", 0 },
	{ "a link, which the table has, and no data at all",
	  LINKED("2{ 2[1] 3:1 }"), "v1.10", HEAD "\t- k=1 #1\n", 0 },
	{ "a link, which the table has", LINKED("2{ 2[1] 3:1 5<7> }"), "v1.10",
	  HEAD "\t- @7 k=1 #1\n", 0 },

	{ "8 of the profile is an id",
	  SAMPLES("8#01000000000000000000000000000000 2{ 2[5] 5<7> }"), "v1.8",
	  "resource\nscope \nprofile / id 1\n\t- 5@7\n", 0 },
	{ "9 of the profile is a number", SAMPLES("9:1 2{ 2[5] 5<7> }"), "v1.8",
	  HEAD "\t- 5@7\n", 0 },
	{ "the profile has a field 12", SAMPLES("12[3] 2{ 2[5] 5<7> }"), "v1.8",
	  "resource\nscope \nprofile / l=3\n\t- 5@7\n", 0 },
	{ "7 of the profile is no id", SAMPLES("7[1 2] 2{ 2[5] 3[0] }"), "v1.8",
	  "resource\nscope \n"
	  "profile / pprof.profile.comment=(kind 5, 2 elements):k,l\n"
	  "\t- 5 =(kind 0, 0 elements)\n",
	  0 },
	{ "7 of the profile is an id",
	  SAMPLES("7#01000000000000000000000000000000 2{ 2[5] 3[3] }"), "v1.9",
	  "resource\nscope \nprofile / id 1\n\t- 5 l=3\n", 0 },

	{ "a later release adds a table at the top",
	  "9{ 1:1 } 30'x' " SAMPLES("2{ 1:1 5<7> }"), "v1.10", HEAD "\t- @7\n",
	  0 },
	{ "and to the dictionary", "2{ 8{ 1:1 } } " SAMPLES("2{ 1:1 5<7> }"),
	  "v1.10", HEAD "\t- @7\n", 0 },
};

TEST(ambiguity)
{
	for (size_t i = 0; i < op_countof(doubts); i++)
		check_row(&doubts[i]);
}

/* --- what older releases had --- */

#define LIST(s) "pprof.profile.comment=(kind 5, 2 elements):" s
#define CUMULATIVE "otprof.aggregation_temporality=cumulative"
#define SMALL_DICT "2{ 1{} 2{} 3{} 4{} 5'' 5'c1' 5'c2' 6{} 7{} } "
#define V1_7_DICT(more)                                                    \
	"2{ 1{ 4:1 6:1 9:1 } 2{ 1:0 3{} 4:1 } 3{ 1:1 } 4{ " TRACE          \
	" } 5'' 5'one' 5'two' 5'ms' 6{ 1'k' 2{ 3:5 } } 7{ 1:4 2:3 } " more \
	"} "
#define V1_7_PROFILE(fields) \
	V1_7_DICT("5'k' ") "1{ 2{ 2{ 3[0] " fields " } } } "

static const struct row leftovers[] = {
	{ "comments of v1.8", SMALL_DICT "1{ 2{ 2{ 2{ 2[5] } 7[1 2] } } }",
	  "v1.8", "resource\nscope \nprofile / " LIST("c1,c2") "\n\t- 5\n", 0 },
	{ "comments of v1.8, not packed",
	  SMALL_DICT "1{ 2{ 2{ 2{ 2[5] } 7:1 7:2 12[0] } } }", "v1.8", NULL,
	  0 },
	{ "comments of v1.7", V1_7_PROFILE("8[1 2] 2{ 2:1 3[5] }"), "v1.7",
	  "resource\nscope \nprofile / " LIST("one,two") "\n\tone 5\n", 0 },
	{ "a comment of v1.7 past the strings",
	  V1_7_PROFILE("8[1 9] 2{ 2:1 3[5] }"), "v1.7",
	  "resource\nscope \nprofile / " LIST("one,") "\n\tone 5\n", 0 },
	{ "an attribute of v1.7 that is none",
	  V1_7_DICT("5'k' 6{} ") "1{ 2{ 2{ 3[0] 2{ 2:1 3[5] 4[1] } } } }",
	  "v1.7", "resource\nscope \nprofile /\n\tone 5\n", 0 },
	{ "a first string of v1.7 that is not empty",
	  "2{ 2{ 3{} } 3{ 1:0 } 5'zero' } 1{ 2{ 2{ 3[0] 2{ 2:1 3[5] } } } }",
	  "v1.7", "resource\nscope \nprofile /\n\tzero 5\n", 0 },
	{ "fewer values than types in v1.7",
	  V1_7_PROFILE("1{ 1:1 } 1{ 1:2 } 2{ 2:1 3[5] }"), "v1.7",
	  "resource\nscope \nprofile one/\n\tone 5\n"
	  "profile two/\n\tone 0\n",
	  0 },
	{ "two types of the default's name in v1.4",
	  "1{ 2{ 2{ 1{ 1:1 } 1{ 1:1 2:2 } 2{ 2:1 3[5 6] } 4{} 5[0] 10'' "
	  "10'one' 10'two' 16:1 } } }",
	  "v1.4",
	  "resource\nscope \nprofile one/two\n\t0x0 6\nprofile one/\n"
	  "\t0x0 5\n",
	  0 },
	{ "cumulative in v1.8", SMALL_DICT "1{ 2{ 2{ 1{ 3:2 } 2{ 2[5] } } } }",
	  "v1.9", "resource\nscope \nprofile / " CUMULATIVE "\n\t- 5\n", 0 },
	{ "delta is not written down",
	  SMALL_DICT "1{ 2{ 2{ 1{ 3:1 } 2{ 2[5] } } } }", "v1.9",
	  HEAD "\t- 5\n", 0 },
	{ "cumulative in v1.7", V1_7_PROFILE("1{ 1:1 3:2 } 2{ 2:1 3[5] }"),
	  "v1.7", "resource\nscope \nprofile one/ " CUMULATIVE "\n\tone 5\n",
	  0 },
	{ "comments and temporality",
	  SMALL_DICT "1{ 2{ 2{ 1{ 3:2 } 2{ 2[5] } 7[1 2] } } }", "v1.8",
	  "resource\nscope \nprofile / " CUMULATIVE
	  " " LIST("c1,c2") "\n\t- 5\n",
	  0 },

	{ "each type is a profile",
	  V1_7_PROFILE("1{ 1:1 } 1{ 1:2 } 2{ 2:1 3[5 6] }"), "v1.7",
	  "resource\nscope \nprofile one/\n\tone 5\nprofile two/\n\tone 6\n",
	  0 },
	{ "the default first, by index",
	  V1_7_PROFILE("1{ 1:1 } 1{ 1:2 } 9:1 2{ 2:1 3[5 6] } "
		       "10#07000000000000000000000000000000"),
	  "v1.7",
	  "resource\nscope \nprofile two/ id 7\n\tone 6\n"
	  "profile one/\n\tone 5\n",
	  0 },
	{ "the default first, by name",
	  "1{ 2{ 2{ 1{ 1:1 } 1{ 1:2 } 2{ 3[5 6] } 4{} 10'' 10'a' 10'b' "
	  "16:2 } } }",
	  "v1.4", "resource\nscope \nprofile b/\n\t- 6\nprofile a/\n\t- 5\n",
	  0 },
	{ "a default that is none", V1_7_PROFILE("1{ 1:1 } 9:9 2{ 2:1 3[5] }"),
	  "v1.7", "resource\nscope \nprofile one/\n\tone 5\n", 0 },
	{ "no type at all", V1_7_PROFILE("2{ 2:1 3[5] }"), "v1.7",
	  HEAD "\tone 5\n", 0 },
	{ "no samples", V1_7_PROFILE("1{ 1:1 } 1{ 1:2 } 6{ 1:1 }"), "v1.7",
	  "resource\nscope \nprofile one/\nprofile two/\n", 0 },

	{ "units belong to keys", V1_7_PROFILE("2{ 2:1 3[5] 4[0] }"), "v1.7",
	  HEAD "\tone 5 k=5/ms\n", 0 },
	{ "link 0 is a link", V1_7_PROFILE("2{ 2:1 3[5] 5:0 }"), "v1.7",
	  HEAD "\tone 5 #1\n", 0 },
	{ "pairs", V1_7_PROFILE("2{ 2:1 3[5 6] 6[7 8] }"), "v1.7",
	  HEAD "\tone 5@7 6@8\n", 0 },
	{ "times alone", V1_7_PROFILE("2{ 2:1 6[7 8] }"), "v1.7",
	  HEAD "\tone @7 @8\n", 0 },
	{ "a value shared by times",
	  V1_7_PROFILE("1{ 1:1 } 1{ 1:2 } 2{ 2:1 3[7 2] 6[7 8] }"), "v1.7",
	  "resource\nscope \nprofile one/\n\tone 4@7 3@8\n"
	  "profile two/\n\tone @7 @8\n",
	  0 },
	{ "samples of one stack are one",
	  V1_7_PROFILE("2{ 2:1 3[5] } 2{ 2:1 3[6] }"), "v1.7",
	  HEAD "\tone 11\n", 0 },
	{ "samples with and without times",
	  V1_7_PROFILE("2{ 2:1 3[5] } 2{ 2:1 3[6] 6[7] }"), "v1.7",
	  HEAD "\tone 5\nprofile /\n\tone 6@7\n", 0 },
};

TEST(leftover_fields)
{
	for (size_t i = 0; i < op_countof(leftovers); i++)
		check_row(&leftovers[i]);
}

/* The flags of mappings and locations become attributes. */
TEST(flags)
{
	const struct op_mapping *map;
	const struct op_location *l;
	struct op_model m;
	struct op_err err;

	wire_set(&w, V1_7_PROFILE("2{ 2:1 3[5] }"));
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	CHECK_EQ(m.dict.nr[OP_LOCATIONS], 2);
	CHECK_EQ(m.dict.nr[OP_MAPPINGS], 2);
	if (!test_why[0]) {
		map = &m.dict.mappings[1];
		l = &m.dict.locations[1];
		CHECK(op_set_find(&m, map->attrs,
				  "pprof.mapping.has_functions"));
		CHECK(op_set_find(&m, map->attrs,
				  "pprof.mapping.has_inline_frames"));
		CHECK(!op_set_find(&m, map->attrs,
				   "pprof.mapping.has_filenames"));
		CHECK(op_set_find(&m, l->attrs, "pprof.location.is_folded"));
	}
	op_model_free(&m);
}

/* --- what is refused --- */

static const struct {
	const char *name, *text;
} broken[] = {
	{ "slice past the list", V1_7_PROFILE("2{ ^2:3 3[5] }") },
	{ "slice that begins past it", V1_7_PROFILE("2{ ^1:9 2:0 3[5] }") },
	{ "slice that wraps around", V1_7_PROFILE("2{ ^1:1 2:-1 3[5] }") },
	{ "location past its table",
	  V1_7_DICT("") "1{ 2{ 2{ 3[5] 2{ ^2:1 3[5] } } } }" },
	{ "link past its table", V1_7_PROFILE("2{ 2:1 3[5] 5:^1 }") },
	{ "first link of none", "2{ 2{} 5'' } 1{ 2{ 2{ 3[0] 2{ 2:1 3[5] 5:^0 } "
				"} } }" },
	{ "first mapping of none",
	  "2{ 2{ 1:^0 } 5'' } 1{ 2{ 2{ 3[0] 2{ 2:1 3[5] } } } }" },
	{ "first function of none",
	  "2{ 2{ 3{ ^2:7 } } 5'' } 1{ 2{ 2{ 3[0] 2{ 2:1 3[5] } } } }" },
	{ "attribute past its table", V1_7_PROFILE("2{ 2:1 3[5] 4[^1] }") },
	{ "string past its table", V1_7_PROFILE("1{ 1:^9 } 2{ 2:1 3[5] }") },
	{ "trace id of 2 bytes",
	  "2{ 2{} 4{ 1#^0102 } 5'' } 1{ 2{ 2{ 3[0] 2{ 2:1 3[5] 5:0 } } } }" },
	{ "profile id of 2 bytes", V1_7_PROFILE("10#^0102 2{ 2:1 3[5] }") },
};

TEST(refuses)
{
	for (size_t i = 0; i < op_countof(broken); i++) {
		int before = test_failed;
		struct op_model m;
		struct op_err err;

		wire_set(&w, broken[i].text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err),
			 OP_EFORMAT);
		CHECK_EQ(err.at, w.mark);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", broken[i].name,
				err.text);
		op_model_free(&m);
	}
}

/* Where no release makes sense, each says what it would have been. */
TEST(none_fits)
{
	struct op_model m;
	struct op_err err;

	wire_set(&w, SAMPLES("2{ 1:1 2:^9 3:9 4:9 5@7 }"));
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_EFORMAT);
	CHECK_STR(
		err.text,
		"as v1.10: attribute index 9 is out of range for a table of 4; "
		"as v1.9: attribute index 9 is out of range for a table of 4");
	CHECK_EQ(err.at, w.mark);
	op_model_free(&m);
}

/* --- slices that count one location too many --- */

static char note_text[200];

static void take_note(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(note_text, sizeof(note_text), "%s", text);
}

#define SLICES(list, samples)                                      \
	"1{ 2{ 2{ 3[" list "] " samples " } } } 2{ 2{ 3{ 1:0 } } " \
	"2{ 3{ 1:1 } } 2{ 3{ 1:2 } } 3{ 1:1 } 3{ 1:2 } 3{ 1:3 } "  \
	"5'' 5'a' 5'b' 5'c' 6{ 1'k' 2{ 1'v' } } }"

static const struct {
	const char *name, *text, *result, *note;
} slices[] = {
	{ "every slice, as the agent of async-profiler 4.2 does",
	  SLICES("0 1 1 2", "2{ 1:0 2:3 3[5] } 2{ 1:2 2:3 3[6] }"),
	  HEAD "\tb;a 5\n\tc;b 6\n",
	  "2 stacks are one location too long: truncated" },
	{ "a single one", SLICES("0 1", "2{ 1:0 2:3 3[5] }"), HEAD "\tb;a 5\n",
	  "1 stacks are one location too long: truncated" },
	{ "only the last",
	  SLICES("0 1 1 2", "2{ 1:0 2:2 3[5] } 2{ 1:2 2:3 3[6] }"),
	  HEAD "\tb;a 5\n\tc;b 6\n",
	  "1 stacks are one location too long: truncated" },
	{ "none", SLICES("0 1 1 2", "2{ 1:0 2:2 3[5] } 2{ 1:2 2:2 3[6] }"),
	  HEAD "\tb;a 5\n\tc;b 6\n", "" },
};

TEST(slices_one_too_long)
{
	struct op_read_opts read = { .note = take_note };
	struct op_otlp_opts opts = { .read = &read };

	for (size_t i = 0; i < op_countof(slices); i++) {
		int before = test_failed;
		struct op_model m;
		struct op_err err;

		*note_text = 0;
		wire_set(&w, slices[i].text);
		read.strict = false;
		CHECK_EQ(wire_decode(&m, wire_view(&w), &opts, &err), OP_OK);
		CHECK_STR(m.dialect, "v1.7");
		CHECK_STR(sketch_text(&m), slices[i].result);
		CHECK_STR(note_text, slices[i].note);
		op_model_free(&m);
		read.strict = true;
		CHECK_EQ(wire_decode(&m, wire_view(&w), &opts, &err),
			 *slices[i].note ? OP_EFORMAT : OP_OK);
		op_model_free(&m);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", slices[i].name,
				err.text);
	}
}

/* Cut anywhere, no release is misread: it is refused, or ends where a field
 * of its outermost level ends. */
TEST(cut_anywhere)
{
	for (size_t i = 0; i < op_countof(releases); i++) {
		size_t nr_ok = 0;

		wire_set(&w, releases[i].text);
		for (size_t n = 1; n < w.n; n++) {
			struct op_model m;
			struct op_err err;
			int code = wire_decode(&m, op_view(w.p, n), NULL, &err);

			CHECK(code == OP_OK || code == OP_EFORMAT);
			nr_ok += !code;
			op_model_free(&m);
		}
		CHECK(nr_ok <= 16); /* fields at the top of v1.6 */
	}
}

TEST_MAIN(each_release, goes_out_as_today, what_we_write_is_clear, ambiguity,
	  leftover_fields, flags, refuses, none_fits, slices_one_too_long,
	  cut_anywhere)
