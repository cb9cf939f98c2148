// SPDX-License-Identifier: Apache-2.0
#include "model/merge.h"

#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* --- normalise --- */

static bool normalised(struct op_model *m, const char *text)
{
	static struct wire w;
	struct op_err err;

	wire_set(&w, text);
	CHECK_EQ(wire_decode(m, wire_view(&w), NULL, &err), OP_OK);
	if (err.code) {
		fprintf(stderr, "  %s\n", err.text);
		return false;
	}
	CHECK_EQ(op_normalise(m, &err), OP_OK);
	return true;
}

#define HEAD "resource\nscope \nprofile /\n"
#define IN_PROFILE(fields) "1{ 2{ 2{ " fields " } } } "
#define TRACE "1#01000000000000000000000000000000 2#0100000000000000"
#define TRACE_ZERO "1#00000000000000000000000000000000 2#0000000000000000"
#define TWO_ATTRS "2{ 5'' 5'k' 5'l' 6{} 6{ 1:1 2{ 3:1 } } 6{ 1:2 2{ 3:2 } } } "
#define SAME_ATTRS \
	"2{ 5'' 5'k' 5'v' 6{} 6{ 1:1 2{ 1'v' } } 6{ 1:1 2{ 8:2 } } } "
/* Two samples of two stacks of one location each. */
#define TWO IN_PROFILE("2{ 1:1 4[5] } 2{ 1:2 4[6] }")

