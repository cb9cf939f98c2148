// SPDX-License-Identifier: Apache-2.0
/* query/peek.h: functions with their callers and callees.
 *
 * A stack counts once for each function and once for each pair of a caller and
 * its callee that it has, however often; a function that calls itself is no
 * pair. These are pprof's rules.
 */
#ifndef OP_QUERY_PEEK_H
#define OP_QUERY_PEEK_H

#include "base/regex.h"
#include "query/frame_names.h"
#include "query/stack_sums.h"

struct op_peek_call {
	uint32_t row;  /* the function that was asked for */
	uint32_t name; /* its caller or callee */
	int64_t value;
};

/* Calls of a row stand one behind the other, the largest first. */
struct op_peek_row {
	uint32_t name;
	int64_t flat, cum;
	uint32_t first_caller, nr_callers;
	uint32_t first_callee, nr_callees;
};

struct op_peek_edge {
	uint32_t caller, callee;
	int64_t value;
	uint32_t seen; /* number of the last stack it was in */
};

struct op_peek {
	struct op_frame_names names;
	struct op_groups groups;
	struct op_stack_sums sums;
	struct op_arena mem;
	OP_VEC(struct op_peek_row) rows; /* the largest cum first */
	OP_VEC(struct op_peek_edge) edges;
	OP_VEC(struct op_peek_call) callers, callees;
	int64_t total;
	uint32_t nr_names; /* that stacks have, matching or not */
};

/* Of all profiles that have the type of like, the frames by parts (OP_FRAME_)
 * whose name matches. p is all zero; on failure it is to be freed too. */
int op_peek_build(struct op_peek *p, const struct op_model *m,
		  const struct op_profile *like, unsigned int parts,
		  struct op_regex *re, struct op_err *err);
void op_peek_free(struct op_peek *p);

op_inline struct op_view op_peek_name(const struct op_peek *p, uint32_t name)
{
	return op_text(&p->names.texts, name);
}

#endif
