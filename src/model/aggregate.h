// SPDX-License-Identifier: Apache-2.0
/* model/aggregate.h: how values of one sample type add up over time. */
#ifndef OP_MODEL_AGGREGATE_H
#define OP_MODEL_AGGREGATE_H

#include "model/model.h"

enum op_aggregator {
	OP_SUM,	 /* a delta (cpu, wall, off_cpu, allocations): add */
	OP_LAST, /* a gauge (live heap, goroutines): use the latest */
	/* Totals from the start: of several reports use the latest. What has a
	 * timestamp is an event of its own all the same: add. */
	OP_CUMULATIVE,
};

/* Whether values of this sample type are a state, not a flow. */
bool op_type_is_gauge(struct op_view type);

enum op_aggregator op_aggregator_of(const struct op_model *m,
				    const struct op_profile *p);

const char *op_aggregator_name(enum op_aggregator a);

#endif
