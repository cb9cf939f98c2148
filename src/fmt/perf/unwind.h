// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/unwind.h: callers from a copy of the stack. */
#ifndef OP_FMT_PERF_UNWIND_H
#define OP_FMT_PERF_UNWIND_H

#include "sym/tables.h"

struct op_perf_unwinding {
	struct op_perf_unwind *room;
	struct op_tables tables;
	uint64_t nr_refused; /* stacks, for want of permission */
};

struct op_perf;
struct op_perf_event;
struct op_perf_sample;
struct op_host_space;

/* Adds frames; why there are no more, or NULL if that was the last caller, or
 * if nothing can be unwound. */
const char *op_perf_unwind(struct op_perf *f, struct op_host_space *space,
			   const struct op_perf_event *e,
			   const struct op_perf_sample *s);

#endif
