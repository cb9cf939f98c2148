// SPDX-License-Identifier: Apache-2.0
/* record/slabs.h: memory of unwind tables, in slabs that BPF programs read.
 *
 * All slabs are mapped one behind the other, so that a table that spans several
 * is contiguous here. BPF finds a byte by its place: the number of the slab,
 * and the byte in it. A slab exists while something is in it.
 *
 * Without BPF the slabs are plain memory. */
#ifndef OP_RECORD_SLABS_H
#define OP_RECORD_SLABS_H

#include "base/err.h"
#include "bpf/event.h"

enum {
	OP_SLAB_UNIT = 4096, /* what is allocated is a multiple of it */
	OP_SLAB_UNITS = OP_BPF_SLAB / OP_SLAB_UNIT,
	OP_SLAB_ALL_UNITS = OP_BPF_MAX_SLABS * OP_SLAB_UNITS,
};

/* How a slab gets into the BPF maps. map: puts one at an address and at its
 * number; drop: takes it out of the maps. */
struct op_slab_maps {
	bool (*map)(void *ctx, uint32_t nr, void *at);
	void (*drop)(void *ctx, uint32_t nr);
	void *ctx;
};

struct op_slabs {
	struct op_slab_maps maps; /* map is NULL: plain memory */
	uint8_t *base;
	uint32_t nr, max; /* slabs in use, and how many may be */
	uint64_t used[OP_SLAB_ALL_UNITS / 64]; /* one bit per unit */
};

/* max_bytes: of all slabs. */
int op_slabs_init(struct op_slabs *s, const struct op_slab_maps *maps,
		  uint64_t max_bytes, struct op_err *err);
void op_slabs_fini(struct op_slabs *s);

/* Returns the place, and 0 for "no room"; no place is 0. */
uint32_t op_slabs_alloc(struct op_slabs *s, uint32_t bytes);
void op_slabs_free(struct op_slabs *s, uint32_t place, uint32_t bytes);

static inline void *op_slabs_at(const struct op_slabs *s, uint32_t place)
{
	return s->base + place;
}

#endif
