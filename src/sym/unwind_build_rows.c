// SPDX-License-Identifier: Apache-2.0
/* Rows of a page, and the runs among them that come again and again. */
#include "base/hash.h"
#include "sym/unwind_build_int.h"

/* Whether a push, a pop, or the change between stack and frame pointer is all
 * that lies between two rules. */
static bool is_small_step(const struct op_rule *a, const struct op_rule *b)
{
	int64_t by = (int64_t)b->cfa_off - a->cfa_off;

	return a->cfa == OP_CFA_REG && b->cfa == OP_CFA_REG && by >= -8 &&
	       by <= 8;
}

/* How many rows from i on are one run. */
static uint32_t run_length(const struct op_unwind_build *b, uint32_t i)
{
	const struct op_unwind_row *r = b->rows;
	uint32_t n = 1;

	while (i + n < b->nr_rows && n < OP_MOST_STEPS &&
	       r[i + n].low - r[i].low <= UINT8_MAX &&
	       is_small_step(&b->rules.p[r[i + n - 1].rule],
			     &b->rules.p[r[i + n].rule]))
		n++;
	return n;
}

struct run {
	struct op_unwind_step step[OP_MOST_STEPS];
	uint32_t n;
};

/* Those of one run stand together, so if the first has as many behind it as
 * the key's there is no need to ask whether they are there. */
static bool run_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_unwind_step *steps = table;
	const struct run *run = key;

	return steps[id].left == run->step[0].left &&
	       !memcmp(&steps[id], run->step, run->n * sizeof(*steps));
}

/* Where the steps of a run stand. A run is kept from the second time on that
 * it is met: most never come again. OP_NO_ID: it is not. */
static uint32_t run_put(struct op_unwind_build *b, const struct run *run)
{
	uint32_t hash = op_hash32(run->step, run->n * sizeof(run->step[0]));
	uint32_t *seen = &b->seen[hash >> (32 - OP_SEEN_BITS)];
	uint32_t id = op_intern_find(&b->by_steps, hash, run_eq, b->steps.p,
				     run);

	if (id != OP_NO_ID)
		return id;
	if (*seen != hash) {
		*seen = hash;
		return OP_NO_ID;
	}
	if (b->steps.n + run->n > OP_MOST_RULES)
		return OP_NO_ID;
	id = (uint32_t)b->steps.n;
	if (!op_vec_reserve(b->mem, &b->steps, run->n) ||
	    !op_intern_add(&b->by_steps, b->mem, hash, id)) {
		op_build_no_memory(b);
		return OP_NO_ID;
	}
	memcpy(b->steps.p + id, run->step, run->n * sizeof(run->step[0]));
	b->steps.n += run->n;
	return id;
}

static uint32_t run_code(struct op_unwind_build *b, uint32_t i, uint32_t n)
{
	const struct op_unwind_row *r = b->rows + i;
	struct run run;

	run.n = n;
	for (uint32_t k = 0; k < n; k++) {
		run.step[k].delta = (uint8_t)(r[k].low - r[0].low);
		run.step[k].left = (uint8_t)(n - 1 - k);
		run.step[k].rule = r[k].rule;
	}
	return run_put(b, &run);
}

void op_build_rows(struct op_unwind_build *b)
{
	if (!op_vec_reserve(b->mem, &b->low, b->nr_rows) ||
	    !op_vec_reserve(b->mem, &b->code, b->nr_rows)) {
		op_build_no_memory(b);
		return;
	}
	for (uint32_t i = 0; i < b->nr_rows;) {
		uint32_t n = run_length(b, i), steps = OP_NO_ID;

		if (n > 1)
			steps = run_code(b, i, n);
		if (steps == OP_NO_ID)
			n = 1;
		b->low.p[b->low.n++] = b->rows[i].low;
		b->code.p[b->code.n++] = steps == OP_NO_ID ?
						 b->rows[i].rule :
						 (uint16_t)(OP_CODE_STEPS |
							    steps);
		i += n;
	}
}
