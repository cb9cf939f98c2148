// SPDX-License-Identifier: Apache-2.0
/* base/budget.h: how much memory and work a run may take.
 *
 * A few bytes of input can ask for a lot: one location with many lines that
 * each frame of a deep stack refers to, a name of a megabyte in every line of
 * the output. Whatever multiplies two sizes of the input is counted here, and
 * both limits grow with the bytes that were read, so that real files are far
 * from them (docs/budget.md).
 *
 * What counts is the budget of the thread: memory is counted by base/arena.h,
 * work by whoever does it. A thread without a budget has no limit. Threads
 * that work for another use its budget; the counters are atomic.
 */
#ifndef OP_BASE_BUDGET_H
#define OP_BASE_BUDGET_H

#include "base/err.h"

/* Set input and times, the rest is zero. */
struct op_budget {
	uint64_t input; /* bytes that were read, as stored */
	uint32_t times; /* what is usual, this many times; 0: no limit */
	bool refused;	/* memory was */
	int64_t memory, peak;
	uint64_t work;
};

/* The limits. A step of work is about a nanosecond. */
uint64_t op_budget_memory(const struct op_budget *b);
uint64_t op_budget_work(const struct op_budget *b);

/* Makes it the budget of this thread; NULL: none. Gives the one before. */
struct op_budget *op_budget_use(struct op_budget *b);

/* The budget of this thread, or NULL. */
struct op_budget *op_budget(void);

/* So many bytes of input were read. */
void op_budget_input(uint64_t bytes);

/* Before so many steps of work are done. Fails with OP_ELIMIT if they are too
 * many, or if err holds a failure already. Gives err->code. */
int op_work(uint64_t steps, struct op_err *err);

/* How many steps are left. */
uint64_t op_work_left(void);

/* Whether a failure concerns the whole run, not the part of the input that was
 * being read: there is no more memory, or no more work allowed. */
bool op_budget_is_spent(const struct op_err *err);

/* Before memory is taken, and after it was given back. */
bool op_budget_take(size_t bytes);
void op_budget_give(size_t bytes);

#endif
