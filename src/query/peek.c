// SPDX-License-Identifier: Apache-2.0
/* query/peek.c: walks the stacks once and notes the pairs that matter. */
#include "query/peek.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"

enum { STEPS_A_FRAME = 24 };

#define NOT_ASKED OP_NO_ID
#define NO_MATCH (OP_NO_ID - 1)

struct adding {
	struct op_peek *p;
	const struct op_model *m;
	struct op_regex *re;
	uint32_t *row_of; /* per name; or NOT_ASKED, NO_MATCH */
	uint32_t *seen;	  /* per name: the last stack it was in */
	struct op_intern index;
	uint32_t nr_stacks;
	uint64_t steps;
	struct op_err *err;
};

static void add(int64_t *to, int64_t value)
{
	*to = op_add_sat(*to, value);
}

/* The row of a name, if it matches. */
static uint32_t row_of(struct adding *a, uint32_t name)
{
	struct op_peek_row fresh = { .name = name };
	uint32_t *row = &a->row_of[name];

	if (op_likely(*row != NOT_ASKED))
		return *row;
	a->p->nr_names++;
	*row = NO_MATCH;
	if (!op_regex_matches(a->re, op_peek_name(a->p, name), a->err))
		return *row;
	if (op_vec_push(&a->p->mem, &a->p->rows, fresh))
		*row = (uint32_t)a->p->rows.n - 1;
	return *row;
}

static bool edge_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_peek_edge *edges = table, *k = key;

	return edges[id].caller == k->caller && edges[id].callee == k->callee;
}

static void edge_add(struct adding *a, uint32_t caller, uint32_t callee,
		     int64_t value)
{
	struct op_peek_edge fresh = { .caller = caller, .callee = callee };
	uint64_t word = (uint64_t)caller << 32 | callee;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&a->index, hash, edge_eq, a->p->edges.p,
				     &fresh);
	struct op_peek_edge *e;

	if (id == OP_NO_ID) {
		id = (uint32_t)a->p->edges.n;
		if (!op_vec_push(&a->p->mem, &a->p->edges, fresh) ||
		    !op_intern_add(&a->index, &a->p->mem, hash, id))
			return;
	}
	e = &a->p->edges.p[id];
	if (e->seen != a->nr_stacks)
		add(&e->value, value);
	e->seen = a->nr_stacks;
}

/* callee is the frame before, OP_NO_ID if this one is the leaf. */
static void frame_add(struct adding *a, uint32_t name, uint32_t callee,
		      int64_t value)
{
	uint32_t row = row_of(a, name);
	bool matches = row < NO_MATCH;

	if (matches && a->seen[name] != a->nr_stacks)
		add(&a->p->rows.p[row].cum, value);
	if (matches && callee == OP_NO_ID)
		add(&a->p->rows.p[row].flat, value);
	a->seen[name] = a->nr_stacks;
	if (callee != OP_NO_ID && callee != name &&
	    (matches || a->row_of[callee] < NO_MATCH))
		edge_add(a, name, callee, value);
}

static void stack_add(struct adding *a, const struct op_stack_sum *s)
{
	struct op_ids locs = op_list(&a->m->dict.stacks, s->stack);
	uint32_t callee = OP_NO_ID;

	a->nr_stacks++;
	for (uint32_t i = 0; i < locs.n && !a->err->code; i++) {
		uint32_t n = op_frame_count(&a->m->dict.locations[locs.p[i]]);

		if (!op_steps(&a->steps, (uint64_t)n * STEPS_A_FRAME, a->err))
			return;
		for (uint32_t k = 0; k < n; k++) {
			uint32_t name = op_frame_name(&a->p->names, a->m,
						      locs.p[i], k);

			frame_add(a, name, callee, s->value);
			callee = name;
		}
	}
}

/* --- order --- */

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static int row_cmp(const void *a, const void *b, void *peek)
{
	const struct op_peek_row *x = a, *y = b;

	if (size_of(x->cum) != size_of(y->cum))
		return size_of(x->cum) < size_of(y->cum) ? 1 : -1;
	return op_view_cmp(op_peek_name(peek, x->name),
			   op_peek_name(peek, y->name));
}

static int call_cmp(const void *a, const void *b, void *peek)
{
	const struct op_peek_call *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (size_of(x->value) != size_of(y->value))
		return size_of(x->value) < size_of(y->value) ? 1 : -1;
	return op_view_cmp(op_peek_name(peek, x->name),
			   op_peek_name(peek, y->name));
}

static void calls_collect(struct adding *a)
{
	struct op_peek *p = a->p;

	for (size_t i = 0; i < p->edges.n && !a->err->code; i++) {
		const struct op_peek_edge *e = &p->edges.p[i];
		struct op_peek_call in = { a->row_of[e->callee], e->caller,
					   e->value };
		struct op_peek_call out = { a->row_of[e->caller], e->callee,
					    e->value };

		if (in.row < NO_MATCH)
			(void)op_vec_push(&p->mem, &p->callers, in);
		if (out.row < NO_MATCH)
			(void)op_vec_push(&p->mem, &p->callees, out);
	}
}

static void calls_sort(struct op_peek *p)
{
	if (p->callers.n)
		qsort_r(p->callers.p, p->callers.n, sizeof(*p->callers.p),
			call_cmp, p);
	if (p->callees.n)
		qsort_r(p->callees.p, p->callees.n, sizeof(*p->callees.p),
			call_cmp, p);
	for (uint32_t i = (uint32_t)p->callers.n; i--;) {
		p->rows.p[p->callers.p[i].row].first_caller = i;
		p->rows.p[p->callers.p[i].row].nr_callers++;
	}
	for (uint32_t i = (uint32_t)p->callees.n; i--;) {
		p->rows.p[p->callees.p[i].row].first_callee = i;
		p->rows.p[p->callees.p[i].row].nr_callees++;
	}
}

static int finish(struct adding *a)
{
	struct op_peek *p = a->p;

	if (a->err->code)
		return a->err->code;
	if (p->rows.n)
		qsort_r(p->rows.p, p->rows.n, sizeof(*p->rows.p), row_cmp, p);
	for (uint32_t i = 0; i < p->rows.n; i++)
		a->row_of[p->rows.p[i].name] = i;
	calls_collect(a);
	if (!a->err->code)
		calls_sort(p);
	return a->err->code;
}

int op_peek_build(struct op_peek *p, const struct op_model *m,
		  const struct op_profile *like, unsigned int parts,
		  struct op_regex *re, struct op_err *err)
{
	struct op_group_by by = { .frame = parts };
	struct adding a = { .p = p, .m = m, .re = re, .err = err };

	if (op_frame_names_init(&p->names, m, parts, err) ||
	    op_groups_init(&p->groups, m, &by, err) ||
	    op_stack_sums(&p->sums, m, like, &p->groups, err))
		return err->code;
	p->total = p->sums.total;
	op_arena_tells(&p->mem, err);
	a.row_of = op_new_ids(&p->mem, p->names.texts.list.n);
	a.seen = op_new(&p->mem, uint32_t, p->names.texts.list.n);
	for (size_t i = 0; i < p->sums.list.n && !err->code; i++)
		stack_add(&a, &p->sums.list.p[i]);
	return finish(&a);
}

void op_peek_free(struct op_peek *p)
{
	op_frame_names_free(&p->names);
	op_groups_free(&p->groups);
	op_stack_sums_free(&p->sums);
	op_arena_free(&p->mem);
	*p = (struct op_peek){ 0 };
}
