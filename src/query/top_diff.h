// SPDX-License-Identifier: Apache-2.0
/* query/top_diff.h: the rows of query/top.h before and after. */
#ifndef OP_QUERY_TOP_DIFF_H
#define OP_QUERY_TOP_DIFF_H

#include "query/difference.h"
#include "query/top.h"

/* [0] before, [1] after. */
struct op_top_diff_row {
	uint32_t name; /* of names; OP_NO_ID: no frames are asked for */
	int64_t flat[2];
	int64_t cum[2];
};

struct op_top_diff {
	struct op_top side[2]; /* names are those of both */
	struct op_arena mem;
	struct op_text_table labels;
	OP_VEC(struct op_top_diff_row) rows;
	/* Row i has the labels nr_labels * i and so on. */
	struct op_id_vec label_of;
	struct op_intern index;
};

/* like: of d. t is all zero; on failure it is to be freed too. */
int op_top_diff_build(struct op_top_diff *t, const struct op_difference *d,
		      const struct op_profile *like,
		      const struct op_group_by *by, struct op_err *err);
void op_top_diff_free(struct op_top_diff *t);

/* The order of rows: the largest change first, whatever its sign, then the
 * largest after, then as they are. NULL: out of memory. */
uint32_t *op_top_diff_sort(struct op_top_diff *t, enum op_top_order order,
			   struct op_err *err);

/* The name of a row's frame; empty if it has none. */
struct op_view op_top_diff_name(const struct op_top_diff *t, uint32_t row);

op_inline struct op_view op_top_diff_label(const struct op_top_diff *t,
					   uint32_t row, uint32_t k)
{
	uint32_t n = t->side[0].by.nr_labels;

	return op_text(&t->labels, t->label_of.p[(size_t)row * n + k]);
}

#endif
