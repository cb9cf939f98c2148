// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/recover.h: chunks that are broken or were never finished. */
#ifndef OP_FMT_JFR_RECOVER_H
#define OP_FMT_JFR_RECOVER_H

#include "base/vec.h"
#include "fmt/jfr/chunk_header.h"

/* What is found by going through a chunk that was not finished. */
struct op_jfr_found {
	OP_VEC(uint64_t) pools_at;
	uint64_t next; /* where the next chunk begins; 0: to be found */
};

/* Where the next chunk begins, or the end of the file, which is in memory as a
 * whole. */
uint64_t op_jfr_next_chunk(const struct op_source *whole,
			   const struct op_jfr_header *h);
int op_jfr_salvage(const struct op_source *whole, struct op_jfr_header *h,
		   struct op_jfr_found *found, struct op_arena *mem);

#endif
