// SPDX-License-Identifier: Apache-2.0
/* The dictionary side of the builder. */
#include "unit/model/builder_fixture.h"

/* --- dictionary --- */

/* Row 0 is there from the start, and what says nothing is row 0. */
TEST(row_zero)
{
	static const struct op_mapping mapping;
	static const struct op_function function;
	static const struct op_location location;
	static const struct op_link link;
	static const struct op_attr attr;
	struct op_view empty = { 0 };
	struct build x;
	const struct op_dict *d = &x.m.dict;

	begin(&x);
	CHECK_EQ(op_build_string(&x.b, empty), 0);
	CHECK_EQ(op_build_mapping(&x.b, &mapping), 0);
	CHECK_EQ(op_build_function(&x.b, &function), 0);
	CHECK_EQ(op_build_location(&x.b, &location, NULL, 0), 0);
	CHECK_EQ(op_build_link(&x.b, &link), 0);
	CHECK_EQ(op_build_stack(&x.b, NULL, 0), 0);
	CHECK_EQ(op_build_set(&x.b, NULL, 0), 0);
	CHECK_EQ(op_build_attr(&x.b, empty, &attr.value, empty, NULL), 0);
	finish(&x);
	for (int t = 0; t < OP_NR_TABLES; t++)
		CHECK_EQ(d->nr[t], 1);
	CHECK(!memcmp(d->mappings, &mapping, sizeof(mapping)));
	CHECK(!memcmp(d->functions, &function, sizeof(function)));
	CHECK(!memcmp(d->locations, &location, sizeof(location)));
	CHECK(!memcmp(d->links, &link, sizeof(link)));
	CHECK(!memcmp(d->attrs, &attr, sizeof(attr)));
	CHECK_EQ(d->strings[0].n, 0);
	CHECK_EQ(d->stacks.nr, 1);
	CHECK_EQ(d->stacks.at[1], 0);
	CHECK_EQ(d->sets.nr, 1);
	CHECK_EQ(d->sets.at[1], 0);
	CHECK_EQ(d->nr_lines, 0);
	CHECK_EQ(d->missing, 0);
	CHECK_EQ(x.m.nr_resources, 0);
	op_model_free(&x.m);
}

TEST(strings)
{
	struct build x;
	char mine[] = "changes";

	begin(&x);
	CHECK_EQ(put(&x, "a"), 1);
	CHECK_EQ(put(&x, "b"), 2);
	CHECK_EQ(put(&x, "a"), 1);
	CHECK_EQ(op_build_string(&x.b, op_view("a\0", 2)), 3);
	CHECK_EQ(put(&x, mine), 4);
	mine[0] = 'C';
	CHECK_EQ(put(&x, "changes"), 4);
	finish(&x);
	CHECK_EQ(x.m.dict.nr[OP_STRINGS], 5);
	CHECK(op_view_is(op_string(&x.m, 2), "b"));
	CHECK(op_view_is(op_string(&x.m, 4), "changes"));
	CHECK_EQ(op_string(&x.m, 3).n, 2);
	op_model_free(&x.m);
}

/* Text that is not UTF-8 is made so, and then equals what it became. Putting
 * it again takes no memory. */
TEST(strings_become_utf8)
{
	struct op_any bad = text("v\xff"), good = text("v\xef\xbf\xbd");
	struct op_view none = { 0 };
	struct build x;
	size_t used;

	begin(&x);
	CHECK_EQ(put(&x, "a\xff"), 1);
	CHECK_EQ(put(&x, "a\xef\xbf\xbd"), 1);
	CHECK_EQ(op_build_attr(&x.b, none, &bad, none, NULL), 1);
	CHECK_EQ(op_build_attr(&x.b, none, &good, none, NULL), 1);
	used = x.m.mem.used;
	for (int i = 0; i < 10000; i++) {
		CHECK_EQ(put(&x, "a\xff"), 1);
		CHECK_EQ(op_build_attr(&x.b, none, &bad, none, NULL), 1);
	}
	CHECK_EQ(x.m.mem.used, used);
	finish(&x);
	CHECK(op_view_is(op_string(&x.m, 1), "a\xef\xbf\xbd"));
	op_model_free(&x.m);
}