static const struct {
	const char *name, *text, *result;
	/* mapping, location, function, link, string, attribute, stack */
	uint32_t nr[OP_NR_TABLES];
} rows[] = {
	{ "nothing", "", "", { 1, 1, 1, 1, 1, 1, 1 } },
	{ "stacks that are equal",
	  "2{ 2{} 2{ 2:1 } 7{} 7{ 1[1] } 7{ 1[1] } } " TWO,
	  HEAD "\t0x1 11\n",
	  { 1, 2, 1, 1, 1, 1, 2 } },
	{ "locations that are equal",
	  "2{ 2{} 2{ 2:1 } 2{ 2:1 } 7{} 7{ 1[1] } 7{ 1[2] } } " TWO,
	  HEAD "\t0x1 11\n",
	  { 1, 2, 1, 1, 1, 1, 2 } },
	{ "mappings that are equal",
	  "2{ 1{} 1{ 1:1 } 1{ 1:1 } 2{} 2{ 1:1 2:1 } 2{ 1:2 2:1 } 7{} "
	  "7{ 1[1] } 7{ 1[2] } } " TWO,
	  HEAD "\t0x1 11\n",
	  { 2, 2, 1, 1, 1, 1, 2 } },
	{ "functions that are equal",
	  "2{ 5'' 5'f' 3{} 3{ 1:1 } 3{ 1:1 } 2{} 2{ 3{ 1:1 } } 2{ 3{ 1:2 } } "
	  "7{} 7{ 1[1] } 7{ 1[2] } } " TWO,
	  HEAD "\tf 11\n",
	  { 1, 2, 2, 1, 2, 1, 2 } },
	{ "strings that are equal",
	  "2{ 5'' 5'f' 5'f' 3{} 3{ 1:1 } 3{ 1:2 } 2{} 2{ 3{ 1:1 } } "
	  "2{ 3{ 1:2 } } 7{} 7{ 1[1] } 7{ 1[2] } } " TWO,
	  HEAD "\tf 11\n",
	  { 1, 2, 2, 1, 2, 1, 2 } },
	{ "links that are equal",
	  "2{ 4{} 4{ " TRACE " } 4{ " TRACE
	  " } } " IN_PROFILE("2{ 3:1 4[5] } 2{ 3:2 4[6] }"),
	  HEAD "\t- 11 #1\n",
	  { 1, 1, 1, 2, 1, 1, 1 } },
	{ "attributes that are equal",
	  SAME_ATTRS IN_PROFILE("2{ 2[1] 4[5] } 2{ 2[2] 4[6] }"),
	  HEAD "\t- 11 k=v\n",
	  { 1, 1, 1, 1, 2, 2, 1 } },
	{ "rows that are equal to row 0",
	  "2{ 1{} 1{} 2{} 2{} 3{} 3{} 4{} 4{ " TRACE_ZERO " } 5'' 5'' 6{} 6{} "
	  "7{} 7{} } " IN_PROFILE("2{ 1:1 2[1] 3:1 4[5] } 2{ 4[6] }"),
	  HEAD "\t- 11\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "rows that nothing uses",
	  "2{ 1{} 1{ 1:1 } 2{} 2{ 2:1 } 3{} 3{ 1:1 } 4{} 4{ " TRACE " } 5'' "
	  "5'x' 6{} 6{ 1:1 } 7{} 7{ 1[1] } } " IN_PROFILE("2{ 4[5] }"),
	  HEAD "\t- 5\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "rows that only such rows use",
	  "2{ 2{} 2{ 2:1 } 2{ 2:2 } 7{} 7{ 1[1] } 7{ 1[2] } } " IN_PROFILE(
		  "2{ 1:1 4[5] }"),
	  HEAD "\t0x1 5\n",
	  { 1, 2, 1, 1, 1, 1, 2 } },

	{ "samples of one identity",
	  "2{ 2{} 2{ 2:1 } 7{} 7{ 1[1] } } " IN_PROFILE(
		  "2{ 1:1 4[5] } 2{ 4[1] } 2{ 1:1 4[-6] }"),
	  HEAD "\t- 1\n\t0x1 -1\n",
	  { 1, 2, 1, 1, 1, 1, 2 } },
	{ "attributes in another order, or twice",
	  TWO_ATTRS IN_PROFILE(
		  "2{ 2[1 2] 4[1] } 2{ 2[2 1] 4[2] } 2{ 2[2 1 2] 4[4] } "
		  "2{ 2[1] 4[8] }"),
	  HEAD "\t- 7 k=1 l=2\n\t- 8 k=1\n",
	  { 1, 1, 1, 1, 3, 3, 1 } },
	{ "observations are appended",
	  IN_PROFILE("2{ 4[5 6] 5<10 20> } 2{ 4[7] 5<15> }"),
	  HEAD "\t- 5@10 6@20 7@15\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "times without values count as 1",
	  IN_PROFILE("2{ 5<10 20> } 2{ 4[7] 5<15> }"),
	  HEAD "\t- 1@10 1@20 7@15\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "values of 1 need not be written",
	  IN_PROFILE("2{ 4[1] 5<10> }"),
	  HEAD "\t- @10\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "several values without times are one",
	  IN_PROFILE("2{ 4[1 2 3] }"),
	  HEAD "\t- 6\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "values with and without times are two profiles",
	  IN_PROFILE("7#07000000000000000000000000000000 2{ 4[5] } "
		     "2{ 4[6] 5<10> } 2{ 4[7] }"),
	  "resource\nscope \nprofile / id 7\n\t- 12\nprofile /\n\t- 6@10\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "a profile without samples stays",
	  IN_PROFILE(""),
	  HEAD,
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "profiles are not joined",
	  "1{ 2{ 2{ 2{ 4[1] } } 2{ 2{ 4[1] } } } } ",
	  HEAD "\t- 1\nprofile /\n\t- 1\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
	{ "a scope and a resource without rows stay",
	  "1{} 1{ 2{ 1{ 1's' } } }",
	  "resource\nresource\nscope s\n",
	  { 1, 1, 1, 1, 1, 1, 1 } },
};

TEST(normalise_rows)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_model m;

		if (normalised(&m, rows[i].text)) {
			CHECK(m.normal);
			CHECK_STR(sketch_text(&m), rows[i].result);
			for (int t = 0; t < OP_NR_TABLES; t++)
				CHECK_EQ(m.dict.nr[t], rows[i].nr[t]);
			CHECK_EQ(m.dict.missing, 0);
			op_model_free(&m);
		}
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

/* The first mapping is the program, whichever sample comes first; what is not
 * used goes. */
TEST(mappings_keep_their_order)
{
	static const char text[] =
		"2{ 1{} 1{ 1:1 } 1{ 1:9 } 1{ 1:5 } 2{} 2{ 1:3 2:1 } "
		"2{ 1:1 2:1 } 7{} 7{ 1[1] } 7{ 1[2] } } " TWO;
	struct op_err err = { 0 };
	struct op_model m, *one[] = { &m }, merged = { 0 };

	if (!normalised(&m, text))
		return;
	CHECK_EQ(op_merge(one, 1, &merged, &err), OP_OK);
	for (int i = 0; i < 2; i++) {
		const struct op_dict *d = i ? &merged.dict : &m.dict;

		CHECK_EQ(d->nr[OP_MAPPINGS], 3);
		CHECK_EQ(d->mappings[1].start, 1);
		CHECK_EQ(d->mappings[2].start, 5);
		CHECK_EQ(d->locations[1].mapping, 2);
	}
	op_model_free(&merged);
	op_model_free(&m);
}

/* Concat, too, gives what it would give of its own result. */
TEST(concat_again)
{
	static const char *const texts[] = {
		"2{ 1{} 1{ 1:1 4:1 } 2{} 2{ 1:1 2:1 } 5'' 5'a' 5'b' 3{} 7{} "
		"7{ 1[1] } } " IN_PROFILE("1{ 1:2 } 2{ 1:1 4[5] }"),
		"2{ 1{} 1{ 1:2 4:1 } 2{} 2{ 1:1 2:1 } 5'' 5'c' 5'd' 3{} 7{} "
		"7{ 1[1] } } " IN_PROFILE("1{ 1:2 } 2{ 1:1 4[5] }"),
	};
	static const char *const strings[] = { "", "a", "c", "b", "d" };
	struct op_err err = { 0 };
	struct op_model m[2], out = { 0 }, *both[] = { &m[0], &m[1] };

	if (!normalised(&m[0], texts[0]) || !normalised(&m[1], texts[1]))
		return;
	CHECK_EQ(op_concat(both, 2, &out, &err), OP_OK);
	for (int again = 0; again < 2; again++) {
		CHECK_EQ(out.dict.nr[OP_STRINGS], op_countof(strings));
		for (uint32_t i = 0; i < op_countof(strings); i++)
			CHECK(op_view_is(op_string(&out, i), strings[i]));
		CHECK_EQ(op_normalise(&out, &err), OP_OK);
	}
	op_model_free(&out);
	op_model_free(&m[0]);
	op_model_free(&m[1]);
}

/* Keys and texts of resources and scopes become references, also in lists;
 * an empty text does not: 0 means none. */
TEST(references)
{
	const struct op_kv *kv;
	struct op_model m;

	if (!normalised(&m, "1{ 1{ 1{ 1'k' 2{ 1'v' } } 1{ 1'e' 2{ 1'' } } "
			    "1{ 1'l' 2{ 5{ 1{ 1'v' } } } } "
			    "1{ 1'm' 2{ 6{ 1{ 1'k' 2{ 3:1 } } } } } } }"))
		return;
	CHECK_STR(sketch_text(&m), "resource k=v e= l=(kind 5, 1 elements):v "
				   "m=(kind 6, 1 elements)\n");
	kv = m.resources[0].attrs.p;
	CHECK(kv[0].key_id && !kv[0].key.n);
	CHECK_EQ(kv[0].value.kind, OP_ANY_STRING_ID);
	CHECK_EQ(kv[1].value.kind, OP_ANY_STRING);
	CHECK_EQ(kv[2].value.array[0].kind, OP_ANY_STRING_ID);
	CHECK_EQ(kv[2].value.array[0].string_id, kv[0].value.string_id);
	CHECK_EQ(kv[3].value.kvlist[0].key_id, kv[0].key_id);
	CHECK_EQ(m.dict.nr[OP_STRINGS], 6);
	op_model_free(&m);
}

/* Everything outside of the tables is kept. */
TEST(heads_are_kept)
{
	const struct op_resource *r;
	const struct op_profile *p;
	struct op_model m;

	if (!normalised(&m,
			"1{ 3'ru' 1{ 2:4 3{ 1'u' 2't' 3'i' 4'd' } } 2{ 3'su' "
			"1{ 1'n' 2'v' 4:5 } 2{ 3@1 4:2 6:3 8:6 9'f' "
			"10'pay' } } }"))
		return;
	r = m.resources;
	p = r->scopes[0].profiles;
	CHECK(op_view_is(r->schema_url, "ru"));
	CHECK_EQ(r->dropped_attrs, 4);
	CHECK_EQ(r->nr_entities, 1);
	CHECK(op_view_is(r->entities[0].schema_url, "u"));
	CHECK(op_view_is(r->entities[0].type, "t"));
	CHECK(op_view_is(r->entities[0].id_keys[0], "i"));
	CHECK(op_view_is(r->entities[0].description_keys[0], "d"));
	CHECK(op_view_is(r->scopes[0].schema_url, "su"));
	CHECK(op_view_is(r->scopes[0].version, "v"));
	CHECK_EQ(r->scopes[0].dropped_attrs, 5);
	CHECK_EQ(p->time_ns, 1);
	CHECK_EQ(p->duration_ns, 2);
	CHECK_EQ(p->period, 3);
	CHECK_EQ(p->dropped_attrs, 6);
	CHECK(op_view_is(p->payload_format, "f"));
	CHECK(op_view_is(p->payload, "pay"));
	CHECK_STR(m.dialect, "v1.10");
	op_model_free(&m);
}

/* Of generated messages: totals stay, and doing it again changes nothing. */
TEST(normalise_again)
{
	static char text[WIRE_MAX], first[16384];

	for (uint32_t seed = 1; seed <= 50; seed++) {
		struct op_err err = { 0 };
		int64_t before = 0, after = 0;
		static struct wire w;
		struct op_model m;
		struct op_walk a = { 0 }, b = { 0 };

		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		while (op_walk_next(&m, &a))
			before += op_profile_total(a.profile);
		CHECK_EQ(op_normalise(&m, &err), OP_OK);
		while (op_walk_next(&m, &b))
			after += op_profile_total(b.profile);
		CHECK_EQ(after, before);
		snprintf(first, sizeof(first), "%s", sketch_text(&m));
		CHECK_EQ(op_normalise(&m, &err), OP_OK);
		CHECK_STR(sketch_text(&m), first);
		op_model_free(&m);
	}
}

TEST(normalise_fails_whole)
{
	static char text[WIRE_MAX], before[16384];
	static struct wire w;

	wire_generate(text, sizeof(text), 2);
	wire_set(&w, text);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model m;
		struct op_dict dict;

		op_alloc_fail_at(0);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		snprintf(before, sizeof(before), "%s", sketch_text(&m));
		dict = m.dict;
		op_alloc_fail_at(k);
		if (op_normalise(&m, &err)) {
			CHECK_EQ(err.code, OP_ENOMEM);
			CHECK(!memcmp(&dict, &m.dict, sizeof(dict)));
			CHECK_STR(sketch_text(&m), before);
		}
		op_model_free(&m);
	}
}

