// SPDX-License-Identifier: Apache-2.0
#include "fmt/viewer/stack_tree.h"

#include "test.h"

/* A tree whose frames are addresses, and the model that it is built for. */
struct grove {
	struct op_model m;
	struct op_err err;
	struct op_builder b;
	struct op_arena mem;
	struct op_stack_tree t;
	struct op_call_tree calls;
	int nr_asked; /* for locations */
};

static uint32_t location(void *ctx, uint32_t frame)
{
	struct grove *g = ctx;
	struct op_location l = { .address = frame };

	g->nr_asked++;
	return op_build_location(&g->b, &l, NULL, 0);
}

static void grove_begin(struct grove *g)
{
	*g = (struct grove){ .mem.err = &g->err };
	CHECK_EQ(op_builder_init(&g->b, &g->m, &g->err), OP_OK);
	op_tree_init(&g->t, &g->b, &g->mem, location, g);
	g->calls.tree = &g->t;
}

static void grove_end(struct grove *g)
{
	op_arena_free(&g->mem);
	op_model_free(&g->m);
}

TEST(children)
{
	uint32_t a, b, c;
	struct grove g;

	grove_begin(&g);
	a = op_tree_child(&g.t, 0, 10);
	b = op_tree_child(&g.t, a, 20);
	c = op_tree_child(&g.t, 0, 20);
	CHECK(a && b && c && a != b && b != c && a != c);
	/* Asked for again, also out of turn. */
	CHECK_EQ(op_tree_child(&g.t, 0, 10), a);
	CHECK_EQ(op_tree_child(&g.t, 0, 20), c);
	CHECK_EQ(op_tree_child(&g.t, a, 20), b);
	CHECK_EQ(g.t.nodes.p[b].depth, 2);
	/* Rows are made only of what a stack has. */
	CHECK_EQ(g.nr_asked, 0);
	CHECK_EQ(op_builder_finish(&g.b), OP_OK);
	grove_end(&g);
}

TEST(stacks)
{
	uint32_t a, b, stack;
	struct op_ids ids;
	struct grove g;

	grove_begin(&g);
	a = op_tree_child(&g.t, 0, 10);
	b = op_tree_child(&g.t, a, 20);
	stack = op_tree_stack(&g.t, b);
	CHECK(stack);
	CHECK_EQ(op_tree_stack(&g.t, b), stack);
	CHECK(op_tree_stack(&g.t, a) != stack);
	CHECK_EQ(op_tree_stack(&g.t, 0), 0);
	CHECK_EQ(op_builder_finish(&g.b), OP_OK);
	/* The leaf is first. */
	ids = op_list(&g.m.dict.stacks, stack);
	CHECK_EQ(ids.n, 2);
	CHECK_EQ(g.m.dict.locations[ids.p[0]].address, 20);
	CHECK_EQ(g.m.dict.locations[ids.p[1]].address, 10);
	grove_end(&g);
}

static void count(void *ctx, const char *text)
{
	++*(int *)ctx;
	CHECK_STR(text,
		  "stacks of more than 2048 frames are truncated at the leaf");
}

/* Below the deepest node there is only itself. */
TEST(too_deep)
{
	int nr = 0;
	struct op_read_opts opts = { .note = count, .note_ctx = &nr };
	uint32_t node = 0, child;
	struct grove g;

	grove_begin(&g);
	for (uint32_t i = 0; i < OP_TREE_DEPTH; i++) {
		child = op_tree_child(&g.t, node, i % 2);
		CHECK(child != node);
		node = child;
	}
	op_tree_note(&g.t, &opts);
	CHECK_EQ(nr, 0);
	CHECK_EQ(op_tree_child(&g.t, node, 5), node);
	op_tree_note(&g.t, &opts);
	CHECK_EQ(nr, 1);
	CHECK_EQ(op_builder_finish(&g.b), OP_OK);
	grove_end(&g);
}

static uint32_t row(struct grove *g, const char *key, const char *parent,
		    uint32_t frame)
{
	uint32_t up = *parent ? op_call_row(&g->calls, op_view_z(parent)) :
				OP_NO_ID;
	uint32_t id = op_call_row(&g->calls, op_view_z(key));

	g->calls.rows.p[id].parent = up;
	g->calls.rows.p[id].frame = frame;
	g->calls.rows.p[id].has_frame = frame;
	return id;
}

/* Rows name their parents in any order; one without a frame is its parent. */
TEST(rows_of_a_file)
{
	uint32_t leaf, bare, root, node;
	struct grove g;

	grove_begin(&g);
	leaf = row(&g, "leaf", "bare", 20);
	bare = row(&g, "bare", "root", 0);
	root = row(&g, "root", "", 10);
	node = op_call_node(&g.calls, leaf);
	CHECK_EQ(op_call_row(&g.calls, op_view_z("leaf")), leaf);
	CHECK_EQ(op_call_node(&g.calls, root), op_tree_child(&g.t, 0, 10));
	CHECK_EQ(op_call_node(&g.calls, bare), op_tree_child(&g.t, 0, 10));
	CHECK_EQ(g.t.nodes.p[node].parent, op_call_node(&g.calls, root));
	CHECK_EQ(op_builder_finish(&g.b), OP_OK);
	grove_end(&g);
}

TEST(circles)
{
	uint32_t a, b, own, below;
	struct grove g;

	grove_begin(&g);
	a = row(&g, "a", "b", 1);
	b = row(&g, "b", "a", 2);
	own = row(&g, "own", "own", 3);
	below = row(&g, "below", "a", 4);
	CHECK_EQ(op_call_node(&g.calls, a), OP_NO_ID);
	CHECK_EQ(op_call_node(&g.calls, b), OP_NO_ID);
	CHECK_EQ(op_call_node(&g.calls, own), OP_NO_ID);
	CHECK_EQ(op_call_node(&g.calls, below), OP_NO_ID);
	CHECK_EQ(op_builder_finish(&g.b), OP_OK);
	grove_end(&g);
}

TEST(each_allocation_fails)
{
	EACH_ALLOC_FAILS(k) {
		struct grove g = { .mem.err = &g.err };
		uint32_t node;

		if (op_builder_init(&g.b, &g.m, &g.err)) {
			CHECK(op_alloc_failed());
			op_model_free(&g.m);
			continue;
		}
		op_tree_init(&g.t, &g.b, &g.mem, location, &g);
		node = op_tree_child(&g.t, 0, 10);
		node = op_tree_child(&g.t, node, 20);
		op_tree_stack(&g.t, node);
		CHECK_EQ(op_builder_finish(&g.b),
			 op_alloc_failed() ? OP_ENOMEM : OP_OK);
		grove_end(&g);
	}
}

TEST_MAIN(children, stacks, too_deep, rows_of_a_file, circles,
	  each_allocation_fails)
