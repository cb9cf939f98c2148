// SPDX-License-Identifier: Apache-2.0
/* query/default_profile.h: which of several profiles is meant where only one
 * type can be had. */
#ifndef OP_QUERY_DEFAULT_PROFILE_H
#define OP_QUERY_DEFAULT_PROFILE_H

#include "base/buf.h"
#include "model/model.h"

/* Time on the CPU, else samples taken by it or at its cycles, else wall-clock
 * time, else the first; those without samples last. NULL if there is no
 * profile. */
const struct op_profile *op_default_profile(const struct op_model *m);

/* Whether both have the same sample type, unit and event, and if they count
 * samples, the same type of period, by their text: only then may their values
 * be added. */
bool op_same_type(const struct op_model *m, const struct op_profile *a,
		  const struct op_profile *b);

/* Appends the types of profiles that are not of the chosen one's, each once,
 * as "heap/bytes, samples/count (page-faults)", for a message: only what can be
 * printed, and not too much of it. Returns how many it names. */
uint32_t op_other_types(const struct op_model *m,
			const struct op_profile *chosen, struct op_buf *out);

#endif
