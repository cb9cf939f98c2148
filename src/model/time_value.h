// SPDX-License-Identifier: Apache-2.0
/* model/time_value.h: values that represent time. */
#ifndef OP_MODEL_TIME_VALUE_H
#define OP_MODEL_TIME_VALUE_H

#include "model/model.h"

/* Nanoseconds per unit of time: "nanoseconds", "us", ... 0: not a unit of time.
 */
uint64_t op_unit_ns(struct op_view unit);

/* Nanoseconds that a value of 1 represents: by the unit or, for a count of
 * samples taken at a period of time, by that period. 0: the values of this
 * profile are not times. */
uint64_t op_value_ns(const struct op_model *m, const struct op_profile *p);

#endif
