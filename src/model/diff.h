// SPDX-License-Identifier: Apache-2.0
/* model/diff.h: what changed from one model to another.
 *
 * Each side is summed up first: over time as the aggregator of a type says,
 * then over all resources and scopes, so that there is one profile for each
 * sample type and unit. Sides are then compared sample by sample.
 *
 * Samples are the same if their stacks have the same function names in the
 * same order, inlined or not. Addresses, lines, files, mappings, attributes and
 * links do not count and are left out, so that two builds and two runs can be
 * compared; a frame without a name is told by its address and the file it is
 * mapped from. With exact, all of it counts.
 *
 * Of the resources the attributes stay that all of both sides have in common,
 * and the scope if there is only one.
 */
#ifndef OP_MODEL_DIFF_H
#define OP_MODEL_DIFF_H

#include "model/model.h"

struct op_diff_opts {
	bool exact;
	/* Scale what was before so that its total is the one after; where one
	 * of the two is 0, leave it. */
	bool normalize;
};

/* Sums up both sides. They have the same profiles in the same order, empty
 * where the other side has a type alone. before and after are empty but for
 * their quotas; on failure they are to be freed. */
int op_diff_sides(const struct op_model *a, const struct op_model *b,
		  const struct op_diff_opts *opts, struct op_model *before,
		  struct op_model *after, struct op_err *err);

/* b less a: signed values, in profiles that say so (OP_ATTR_DIFF). What did
 * not change is left out, but a profile stays without samples. The time is
 * b's; of a type that only a has it is a's. out as above. */
int op_diff(const struct op_model *a, const struct op_model *b,
	    const struct op_diff_opts *opts, struct op_model *out,
	    struct op_err *err);

#endif
