// SPDX-License-Identifier: Apache-2.0
/* agent/memory.h: reads memory of this process that may not be there.
 *
 * The kernel copies whole pages, and fails where a load would raise a signal.
 * Pages are kept as long as one stack is read. Safe in signal handlers. */
#ifndef OP_AGENT_MEMORY_H
#define OP_AGENT_MEMORY_H

#include "base/port.h"

enum { OP_MEMORY_PAGE = 4096, OP_MEMORY_PAGES = 4 };

struct op_memory {
	uint64_t page[OP_MEMORY_PAGES]; /* address + 1; 0: none */
	uint8_t bytes[OP_MEMORY_PAGES][OP_MEMORY_PAGE];
};

/* Forgets all pages. */
void op_memory_reset(struct op_memory *m);
/* Copies n bytes; false if they are not all readable. */
bool op_memory_copy(uint64_t at, void *out, size_t n);
/* A number of n bytes, 1 to 8, by way of pages. */
bool op_memory_read(struct op_memory *m, uint64_t at, unsigned int n,
		    uint64_t *out);

/* Whether the process may have so many bytes of address space and keep seven
 * times as many for itself (ulimit -v). Not for signal handlers. */
bool op_memory_has_room(uint64_t bytes);

#endif
