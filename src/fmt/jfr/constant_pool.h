// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/constant_pool.h: constant pools: where the value of an id is. */
#ifndef OP_FMT_JFR_CONSTANT_POOL_H
#define OP_FMT_JFR_CONSTANT_POOL_H

#include "base/intern.h"
#include "base/vec.h"

struct op_jfr_chunk;

struct op_jfr_pool {
	/* Most writers number values one after the other: so many are found
	 * by the distance of their id from the first, all others here. */
	uint32_t nr_in_row;
	struct op_intern index;
	OP_VEC(uint64_t) ids;
	OP_VEC(uint64_t) at;	/* byte of the chunk where the value begins */
	OP_VEC(uint64_t) bytes; /* that the value takes */
	OP_VEC(uint32_t) made;	/* what became of it; OP_NO_ID: nothing yet */
};

int op_jfr_pools_read(struct op_jfr_chunk *c, uint64_t at);
/* Those of one checkpoint; gives how far from it the next is. */
int64_t op_jfr_checkpoint_read(struct op_jfr_chunk *c, uint64_t at);
/* Where the value of an id begins, and its slot; false if it is missing. */
bool op_jfr_pool_find(const struct op_jfr_chunk *c, uint32_t type, uint64_t id,
		      uint64_t *at, uint32_t *slot);

/* The text of a value that holds one: a symbol, a string, an enum. */
struct op_view op_jfr_pool_text(struct op_jfr_chunk *c, uint32_t type,
				uint64_t id);

#endif
