// SPDX-License-Identifier: Apache-2.0
#include "model/where.h"

#include "model/filter.h"
#include "test.h"
#include "write/sketch.h"

/* --- the grammar --- */

static const struct {
	const char *text;
	int at; /* of the error; -1: there is none */
} grammar[] = {
	{ "a=b", -1 },
	{ " a = b , c = d ", -1 },
	{ "a==b", -1 },
	{ "service.name=\"api\"", -1 },
	{ "'a b'='c d'", -1 },
	{ "a=\"\"", -1 },
	{ "a=\"say \\\"hi\\\"\"", -1 },
	{ "a<1,b<=2,c>3.5,d>=-4", -1 },
	{ "a!=b", -1 },
	{ "", 0 },
	{ "a", 1 },
	{ "a=", 2 },
	{ "=b", 0 },
	{ "a=b,", 4 },
	{ "a=b c=d", 4 },
	{ "a=b;", 3 },
	{ "a=\"b", 2 },
	{ "a<b", 2 },
	{ "a<\"b\"", 3 },
	{ "a?b", 1 },
};

TEST(reads_conditions)
{
	for (size_t i = 0; i < op_countof(grammar); i++) {
		struct op_where w = { 0 };
		struct op_err err = { 0 };
		int before = test_failed;

		CHECK_EQ(op_where_parse(&w, grammar[i].text, &err),
			 grammar[i].at < 0 ? OP_OK : OP_EUSAGE);
		CHECK_EQ(err.has_at ? (int)err.at : -1, grammar[i].at);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", grammar[i].text);
		op_where_free(&w);
	}
}

TEST(a_backslash_quotes_only_the_quote)
{
	struct op_where w = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(op_where_parse(&w, "a=\"\\d\\\"\\\\x\"", &err), OP_OK);
	CHECK(op_view_is(w.list.p[0].value, "\\d\"\\\\x"));
	op_where_free(&w);
}

/* --- samples --- */

static const struct sketch profiles[] = {
	{ .samples = "main;work 1 thread.name=main\n"
		     "main;work 2 thread.name=worker-1 thread.state=sleeping\n"
		     "main;idle 4 thread.name=worker-2 n=10\n"
		     "- 8",
	  .resource = "service.name=api region=eu",
	  .attrs = "region=us" },
	{ .samples = "gc 16",
	  .type = "alloc",
	  .unit = "bytes",
	  .resource = "service.name=shop",
	  .attrs = "otprof.event.type=jdk.Alloc" },
};

/* The sum of what matches tells which samples do. */
static const struct {
	const char *where;
	int64_t sum;
} rows[] = {
	{ "service.name=api", 15 },
	{ "service=shop", 16 },
	{ "service!=shop", 15 },
	{ "thread=main", 1 },
	{ "thread.name=~worker", 6 },
	{ "thread=~\"^worker-[12]$\"", 6 },
	{ "thread!~worker", 25 },
	{ "thread=\"\"", 24 },
	{ "thread!=\"\"", 7 },
	{ "state=sleeping", 2 },
	{ "state!=sleeping", 29 },
	{ "function=work", 3 },
	{ "function!=work", 28 },
	{ "function=~\"^(work|idle)$\"", 7 },
	{ "function=work, thread=main", 1 },
	{ "function=main,function=idle", 4 },
	{ "n=10", 4 },
	{ "n>9", 4 },
	{ "n>=10", 4 },
	{ "n<10", 0 },
	{ "n<=10.5", 4 },
	{ "n!=10", 27 },
	/* The profile's beats the resource's. */
	{ "region=us", 15 },
	{ "region=eu", 0 },
	{ "type=alloc", 16 },
	{ "type=alloc/bytes", 16 },
	{ "type=bytes", 0 },
	{ "event=jdk.Alloc", 16 },
	{ "event=\"\"", 15 },
	{ "no.such=\"\"", 31 },
	{ "no.such=x", 0 },
	{ "no.such!=x", 31 },
};

static int64_t sum_of(const struct op_model *m)
{
	struct op_walk w = { 0 };
	int64_t sum = 0;

	while (op_walk_next(m, &w))
		sum += op_profile_total(w.profile);
	return sum;
}

