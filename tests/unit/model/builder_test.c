// SPDX-License-Identifier: Apache-2.0
#include "model/builder.h"

#include "test.h"

#define TEXT(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

/* A model being built; after finish() x.m is the result. */
struct build {
	struct op_model m;
	struct op_err err;
	struct op_builder b;
};

static void begin(struct build *x)
{
	*x = (struct build){ 0 };
	CHECK_EQ(op_builder_init(&x->b, &x->m, &x->err), OP_OK);
}

static void finish(struct build *x)
{
	CHECK_EQ(op_builder_finish(&x->b), OP_OK);
}

static const struct op_resource no_resource;
static const struct op_scope no_scope;
static const struct op_profile no_profile;

/* One resource and scope with an empty profile, which is profile 0. */
static void begin_profile(struct build *x)
{
	begin(x);
	CHECK_EQ(op_build_resource(&x->b, &no_resource, NULL), 0);
	CHECK_EQ(op_build_scope(&x->b, 0, &no_scope, NULL), 0);
	CHECK_EQ(op_build_profile(&x->b, 0, &no_profile), 0);
}

static const struct op_profile *finish_profile(struct build *x)
{
	finish(x);
	CHECK_EQ(x->m.nr_resources, 1);
	return &x->m.resources[0].scopes[0].profiles[0];
}

static uint32_t put(struct build *x, const char *s)
{
	return op_build_string(&x->b, op_view_z(s));
}

static struct op_any text(const char *s)
{
	return (struct op_any){ .kind = OP_ANY_STRING, .bytes = op_view_z(s) };
}

static struct op_any number(int64_t v)
{
	return (struct op_any){ .kind = OP_ANY_INT, .num = v };
}

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

/* --- resources, scopes, profiles --- */

TEST(resource_head)
{
	char url[] = "url";
	struct op_kv kv = { .key = TEXT("k"), .value = text("v") };
	struct op_view keys[] = { TEXT("id") };
	struct op_entity entity = {
		op_view_z(url), TEXT("host"), keys, NULL, 1, 0,
	};
	struct op_resource r = { .attrs = { &kv, 1 },
				 .dropped_attrs = 3,
				 .nr_entities = 1,
				 .entities = &entity,
				 .schema_url = op_view_z(url),
				 .nr_scopes = 77 };
	struct build x;

	begin(&x);
	op_build_resource(&x.b, &r, NULL);
	finish(&x);
	url[0] = '?';
	r = x.m.resources[0];
	CHECK_EQ(r.nr_scopes, 0);
	CHECK_EQ(r.dropped_attrs, 3);
	CHECK(op_view_is(r.schema_url, "url"));
	CHECK_EQ(r.attrs.n, 1);
	CHECK(op_view_is(op_kv_key(&x.m, &r.attrs.p[0]), "k"));
	CHECK(op_view_is(op_any_text(&x.m, &r.attrs.p[0].value), "v"));
	CHECK_EQ(r.nr_entities, 1);
	CHECK(op_view_is(r.entities[0].schema_url, "url"));
	CHECK(op_view_is(r.entities[0].type, "host"));
	CHECK(op_view_is(r.entities[0].id_keys[0], "id"));
	CHECK_EQ(r.entities[0].nr_description_keys, 0);
	op_model_free(&x.m);
}

TEST(scope_and_profile_heads)
{
	char name[] = "scope", data[] = "data";
	struct op_scope s = { .name = op_view_z(name),
			      .version = TEXT("2"),
			      .schema_url = TEXT("url"),
			      .dropped_attrs = 4,
			      .nr_profiles = 77 };
	struct op_profile p = { .period = 5,
				.time_ns = 6,
				.id = { 9 },
				.id_len = 16,
				.payload = op_view_z(data),
				.payload_format = op_view_z(name) };
	struct build x;

	begin(&x);
	op_build_resource(&x.b, &no_resource, NULL);
	op_build_scope(&x.b, 0, &s, NULL);
	op_build_profile(&x.b, 0, &p);
	op_build_profile_head(&x.b, 0)->period = 50;
	finish(&x);
	name[0] = data[0] = '?';
	s = x.m.resources[0].scopes[0];
	CHECK_EQ(s.nr_profiles, 1);
	CHECK_EQ(s.dropped_attrs, 4);
	CHECK(op_view_is(s.name, "scope"));
	CHECK(op_view_is(s.version, "2"));
	CHECK(op_view_is(s.schema_url, "url"));
	p = s.profiles[0];
	CHECK_EQ(p.period, 50);
	CHECK_EQ(p.time_ns, 6);
	CHECK_EQ(p.id[0], 9);
	CHECK_EQ(p.id_len, 16);
	CHECK(op_view_is(p.payload, "data"));
	CHECK(op_view_is(p.payload_format, "scope"));
	CHECK_EQ(p.nr_samples, 0);
	CHECK_EQ(op_profile_observations(&p), 0);
	op_model_free(&x.m);
}

