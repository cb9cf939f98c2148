// SPDX-License-Identifier: Apache-2.0
/* model/state_sums.h: several states as one.
 *
 * Stacks that become equal, as frames are hidden, have values of which only the
 * latest counts, such as a live heap. Together they are at each time the sum of
 * the latest value that each has by then.
 *
 *	a 10@1 30@5, b 2@3    together 10@1 12@3 32@5
 *
 * A state that was not observed yet is worth nothing.
 */
#ifndef OP_MODEL_STATE_SUMS_H
#define OP_MODEL_STATE_SUMS_H

#include "base/vec.h"
#include "model/builder.h"

struct op_state_value {
	uint64_t time_ns;
	int64_t value;
	uint32_t sample; /* that the state becomes a part of */
	uint32_t state;
};

/* All zero is empty. */
struct op_state_sums {
	struct op_arena mem;
	OP_VEC(struct op_identity) states;
	struct op_intern index;
	OP_VEC(struct op_state_value) list;
};

/* Adds a value of the state with this identity. */
void op_state_sums_add(struct op_state_sums *s, struct op_identity state,
		       struct op_state_value v, struct op_err *err);

/* Makes the values sums. They are then in the order of samples and times. */
int op_state_sums_make(struct op_state_sums *s, struct op_err *err);
void op_state_sums_free(struct op_state_sums *s);

#endif
