// SPDX-License-Identifier: Apache-2.0
/* Builders of include/otprof.h: messages taken one after the other, rows given
 * up, attributes of every kind. */
#include "test.h"

#include "otprof.h"

static bool is(struct otprof_str s, const char *want)
{
	return s.n == strlen(want) && !memcmp(s.p, want, s.n);
}

static uint32_t location_of(struct otprof_builder *b, const char *function)
{
	struct otprof_frame f;

	OTPROF_INIT(&f);
	f.function = otprof_str(function);
	return otprof_build_location(b, 0, &f, 1);
}

static uint32_t stack_of(struct otprof_builder *b, const char *function)
{
	uint32_t location = location_of(b, function);

	return otprof_build_stack(b, &location, 1);
}

static uint32_t profile_begin(struct otprof_builder *b)
{
	struct otprof_profile head;
	uint32_t resource = otprof_build_resource(b, NULL, 0);

	OTPROF_INIT(&head);
	head.type = otprof_str("cpu");
	return otprof_build_profile(
		b, otprof_build_scope(b, resource, "s", "1", NULL, 0), &head);
}

static struct otprof *taken(struct otprof_builder *b)
{
	struct otprof_err err = { 0 };
	struct otprof *p = NULL;

	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_OK);
	CHECK_STR(err.text, "");
	return p;
}

/* The only frame of the only sample. */
static bool is_sample_of(const struct otprof *p, const char *function)
{
	struct otprof_err err = { 0 };
	struct otprof_columns c;
	struct otprof_frames walk;
	struct otprof_frame f;

	OTPROF_INIT(&c);
	OTPROF_INIT(&f);
	if (otprof_columns(p, 0, &c, &err) || c.nr != 1)
		return false;
	walk = otprof_frames(p, c.stacks[0]);
	return otprof_frame_next(&walk, &f) && is(f.function, function);
}

TEST(messages_share_the_tables)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity f = { 0 }, g = { 0 };
	struct otprof *first, *second;
	uint32_t profile;

	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	f.stack = stack_of(b, "f");
	g.stack = stack_of(b, "g");
	profile = profile_begin(b);
	otprof_build_add(b, profile, f, 1);
	first = taken(b);
	profile = profile_begin(b);
	otprof_build_observe(b, profile, g, 1, 1000);
	CHECK_EQ(stack_of(b, "g"), g.stack);
	second = taken(b);
	otprof_builder_free(b);

	/* Each has the rows that it uses, and no others. */
	CHECK(is_sample_of(first, "f"));
	CHECK(is_sample_of(second, "g"));
	CHECK_EQ(otprof_nr_rows(first, OTPROF_STACKS), 2);
	CHECK_EQ(otprof_nr_rows(second, OTPROF_FUNCTIONS), 2);
	otprof_free(first);
	otprof_free(second);
}

TEST(nothing_was_built)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof *p;

	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	p = taken(b);
	CHECK_EQ(otprof_nr_profiles(p), 0);
	otprof_free(p);
	otprof_builder_free(b);
}

/* A profile is over when its message was taken. */
TEST(profile_of_before)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity id = { 0 };
	struct otprof *p = NULL;
	uint32_t profile;

	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	id.stack = stack_of(b, "f");
	profile = profile_begin(b);
	otprof_build_add(b, profile, id, 1);
	otprof_free(taken(b));
	profile_begin(b);
	otprof_build_add(b, profile, id, 1);
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_EUSAGE);
	CHECK(!p && strstr(err.text, "of before otprof_builder_take()"));
	otprof_builder_free(b);
}

TEST(compact_drops_what_is_stale)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity id = { 0 };
	char name[24];
	uint64_t before;

	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function%d", i);
		id.stack = stack_of(b, name);
	}
	otprof_build_add(b, profile_begin(b), id, 1);
	otprof_free(taken(b));
	before = otprof_builder_bytes(b);
	CHECK_EQ(otprof_builder_compact(b, &err), OTPROF_OK);
	CHECK(otprof_builder_bytes(b) < before / 10);

	/* Rows go on, with new ids. */
	id.stack = stack_of(b, "function19999");
	otprof_build_add(b, profile_begin(b), id, 1);
	for (int i = 0; i < 2; i++) {
		struct otprof *p = taken(b);

		if (!i)
			CHECK(is_sample_of(p, "function19999"));
		otprof_free(p);
	}
	otprof_builder_free(b);
}

TEST(ids_of_before_compact)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity id = { 0 };
	struct otprof *p = NULL;

	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	id.stack = stack_of(b, "f");
	otprof_build_add(b, profile_begin(b), id, 1);
	otprof_free(taken(b));
	CHECK_EQ(otprof_builder_compact(b, &err), OTPROF_OK);
	otprof_build_add(b, profile_begin(b), id, 1);
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_EUSAGE);
	CHECK(!p && strstr(err.text, "of before otprof_builder_compact()"));
	otprof_builder_free(b);
}

TEST(compact_while_profiles_are_built)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;

	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	profile_begin(b);
	CHECK_EQ(otprof_builder_compact(b, &err), OTPROF_EUSAGE);
	otprof_builder_free(b);
}

/* --- attributes --- */

/* The value of the only attribute of a set that was built of v. */
static void check_value(const struct otprof_value *v, struct otprof **p,
			struct otprof_value *out)
{
	struct otprof_attr attr = { 0 }, got;
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_identity id = { 0 };
	struct otprof_columns c;
	struct otprof_attrs walk;

