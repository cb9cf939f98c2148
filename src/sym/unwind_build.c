// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_build.c: compiles call frame information into unwind tables. */
#include "sym/unwind_build.h"

#include "sym/unwind_build_int.h"

enum { EM_X86_64 = 62 };

int op_unwind_build_init(struct op_unwind_build *b, const struct op_cfi *cfi,
			 struct op_arena *mem, struct op_err *err)
{
	const struct op_rule none = { .cfa = OP_CFA_NONE };

	*b = (struct op_unwind_build){ .mem = mem, .err = err };
	if (op_cfi_index_init(&b->index, cfi, mem, err))
		return err->code;
	b->nr_pages = b->index.size / OP_PAGE_BYTES +
		      (b->index.size % OP_PAGE_BYTES > 0);
	b->pages = op_new(mem, struct op_unwind_page, b->nr_pages);
	b->seen = op_new(mem, uint32_t, (size_t)1 << OP_SEEN_BITS);
	b->cache = op_new(mem, struct op_rule_cache,
			  (size_t)1 << OP_RULE_CACHE_BITS);
	b->page_rows = op_new_raw(mem, struct op_unwind_row, OP_PAGE_BYTES);
	(void)op_vec_push(mem, &b->rules, none);
	return err->code;
}

/* For each KiB of a page, the last row that begins at or before it. */
static void index_blocks(const struct op_unwind_build *b,
			 struct op_unwind_page *p)
{
	const struct op_unwind_row *rows = b->rows.p + p->first;
	uint32_t nr = p->nr_built - 1, row = 0;

	for (uint32_t i = 0; i < OP_PAGE_BLOCKS; i++) {
		while (row + 1 < nr && rows[row + 1].low <= i << OP_BLOCK_BITS)
			row++;
		p->block[i] = (uint16_t)row;
	}
}

/* Ends the page and begins the next with the current rule. */
static void next_page(struct op_unwind_build *b)
{
	struct op_unwind_page *p = &b->pages[b->page++];
	uint16_t rule = b->page_rows[b->nr_rows - 1].code;
	size_t first = b->rows.n;

	op_build_rows(b);
	p->first = (uint32_t)first;
	p->nr_built = (uint32_t)(b->rows.n - first) + 1;
	if (!b->err->code)
		index_blocks(b, p);
	b->nr_built++;
	b->page_rows[0] = (struct op_unwind_row){ 0, rule };
	b->nr_rows = 1;
}

/* Adds a rule that applies from an address on. Addresses never decrease. */
static void put(struct op_unwind_build *b, uint64_t at, uint32_t rule)
{
	uint16_t low = (uint16_t)at, n = (uint16_t)rule;
	struct op_unwind_row *last;

	while (at >> OP_PAGE_BITS > b->page)
		next_page(b);
	last = &b->page_rows[b->nr_rows - 1];
	if (last->low == low) {
		last->code = n;
		if (b->nr_rows > 1 && last[-1].code == n)
			b->nr_rows--;
	} else if (last->code != n) {
		b->page_rows[b->nr_rows++] = (struct op_unwind_row){ low, n };
	}
}

static bool row(void *arg, uint64_t vaddr, const struct op_cfi_state *s)
{
	struct op_unwind_build *b = arg;
	uint64_t at = vaddr - b->index.base;

	if (at >= b->range_end)
		return false;
	put(b, at > b->from ? at : b->from, op_build_rule(b, s));
	return !b->err->code;
}

/* Builds a range of pages; none of them was built before. */
static int build_run(struct op_unwind_build *b, uint32_t first, uint32_t nr)
{
	const struct op_cfi_sink sink = { row, b };
	const struct op_cfi_range *r;

	b->from = (uint64_t)first << OP_PAGE_BITS;
	b->to = b->from + ((uint64_t)nr << OP_PAGE_BITS);
	b->page = first;
	b->page_rows[0] = (struct op_unwind_row){ 0, 0 };
	b->nr_rows = 1;
	for (size_t i = op_cfi_index_find(&b->index, (uint32_t)b->from);
	     i < b->index.ranges.n && !b->err->code; i++) {
		r = &b->index.ranges.p[i];
		if (r->start >= b->to)
			break;
		b->range_end = r->end < b->to ? r->end : b->to;
		op_cfi_index_run(&b->index, i, &sink);
		if (r->end < b->to)
			put(b, r->end, 0);
	}
	while (!b->err->code && b->page < first + nr)
		next_page(b);
	return b->err->code;
}