/* Things come out nested, each level in the order it was added, however the
 * calls were mixed. */
TEST(nesting_order)
{
	static const uint32_t resource_of[] = { 1, 0, 1, 2, 0 };
	static const uint32_t scope_of[] = { 4, 0, 2, 0, 4, 1 };
	static const char *const want = "r0s0p5 r0s1p0 r0s1p4 r1s0p1 r1s0p3 "
					"r1s1p2";
	struct op_walk w = { 0 };
	char got[100] = "";
	struct build x;

	begin(&x);
	for (uint32_t r = 0; r < 4; r++)
		CHECK_EQ(op_build_resource(&x.b, &no_resource, NULL), r);
	for (uint32_t s = 0; s < op_countof(resource_of); s++)
		CHECK_EQ(op_build_scope(&x.b, resource_of[s], &no_scope, NULL),
			 s);
	for (uint32_t p = 0; p < op_countof(scope_of); p++) {
		struct op_profile head = { .period = p };

		CHECK_EQ(op_build_profile(&x.b, scope_of[p], &head), p);
	}
	finish(&x);
	CHECK_EQ(x.m.nr_resources, 4);
	CHECK_EQ(x.m.resources[2].nr_scopes, 1);
	CHECK_EQ(x.m.resources[2].scopes[0].nr_profiles, 0);
	CHECK_EQ(x.m.resources[3].nr_scopes, 0);
	while (op_walk_next(&x.m, &w)) {
		size_t end = strlen(got);

		snprintf(got + end, sizeof(got) - end, "%sr%us%up%d",
			 end ? " " : "", w.r, w.s, (int)w.profile->period);
	}
	CHECK_STR(got, want);
	op_model_free(&x.m);
}

/* The head of a finished profile may be the head of a new one: its samples
 * do not come along. */
TEST(head_of_a_full_profile)
{
	static uint32_t at[3] = { 0, 1, 2 };
	static int64_t values[2] = { 1, 2 };
	static uint64_t times[2] = { 3, 4 };
	struct op_profile full = { .nr_samples = 2,
				   .stack = at,
				   .set = at,
				   .link = at,
				   .value_at = at,
				   .time_at = at,
				   .values = values,
				   .times = times };
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	CHECK_EQ(op_build_profile(&x.b, 0, &full), 1);
	op_build_sample(&x.b, 1, (struct op_identity){ 0 });
	op_build_add(&x.b, 1, 0, 7);
	p = finish_profile(&x) + 1;
	CHECK_EQ(p->nr_samples, 1);
	CHECK_EQ(op_sample_values(p, 0).n, 1);
	CHECK(!p->time_at && !p->times);
	op_model_free(&x.m);
}

/* --- samples --- */

static uint32_t sample(struct build *x, uint32_t stack, uint32_t set,
		       uint32_t link)
{
	return op_build_sample(&x->b, 0,
			       (struct op_identity){ stack, set, link });
}

TEST(samples_merge_by_identity)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (int pass = 0; pass < 2; pass++) {
		CHECK_EQ(sample(&x, 0, 0, 0), 0);
		CHECK_EQ(sample(&x, 1, 0, 0), 1);
		CHECK_EQ(sample(&x, 0, 1, 0), 2);
		CHECK_EQ(sample(&x, 0, 0, 1), 3);
		CHECK_EQ(sample(&x, 1, 2, 3), 4);
		CHECK_EQ(sample(&x, 3, 2, 1), 5);
	}
	op_build_add(&x.b, 0, 4, 10);
	op_build_add(&x.b, 0, 4, -3);
	op_build_add(&x.b, 0, 0, 1);
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 6);
	CHECK_EQ(p->stack[4], 1);
	CHECK_EQ(p->set[4], 2);
	CHECK_EQ(p->link[4], 3);
	CHECK_EQ(op_sample_total(p, 4), 7);
	CHECK_EQ(op_sample_total(p, 0), 1);
	CHECK_EQ(op_sample_total(p, 5), 0);
	op_model_free(&x.m);
}

