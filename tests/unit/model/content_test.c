// SPDX-License-Identifier: Apache-2.0
#include "model/content.h"

#include "model/merge.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

struct id {
	uint8_t b[16];
};

/* The id of the first profile of a message. */
static struct id id_of(const char *text)
{
	static struct wire w;
	struct id id = { { 0 } };
	struct op_model m;
	struct op_err err;
	struct op_profile *p;

	wire_set(&w, text);
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	if (err.code) {
		fprintf(stderr, "  %s\n", err.text);
		return id;
	}
	CHECK_EQ(op_content_ids(&m, &err), OP_OK);
	p = m.resources[0].scopes[0].profiles;
	CHECK_EQ(p->id_len, 16);
	memcpy(id.b, p->id, sizeof(id.b));
	op_model_free(&m);
	return id;
}

static bool same(struct id a, struct id b)
{
	return !memcmp(a.b, b.b, sizeof(a.b));
}

#define TRACE "000102030405060708090a0b0c0d0e0f"

static const char base[] =
	"2{ 1{} 1{ 1:16 2:32 3:48 4:6 5[1] } "
	"2{} 2{ 1:1 2:20 3{ 1:1 2:10 3:11 } 4[1] } 2{ 2:21 } "
	"3{} 3{ 1:1 2:2 3:3 4:40 } 4{} 4{ 1#" TRACE " 2#0001020304050607 } "
	"5'' 5'fn' 5'sys' 5'file' 5'key' 5'unit' 5'lib' 5'type' 5'val' "
	"6{} 6{ 1:4 2{ 1'val' } 3:5 } 6{ 1:3 2{ 3:8 } } 7{} 7{ 1[1 2] } } "
	"1{ 1{ 1{ 1'rk' 2{ 1'rv' } } 1{ 1'rl' 2{ 3:1 } } } "
	"2{ 1{ 1'sname' 2'sversion' 3{ 1'sk' 2{ 5{ 1{ 3:1 } 1{ 2:1 } } } } } "
	"2{ 1{ 1:7 2:5 } 3@900 4:100 5{ 1:2 2:5 } 6:77 9'pf' 10'pay' 11[1] "
	"2{ 1:1 2[1 2] 3:1 4[5 6] 5<950 960> } 2{ 4[1] 5<970> } } } }";

/* base with the first occurrence of one text replaced by another. */
static const char *changed(const char *from, const char *to)
{
	static char out[4096];
	const char *at = strstr(base, from);

	CHECK(at != NULL);
	if (at)
		snprintf(out, sizeof(out), "%.*s%s%s", (int)(at - base), base,
			 to, at + strlen(from));
	return out;
}

