// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_index.h: finds the FDE of an address.
 *
 * Both sections are walked once, from their first byte: .eh_frame_hdr may be
 * wrong and is not used. Ranges are sorted and do not overlap:
 *
 *	- of FDEs with the same start the first is used, .eh_frame before
 *	  .debug_frame;
 *	- an FDE ends where the next begins;
 *	- .debug_frame is ignored where .eh_frame has an FDE;
 *	- up to 15 bytes before an FDE at a multiple of 16 belong to the one
 *	  before: padding between functions is never executed;
 *	- code without an FDE that returns from a signal handler is a range too.
 */
#ifndef OP_SYM_CFI_INDEX_H
#define OP_SYM_CFI_INDEX_H

#include "base/err.h"
#include "base/intern.h"
#include "base/vec.h"
#include "sym/cfi_run.h"

struct op_cfi_range {
	uint32_t start, end; /* relative to base */
	uint32_t program;    /* offset in the section of its CIE */
	uint32_t program_bytes;
	uint32_t cie; /* index into cies */
};

struct op_cfi_kin {
	struct op_cfi_cie cie;
	struct op_cfi_state begin;
	bool is_broken; /* nothing is known about its FDEs */
};

struct op_cfi_index {
	struct op_cfi cfi;
	uint64_t base; /* a multiple of 64 KiB */
	uint32_t size; /* bytes of code from base */
	OP_VEC(struct op_cfi_range) ranges;
	OP_VEC(struct op_cfi_kin) cies;
	uint32_t nr_broken; /* skipped entries */
	struct op_intern by_place;
	struct op_arena *mem;
	struct op_err *err;
};

/* The sections must outlive the index. Fails if out of memory, or if the code
 * spans 4 GiB or more; broken entries are skipped and counted. */
int op_cfi_index_init(struct op_cfi_index *ix, const struct op_cfi *cfi,
		      struct op_arena *mem, struct op_err *err);

/* The first range that ends after at, relative to base; the number of ranges if
 * there is none. */
size_t op_cfi_index_find(const struct op_cfi_index *ix, uint32_t at);

/* Runs the program of a range, limited to the range. */
void op_cfi_index_run(const struct op_cfi_index *ix, size_t range,
		      const struct op_cfi_sink *sink);

#endif
