// SPDX-License-Identifier: Apache-2.0
/* query/lines.h: what the source lines of functions have. */
#ifndef OP_QUERY_LINES_H
#define OP_QUERY_LINES_H

#include "base/regex.h"
#include "query/stack_sums.h"

/* Functions of one name in two files are two. */
struct op_lines_function {
	struct op_view name, file; /* of the model; file may be empty */
	int64_t flat, cum;
	uint32_t first_row, nr_rows; /* by line */
	uint32_t seen;		     /* number of the last stack it was in */
};

struct op_lines_row {
	uint32_t function;
	int64_t line; /* 0: unknown */
	int64_t flat, cum;
	uint32_t seen;
};

struct op_lines {
	struct op_groups groups;
	struct op_stack_sums sums;
	struct op_arena mem;
	OP_VEC(struct op_lines_function) functions; /* the largest cum first */
	OP_VEC(struct op_lines_row) rows;
	int64_t total;
	uint32_t nr_names; /* of functions in stacks, matching or not */
};

/* Of all profiles that have the type of like, the functions whose name matches.
 * flat and cum are as in query/top.h. l is all zero; on failure it is to be
 * freed too. */
int op_lines_build(struct op_lines *l, const struct op_model *m,
		   const struct op_profile *like, struct op_regex *re,
		   struct op_err *err);
void op_lines_free(struct op_lines *l);

#endif