static const struct {
	const char *name, *from, *to;
} changes[] = {
	{ "value", "4[5 6]", "4[5 7]" },
	{ "value with its time", "4[5 6]", "4[6 5]" },
	{ "timestamp", "5<950 960>", "5<950 961>" },
	{ "no timestamps", "2{ 4[1] 5<970> }", "2{ 4[1] }" },
	{ "another sample", "2{ 4[1] 5<970> }", "2{ 1:1 4[1] 5<970> }" },
	{ "a sample less", "2{ 4[1] 5<970> }", "" },
	{ "order of a stack", "7{ 1[1 2] }", "7{ 1[2 1] }" },
	{ "shorter stack", "7{ 1[1 2] }", "7{ 1[1] }" },
	{ "attributes of a sample", "2[1 2]", "2[1]" },
	{ "value of an attribute", "1'val'", "1'vaL'" },
	{ "kind of a value", "1'val'", "7'val'" },
	{ "unit of an attribute", "2{ 1'val' } 3:5", "2{ 1'val' }" },
	{ "key of an attribute", "5'key'", "5'keY'" },
	{ "no link", "2[1 2] 3:1", "2[1 2]" },
	{ "trace id", "1#00", "1#ff" },
	{ "span id", "2#00", "2#ff" },
	{ "key of a resource", "1'rk'", "1'rK'" },
	{ "value of a resource", "1'rv'", "1'rV'" },
	{ "resource attribute more", "1'rl' 2{ 3:1 } }",
	  "1'rl' 2{ 3:1 } } 1{ 1'x' }" },
	{ "scope", "1'sname'", "1'snamE'" },
	{ "version of the scope", "2'sversion'", "2'sversioN'" },
	{ "attribute of the scope", "1{ 3:1 } 1{ 2:1 }", "1{ 3:1 } 1{ 2:0 }" },
	{ "sample type", "1{ 1:7 2:5 }", "1{ 1:6 2:5 }" },
	{ "sample unit", "1{ 1:7 2:5 }", "1{ 1:7 2:6 }" },
	{ "period type", "5{ 1:2 2:5 }", "5{ 1:3 2:5 }" },
	{ "period", "6:77", "6:78" },
	{ "time", "3@900", "3@901" },
	{ "duration", "4:100", "4:101" },
	{ "attributes of the profile", "11[1]", "11[2]" },
	{ "payload", "10'pay'", "10'paY'" },
	{ "name of a function", "5'fn'", "5'fN'" },
	{ "system name of a function", "5'sys'", "5'syS'" },
	{ "file of a function", "5'file'", "5'filE'" },
	{ "start of a function", "4:40", "4:41" },
	{ "line", "2:10", "2:12" },
	{ "column", "3:11", "3:12" },
	{ "address", "2:21", "2:22" },
	{ "mapping of a location", "2{ 1:1 2:20", "2{ 2:20" },
	{ "attributes of a location", "4[1] }", "4[2] }" },
	{ "start of a mapping", "1:16", "1:17" },
	{ "end of a mapping", "2:32", "2:33" },
	{ "offset of a mapping", "3:48", "3:49" },
	{ "file of a mapping", "5'lib'", "5'liB'" },
	{ "attributes of a mapping", "5[1] }", "5[2] }" },
};

/* Whatever is changed gives another id, and no two changes the same. */
TEST(each_change_counts)
{
	struct id ids[op_countof(changes) + 1];

	ids[0] = id_of(base);
	for (size_t i = 0; i < op_countof(changes); i++) {
		ids[i + 1] = id_of(changed(changes[i].from, changes[i].to));
		for (size_t k = 0; k <= i; k++)
			if (same(ids[k], ids[i + 1]))
				TEST_FAIL("%s: same id as row %zu",
					  changes[i].name, k);
	}
}

static const struct {
	const char *name, *text;
} orders[] = {
	{ "samples", "2{ 2{} 2{ 2:1 } 2{ 2:2 } 7{} 7{ 1[1] } 7{ 1[2] } } "
		     "1{ 2{ 2{ 2{ 1:2 4[6] } 2{ 1:1 4[5] } } } }" },
	{ "stacks", "2{ 2{} 2{ 2:1 } 2{ 2:2 } 7{} 7{ 1[2] } 7{ 1[1] } } "
		    "1{ 2{ 2{ 2{ 1:2 4[5] } 2{ 1:1 4[6] } } } }" },
	{ "locations", "2{ 2{} 2{ 2:2 } 2{ 2:1 } 7{} 7{ 1[2] } 7{ 1[1] } } "
		       "1{ 2{ 2{ 2{ 1:1 4[5] } 2{ 1:2 4[6] } } } }" },
	{ "with orphans",
	  "2{ 2{} 2{ 2:9 } 2{ 2:1 } 2{ 2:2 } 7{} 7{ 1[3 3] } 7{ 1[2] } "
	  "7{ 1[3] } 5'' 5'unused' } "
	  "1{ 2{ 2{ 2{ 1:2 4[5] } 2{ 1:3 4[6] } } } }" },
	{ "dictionary last",
	  "1{ 2{ 2{ 2{ 1:1 4[5] } 2{ 1:2 4[6] } } } } "
	  "2{ 2{} 2{ 2:1 } 2{ 2:2 } 7{} 7{ 1[1] } 7{ 1[2] } }" },
};

