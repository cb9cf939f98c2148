// SPDX-License-Identifier: Apache-2.0
#include "api_fixture.h"
#include "server/api_int.h"

/* Threads are shown as "main (7)", "main" and "7": each condition selects the
 * samples of one. */
static const struct sketch one = {
	.samples = "a 1@1 thread.name=main thread.id=7\n"
		   "a 2@2 thread.name=main\n"
		   "a 4@3 thread.id=7\n"
		   "a 8@4 thread.name=m.in\n"
		   "a 16@5",
};

/* Ids are made numbers, as those of readers are. */
static void model_make(struct op_model *m)
{
	sketch_one(m, &one);
	for (uint32_t i = 1; i < m->dict.nr[OP_ATTRS]; i++) {
		struct op_attr *a = &m->dict.attrs[i];

		if (op_view_is(op_string(m, a->key), "thread.id"))
			a->value = (struct op_any){ .kind = OP_ANY_INT,
						    .num = 7 };
	}
}

TEST(answers)
{
	static const struct asked rows[] = {
		{ "values?label=thread", 200,
		  "\"where\":\"thread=\\\"main (7)\\\"\"" },
		{ "values?label=thread", 200,
		  "\"where\":\"thread=\\\"main\\\",thread!~\\\"^main "
		  "\\\\([0-9]+\\\\)$| \\\\(main\\\\)$\\\"\"" },
		{ "values?label=thread", 200,
		  "\"where\":\"thread=\\\"m.in\\\"\"" },
		{ "values?label=thread", 200, "\"where\":\"thread=\\\"\\\"\"" },
		{ "lanes?columns=1", 200,
		  "\"where\":\"process=\\\"\\\",thread=\\\"7\\\",thread!~" },
	};
	struct op_err err = { 0 };
	struct op_model m;
	struct fixture f = { 0 };

	model_make(&m);
	f.api.store = op_memory_store(&err);
	CHECK_EQ(op_store_put(f.api.store, "a", &m, &err), OP_OK);
	ask_rows(&f, rows, op_countof(rows));
	fixture_free(&f);
}

TEST(selects_what_is_shown)
{
	static const struct {
		const char *text;
		int64_t want;
	} rows[] = { { "main (7)", 1 },
		     { "main", 2 },
		     { "7", 4 },
		     { "m.in", 8 },
		     { "(no thread)", 16 } };
	struct op_err err = { 0 };
	struct op_api_where w = { 0 };
	struct op_model m;

	model_make(&m);
	for (size_t i = 0; i < op_countof(rows); i++)
		op_api_where_note(&w, op_view_z(rows[i].text), &err);
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_buf text = { .err = &err };
		struct op_where where = { 0 };
		struct op_filter_opts o = { .where = &where };
		struct op_model out = { 0 };

		op_api_where_put(&w, op_view_z("thread"),
				 op_view_z(rows[i].text), &text);
		op_buf_byte(&text, 0);
		CHECK_EQ(op_where_parse(&where, (char *)text.p, &err), OP_OK);
		CHECK_EQ(op_filter(&m, &o, &out, &err), OP_OK);
		CHECK(out.nr_resources &&
		      op_profile_total(out.resources[0].scopes[0].profiles) ==
			      rows[i].want);
		op_model_free(&out);
		op_where_free(&where);
		op_buf_free(&text);
	}
	op_api_where_free(&w);
	op_model_free(&m);
}

/* No text has these as a part. */
TEST(notes_only_numbers_in_brackets)
{
	static const char *const texts[] = { "",     "a",    ")",     "(7)",
					     "a(7)", "a ()", "a (x)", "a (7) ",
					     "a (7", "7)" };
	struct op_api_where w = { 0 };
	struct op_err err = { 0 };

	for (size_t i = 0; i < op_countof(texts); i++)
		op_api_where_note(&w, op_view_z(texts[i]), &err);
	CHECK_EQ(w.parts.list.n, 0);
	op_api_where_free(&w);
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_buf out = { .err = &err };
		struct op_api_where w = { 0 };

		op_api_where_note(&w, op_view_z("main (7)"), &err);
		op_api_where_put(&w, op_view_z("thread"), op_view_z("7"), &out);
		CHECK(err.code == OP_OK || op_alloc_failed());
		op_api_where_free(&w);
		op_buf_free(&out);
	}
}

TEST_MAIN(answers, selects_what_is_shown, notes_only_numbers_in_brackets, oom)
