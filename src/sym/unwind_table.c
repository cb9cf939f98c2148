// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_table.c: lookups in unwind tables. */
#include "sym/unwind_table.h"

/* Other versions and programs read these blocks: the layout is fixed. */
_Static_assert(offsetof(struct op_unwind_head, base) == 8 &&
		       offsetof(struct op_unwind_head, bytes) == 16 &&
		       offsetof(struct op_unwind_head, rows) == 40 &&
		       offsetof(struct op_unwind_head, expr) == 60 &&
		       sizeof(struct op_unwind_head) == 64,
	       "the head of a block");
_Static_assert(offsetof(struct op_unwind_page, block) == 8 &&
		       sizeof(struct op_unwind_page) == 136,
	       "a page");
_Static_assert(sizeof(struct op_unwind_row) == 4 &&
		       sizeof(struct op_unwind_step) == 4 &&
		       sizeof(struct op_rule) == 16,
	       "a row, a step and a rule");

static int bad(struct op_err *err, const char *what)
{
	return op_fail(err, OP_EFORMAT, "unwind table: %s", what);
}

static bool has(const struct op_unwind_head *h, uint32_t at, uint64_t nr,
		size_t size)
{
	return at >= sizeof(*h) && at % (size > 2 ? 4 : size) == 0 &&
	       at + nr * size <= h->bytes;
}

static bool parts_fit(const struct op_unwind_head *h)
{
	return h->nr_rules && h->nr_rules <= OP_MAX_RULES &&
	       h->nr_steps <= OP_MAX_RULES &&
	       has(h, sizeof(*h), h->nr_pages, sizeof(struct op_unwind_page)) &&
	       has(h, h->rows, h->nr_rows, sizeof(struct op_unwind_row)) &&
	       !(h->rules % 8) &&
	       has(h, h->rules, h->nr_rules, sizeof(struct op_rule)) &&
	       has(h, h->steps, h->nr_steps, sizeof(struct op_unwind_step)) &&
	       has(h, h->wide, h->nr_wide, sizeof(struct op_wide_rule)) &&
	       has(h, h->expr, 0, 1);
}

static bool blocks_fit(const struct op_unwind_page *p)
{
	for (uint32_t i = 0; i < OP_PAGE_BLOCKS; i++)
		if (p->block[i] >= p->nr_built - 1 ||
		    (i && p->block[i] < p->block[i - 1]))
			return false;
	return true;
}

static bool pages_fit(const struct op_unwind_table *t)
{
	const struct op_unwind_page *p = op_unwind_pages(t);
	const struct op_unwind_row *rows = op_unwind_part(t, t->head->rows);

	for (uint32_t i = 0; i < t->head->nr_pages; i++) {
		uint64_t end = (uint64_t)p[i].first + p[i].nr_built - 1;

		if (!p[i].nr_built)
			continue;
		if (p[i].nr_built == 1 || end > t->head->nr_rows)
			return false;
		/* The order is not checked: a search in unsorted rows ends too.
		 */
		if (rows[p[i].first].low || !blocks_fit(&p[i]))
			return false;
	}
	return true;
}

static bool codes_fit(const struct op_unwind_table *t)
{
	const struct op_unwind_row *rows = op_unwind_part(t, t->head->rows);

	for (uint32_t i = 0; i < t->head->nr_rows; i++) {
		uint32_t c = rows[i].code & ~(uint32_t)OP_CODE_STEPS;
		uint32_t most = rows[i].code & OP_CODE_STEPS ?
					t->head->nr_steps :
					t->head->nr_rules;

		if (c >= most)
			return false;
	}
	return true;
}

static bool steps_fit(const struct op_unwind_table *t)
{
	const struct op_unwind_step *s = op_unwind_part(t, t->head->steps);

	for (uint32_t i = 0; i < t->head->nr_steps; i++)
		if (s[i].rule >= t->head->nr_rules ||
		    s[i].left >= t->head->nr_steps - i ||
		    (s[i].left && s[i + 1].left != s[i].left - 1))
			return false;
	return true;
}

static bool rules_fit(const struct op_unwind_table *t)
{
	const struct op_rule *r = op_unwind_part(t, t->head->rules);

	for (uint32_t i = 0; i < t->head->nr_rules; i++) {
		bool is_wide = r[i].flags & OP_RULE_WIDE;

		if (r[i].cfa > OP_CFA_EXPR ||
		    (r[i].cfa == OP_CFA_EXPR && !is_wide))
			return false;
		if (is_wide && (r[i].saved[0] | r[i].saved[1] << 8) >=
				       (int64_t)t->head->nr_wide)
			return false;
	}
	return true;
}

static bool wide_fit(const struct op_unwind_table *t)
{
	const struct op_wide_rule *w = op_unwind_part(t, t->head->wide);
	uint32_t expr_bytes = t->head->bytes - t->head->expr;

	for (uint32_t i = 0; i < t->head->nr_wide; i++)
		for (int c = 0; c < OP_NR_COLS; c++) {
			const struct op_wide_column *col = &w[i].col[c];

			if (col->how != OP_HOW_EXPR &&
			    col->how != OP_HOW_AT_EXPR)
				continue;
			if (col->off < 0 ||
			    (uint64_t)col->off + col->n > expr_bytes)
				return false;
		}
	return true;
}

int op_unwind_table_open(struct op_unwind_table *t, struct op_view block,
			 struct op_err *err)
{
	struct op_unwind_head h;

	if (block.n < sizeof(h) || (uintptr_t)block.p % 8)
		return bad(err, "too short or not aligned");
	memcpy(&h, block.p, sizeof(h));
	if (h.magic != OP_UNWIND_MAGIC)
		return bad(err, "wrong magic number");
	if (h.version != OP_UNWIND_VERSION)
		return bad(err, "unsupported version");
	if (h.bytes > block.n || !parts_fit(&h))
		return bad(err, "a part is outside the block");
	t->head = (const struct op_unwind_head *)block.p;
	if (!pages_fit(t) || !codes_fit(t) || !steps_fit(t) || !rules_fit(t) ||
	    !wide_fit(t))
		return bad(err, "an index is out of range");
	return 0;
}
