// SPDX-License-Identifier: Apache-2.0
/* What the pprof writer makes of models, and that the reader gets it back. */
#include "fmt/pprof/pprof.h"

#include "model/content.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

static struct wire w;

static struct op_view encode(const struct op_model *m,
			     const struct op_write_opts *opts,
			     struct op_pbw *out, struct op_err *err)
{
	*out = (struct op_pbw){ .err = err };
	op_pprof_encode(m, opts, out);
	return op_pbw_result(out);
}

/* The model as pprof, read again, as text. */
static const char *there_and_back(const struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_model back = { 0 };
	const char *text = "failed";
	struct op_pbw out;

	if (!op_pprof_decode(&back, encode(m, NULL, &out, &err), &err))
		text = sketch_text(&back);
	op_pbw_free(&out);
	op_model_free(&back);
	return text;
}

#define EVENT "otprof.event.type="
#define RES "resource\n"
#define SC "scope \n"
#define HEAD RES SC "profile cpu/nanoseconds\n"

static const struct {
	const char *name;
	struct sketch s[3];
	size_t n;
	const char *result;
} rows[] = {
	{ "one",
	  { { .samples = "main;work 5\nmain 3" } },
	  1,
	  HEAD "\tmain 3\n\tmain;work 5\n" },
	{ "attributes and a link",
	  { { .samples = "main 5 k=v a= #7" } },
	  1,
	  HEAD "\tmain 5 a= k=v #7\n" },
	{ "times",
	  { { .samples = "main 5@100 6@200 #1\nwork 1@300" } },
	  1,
	  HEAD "\tmain 5@100 6@200 #1\n\twork 1@300\n" },
	{ "the last of a state",
	  { { .samples = "main 5@100 6@200\nwork 1@300",
	      .type = "inuse_space" } },
	  1,
	  "resource\nscope \nprofile inuse_space/nanoseconds\n"
	  "\tmain 6\n\twork 1\n" },
	{ "all of live objects",
	  { { .samples = "main 5@100 6@200\nwork 1@300",
	      .type = "inuse_space",
	      .attrs = EVENT "profiler.LiveObject" } },
	  1,
	  "resource\nscope \nprofile inuse_space/nanoseconds\n"
	  "\tmain 11\n\twork 1\n" },
	{ "no stack", { { .samples = "- 5" } }, 1, HEAD "\t- 5\n" },
	{ "no samples", { { .samples = "" } }, 1, HEAD },
	{ "two types of the same samples: the first stays first",
	  { { .samples = "main 5\nwork 1" },
	    { .samples = "main 2\nwork 3", .type = "wall", .unit = "ns" } },
	  2,
	  HEAD "\tmain 5\n\twork 1\nprofile wall/ns\n\tmain 2\n\twork 3\n" },
	{ "two types of other samples: 0 where there is none",
	  { { .samples = "main 5\nwork 1" },
	    { .samples = "main 2\nidle 3", .type = "wall", .unit = "ns" } },
	  2,
	  HEAD "\tidle 0\n\tmain 5\n\twork 1\nprofile wall/ns\n\tidle 3\n"
	       "\tmain 2\n\twork 0\n" },
	{ "one type in two resources: their attributes are labels",
	  { { .samples = "main 5", .resource = "pid=1 host=x" },
	    { .samples = "main 7", .resource = "pid=2 host=x" } },
	  2,
	  HEAD "\tmain 5 pid=1\n\tmain 7 pid=2\n" },
	{ "one instant in two scopes, of two types",
	  { { .samples = "main 5@9", .resource = "host=x" },
	    { .samples = "main 2@9", .type = "wall", .resource = "host=x" },
	    { .samples = "main 7@9", .resource = "host=x", .scope = "b" } },
	  3,
	  HEAD "\tmain 12@9\nprofile wall/nanoseconds\n\tmain 2@9\n" },
	{ "one type in two scopes is one column",
	  { { .samples = "main 5", .scope = "a" },
	    { .samples = "main 7", .scope = "b" } },
	  2,
	  HEAD "\tmain 12\n" },
	{ "one type twice in a scope is two columns",
	  { { .samples = "main 5" },
	    { .samples = "main 7", .attrs = "event=x" } },
	  2,
	  HEAD "\tmain 5\nprofile cpu_2/nanoseconds\n\tmain 7\n" },
	{ "one event in two scopes is one column, wherever it stands",
	  { { .samples = "main 5", .attrs = EVENT "a" },
	    { .samples = "main 7", .attrs = EVENT "b" },
	    { .samples = "main 2", .attrs = EVENT "b", .scope = "x" } },
	  3,
	  RES SC "profile cpu:a/nanoseconds\n\tmain 5\n"
		 "profile cpu:b/nanoseconds\n\tmain 9\n" },
	{ "with and without times",
	  { { .samples = "main 5@100" }, { .samples = "main 7" } },
	  2,
	  HEAD "\tmain 5@100\nprofile cpu/nanoseconds\n\tmain 7\n" },
	{ "times of two types",
	  { { .samples = "main 5@100 6@200" },
	    { .samples = "main 7@200", .type = "wall", .unit = "ns" } },
	  2,
	  HEAD "\tmain 5@100 6@200\nprofile wall/ns\n\tmain 0@100 7@200\n" },
	{ "period and time range",
	  { { .samples = "main 5",
	      .period = 99,
	      .time_ns = 1000,
	      .duration_ns = 20 },
	    { .samples = "main 5",
	      .type = "wall",
	      .unit = "ns",
	      .time_ns = 500,
	      .duration_ns = 100 } },
	  2,
	  RES SC "profile cpu/nanoseconds period 99 500+520\n\tmain 5\n"
		 "profile wall/ns period 99 500+520\n\tmain 5\n" },
};