/* Sums have one value a sample and no times. */
TEST(layout_of_sums)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (uint32_t i = 0; i < 5000; i++)
		op_build_add(&x.b, 0, sample(&x, i, 0, 0), i);
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 5000);
	CHECK(p->value_at && !p->time_at && !p->times);
	for (uint32_t i = 0; i < 5000; i++) {
		CHECK_EQ(p->value_at[i], i);
		CHECK_EQ(p->values[i], i);
	}
	CHECK_EQ(p->value_at[5000], 5000);
	CHECK_EQ(op_profile_observations(p), 5000);
	op_model_free(&x.m);
}

TEST(sums_stop_at_the_ends)
{
	static const int64_t rows[][4] = {
		{ INT64_MAX, 1, 0, INT64_MAX },
		{ INT64_MIN, -1, 0, INT64_MIN },
		{ INT64_MAX, 5, -1, INT64_MAX - 1 },
		{ INT64_MIN, INT64_MAX, 1, 0 },
	};
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (uint32_t i = 0; i < op_countof(rows); i++)
		for (int k = 0; k < 3; k++)
			op_build_add(&x.b, 0, sample(&x, i, 0, 0), rows[i][k]);
	p = finish_profile(&x);
	for (uint32_t i = 0; i < op_countof(rows); i++)
		CHECK_EQ(op_sample_total(p, i), rows[i][3]);
	op_model_free(&x.m);
}

/* Observations are sorted by sample; those of one stay as they came. */
TEST(layout_of_times)
{
	static const struct {
		uint32_t stack;
		int64_t v;
		uint64_t t;
	} in[] = {
		{ 8, 10, 100 }, { 9, 20, 90 },	{ 8, 11, 80 },
		{ 7, 30, 70 },	{ 9, 21, 200 }, { 8, 12, 60 },
	};
	static const uint32_t at[] = { 0, 3, 5, 6, 6 };
	static const int64_t values[] = { 10, 11, 12, 20, 21, 30 };
	static const uint64_t times[] = { 100, 80, 60, 90, 200, 70 };
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	for (size_t i = 0; i < op_countof(in); i++)
		op_build_observe(&x.b, 0, sample(&x, in[i].stack, 0, 0),
				 in[i].v, in[i].t);
	CHECK_EQ(sample(&x, 6, 0, 0), 3); /* and one that has none */
	p = finish_profile(&x);
	CHECK_EQ(p->nr_samples, 4);
	CHECK(!memcmp(p->value_at, at, sizeof(at)));
	CHECK(!memcmp(p->time_at, at, sizeof(at)));
	CHECK(!memcmp(p->values, values, sizeof(values)));
	CHECK(!memcmp(p->times, times, sizeof(times)));
	CHECK_EQ(p->stack[0], 8);
	CHECK_EQ(p->stack[3], 6);
	op_model_free(&x.m);
}

/* If all values are 1 the times say everything; one that is not brings them
 * all, wherever it stands. 0 is a value too. */
TEST(times_only_or_values)
{
	enum { NR = 40 };

	for (uint32_t odd = 0; odd <= NR; odd++) {
		const struct op_profile *p;
		struct build x;

		begin_profile(&x);
		for (uint32_t i = 0; i < NR; i++)
			op_build_observe(&x.b, 0, sample(&x, i % 2, 0, 0),
					 i == odd ? 0 : 1, i);
		p = finish_profile(&x);
		CHECK_EQ(op_sample_times(p, 0).n, NR / 2);
		CHECK_EQ(op_sample_times(p, 1).p[1], 3);
		CHECK_EQ(p->value_at != NULL, odd < NR);
		CHECK_EQ(p->values != NULL, odd < NR);
		CHECK_EQ(op_profile_total(p), odd < NR ? NR - 1 : NR);
		CHECK_EQ(op_profile_observations(p), NR);
		if (odd < NR)
			CHECK_EQ(op_sample_values(p, odd % 2).p[odd / 2], 0);
		op_model_free(&x.m);
	}
}

TEST(mixed_shapes_are_refused)
{
	for (int timed_first = 0; timed_first < 2; timed_first++) {
		struct build x;

		begin_profile(&x);
		if (timed_first)
			op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 1, 1);
		op_build_add(&x.b, 0, sample(&x, 1, 0, 0), 1);
		if (!timed_first)
			op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 1, 1);
		CHECK_EQ(x.err.code, OP_EUSAGE);
		CHECK_EQ(op_builder_finish(&x.b), OP_EUSAGE);
		op_model_free(&x.m);
	}
}

