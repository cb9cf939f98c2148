// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/stack_tree.c: builds stacks from trees of calls. */
#include "fmt/viewer/stack_tree.h"

#include <stdio.h>

#include "base/budget.h"
#include "base/hash.h"

enum { STEPS_A_FRAME = 8 };

void op_tree_init(struct op_stack_tree *t, struct op_builder *b,
		  struct op_arena *mem, op_tree_location *location, void *ctx)
{
	struct op_tree_node root = { 0 };

	*t = (struct op_stack_tree){
		.b = b, .mem = mem, .location = location, .ctx = ctx
	};
	(void)op_vec_push(mem, &t->nodes, root);
}

struct child {
	uint32_t parent, frame;
};

static bool child_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_tree_node *n = (const struct op_tree_node *)table + id;
	const struct child *k = key;

	return n->parent == k->parent && n->frame == k->frame;
}

uint32_t op_tree_find(struct op_stack_tree *t, uint32_t node, uint32_t frame)
{
	struct child key = { node, frame };
	uint64_t word = (uint64_t)node << 32 | frame;
	uint32_t hash = op_hash_words(&word, 1);
	struct op_tree_node n = { node, frame, t->nodes.p[node].depth + 1,
				  OP_NO_ID, 0 };
	uint32_t id;

	if (op_unlikely(n.depth > OP_TREE_DEPTH)) {
		t->is_cut = true;
		return node;
	}
	id = op_intern_find(&t->index, hash, child_eq, t->nodes.p, &key);
	if (id == OP_NO_ID) {
		id = (uint32_t)t->nodes.n;
		if (!op_vec_push(t->mem, &t->nodes, n) ||
		    !op_intern_add(&t->index, t->mem, hash, id))
			return 0;
	}
	t->nodes.p[node].last = id;
	return id;
}

static uint32_t make_stack(struct op_stack_tree *t, uint32_t node)
{
	t->path.n = 0;
	if (op_work(t->nodes.p[node].depth * STEPS_A_FRAME, t->b->err))
		return 0;
	for (uint32_t i = node; i; i = t->nodes.p[i].parent) {
		uint32_t id = t->location(t->ctx, t->nodes.p[i].frame);

		if (!op_vec_push(t->mem, &t->path, id))
			return 0;
	}
	return op_build_stack(t->b, t->path.p, (uint32_t)t->path.n);
}

uint32_t op_tree_stack(struct op_stack_tree *t, uint32_t node)
{
	if (op_unlikely(t->b->err->code))
		return 0;
	if (op_unlikely(t->nodes.p[node].stack == OP_NO_ID))
		t->nodes.p[node].stack = make_stack(t, node);
	return t->nodes.p[node].stack;
}

void op_tree_note(const struct op_stack_tree *t,
		  const struct op_read_opts *opts)
{
	if (t->is_cut)
		op_note_skipped(
			opts, t->b->err,
			"stacks of more than %d frames are truncated at the "
			"leaf",
			OP_TREE_DEPTH);
}

/* --- nodes that a file names --- */

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_call_row *rows = table;

	return op_view_eq(rows[id].key, *(const struct op_view *)key);
}

uint32_t op_call_row(struct op_call_tree *c, struct op_view key)
{
	struct op_call_row row = { .key = key,
				   .parent = OP_NO_ID,
				   .node = OP_CALL_NEW };
	uint32_t hash = op_hash32(key.p, key.n);
	struct op_arena *mem = c->tree->mem;
	uint32_t id = op_intern_find(&c->index, hash, row_eq, c->rows.p, &key);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)c->rows.n;
	if (!op_vec_push(mem, &c->rows, row) ||
	    !op_intern_add(&c->index, mem, hash, id))
		return OP_NO_ID;
	return id;
}

uint32_t op_call_node(struct op_call_tree *c, uint32_t row)
{
	struct op_call_row *rows = c->rows.p;
	uint32_t node = 0;

	if (c->tree->b->err->code)
		return 0;
	c->path.n = 0;
	/* Up to what is known, and down again. */
	for (; row != OP_NO_ID && rows[row].node == OP_CALL_NEW;
	     row = rows[row].parent) {
		if (!op_vec_push(c->tree->mem, &c->path, row))
			return 0;
		rows[row].node = OP_CALL_OPEN;
	}
	if (row != OP_NO_ID)
		node = rows[row].node;
	if (node == OP_CALL_OPEN)
		return OP_NO_ID;
	for (size_t i = c->path.n; i--;) {
		row = c->path.p[i];
		if (rows[row].has_frame)
			node = op_tree_child(c->tree, node, rows[row].frame);
		rows[row].node = node;
	}
	return node;
}