TEST(reads_back)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_model m = { 0 };
		const char *got;

		sketch_model(&m, rows[i].s, rows[i].n, &err);
		CHECK(!err.code);
		got = there_and_back(&m);
		if (strcmp(got, rows[i].result))
			TEST_FAIL("%s: %s", rows[i].name, got);
		op_model_free(&m);
	}
}

/* --- names of types --- */

#define SAMPLES(by, of)                                                  \
	{                                                                \
		.samples = "main 1", .type = "samples", .unit = "count", \
		.period_type = by, .attrs = of                           \
	}
#define TYPE(name, in)                                        \
	{                                                     \
		.samples = "main 1", .type = name, .unit = in \
	}

static const struct {
	const char *name;
	struct sketch s[4];
	size_t n;
	const char *types[4]; /* in the order of the model */
} names[] = {
	{ "one keeps its name",
	  { SAMPLES("cpu", EVENT "a") },
	  1,
	  { "samples" } },
	{ "by what they were taken",
	  { SAMPLES("cpu", EVENT "a"), SAMPLES("wall", EVENT "b") },
	  2,
	  { "cpu_samples", "wall_samples" } },
	{ "by the event",
	  { SAMPLES("cpu", EVENT "a"), SAMPLES("cpu", "x.event.type=b") },
	  2,
	  { "samples:a", "samples:b" } },
	{ "by the event that one has",
	  { SAMPLES(NULL, NULL), SAMPLES(NULL, EVENT "b") },
	  2,
	  { "samples", "samples:b" } },
	{ "by the unit",
	  { TYPE("cpu", "count"), TYPE("cpu", "nanoseconds") },
	  2,
	  { "cpu_count", "cpu_nanoseconds" } },
	{ "by their order",
	  { TYPE("a", "b"), TYPE("a", "b"), TYPE("a", "b") },
	  3,
	  { "a", "a_2", "a_3" } },
	{ "not by a name that another has",
	  { SAMPLES("cpu", EVENT "a"), SAMPLES("wall", EVENT "b"),
	    TYPE("cpu_samples", "count") },
	  3,
	  { "samples:a", "samples:b", "cpu_samples" } },
	{ "not by a number that another has",
	  { TYPE("a", "b"), TYPE("a", "b"), TYPE("a_2", "b") },
	  3,
	  { "a", "a_3", "a_2" } },
	{ "two types",
	  { TYPE("a", "b"), TYPE("c", "b"), TYPE("a", "d"), TYPE("c", "b") },
	  4,
	  { "a_b", "c", "a_d", "c_2" } },
	{ "without a name", { TYPE("", ""), TYPE("", "") }, 2, { "", "_2" } },
};

