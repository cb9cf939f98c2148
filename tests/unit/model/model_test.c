// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include "test.h"

#define TEXT(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

/* --- what the model owns --- */

static char freed[16];

static void note(void *p, size_t n)
{
	size_t end = strlen(freed);

	CHECK_EQ(strlen(p), n);
	memcpy(freed + end, p, n);
}

/* What was handed over last is freed first. */
TEST(own)
{
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	char a[] = "a", bc[] = "bc";

	memset(freed, 0, sizeof(freed));
	CHECK_EQ(op_model_own(&m, note, a, 1, &err), OP_OK);
	CHECK_EQ(op_model_own(&m, note, bc, 2, &err), OP_OK);
	CHECK_STR(freed, "");
	op_model_free(&m);
	CHECK_STR(freed, "bca");
	CHECK_EQ(m.mem.nr_blocks, 0);
	CHECK(!m.owned);
	op_model_free(&m);
	CHECK_STR(freed, "bca");
}

TEST(own_without_memory)
{
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	char a[] = "a", b[] = "b";

	memset(freed, 0, sizeof(freed));
	CHECK_EQ(op_model_own(&m, note, a, 1, &err), OP_OK);
	op_alloc_fail_at(1);
	CHECK_EQ(op_model_own(&m, note, b, 1, &err), OP_ENOMEM);
	op_model_free(&m);
	CHECK_STR(freed, "a");
}

/* --- dictionaries --- */

static bool all_zero(const void *p, size_t n)
{
	const uint8_t *bytes = p;

	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

TEST(complete_empty)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_dict d = { 0 };

	CHECK_EQ(op_dict_complete(&d, &mem), OP_OK);
	for (int t = 0; t < OP_NR_TABLES; t++)
		CHECK_EQ(d.nr[t], 1);
	CHECK_EQ(d.missing, (1u << OP_NR_TABLES) - 1);
	CHECK(all_zero(d.mappings, sizeof(*d.mappings)));
	CHECK(all_zero(d.locations, sizeof(*d.locations)));
	CHECK(all_zero(d.functions, sizeof(*d.functions)));
	CHECK(all_zero(d.links, sizeof(*d.links)));
	CHECK(all_zero(d.strings, sizeof(*d.strings)));
	CHECK(all_zero(d.attrs, sizeof(*d.attrs)));
	CHECK_EQ(d.stacks.nr, 1);
	CHECK_EQ(d.sets.nr, 1);
	CHECK_EQ(op_list(&d.stacks, 0).n, 0);
	CHECK_EQ(op_list(&d.sets, 0).n, 0);
	/* Once more changes nothing. */
	CHECK_EQ(op_dict_complete(&d, &mem), OP_OK);
	CHECK_EQ(d.nr[OP_STRINGS], 1);
	op_arena_free(&mem);
}

/* A table that has rows keeps them and is not missing. */
TEST(complete_keeps_rows)
{
	struct op_view strings[2] = { { 0 }, TEXT("x") };
	uint32_t at[3] = { 0, 0, 2 }, items[2] = { 5, 6 };
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_dict d = { .strings = strings,
			     .stacks = op_lists(at, items, 2) };

	d.nr[OP_STRINGS] = 2;
	CHECK_EQ(op_dict_complete(&d, &mem), OP_OK);
	CHECK(d.strings == strings);
	CHECK_EQ(d.nr[OP_STRINGS], 2);
	CHECK_EQ(d.nr[OP_STACKS], 2);
	CHECK_EQ(op_list(&d.stacks, 1).n, 2);
	CHECK_EQ(op_list(&d.stacks, 1).p[1], 6);
	CHECK(!(d.missing & 1u << OP_STRINGS));
	CHECK(!(d.missing & 1u << OP_STACKS));
	CHECK(d.missing & 1u << OP_ATTRS);
	op_arena_free(&mem);
}

/* A table has a row count only with the rows; a second try completes it. */
TEST(complete_each_alloc_fails)
{
	long rounds = 0;

	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 }, again = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_dict d = { 0 };

		rounds = k;
		op_dict_complete(&d, &mem);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		mem.err = &again;
		CHECK_EQ(op_dict_complete(&d, &mem), OP_OK);
		CHECK(d.mappings && d.locations && d.functions && d.links);
		CHECK(d.strings && d.attrs && d.stacks.at && d.sets.at);
		op_arena_free(&mem);
	}
	CHECK_EQ(rounds, OP_NR_TABLES + 2);
}

/* --- values of any kind --- */

static struct op_any any_num(uint32_t kind, int64_t v)
{
	return (struct op_any){ .kind = kind, .num = v };
}