/* --- merge --- */

#define CPU "profile cpu/nanoseconds"
#define CUMULATIVE "otprof.aggregation_temporality=cumulative"

static const struct {
	const char *name;
	struct sketch a, b;
	const char *result;
	bool in_order; /* the result is another when b comes first */
} merges[] = {
	{ "equal profiles join",
	  { .samples = "main 1\nmain;f 2" },
	  { .samples = "main 3\nmain;g 4" },
	  "resource\nscope \n" CPU "\n\tmain 4\n\tmain;f 2\n\tmain;g 4\n",
	  0 },
	{ "samples by attributes and links",
	  { .samples = "f 1 k=a\nf 2 #1" },
	  { .samples = "f 10 k=a\nf 20 k=b\nf 40 #1\nf 80 #2" },
	  "resource\nscope \n" CPU "\n\tf 11 k=a\n\tf 20 k=b\n\tf 42 #1\n"
	  "\tf 80 #2\n",
	  0 },
	{ "other resource",
	  { .samples = "f 1", .resource = "host=a" },
	  { .samples = "f 2", .resource = "host=b" },
	  "resource host=a\nscope \n" CPU "\n\tf 1\n"
	  "resource host=b\nscope \n" CPU "\n\tf 2\n",
	  1 },
	{ "same resource",
	  { .samples = "f 1", .resource = "host=a os=l" },
	  { .samples = "f 2", .resource = "host=a os=l" },
	  "resource host=a os=l\nscope \n" CPU "\n\tf 3\n",
	  0 },
	{ "other scope",
	  { .samples = "f 1", .scope = "a" },
	  { .samples = "f 2", .scope = "b" },
	  "resource\nscope a\n" CPU "\n\tf 1\nscope b\n" CPU "\n\tf 2\n",
	  1 },
	{ "other type",
	  { .samples = "f 1", .type = "wall" },
	  { .samples = "f 2" },
	  "resource\nscope \nprofile wall/nanoseconds\n\tf 1\n" CPU "\n\tf 2\n",
	  1 },
	{ "other unit",
	  { .samples = "f 1", .unit = "ms" },
	  { .samples = "f 2" },
	  "resource\nscope \nprofile cpu/ms\n\tf 1\n" CPU "\n\tf 2\n",
	  1 },
	{ "other period",
	  { .samples = "f 1", .period = 10 },
	  { .samples = "f 2", .period = 20 },
	  "resource\nscope \n" CPU " period 10\n\tf 1\n" CPU
	  " period 20\n\tf 2\n",
	  1 },
	{ "other attributes",
	  { .samples = "f 1", .attrs = "k=a" },
	  { .samples = "f 2" },
	  "resource\nscope \n" CPU " k=a\n\tf 1\n" CPU "\n\tf 2\n",
	  1 },
	{ "same attributes in another order",
	  { .samples = "f 1", .attrs = "k=a l=b" },
	  { .samples = "f 2", .attrs = "l=b k=a" },
	  "resource\nscope \n" CPU " k=a l=b\n\tf 3\n",
	  0 },
	{ "with and without times",
	  { .samples = "f 1" },
	  { .samples = "f 2@10" },
	  "resource\nscope \n" CPU "\n\tf 1\n" CPU "\n\tf 2@10\n",
	  1 },
	{ "with times",
	  { .samples = "f 1@5 2@6" },
	  { .samples = "f 2@10\ng 1@7" },
	  "resource\nscope \n" CPU "\n\tf 1@5 2@6 2@10\n\tg 1@7\n",
	  1 },
	{ "no samples and times",
	  { .samples = "", .time_ns = 100, .duration_ns = 50 },
	  { .samples = "f 2@160", .time_ns = 150, .duration_ns = 50 },
	  "resource\nscope \n" CPU " 100+100\n\tf 2@160\n",
	  0 },
	{ "no samples and sums",
	  { .samples = "", .time_ns = 100, .duration_ns = 50 },
	  { .samples = "f 2", .time_ns = 150, .duration_ns = 50 },
	  "resource\nscope \n" CPU " 100+100\n\tf 2\n",
	  0 },
	{ "the time is that of both",
	  { .samples = "f 1", .time_ns = 100, .duration_ns = 50 },
	  { .samples = "f 2", .time_ns = 200, .duration_ns = 70 },
	  "resource\nscope \n" CPU " 100+170\n\tf 3\n",
	  0 },
	{ "one time inside the other",
	  { .samples = "f 1", .time_ns = 100, .duration_ns = 500 },
	  { .samples = "f 2", .time_ns = 200, .duration_ns = 70 },
	  "resource\nscope \n" CPU " 100+500\n\tf 3\n",
	  0 },
	{ "no time is no time",
	  { .samples = "f 1" },
	  { .samples = "f 2", .time_ns = 200, .duration_ns = 70 },
	  "resource\nscope \n" CPU " 200+70\n\tf 3\n",
	  0 },
	{ "the end of time",
	  { .samples = "f 1", .time_ns = UINT64_MAX - 5, .duration_ns = 50 },
	  { .samples = "f 2", .time_ns = UINT64_MAX - 9, .duration_ns = 1 },
	  "resource\nscope \n" CPU " 18446744073709551606+9\n\tf 3\n",
	  0 },
	{ "joined profiles lose their ids",
	  { .samples = "f 1", .id = 1 },
	  { .samples = "f 2", .id = 2 },
	  "resource\nscope \n" CPU "\n\tf 3\n",
	  0 },
	{ "others keep them",
	  { .samples = "f 1", .id = 1 },
	  { .samples = "f 2", .id = 2, .type = "wall" },
	  "resource\nscope \n" CPU " id 1\n\tf 1\n"
	  "profile wall/nanoseconds id 2\n\tf 2\n",
	  1 },
	{ "of gauges the latest counts",
	  { .samples = "f 1\ng 9",
	    .type = "inuse_space",
	    .unit = "b",
	    .time_ns = 100,
	    .duration_ns = 10 },
	  { .samples = "f 2\nh 3",
	    .type = "inuse_space",
	    .unit = "b",
	    .time_ns = 200,
	    .duration_ns = 10 },
	  "resource\nscope \nprofile inuse_space/b 100+110\n\tf 2\n\th 3\n",
	  0 },
	{ "of running counters too",
	  { .samples = "f 7",
	    .attrs = CUMULATIVE,
	    .time_ns = 100,
	    .duration_ns = 300 },
	  { .samples = "f 5",
	    .attrs = CUMULATIVE,
	    .time_ns = 100,
	    .duration_ns = 200 },
	  "resource\nscope \n" CPU " 100+300 " CUMULATIVE "\n\tf 7\n",
	  0 },
	{ "gauges of one time: the last given",
	  { .samples = "f 1", .type = "threads", .unit = "" },
	  { .samples = "f 2", .type = "threads", .unit = "" },
	  "resource\nscope \nprofile threads/\n\tf 2\n",
	  1 },
	{ "observations of gauges are all kept",
	  { .samples = "f 1@10", .type = "threads", .unit = "" },
	  { .samples = "f 2@20", .type = "threads", .unit = "" },
	  "resource\nscope \nprofile threads/\n\tf 1@10 2@20\n",
	  1 },
	{ "attributes of windows do not keep them apart",
	  { .samples = "f 1", .attrs = "k=a otprof.window.rounds=1" },
	  { .samples = "f 2", .attrs = "k=a otprof.window.rounds=2" },
	  "resource\nscope \n" CPU " k=a\n\tf 3\n",
	  0 },
	{ "nor do they stay in one that is not joined",
	  { .samples = "f 1", .attrs = "otprof.window.rounds=1" },
	  { .samples = "f 2", .type = "wall" },
	  "resource\nscope \n" CPU "\n\tf 1\n"
	  "profile wall/nanoseconds\n\tf 2\n",
	  1 },
	{ "no samples",
	  { .samples = "" },
	  { .samples = "f 1" },
	  "resource\nscope \n" CPU "\n\tf 1\n",
	  0 },
	{ "sums stop at the ends of the range",
	  { .samples = "f 9223372036854775807" },
	  { .samples = "f 1" },
	  "resource\nscope \n" CPU "\n\tf 9223372036854775807\n",
	  0 },
};

