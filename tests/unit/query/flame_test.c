// SPDX-License-Identifier: Apache-2.0
#include "query/flame.h"

#include <stdlib.h>

#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

/* The tree as text: each node "name total/self", children in braces. */
static void put_node(struct op_buf *b, const struct op_flame *f, uint32_t id)
{
	const struct op_flame_node *n = &f->nodes.p[id];

	if (id) {
		op_buf_view(b, f->names.p[n->name].text);
		op_buf_byte(b, ' ');
	}
	op_buf_printf(b, "%lld/%lld", (long long)n->total, (long long)n->self);
	if (n->first_child == OP_NO_NODE)
		return;
	op_buf_z(b, " {");
	for (uint32_t c = n->first_child; c != OP_NO_NODE;
	     c = f->nodes.p[c].next) {
		CHECK_EQ(f->nodes.p[c].parent, id);
		op_buf_byte(b, ' ');
		put_node(b, f, c);
	}
	op_buf_z(b, " }");
}

/* The list of functions that samples have, as "name self/total". */
static void put_top(struct op_buf *b, struct op_flame *f, struct op_err *err)
{
	uint32_t nr = 0;
	uint32_t *top = op_flame_top(f, &nr, err);

	for (uint32_t i = 0; i < nr; i++) {
		const struct op_flame_name *n = &f->names.p[top[i]];

		op_buf_z(b, b->n ? " " : "");
		op_buf_view(b, n->text);
		op_buf_printf(b, " %lld/%lld", (long long)n->self,
			      (long long)n->total);
	}
}

static void check_flame(const char *name, const struct op_model *m,
			const char *tree, const char *top)
{
	int before = test_failed;
	struct op_err err = { 0 };
	struct op_flame f = { 0 };
	struct op_buf t = { .err = &err }, l = { .err = &err };

	CHECK_EQ(op_flame_build(&f, m, m->resources[0].scopes[0].profiles,
				&err),
		 OP_OK);
	CHECK_EQ(f.total, op_profile_total(m->resources[0].scopes[0].profiles));
	put_node(&t, &f, 0);
	op_buf_byte(&t, 0);
	CHECK_STR((char *)t.p, tree);
	put_top(&l, &f, &err);
	op_buf_byte(&l, 0);
	CHECK_STR((char *)l.p, top);
	if (test_failed != before)
		fprintf(stderr, "  in row '%s'\n", name);
	op_buf_free(&t);
	op_buf_free(&l);
	op_flame_free(&f);
}

static const struct {
	const char *name, *samples, *tree, *top;
} rows[] = {
	{ "empty profile", "", "0/0", "" },
	{ "one frame", "main 5", "5/0 { main 5/5 }", "main 5/5" },
	{ "self and total", "main 1\nmain;f 2\nmain;f;g 4",
	  "7/0 { main 7/1 { f 6/2 { g 4/4 } } }", "g 4/4 f 2/6 main 1/7" },
	{ "one function under two", "a;f 1\nb;f 2",
	  "3/0 { b 2/0 { f 2/2 } a 1/0 { f 1/1 } }", "f 3/3 b 0/2 a 0/1" },
	{ "larger child first", "m;a 1\nm;b 3\nm;c 2",
	  "6/0 { m 6/0 { b 3/3 c 2/2 a 1/1 } }", "b 3/3 c 2/2 a 1/1 m 0/6" },
	{ "equal children by name", "m;c 1\nm;a 1\nm;b 1",
	  "3/0 { m 3/0 { a 1/1 b 1/1 c 1/1 } }", "a 1/1 b 1/1 c 1/1 m 0/3" },
	{ "calls itself", "m;f;f;f 5",
	  "5/0 { m 5/0 { f 5/0 { f 5/0 { f 5/5 } } } }", "f 5/5 m 0/5" },
	{ "call each other", "a;b;a;b 3\na;b 2",
	  "5/0 { a 5/0 { b 5/2 { a 3/0 { b 3/3 } } } }", "b 5/5 a 0/5" },
	{ "calls itself in some", "f;f 1\nf 10\ng 100",
	  "111/0 { g 100/100 f 11/10 { f 1/1 } }", "g 100/100 f 11/11" },
	{ "empty stack", "- 5\nmain 1", "6/5 { main 1/1 }", "main 1/1" },
	{ "attributes do not matter", "f 1 k=a\nf 2 k=b\nf 4 #1",
	  "7/0 { f 7/7 }", "f 7/7" },
	{ "times are counted", "f 2@10 3@20\ng 1@30", "6/0 { f 5/5 g 1/1 }",
	  "f 5/5 g 1/1" },
	{ "times without values", "f 1@10 1@20\ng 1@30", "3/0 { f 2/2 g 1/1 }",
	  "f 2/2 g 1/1" },
	{ "negative values", "m;a -5\nm;b 2",
	  "-3/0 { m -3/0 { b 2/2 a -5/-5 } }", "b 2/2 m 0/-3 a -5/-5" },
	{ "values that cancel out", "m;a 5 k=1\nm;a -5 k=2\nm;b 1",
	  "1/0 { m 1/0 { b 1/1 } }", "b 1/1 m 0/1" },
	{ "values at the end of the range",
	  "a 9223372036854775807\nb 9223372036854775807",
	  "9223372036854775807/0 { a 9223372036854775807/9223372036854775807 "
	  "b 9223372036854775807/9223372036854775807 }",
	  "a 9223372036854775807/9223372036854775807 "
	  "b 9223372036854775807/9223372036854775807" },
};

