// SPDX-License-Identifier: Apache-2.0
/* agent/alloc.h: samples what the program allocates.
 *
 * Every byte that a thread allocates is a sample point with the same
 * probability, so that the bytes between two points have an exponential
 * distribution. An allocation with at least one point is sampled; who knows its
 * size and the mean distance knows for how many it stands. The hooks cost a
 * subtraction for an allocation that is not sampled, and a load for free().
 *
 * Samples wait here until the sampler takes them. */
#ifndef OP_AGENT_ALLOC_H
#define OP_AGENT_ALLOC_H

#include "agent/walk.h"
#include "agent/context.h"
#include "base/err.h"

enum {
	OP_ALLOC_MEAN = 512 << 10, /* bytes between two points */
	OP_ALLOC_SLOTS = 512,
	OP_ALLOC_FRAMES = 256,
	OP_ALLOC_FREES = 64 << 10,
};

struct op_alloc {
	uint32_t tid;
	uint64_t time_ns; /* since 1970 */
	uint64_t size;
	uint64_t id; /* from 1 on */
	struct op_agent_context context;
	uint8_t end;
	uint32_t nr;
	uint64_t frames[OP_ALLOC_FRAMES];
	struct op_agent_walk walk;
};

struct op_allocs_opts {
	const struct op_channel *channel;
	const uint8_t *tables;
	uint32_t *bell; /* a futex: it is rung if many samples wait */
};

/* Has all loaded code call the hooks; again after more was loaded. */
int op_allocs_open(const struct op_allocs_opts *opts, struct op_err *err);
void op_allocs_loaded(void);
/* For code that was just being loaded then; to be called in each round. */
void op_allocs_retry(void);
/* Has all code call the C library again. */
void op_allocs_close(void);
/* Has the sampler take what waits here, and returns when it has; after a fifth
 * of a second at most. For any thread. */
void op_allocs_flush(void);

/* The next sample that waits; NULL: none. It is free after op_alloc_done(). */
struct op_alloc *op_alloc_next(void);
void op_alloc_done(struct op_alloc *a);
/* IDs of what was freed before the last call of op_alloc_next(), up to max; the
 * number of them. */
uint32_t op_allocs_freed(uint64_t *ids, uint32_t max);
/* Samples and notices of free() that had no room, ever. */
uint64_t op_allocs_lost(void);

/* The oldest version of a map that a sample is being taken with, at most this.
 */
uint64_t op_allocs_oldest(uint64_t version);

/* For tests: the natural logarithm, of 0 < x <= 1. */
double op_alloc_ln(double x);

#endif