/* Whether a normal model has rows that making it normal again would drop. */
static bool has_orphans(const struct op_model *m)
{
	struct op_model *one[] = { (struct op_model *)m }, out = { 0 };
	struct op_err err = { 0 };
	bool found = op_concat(one, 1, &out, &err);

	for (int t = 0; t < OP_NR_TABLES; t++)
		found |= out.dict.nr[t] != m->dict.nr[t];
	op_model_free(&out);
	return found;
}

TEST(merge_rows)
{
	for (size_t i = 0; i < op_countof(merges); i++) {
		int before = test_failed;
		struct op_model a, b, *both[3] = { &a, &b, &a };

		sketch_one(&a, &merges[i].a);
		sketch_one(&b, &merges[i].b);
		for (int turn = 0; turn < 2; turn++) {
			struct op_err err = { 0 };
			struct op_model out = { 0 };

			CHECK_EQ(op_merge(both + turn, 2, &out, &err), OP_OK);
			if (!turn || !merges[i].in_order)
				CHECK_STR(sketch_text(&out), merges[i].result);
			CHECK(out.normal);
			CHECK(!has_orphans(&out));
			op_model_free(&out);
		}
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", merges[i].name);
		op_model_free(&a);
		op_model_free(&b);
	}
}

/* Attributes of resources are a set: their order has no meaning. */
TEST(order_of_resource_attributes)
{
	struct sketch sa = { .samples = "f 1", .resource = "a=1 b=2" };
	struct sketch sb = { .samples = "f 2", .resource = "b=2 a=1" };
	struct op_model a, b, out = { 0 }, *both[] = { &a, &b };
	struct op_err err = { 0 };

	sketch_one(&a, &sa);
	sketch_one(&b, &sb);
	CHECK_EQ(op_merge(both, 2, &out, &err), OP_OK);
	CHECK_STR(sketch_text(&out),
		  "resource a=1 b=2\nscope \n" CPU "\n\tf 3\n");
	op_model_free(&out);
	op_model_free(&a);
	op_model_free(&b);
}

