// SPDX-License-Identifier: Apache-2.0
#include "model/select.h"

#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

static const struct {
	struct sketch s;
	const char *types;
	bool selected;
} types[] = {
	{ { 0 }, NULL, true },
	{ { 0 }, "cpu", true },
	{ { 0 }, "cpu/nanoseconds", true },
	{ { 0 }, "cpu/count", false },
	{ { 0 }, "cpu/", false },
	{ { 0 }, "cp", false },
	{ { 0 }, "cpux", false },
	{ { 0 }, "nanoseconds", false },
	{ { 0 }, "", false },
	{ { 0 }, ",", false },
	{ { 0 }, "wall,cpu", true },
	{ { 0 }, "wall,cpu/nanoseconds", true },
	{ { 0 }, "cpu,wall", true },
	{ { 0 }, "wall,alloc", false },
	{ { .attrs = "otprof.event.type=jdk.Park" }, "jdk.Park", true },
	{ { .attrs = "otprof.event.type=jdk.Park" }, "cpu", true },
	{ { .attrs = "perf.event=cycles:u" }, "cycles:u", true },
	{ { .attrs = "event_type=x" }, "a,x", true },
	{ { .attrs = "eventual=x" }, "x", false },
	{ { .attrs = "event=x/y" }, "cpu/nanoseconds/x/y", true },
	{ { .attrs = "event=x/y" }, "cpu/nanoseconds/x", false },
	{ { .attrs = "event=x/y" }, "cpu/nanoseconds/", false },
	{ { .attrs = "event=x/y" }, "cpu/x/y", false },
	{ { .attrs = "event=x,y" }, "x,y", true },
	{ { .attrs = "event=x,y" }, "cpu/nanoseconds/x,y", true },
	{ { .attrs = "event=x,y" }, "wall,x,y", false },
	{ { .attrs = "event=x" }, "cpu/nanoseconds/x/", true },
	{ { .attrs = "event=x", .period_type = "wall" },
	  "cpu/nanoseconds/x/wall",
	  true },
	{ { .attrs = "event=x", .period_type = "wall" },
	  "cpu/nanoseconds/x/cpu",
	  false },
	{ { .attrs = "event=x", .period_type = "wall" },
	  "cpu/nanoseconds/x/",
	  false },
	{ { .period_type = "wall" }, "cpu/nanoseconds//wall", true },
	{ { 0 }, "cpu/nanoseconds/", true },
	{ { 0 }, "cpu/nanosecondsx", false },
	{ { .type = "", .unit = "" }, "/", true },
	{ { .type = "", .unit = "" }, "", false },
};

TEST(types_selected)
{
	for (size_t i = 0; i < op_countof(types); i++) {
		struct op_model m;
		int before = test_failed;

		sketch_one(&m, &types[i].s);
		CHECK_EQ(op_type_selected(&m, m.resources[0].scopes[0].profiles,
					  types[i].types),
			 types[i].selected);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s'\n", types[i].types);
		op_model_free(&m);
	}
}

TEST(types_there_are)
{
	static const struct sketch three[] = {
		{ .samples = "f 1" },
		{ .samples = "f 1", .type = "wall", .unit = "ms" },
		{ .samples = "g 1", .resource = "host=b" },
	};
	struct op_err err = { 0 }, none = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, three, 3, &err), OP_OK);
	CHECK_EQ(op_type_fail(&m, "alloc", &err), OP_EUSAGE);
	CHECK_STR(err.text, "no profile of type 'alloc': there is "
			    "cpu/nanoseconds, wall/ms");
	op_model_free(&m);
	CHECK_EQ(sketch_model(&m, NULL, 0, &none), OP_OK);
	CHECK_EQ(op_type_fail(&m, "alloc", &none), OP_EUSAGE);
	CHECK(strstr(none.text, "there are no profiles"));
	op_model_free(&m);
}

/* Strings 1 to 6: name, system, file, binary, other, symbol. Stack 1 has it
 * all in two inlined calls, stack 2 only a mapping, stack 3 nothing. */
static const char frames[] =
	"2{ 1{} 1{ 4:4 } 2{} 2{ 1:1 3{ 1:2 } 3{ 1:1 } } 2{ 1:1 2:1 } 2{ 2:9 } "
	"3{} 3{ 1:1 2:2 3:3 } 3{ 1:5 } 4{} 5'' 5'name' 5'system' 5'file' "
	"5'binary' 5'other' 6{} 7{} 7{ 1[1] } 7{ 1[2] } 7{ 1[3] } } ";

static const struct {
	const char *pattern;
	unsigned int stacks; /* a bit each */
} patterns[] = {
	{ "name", 1 << 1 },	  { "system", 1 << 1 },
	{ "file", 1 << 1 },	  { "binary", 1 << 1 | 1 << 2 },
	{ "other", 1 << 1 },	  { "nowhere", 0 },
	{ "y", 1 << 1 | 1 << 2 },
};

TEST(frames_that_match)
{
	static struct wire w;
	struct op_err err = { 0 };
	struct op_model m;

	wire_set(&w, frames);
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	for (size_t i = 0; i < op_countof(patterns); i++) {
		struct op_frame_match f;

		CHECK_EQ(op_frame_match_init(&f, &m, patterns[i].pattern, &err),
			 OP_OK);
		for (int again = 0; again < 2; again++)
			for (uint32_t s = 0; s < 4; s++)
				CHECK_EQ(op_frame_match(&f, s, &err),
					 patterns[i].stacks >> s & 1);
		op_frame_match_fini(&f);
	}
	op_model_free(&m);
}

TEST(each_alloc_fails)
{
	struct sketch s = { .samples = "main;work 1" };
	struct op_model m;

	sketch_one(&m, &s);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_frame_match f;

		if (!op_frame_match_init(&f, &m, "work", &err))
			op_frame_match(&f, 1, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_frame_match_fini(&f);
		op_type_fail(&m, "x", &err);
	}
	op_model_free(&m);
}

TEST_MAIN(types_selected, types_there_are, frames_that_match, each_alloc_fails)
