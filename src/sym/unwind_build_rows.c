// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_build_rows.c: the rows of a page, and runs of rows that repeat. */
#include "sym/unwind_build_int.h"

/* Whether two rules differ only by a push, a pop, or a change between stack and
 * frame pointer. */
static bool is_small_step(const struct op_rule *a, const struct op_rule *b)
{
	int64_t by = (int64_t)b->cfa_off - a->cfa_off;

	if (a->cfa != OP_CFA_REG || b->cfa != OP_CFA_REG)
		return false;
	return by ? by >= -8 && by <= 8 : a->cfa_reg != b->cfa_reg;
}

/* The number of rows from i on that may form one run. */
static uint32_t chain_length(const struct op_unwind_build *b, uint32_t i)
{
	const struct op_unwind_row *r = b->page_rows + i;
	const struct op_rule *rules = b->rules.p;
	uint32_t most = b->nr_rows - i, n = 1;

	if (most > OP_MAX_STEPS)
		most = OP_MAX_STEPS;
	while (n < most && r[n].low - r[0].low <= UINT8_MAX &&
	       is_small_step(&rules[r[n - 1].code], &rules[r[n].code]))
		n++;
	return n;
}

/* Hashes of the rest of a chain from each of its rows on, except the last. */
static void chain_hashes(const struct op_unwind_row *r, uint32_t n,
			 uint32_t *hashes)
{
	uint64_t h = r[n - 1].code;

	for (uint32_t i = n - 1; i--;) {
		uint64_t delta = (uint64_t)(r[i + 1].low - r[i].low);

		h = ((h ^ h >> 32) + (delta << 16 | r[i].code)) *
		    0x9e3779b97f4a7c15u;
		hashes[i] = (uint32_t)(h >> 32);
	}
}

struct run {
	const struct op_unwind_row *rows;
	uint32_t n, hash;
};

/* The steps of a run are contiguous: if the first has as many after it as the
 * key, they need not be checked to exist. */
static bool run_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_unwind_step *s = (const struct op_unwind_step *)table +
					 id;
	const struct run *run = key;
	const struct op_unwind_row *r = run->rows;

	if (s[0].left != run->n - 1)
		return false;
	for (uint32_t i = 0; i < run->n; i++)
		if (s[i].rule != r[i].code || s[i].delta != r[i].low - r[0].low)
			return false;
	return true;
}

static void run_steps(const struct run *run, struct op_unwind_step *s)
{
	for (uint32_t i = 0; i < run->n; i++) {
		s[i].delta = (uint8_t)(run->rows[i].low - run->rows[0].low);
		s[i].left = (uint8_t)(run->n - 1 - i);
		s[i].rule = run->rows[i].code;
	}
}

/* The position of the steps of a run. A run is stored when it occurs for the
 * second time: most never repeat. OP_NO_ID: not stored. */
static uint32_t run_put(struct op_unwind_build *b, const struct run *run)
{
	uint32_t *seen = &b->seen[run->hash >> (32 - OP_SEEN_BITS)];
	uint32_t id = op_intern_find(&b->by_steps, run->hash, run_eq,
				     b->steps.p, run);

	if (id != OP_NO_ID)
		return id;
	if (*seen != run->hash) {
		*seen = run->hash;
		return OP_NO_ID;
	}
	if (b->steps.n + run->n > OP_MAX_RULES)
		return OP_NO_ID;
	id = (uint32_t)b->steps.n;
	if (!op_vec_reserve(b->mem, &b->steps, run->n) ||
	    !op_intern_add(&b->by_steps, b->mem, run->hash, id))
		return OP_NO_ID;
	run_steps(run, b->steps.p + id);
	b->steps.n += run->n;
	return id;
}

static void put_row(struct op_unwind_build *b, uint16_t low, uint32_t code)
{
	b->rows.p[b->rows.n++] = (struct op_unwind_row){ low, (uint16_t)code };
}

/* If a chain is not a known run, the chain without its first row may be. */
static void put_chain(struct op_unwind_build *b, const struct op_unwind_row *r,
		      uint32_t n)
{
	uint32_t hashes[OP_MAX_STEPS];

	chain_hashes(r, n, hashes);
	for (uint32_t i = 0; i < n; i++) {
		struct run run = { r + i, n - i, 0 };
		uint32_t steps = OP_NO_ID;

		if (run.n > 1) {
			run.hash = hashes[i];
			steps = run_put(b, &run);
		}
		if (steps != OP_NO_ID) {
			put_row(b, r[i].low, OP_CODE_STEPS | steps);
			return;
		}
		put_row(b, r[i].low, r[i].code);
	}
}

void op_build_rows(struct op_unwind_build *b)
{
	if (!op_vec_reserve(b->mem, &b->rows, b->nr_rows))
		return;
	for (uint32_t i = 0, n; i < b->nr_rows; i += n) {
		n = chain_length(b, i);
		if (n > 1)
			put_chain(b, b->page_rows + i, n);
		else
			put_row(b, b->page_rows[i].low, b->page_rows[i].code);
	}
}