/* Google's pprof knows types by their name only. */
TEST(names_are_there_once)
{
	for (size_t i = 0; i < op_countof(names); i++) {
		struct op_model m = { 0 }, back = { 0 };
		struct op_err err = { 0 };
		struct op_walk walk = { 0 };
		struct op_pbw out;
		size_t n = 0;

		sketch_model(&m, names[i].s, names[i].n, &err);
		op_pprof_decode(&back, encode(&m, NULL, &out, &err), &err);
		CHECK(!err.code);
		while (op_walk_next(&back, &walk)) {
			struct op_view type = op_string(
				&back, walk.profile->sample_type.type);
			/* The first stays, the others keep their order but
			 * for the first and the last of the file. */
			size_t k = n;

			if (names[i].n > 2 && n)
				k = n == 1 ? names[i].n - 1 : n - 1;
			n++;
			if (!op_view_is(type, names[i].types[k]))
				TEST_FAIL("%s: %zu is %.*s", names[i].name, k,
					  (int)type.n, (const char *)type.p);
		}
		CHECK_EQ(n, names[i].n);
		op_pbw_free(&out);
		op_model_free(&m);
		op_model_free(&back);
	}
}

/* A thousand copies of a long name would fill the memory. */
TEST(long_names)
{
	static char type[5000];
	struct sketch s[] = { { .samples = "main 1", .type = type },
			      { .samples = "main 1", .type = type } };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct op_pbw out;

	memset(type, 'x', sizeof(type) - 1);
	sketch_model(&m, s, 1, &err);
	encode(&m, NULL, &out, &err);
	CHECK_EQ(err.code, OP_OK);
	op_pbw_free(&out);
	op_model_free(&m);
	sketch_model(&m, s, 2, &err);
	encode(&m, NULL, &out, &err);
	CHECK_EQ(err.code, OP_ELIMIT);
	op_pbw_free(&out);
	op_model_free(&m);
}

/* pprof -> model -> pprof -> model gives the same content. */
static const char *const messages[] = {
#define STRINGS "6'' 6'cpu' 6'ns' 6'main' 6'work' 6'k' 6'' "
#define TABLES                                                        \
	"3{ 1:1 2:0x1000 3:0x2000 4:0x30 5:3 6:4 7:1 8:1 9:1 10:1 } " \
	"4{ 1:1 2:1 3:0x1010 4{ 1:1 2:10 3:2 } 4{ 1:2 2:5 } } "       \
	"4{ 1:2 4{ 1:2 2:20 } 5:1 } 4{ 1:3 } 4{ 1:4 4{ 2:3 } } "      \
	"5{ 1:1 2:3 3:4 4:1 5:8 } 5{ 1:2 2:4 } " STRINGS
	"1{ 1:1 2:2 } 2{ 1[2 1] 2[5] } " TABLES,
	"1{ 1:1 2:2 } 1{ 1:3 2:2 } 1{ 1:4 2:2 } 2{ 1[2 1] 2[5 0 -1] } " TABLES,
	"1{ 1:1 2:2 } 1{ 1:3 2:2 } 1{ 1:4 2:2 } 14:1 2{ 2[5 0 1] } " TABLES,
	"1{ 1:1 2:2 } 1{ 1:1 2:3 } 1{ 1:1 2:2 } 14:1 2{ 2[5 0 1] } " TABLES,
	"1{ 1:1 } 2{ 2[5] 3{ 1:5 2:6 } } " TABLES,
	"1{ 1:1 } 2{ 2[5] 3{ 1:5 2:1 } 3{ 1:5 2:2 } 3{ 1:4 3:9 4:2 } } " TABLES,
	"1{ 1:1 } 2{ 2[5] 3{ 1:5 3:1 4:1 } 3{ 1:5 3:2 4:2 } 3{ 1:5 3:7 } "
	"3{ 1:5 2:3 } } " TABLES,
	"1{ 1:1 } 2{ 1[3] 2[5] } 2{ 1[4 1] 2[1] } " TABLES,
	"1{ 1:1 } 7:1 8:2 9:100 10:5 11{ 1:1 2:2 } 12:7 13[3 4 0] 14:1 15:5 "
	"2{ 1[1] 2[1] } " TABLES,
#undef TABLES
#undef STRINGS
};

/* Whether the content hashes of all profiles are the same. */
static bool same_content(struct op_model *a, struct op_model *b)
{
	struct op_walk x = { 0 }, y = { 0 };
	struct op_err err = { 0 };

	op_content_ids(a, &err);
	op_content_ids(b, &err);
	while (op_walk_next(a, &x))
		if (!op_walk_next(b, &y) ||
		    memcmp(x.profile->id, y.profile->id, 16))
			return false;
	return !op_walk_next(b, &y) && !err.code;
}

