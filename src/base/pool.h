// SPDX-License-Identifier: Apache-2.0
/* base/pool.h: objects of many sizes in an arena that are given back one by
 * one, for tables that live as long as the program.
 *
 * An arena gives back only its large objects. A pool keeps the small ones that
 * were given back in lists, one per power of two, and serves the next request
 * of that size from there. So it takes as much memory as was in use at its
 * fullest, however many objects came and went.
 */
#ifndef OP_BASE_POOL_H
#define OP_BASE_POOL_H

#include "base/arena.h"

enum { OP_POOL_CLASSES = 14, OP_POOL_LEAST = 16 };

/* All zero but for its arena is an empty pool. Freeing the arena frees it. */
struct op_pool {
	struct op_arena *mem;
	void *free[OP_POOL_CLASSES];
};

/* n bytes aligned to 8, contents undefined; NULL, which the arena records, if
 * there is no memory. */
void *op_pool_alloc(struct op_pool *pool, size_t n);

/* Gives back an object of n bytes; p may be NULL. */
void op_pool_free(struct op_pool *pool, void *p, size_t n);

/* Changes an object from n to new_n bytes; it may move. On failure NULL, and
 * the object is as it was. p may be NULL if n is 0. */
void *op_pool_resize(struct op_pool *pool, void *p, size_t n, size_t new_n);

/* How many bytes an object of n bytes takes: it can grow to that for free. */
size_t op_pool_room(size_t n);

#endif
