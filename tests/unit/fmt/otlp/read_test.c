// SPDX-License-Identifier: Apache-2.0
/* What the decoder takes, and what it makes of it. What it refuses is in
 * refuse_test.c, how much it takes in limits_test.c. */
#include "fmt/otlp/otlp.h"

#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

#define STRINGS "5'' 5'main' 5'cpu' 5'ns' "
#define DICT                                                 \
	"2{ 1{} 2{} 2{ 3{ 1:1 } } 3{} 3{ 1:1 } 4{} " STRINGS \
	"6{} 7{} 7{ 1[1] } } "
#define SAMPLE "2{ 1:1 4[5] } "
#define TYPE "1{ 1:2 2:3 } "
#define PROFILES(fields) "1{ 2{ 2{ " fields "} } } "
#define PLAIN PROFILES(TYPE SAMPLE)
#define WITH_ATTRS "2{ 5'' 5'k' 5'v' 6{} 6{ 1:1 2{ 1'x' } } 7{} } "

#define HEAD "resource\nscope \nprofile cpu/ns\n"
#define RESULT HEAD "\tmain 5\n"

static struct wire w;

static const struct {
	const char *name, *text, *result;
} rows[] = {
	{ "dictionary before", DICT PLAIN, RESULT },
	{ "dictionary after", PLAIN DICT, RESULT },
	{ "dictionary in two parts",
	  "2{ 1{} 2{} 2{ 3{ 1:1 } } } " PLAIN "2{ 3{} 3{ 1:1 } 4{} " STRINGS
	  "6{} 7{} 7{ 1[1] } }",
	  RESULT },
	{ "tables between one another",
	  PLAIN "2{ 7{} 5'' 3{} 7{ 1[1] } 5'main' 2{} 3{ 1:1 } 5'cpu' "
		"2{ 3{ 1:1 } } 5'ns' }",
	  RESULT },
	{ "fields in descending order",
	  "2{ 7{} 7{ 1[1] } 6{} " STRINGS "4{} 3{} 3{ 1:1 } 2{} 2{ 3{ 1:1 } } "
	  "1{} } 1{ 2{ 2{ 2{ 4[5] 1:1 } 1{ 2:3 1:2 } } } }",
	  RESULT },
	{ "tables without their rows", "1{ 2{ 2{ 2{ 4[5] } } } }",
	  "resource\nscope \nprofile /\n\t- 5\n" },

	{ "sample type in two parts",
	  DICT PROFILES("1{ 1:2 } 1{ 2:3 } " SAMPLE), RESULT },
	{ "resource in two parts",
	  "1{ 1{ 1{ 1'a' 2{ 1'1' } } } 1{ 1{ 1'b' 2{ 3:2 } } } }",
	  "resource a=1 b=2\n" },
	{ "scope in two parts", "1{ 2{ 1{ 1'name' } 1{ 2'version' } } }",
	  "resource\nscope name\n" },
	{ "value in two parts",
	  "1{ 1{ 1{ 1'a' 2{ 5{ 1{ 3:1 } } } "
	  "2{ 5{ 1{ 3:2 } } } } } }",
	  "resource a=(kind 5, 2 elements):1,2\n" },

	{ "unknown fields of every wire type",
	  DICT "2{ 100:1 101@1 102'x' 103%1 } 1{ 100:1 2{ 101@1 2{ 102'x' "
	       "103%1 " TYPE "2{ 100:1 101@1 102'x' 103%1 1:1 4[5] } } } } "
	       "100:1 101@1 102'x' 103%1",
	  RESULT },
	{ "known fields of another wire type",
	  DICT PROFILES("3:9 4@9 6'x' 8'x' " TYPE "2{ 1'x' 1:1 4[5] }"),
	  RESULT },

	{ "values not packed", DICT PROFILES(TYPE "2{ 1:1 4:5 }"), RESULT },
	{ "values in parts",
	  DICT PROFILES(TYPE "2{ 1:1 4[1 2] 4:3 5<7> 5@8 5<> 5@9 }"),
	  HEAD "\tmain 1@7 2@8 3@9\n" },
	{ "locations not packed",
	  "2{ 2{} 2{ 2:1 } 2{ 2:2 } 7{} 7{ 1:1 1[2] } } "
	  "1{ 2{ 2{ 2{ 1:1 4[5] } } } }",
	  "resource\nscope \nprofile /\n\t0x2;0x1 5\n" },
	{ "attributes not packed",
	  WITH_ATTRS "1{ 2{ 2{ 2{ 2:1 4[5] } 11:1 } } }",
	  "resource\nscope \nprofile / k=x\n\t- 5 k=x\n" },
	{ "profile attributes around samples",
	  "2{ 5'' 5'k' 5'l' 6{} 6{ 1:1 2{ 3:1 } } 6{ 1:2 2{ 3:2 } } } "
	  "1{ 2{ 2{ 11[1] 2{ 2[2] 4[5] } 11:2 } } }",
	  "resource\nscope \nprofile / k=1 l=2\n\t- 5 l=2\n" },

	{ "the last scalar counts", DICT PROFILES(TYPE "2{ 1:0 4[5] 1:1 }"),
	  RESULT },
	{ "the last of a oneof counts",
	  "1{ 1{ 1{ 1'a' 2{ 1'x' 8:0 2:1 3:7 } } } }", "resource a=7\n" },
	{ "varint longer than needed",
	  DICT PROFILES(TYPE "2{ =0881808080808080808000 4[5] }"), RESULT },
	{ "varint of ten bytes", DICT PROFILES(TYPE "2{ 1:1 4[-1] }"),
	  HEAD "\tmain -1\n" },
	{ "largest and smallest value",
	  DICT PROFILES(TYPE
			"2{ 1:1 4[0x7fffffffffffffff -9223372036854775808] "
			"5<0xffffffffffffffff 0> }"),
	  HEAD "\tmain 9223372036854775807@18446744073709551615 "
	       "-9223372036854775808@0\n" },

	{ "timestamps only", DICT PROFILES(TYPE "2{ 1:1 5<7 8> }"),
	  HEAD "\tmain @7 @8\n" },
	{ "some samples with timestamps",
	  DICT PROFILES(TYPE SAMPLE "2{ 1:1 5<7> } 2{ 1:1 4[2] 5<8> }"),
	  HEAD "\tmain 2@8\n\tmain 5\n\tmain @7\n" },
	{ "neither values nor timestamps",
	  DICT PROFILES(TYPE SAMPLE "2{ 1:1 }"), HEAD "\tmain\n\tmain 5\n" },
	{ "no samples", DICT PROFILES(TYPE), HEAD },

	{ "zero rows spelled out",
	  "2{ 1{ 1:0 2:0 4:0 5[] } 2{ 1:0 4[] } 3{ 1:0 } 4{ 1'' 2'' } 5'' "
	  "6{ 2{} } 7{ 1[] } } 1{ 2{ 2{ 7'' 2{ 1:0 2[] 3:0 4[5] 5<> } } } }",
	  "resource\nscope \nprofile /\n\t- 5\n" },
	{ "zero link of zero bytes",
	  "2{ 4{ 1#00000000000000000000000000000000 2#0000000000000000 } } "
	  "1{ 2{ 2{ 2{ 3:0 4[5] } } } }",
	  "resource\nscope \nprofile /\n\t- 5\n" },
	{ "empty message", "", "" },
	{ "empty everything", "1{ 1{} 2{ 1{} 2{ 1{} 5{} } } } 2{}",
	  "resource\nscope \nprofile /\n" },
};

