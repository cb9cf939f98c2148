// SPDX-License-Identifier: Apache-2.0
/* agent/got.h: has calls of functions of other libraries lead elsewhere.
 *
 * Calls go through tables of addresses, one for each loaded object. A slot is
 * changed by one store, so that threads may call at the same time. */
#ifndef OP_AGENT_GOT_H
#define OP_AGENT_GOT_H

#include "base/port.h"

struct op_got_hook {
	const char *name; /* of the function */
	void *to;	  /* what is to be called */
};

/* In all objects that are loaded now, but for this one. May be called again
 * after others were loaded. Returns the number of slots that were changed.
 * is_pending: another thread is loading an object, which is left alone. */
uint32_t op_got_patch(const struct op_got_hook *hooks, size_t nr,
		      bool *is_pending);

#endif
