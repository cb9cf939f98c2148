// SPDX-License-Identifier: Apache-2.0
/* model/invariants.h: the invariants of a model, asserted.
 *
 * Readers check what comes from outside. This is for what they and the builder
 * made of it: a model that breaks an invariant is a bug, and the end. */
#ifndef OP_MODEL_INVARIANTS_H
#define OP_MODEL_INVARIANTS_H

struct op_model;

/* (1) of model.h: every table has its row 0. */
void op_model_assert_tables(const struct op_model *m);

/* All of them. Takes one pass over the ids. */
void op_model_assert(const struct op_model *m);

#endif
