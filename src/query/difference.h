// SPDX-License-Identifier: Apache-2.0
/* query/difference.h: two models in one, for views of what changed.
 *
 * A view adds values up, so that it shows the change if it gets what is after
 * with its sign and what was before with the opposite one. Nothing has to be
 * matched, and no label is lost, as in a difference that is a profile
 * (model/diff.h).
 */
#ifndef OP_QUERY_DIFFERENCE_H
#define OP_QUERY_DIFFERENCE_H

#include "model/model.h"

/* Resources from first_before on are of the side before. */
struct op_difference {
	struct op_model m;
	uint32_t first_before;
};

/* Each side is summed up (op_sum_up()). normalize: what was before is scaled so
 * that the total of each type is the one after, where neither is 0. d is all
 * zero; on failure it is to be freed too. */
int op_difference_build(struct op_difference *d, const struct op_model *before,
			const struct op_model *after, bool normalize,
			struct op_err *err);

/* The totals of a type, which is that of a profile of d: [0] before, [1] after.
 */
void op_difference_totals(const struct op_difference *d,
			  const struct op_profile *like, int64_t total[2]);

void op_difference_free(struct op_difference *d);

#endif
