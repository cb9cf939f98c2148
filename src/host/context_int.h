// SPDX-License-Identifier: Apache-2.0
/* host/context_int.h: shared by context.c, which copies a process context out
 * of a process, and context_decode.c, which reads the copy. */
#ifndef OP_HOST_CONTEXT_INT_H
#define OP_HOST_CONTEXT_INT_H

#include "host/context.h"

/* Reads the message ProcessContext; nothing in out refers to it. */
int op_context_decode(struct op_view payload, struct op_arena *mem,
		      struct op_context *out, struct op_err *err);

#endif
