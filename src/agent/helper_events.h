// SPDX-License-Identifier: Apache-2.0
/* agent/helper_events.h: from the records of a program to events. */
#ifndef OP_AGENT_HELPER_EVENTS_H
#define OP_AGENT_HELPER_EVENTS_H

#include "agent/helper.h"

/* Adds what the program has written. */
void op_agent_helper_events(struct op_agent_helper *h);
/* At the end of a window: drops threads that are gone, if the program had no
 * room to say so. One that has just ended may still have samples to come, and
 * stays until the next window. */
void op_agent_helper_sweep(struct op_agent_helper *h);
/* Adds what is in use now. */
void op_agent_helper_inuse(struct op_agent_helper *h, uint64_t now_ns);
void op_agent_helper_events_fini(struct op_agent_helper *h);

#endif