/* After a clear a profile is as new: its head stays, its samples go, and it
 * may take the other shape. */
TEST(clear)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	op_build_profile_head(&x.b, 0)->period = 5;
	for (uint32_t i = 0; i < 1000; i++)
		op_build_observe(&x.b, 0, sample(&x, i, 0, 0), 3, i);
	op_build_clear(&x.b, 0);
	CHECK_EQ(sample(&x, 999, 0, 0), 0);
	op_build_add(&x.b, 0, 0, 4);
	op_build_clear(&x.b, 0);
	CHECK_EQ(sample(&x, 998, 0, 0), 0);
	CHECK_EQ(sample(&x, 999, 0, 0), 1);
	op_build_add(&x.b, 0, 1, 6);
	p = finish_profile(&x);
	CHECK_EQ(p->period, 5);
	CHECK_EQ(p->nr_samples, 2);
	CHECK_EQ(op_sample_total(p, 0), 0);
	CHECK_EQ(op_sample_total(p, 1), 6);
	CHECK(!p->time_at);
	op_model_free(&x.m);
}

/* Values that were cleared do not bring values back. */
TEST(clear_forgets_values)
{
	const struct op_profile *p;
	struct build x;

	begin_profile(&x);
	op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 3, 1);
	op_build_clear(&x.b, 0);
	op_build_observe(&x.b, 0, sample(&x, 1, 0, 0), 1, 2);
	p = finish_profile(&x);
	CHECK_EQ(op_sample_times(p, 0).n, 1);
	CHECK(!p->value_at);
	op_model_free(&x.m);
}

/* --- memory --- */

/* Columns grow in blocks of their own and are given back, so that a million
 * observations are a few blocks and little more than their bytes. */
TEST(million_observations)
{
	enum { NR = 1000000, SAMPLES = 1000 };
	const struct op_profile *p;
	struct build x;
	size_t wrong = 0;

	begin_profile(&x);
	for (uint32_t i = 0; i < NR; i++)
		op_build_observe(&x.b, 0, sample(&x, i % SAMPLES, 0, 0), i % 7,
				 i);
	CHECK(x.m.mem.nr_blocks < 12);
	p = finish_profile(&x);
	CHECK(x.m.mem.nr_blocks < 12);
	CHECK(x.m.mem.used < NR * 16 + (1 << 20));
	CHECK_EQ(op_profile_observations(p), NR);
	for (uint32_t i = 0; i < NR; i++) {
		uint32_t s = i % SAMPLES, k = i / SAMPLES;

		wrong += op_sample_times(p, s).p[k] != i;
		wrong += op_sample_values(p, s).p[k] != i % 7;
	}
	CHECK_EQ(wrong, 0);
	op_model_free(&x.m);
}

TEST(quota)
{
	struct build x;

	begin_profile(&x);
	x.m.mem.quota = 1 << 20;
	for (uint32_t i = 0; i < 200000; i++)
		op_build_observe(&x.b, 0, sample(&x, i, 0, 0), 1, i);
	CHECK_EQ(x.err.code, OP_ENOMEM);
	CHECK(x.m.mem.used <= x.m.mem.quota);
	CHECK_EQ(op_builder_finish(&x.b), OP_ENOMEM);
	op_model_free(&x.m);
}

/* A bit of everything. */
static void build_all(struct op_builder *b, uint32_t nr)
{
	struct op_kv kv = { .key = TEXT("host.name"), .value = text("h") };
	struct op_resource resource = { .attrs = { &kv, 1 } };
	struct op_scope scope = { .name = TEXT("scope") };
	struct op_profile head = { .payload = TEXT("payload") };
	uint32_t s = op_build_scope(b, op_build_resource(b, &resource, NULL),
				    &scope, NULL);
	uint32_t timed = op_build_profile(b, s, &head);
	uint32_t sums = op_build_profile(b, s, &head);

	for (uint32_t i = 1; i <= nr; i++) {
		struct op_any v = number(i);
		struct op_mapping mapping = { .start = i };
		struct op_function fn = { .start_line = i };
		struct op_line line = {
			.line = i,
			.function = op_build_function(b, &fn),
		};
		struct op_location loc = {
			.mapping = op_build_mapping(b, &mapping),
		};
		struct op_link link = { .span_id = { (uint8_t)i } };
		uint32_t attr = op_build_attr(b, op_view_z("pid"), &v,
					      op_view_z(""), NULL);
		uint32_t at = op_build_location(b, &loc, &line, 1);
		struct op_identity id = {
			.stack = op_build_stack(b, &at, 1),
			.set = op_build_set_with(b, op_build_set(b, &attr, 1),
						 1),
			.link = op_build_link(b, &link),
		};

		op_build_observe(b, timed, op_build_sample(b, timed, id), i, i);
		op_build_add(b, sums, op_build_sample(b, sums, id), i);
	}
}

