// SPDX-License-Identifier: Apache-2.0
/* query/default_profile.h: chooses a profile if only one type can be used. */
#ifndef OP_QUERY_DEFAULT_PROFILE_H
#define OP_QUERY_DEFAULT_PROFILE_H

#include "base/buf.h"
#include "model/model.h"

/* CPU time, else samples taken by CPU time or cycles, else the type
 * that the source of the profiles declares to be the default, else wall-clock
 * time, else the profile with the most observations that have a stack, else
 * the first; profiles without samples come last. NULL if there is none. */
const struct op_profile *op_default_profile(const struct op_model *m);

/* The same among those of a list of types (op_type_selected()); NULL: all. */
const struct op_profile *op_choose_profile(const struct op_model *m,
					   const char *types);

/* Whether both have the same sample type, unit and event, and if they count
 * samples, the same period type, compared as text. Only then may their values
 * be added. */
bool op_same_type(const struct op_model *m, const struct op_profile *a,
		  const struct op_profile *b);

/* Appends the types of profiles other than that of the chosen one, each once,
 * such as "heap/bytes, samples/count (page-faults)", for a message: printable
 * and of limited length. Returns how many it names. */
uint32_t op_other_types(const struct op_model *m,
			const struct op_profile *chosen, struct op_buf *out);

#endif
