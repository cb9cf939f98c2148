// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/stack_tree.h: stacks that grow at the leaf, for readers of traces.
 *
 * A node is a stack: its parent's with one frame more, which the reader has a
 * number for. Node 0 is the stack without frames. The model's rows are made
 * when a stack is first asked for: many are only passed through, and a model
 * has no rows that nothing leads to.
 */
#ifndef OP_FMT_VIEWER_STACK_TREE_H
#define OP_FMT_VIEWER_STACK_TREE_H

#include "fmt/format.h"
#include "model/builder.h"

/* A node below this is its parent: the size of stacks of a deep tree would
 * grow with the square of the input. */
enum { OP_TREE_DEPTH = 2048 };

/* The builder's location of a frame. */
typedef uint32_t op_tree_location(void *ctx, uint32_t frame);

struct op_tree_node {
	uint32_t parent;
	uint32_t frame;
	uint32_t depth;
	uint32_t stack; /* of the builder; OP_NO_ID: not made yet */
	uint32_t last;	/* child that was asked for last; 0: none */
};

struct op_stack_tree {
	struct op_builder *b;
	struct op_arena *mem; /* the tree's own */
	op_tree_location *location;
	void *ctx;
	struct op_intern index;
	OP_VEC(struct op_tree_node) nodes;
	struct op_id_vec path;
	bool is_cut; /* some stack was too deep */
};

/* mem records in the builder's error. After a failure every node is 0. */
void op_tree_init(struct op_stack_tree *t, struct op_builder *b,
		  struct op_arena *mem, op_tree_location *location, void *ctx);

uint32_t op_tree_find(struct op_stack_tree *t, uint32_t node, uint32_t frame);

/* The child of a node. */
op_inline uint32_t op_tree_child(struct op_stack_tree *t, uint32_t node,
				 uint32_t frame)
{
	const struct op_tree_node *n;

	if (op_unlikely(t->b->err->code))
		return 0;
	n = &t->nodes.p[node];
	if (op_likely(n->last && t->nodes.p[n->last].frame == frame))
		return n->last;
	return op_tree_find(t, node, frame);
}

/* The builder's stack. */
uint32_t op_tree_stack(struct op_stack_tree *t, uint32_t node);

/* Tells of stacks that were cut. opts may be NULL. */
void op_tree_note(const struct op_stack_tree *t,
		  const struct op_read_opts *opts);

/* --- nodes that a file names --- */

/* A call tree as files have it: nodes with a key, each with the key of its
 * parent, in any order. */
struct op_call_row {
	struct op_view key;
	uint32_t parent; /* row; OP_NO_ID: none */
	uint32_t frame;
	uint32_t node; /* of the tree, or one of the two below */
	bool has_frame;
	bool is_defined; /* for the reader: it was there */
};

enum { OP_CALL_NEW = UINT32_MAX, OP_CALL_OPEN = UINT32_MAX - 1 };

struct op_call_tree {
	struct op_stack_tree *tree;
	struct op_intern index;
	OP_VEC(struct op_call_row) rows;
	struct op_id_vec path;
};

/* The row of a key, made if there is none; OP_NO_ID after a failure. */
uint32_t op_call_row(struct op_call_tree *c, struct op_view key);

/* What it is in the tree. A row without a frame is its parent. OP_NO_ID if
 * parents form a circle. */
uint32_t op_call_node(struct op_call_tree *c, uint32_t row);

#endif