TEST(loses_nothing_of_pprof)
{
	for (size_t i = 0; i < op_countof(messages); i++) {
		struct op_model first = { 0 }, second = { 0 };
		struct op_pbw pprof;
		struct op_err err = { 0 };

		wire_set(&w, messages[i]);
		op_pprof_decode(&first, wire_view(&w), &err);
		op_pprof_decode(&second, encode(&first, NULL, &pprof, &err),
				&err);
		if (err.code || !same_content(&first, &second))
			TEST_FAIL("message %zu: %.100s", i, err.text);
		op_pbw_free(&pprof);
		op_model_free(&first);
		op_model_free(&second);
	}
}

/* As other writers have it: ids from 1, what nobody uses left out. */
TEST(bytes)
{
	struct sketch s = { .samples = "main;work 5 k=v n=1\nmain 300" };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct op_pbw out;

	sketch_one(&m, &s);
	wire_set(&w, "1{ 1:1 2:2 } "
		     "2{ 1[2 1] 2[5] 3{ 1:3 2:6 } 3{ 1:4 2:5 } } "
		     "2{ 1[1] 2[300] } "
		     "4{ 1:1 4{ 1:1 } } 4{ 1:2 4{ 1:2 } } "
		     "5{ 1:1 2:8 } 5{ 1:2 2:7 } "
		     "6'' 6'cpu' 6'nanoseconds' 6'k' 6'n' 6'1' 6'v' 6'work' "
		     "6'main'");
	CHECK(op_view_eq(encode(&m, NULL, &out, &err), wire_view(&w)));
	op_pbw_free(&out);
	op_model_free(&m);
}

/* --- attributes that are not simply texts --- */

struct value_row {
	struct op_any value;
	const char *unit, *label; /* the label as wire text; 3 is the key */
	const char *strings;	  /* behind those of every message */
};

static struct op_any text_of(const char *s)
{
	struct op_any v = { .kind = OP_ANY_STRING };

	v.bytes = op_view_z(s);
	return v;
}

static void check_value(const struct value_row *row)
{
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct op_resource res = { 0 };
	struct op_scope scope = { 0 };
	struct op_profile head = { 0 };
	struct op_identity id = { 0 };
	struct op_builder b;
	struct op_pbw out;
	char text[500];
	uint32_t attr, p;

	op_builder_init(&b, &m, &err);
	p = op_build_profile(&b,
			     op_build_scope(&b,
					    op_build_resource(&b, &res, NULL),
					    &scope, NULL),
			     &head);
	attr = op_build_attr(&b, op_view_z("key"), &row->value,
			     op_view_z(row->unit), NULL);
	id.set = op_build_set(&b, &attr, 1);
	op_build_add(&b, p, op_build_sample(&b, p, id), 1);
	op_builder_finish(&b);
	snprintf(text, sizeof(text), "1{} 2{ 2[1] %s } 6'' 6'key' %s",
		 row->label, row->strings);
	wire_set(&w, text);
	if (!op_view_eq(encode(&m, NULL, &out, &err), wire_view(&w)))
		TEST_FAIL("%.150s", text);
	op_pbw_free(&out);
	op_model_free(&m);
}

