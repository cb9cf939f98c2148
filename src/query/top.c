// SPDX-License-Identifier: Apache-2.0
/* query/top.c: walks the stacks and adds their sums to the rows. */
#include "query/top.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"

enum { STEPS_A_FRAME = 8 };

struct adding {
	struct op_top *t;
	const struct op_model *m;
	struct op_intern index; /* of group and name, if there are labels */
	uint32_t *of_name;	/* else the row of a name */
	struct op_id_vec seen;	/* per row: the last stack it was in */
	uint32_t no_stack;	/* the name of no frame */
	uint32_t nr_stacks;
	uint64_t steps;
	struct op_err *err;
};

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_top_row *rows = table, *k = key;

	return rows[id].group == k->group && rows[id].name == k->name;
}

/* The number of a row, made if it is new; OP_NO_ID without memory. */
static uint32_t row_of(struct adding *a, uint32_t group, uint32_t name)
{
	struct op_top_row fresh = { .group = group, .name = name };
	uint64_t word = (uint64_t)group << 32 | name;
	uint32_t hash = a->of_name ? 0 : op_hash_words(&word, 1);
	uint32_t id = a->of_name ? a->of_name[name] :
				   op_intern_find(&a->index, hash, row_eq,
						  a->t->rows.p, &fresh);

	if (op_likely(id != OP_NO_ID))
		return id;
	id = (uint32_t)a->t->rows.n;
	if (!op_vec_push(&a->t->mem, &a->t->rows, fresh) ||
	    !op_vec_push(&a->t->mem, &a->seen, 0) ||
	    (!a->of_name && !op_intern_add(&a->index, &a->t->mem, hash, id)))
		return OP_NO_ID;
	if (a->of_name)
		a->of_name[name] = id;
	return id;
}

static void add(int64_t *to, int64_t value)
{
	*to = op_add_sat(*to, value);
}

static void frame_add(struct adding *a, const struct op_stack_sum *s,
		      uint32_t name, bool is_leaf)
{
	uint32_t id = row_of(a, s->group, name);
	struct op_top_row *row;

	if (id == OP_NO_ID)
		return;
	row = &a->t->rows.p[id];
	if (a->seen.p[id] != a->nr_stacks)
		add(&row->cum, s->value);
	a->seen.p[id] = a->nr_stacks;
	if (is_leaf)
		add(&row->flat, s->value);
}

static void stack_add(struct adding *a, const struct op_stack_sum *s)
{
	struct op_ids locs = op_list(&a->m->dict.stacks, s->stack);

	a->nr_stacks++;
	if (!locs.n) {
		add(&a->t->no_stack, s->value);
		frame_add(a, s, a->no_stack, true);
	}
	for (uint32_t i = 0; i < locs.n && !a->err->code; i++) {
		uint32_t n = op_frame_count(&a->m->dict.locations[locs.p[i]]);

		if (!op_steps(&a->steps, (uint64_t)n * STEPS_A_FRAME, a->err))
			return;
		for (uint32_t k = 0; k < n; k++)
			frame_add(a, s,
				  op_frame_name(&a->t->names, a->m, locs.p[i],
						k),
				  !i && !k);
	}
}

static void group_add(struct adding *a, const struct op_stack_sum *s)
{
	uint32_t id = row_of(a, s->group, OP_NO_ID);

	if (id == OP_NO_ID)
		return;
	add(&a->t->rows.p[id].flat, s->value);
	add(&a->t->rows.p[id].cum, s->value);
}

static int rows_build(struct op_top *t, const struct op_model *m,
		      struct op_err *err)
{
	struct adding a = { .t = t, .m = m, .err = err };

	op_arena_tells(&t->mem, err);
	if (t->by.frame)
		a.no_stack = op_text_put(&t->names.texts,
					 op_view_z("(no stack)"), err);
	if (t->by.frame && !t->by.nr_labels)
		a.of_name = op_new_ids(&t->mem, t->names.texts.list.n);
	for (size_t i = 0; i < t->sums.list.n && !err->code; i++)
		if (t->by.frame)
			stack_add(&a, &t->sums.list.p[i]);
		else
			group_add(&a, &t->sums.list.p[i]);
	return err->code;
}

int op_top_build(struct op_top *t, const struct op_model *m,
		 const struct op_profile *like, const struct op_group_by *by,
		 struct op_err *err)
{
	t->by = *by;
	if ((by->frame && op_frame_names_init(&t->names, m, by->frame, err)) ||
	    op_groups_init(&t->groups, m, by, err) ||
	    op_stack_sums(&t->sums, m, like, &t->groups, err))
		return err->code;
	t->total = t->sums.total;
	return rows_build(t, m, err);
}

void op_top_free(struct op_top *t)
{
	op_frame_names_free(&t->names);
	op_groups_free(&t->groups);
	op_stack_sums_free(&t->sums);
	op_arena_free(&t->mem);
	*t = (struct op_top){ 0 };
}

struct op_view op_top_name(const struct op_top *t, const struct op_top_row *row)
{
	if (row->name == OP_NO_ID)
		return (struct op_view){ 0 };
	return op_text(&t->names.texts, row->name);
}

/* --- order --- */

struct order {
	const struct op_top *t;
	enum op_top_order by;
};

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static int by_text(const struct op_top *t, const struct op_top_row *x,
		   const struct op_top_row *y)
{
	int c = op_view_cmp(op_top_name(t, x), op_top_name(t, y));

	for (uint32_t k = 0; !c && k < t->by.nr_labels; k++)
		c = op_view_cmp(op_group_text(&t->groups, x->group, k),
				op_group_text(&t->groups, y->group, k));
	return c;
}

static int row_cmp(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	const struct op_top_row *x = a, *y = b;
	bool cum = o->by == OP_TOP_CUM;
	uint64_t first[] = { size_of(cum ? x->cum : x->flat),
			     size_of(cum ? y->cum : y->flat) };
	uint64_t then[] = { size_of(cum ? x->flat : x->cum),
			    size_of(cum ? y->flat : y->cum) };

	if (first[0] != first[1])
		return first[0] < first[1] ? 1 : -1;
	if (then[0] != then[1])
		return then[0] < then[1] ? 1 : -1;
	return by_text(o->t, x, y);
}

void op_top_sort(struct op_top *t, enum op_top_order order)
{
	struct order o = { t, order };

	if (t->rows.n)
		qsort_r(t->rows.p, t->rows.n, sizeof(*t->rows.p), row_cmp, &o);
}
