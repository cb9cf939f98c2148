// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/call_list.c: stacks as a call tree with a row per call. */
#include "fmt/viewer/call_list.h"

#include "base/hash.h"

int op_call_list_init(struct op_call_list *c, struct op_frames *frames)
{
	struct op_call root = { 0 };

	*c = (struct op_call_list){ .frames = frames, .mem.err = frames->err };
	c->by_stack = op_new(&c->mem, uint32_t, frames->m->dict.nr[OP_STACKS]);
	(void)op_vec_push(&c->mem, &c->rows, root);
	return frames->err->code;
}

void op_call_list_fini(struct op_call_list *c)
{
	op_arena_free(&c->mem);
}

static bool call_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_call *row = (const struct op_call *)table + id;
	const struct op_call *k = key;

	return row->parent == k->parent && row->frame == k->frame;
}

static uint32_t child(struct op_call_list *c, uint32_t parent, uint32_t frame)
{
	struct op_call row = { .parent = parent, .frame = frame };
	uint64_t word = (uint64_t)parent << 32 | frame;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&c->index, hash, call_eq, c->rows.p, &row);
	struct op_call *up;

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)c->rows.n;
	if (!op_vec_push(&c->mem, &c->rows, row) ||
	    !op_intern_add(&c->index, &c->mem, hash, id))
		return 0;
	up = &c->rows.p[parent];
	if (up->last_child)
		c->rows.p[up->last_child].next = id;
	else
		up->first_child = id;
	up->last_child = id;
	return id;
}

uint32_t op_call_of(struct op_call_list *c, uint32_t stack)
{
	const struct op_err *err = c->frames->err;
	uint32_t id = 0;

	if (err->code || c->by_stack[stack])
		return err->code ? 0 : c->by_stack[stack];
	op_frames_stack(c->frames, stack, &c->mem, &c->path);
	for (size_t i = 0; i < c->path.n && !err->code; i++)
		id = child(c, id, c->path.p[i]);
	if (!err->code)
		c->by_stack[stack] = id;
	return err->code ? 0 : id;
}
