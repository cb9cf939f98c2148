// SPDX-License-Identifier: Apache-2.0
/* query/totals.h: what groups of samples add up to, how many samples and
 * observations they are, and when they were made. */
#ifndef OP_QUERY_TOTALS_H
#define OP_QUERY_TOTALS_H

#include "model/interval.h"
#include "query/groups.h"

struct op_total {
	uint32_t group;
	int64_t value; /* as op_sample_amount() says */
	uint64_t nr_samples;
	uint64_t nr_observations;
	uint64_t nr_untimed;  /* of these: without a time */
	int64_t untimed;      /* of the value: theirs */
	struct op_range time; /* to the end of the last; 0, 0: no times */
};

struct op_totals {
	struct op_groups groups;
	struct op_arena mem;
	OP_VEC(struct op_total) list; /* by group, until they are sorted */
	struct op_total all;
	uint32_t nr_profiles;
};

/* t is all zero; on failure it is to be freed too. like: its type is meant, and
 * all profiles of the model that have it. Labels of frames do not count. */
int op_totals_build(struct op_totals *t, const struct op_model *m,
		    const struct op_profile *like, const struct op_group_by *by,
		    struct op_err *err);
void op_totals_free(struct op_totals *t);

/* The largest first, whatever the sign, then by text. */
void op_totals_sort(struct op_totals *t);

/* Which observations last. Of gauges none does. */
struct op_interval_kind op_lasting_kind(const struct op_model *m,
					const struct op_walk *at);

/* From the first of these times to the end of the last; there is one. */
struct op_range op_times_range(struct op_interval_kind kind, struct op_times t,
			       struct op_values v);

/* Widens a range to take in another; one that ends at 0 is empty. */
void op_range_widen(struct op_range *r, struct op_range by);

/* The value of observation k: 1 where there is none. */
op_inline int64_t op_observed(struct op_values v, uint32_t k)
{
	return v.n ? v.p[k] : 1;
}

#endif
