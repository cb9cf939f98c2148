// SPDX-License-Identifier: Apache-2.0
/* base/budget.c: the limits, and the counters of a thread's budget. */
#include "base/budget.h"

#include <stdio.h>

/* For 10 MB of input they come to less than 1 GB and two seconds. */
enum {
	MIB = 1 << 20,
	LEAST_MEMORY = 640, /* MiB */
	MEMORY_A_BYTE = 24,
	WORK_A_BYTE = 100,
};
#define LEAST_WORK UINT64_C(1000000000)

static _Thread_local struct op_budget *current;

static uint64_t limit(const struct op_budget *b, uint64_t least, uint64_t each)
{
	uint64_t most;

	if (b->part)
		return (least + b->input * each) / b->part;
	if (!b->times || __builtin_mul_overflow(b->input, each, &most) ||
	    __builtin_add_overflow(most, least, &most) ||
	    __builtin_mul_overflow(most, b->times, &most))
		return UINT64_MAX;
	return most;
}

uint64_t op_budget_memory(const struct op_budget *b)
{
	return limit(b, (uint64_t)LEAST_MEMORY * MIB, MEMORY_A_BYTE);
}

uint64_t op_budget_work(const struct op_budget *b)
{
	return limit(b, LEAST_WORK, WORK_A_BYTE);
}

struct op_budget *op_budget_use(struct op_budget *b)
{
	struct op_budget *before = current;

	current = b;
	return before;
}

struct op_budget *op_budget(void)
{
	return current;
}

void op_budget_input(uint64_t bytes)
{
	if (current)
		__atomic_add_fetch(&current->input, bytes, __ATOMIC_RELAXED);
}

static bool spend(struct op_budget *b, uint64_t steps)
{
	uint64_t done = __atomic_add_fetch(&b->work, steps, __ATOMIC_RELAXED);

	return done <= op_budget_work(b);
}

int op_work(uint64_t steps, struct op_err *err)
{
	struct op_budget *b = current;
	char why[sizeof(err->text)];

	if (err->code || !b)
		return err->code;
	if (op_likely(spend(b, steps)))
		return OP_OK;
	op_budget_why(why, sizeof(why));
	return op_fail(err, OP_ELIMIT, "%s", why);
}

void op_budget_why(char *text, size_t n)
{
	static const char more[] = "--budget N allows N times as much";
	unsigned long long input = current->input;

	if (op_work_left())
		snprintf(text, n,
			 "takes more than %llu MiB of memory, the limit for "
			 "%llu bytes of input; %s",
			 (unsigned long long)op_budget_memory(current) >> 20,
			 input, more);
	else
		snprintf(
			text, n,
			"takes more work than %llu bytes of input are allowed; "
			"%s",
			input, more);
}

uint64_t op_work_left(void)
{
	struct op_budget *b = current;
	uint64_t most = b ? op_budget_work(b) : UINT64_MAX;
	uint64_t done = b ? __atomic_load_n(&b->work, __ATOMIC_RELAXED) : 0;

	return done < most ? most - done : 0;
}

bool op_budget_is_spent(const struct op_err *err)
{
	const struct op_budget *b = current;

	return err->code == OP_ENOMEM ||
	       (err->code && b &&
		__atomic_load_n(&b->work, __ATOMIC_RELAXED) >
			op_budget_work(b));
}

/* What another thread took meanwhile may be missing from the peak: it is for
 * tests. */
bool op_budget_take(size_t bytes)
{
	struct op_budget *b = current;
	int64_t now;

	if (!b)
		return true;
	if (!op_budget_clear(bytes))
		return false;
	now = __atomic_add_fetch(&b->memory, (int64_t)bytes, __ATOMIC_RELAXED);
	if (op_unlikely(now > 0 && (uint64_t)now > op_budget_memory(b))) {
		op_budget_give(bytes);
		__atomic_store_n(&b->refused, true, __ATOMIC_RELAXED);
		return false;
	}
	if (now > __atomic_load_n(&b->peak, __ATOMIC_RELAXED))
		__atomic_store_n(&b->peak, now, __ATOMIC_RELAXED);
	return true;
}

bool op_budget_clear(size_t bytes)
{
	enum { BYTES_A_STEP = 8 };
	struct op_budget *b = current;

	if (!b || op_likely(spend(b, bytes / BYTES_A_STEP)))
		return true;
	__atomic_store_n(&b->refused, true, __ATOMIC_RELAXED);
	return false;
}

void op_budget_give(size_t bytes)
{
	if (current)
		__atomic_sub_fetch(&current->memory, (int64_t)bytes,
				   __ATOMIC_RELAXED);
}
