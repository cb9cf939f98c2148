// SPDX-License-Identifier: Apache-2.0
/* query/stack_sums.h: the first step of every view of calls: what each stack
 * of the profiles of one type adds up to, for each group of samples.
 *
 * Values with times are added up as their type says (model/aggregate.h): of a
 * gauge the last counts. */
#ifndef OP_QUERY_STACK_SUMS_H
#define OP_QUERY_STACK_SUMS_H

#include "model/aggregate.h"
#include "query/groups.h"

struct op_stack_sum {
	uint32_t group;
	uint32_t stack; /* 0 if only labels are asked for */
	int64_t value;	/* not 0 */
};

struct op_stack_sums {
	struct op_arena mem;
	OP_VEC(struct op_stack_sum) list; /* in the order of the samples */
	int64_t total;
	/* What the profiles have, all groups together. */
	uint32_t nr_profiles;
	uint64_t nr_samples, nr_observations;
};

/* s is all zero; on failure it is to be freed too. like: its type is meant, and
 * all profiles of the model that have it (op_same_type()). */
int op_stack_sums(struct op_stack_sums *s, const struct op_model *m,
		  const struct op_profile *like, struct op_groups *groups,
		  struct op_err *err);
void op_stack_sums_free(struct op_stack_sums *s);

/* What a sample of a profile with this aggregator adds up to. */
int64_t op_sample_amount(enum op_aggregator a, const struct op_profile *p,
			 uint32_t i);

#endif
