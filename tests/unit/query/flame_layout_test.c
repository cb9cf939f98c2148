// SPDX-License-Identifier: Apache-2.0
#include "query/flame_layout.h"

#include "random.h"
#include "test.h"
#include "write/sketch.h"

struct graph {
	struct op_model m;
	struct op_flame f;
	struct op_flame_layout l;
	struct op_err err;
};

static void graph_make(struct graph *g, const char *samples, uint32_t width)
{
	struct sketch s = { .samples = samples };

	*g = (struct graph){ .f.by_size = true, .l.width = width };
	sketch_one(&g->m, &s);
	CHECK_EQ(op_flame_build(&g->f, &g->m,
				g->m.resources[0].scopes[0].profiles, &g->err),
		 OP_OK);
	CHECK_EQ(op_flame_layout(&g->l, &g->f, &g->err), OP_OK);
}

static void graph_free(struct graph *g)
{
	op_flame_layout_free(&g->l);
	op_flame_free(&g->f);
	op_model_free(&g->m);
}

static struct op_view name_of(const struct graph *g, uint32_t cell)
{
	uint32_t node = g->l.cells.p[cell].node;

	return node ? g->f.names.p[g->f.nodes.p[node].name].text :
		      op_view_z("all");
}

/* The cell with a name; the first. */
static uint32_t cell(const struct graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->l.cells.n; i++)
		if (op_view_is(name_of(g, i), name))
			return i;
	TEST_FAIL("no cell '%s'", name);
	return 0;
}

/* The layout as text: "name x+width", rows after a slash, then what is hidden.
 */
static void check_layout(const struct graph *g, const char *name,
			 const char *want)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	const struct op_flame_layout *l = &g->l;

	for (uint32_t i = 0; i < l->cells.n; i++) {
		struct op_view v = name_of(g, i);

		if (i)
			op_buf_z(&b, l->rows.p[l->cells.p[i].row] == i ? " / " :
									 " ");
		op_buf_printf(&b, "%.*s %u+%u", (int)v.n, (const char *)v.p,
			      l->cells.p[i].x, l->cells.p[i].width);
	}
	if (l->narrow.nr)
		op_buf_printf(&b, " narrow %u:%d", (unsigned int)l->narrow.nr,
			      (int)l->narrow.total);
	if (l->negative.nr)
		op_buf_printf(&b, " negative %u:%d",
			      (unsigned int)l->negative.nr,
			      (int)l->negative.total);
	op_buf_byte(&b, 0);
	if (strcmp((char *)b.p, want))
		TEST_FAIL("%s: %s", name, (char *)b.p);
	op_buf_free(&b);
}

