// SPDX-License-Identifier: Apache-2.0
/* record/slabs.c: memory of unwind tables, in slabs that BPF programs read. */
#include "record/slabs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The first unit is never given away, so that no place is 0. */
enum { FIRST_UNIT = 1 };

static const size_t all_bytes = (size_t)OP_BPF_MAX_SLABS * OP_BPF_SLAB;

static bool is_used(const struct op_slabs *s, uint32_t unit)
{
	return s->used[unit / 64] >> unit % 64 & 1;
}

static bool slab_is_empty(const struct op_slabs *s, uint32_t nr)
{
	uint32_t at = nr * OP_SLAB_UNITS;

	return !(s->used[at / 64] >> at % 64 &
		 (((uint64_t)1 << OP_SLAB_UNITS) - 1));
}

static void mark(struct op_slabs *s, uint32_t from, uint32_t nr, bool used)
{
	for (uint32_t i = from; i < from + nr; i++) {
		uint64_t bit = (uint64_t)1 << i % 64;

		if (used)
			s->used[i / 64] |= bit;
		else
			s->used[i / 64] &= ~bit;
	}
}

int op_slabs_init(struct op_slabs *s, const struct op_slab_maps *maps,
		  uint64_t max_bytes, struct op_err *err)
{
	*s = (struct op_slabs){ .max = (uint32_t)(max_bytes / OP_BPF_SLAB) };
	if (maps)
		s->maps = *maps;
	s->base = mmap(NULL, all_bytes, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->base == MAP_FAILED) {
		s->base = NULL;
		return op_fail(err, OP_ENOMEM,
			       "no address space for unwind tables: %s",
			       strerror(errno));
	}
	return OP_OK;
}

static void slab_drop(struct op_slabs *s, uint32_t nr)
{
	if (s->maps.drop)
		s->maps.drop(s->maps.ctx, nr);
	mmap(s->base + (size_t)nr * OP_BPF_SLAB, OP_BPF_SLAB, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	s->nr--;
}

void op_slabs_fini(struct op_slabs *s)
{
	if (!s->base)
		return;
	for (uint32_t i = 0; i < OP_BPF_MAX_SLABS; i++)
		if (!slab_is_empty(s, i))
			slab_drop(s, i);
	munmap(s->base, all_bytes);
	*s = (struct op_slabs){ 0 };
}

static bool slab_make(struct op_slabs *s, uint32_t nr)
{
	void *at = s->base + (size_t)nr * OP_BPF_SLAB;

	if (s->maps.map ? !s->maps.map(s->maps.ctx, nr, at) :
			  mprotect(at, OP_BPF_SLAB, PROT_READ | PROT_WRITE))
		return false;
	s->nr++;
	return true;
}

/* Whether the slabs of these units exist or may be made. */
static bool is_within(const struct op_slabs *s, uint32_t first, uint32_t nr)
{
	uint32_t missing = 0;

	for (uint32_t slab = first / OP_SLAB_UNITS;
	     slab <= (first + nr - 1) / OP_SLAB_UNITS; slab++)
		missing += slab_is_empty(s, slab);
	return missing <= s->max - s->nr;
}

/* The first of nr free units in a row; 0: there are none. */
static uint32_t find_room(const struct op_slabs *s, uint32_t nr)
{
	uint32_t run = 0;

	for (uint32_t i = FIRST_UNIT; i < OP_SLAB_ALL_UNITS; i++) {
		run = is_used(s, i) ? 0 : run + 1;
		if (run >= nr && is_within(s, i - nr + 1, nr))
			return i - nr + 1;
	}
	return 0;
}

static uint32_t units_of(uint32_t bytes)
{
	return bytes / OP_SLAB_UNIT + !!(bytes % OP_SLAB_UNIT);
}

uint32_t op_slabs_alloc(struct op_slabs *s, uint32_t bytes)
{
	uint32_t nr = units_of(bytes), first = nr ? find_room(s, nr) : 0;
	uint32_t slab, last;

	if (!first)
		return 0;
	last = (first + nr - 1) / OP_SLAB_UNITS;
	for (slab = first / OP_SLAB_UNITS; slab <= last; slab++)
		if (slab_is_empty(s, slab) && !slab_make(s, slab))
			break;
	if (slab <= last) {
		while (slab-- > first / OP_SLAB_UNITS)
			if (slab_is_empty(s, slab))
				slab_drop(s, slab);
		return 0;
	}
	mark(s, first, nr, true);
	return first * OP_SLAB_UNIT;
}

void op_slabs_free(struct op_slabs *s, uint32_t place, uint32_t bytes)
{
	uint32_t first = place / OP_SLAB_UNIT, nr = units_of(bytes);

	mark(s, first, nr, false);
	for (uint32_t slab = first / OP_SLAB_UNITS;
	     slab <= (first + nr - 1) / OP_SLAB_UNITS; slab++)
		if (slab_is_empty(s, slab))
			slab_drop(s, slab);
}
