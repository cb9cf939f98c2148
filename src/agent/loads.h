// SPDX-License-Identifier: Apache-2.0
/* agent/loads.h: whether libraries were loaded or unloaded. */
#ifndef OP_AGENT_LOADS_H
#define OP_AGENT_LOADS_H

#include <link.h>

#include "base/port.h"

/* Before the others are called: makes fork() wait for them. */
void op_loads_init(void);

/* Changes whenever a library is loaded or unloaded. Not for handlers. */
uint64_t op_loads(void);
/* How many were unloaded, ever. Not for handlers. */
uint64_t op_unloads(void);

/* Calls fn for each loaded object, like dl_iterate_phdr(). Not for handlers. */
void op_loads_each(int (*fn)(struct dl_phdr_info *info, size_t bytes,
			     void *arg),
		   void *arg);

#endif