/* Ids stay as the tables grow. */
TEST(many_strings)
{
	enum { NR = 100000 };
	struct build x;
	size_t wrong = 0;
	char s[16];

	begin(&x);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 1; i <= NR; i++) {
			snprintf(s, sizeof(s), "s%u", i);
			wrong += put(&x, s) != i;
		}
	}
	finish(&x);
	for (uint32_t i = 1; i <= NR; i++) {
		snprintf(s, sizeof(s), "s%u", i);
		wrong += !op_view_is(op_string(&x.m, i), s);
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(x.m.dict.nr[OP_STRINGS], NR + 1);
	op_model_free(&x.m);
}

/* Rows are equal if all of their fields are. */
TEST(mappings)
{
	static const struct op_mapping rows[] = {
		{ 1, 2, 3, 4, 5 }, { 9, 2, 3, 4, 5 }, { 1, 9, 3, 4, 5 },
		{ 1, 2, 9, 4, 5 }, { 1, 2, 3, 9, 5 }, { 1, 2, 3, 4, 9 },
	};
	struct build x;

	begin(&x);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < op_countof(rows); i++)
			CHECK_EQ(op_build_mapping(&x.b, &rows[i]), i + 1);
	finish(&x);
	CHECK_EQ(x.m.dict.nr[OP_MAPPINGS], op_countof(rows) + 1);
	CHECK(!memcmp(x.m.dict.mappings + 1, rows, sizeof(rows)));
	op_model_free(&x.m);
}

TEST(functions)
{
	static const struct op_function rows[] = {
		{ 1, 2, 3, 4 }, { 9, 2, 3, 4 },	 { 1, 9, 3, 4 }, { 1, 2, 9, 4 },
		{ 1, 2, 3, 9 }, { -1, 2, 3, 4 }, { 1, 3, 2, 4 },
	};
	struct build x;

	begin(&x);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < op_countof(rows); i++)
			CHECK_EQ(op_build_function(&x.b, &rows[i]), i + 1);
	finish(&x);
	CHECK_EQ(x.m.dict.nr[OP_FUNCTIONS], op_countof(rows) + 1);
	CHECK_EQ(x.m.dict.functions[6].start_line, -1);
	CHECK_EQ(x.m.dict.functions[7].name, 3);
	CHECK_EQ(x.m.dict.functions[7].system_name, 2);
	CHECK_EQ(x.m.dict.functions[7].filename, 4);
	op_model_free(&x.m);
}

/* The lines are those given, not what the row says of them. */
TEST(locations)
{
	static const struct op_line lines[] = {
		{ .line = 10, .function = 1, .column = 2 },
		{ .line = 20, .function = 2 },
		{ .line = 10, .function = 1, .column = 3 },
	};
	static const struct {
		struct op_location row;
		uint32_t from, nr;
	} rows[] = {
		{ { .address = 7, .first_line = 9, .nr_lines = 9 }, 0, 0 },
		{ { .address = 7 }, 0, 1 },
		{ { .address = 7 }, 0, 2 },
		{ { .address = 7 }, 1, 1 },
		{ { .address = 7 }, 2, 1 },
		{ { .address = 8 }, 0, 1 },
		{ { .address = 7, .mapping = 1 }, 0, 1 },
		{ { .address = 7, .attrs = 1 }, 0, 1 },
		{ { .address = 0 }, 0, 1 },
	};
	const struct op_dict *d;
	struct build x;

	begin(&x);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < op_countof(rows); i++)
			CHECK_EQ(op_build_location(&x.b, &rows[i].row,
						   lines + rows[i].from,
						   rows[i].nr),
				 i + 1);
	finish(&x);
	d = &x.m.dict;
	CHECK_EQ(d->nr[OP_LOCATIONS], op_countof(rows) + 1);
	CHECK_EQ(d->nr_lines, 9);
	for (uint32_t i = 0; i < op_countof(rows); i++) {
		const struct op_location *l = &d->locations[i + 1];

		CHECK_EQ(l->address, rows[i].row.address);
		CHECK_EQ(l->mapping, rows[i].row.mapping);
		CHECK_EQ(l->attrs, rows[i].row.attrs);
		CHECK_EQ(l->nr_lines, rows[i].nr);
		CHECK(l->first_line + l->nr_lines <= d->nr_lines);
		CHECK(!l->nr_lines ||
		      !memcmp(d->lines + l->first_line, lines + rows[i].from,
			      rows[i].nr * sizeof(*lines)));
	}
	op_model_free(&x.m);
}

