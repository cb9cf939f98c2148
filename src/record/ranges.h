// SPDX-License-Identifier: Apache-2.0
/* record/ranges.h: which parts of the map of ranges belong to which process.
 *
 * A process has its ranges in a row. To change them it gets another place, and
 * its old one is given back: BPF may be reading it. */
#ifndef OP_RECORD_RANGES_H
#define OP_RECORD_RANGES_H

#include "base/arena.h"
#include "base/vec.h"

enum { OP_RANGES_MIN = 16, OP_RANGES_CLASSES = 14 };

struct op_ranges {
	uint32_t next, max;			  /* never used; of all */
	OP_VEC(uint32_t) free[OP_RANGES_CLASSES]; /* sizes MIN << class */
	/* Given back before and since the last op_ranges_tick(): the first,
	 * and the class. */
	OP_VEC(uint64_t) old[2];
	struct op_arena *mem;
};

/* Room for nr ranges. False: none is left; the caller starts over. */
bool op_ranges_alloc(struct op_ranges *r, uint32_t nr, uint32_t *first);
void op_ranges_free(struct op_ranges *r, uint32_t first, uint32_t nr);
/* No program reads what was given back before the last call but one. */
void op_ranges_tick(struct op_ranges *r);
/* Forgets all. */
void op_ranges_reset(struct op_ranges *r);

#endif