TEST(trees)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .samples = rows[i].samples };
		struct op_model m;

		sketch_one(&m, &s);
		check_flame(rows[i].name, &m, rows[i].tree, rows[i].top);
		op_model_free(&m);
	}
}

/* Strings: 1 outer 2 inner 3 innermost 4 /usr/lib/libc.so 5 _sys. */
#define DICT(rows)                                                        \
	"2{ 1{} 1{ 1:1 2:9 4:4 } 4{} 5'' 5'outer' 5'inner' 5'innermost' " \
	"5'/usr/lib/libc.so' 5'_sys' 6{} 2{} 3{} 7{} " rows "} "
#define SAMPLE "1{ 2{ 2{ 2{ 1:1 4[5] } } } }"

static const struct {
	const char *name, *text, *tree, *top;
} frames[] = {
	{ "inlined calls are frames, the innermost stands first",
	  DICT("3{ 1:1 } 3{ 1:2 } 3{ 1:3 } 2{ 3{ 1:3 } 3{ 1:2 } 3{ 1:1 } } "
	       "7{ 1[1] }") SAMPLE,
	  "5/0 { outer 5/0 { inner 5/0 { innermost 5/5 } } }",
	  "innermost 5/5 inner 0/5 outer 0/5" },
	{ "inlined into itself",
	  DICT("3{ 1:1 } 2{ 3{ 1:1 } 3{ 1:1 } } 7{ 1[1] }") SAMPLE,
	  "5/0 { outer 5/0 { outer 5/5 } }", "outer 5/5" },
	{ "no name, but one in the binary",
	  DICT("3{ 2:5 } 2{ 3{ 1:1 } } 7{ 1[1] }") SAMPLE, "5/0 { _sys 5/5 }",
	  "_sys 5/5" },
	{ "both names", DICT("3{ 1:1 2:5 } 2{ 3{ 1:1 } } 7{ 1[1] }") SAMPLE,
	  "5/0 { outer 5/5 }", "outer 5/5" },
	{ "no function: module and address",
	  DICT("2{ 1:1 2:0x1234 } 7{ 1[1] }") SAMPLE,
	  "5/0 { libc.so+0x1234 5/5 }", "libc.so+0x1234 5/5" },
	{ "a function without a name",
	  DICT("3{ 3:4 } 2{ 1:1 2:0x1234 3{ 1:1 } } 7{ 1[1] }") SAMPLE,
	  "5/0 { libc.so+0x1234 5/5 }", "libc.so+0x1234 5/5" },
	{ "no module either",
	  DICT("2{ 2:0xffffffffffffffff } 7{ 1[1] }") SAMPLE,
	  "5/0 { 0xffffffffffffffff 5/5 }", "0xffffffffffffffff 5/5" },
	{ "one name at two addresses is one frame",
	  DICT("3{ 1:1 } 2{ 2:1 3{ 1:1 2:1 } } 2{ 2:2 3{ 1:1 2:2 } } "
	       "7{ 1[1] } 7{ 1[2] }") "1{ 2{ 2{ 2{ 1:1 4[5] } 2{ 1:2 4[6] } } "
				      "} }",
	  "11/0 { outer 11/11 }", "outer 11/11" },
	{ "a stack of nothing known", DICT("7{ 1[0] }") SAMPLE,
	  "5/0 { 0x0 5/5 }", "0x0 5/5" },
};