TEST(takes)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_model m;
		struct op_err err;

		wire_set(&w, rows[i].text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		CHECK_STR(sketch_text(&m), rows[i].result);
		CHECK_STR(m.dialect, "v1.10");
		CHECK_STR(m.dialect_note, NULL);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", rows[i].name,
				err.text);
		op_model_free(&m);
	}
}

/* --- every field arrives --- */

#define TRACE "000102030405060708090a0b0c0d0e0f"

static const char everything[] =
	"2{ 1{} 1{ 1:0x1000 2:0x2000 3:0x30 4:1 5[1] } "
	"2{} 2{ 1:1 2:0x1234 3{ 1:1 2:10 3:11 } 3{ 1:2 2:20 3:21 } 4[1] } "
	"3{} 3{ 1:1 2:2 3:3 4:40 } 3{ 1:2 } "
	"4{} 4{ 1#" TRACE " 2#1011121314151617 } "
	"5'' 5'one' 5'two' 5'three' "
	"6{} 6{ 1:1 2{ 8:2 } 3:3 } 7{} 7{ 1[1] } } "
	"1{ 1{ 1{ 1'host' 2{ 1'h' } } 2:5 "
	"3{ 1'url' 2'type' 3'id1' 3'id2' 4'd1' } } "
	"2{ 1{ 1'scope' 2'v1' 3{ 3:1 2{ 8:2 } } 4:6 } "
	"2{ 1{ 1:1 2:2 } 2{ 1:1 2[1] 3:1 4[7] 5<1000> } 3@900 4:200 "
	"5{ 1:2 2:3 } 6:-5 7#" TRACE " 8:9 9'pprof' 10#0aff 11[1] } "
	"3'scope url' } 3'resource url' }";

