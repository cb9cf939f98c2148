// SPDX-License-Identifier: Apache-2.0
/* base/text_table.c: an index over views. */
#include "base/text_table.h"

#include "base/hash.h"

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_view *list = table;

	return op_view_eq(list[id], *(const struct op_view *)key);
}

static uint32_t put(struct op_text_table *t, struct op_view text, bool copies,
		    struct op_err *err)
{
	uint32_t hash = op_hash32(text.p, text.n);
	uint32_t id = op_intern_find(&t->index, hash, text_eq, t->list.p,
				     &text);
	uint8_t *copy;

	if (id != OP_NO_ID)
		return id;
	op_arena_tells(&t->mem, err);
	if (copies && text.n) {
		copy = op_arena_alloc(&t->mem, text.n);
		if (copy)
			memcpy(copy, text.p, text.n);
		text.p = copy;
	}
	id = (uint32_t)t->list.n;
	if ((text.n && !text.p) || !op_vec_push(&t->mem, &t->list, text) ||
	    !op_intern_add(&t->index, &t->mem, hash, id))
		return 0;
	return id;
}

uint32_t op_text_put(struct op_text_table *t, struct op_view text,
		     struct op_err *err)
{
	return put(t, text, false, err);
}

uint32_t op_text_copy(struct op_text_table *t, struct op_view text,
		      struct op_err *err)
{
	return put(t, text, true, err);
}

uint32_t op_text_find(const struct op_text_table *t, struct op_view text)
{
	return op_intern_find(&t->index, op_hash32(text.p, text.n), text_eq,
			      t->list.p, &text);
}

void op_text_table_free(struct op_text_table *t)
{
	op_arena_free(&t->mem);
	*t = (struct op_text_table){ 0 };
}