static int64_t total(const struct op_model *m)
{
	struct op_walk w = { 0 };
	int64_t sum = 0;

	while (op_walk_next(m, &w))
		sum += op_profile_total(w.profile);
	return sum;
}

/* Of generated messages: totals add up, in any order; rows that are shared
 * are not stored twice. */
TEST(totals)
{
	static char text[WIRE_MAX];
	static struct wire w;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct op_err err = { 0 };
		struct op_model m[2], one = { 0 }, twice = { 0 }, ab = { 0 },
				      ba = { 0 };
		struct op_model *all[] = { &m[0], &m[1], &m[0], &m[0] };

		for (uint32_t i = 0; i < 2; i++) {
			wire_generate(text, sizeof(text), seed + i * 100);
			wire_set(&w, text);
			CHECK_EQ(wire_decode(&m[i], wire_view(&w), NULL, &err),
				 OP_OK);
		}
		CHECK_EQ(op_merge(all, 1, &one, &err), OP_OK);
		CHECK_EQ(op_merge(all + 2, 2, &twice, &err), OP_OK);
		CHECK_EQ(op_merge(all, 2, &ab, &err), OP_OK);
		CHECK_EQ(op_merge(all + 1, 2, &ba, &err), OP_OK);
		CHECK_EQ(total(&one), total(&m[0]));
		CHECK_EQ(total(&twice), 2 * total(&m[0]));
		CHECK_EQ(total(&ab), total(&m[0]) + total(&m[1]));
		CHECK_EQ(total(&ba), total(&ab));
		for (int t = 0; t < OP_NR_TABLES; t++) {
			CHECK_EQ(one.dict.nr[t], twice.dict.nr[t]);
			CHECK_EQ(ab.dict.nr[t], ba.dict.nr[t]);
		}
		op_model_free(&one);
		op_model_free(&twice);
		op_model_free(&ab);
		op_model_free(&ba);
		op_model_free(&m[0]);
		op_model_free(&m[1]);
	}
}

