// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/native_leaks.h: native memory that was not given back. */
#ifndef OP_FMT_JFR_NATIVE_LEAKS_H
#define OP_FMT_JFR_NATIVE_LEAKS_H

#include "base/intern.h"
#include "base/vec.h"

/* A block of native memory. */
struct op_jfr_block {
	uint64_t address;
	uint64_t malloc_ns, free_ns; /* last; 0: never */
	int64_t size;
	uint32_t sample; /* of the profile of mallocs */
};

/* Of all chunks. */
struct op_jfr_mallocs {
	struct op_intern index; /* by address */
	OP_VEC(struct op_jfr_block) blocks;
	uint32_t profile; /* of the mallocs */
};

struct op_jfr;

/* Memory taken and given back, and what is left at the end. */
void op_jfr_malloc_add(struct op_jfr *j, const struct op_jfr_block *block);
void op_jfr_free_add(struct op_jfr *j, uint64_t address, uint64_t time_ns);
void op_jfr_leaks_end(struct op_jfr *j);

#endif
