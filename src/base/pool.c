// SPDX-License-Identifier: Apache-2.0
/* base/pool.c: objects of many sizes that are given back one by one. */
#include "base/pool.h"

#include <string.h>

/* From this size on the arena itself takes objects back. */
_Static_assert(OP_POOL_LEAST << (OP_POOL_CLASSES - 1) == OP_ARENA_BIG,
	       "the largest class is what an arena gives back");

static unsigned int class_of(size_t n)
{
	unsigned int c = 0;

	while ((size_t)OP_POOL_LEAST << c < n)
		c++;
	return c;
}

size_t op_pool_room(size_t n)
{
	return n < OP_ARENA_BIG ? (size_t)OP_POOL_LEAST << class_of(n) : n;
}

void *op_pool_alloc(struct op_pool *pool, size_t n)
{
	size_t room = op_pool_room(n);
	void *p, **list;

	if (room >= OP_ARENA_BIG)
		return op_arena_alloc(pool->mem, room);
	list = &pool->free[class_of(n)];
	p = *list;
	if (!p)
		return op_arena_alloc(pool->mem, room);
	memcpy(list, p, sizeof(p));
	op_unpoison(p, room);
	return p;
}

void op_pool_free(struct op_pool *pool, void *p, size_t n)
{
	size_t room = op_pool_room(n);
	void **list;

	if (!p)
		return;
	if (room >= OP_ARENA_BIG) {
		op_arena_drop(pool->mem, p, room);
		return;
	}
	/* An object that is free begins with the address of the next. */
	list = &pool->free[class_of(n)];
	memcpy(p, list, sizeof(p));
	*list = p;
	op_poison((char *)p + sizeof(p), room - sizeof(p));
}

void *op_pool_resize(struct op_pool *pool, void *p, size_t n, size_t new_n)
{
	size_t room = op_pool_room(n), new_room = op_pool_room(new_n);
	void *moved;

	if (p && room == new_room)
		return p;
	if (p && room >= OP_ARENA_BIG && new_room >= OP_ARENA_BIG)
		return op_arena_resize(pool->mem, p, room, new_room);
	moved = op_pool_alloc(pool, new_n);
	if (!moved)
		return NULL;
	if (p)
		memcpy(moved, p, n < new_n ? n : new_n);
	op_pool_free(pool, p, n);
	return moved;
}
