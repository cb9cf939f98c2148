// SPDX-License-Identifier: Apache-2.0
/* agent/loads.h: whether libraries were loaded or unloaded. */
#ifndef OP_AGENT_LOADS_H
#define OP_AGENT_LOADS_H

#include "base/port.h"

/* Before op_loads() is called: makes fork() wait for it. */
void op_loads_init(void);

/* Changes whenever a library is loaded or unloaded. Not for handlers. */
uint64_t op_loads(void);

#endif
