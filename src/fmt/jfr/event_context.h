// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/event_context.h: what events say of other events. */
#ifndef OP_FMT_JFR_EVENT_CONTEXT_H
#define OP_FMT_JFR_EVENT_CONTEXT_H

#include "base/port.h"

struct op_jfr_chunk;
struct op_jfr_plan;

/* An event that took native memory. */
void op_jfr_event_malloc(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			 const uint64_t *nums, uint32_t sample);
/* Any other. */
void op_jfr_event_context(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			  const uint64_t *nums, const uint64_t *words);

#endif
