// SPDX-License-Identifier: Apache-2.0
/* query/flame_walk.c: visits a flame tree, parents first. */
#include "query/flame_walk.h"

/* There is one more below zero than above. */
static int64_t magnitude(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}

int64_t *op_flame_weights(struct op_flame *f, struct op_err *err)
{
	int64_t *w;

	op_arena_tells(&f->tree_mem, err);
	w = op_new(&f->tree_mem, int64_t, f->nodes.n);
	if (!w)
		return NULL;
	/* Children stand behind their parents. */
	for (size_t i = f->nodes.n; i--;) {
		const struct op_flame_node *n = &f->nodes.p[i];

		w[i] = op_add_sat(w[i], magnitude(n->self));
		if (i)
			w[n->parent] = op_add_sat(w[n->parent], w[i]);
	}
	return w;
}

uint32_t op_flame_next(const struct op_flame *f, uint32_t node, bool skip,
		       uint32_t *depth)
{
	const struct op_flame_node *nodes = f->nodes.p;

	if (!skip && nodes[node].first_child != OP_NO_NODE) {
		++*depth;
		return nodes[node].first_child;
	}
	while (node && nodes[node].next == OP_NO_NODE) {
		node = nodes[node].parent;
		--*depth;
	}
	return node ? nodes[node].next : OP_NO_NODE;
}

/* Of the weights that begin with the bytes of prefix above a byte, which has
 * its lowest bit at shift, how many have each value of it. */
static void count_bytes(const int64_t *weights, size_t n, uint64_t prefix,
			unsigned int shift, size_t count[256])
{
	memset(count, 0, 256 * sizeof(*count));
	for (size_t i = 1; i < n; i++) {
		uint64_t w = (uint64_t)weights[i];

		/* In two steps, as the first byte has nothing above it. */
		if (w >> shift >> 8 == prefix >> shift >> 8)
			count[w >> shift & 0xff]++;
	}
}

/* From the highest byte to the lowest: all weights above prefix are among the
 * limit, and those that begin with it would be too many. */
uint64_t op_flame_least(const int64_t *weights, size_t n, size_t limit)
{
	size_t count[256], left = limit;
	uint64_t prefix = 0;

	if (n <= limit + 1)
		return 0;
	for (unsigned int shift = 64; shift;) {
		unsigned int byte = 256;

		shift -= 8;
		count_bytes(weights, n, prefix, shift, count);
		while (byte > 1 && count[byte - 1] <= left)
			left -= count[--byte];
		prefix |= (uint64_t)(byte - 1) << shift;
	}
	return prefix + 1;
}
