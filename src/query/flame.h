// SPDX-License-Identifier: Apache-2.0
/* query/flame.h: a profile as a call tree and as a list of functions.
 *
 * Frames are identified by what is shown of them: the function name, else its
 * name in the binary, else module and address; optionally also by the origin of
 * the function. Inlined calls are frames of their own. */
#ifndef OP_QUERY_FLAME_H
#define OP_QUERY_FLAME_H

#include "query/frame_origins.h"
#include "query/stack_sums.h"

#define OP_NO_NODE UINT32_MAX

/* Values of a function: self as leaf, total anywhere in the stack. A recursive
 * function counts once. */
struct op_flame_name {
	struct op_view text;
	int64_t self;
	int64_t total;
	bool is_used; /* by some sample */
};

struct op_flame_node {
	uint32_t name;
	uint32_t parent;
	uint32_t first_child; /* largest first; OP_NO_NODE: none */
	uint32_t next;	      /* sibling */
	int64_t self;
	int64_t total;
	int64_t inlined; /* part of the total in inlined calls */
};

struct op_flame {
	/* Set by the caller: */
	bool names_only; /* build no tree, which takes longer */
	/* Distinguish functions by origin too; of op_flame_build_by(): only say
	 * the origin, of the first that has the name. */
	bool origins;
	bool threads;  /* make the thread the root of each stack */
	bool inverted; /* leaves are the roots; see op_flame_build_by() */
	bool by_size;  /* sort children by size, whatever their sign */
	bool leaves;   /* of op_flame_build(): fill leaf */

	struct op_arena mem, tree_mem;
	OP_VEC(struct op_flame_name) names;
	OP_VEC(struct op_frame_origin) origin; /* per name, with origins */
	OP_VEC(struct op_flame_node) nodes; /* 0 is the root, without a name */
	struct op_id_vec used;		    /* names that samples have */
	int64_t total;
	/* The node in which each stack of the model ends, or, with threads,
	 * each sample. 0: it has no frame; OP_NO_ID: no sample has it. */
	uint32_t *leaf;

	/* Of the model: names per line, per location without lines and, with
	 * threads, per attribute set. */
	struct op_intern index;
	uint32_t *line_name, *location_name, *set_name;
	bool *inlined; /* per location, by its attributes; with origins */

	/* Per stack and per name, reused for all profiles: many profiles may
	 * share tables of which each uses only a few rows. */
	int64_t *by_stack;   /* sums; 0 between profiles */
	uint32_t *name_seen; /* number of the last stack it was in */
	uint32_t nr_stacks;

	/* Of op_flame_build_by(). */
	struct op_frame_names frame_names;
	struct op_groups groups;
	struct op_stack_sums sums;
};

/* Builds both from the samples of one profile. f must be all zero except for
 * the options; it must be freed even after a failure. It may be called again
 * with another profile of the same model, whose names then have the same ids.
 */
int op_flame_build(struct op_flame *f, const struct op_model *m,
		   const struct op_profile *p, struct op_err *err);

/* Builds both from all profiles of the type of like, for the parts of frames
 * that by selects. Labels of samples are the outermost nodes, and samples
 * without a stack the node "(no stack)". In an inverted tree, whose nodes have
 * their callers as children, self is that of the function in which the stack
 * ends. f is all zero except for inverted, by_size and origins; once only. The
 * type of a label's origin is the name of the label. */
int op_flame_build_by(struct op_flame *f, const struct op_model *m,
		      const struct op_profile *like,
		      const struct op_group_by *by, struct op_err *err);

/* What a tree is built of, and the node in which it ends. */
struct op_flame_stack {
	uint32_t stack;
	uint32_t node; /* 0: it has no frame */
	int64_t value;
};

/* Builds both of these stacks, by function, and tells their nodes. f is all
 * zero except for origins; once only. */
int op_flame_build_stacks(struct op_flame *f, const struct op_model *m,
			  struct op_flame_stack *list, size_t n,
			  struct op_err *err);

/* Ids of the names that samples use, by self, then total, then text. NULL: out
 * of memory. */
uint32_t *op_flame_top(struct op_flame *f, uint32_t *nr_out,
		       struct op_err *err);

void op_flame_free(struct op_flame *f);

#endif
