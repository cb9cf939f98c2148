// SPDX-License-Identifier: Apache-2.0
/* query/flame.h: a profile as a tree of calls, and as a list of functions.
 *
 * Frames are told apart by what is shown of them: the function's name, else
 * its name in the binary, else module and address. Inlined calls are frames
 * of their own. */
#ifndef OP_QUERY_FLAME_H
#define OP_QUERY_FLAME_H

#include "base/intern.h"
#include "base/vec.h"
#include "model/model.h"

#define OP_NO_NODE UINT32_MAX

/* Of a function: in self it stands at the leaf, in total anywhere. A function
 * that calls itself counts once. */
struct op_flame_name {
	struct op_view text;
	int64_t self;
	int64_t total;
	bool is_used; /* by some sample */
};

struct op_flame_node {
	uint32_t name;
	uint32_t parent;
	uint32_t first_child; /* the largest first; OP_NO_NODE: none */
	uint32_t next;	      /* sibling */
	int64_t self;
	int64_t total;
};

struct op_flame {
	bool names_only; /* set before: make no tree, which takes longer */
	struct op_arena mem;
	OP_VEC(struct op_flame_name) names;
	OP_VEC(struct op_flame_node) nodes; /* 0 is the root, without a name */
	int64_t total;
};

/* Makes both from the samples of one profile. f is all zero but for
 * names_only; on failure it is to be freed too. */
int op_flame_build(struct op_flame *f, const struct op_model *m,
		   const struct op_profile *p, struct op_err *err);

/* The ids of the names that samples have, by self, then total, then text.
 * NULL: no memory. */
uint32_t *op_flame_top(struct op_flame *f, uint32_t *nr_out,
		       struct op_err *err);

void op_flame_free(struct op_flame *f);

#endif
