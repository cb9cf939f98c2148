// SPDX-License-Identifier: Apache-2.0
/* agent/frame_search.h: finds the frame pointer of a frame of a blocked thread,
 * of which the kernel tells only the program counter and the stack pointer. */
#ifndef OP_AGENT_FRAME_SEARCH_H
#define OP_AGENT_FRAME_SEARCH_H

#include "sym/unwind.h"

/* u has stopped at OP_UNWIND_LOST. If its frame only lacks the frame pointer,
 * and that can be found, sets it: op_unwind_next() goes on to the end of the
 * stack, or to the max-th frame from here. Safe in signal handlers. */
bool op_frame_search(struct op_unwind *u, uint32_t max);

#endif