TEST(values)
{
	struct op_any list[] = { text_of("a"),
				 { .kind = OP_ANY_INT },
				 { .kind = OP_ANY_BOOL, .flag = true } };
	struct op_kv pair[] = { { .key = op_view_z("value") },
				{ .key = op_view_z("unit"),
				  .value = text_of("ms") } };
	struct op_any with_unit = { .kind = OP_ANY_KVLIST, .n = 2 };
	struct value_row row[] = {
		{ text_of("v"), "", "3{ 1:1 2:2 }", "6'v'" },
		{ text_of(""), "", "3{ 1:1 2:2 }", "6''" },
		{ { .kind = OP_ANY_INT }, "ms", "3{ 1:1 3:-7 4:2 }", "6'ms'" },
		{ { .kind = OP_ANY_BOOL }, "", "3{ 1:1 2:2 }", "6'false'" },
		{ { .kind = OP_ANY_DOUBLE }, "", "3{ 1:1 2:2 }", "6'1.5'" },
		{ { .kind = OP_ANY_BYTES }, "", "3{ 1:1 2:2 }", "6'00ff'" },
		{ { .kind = OP_ANY_NONE }, "", "3{ 1:1 2:2 }", "6''" },
		{ { .kind = OP_ANY_ARRAY, .n = 3 },
		  "u",
		  "3{ 1:1 2:4 } 3{ 1:1 3:5 4:3 } 3{ 1:1 2:2 }",
		  "6'true' 6'u' 6'a'" },
		{ { .kind = OP_ANY_ARRAY, .n = 1 },
		  "",
		  "3{ 1:1 3:8 4:2 }",
		  "6'ms'" },
		{ { .kind = OP_ANY_KVLIST, .n = 1 },
		  "",
		  "3{ 1:1 2:2 }",
		  "6'{\"value\":8}'" },
	};

	list[1].num = 5;
	pair[0].value.kind = OP_ANY_INT;
	pair[0].value.num = 8;
	with_unit.kvlist = pair;
	row[2].value.num = -7;
	row[4].value.real = 1.5;
	row[5].value.bytes = op_view("\0\xff", 2);
	row[7].value.array = list;
	row[8].value.array = &with_unit;
	row[9].value.kvlist = pair;
	for (size_t i = 0; i < op_countof(row); i++)
		check_value(&row[i]);
}

/* --- the Collector's ways --- */

/* Without the order of types first and last change places; comments have
 * numbered keys. */
TEST(from_the_collector)
{
	struct sketch s[] = {
		{ .samples = "main 3",
		  .type = "c",
		  .unit = "n",
		  .attrs = "pprof.profile.comment.0=x "
			   "pprof.profile.comment.1=y" },
		{ .samples = "main 2", .type = "b", .unit = "n" },
		{ .samples = "main 1", .type = "a", .unit = "n" },
	};
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	struct op_pbw out;

	sketch_model(&m, s, 3, &err);
	wire_set(&w, "1{ 1:4 2:2 } 1{ 1:3 2:2 } 1{ 1:1 2:2 } "
		     "2{ 1[1] 2[1 2 3] } 4{ 1:1 4{ 1:1 } } 5{ 1:1 2:7 } "
		     "6'' 6'c' 6'n' 6'b' 6'a' 6'x' 6'y' 6'main' 13[5 6]");
	CHECK(op_view_eq(encode(&m, NULL, &out, &err), wire_view(&w)));
	op_pbw_free(&out);
	op_model_free(&m);
}

/* --- what is lost --- */

static void note(void *ctx, const char *text)
{
	snprintf(ctx, 200, "%s", text);
}

TEST(says_what_is_lost)
{
	static const struct {
		struct sketch s;
		const char *text;
	} lost[] = {
		{ { .samples = "main 1 k=v" }, "" },
		{ { .samples = "main 1", .resource = "a=b", .scope = "x" },
		  "pprof cannot hold attributes of the resource, names of "
		  "scopes" },
		{ { .samples = "main 1", .attrs = "event=x" },
		  "pprof cannot hold attributes of profiles" },
		{ { .samples = "main 1@5", .type = "inuse_space" },
		  "pprof cannot hold times of states" },
	};

	for (size_t i = 0; i < op_countof(lost); i++) {
		char text[200] = "";
		struct op_write_opts opts = { .note = note, .ctx = text };
		struct op_err err = { 0 };
		struct op_model m = { 0 };
		struct op_pbw out;

		sketch_one(&m, &lost[i].s);
		encode(&m, &opts, &out, &err);
		CHECK_STR(text, lost[i].text);
		op_pbw_free(&out);
		op_model_free(&m);
	}
}

TEST(oom)
{
	struct sketch s[] = {
		{ .samples = "main 1 a=b #1\nwork 3", .attrs = "a=b" },
		{ .samples = "main 2@10",
		  .type = "b",
		  .unit = "n",
		  .resource = "r=s" },
		{ .samples = "main 4", .attrs = EVENT "e", .resource = "r=s" }
	};
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	sketch_model(&m, s, op_countof(s), &err);
	EACH_ALLOC_FAILS(k) {
		struct op_err each = { 0 };
		struct op_pbw out;

		encode(&m, NULL, &out, &each);
		CHECK(!each.code || each.code == OP_ENOMEM);
		op_pbw_free(&out);
	}
	op_model_free(&m);
}

TEST_MAIN(reads_back, names_are_there_once, long_names, loses_nothing_of_pprof,
	  bytes, values, from_the_collector, says_what_is_lost, oom)