TEST(frames_shown)
{
	static struct wire w;

	for (size_t i = 0; i < op_countof(frames); i++) {
		struct op_model m;
		struct op_err err;

		wire_set(&w, frames[i].text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		if (err.code)
			continue;
		check_flame(frames[i].name, &m, frames[i].tree, frames[i].top);
		op_model_free(&m);
	}
}

/* Of a tree, a node's total is its self and its children's totals, and the
 * selves of all are the profile's total. */
TEST(sums)
{
	static char text[WIRE_MAX];
	static struct wire w;

	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct op_flame f = { 0 };
		struct op_model m;
		struct op_err err;
		int64_t *sums, selves = 0;

		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		CHECK_EQ(op_flame_build(&f, &m,
					m.resources[0].scopes[0].profiles,
					&err),
			 OP_OK);
		sums = calloc(f.nodes.n, sizeof(*sums));
		for (size_t i = f.nodes.n; i--;) {
			const struct op_flame_node *n = &f.nodes.p[i];

			CHECK_EQ(n->total, n->self + sums[i]);
			CHECK(n->parent < i || !i);
			if (i)
				sums[n->parent] += n->total;
			selves += n->self;
		}
		CHECK_EQ(selves, f.total);
		free(sums);
		op_flame_free(&f);
		op_model_free(&m);
	}
}

/* Of a gauge the last value counts, with the thread and without. */
TEST(gauge)
{
	static const struct sketch s = { .samples = "a 5@9 3@1\na;b 2@4 2@8",
					 .type = "inuse_space" };

	for (int threads = 0; threads < 2; threads++) {
		struct op_flame f = { .threads = threads };
		struct op_err err = { 0 };
		struct op_model m;

		sketch_one(&m, &s);
		CHECK_EQ(op_flame_build(&f, &m,
					m.resources[0].scopes[0].profiles,
					&err),
			 OP_OK);
		CHECK_EQ(f.total, 7);
		op_flame_free(&f);
		op_model_free(&m);
	}
}

/* Without the tree the list of functions is the same. */
TEST(names_only)
{
	struct sketch s = { .samples = "main 1\nmain;f 2\nmain;f;main 3\nh 4" };
	struct op_err err = { 0 };
	struct op_buf a = { .err = &err }, b = { .err = &err };
	struct op_flame tree = { 0 }, list = { .names_only = true };
	const struct op_profile *p;
	struct op_model m;

	sketch_one(&m, &s);
	p = m.resources[0].scopes[0].profiles;
	CHECK_EQ(op_flame_build(&tree, &m, p, &err), OP_OK);
	CHECK_EQ(op_flame_build(&list, &m, p, &err), OP_OK);
	put_top(&a, &tree, &err);
	put_top(&b, &list, &err);
	CHECK(a.n && op_view_eq(op_view(a.p, a.n), op_view(b.p, b.n)));
	CHECK_EQ(list.nodes.n, 1);
	CHECK_EQ(list.total, tree.total);
	op_buf_free(&a);
	op_buf_free(&b);
	op_flame_free(&tree);
	op_flame_free(&list);
	op_model_free(&m);
}