TEST(order_does_not_count)
{
	struct id first = id_of(orders[0].text);

	for (size_t i = 1; i < op_countof(orders); i++)
		if (!same(id_of(orders[i].text), first))
			TEST_FAIL("another id by order of %s", orders[i].name);
}

/* Nor of attributes, of a resource or of a sample. */
TEST(order_of_attributes)
{
	struct id first = id_of(base);

	CHECK(same(id_of(changed("2[1 2]", "2[2 1]")), first));
	CHECK(same(id_of(changed("1{ 1'rk' 2{ 1'rv' } } 1{ 1'rl' 2{ 3:1 } }",
				 "1{ 1'rl' 2{ 3:1 } } 1{ 1'rk' 2{ 1'rv' } }")),
		   first));
}

/* A string by reference is that string; times without values count as 1. */
TEST(form_does_not_count)
{
	struct id first = id_of(base);

	CHECK(same(id_of(changed("1'val'", "8:8")), first));
	CHECK(same(id_of(changed("4[1] 5<970>", "5<970>")), first));
}

/* However the profile is stored: normalised, and behind another. */
TEST(normalised)
{
	static const struct sketch s[] = {
		{ .samples = "other 1", .type = "x", .resource = "r=1" },
		{ .samples = "main 5 k=v\nmain;f 6 l=w k=v #1",
		  .resource = "r=2" },
	};
	struct op_err err = { 0 };
	struct op_model one = { 0 }, two = { 0 };

	CHECK_EQ(sketch_model(&one, s + 1, 1, &err), OP_OK);
	CHECK_EQ(sketch_model(&two, s, 2, &err), OP_OK);
	CHECK_EQ(op_content_ids(&one, &err), OP_OK);
	CHECK_EQ(op_content_ids(&two, &err), OP_OK);
	CHECK(!memcmp(one.resources[0].scopes[0].profiles[0].id,
		      two.resources[1].scopes[0].profiles[0].id, 16));
	CHECK(memcmp(two.resources[0].scopes[0].profiles[0].id,
		     two.resources[1].scopes[0].profiles[0].id, 16));
	op_model_free(&one);
	op_model_free(&two);
}

TEST(existing_ids_stay)
{
	static const struct sketch s[] = { { .samples = "main 1", .id = 7 },
					   { .samples = "main 1" } };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	const struct op_profile *p;
	uint8_t again[16];

	CHECK_EQ(sketch_model(&m, s, 2, &err), OP_OK);
	p = m.resources[0].scopes[0].profiles;
	CHECK_EQ(op_content_ids(&m, &err), OP_OK);
	CHECK_EQ(p[0].id[0], 7);
	CHECK_EQ(p[0].id[1], 0);
	CHECK_EQ(p[1].id_len, 16);
	memcpy(again, p[1].id, sizeof(again));
	CHECK_EQ(op_content_ids(&m, &err), OP_OK);
	CHECK(!memcmp(again, p[1].id, sizeof(again)));
	op_model_free(&m);
}

TEST(no_profiles)
{
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, NULL, 0, &err), OP_OK);
	CHECK_EQ(op_content_ids(&m, &err), OP_OK);
	op_model_free(&m);
}

TEST(each_allocation_fails)
{
	struct sketch s = { .samples = "main 1" };
	struct op_model m;

	sketch_one(&m, &s);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_profile *p = m.resources[0].scopes[0].profiles;

		p->id_len = 0;
		CHECK_EQ(op_content_ids(&m, &err),
			 op_alloc_failed() ? OP_ENOMEM : OP_OK);
		CHECK_EQ(p->id_len, err.code ? 0 : 16);
	}
	op_model_free(&m);
}

TEST_MAIN(each_change_counts, order_does_not_count, order_of_attributes,
	  form_does_not_count, normalised, existing_ids_stay, no_profiles,
	  each_allocation_fails)
