// SPDX-License-Identifier: Apache-2.0
/* query/top.h: one row for each function, line, file or module, for each group
 * of samples, or both.
 *
 *	struct op_top t = { 0 };
 *	op_top_build(&t, m, like, &by, err);
 *	op_top_sort(&t, OP_TOP_FLAT);
 *	... t.rows.p[0] ... op_top_text(&t, row, ...)
 *	op_top_free(&t);
 */
#ifndef OP_QUERY_TOP_H
#define OP_QUERY_TOP_H

#include "query/frame_names.h"
#include "query/stack_sums.h"

/* flat: the frame is the leaf. cum: it is anywhere in the stack, counted once
 * per stack. Without frames both are the sum of the group. */
struct op_top_row {
	uint32_t group;
	uint32_t name; /* of names; OP_NO_ID: no frames are asked for */
	int64_t flat;
	int64_t cum;
};

struct op_top {
	struct op_group_by by;
	struct op_frame_names names;
	struct op_groups groups;
	struct op_stack_sums sums;
	struct op_arena mem;
	OP_VEC(struct op_top_row) rows;
	int64_t total;
	int64_t no_stack; /* of the total: samples without a frame */
};

/* t is all zero; on failure it is to be freed too. Samples without a stack are
 * in rows called "(no stack)". */
int op_top_build(struct op_top *t, const struct op_model *m,
		 const struct op_profile *like, const struct op_group_by *by,
		 struct op_err *err);
void op_top_free(struct op_top *t);

/* The largest first, whatever the sign, as differences are negative too; then
 * by the other, then by text. */
enum op_top_order { OP_TOP_FLAT, OP_TOP_CUM };
void op_top_sort(struct op_top *t, enum op_top_order order);

/* The name of a row's frame; empty if it has none. */
struct op_view op_top_name(const struct op_top *t,
			   const struct op_top_row *row);

#endif
