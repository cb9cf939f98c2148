// SPDX-License-Identifier: Apache-2.0
/* model/invariants.h: asserts the invariants of a model.
 *
 * Readers check untrusted input. These assertions check what readers and the
 * builder made of it: a violation is a bug and aborts. */
#ifndef OP_MODEL_INVARIANTS_H
#define OP_MODEL_INVARIANTS_H

struct op_model;

/* Invariant (1) of model.h: every table has its row 0. */
void op_model_assert_tables(const struct op_model *m);

/* All invariants, in one pass over the ids. */
void op_model_assert(const struct op_model *m);

#endif
