// SPDX-License-Identifier: Apache-2.0
/* sym/unwind_table.h: maps a code address to its rule.
 *
 * A table is one block of bytes without pointers, little-endian, which may be
 * copied to any multiple of 8: into shared memory, a file, a BPF map.
 * docs/unwinding.md describes it byte by byte.
 *
 *	struct op_unwind_head
 *	pages	struct op_unwind_page, one for each 64 KiB from base
 *	rows	struct op_unwind_row
 *	rules	struct op_rule
 *	steps	struct op_unwind_step
 *	wide	struct op_wide_rule
 *	expr	DWARF expressions
 *
 * The rows of a page are sorted and the first begins with the page, so a search
 * always finds one. It searches the rows of one KiB and needs at most ten
 * steps, mostly three or four. Most rows would be pushes and pops at the ends
 * of functions. Many functions share them, so a run of such rows is stored
 * once, as steps, and is one row wherever it occurs.
 *
 * A lookup takes no lock, allocates nothing, and trusts the block: it must come
 * from op_unwind_build_table(), or have passed op_unwind_table_open().
 */
#ifndef OP_SYM_UNWIND_TABLE_H
#define OP_SYM_UNWIND_TABLE_H

#include "base/err.h"
#include "base/view.h"
#include "sym/unwind_rule.h"

enum {
	OP_UNWIND_MAGIC = 0x5455504f, /* "OPUT" */
	OP_UNWIND_VERSION = 2,
	OP_PAGE_BITS = 16,
	OP_PAGE_BYTES = 1 << OP_PAGE_BITS,
	OP_BLOCK_BITS = 10,
	OP_PAGE_BLOCKS = 1 << (OP_PAGE_BITS - OP_BLOCK_BITS),
	OP_MAX_RULES = 0x8000, /* and of steps */
	OP_CODE_STEPS = 0x8000,
	OP_MAX_STEPS = 16, /* per run */
};

/* With the offset of each member, as docs/unwinding.md has them. */
struct op_unwind_head {
	uint32_t magic;	   /*  0 */
	uint16_t version;  /*  4 */
	uint16_t machine;  /*  6: EM_ */
	uint64_t base;	   /*  8: vaddr of the first page */
	uint32_t bytes;	   /* 16: of the block */
	uint32_t nr_pages; /* 20 */
	uint32_t nr_rows;  /* 24 */
	uint32_t nr_rules; /* 28 */
	uint32_t nr_steps; /* 32 */
	uint32_t nr_wide;  /* 36 */
	/* Offsets of the parts from the head; expr ends with the block. */
	uint32_t rows;	 /* 40 */
	uint32_t unused; /* 44: 0 */
	uint32_t rules;	 /* 48 */
	uint32_t steps;	 /* 52 */
	uint32_t wide;	 /* 56 */
	uint32_t expr;	 /* 60 */
};

/* block has, for each KiB, the row of the page in effect at its start, so that
 * a search covers only a few rows. */
struct op_unwind_page {
	uint32_t first;	   /* row */
	uint32_t nr_built; /* rows + 1; 0: not built yet */
	uint16_t block[OP_PAGE_BLOCKS];
};

/* The two are read together: a lookup in a large table is bound by cache
 * misses, so they share a cache line. */
struct op_unwind_row {
	uint16_t low;  /* half of the vaddr at which it starts */
	uint16_t code; /* a rule, or OP_CODE_STEPS and a run of steps */
};

/* A run of steps. The first has delta 0. */
struct op_unwind_step {
	uint8_t delta; /* bytes from the start of the row */
	uint8_t left;  /* number of steps that follow */
	uint16_t rule;
};

struct op_unwind_table {
	const struct op_unwind_head *head;
};

enum op_unwind_found {
	OP_FOUND,
	OP_FOUND_OUTSIDE, /* no page of the table */
	OP_FOUND_UNBUILT, /* a page that is not built yet */
};

/* Checks every offset and index of an untrusted block. The block must not
 * change while the table is used. */
int op_unwind_table_open(struct op_unwind_table *t, struct op_view block,
			 struct op_err *err);

op_inline const void *op_unwind_part(const struct op_unwind_table *t,
				     uint32_t at)
{
	return (const uint8_t *)t->head + at;
}

op_inline const struct op_unwind_page *
op_unwind_pages(const struct op_unwind_table *t)
{
	return (const struct op_unwind_page *)(t->head + 1);
}

/* The last of nr sorted rows that does not begin after v; the first never does.
 */
op_inline uint32_t op_unwind_search(const struct op_unwind_row *rows,
				    uint32_t nr, uint32_t v)
{
	uint32_t at = 0;

	while (nr > 1) {
		uint32_t half = nr / 2;

		if (rows[at + half].low <= v)
			at += half;
		nr -= half;
	}
	return at;
}

/* The rule in effect delta bytes after the start of a row. */
op_inline uint32_t op_unwind_rule_of(const struct op_unwind_step *steps,
				     uint32_t code, uint32_t delta)
{
	const struct op_unwind_step *s;

	if (!(code & OP_CODE_STEPS))
		return code;
	s = steps + (code & ~(uint32_t)OP_CODE_STEPS);
	for (uint32_t i = 1; i < OP_MAX_STEPS; i++) {
		if (!s->left || s[1].delta > delta)
			break;
		s++;
	}
	return s->rule;
}

/* The row of a built page that contains byte v of it. */
op_inline uint32_t op_unwind_row_of(const struct op_unwind_page *p,
				    const struct op_unwind_row *rows,
				    uint32_t v)
{
	uint32_t block = v >> OP_BLOCK_BITS;
	uint32_t first = p->first + p->block[block], last;

	last = p->first + (block + 1 < OP_PAGE_BLOCKS ? p->block[block + 1] :
							p->nr_built - 2);
	return first + op_unwind_search(rows + first, last - first + 1, v);
}

/* The rule of a vaddr, which may be OP_CFA_NONE. */
op_inline enum op_unwind_found op_unwind_find(const struct op_unwind_table *t,
					      uint64_t vaddr,
					      const struct op_rule **out)
{
	const struct op_unwind_head *h = t->head;
	uint64_t page = (vaddr - h->base) >> OP_PAGE_BITS;
	uint32_t v = (uint32_t)vaddr & (OP_PAGE_BYTES - 1);
	const struct op_unwind_page *p;
	const struct op_unwind_row *rows;
	uint32_t at;

	if (page >= h->nr_pages)
		return OP_FOUND_OUTSIDE;
	p = op_unwind_pages(t) + page;
	if (!p->nr_built)
		return OP_FOUND_UNBUILT;
	rows = op_unwind_part(t, h->rows);
	at = op_unwind_row_of(p, rows, v);
	at = op_unwind_rule_of(op_unwind_part(t, h->steps), rows[at].code,
			       v - rows[at].low);
	*out = (const struct op_rule *)op_unwind_part(t, h->rules) + at;
	return OP_FOUND;
}

op_inline const struct op_wide_rule *
op_unwind_wide(const struct op_unwind_table *t, const struct op_rule *rule)
{
	return (const struct op_wide_rule *)op_unwind_part(t, t->head->wide) +
	       (rule->saved[0] | (uint32_t)rule->saved[1] << 8);
}

op_inline struct op_view op_unwind_expr(const struct op_unwind_table *t,
					const struct op_wide_column *c)
{
	return op_view((const uint8_t *)op_unwind_part(t, t->head->expr) +
			       (uint32_t)c->off,
		       c->n);
}

#endif
