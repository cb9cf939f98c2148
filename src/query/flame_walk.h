// SPDX-License-Identifier: Apache-2.0
/* query/flame_walk.h: the nodes of a flame tree in the order in which they are
 * drawn and written, and how wide each is. */
#ifndef OP_QUERY_FLAME_WALK_H
#define OP_QUERY_FLAME_WALK_H

#include "query/flame.h"

/* The weight of each node: the sum of the absolute selves of its tree, which
 * is how wide it is drawn. In the tree's memory; NULL: there is none. */
int64_t *op_flame_weights(struct op_flame *f, struct op_err *err);

/* The next node behind one and below root, parents first; skip: not below it.
 * Adds to depth. OP_NO_NODE behind the last. */
uint32_t op_flame_next(const struct op_flame *f, uint32_t node, bool skip,
		       uint32_t *depth);

/* The least weight with which at most so many nodes have it or more, not
 * counting the root. 0: no node has too little. The root comes first in
 * weights, of which there are n. */
uint64_t op_flame_least(const int64_t *weights, size_t n, size_t limit);

#endif