/* A row a way to ask for the tree; the samples are the same. */
TEST(ways)
{
	static const struct {
		bool origins, threads;
		const char *tree;
	} ways[] = {
		{ false, false, "15/0 { main 15/1 { f 14/14 } }" },
		{ true, false, "15/0 { main 15/1 { f 14/14 } }" },
		{ false, true,
		  "15/0 { thread 7 8/0 { main 8/0 { f 8/8 } } "
		  "a 6/0 { main 6/0 { f 6/6 } } "
		  "[no thread] 1/0 { main 1/1 } }" },
	};
	struct sketch s = { .samples = "main 1\n"
				       "main;f 2 thread.name=a k=1\n"
				       "main;f 4 thread.name=a k=2\n"
				       "main;f 8 thread.id=7" };
	struct op_model m;

	sketch_one(&m, &s);
	for (size_t i = 0; i < op_countof(ways); i++) {
		struct op_flame f = { .origins = ways[i].origins,
				      .threads = ways[i].threads };
		struct op_err err = { 0 };
		struct op_buf t = { .err = &err };

		CHECK_EQ(op_flame_build(&f, &m,
					m.resources[0].scopes[0].profiles,
					&err),
			 OP_OK);
		put_node(&t, &f, 0);
		op_buf_byte(&t, 0);
		CHECK_STR((char *)t.p, ways[i].tree);
		op_buf_free(&t);
		op_flame_free(&f);
	}
	op_model_free(&m);
}

/* Where stacks end: those that add up to nothing end somewhere, too. */
TEST(leaves)
{
	struct sketch s = { .samples = "main;f 2 thread.name=a\n"
				       "main;f 3 thread.name=b\n"
				       "main;g 0\n- 1" };
	static const struct {
		bool threads;
		const char *want[4];
	} ways[] = {
		{ false, { "f", "f", "g", "" } },
		{ true, { "f", "f", "g", "[no thread]" } },
	};
	const struct op_profile *p;
	struct op_model m;

	sketch_one(&m, &s);
	p = m.resources[0].scopes[0].profiles;
	for (size_t k = 0; k < op_countof(ways); k++) {
		struct op_flame f = { .leaves = true,
				      .threads = ways[k].threads };
		struct op_err err = { 0 };

		CHECK_EQ(op_flame_build(&f, &m, p, &err), OP_OK);
		for (uint32_t i = 0; i < p->nr_samples; i++) {
			uint32_t leaf = f.leaf[f.threads ? i : p->stack[i]];
			struct op_view name = { 0 };

			CHECK(leaf < f.nodes.n);
			if (leaf)
				name = f.names.p[f.nodes.p[leaf].name].text;
			CHECK(op_view_is(name, ways[k].want[i]));
		}
		op_flame_free(&f);
	}
	op_model_free(&m);
}

/* Functions of one name in two modules; inner is inlined into outer, once. */
TEST(origins)
{
	static struct wire w;
	struct op_flame f = { .origins = true };
	struct op_model m;
	struct op_err err;
	int64_t inlined = 0;

	wire_set(
		&w,
		"1{ 2{ 2{ 2{ 1:1 4[5] } 2{ 1:2 4[6] } 2{ 1:3 4[7] } } } }" DICT(
			"1{ 4:3 } 3{ 1:1 3:5 } 3{ 1:2 } "
			"2{ 1:1 3{ 1:2 } 3{ 1:1 } } 2{ 1:1 3{ 1:1 } } "
			"2{ 1:2 3{ 1:1 } } 7{ 1[1] } 7{ 1[2] } 7{ 1[3] }"));
	CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
	CHECK_EQ(op_flame_build(&f, &m, m.resources[0].scopes[0].profiles,
				&err),
		 OP_OK);
	CHECK_EQ(f.nodes.n, 4);
	CHECK_EQ(f.origin.n, f.names.n);
	for (size_t i = 1; i < f.nodes.n; i++) {
		const struct op_flame_node *n = &f.nodes.p[i];
		const struct op_frame_origin *o = &f.origin.p[n->name];

		inlined += n->inlined;
		if (op_view_is(f.names.p[n->name].text, "inner"))
			CHECK_EQ(n->inlined, 5);
		else
			CHECK(op_view_is(o->file, "_sys"));
		CHECK(op_view_is(o->module, n->total == 7 ?
						    "innermost" :
						    "/usr/lib/libc.so"));
	}
	CHECK_EQ(inlined, 5);
	op_flame_free(&f);
	op_model_free(&m);
}