TEST(merge_of_none)
{
	struct op_err err = { 0 };
	struct op_model out = { 0 };

	CHECK_EQ(op_merge(NULL, 0, &out, &err), OP_OK);
	CHECK_EQ(out.nr_resources, 0);
	for (int t = 0; t < OP_NR_TABLES; t++)
		CHECK_EQ(out.dict.nr[t], 1);
	op_model_free(&out);
}

static const struct sketch several[] = {
	{ .samples = "main 1 k=v\nmain;f 2 #1", .resource = "host=a" },
	{ .samples = "f 1", .resource = "host=a", .type = "alloc" },
	{ .samples = "main 1@5 2@6", .resource = "host=a", .type = "wall" },
	{ .samples = "g 3", .resource = "host=b", .attrs = "x=y" },
};

TEST(each_allocation_fails)
{
	struct op_err ok = { 0 };
	struct op_model m = { 0 };
	struct op_model *twice[] = { &m, &m };

	CHECK_EQ(sketch_model(&m, several, op_countof(several), &ok), OP_OK);
	for (int concat = 0; concat < 2; concat++) {
		EACH_ALLOC_FAILS(k) {
			struct op_err err = { 0 };
			struct op_model out = { 0 };
			int code = concat ? op_concat(twice, 2, &out, &err) :
					    op_merge(twice, 2, &out, &err);

			CHECK(!code || code == OP_ENOMEM);
			CHECK(op_alloc_failed() || !code);
			op_model_free(&out);
		}
	}
	op_model_free(&m);
}

