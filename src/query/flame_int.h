// SPDX-License-Identifier: Apache-2.0
/* query/flame_int.h: how a flame tree grows, for flame.c and flame_by.c. */
#ifndef OP_QUERY_FLAME_INT_H
#define OP_QUERY_FLAME_INT_H

#include "query/flame.h"

struct op_flame_build {
	struct op_flame *f;
	const struct op_model *m;
	struct op_err *err;
	struct op_intern children;
	struct op_frame_origin origin; /* of the names being put */
	uint64_t steps;
};

/* An empty tree. The names are made if there are none. */
int op_flame_begin(struct op_flame_build *b);

/* Adds a frame under a node and returns the node it became; of names only, the
 * name. nr_stacks says which stack it is in. */
uint32_t op_flame_frame(struct op_flame_build *b, uint32_t node, uint32_t name,
			int64_t value);

/* The stack ends in what op_flame_frame() gave. */
void op_flame_self(struct op_flame_build *b, uint32_t leaf, int64_t value);

/* Whether a location is inlined by its attributes. */
bool op_flame_is_inlined(const struct op_flame_build *b, uint32_t location);

/* Before so many frames are added; false if they are too many. */
bool op_flame_steps(struct op_flame_build *b, uint64_t n);

/* The whole tree is there. */
int op_flame_finish(struct op_flame_build *b);

#endif
