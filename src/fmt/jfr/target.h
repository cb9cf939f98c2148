// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/target.h: the profiles of a recording, over all of its chunks. */
#ifndef OP_FMT_JFR_TARGET_H
#define OP_FMT_JFR_TARGET_H

#include "base/view.h"

/* A profile that events of a type become, over all chunks. */
struct op_jfr_target {
	struct op_view event; /* name of the event type */
	struct op_view type, unit;
	struct op_view period; /* type of the period; empty: none */
	uint32_t profile;
	uint32_t like; /* the profile that it is like, or OP_NO_ID */
};

struct op_jfr;
struct op_jfr_chunk;
struct op_jfr_plan;

/* The target of the same event, type and unit; NULL if there is none yet. */
const struct op_jfr_target *op_jfr_target_find(const struct op_jfr *j,
					       const struct op_jfr_target *t);
/* Makes the profiles of a plan, from the first that is wanted. */
void op_jfr_targets_make(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			 uint32_t first);

#endif
