// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/call_list.h: the stacks of a model as a call tree, for viewers
 * that have a row for each call in place of a list for each stack. */
#ifndef OP_FMT_VIEWER_CALL_LIST_H
#define OP_FMT_VIEWER_CALL_LIST_H

#include "fmt/viewer/frames.h"

struct op_call {
	uint32_t parent; /* always a row before; of row 0 itself */
	uint32_t frame;
	uint32_t first_child, last_child, next; /* 0: none */
};

struct op_call_list {
	struct op_frames *frames;
	struct op_arena mem;
	struct op_intern index;
	OP_VEC(struct op_call) rows; /* row 0 is the root and has no frame */
	uint32_t *by_stack;	     /* 0: not asked for yet */
	struct op_id_vec path;
};

/* On failure op_call_list_fini() is due all the same. */
int op_call_list_init(struct op_call_list *c, struct op_frames *frames);
void op_call_list_fini(struct op_call_list *c);

/* The row of a stack, whose frames are no fewer than one. 0 after a failure. */
uint32_t op_call_of(struct op_call_list *c, uint32_t stack);

#endif