int op_unwind_build_pages(struct op_unwind_build *b, uint32_t first,
			  uint32_t nr)
{
	uint32_t last;

	if (first > b->nr_pages || nr > b->nr_pages - first)
		return op_fail(b->err, OP_EUSAGE, "no such page of code");
	last = first + nr;
	while (first < last) {
		uint32_t n = 0;

		while (first + n < last && !b->pages[first + n].nr_built)
			n++;
		if (n && build_run(b, first, n))
			return b->err->code;
		first += n + 1;
	}
	return b->err->code;
}

int op_unwind_build_all(struct op_unwind_build *b)
{
	return op_unwind_build_pages(b, 0, b->nr_pages);
}

bool op_unwind_build_page_of(const struct op_unwind_build *b, uint64_t vaddr,
			     uint32_t *page)
{
	uint64_t at = vaddr - b->index.base;

	if (vaddr < b->index.base || at >= b->index.size)
		return false;
	*page = (uint32_t)(at >> OP_PAGE_BITS);
	return true;
}

/* --- the block ------------------------------------------------------------ */

/* The offset of the next part, aligned. */
static uint32_t part(uint64_t *at, uint64_t bytes, unsigned int align)
{
	uint64_t from = (*at + align - 1) & ~(uint64_t)(align - 1);

	*at = from + bytes;
	return (uint32_t)from;
}

static void fill(uint8_t *block, uint32_t at, const void *from, size_t n)
{
	if (n)
		memcpy(block + at, from, n);
}

static uint64_t lay_out(const struct op_unwind_build *b,
			struct op_unwind_head *h)
{
	uint64_t at = sizeof(*h) + b->nr_pages * sizeof(*b->pages);

	*h = (struct op_unwind_head){
		.magic = OP_UNWIND_MAGIC,
		.version = OP_UNWIND_VERSION,
		.machine = EM_X86_64,
		.base = b->index.base,
		.nr_pages = b->nr_pages,
		.nr_rows = (uint32_t)b->rows.n,
		.nr_rules = (uint32_t)b->rules.n,
		.nr_steps = (uint32_t)b->steps.n,
		.nr_wide = (uint32_t)b->wide.n,
	};
	h->rules = part(&at, b->rules.n * sizeof(*b->rules.p), 8);
	h->wide = part(&at, b->wide.n * sizeof(*b->wide.p), 8);
	h->steps = part(&at, b->steps.n * sizeof(*b->steps.p), 4);
	h->rows = part(&at, b->rows.n * sizeof(*b->rows.p), 4);
	h->expr = part(&at, b->expr.n, 1);
	return (at + 7) & ~(uint64_t)7;
}

int op_unwind_build_table(struct op_unwind_build *b,
			  struct op_unwind_table *out)
{
	struct op_unwind_head h;
	uint64_t bytes = lay_out(b, &h);
	uint8_t *block;

	if (b->err->code)
		return b->err->code;
	if (bytes > UINT32_MAX)
		return op_fail(b->err, OP_ELIMIT, "unwind table above 4 GiB");
	h.bytes = (uint32_t)bytes;
	block = op_arena_alloc(b->mem, (size_t)bytes);
	if (!block)
		return b->err->code;
	memset(block + bytes - 8, 0, 8);
	fill(block, 0, &h, sizeof(h));
	fill(block, sizeof(h), b->pages, b->nr_pages * sizeof(*b->pages));
	fill(block, h.rules, b->rules.p, b->rules.n * sizeof(*b->rules.p));
	fill(block, h.wide, b->wide.p, b->wide.n * sizeof(*b->wide.p));
	fill(block, h.steps, b->steps.p, b->steps.n * sizeof(*b->steps.p));
	fill(block, h.rows, b->rows.p, b->rows.n * sizeof(*b->rows.p));
	fill(block, h.expr, b->expr.p, b->expr.n);
	out->head = (const struct op_unwind_head *)block;
	return 0;
}
