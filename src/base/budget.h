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
	uint32_t part;	/* of that a part, for tests; 0: all */
	bool refused;	/* memory was, or work that takes memory */
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

/* The same for loops that do little work often: collects steps and tells of
 * many at once. *steps is 0 at first. */
op_inline bool op_steps(uint64_t *steps, uint64_t more, struct op_err *err)
{
	enum { MANY = 1 << 16 };
	uint64_t n = *steps + more;

	*steps = n < MANY ? n : 0;
	return op_likely(n < MANY) || !op_work(n, err);
}

/* A sentence that says which limit was reached. */
void op_budget_why(char *text, size_t n);

/* How many steps are left. */
uint64_t op_work_left(void);

/* Whether a failure concerns the whole run, not the part of the input that was
 * being read: there is no more memory, or no more work allowed. */
bool op_budget_is_spent(const struct op_err *err);

/* Before memory is taken, and after it was given back. */
bool op_budget_take(size_t bytes);
void op_budget_give(size_t bytes);

/* Before memory is filled with zeros: where each of many profiles has tables
 * as large as those of all, that is the work. */
bool op_budget_clear(size_t bytes);

#endif