static void check_all(const struct op_model *m, uint32_t nr)
{
	const struct op_profile *p = m->resources[0].scopes[0].profiles;

	CHECK_EQ(m->dict.nr[OP_STACKS], nr + 1);
	CHECK_EQ(m->dict.nr[OP_LINKS], nr + 1);
	CHECK_EQ(m->dict.nr[OP_ATTRS], nr + 1);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = op_list(&m->dict.stacks, p[0].stack[i]).p[0];
		const struct op_location *l = &m->dict.locations[at];
		const struct op_line *line = &m->dict.lines[l->first_line];

		CHECK_EQ(line->line, i + 1);
		CHECK_EQ(m->dict.mappings[l->mapping].start, i + 1);
		CHECK_EQ(m->dict.functions[line->function].start_line, i + 1);
		CHECK_EQ(m->dict.links[p[0].link[i]].span_id[0], i + 1);
		CHECK(op_set_find(m, p[0].set[i], "pid"));
		CHECK_EQ(op_sample_times(&p[0], i).p[0], i + 1);
		CHECK_EQ(op_sample_total(&p[1], i), i + 1);
	}
}

/* Whichever allocation fails, the builder takes every further call, says
 * OP_ENOMEM at the end and leaks nothing. Only a trim may fail and not
 * matter; then the model is whole. */
TEST(each_alloc_fails)
{
	enum { NR = 40 };
	long rounds = 0, whole = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_model m = { 0 };
		struct op_err err = { 0 };
		struct op_builder b;

		rounds = k;
		op_builder_init(&b, &m, &err);
		build_all(&b, NR);
		op_builder_finish(&b);
		CHECK(err.code == OP_OK || err.code == OP_ENOMEM);
		if (!err.code) {
			whole++;
			check_all(&m, NR);
		}
		op_model_free(&m);
	}
	CHECK(rounds > 100);
	CHECK(whole >= 1 && whole <= 3);
}

/* Once it has failed a builder gives 0 and does nothing; the first error is
 * the one that finish tells of. */
TEST(quiet_after_failure)
{
	struct build x;
	size_t used;

	begin_profile(&x);
	op_fail(&x.err, OP_ELIMIT, "something else");
	used = x.m.mem.used;
	build_all(&x.b, 3);
	CHECK_EQ(put(&x, "new"), 0);
	CHECK_EQ(sample(&x, 1, 2, 3), 0);
	CHECK_EQ(op_build_set_with(&x.b, 0, 1), 0);
	op_build_clear(&x.b, 0);
	CHECK_EQ(x.m.mem.used, used);
	CHECK_EQ(op_builder_finish(&x.b), OP_ELIMIT);
	op_model_free(&x.m);
}

/* Also one that failed before it had a row. */
TEST(quiet_after_failed_init)
{
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	struct op_builder b;

	op_alloc_fail_at(1);
	CHECK_EQ(op_builder_init(&b, &m, &err), OP_ENOMEM);
	build_all(&b, 3);
	op_build_profile_head(&b, 0)->period = 1;
	CHECK_EQ(op_builder_finish(&b), OP_ENOMEM);
	op_model_free(&m);
}

TEST_MAIN(row_zero, strings, strings_become_utf8, many_strings, mappings,
	  functions, locations, links, stacks, sets, set_and_one_more, attrs,
	  attrs_of_another_model, values_are_copied_deep, resource_head,
	  scope_and_profile_heads, nesting_order, head_of_a_full_profile,
	  samples_merge_by_identity, layout_of_sums, sums_stop_at_the_ends,
	  layout_of_times, times_only_or_values, mixed_shapes_are_refused,
	  clear, clear_forgets_values, million_observations, quota,
	  quiet_after_failure, quiet_after_failed_init, each_alloc_fails)
