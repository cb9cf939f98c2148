// SPDX-License-Identifier: Apache-2.0
/* host/proc_memory.h: the memory of a running process. */
#ifndef OP_HOST_PROC_MEMORY_H
#define OP_HOST_PROC_MEMORY_H

#include "host/proc.h"

/* All n bytes at an address; false if they cannot be read. The process may
 * change them meanwhile. Needs the right to trace the process. */
bool op_proc_memory(const struct op_proc *p, uint32_t pid, uint64_t address,
		    void *out, size_t n);

#endif