TEST(dictionary_fields)
{
	const struct op_dict *d;
	struct op_model m;
	struct op_err err;

	wire_set(&w, everything);
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	if (err.code)
		return;
	d = &m.dict;
	CHECK_EQ(d->mappings[1].start, 0x1000);
	CHECK_EQ(d->mappings[1].limit, 0x2000);
	CHECK_EQ(d->mappings[1].offset, 0x30);
	CHECK_EQ(d->mappings[1].filename, 1);
	CHECK_EQ(op_list(&d->sets, d->mappings[1].attrs).n, 1);
	CHECK_EQ(d->locations[1].mapping, 1);
	CHECK_EQ(d->locations[1].address, 0x1234);
	CHECK_EQ(d->locations[1].nr_lines, 2);
	CHECK_EQ(d->locations[1].attrs, d->mappings[1].attrs);
	CHECK_EQ(d->nr_lines, 2);
	CHECK_EQ(d->lines[1].function, 2);
	CHECK_EQ(d->lines[1].line, 20);
	CHECK_EQ(d->lines[1].column, 21);
	CHECK_EQ(d->functions[1].name, 1);
	CHECK_EQ(d->functions[1].system_name, 2);
	CHECK_EQ(d->functions[1].filename, 3);
	CHECK_EQ(d->functions[1].start_line, 40);
	CHECK_EQ(d->links[1].trace_len, 16);
	CHECK_EQ(d->links[1].trace_id[15], 15);
	CHECK_EQ(d->links[1].span_len, 8);
	CHECK_EQ(d->links[1].span_id[7], 0x17);
	CHECK_EQ(d->attrs[1].key, 1);
	CHECK_EQ(d->attrs[1].unit, 3);
	CHECK_EQ(d->attrs[1].value.kind, OP_ANY_STRING_ID);
	CHECK_EQ(d->attrs[1].value.string_id, 2);
	CHECK_EQ(d->missing, 0);
	op_model_free(&m);
}

TEST(profile_fields)
{
	const struct op_resource *r;
	const struct op_profile *p;
	const struct op_scope *s;
	struct op_model m;
	struct op_err err;

	wire_set(&w, everything);
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	if (err.code)
		return;
	r = m.resources;
	CHECK(op_view_is(r->attrs.p[0].key, "host"));
	CHECK_EQ(r->dropped_attrs, 5);
	CHECK(op_view_is(r->schema_url, "resource url"));
	CHECK_EQ(r->nr_entities, 1);
	CHECK(op_view_is(r->entities[0].schema_url, "url"));
	CHECK(op_view_is(r->entities[0].type, "type"));
	CHECK_EQ(r->entities[0].nr_id_keys, 2);
	CHECK(op_view_is(r->entities[0].id_keys[1], "id2"));
	CHECK_EQ(r->entities[0].nr_description_keys, 1);
	s = r->scopes;
	CHECK(op_view_is(s->name, "scope"));
	CHECK(op_view_is(s->version, "v1"));
	CHECK(op_view_is(s->schema_url, "scope url"));
	CHECK(op_view_is(op_kv_key(&m, &s->attrs.p[0]), "one"));
	CHECK(op_view_is(op_any_text(&m, &s->attrs.p[0].value), "two"));
	CHECK_EQ(s->dropped_attrs, 6);
	p = s->profiles;
	CHECK_EQ(p->sample_type.type, 1);
	CHECK_EQ(p->sample_type.unit, 2);
	CHECK_EQ(p->time_ns, 900);
	CHECK_EQ(p->duration_ns, 200);
	CHECK_EQ(p->period_type.type, 2);
	CHECK_EQ(p->period_type.unit, 3);
	CHECK_EQ(p->period, -5);
	CHECK_EQ(p->id_len, 16);
	CHECK_EQ(p->id[15], 15);
	CHECK_EQ(p->dropped_attrs, 9);
	CHECK(op_view_is(p->payload_format, "pprof"));
	CHECK(op_view_eq(p->payload, op_view("\x0a\xff", 2)));
	CHECK_EQ(p->attrs, p->set[0]);
	CHECK_EQ(p->stack[0], 1);
	CHECK_EQ(p->link[0], 1);
	CHECK_EQ(op_sample_values(p, 0).p[0], 7);
	CHECK_EQ(op_sample_times(p, 0).p[0], 1000);
	op_model_free(&m);
}

