// SPDX-License-Identifier: Apache-2.0
/* query/compare.h: the functions of two profiles side by side. */
#ifndef OP_QUERY_COMPARE_H
#define OP_QUERY_COMPARE_H

#include "query/flame.h"

/* [0] before, [1] after. */
struct op_compare_row {
	struct op_view name;
	int64_t self[2];
	int64_t total[2];
};

struct op_compare {
	struct op_flame side[2];
	struct op_arena mem;
	OP_VEC(struct op_compare_row) rows;
};

struct op_compare_side {
	const struct op_model *m;
	const struct op_profile *p;
};

/* c must be all zero; it must be freed even after a failure. */
int op_compare_build(struct op_compare *c, struct op_compare_side before,
		     struct op_compare_side after, struct op_err *err);

/* The rows whose self value, or total, changed: the largest absolute change
 * first, then by name. NULL: out of memory. */
uint32_t *op_compare_top(struct op_compare *c, bool by_total, uint32_t *nr_out,
			 struct op_err *err);

/* after - before, saturating. */
int64_t op_compare_delta(const int64_t v[2]);

void op_compare_free(struct op_compare *c);

#endif
