// SPDX-License-Identifier: Apache-2.0
/* What the writer of OTEP 239 makes of models, and that the reader gets it
 * back. */
#include "fmt/otep239/otep239_int.h"

#include "unit/fmt/draft_fixture.h"

#define BOTH op_otep239_encode, op_otep239_decode

static const struct draft_model models[] = {
	{ "one", { { .samples = "main;work 5\nmain 3" } }, 1, NULL },
	{ "attributes and a link",
	  { { .samples = "main 5 k=v a= #7\nmain 6 #8\nmain 7" } },
	  1,
	  NULL },
	{ "times",
	  { { .samples = "main 5@1700000000000000000 5@1700000000000000001 "
			 "6@1700000000000000002 #1" } },
	  1,
	  NULL },
	{ "times that look like milliseconds",
	  { { .samples = "main 5@100 6@200 #1\nwork 1@300" } },
	  1,
	  NULL },
	{ "values that cannot be added",
	  { { .samples = "main 9223372036854775807@1 9223372036854775807@2" } },
	  1,
	  NULL },
	{ "values of 1 and of as many as there are times",
	  { { .samples = "a 1@1 1@2 1@3\nb 0@1 0@2\nc 2@1 2@2" } },
	  1,
	  NULL },
	{ "negative", { { .samples = "main -5\nwork -3" } }, 1, NULL },
	{ "no stack", { { .samples = "- 5" } }, 1, NULL },
	{ "no samples", { { .samples = "" } }, 1, NULL },
	{ "two types of the same samples",
	  { { .samples = "main 5\nwork 1" },
	    { .samples = "main 2\nwork 3", .type = "wall", .unit = "ns" } },
	  2,
	  NULL },
	{ "two types of other samples",
	  { { .samples = "main 5\nwork 1" },
	    { .samples = "main 2\nidle 3", .type = "wall", .unit = "ns" } },
	  2,
	  NULL },
	{ "two types of the same times",
	  { { .samples = "main 5@1 6@2" },
	    { .samples = "main 1@1 1@2", .type = "wall", .unit = "ns" } },
	  2,
	  "resource\nscope \nprofile cpu/nanoseconds\n\tmain 5@1 6@2\n"
	  "profile wall/ns\n\tmain 1@1 1@2\n" },
	{ "types of one name",
	  { { .samples = "main 5" }, { .samples = "main 7" } },
	  2,
	  NULL },
	{ "a type without a name is not a default",
	  { { .samples = "main 5", .type = "", .unit = "" },
	    { .samples = "main 7" } },
	  2,
	  NULL },
	{ "resources and scopes",
	  { { .samples = "main 5", .resource = "host=x", .scope = "a" },
	    { .samples = "main 6", .resource = "host=x", .scope = "b" },
	    { .samples = "main 7", .resource = "host=y", .scope = "b" } },
	  3,
	  NULL },
	{ "head",
	  { { .samples = "main 5",
	      .attrs = "event=x",
	      .period = 99,
	      .period_unit = "ns",
	      .time_ns = 1000,
	      .duration_ns = 20,
	      .id = 7 },
	    { .samples = "main 5",
	      .attrs = "event=x",
	      .period = 99,
	      .period_unit = "ns",
	      .time_ns = 1000,
	      .duration_ns = 20,
	      .id = 8 } },
	  2,
	  NULL },
	{ "cumulative, and not",
	  { { .samples = "main 5",
	      .type = "a",
	      .attrs = "otprof.aggregation_temporality=cumulative x=y" },
	    { .samples = "main 5", .type = "b", .attrs = "x=y" } },
	  2,
	  NULL },
};

TEST(reads_back)
{
	draft_reads_back(BOTH, models, op_countof(models));
}

TEST(generated)
{
	draft_generated(BOTH);
}

/* How often a field of a message occurs, within the first of each of the
 * fields that lead to it. */
static size_t count(struct op_view in, const uint32_t *path, uint32_t num)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;
	size_t n = 0;

	while (op_pb_next(&c, &f)) {
		if (*path && f.num == *path)
			return count(f.bytes, path + 1, num);
		n += !*path && f.num == num;
	}
	return n;
}

/* The bytes of field num in the first profile of the message. */
static size_t bytes_of(struct op_view in, const uint32_t *path, uint32_t num)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (*path && f.num == *path)
			return bytes_of(f.bytes, path + 1, num);
		if (!*path && f.num == num)
			return f.bytes.n;
	}
	return 0;
}

static const uint32_t to_profile[] = { 1, 2, 2, CONTAINER_PROFILE, 0 };
static const uint32_t to_containers[] = { 1, 2, 0 };