static int64_t sum_where(const struct op_model *m, const struct op_where *w)
{
	struct op_filter_opts o = { .where = w };
	struct op_err err = { 0 };
	struct op_model out = { 0 };
	int64_t sum;

	CHECK_EQ(op_filter(m, &o, &out, &err), OP_OK);
	sum = sum_of(&out);
	op_model_free(&out);
	return sum;
}

TEST(selects_samples)
{
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, profiles, op_countof(profiles), &err), OP_OK);
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_where w = { 0 };
		int before = test_failed;

		CHECK_EQ(op_where_parse(&w, rows[i].where, &err), OP_OK);
		CHECK_EQ(sum_where(&m, &w), rows[i].sum);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].where);
		op_where_free(&w);
	}
	op_model_free(&m);
}

TEST(has_parts_and_lists)
{
	struct op_err err = { 0 };
	struct op_where holds = { 0 }, in = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, profiles, op_countof(profiles), &err), OP_OK);
	CHECK_EQ(op_where_add(&holds, "thread", OP_WHERE_HOLDS, "er-", &err),
		 OP_OK);
	CHECK_EQ(sum_where(&m, &holds), 6);
	CHECK_EQ(op_where_add(&in, "thread", OP_WHERE_IN, "main,worker-2",
			      &err),
		 OP_OK);
	CHECK_EQ(sum_where(&m, &in), 5);
	op_where_free(&holds);
	op_where_free(&in);
	op_model_free(&m);
}

TEST(drops_profiles_without_a_match)
{
	struct op_err err = { 0 };
	struct op_where w = { 0 };
	struct op_filter_opts o = { .where = &w };
	struct op_model m = { 0 }, out = { 0 };

	CHECK_EQ(sketch_model(&m, profiles, op_countof(profiles), &err), OP_OK);
	CHECK_EQ(op_where_parse(&w, "type=alloc", &err), OP_OK);
	CHECK_EQ(op_filter(&m, &o, &out, &err), OP_OK);
	CHECK_EQ(out.nr_resources, 1);
	CHECK_STR(sketch_text(&out), "resource service.name=shop\n"
				     "scope \n"
				     "profile alloc/bytes otprof.event.type="
				     "jdk.Alloc\n"
				     "\tgc 16\n");
	op_where_free(&w);
	op_model_free(&out);
	op_model_free(&m);
}

TEST(a_link_has_ids)
{
	struct sketch s = { .samples = "f 1 #1\nf 2 #2\nf 4" };
	struct op_err err = { 0 };
	struct op_model m;
	struct op_buf id = { .err = &err };
	struct op_where w = { 0 };
	uint32_t link;

	sketch_one(&m, &s);
	link = m.resources[0].scopes[0].profiles[0].link[0];
	CHECK(op_label_link_text(&id, &m, op_label_named(op_view_z("trace")),
				 link));
	op_buf_byte(&id, 0);
	CHECK_EQ(op_where_add(&w, "trace", OP_WHERE_EQ, (const char *)id.p,
			      &err),
		 OP_OK);
	CHECK_EQ(sum_where(&m, &w), 1);
	op_where_free(&w);
	CHECK_EQ(op_where_parse(&w, "span=\"\"", &err), OP_OK);
	CHECK_EQ(sum_where(&m, &w), 4);
	op_where_free(&w);
	op_buf_free(&id);
	op_model_free(&m);
}

/* Zeros are no ids, whatever their length is. */
TEST(a_link_of_zeros_has_none)
{
	struct sketch s = { .samples = "f 1" };
	struct op_err err = { 0 };
	struct op_buf id = { .err = &err };
	struct op_model m;

	sketch_one(&m, &s);
	m.dict.links[0] = (struct op_link){ .trace_len = 16, .span_len = 8 };
	CHECK(!op_label_link_text(&id, &m, op_label_named(op_view_z("trace")),
				  0));
	CHECK(!op_label_link_text(&id, &m, op_label_named(op_view_z("span")),
				  0));
	CHECK_EQ(id.n, 0);
	op_buf_free(&id);
	op_model_free(&m);
}

