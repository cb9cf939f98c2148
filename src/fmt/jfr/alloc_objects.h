// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/alloc_objects.h: alloc_objects without times. */
#ifndef OP_FMT_JFR_ALLOC_OBJECTS_H
#define OP_FMT_JFR_ALLOC_OBJECTS_H

struct op_err;
struct op_model;

/* Gives alloc_objects sums where alloc_space has the times. */
int op_jfr_objects_sum(struct op_model *m, struct op_err *err);

#endif