TEST(links)
{
	struct op_link a = { .trace_id = { 1 }, .span_id = { 2 } };
	struct op_link b = { .trace_id = { 1 }, .span_id = { 3 } };
	struct build x;

	begin(&x);
	CHECK_EQ(op_build_link(&x.b, &a), 1);
	CHECK_EQ(op_build_link(&x.b, &b), 2);
	a.trace_len = 16;
	a.span_len = 8;
	CHECK_EQ(op_build_link(&x.b, &a), 1);
	finish(&x);
	CHECK_EQ(x.m.dict.nr[OP_LINKS], 3);
	CHECK_EQ(x.m.dict.links[2].trace_len, 16);
	CHECK_EQ(x.m.dict.links[2].span_len, 8);
	CHECK_EQ(x.m.dict.links[2].span_id[0], 3);
	op_model_free(&x.m);
}

static bool list_is(const struct op_lists *l, uint32_t i, const char *want)
{
	struct op_ids ids = op_list(l, i);
	char text[200] = "";

	for (uint32_t k = 0; k < ids.n; k++) {
		size_t end = strlen(text);

		snprintf(text + end, sizeof(text) - end, "%s%u", k ? " " : "",
			 ids.p[k]);
	}
	return !strcmp(text, want);
}

/* A stack is a list: order and repeats count. */
TEST(stacks)
{
	static const uint32_t ids[] = { 1, 2, 2, 1 };
	struct build x;

	begin(&x);
	CHECK_EQ(op_build_stack(&x.b, ids, 1), 1);
	CHECK_EQ(op_build_stack(&x.b, ids, 2), 2);
	CHECK_EQ(op_build_stack(&x.b, ids, 3), 3);
	CHECK_EQ(op_build_stack(&x.b, ids + 2, 2), 4);
	CHECK_EQ(op_build_stack(&x.b, ids, 2), 2);
	CHECK_EQ(op_build_stack(&x.b, ids + 3, 1), 1);
	finish(&x);
	CHECK_EQ(x.m.dict.nr[OP_STACKS], 5);
	CHECK(list_is(&x.m.dict.stacks, 0, ""));
	CHECK(list_is(&x.m.dict.stacks, 1, "1"));
	CHECK(list_is(&x.m.dict.stacks, 3, "1 2 2"));
	CHECK(list_is(&x.m.dict.stacks, 4, "2 1"));
	op_model_free(&x.m);
}

/* Many at once are the same as one after the other. */
TEST(stacks_together)
{
	enum { NR = 100 };
	uint32_t frames[NR][3], ids[NR];
	struct op_ids stacks[NR];
	struct build x, y;

	begin(&x);
	begin(&y);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < NR; i++) {
			frames[i][0] = i % 7;
			frames[i][1] = i * (uint32_t)round % 40;
			frames[i][2] = 5;
			stacks[i] = (struct op_ids){ frames[i], i % 4 };
		}
		op_build_stacks(&x.b, stacks, NR, ids);
		for (uint32_t i = 0; i < NR; i++)
			CHECK_EQ(ids[i],
				 op_build_stack(&y.b, frames[i], i % 4));
	}
	op_build_stacks(&x.b, stacks, 0, NULL);
	finish(&x);
	finish(&y);
	CHECK_EQ(x.m.dict.nr[OP_STACKS], y.m.dict.nr[OP_STACKS]);
	op_model_free(&x.m);
	op_model_free(&y.m);
}