/* --- concat --- */

TEST(concat)
{
	static const struct sketch more = { .samples = "main 7",
					    .resource = "host=a" };
	struct op_err err = { 0 };
	struct op_model a = { 0 }, b, out = { 0 };
	struct op_model *both[] = { &a, &b };

	CHECK_EQ(sketch_model(&a, several, op_countof(several), &err), OP_OK);
	sketch_one(&b, &more);
	a.dialect = "v1.9";
	a.dialect_note = "perhaps";
	b.dialect = "v1.10";
	CHECK_EQ(op_concat(both, 2, &out, &err), OP_OK);
	CHECK_STR(sketch_text(&out),
		  "resource host=a\nscope \n" CPU
		  "\n\tmain 1 k=v\n\tmain;f 2 #1\n"
		  "profile alloc/nanoseconds\n\tf 1\n"
		  "profile wall/nanoseconds\n\tmain 1@5 2@6\n"
		  "resource host=b\nscope \n" CPU " x=y\n\tg 3\n"
		  "resource host=a\nscope \n" CPU "\n\tmain 7\n");
	CHECK_STR(out.dialect_note, "perhaps");
	/* "main" and its location are there once. */
	CHECK_EQ(out.dict.nr[OP_STRINGS], a.dict.nr[OP_STRINGS]);
	CHECK_EQ(out.dict.nr[OP_LOCATIONS], a.dict.nr[OP_LOCATIONS]);
	op_model_free(&out);
	CHECK_EQ(op_concat(NULL, 0, &out, &err), OP_OK);
	CHECK_EQ(out.nr_resources, 0);
	op_model_free(&out);
	op_model_free(&a);
	op_model_free(&b);
}

TEST_MAIN(normalise_rows, mappings_keep_their_order, concat_again, references,
	  heads_are_kept, normalise_again, normalise_fails_whole, merge_rows,
	  order_of_resource_attributes, totals, merge_of_none,
	  each_allocation_fails, concat)