/* A thread is found by how it is shown, too: its last attribute is made a
 * number, as those of readers are. */
TEST(selects_what_is_shown)
{
	static const struct {
		const char *where;
		bool want;
	} shown[] = {
		{ "thread=\"main (7)\"", true },
		{ "thread=main", true },
		{ "thread=7", true },
		{ "thread=\"main (8)\"", false },
		{ "thread!=\"main (7)\"", false },
		{ "thread=~\"^(?:main \\(7\\)|x)$\"", true },
		{ "thread=~\"^main \\(8\\)$\"", false },
		{ "thread!~\"^main \\(7\\)$\"", false },
		{ "thread=~\"main \"", true },
		{ "state=\"main (7)\"", false },
	};
	struct sketch s = { .samples = "a 1 thread.name=main thread.id=x" };
	struct op_model m;

	sketch_one(&m, &s);
	for (uint32_t i = 1; i < m.dict.nr[OP_ATTRS]; i++) {
		struct op_attr *a = &m.dict.attrs[i];

		if (op_view_is(op_string(&m, a->key), "thread.id"))
			a->value = (struct op_any){ .kind = OP_ANY_INT,
						    .num = 7 };
	}
	for (size_t i = 0; i < op_countof(shown); i++) {
		struct op_where_match x;
		struct op_where w = { 0 };
		struct op_walk at = { 0 };
		struct op_err err = { 0 };

		op_walk_next(&m, &at);
		CHECK_EQ(op_where_parse(&w, shown[i].where, &err), OP_OK);
		CHECK_EQ(op_where_match_init(&x, &w, &m, &err), OP_OK);
		op_where_profile(&x, &at, &err);
		if (op_where_sample(&x, at.profile, 0, &err) != shown[i].want)
			TEST_FAIL("%s", shown[i].where);
		op_where_match_fini(&x);
		op_where_free(&w);
	}
	op_model_free(&m);
}

/* A condition that was written says what it was written of. */
TEST(writes_conditions)
{
	static const struct {
		const char *label, *text, *want;
	} written[] = {
		{ "thread", "main", "thread=\"main\"" },
		{ "thread", "", "thread=\"\"" },
		{ "a b", "say \"hi\"", "\"a b\"=\"say \\\"hi\\\"\"" },
		{ "k", "a\\b\\\"", "k=\"a\\b\\\\\"\"" },
		{ "k", "C:\\", "k=~\"^C:\\x5c\\z\"" },
		{ "k", "a.b*\\", "k=~\"^a\\x2eb\\x2a\\x5c\\z\"" },
	};

	for (size_t i = 0; i < op_countof(written); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };
		struct op_where w = { 0 };

		op_where_write(&b, op_view_z(written[i].label),
			       op_view_z(written[i].text));
		op_buf_byte(&b, 0);
		CHECK_STR((char *)b.p, written[i].want);
		CHECK_EQ(op_where_parse(&w, (char *)b.p, &err), OP_OK);
		CHECK(op_view_is(w.list.p[0].label.name, written[i].label));
		CHECK(w.list.p[0].re ?
			      op_regex_matches(w.list.p[0].re,
					       op_view_z(written[i].text),
					       &err) ||
				      !op_regex_is_full() :
			      op_view_is(w.list.p[0].value, written[i].text));
		op_where_free(&w);
		op_buf_free(&b);
	}
}

TEST(writes_what_is_not_meant)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	op_where_write_whole(&b, op_view_z("thread"), op_view_z("a.b\\"));
	op_buf_byte(&b, 0);
	CHECK_STR((char *)b.p, ",thread!~\"^a\\x2eb\\x5c \\([0-9]+\\)$| \\("
			       "a\\x2eb\\x5c\\)$\"");
	op_buf_free(&b);
}

TEST_MAIN(selects_what_is_shown, writes_what_is_not_meant, writes_conditions,
	  reads_conditions, a_backslash_quotes_only_the_quote, selects_samples,
	  has_parts_and_lists, drops_profiles_without_a_match, a_link_has_ids,
	  a_link_of_zeros_has_none)