/* A set is none: any order, any repeat. */
TEST(sets)
{
	static const struct {
		const char *name;
		uint32_t ids[4], n, set;
		const char *members;
	} rows[] = {
		{ "one", { 5 }, 1, 1, "5" },
		{ "two", { 5, 7 }, 2, 2, "5 7" },
		{ "the other way round", { 7, 5 }, 2, 2, "5 7" },
		{ "twice", { 5, 5 }, 2, 1, "5" },
		{ "twice, apart", { 5, 7, 5 }, 3, 2, "5 7" },
		{ "three", { 6, 7, 5 }, 3, 3, "5 6 7" },
		{ "three, downwards", { 7, 6, 5 }, 3, 3, "5 6 7" },
		{ "three and a repeat", { 7, 5, 6, 7 }, 4, 3, "5 6 7" },
		{ "others", { 1, 9 }, 2, 4, "1 9" },
	};
	struct build x;

	begin(&x);
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;

		CHECK_EQ(op_build_set(&x.b, rows[i].ids, rows[i].n),
			 rows[i].set);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
	finish(&x);
	CHECK_EQ(x.m.dict.sets.nr, 5);
	CHECK(list_is(&x.m.dict.sets, 0, ""));
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK(list_is(&x.m.dict.sets, rows[i].set, rows[i].members));
	op_model_free(&x.m);
}

TEST(set_and_one_more)
{
	static const uint32_t five_seven[] = { 5, 7 };
	struct build x;

	begin(&x);
	CHECK_EQ(op_build_set_with(&x.b, 0, 7), 1);
	CHECK_EQ(op_build_set_with(&x.b, 1, 5), 2);
	CHECK_EQ(op_build_set_with(&x.b, 2, 7), 2);
	CHECK_EQ(op_build_set_with(&x.b, 1, 7), 1);
	CHECK_EQ(op_build_set(&x.b, five_seven, 2), 2);
	CHECK_EQ(op_build_set_with(&x.b, 2, 6), 3);
	finish(&x);
	CHECK(list_is(&x.m.dict.sets, 1, "7"));
	CHECK(list_is(&x.m.dict.sets, 2, "5 7"));
	CHECK(list_is(&x.m.dict.sets, 3, "5 6 7"));
	op_model_free(&x.m);
}

/* --- values --- */

TEST(attrs)
{
	struct op_any one = number(1), two = number(2), s = text("1");
	struct op_any real = { .kind = OP_ANY_DOUBLE, .real = 1 };
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	struct op_any bytes = { .kind = OP_ANY_BYTES, .bytes = TEXT("1") };
	struct op_any none = { 0 };
	const struct {
		const char *key, *unit;
		const struct op_any *v;
	} rows[] = {
		{ "k", "", &one },   { "k", "", &two },	  { "l", "", &one },
		{ "k", "ms", &one }, { "k", "", &s },	  { "k", "", &real },
		{ "k", "", &yes },   { "k", "", &bytes }, { "k", "", &none },
	};
	struct build x;

	begin(&x);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < op_countof(rows); i++)
			CHECK_EQ(op_build_attr(&x.b, op_view_z(rows[i].key),
					       rows[i].v,
					       op_view_z(rows[i].unit), NULL),
				 i + 1);
	finish(&x);
	CHECK_EQ(x.m.dict.nr[OP_ATTRS], op_countof(rows) + 1);
	for (uint32_t i = 0; i < op_countof(rows); i++) {
		const struct op_attr *a = &x.m.dict.attrs[i + 1];

		CHECK(op_view_is(op_string(&x.m, a->key), rows[i].key));
		CHECK(op_view_is(op_string(&x.m, a->unit), rows[i].unit));
		CHECK(op_any_eq(&x.m, &a->value, NULL, rows[i].v));
	}
	op_model_free(&x.m);
}

/* A value of another model: its strings are found by content there and stand
 * in the row here. */
TEST(attrs_of_another_model)
{
	struct op_view strings[] = { { 0 }, TEXT("key"), TEXT("text") };
	struct op_model from = { .dict = { .strings = strings } };
	struct op_any id = { .kind = OP_ANY_STRING_ID, .string_id = 2 };
	struct op_kv kv = { .key_id = 1, .value = id };
	struct op_any list = { .kind = OP_ANY_KVLIST, .n = 1, .kvlist = &kv };
	struct op_any same = text("text");
	struct op_view key = op_view_z("a"), unit = { 0 };
	const struct op_attr *a;
	struct build x;

	begin(&x);
	CHECK_EQ(op_build_attr(&x.b, key, &id, unit, &from), 1);
	CHECK_EQ(op_build_attr(&x.b, key, &same, unit, NULL), 1);
	CHECK_EQ(op_build_attr(&x.b, key, &list, unit, &from), 2);
	CHECK_EQ(op_build_attr(&x.b, key, &list, unit, &from), 2);
	finish(&x);
	a = x.m.dict.attrs;
	CHECK_EQ(a[1].value.kind, OP_ANY_STRING);
	CHECK(op_any_eq(&x.m, &a[1].value, &from, &id));
	CHECK(op_any_eq(&x.m, &a[2].value, &from, &list));
	CHECK(op_view_is(a[2].value.kvlist[0].key, "key"));
	op_model_free(&x.m);
}