static struct op_any any_bytes(uint32_t kind, const char *s)
{
	return (struct op_any){ .kind = kind, .bytes = op_view_z(s) };
}

static struct op_any any_real(double v)
{
	return (struct op_any){ .kind = OP_ANY_DOUBLE, .real = v };
}

/* Two models whose strings 1 and 2 stand the other way round. */
static struct op_view strings_a[] = { { 0 }, TEXT("x"), TEXT("y") };
static struct op_view strings_b[] = { { 0 }, TEXT("y"), TEXT("x") };
static const struct op_model model_a = { .dict = { .strings = strings_a } };
static const struct op_model model_b = { .dict = { .strings = strings_b } };

static struct op_any any_id(uint32_t id)
{
	return (struct op_any){ .kind = OP_ANY_STRING_ID, .string_id = id };
}

TEST(any_eq_scalars)
{
	const struct {
		const char *name;
		struct op_any a, b;
		bool eq;
	} rows[] = {
		{ "none", { 0 }, { 0 }, true },
		{ "none and empty string",
		  { 0 },
		  any_bytes(OP_ANY_STRING, ""),
		  false },
		{ "strings", any_bytes(OP_ANY_STRING, "x"),
		  any_bytes(OP_ANY_STRING, "x"), true },
		{ "other strings", any_bytes(OP_ANY_STRING, "x"),
		  any_bytes(OP_ANY_STRING, "xy"), false },
		{ "string and its id", any_bytes(OP_ANY_STRING, "x"), any_id(2),
		  true },
		{ "string and another id", any_bytes(OP_ANY_STRING, "x"),
		  any_id(1), false },
		{ "empty string and id 0", any_bytes(OP_ANY_STRING, ""),
		  any_id(0), true },
		{ "ids by content", any_id(1), any_id(2), true },
		{ "ids by content, not number", any_id(1), any_id(1), false },
		{ "bytes", any_bytes(OP_ANY_BYTES, "x"),
		  any_bytes(OP_ANY_BYTES, "x"), true },
		{ "bytes and string", any_bytes(OP_ANY_BYTES, "x"),
		  any_bytes(OP_ANY_STRING, "x"), false },
		{ "flags",
		  { .kind = OP_ANY_BOOL, .flag = true },
		  { .kind = OP_ANY_BOOL, .flag = true },
		  true },
		{ "other flags",
		  { .kind = OP_ANY_BOOL, .flag = true },
		  { .kind = OP_ANY_BOOL },
		  false },
		{ "numbers", any_num(OP_ANY_INT, INT64_MIN),
		  any_num(OP_ANY_INT, INT64_MIN), true },
		{ "other numbers", any_num(OP_ANY_INT, 1),
		  any_num(OP_ANY_INT, -1), false },
		{ "number and flag",
		  any_num(OP_ANY_INT, 1),
		  { .kind = OP_ANY_BOOL, .flag = true },
		  false },
		{ "number and real", any_num(OP_ANY_INT, 0), any_real(0),
		  false },
		{ "reals", any_real(1.5), any_real(1.5), true },
		{ "other reals", any_real(1.5), any_real(2.5), false },
		{ "not a number", any_real(__builtin_nan("")),
		  any_real(__builtin_nan("")), true },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;

		CHECK_EQ(op_any_eq(&model_a, &rows[i].a, &model_b, &rows[i].b),
			 rows[i].eq);
		CHECK_EQ(op_any_eq(&model_b, &rows[i].b, &model_a, &rows[i].a),
			 rows[i].eq);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

static struct op_any any_array(struct op_any *p, uint32_t n)
{
	return (struct op_any){ .kind = OP_ANY_ARRAY, .n = n, .array = p };
}

static struct op_any any_kvs(struct op_kv *p, uint32_t n)
{
	return (struct op_any){ .kind = OP_ANY_KVLIST, .n = n, .kvlist = p };
}

static bool eq(const struct op_any *a, const struct op_any *b)
{
	bool ab = op_any_eq(&model_a, a, &model_b, b);

	CHECK_EQ(op_any_eq(&model_b, b, &model_a, a), ab);
	return ab;
}

TEST(any_eq_arrays)
{
	struct op_any one_two[] = { any_num(OP_ANY_INT, 1),
				    any_num(OP_ANY_INT, 2) };
	struct op_any two_one[] = { any_num(OP_ANY_INT, 2),
				    any_num(OP_ANY_INT, 1) };
	struct op_any a = any_array(one_two, 2), b = any_array(one_two, 2);
	struct op_any in_a, in_b;

	CHECK(eq(&a, &b));
	b = any_array(two_one, 2);
	CHECK(!eq(&a, &b));
	b = any_array(one_two, 1);
	CHECK(!eq(&a, &b));
	a = any_array(NULL, 0);
	CHECK(!eq(&a, &b));
	b = any_array(NULL, 0);
	CHECK(eq(&a, &b));
	b = any_kvs(NULL, 0);
	CHECK(!eq(&a, &b));
	/* Lists in lists. */
	a = any_array(one_two, 2);
	b = any_array(one_two, 2);
	in_a = any_array(&a, 1);
	in_b = any_array(&b, 1);
	CHECK(eq(&in_a, &in_b));
	b = any_array(two_one, 2);
	CHECK(!eq(&in_a, &in_b));
}

TEST(any_eq_kvlists)
{
	struct op_any v = any_num(OP_ANY_INT, 1), w = any_num(OP_ANY_INT, 2);
	struct op_kv by_id = { .key_id = 1, .value = v };
	struct op_kv inlined = { .key = TEXT("x"), .value = v };
	struct op_kv other_key = { .key = TEXT("y"), .value = v };
	struct op_kv other_value = { .key = TEXT("x"), .value = w };
	struct op_kv two[] = { inlined, inlined };
	struct op_any a = any_kvs(&by_id, 1), b = any_kvs(&inlined, 1);

	CHECK(eq(&a, &b));
	b = any_kvs(&other_key, 1);
	CHECK(!eq(&a, &b));
	b = any_kvs(&other_value, 1);
	CHECK(!eq(&a, &b));
	b = any_kvs(two, 2);
	CHECK(!eq(&a, &b));
}

TEST(text_of_a_value)
{
	struct op_any s = any_bytes(OP_ANY_STRING, "t"), id = any_id(2);
	struct op_any bytes = any_bytes(OP_ANY_BYTES, "t");
	struct op_kv kv = { .key = TEXT("k") };

	CHECK(op_view_is(op_any_text(&model_a, &s), "t"));
	CHECK(op_view_is(op_any_text(&model_a, &id), "y"));
	CHECK_EQ(op_any_text(&model_a, &bytes).n, 0);
	CHECK(op_view_is(op_kv_key(&model_a, &kv), "k"));
	kv.key_id = 1;
	CHECK(op_view_is(op_kv_key(&model_a, &kv), "x"));
}

/* --- attribute sets --- */

TEST(set_find)
{
	struct op_view strings[] = { { 0 }, TEXT("pid"), TEXT("thread.name") };
	struct op_attr attrs[] = {
		{ 0 }, { .key = 1 }, { .key = 2 }, { .key = 1 }
	};
	uint32_t at[] = { 0, 0, 2, 4 }, items[] = { 1, 2, 3, 1 };
	struct op_model m = { .dict = { .strings = strings,
					.attrs = attrs,
					.sets = op_lists(at, items, 3) } };

	CHECK(!op_set_find(&m, 0, "pid"));
	CHECK(op_set_find(&m, 1, "pid") == &attrs[1]);
	CHECK(op_set_find(&m, 1, "thread.name") == &attrs[2]);
	CHECK(!op_set_find(&m, 1, "thread"));
	CHECK(op_set_find(&m, 2, "pid") == &attrs[3]);
	CHECK(!op_set_find(&m, 2, "thread.name"));
}

/* --- samples --- */

/* Three samples: values and times, times only, values only. */
TEST(sample_columns)
{
	uint32_t value_at[] = { 0, 2, 2, 3 }, time_at[] = { 0, 2, 5, 5 };
	int64_t values[] = { 10, -3, 5 };
	uint64_t times[] = { 100, 101, 102, 103, 104 };
	struct op_profile p = { .nr_samples = 3,
				.value_at = value_at,
				.time_at = time_at,
				.values = values,
				.times = times };

	CHECK_EQ(op_sample_values(&p, 0).n, 2);
	CHECK_EQ(op_sample_values(&p, 1).n, 0);
	CHECK_EQ(op_sample_values(&p, 2).p[0], 5);
	CHECK_EQ(op_sample_times(&p, 1).n, 3);
	CHECK_EQ(op_sample_times(&p, 1).p[2], 104);
	CHECK_EQ(op_sample_times(&p, 2).n, 0);
	CHECK_EQ(op_sample_total(&p, 0), 7);
	CHECK_EQ(op_sample_total(&p, 1), 3);
	CHECK_EQ(op_sample_total(&p, 2), 5);
	CHECK_EQ(op_profile_total(&p), 15);
	CHECK_EQ(op_profile_observations(&p), 6);
	p.value_at = NULL;
	CHECK_EQ(op_sample_values(&p, 0).n, 0);
	CHECK_EQ(op_profile_total(&p), 5);
	CHECK_EQ(op_profile_observations(&p), 5);
	p.value_at = value_at;
	p.time_at = NULL;
	CHECK_EQ(op_sample_times(&p, 0).n, 0);
	CHECK_EQ(op_profile_total(&p), 12);
	CHECK_EQ(op_profile_observations(&p), 3);
	p.value_at = NULL;
	CHECK_EQ(op_profile_total(&p), 0);
	CHECK_EQ(op_profile_observations(&p), 0);
}

TEST(sums_stop_at_the_ends)
{
	static const struct {
		const char *name;
		int64_t a, b, sum;
	} rows[] = {
		{ "small", 2, -5, -3 },
		{ "up to the end", INT64_MAX - 1, 1, INT64_MAX },
		{ "past the end", INT64_MAX, 1, INT64_MAX },
		{ "far past the end", INT64_MAX, INT64_MAX, INT64_MAX },
		{ "down to the end", INT64_MIN + 1, -1, INT64_MIN },
		{ "below the end", INT64_MIN, -1, INT64_MIN },
		{ "far below the end", INT64_MIN, INT64_MIN, INT64_MIN },
		{ "both ends", INT64_MAX, INT64_MIN, -1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int64_t v[] = { rows[i].a, rows[i].b };
		uint32_t one[] = { 0, 2 }, two[] = { 0, 1, 2 };
		struct op_profile p = { .nr_samples = 1,
					.value_at = one,
					.values = v };
		int before = test_failed;

		CHECK_EQ(op_add_sat(v[0], v[1]), rows[i].sum);
		CHECK_EQ(op_add_sat(v[1], v[0]), rows[i].sum);
		CHECK_EQ(op_sample_total(&p, 0), rows[i].sum);
		p.nr_samples = 2;
		p.value_at = two;
		CHECK_EQ(op_profile_total(&p), rows[i].sum);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", rows[i].name);
	}
}

/* --- walking --- */

/* A shape is "profiles of a scope" as digits, '/' behind each resource; the
 * walk is "rsp" of each profile. */
static void walk(const char *shape, char *out, size_t n)
{
	static struct op_profile profiles[9];
	struct op_resource resources[8] = { 0 };
	struct op_scope scopes[8][8] = { 0 };
	struct op_model m = { .resources = resources };
	struct op_walk w = { 0 };

	for (; *shape; shape++) {
		struct op_resource *r = &resources[m.nr_resources];

		r->scopes = scopes[m.nr_resources];
		if (*shape == '/') {
			m.nr_resources++;
			continue;
		}
		r->scopes[r->nr_scopes++] = (struct op_scope){
			.nr_profiles = (uint32_t)(*shape - '0'),
			.profiles = profiles,
		};
	}
	out[0] = 0;
	while (op_walk_next(&m, &w)) {
		size_t end = strlen(out);

		CHECK(w.resource == &resources[w.r]);
		CHECK(w.scope == &w.resource->scopes[w.s]);
		CHECK(w.profile == &w.scope->profiles[w.p]);
		snprintf(out + end, n - end, "%s%u%u%u", end ? " " : "", w.r,
			 w.s, w.p);
	}
	CHECK(!op_walk_next(&m, &w));
}

TEST(walk_each_profile)
{
	static const struct {
		const char *name, *shape, *order;
	} rows[] = {
		{ "nothing", "", "" },
		{ "a resource without a scope", "/", "" },
		{ "a scope without a profile", "0/", "" },
		{ "one", "1/", "000" },
		{ "three in a scope", "3/", "000 001 002" },
		{ "two scopes", "12/", "000 010 011" },
		{ "empty scopes around one", "00100/", "020" },
		{ "two resources", "1/2/", "000 100 101" },
		{ "empty resources around one", "//1//", "200" },
		{ "everything empty", "00//0/", "" },
		{ "many", "20/0/021/", "000 001 210 211 220" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		char out[200];

		walk(rows[i].shape, out, sizeof(out));
		CHECK(!strcmp(out, rows[i].order));
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", rows[i].name,
				out);
	}
}

TEST_MAIN(own, own_without_memory, complete_empty, complete_keeps_rows,
	  complete_each_alloc_fails, any_eq_scalars, any_eq_arrays,
	  any_eq_kvlists, text_of_a_value, set_find, sample_columns,
	  sums_stop_at_the_ends, walk_each_profile)
