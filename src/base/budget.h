// SPDX-License-Identifier: Apache-2.0
/* base/budget.h: limits on the memory and work of a run.
 *
 * A few bytes of input can demand a lot: one location with many lines that each
 * frame of a deep stack refers to, a name of a megabyte in every line of the
 * output. Every product of two input sizes is counted here. Both limits grow
 * with the number of bytes read, so that real files stay far below them
 * (docs/budget.md).
 *
 * The budget belongs to the thread: base/arena.h counts memory, and the code
 * that does the work counts work. A thread without a budget has no limit.
 * Worker threads use the budget of the thread they work for; the counters are
 * atomic.
 */
#ifndef OP_BASE_BUDGET_H
#define OP_BASE_BUDGET_H

#include "base/err.h"

/* Set input and times; the rest must be zero. */
struct op_budget {
	uint64_t input; /* bytes read, as stored */
	uint32_t times; /* multiple of the usual limits; 0: no limit */
	uint32_t part;	/* fraction of that, for tests; 0: all */
	bool refused;	/* memory, or work that takes memory */
	int64_t memory, peak;
	uint64_t work;
};

/* The limits. A step of work is about a nanosecond. */
uint64_t op_budget_memory(const struct op_budget *b);
uint64_t op_budget_work(const struct op_budget *b);

/* Sets the budget of this thread; NULL: none. Returns the previous one. */
struct op_budget *op_budget_use(struct op_budget *b);

/* The budget of this thread, or NULL. */
struct op_budget *op_budget(void);

/* Counts bytes of input that were read. */
void op_budget_input(uint64_t bytes);

/* Call before doing this many steps of work. Fails with OP_ELIMIT if they are
 * too many, or if err already holds a failure. Returns err->code. */
int op_work(uint64_t steps, struct op_err *err);

/* The same for loops that do little work often: collects steps and counts many
 * at once. *steps must be 0 at first. */
op_inline bool op_steps(uint64_t *steps, uint64_t more, struct op_err *err)
{
	enum { MANY = 1 << 16 };
	uint64_t n = *steps + more;

	*steps = n < MANY ? n : 0;
	return op_likely(n < MANY) || !op_work(n, err);
}

/* A message that says which limit was reached. */
void op_budget_why(char *text, size_t n);

/* Number of steps left. */
uint64_t op_work_left(void);

/* Whether a failure concerns the whole run, not just the part of the input
 * being read: out of memory, or over the work limit. */
bool op_budget_is_spent(const struct op_err *err);

/* Call before allocating memory, and after freeing it. */
bool op_budget_take(size_t bytes);
void op_budget_give(size_t bytes);

/* Call before filling memory with zeros: if each of many profiles has tables as
 * large as those of all, that is where the work is. */
bool op_budget_clear(size_t bytes);

#endif