/* Stacks that are the root end of another take no room in the list. */
TEST(slices)
{
	static const struct {
		const char *samples;
		size_t list;
	} rows[] = {
		{ "a;b;c;d 1\na;b;c 1\na;b 1\na 1", 4 },
		{ "a 1\na;b 1\na;b;c 1", 3 },
		{ "a;b;c 1 k=1\na;b;c 2 k=2\na;b;c 3", 3 },
		{ "a;b;c 1\na;b;d 1\na;b 1", 6 },
		{ "- 1", 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };
		struct op_model m = { 0 };

		sketch_one(&m, &(struct sketch){ .samples = rows[i].samples });
		CHECK(!op_otep239_encode(&m, NULL, &out));
		CHECK_EQ(bytes_of(op_pbw_result(&out), to_profile,
				  EXT_LOCATION_INDICES),
			 rows[i].list);
		op_pbw_free(&out);
		op_model_free(&m);
	}
}

/* Profiles of one head and the same samples share a container, if none but the
 * first has an id that is more than the hash of its content. */
TEST(groups)
{
	static const struct {
		const char *other, *type;
		uint8_t id;
		bool hash;
		size_t containers, types;
	} rows[] = {
		{ "main 6", "b", 0, false, 1, 2 },
		{ "main 6", "b", 0, true, 1, 2 },
		{ "main 6", "b", 5, false, 2, 1 },
		{ "main 6\nwork 1", "b", 0, false, 2, 1 },
		{ "main 6@1", "b", 0, false, 2, 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s[] = {
			{ .samples = "main 5", .type = "a", .id = 9 },
			{ .samples = rows[i].other,
			  .type = rows[i].type,
			  .id = rows[i].id },
		};
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };
		struct op_model m = { 0 };

		CHECK(!sketch_model(&m, s, 2, &err));
		if (rows[i].hash)
			CHECK(!op_content_ids(&m, &err));
		CHECK(!op_otep239_encode(&m, NULL, &out));
		CHECK_EQ(count(op_pbw_result(&out), to_containers, 2),
			 rows[i].containers);
		CHECK_EQ(count(op_pbw_result(&out), to_profile,
			       EXT_SAMPLE_TYPE),
			 rows[i].types);
		op_pbw_free(&out);
		op_model_free(&m);
	}
}

static void note(void *ctx, const char *text)
{
	snprintf(ctx, 200, "%s", text);
}

/* A key has one unit. */
TEST(units)
{
	static struct wire w;
	char said[200] = "";
	struct op_write_opts opts = { .note = note, .ctx = said };
	struct op_err err = { 0 };
	struct op_pbw out = { .err = &err };
	struct op_model m = { 0 };

	wire_set(&w, "1{ 2{ 2{ 2{ 2[1] 4[5] } 2{ 2[2] 4[5] } } } } "
		     "2{ 1{} 2{} 3{} 4{} 5'' 5'k' 5'ns' 6{} 6{ 1:1 2{ 3:1 } "
		     "3:2 } 6{ 1:1 2{ 3:1 } } 7{} }");
	CHECK(!wire_decode(&m, wire_view(&w), NULL, &err));
	CHECK(!op_otep239_encode(&m, &opts, &out));
	CHECK_STR(said, "otep239 cannot hold units of some attributes");
	op_pbw_free(&out);
	op_model_free(&m);
}

TEST(oom)
{
	draft_oom(BOTH,
		  "1{ 1{ 1{ 1'h' 2{ 1'x' } } } 2{ 1{ 1'lib' } 2{ 1#01020304050"
		  "60708090a0b0c0d0e0f10 4{ 1'a' 2{ 1'b' } } 6'jfr' 7'data' 8{ "
		  "1{ 1:1 2:2 3:2 } 1{ 1:3 } 7:3 13[3 4] 2{ 2[5 6] 8:2 10[0 1] "
		  "12:1 } 2{ 2[5 6] 8:1 3{ 1:3 2:4 } 13[1 2] } 15[1 0] 3{ 5:3 "
		  "6:4 7:1 12[0] } 4{ 4{} 7[1] } 4{ 5:1 6:1 } 5{ 2:3 } 16{ "
		  "1'k' 2{ 5{ 1{ 1'v' } } } } 16{ 1'j' 2{ 3:1 } } 17{ 1:3 2:2 "
		  "} 18{} 18{ 1#07000000000000000000000000000000 "
		  "2#0700000000000000 } 6'' 6'cpu' 6'ns' 6'k' 6'work' } } } }");
}

TEST_MAIN(reads_back, generated, slices, groups, units, oom)