/* One after the other, with the names of the first. */
TEST(built_again)
{
	struct sketch s[] = { { .samples = "main;f 2", .type = "a" },
			      { .samples = "main;g 3", .type = "b" } };
	struct op_flame f = { 0 };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	const struct op_profile *p;
	size_t nr;

	CHECK_EQ(sketch_model(&m, s, 2, &err), OP_OK);
	p = m.resources[0].scopes[0].profiles;
	CHECK_EQ(op_flame_build(&f, &m, p, &err), OP_OK);
	nr = f.names.n;
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(op_flame_build(&f, &m, p + 1, &err), OP_OK);
		CHECK_EQ(f.names.n, nr);
		CHECK_EQ(f.total, 3);
		CHECK_EQ(f.nodes.n, 3);
	}
	op_flame_free(&f);
	op_model_free(&m);
}

TEST(each_allocation_fails)
{
	struct sketch s = { .samples = "main 1\nmain;f 2\nmain;g 3\nh 4" };
	struct op_model m;

	sketch_one(&m, &s);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_flame f = { .origins = true, .threads = true };
		uint32_t nr;
		int code = op_flame_build(
			&f, &m, m.resources[0].scopes[0].profiles, &err);

		CHECK(code == err.code);
		if (!code)
			CHECK_EQ(op_flame_top(&f, &nr, &err) == NULL,
				 err.code != 0);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_flame_free(&f);
	}
	op_model_free(&m);
}

/* The tree by labels and parts of frames. */
static void check_by(const struct sketch *s, size_t n, const char *by_text,
		     bool inverted, const char *tree)
{
	struct op_err err = { 0 };
	struct op_flame f = { .inverted = inverted, .by_size = true };
	struct op_buf t = { .err = &err };
	struct op_group_by by;
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, n, &err), OP_OK);
	CHECK_EQ(op_group_by_parse(&by, by_text, &err), OP_OK);
	CHECK_EQ(op_flame_build_by(&f, &m, m.resources[0].scopes[0].profiles,
				   &by, &err),
		 OP_OK);
	put_node(&t, &f, 0);
	op_buf_byte(&t, 0);
	CHECK_STR((char *)t.p, tree);
	op_buf_free(&t);
	op_flame_free(&f);
	op_model_free(&m);
}

TEST(by)
{
	static const struct sketch two[] = {
		{ .samples = "m;f 5 thread.name=x\nm 2 thread.name=y\n- 1" },
		{ .samples = "m 9", .type = "wall" },
		{ .samples = "m;f;g 3", .resource = "service.name=b" },
	};
	static const struct sketch loops[] = {
		{ .samples = "m;f;f 5\nm;f 1\nm;g;f -2" },
	};

	check_by(two, 3, NULL, false,
		 "11/0 { m 10/2 { f 8/5 { g 3/3 } } (no stack) 1/1 }");
	check_by(two, 3, NULL, true,
		 "11/0 { f 5/5 { m 5/0 } g 3/3 { f 3/0 { m 3/0 } } m 2/2 "
		 "(no stack) 1/1 }");
	check_by(two, 3, "thread", false,
		 "11/0 { x 5/5 (no thread) 4/4 y 2/2 }");
	check_by(two, 3, "thread,function", false,
		 "11/0 { x 5/0 { m 5/0 { f 5/5 } } (no thread) 4/0 { "
		 "m 3/0 { f 3/0 { g 3/3 } } (no stack) 1/1 } y 2/0 { "
		 "m 2/2 } }");
	check_by(loops, 1, NULL, false,
		 "4/0 { m 4/0 { f 6/1 { f 5/5 } g -2/0 { f -2/-2 } } }");
	check_by(loops, 1, NULL, true,
		 "4/0 { f 4/4 { f 5/0 { m 5/0 } g -2/0 { m -2/0 } m 1/0 } }");
}

/* By functions it is the tree of the only profile. */
TEST(by_is_the_same)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct sketch s = { .samples = rows[i].samples };

		if (!strstr(rows[i].name, "empty stack") &&
		    !strstr(rows[i].name, "negative"))
			check_by(&s, 1, NULL, false, rows[i].tree);
	}
}

TEST_MAIN(by, by_is_the_same, trees, frames_shown, sums, gauge, names_only,
	  leaves, ways, origins, built_again, each_allocation_fails)