/* Nothing of a value stays the caller's. */
TEST(values_are_copied_deep)
{
	char key[] = "key", inner[] = "inner", blob[] = "blob";
	struct op_any items[] = { text(inner), number(-1) };
	struct op_kv kvs[] = {
		{ .key = op_view_z(key),
		  .value = { .kind = OP_ANY_ARRAY, .n = 2, .array = items } },
		{ .key = op_view_z(key),
		  .value = { .kind = OP_ANY_BYTES, .bytes = op_view_z(blob) } },
	};
	struct op_any list = { .kind = OP_ANY_KVLIST, .n = 2, .kvlist = kvs };
	struct op_any empty = { .kind = OP_ANY_ARRAY };
	const struct op_any *v;
	struct build x;

	begin(&x);
	CHECK_EQ(op_build_attr(&x.b, op_view_z("a"), &list, op_view_z(""),
			       NULL),
		 1);
	CHECK_EQ(op_build_attr(&x.b, op_view_z("a"), &empty, op_view_z(""),
			       NULL),
		 2);
	finish(&x);
	key[0] = inner[0] = blob[0] = '?';
	items[1] = number(5);
	v = &x.m.dict.attrs[1].value;
	CHECK_EQ(v->kind, OP_ANY_KVLIST);
	CHECK_EQ(v->n, 2);
	CHECK(op_view_is(v->kvlist[0].key, "key"));
	CHECK_EQ(v->kvlist[0].value.n, 2);
	CHECK(op_view_is(v->kvlist[0].value.array[0].bytes, "inner"));
	CHECK_EQ(v->kvlist[0].value.array[1].num, -1);
	CHECK(op_view_is(v->kvlist[1].value.bytes, "blob"));
	CHECK_EQ(x.m.dict.attrs[2].value.n, 0);
	op_model_free(&x.m);
}

/* Room is only a hint: more rows than it, fewer and no memory for it do not
 * matter. */
TEST(reserve)
{
	uint32_t at[] = { 0, 40 }, items[40];
	struct op_dict d = { .stacks = op_lists(at, items, 1), .nr_lines = 7 };

	for (int t = 0; t < OP_NR_TABLES; t++)
		d.nr[t] = 50;
	EACH_ALLOC_FAILS(k) {
		struct op_model m = { 0 };
		struct op_err err = { 0 };
		struct op_builder b;
		uint32_t p, id;

		op_builder_init(&b, &m, &err);
		if (!err.code)
			op_build_reserve(&b, &d);
		op_build_resource(&b, &(struct op_resource){ 0 }, NULL);
		op_build_scope(&b, 0, &(struct op_scope){ 0 }, NULL);
		p = op_build_profile(&b, 0, &(struct op_profile){ 0 });
		op_build_reserve_samples(&b, p, 20);
		for (uint32_t i = 0; i < 90; i++) {
			struct op_location row = { .address = i + 1 };

			id = op_build_location(&b, &row, NULL, 0);
			id = op_build_stack(&b, &id, 1);
			op_build_sample(&b, p,
					(struct op_identity){ id, 0, 0 });
			op_build_reserve_samples(&b, p, 1000);
		}
		CHECK(!err.code || err.code == OP_ENOMEM);
		if (!op_builder_finish(&b)) {
			CHECK_EQ(m.dict.nr[OP_LOCATIONS], 91);
			CHECK_EQ(m.dict.nr[OP_STACKS], 91);
			CHECK_EQ(
				m.resources[0].scopes[0].profiles[0].nr_samples,
				90);
		}
		op_model_free(&m);
	}
}

TEST_MAIN(row_zero, strings, strings_become_utf8, many_strings, mappings,
	  functions, locations, links, stacks, stacks_together, sets,
	  set_and_one_more, attrs, attrs_of_another_model,
	  values_are_copied_deep, reserve)