	OTPROF_INIT(&c);
	attr.key = otprof_str("k");
	attr.value = *v;
	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	id.attrs = otprof_build_attrs(b, &attr, 1);
	otprof_build_add(b, profile_begin(b), id, 1);
	*p = taken(b);
	otprof_builder_free(b);
	CHECK_EQ(otprof_columns(*p, 0, &c, &err), OTPROF_OK);
	walk = otprof_attrs(*p, c.attrs[0]);
	CHECK(otprof_attr_next(&walk, &got));
	CHECK(!otprof_attr_next(&walk, &got));
	walk = otprof_attrs(*p, c.attrs[0]);
	otprof_attr_next(&walk, &got);
	*out = got.value;
}

TEST(attributes_of_every_kind)
{
	struct otprof_attr pair = { 0 }, at;
	struct otprof_value list[5], v, out;
	struct otprof_attrs walk;
	struct otprof *p, *again;

	pair.key = otprof_str("inner");
	pair.value = otprof_int(7);
	list[0] = otprof_string("text");
	list[1] = otprof_bool(5);
	list[2] = otprof_double(0.5);
	list[3] = otprof_bytes("\0\1", 2);
	list[4] = otprof_map(&pair, 1);
	v = otprof_array(list, 5);
	check_value(&v, &p, &out);
	/* What was read from one object is built into another. */
	check_value(&out, &again, &v);
	otprof_free(p);
	CHECK_EQ(v.kind, OTPROF_ARRAY);
	CHECK_EQ(v.nr, 5);
	walk = otprof_value_elements(&v);
	CHECK(otprof_attr_next(&walk, &at) && is(at.value.s, "text"));
	CHECK(otprof_attr_next(&walk, &at) && at.value.kind == OTPROF_BOOL);
	CHECK_EQ(at.value.i, 1);
	CHECK(otprof_attr_next(&walk, &at) && at.value.d == 0.5);
	CHECK(otprof_attr_next(&walk, &at) && at.value.kind == OTPROF_BYTES);
	CHECK(at.value.s.n == 2 && at.value.s.p[1] == 1);
	CHECK(otprof_attr_next(&walk, &at) && at.value.kind == OTPROF_MAP);
	walk = otprof_value_elements(&at.value);
	CHECK(otprof_attr_next(&walk, &at) && is(at.key, "inner"));
	CHECK_EQ(at.value.i, 7);
	otprof_free(again);
}

TEST(attributes_that_cannot_be)
{
	struct otprof_attr attr = { 0 };
	struct otprof_value self = { 0 };

	self = otprof_array(&self, 1); /* without end */
	for (int i = 0; i < 2; i++) {
		struct otprof_err err = { 0 };
		struct otprof_builder *b = NULL;
		struct otprof *p = NULL;

		CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
		attr.value = self;
		if (i)
			attr.value.kind = (enum otprof_kind)99;
		CHECK_EQ(otprof_build_attrs(b, &attr, 1), 0);
		CHECK_EQ(otprof_builder_take(b, &p, &err),
			 i ? OTPROF_EUSAGE : OTPROF_ELIMIT);
		otprof_builder_free(b);
	}
}

TEST(attributes_of_scopes)
{
	struct otprof_attr attr = { 0 };
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof_attrs walk;
	struct otprof_profile head;
	struct otprof *p;

	OTPROF_INIT(&head);
	attr.key = otprof_str("k");
	attr.value = otprof_bool(1);
	CHECK_EQ(otprof_builder_new(0, &b, &err), OTPROF_OK);
	otprof_build_profile(
		b,
		otprof_build_scope(b, otprof_build_resource(b, &attr, 1), NULL,
				   NULL, &attr, 1),
		&head);
	p = taken(b);
	CHECK_EQ(otprof_profile(p, 0, &head, &err), OTPROF_OK);
	walk = otprof_scope_attrs(p, head.resource, head.scope);
	CHECK(otprof_attr_next(&walk, &attr));
	CHECK(is(attr.key, "k") && attr.value.kind == OTPROF_BOOL);
	otprof_free(p);
	otprof_builder_free(b);
}

/* --- memory --- */

TEST(quota)
{
	struct otprof_err err = { 0 };
	struct otprof_builder *b = NULL;
	struct otprof *p = NULL;
	char name[24];

	CHECK_EQ(otprof_builder_new(100000, &b, &err), OTPROF_OK);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function%d", i);
		stack_of(b, name);
	}
	CHECK_EQ(otprof_builder_take(b, &p, &err), OTPROF_ENOMEM);
	CHECK(!p);
	otprof_builder_free(b);
}

TEST(each_alloc_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct otprof_attr attr = { 0 };
		struct otprof_err err = { 0 };
		struct otprof_builder *b = NULL;
		struct otprof_identity id = { 0 };
		struct otprof *p = NULL;

		attr.key = otprof_str("k");
		attr.value = otprof_map(&attr, 0);
		if (!otprof_builder_new(0, &b, &err)) {
			id.stack = stack_of(b, "f");
			id.attrs = otprof_build_attrs(b, &attr, 1);
			otprof_build_add(b, profile_begin(b), id, 1);
			if (!otprof_builder_take(b, &p, &err))
				otprof_builder_compact(b, &err);
		}
		/* Room that is only a hint may be missing. */
		CHECK(!err.code ||
		      (err.code == OTPROF_ENOMEM && op_alloc_failed()));
		otprof_free(p);
		otprof_builder_free(b);
	}
}

TEST_MAIN(messages_share_the_tables, nothing_was_built, profile_of_before,
	  compact_drops_what_is_stale, ids_of_before_compact,
	  compact_while_profiles_are_built, attributes_of_every_kind,
	  attributes_that_cannot_be, attributes_of_scopes, quota,
	  each_alloc_fails)