/* Row 0 is there in a model even where the message has none; which tables
 * those were is kept for the checker. */
TEST(missing_tables)
{
	struct op_model m;
	struct op_err err;

	wire_set(&w, "2{ 5'' 7{} }");
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	for (int t = 0; t < OP_NR_TABLES; t++)
		CHECK_EQ(m.dict.nr[t], 1);
	CHECK_EQ(m.dict.missing, ((1u << OP_NR_TABLES) - 1) &
					 ~(1u << OP_STRINGS | 1u << OP_STACKS));
	op_model_free(&m);
}

/* Lists of attributes that are equal are one set; one in parts leaves the sets
 * that it was on the way. */
TEST(sets_are_interned)
{
	const struct op_profile *p;
	struct op_model m;
	struct op_err err;

	wire_set(&w, WITH_ATTRS "1{ 2{ 2{ 2{ 2[0 1] 4[5] } 2{ 4[5] } "
				"2{ 2:0 2:1 4[5] } 2{ 2[1] 4[5] } } } }");
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	p = m.resources[0].scopes[0].profiles;
	CHECK_EQ(m.dict.sets.nr, 4);
	CHECK_EQ(p->set[0], 1);
	CHECK_EQ(p->set[1], 0);
	CHECK_EQ(p->set[2], 1);
	CHECK_EQ(p->set[3], 3);
	op_model_free(&m);
}

/* --- unchecked --- */

TEST(unchecked_keeps_ids)
{
	static const char text[] =
		"2{ 1{} 1{ 4:50 5[51] } 2{} 2{ 1:52 3{ 1:53 } } 3{} 3{ 1:54 } "
		"4{} 4{ 1#0102 2#01 } 5'' 6{} 6{ 1:55 2{ 8:56 } 3:57 } "
		"7{} 7{ 1[58 -1] } } "
		"1{ 1{ 1{ 3:59 } } 2{ 2{ 1{ 1:60 } 2{ 1:61 3:62 4[1 2] 5<3> } "
		"7#0102 } } }";
	struct op_otlp_opts opts = { .unchecked = true };
	const struct op_profile *p;
	const struct op_dict *d;
	struct op_model m;
	struct op_err err;

	wire_set(&w, text);
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_EFORMAT);
	CHECK_EQ(wire_decode(&m, wire_view(&w), &opts, &err), OP_OK);
	if (err.code)
		return;
	d = &m.dict;
	CHECK_EQ(d->mappings[1].filename, 50);
	CHECK_EQ(op_list(&d->sets, d->mappings[1].attrs).p[0], 51);
	CHECK_EQ(d->locations[1].mapping, 52);
	CHECK_EQ(d->lines[0].function, 53);
	CHECK_EQ(d->functions[1].name, 54);
	CHECK_EQ(d->links[1].trace_len, 2);
	CHECK_EQ(d->links[1].span_len, 1);
	CHECK_EQ(d->attrs[1].key, 55);
	CHECK_EQ(d->attrs[1].value.string_id, 56);
	CHECK_EQ(d->attrs[1].unit, 57);
	CHECK_EQ(op_list(&d->stacks, 1).p[0], 58);
	CHECK_EQ(op_list(&d->stacks, 1).p[1], UINT32_MAX);
	CHECK_EQ(m.resources[0].attrs.p[0].key_id, 59);
	p = m.resources[0].scopes[0].profiles;
	CHECK_EQ(p->sample_type.type, 60);
	CHECK_EQ(p->stack[0], 61);
	CHECK_EQ(p->link[0], 62);
	CHECK_EQ(p->id_len, 2);
	CHECK_EQ(op_sample_values(p, 0).n, 2);
	CHECK_EQ(op_sample_times(p, 0).n, 1);
	op_model_free(&m);
}

TEST_MAIN(takes, dictionary_fields, profile_fields, missing_tables,
	  sets_are_interned, unchecked_keeps_ids)
