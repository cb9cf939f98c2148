// SPDX-License-Identifier: Apache-2.0
/* What the writer of the "arrays" draft makes of models, and that the reader
 * gets it back. */
#include "fmt/otep_arrays/otep_arrays_int.h"

#include "unit/fmt/draft_fixture.h"

#define BOTH op_otep_arrays_encode, op_otep_arrays_decode

static const struct draft_model models[] = {
	{ "one", { { .samples = "main;work 5\nmain 3" } }, 1, NULL },
	{ "attributes and a link",
	  { { .samples = "main 5 k=v a= #7\nmain 6 #8\nmain 7" } },
	  1,
	  NULL },
	{ "times",
	  { { .samples = "main 5@1700000000000000000 6@1700000000000000002" } },
	  1,
	  NULL },
	{ "times that look like milliseconds",
	  { { .samples = "main 5@100 6@200 #1\nwork 1@300" } },
	  1,
	  NULL },
	{ "no stack", { { .samples = "- 5\nmain 6" } }, 1, NULL },
	{ "no samples", { { .samples = "" } }, 1, NULL },
	{ "two types of other samples",
	  { { .samples = "main 5\nwork 1" },
	    { .samples = "main 2@9\nidle 3@9", .type = "wall", .unit = "ns" } },
	  2,
	  NULL },
	{ "resources and scopes",
	  { { .samples = "main 5", .resource = "host=x", .scope = "a" },
	    { .samples = "main 6", .resource = "host=x", .scope = "b" },
	    { .samples = "main 7", .resource = "host=y", .scope = "b" } },
	  3,
	  NULL },
	{ "heads that differ",
	  { { .samples = "main 5",
	      .attrs = "event=x",
	      .time_ns = 1000,
	      .duration_ns = 20,
	      .id = 7 },
	    { .samples = "a 5", .time_ns = 1000, .duration_ns = 20, .id = 8 },
	    { .samples = "main 5", .time_ns = 1000, .duration_ns = 21 } },
	  3,
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

static void note(void *ctx, const char *text)
{
	snprintf(ctx, 200, "%s", text);
}

/* What the draft cannot hold is told. */
TEST(losses)
{
#define NONE "otep-arrays cannot hold "
#define TABLES                                                    \
	"2{ 1{} 2{} 2{ 3{ 1:1 2:3 } } 2{ 3{ 1:1 3:3 } } "         \
	"2{ 3{ 1:1 2:-3 } } 3{} 3{ 1:1 } 4{} 5'' 5'cpu' "         \
	"5'nanoseconds' 5'k' 5'bytes' 6{} 6{ 1:3 2{ 3:1 } 3:4 } " \
	"7{} 7{ 1[1] } 7{ 1[2] } 7{ 1[3] } }"
	static const struct {
		const char *profile, *said;
	} rows[] = {
		{ "2{ 1:1 4[5] }", "" },
		{ "2{ 1:2 4[5] }", NONE "columns and some line numbers" },
		{ "2{ 1:3 4[5] }", NONE "columns and some line numbers" },
		{ "2{ 2[1] 4[5] }", NONE "units of some attributes" },
		{ "5{ 1:1 2:2 } 6:10000000", "" },
		{ "5{ 1:1 2:2 } 6:10101010", "" },
		{ "5{ 1:1 2:2 } 6:15000001", NONE "periods of some profiles" },
		{ "5{ 1:4 2:4 } 6:512", NONE "periods of some profiles" },
		{ "9'jfr' 10'x'", NONE "payloads and ids of profiles" },
		{ "2{ 4[5] 5<0> }", NONE "some exact timestamps" },
	};
	static char text[2000];
	static struct wire w;

	for (size_t i = 0; i < op_countof(rows); i++) {
		char said[200] = "";
		struct op_write_opts opts = { .note = note, .ctx = said };
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };
		struct op_model m = { 0 };

		snprintf(text, sizeof(text), "1{ 2{ 2{ %s } } } " TABLES,
			 rows[i].profile);
		wire_set(&w, text);
		CHECK(!wire_decode(&m, wire_view(&w), NULL, &err));
		CHECK(!op_otep_arrays_encode(&m, &opts, &out));
		CHECK_STR(said, rows[i].said);
		op_pbw_free(&out);
		op_model_free(&m);
	}
}

/* The lists that are not needed are not there. */
TEST(lists)
{
	static const struct {
		const char *samples;
		uint32_t fields; /* bit a field of the type */
	} rows[] = {
		{ "main 5", 1u << 10 | 1u << 13 },
		{ "main 5 k=v", 1u << 10 | 1u << 12 | 1u << 13 },
		{ "main 5 #7", 1u << 10 | 1u << 11 | 1u << 13 },
		{ "main 5@9", 1u << 10 | 1u << 13 | 1u << 14 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };
		struct op_model m = { 0 };
		struct op_pb_field f;
		uint32_t fields = 0;
		struct op_cur c;

		sketch_one(&m, &(struct sketch){ .samples = rows[i].samples });
		CHECK(!op_otep_arrays_encode(&m, NULL, &out));
		c = op_cur(op_pbw_result(&out), &err);
		/* Resource, scope, profile, type: each the last of its kind. */
		for (const uint32_t *at = (uint32_t[]){ 1, 2, 2, 14, 0 }; *at;
		     at++) {
			struct op_cur in = c;

			while (op_pb_next(&c, &f))
				if (f.num == *at && f.wire == OP_PB_LEN)
					in = op_pb_sub(&c, &f);
			c = in;
		}
		while (op_pb_next(&c, &f))
			fields |= f.num > 4 ? 1u << f.num : 0;
		CHECK_EQ(fields, rows[i].fields);
		op_pbw_free(&out);
		op_model_free(&m);
	}
}

TEST(oom)
{
	draft_oom(BOTH,
		  "1{ 1{ 1{ 1'h' 2{ 1'x' } } } 2{ 1{ 1'lib' } 2{ 1#01020304050"
		  "60708090a0b0c0d0e0f10 4{ 1'a' 2{ 1'b' } } 6'data' 14{ 1:2 "
		  "2:99 3:1 4:2 10[0 1 1] 11[0 1 0] 12[0 1 2] 13[1 2 3] "
		  "14[0 0 1700000000000] } 14{ 3:2 10[0] 13[1] } 7{ 1[0 1] } "
		  "7{} 8{ 4:1 5:2 6:1 7[1] } 9{ 3{} } 9{ 5[2] } 10{ 1:1 } 11{} "
		  "11{ 1#07000000000000000000000000000000 2#0700000000000000 } "
		  "12{} 12{ 1{ 1'k' 2{ 5{ 1{ 1'v' } } } } } 12{ 1{ 1'j' } } "
		  "13'' 13'cpu' 13'ns' } } }");
}

TEST_MAIN(reads_back, generated, losses, lists, oom)