TEST(places)
{
	static const struct {
		const char *name, *samples;
		uint32_t width;
		const char *want;
	} rows[] = {
		{ "empty", "", 10, "all 0+10" },
		{ "one", "f 1", 10, "all 0+10 / f 0+10" },
		{ "self leaves a gap", "m;f 1\nm 1", 10,
		  "all 0+10 / m 0+10 / f 0+5" },
		{ "larger on the left", "m;f 1\nm;g 3", 8,
		  "all 0+8 / m 0+8 / g 0+6 f 6+2" },
		{ "rounded, without a hole", "a 1\nb 1\nc 1", 10,
		  "all 0+10 / a 0+3 b 3+4 c 7+3" },
		{ "exactly one column", "a 9\nb 1", 10,
		  "all 0+10 / a 0+9 b 9+1" },
		{ "narrow", "a 18\nb 1\nb;c 1", 10,
		  "all 0+10 / a 0+9 b 9+1 narrow 1:1" },
		{ "a narrow branch", "a 198\nb;c 1\nb;d 1", 10,
		  "all 0+10 / a 0+10 narrow 3:2" },
		{ "negative", "m;a 6\nm;b -2\nm;b;c -1", 10,
		  "all 0+10 / m 0+10 / a 0+10 negative 2:-3" },
		{ "nothing but negative", "a -6", 10,
		  "all 0+10 negative 1:-6" },
		{ "no width", "a 2\nb 1", 0, "all 0+1 narrow 2:3" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct graph g;

		graph_make(&g, rows[i].samples, rows[i].width);
		check_layout(&g, rows[i].name, rows[i].want);
		graph_free(&g);
	}
}

static const char calls[] = "main;parse;read 50\nmain;parse;lex 30\n"
			    "main;draw;read 16\nmain;draw;fill 4";

TEST(zoom)
{
	struct graph g;

	graph_make(&g, calls, 20);
	check_layout(&g, "all",
		     "all 0+20 / main 0+20 / parse 0+16 draw 16+4 / "
		     "read 0+10 lex 10+6 read 16+3 narrow 1:4");
	g.l.root = g.l.cells.p[cell(&g, "draw")].node;
	CHECK_EQ(op_flame_layout(&g.l, &g.f, &g.err), OP_OK);
	check_layout(&g, "draw",
		     "all 0+20 / main 0+20 / draw 0+20 / read 0+16 fill 16+4");
	graph_free(&g);
}

TEST(moves)
{
	static const struct {
		const char *from;
		enum op_flame_move to;
		const char *want;
	} rows[] = {
		{ "all", OP_FLAME_CALLER, "all" },
		{ "all", OP_FLAME_CALLEE, "main" },
		{ "all", OP_FLAME_LEFT, "all" },
		{ "all", OP_FLAME_RIGHT, "all" },
		{ "parse", OP_FLAME_LEFT, "parse" },
		{ "parse", OP_FLAME_RIGHT, "draw" },
		{ "draw", OP_FLAME_LEFT, "parse" },
		{ "draw", OP_FLAME_RIGHT, "draw" },
		{ "draw", OP_FLAME_CALLER, "main" },
		{ "parse", OP_FLAME_CALLEE, "read" },
		{ "lex", OP_FLAME_CALLER, "parse" },
		{ "lex", OP_FLAME_CALLEE, "lex" },
	};
	struct graph g;
	uint32_t fill = 0;

	graph_make(&g, calls, 20);
	for (size_t i = 0; i < op_countof(rows); i++) {
		uint32_t to = op_flame_move(&g.l, &g.f, cell(&g, rows[i].from),
					    rows[i].to);

		if (!op_view_is(name_of(&g, to), rows[i].want))
			TEST_FAIL("row %zu", i);
	}
	/* A frame without a cell is found by its caller. */
	for (uint32_t i = 1; i < g.f.nodes.n; i++)
		if (op_view_is(g.f.names.p[g.f.nodes.p[i].name].text, "fill"))
			fill = i;
	CHECK_EQ(op_flame_cell_of(&g.l, &g.f, fill), cell(&g, "draw"));
	CHECK_EQ(op_flame_cell_of(&g.l, &g.f, 0), 0);
	CHECK(op_flame_is_below(&g.f, fill, 0));
	CHECK(!op_flame_is_below(&g.f, 0, fill));
	graph_free(&g);
}

TEST(search)
{
	struct op_flame_search s = { 0 };
	struct graph g;
	uint32_t first, second;

	graph_make(&g, calls, 20);
	CHECK_EQ(op_flame_next_hit(&g.l, &g.f, &s, 0, false), OP_NO_CELL);
	CHECK_EQ(op_flame_search(&s, &g.f, "read", &g.err), OP_OK);
	CHECK_EQ(s.nr, 2);
	CHECK_EQ(s.total, 66);
	first = op_flame_next_hit(&g.l, &g.f, &s, 0, false);
	second = op_flame_next_hit(&g.l, &g.f, &s, first, false);
	CHECK_EQ(first, cell(&g, "read"));
	CHECK(second > first);
	CHECK_EQ(op_flame_next_hit(&g.l, &g.f, &s, second, false), first);
	CHECK_EQ(op_flame_next_hit(&g.l, &g.f, &s, first, true), second);
	/* What is below a match is not added again. */
	CHECK_EQ(op_flame_search(&s, &g.f, "a", &g.err), OP_OK);
	CHECK_EQ(s.nr, 5);
	CHECK_EQ(s.total, 100);
	CHECK_EQ(op_flame_search(&s, &g.f, "none", &g.err), OP_OK);
	CHECK_EQ(s.nr, 0);
	CHECK_EQ(op_flame_next_hit(&g.l, &g.f, &s, 0, false), OP_NO_CELL);
	op_flame_search_free(&s);
	graph_free(&g);
}

TEST(names)
{
	static const struct {
		const char *name;
		size_t n;
		const char *want;
	} rows[] = {
		{ "main", 2, "main" },
		{ "java.util.HashMap.get", 40, "java.util.HashMap.get" },
		{ "java.util.HashMap.get", 15, "HashMap.get" },
		{ "java.util.HashMap.get", 4, "get" },
		{ "ns::Class::method", 13, "Class::method" },
		{ "ns::f<a::b>(c::d)", 4, "f<a::b>(c::d)" },
		{ "github.com/x/y.(*T).f", 7, "(*T).f" },
		{ "f.isra.0", 3, "f.isra.0" },
		{ "f.cold", 3, "f.cold" },
		{ "libc.so.6+0x12", 3, "libc.so.6+0x12" },
		{ "a.", 1, "a." },
		{ "..", 1, ".." },
		{ "", 0, "" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		if (!op_view_is(op_flame_short(op_view_z(rows[i].name),
					       rows[i].n),
				rows[i].want))
			TEST_FAIL("%s", rows[i].name);
}

/* Cells of a row do not overlap, and lie below their callers. */
TEST(any_tree)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		uint64_t r = seed;
		char text[4096];
		size_t n = 0;
		struct graph g;

		for (uint32_t i = random_below(&r, 40); i--;)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s%c;%c;%c %d", n ? "\n" : "",
					      'a' + (int)random_below(&r, 4),
					      'a' + (int)random_below(&r, 6),
					      'a' + (int)random_below(&r, 9),
					      (int)random_below(&r, 999) -
						      (seed % 3 ? 0 : 300));
		text[n] = 0;
		graph_make(&g, text, 1 + random_below(&r, 120));
		for (uint32_t i = 1; i < g.l.cells.n; i++) {
			const struct op_flame_cell *c = &g.l.cells.p[i];
			const struct op_flame_cell *before = c - 1, *up;

			up = &g.l.cells.p[op_flame_move(&g.l, &g.f, i,
							OP_FLAME_CALLER)];
			CHECK(c->width >= 1);
			CHECK(before->row != c->row ||
			      before->x + before->width <= c->x);
			CHECK_EQ(up->row + 1, c->row);
			CHECK(up->x <= c->x &&
			      c->x + c->width <= up->x + up->width);
		}
		graph_free(&g);
	}
}

TEST(no_memory)
{
	struct op_flame_search s = { 0 };
	struct graph g;

	graph_make(&g, calls, 20);
	op_flame_layout_free(&g.l);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };

		g.l.width = 20;
		if (!op_flame_layout(&g.l, &g.f, &err))
			op_flame_search(&s, &g.f, "a", &err);
		if (err.code)
			CHECK_EQ(err.code, OP_ENOMEM);
		op_flame_search_free(&s);
		op_flame_layout_free(&g.l);
	}
	graph_free(&g);
}

TEST_MAIN(places, zoom, moves, search, names, any_tree, no_memory)
