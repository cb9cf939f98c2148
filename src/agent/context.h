// SPDX-License-Identifier: Apache-2.0
/* agent/context.h: the trace and span of a thread of this process (OTEP 4947).
 *
 * Safe in signal handlers. */
#ifndef OP_AGENT_CONTEXT_H
#define OP_AGENT_CONTEXT_H

#include "base/port.h"

struct op_agent_context {
	bool has_trace;
	uint8_t trace[16], span[8];
};

/* Of the calling thread. */
void op_agent_context(struct op_agent_context *out);

/* The thread pointer of any thread of this process; 0: not known. */
uint64_t op_agent_thread_pointer(uint32_t tid);

/* Of a thread that does not run, by its thread pointer. */
void op_agent_context_of(uint64_t pointer, struct op_agent_context *out);

#endif
