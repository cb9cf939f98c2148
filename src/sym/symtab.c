// SPDX-License-Identifier: Apache-2.0
/* sym/symtab.c: ELF symbol tables, sorted for lookups. */
#include "sym/symtab.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

bool op_symtab_add(struct op_symtab *t, struct op_view name, uint64_t start,
		   uint64_t size, uint64_t most, uint32_t rank)
{
	struct op_symbol s = { start, start, name.p, (uint32_t)name.n, rank };

	if (t->rows.n >= OP_SYMTAB_MAX || name.n > UINT32_MAX)
		return true;
	if (!size) {
		s.within |= OP_SYM_NO_SIZE;
		s.end = most;
	} else if (__builtin_add_overflow(start, size, &s.end)) {
		return true;
	}
	if (s.end < start)
		s.end = start;
	return op_vec_push(t->mem, &t->rows, s);
}

static size_t underscores(const struct op_symbol *s)
{
	size_t n = 0;

	while (n < s->name_bytes && s->name[n] == '_')
		n++;
	return n;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int prefer(const struct op_symbol *a, const struct op_symbol *b)
{
	int c = order(a->within, b->within);

	if (!c)
		c = order(underscores(a), underscores(b));
	if (!c)
		c = order(a->name_bytes, b->name_bytes);
	if (!c)
		c = op_view_cmp(op_symbol_name(a), op_symbol_name(b));
	return c;
}

static int compare(const void *pa, const void *pb)
{
	const struct op_symbol *a = pa, *b = pb;
	int c = order(a->start, b->start);

	return c ? c : prefer(a, b);
}

/* Keeps the first of those that begin at the same address. */
static void unique(struct op_symtab *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->rows.n; i++)
		if (!n || t->rows.p[n - 1].start != t->rows.p[i].start)
			t->rows.p[n++] = t->rows.p[i];
	t->rows.n = n;
}

static bool has_no_size(const struct op_symbol *s)
{
	return s->within & OP_SYM_NO_SIZE;
}

/* Drops symbols without a size inside of one with a size, and ends the other
 * symbols without a size where the next one begins. */
static void sizes(struct op_symtab *t)
{
	uint64_t reach = 0; /* end of the symbols with a size so far */
	size_t n = 0;

	for (size_t i = 0; i < t->rows.n; i++) {
		struct op_symbol s = t->rows.p[i];

		if (has_no_size(&s) && s.start < reach)
			continue;
		if (!has_no_size(&s) && s.end > reach)
			reach = s.end;
		if (n && has_no_size(&t->rows.p[n - 1]) &&
		    t->rows.p[n - 1].end > s.start)
			t->rows.p[n - 1].end = s.start;
		t->rows.p[n++] = s;
	}
	t->rows.n = n;
}

/* Links each symbol to the last one that began before it and has not ended.
 * These links also serve as the stack of open symbols. */
static void nest(struct op_symtab *t)
{
	uint32_t open = NONE;

	for (uint32_t i = 0; i < t->rows.n; i++) {
		struct op_symbol *s = &t->rows.p[i];

		while (open != NONE && t->rows.p[open].end <= s->start)
			open = t->rows.p[open].within;
		s->within = open;
		open = i;
	}
}

void op_symtab_finish(struct op_symtab *t)
{
	if (t->rows.n)
		qsort(t->rows.p, t->rows.n, sizeof(*t->rows.p), compare);
	unique(t);
	sizes(t);
	nest(t);
	op_vec_trim(t->mem, &t->rows);
}

/* The last symbol that begins at or before the address. */
static uint32_t last_before(const struct op_symtab *t, uint64_t vaddr)
{
	size_t from = 0, to = t->rows.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (t->rows.p[mid].start <= vaddr)
			from = mid + 1;
		else
			to = mid;
	}
	return from ? (uint32_t)(from - 1) : NONE;
}

const struct op_symbol *op_symtab_find(const struct op_symtab *t,
				       uint64_t vaddr)
{
	/* Real symbols are nested two or three deep. */
	enum { MAX_STEPS = 64 };
	uint32_t i = last_before(t, vaddr);

	for (int step = 0; i != NONE && step < MAX_STEPS; step++) {
		const struct op_symbol *s = &t->rows.p[i];

		if (vaddr < s->end)
			return s;
		i = s->within;
	}
	return NULL;
}
