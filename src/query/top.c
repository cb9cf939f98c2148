// SPDX-License-Identifier: Apache-2.0
/* query/top.c: walks the stacks and adds their sums to the rows. */
#include "query/top.h"

#include <stdlib.h>

#include "base/budget.h"

enum { STEPS_A_FRAME = 8 };

/* What a name has of the group at hand. */
struct name_sum {
	int64_t flat, cum;
	uint32_t seen; /* the last stack it was in; 0: none of the group */
};

struct adding {
	struct op_top *t;
	const struct op_model *m;
	struct name_sum *of_name;
	uint32_t *only_name;	/* of a location; OP_NO_ID: it has several */
	struct op_id_vec names; /* that the group at hand has */
	uint32_t no_stack;	/* the name of no frame */
	uint32_t nr_stacks;
	uint64_t steps;
	struct op_err *err;
};

static void add(int64_t *to, int64_t value)
{
	*to = op_add_sat(*to, value);
}

/* Adds to a name that the stack has; gives what it has now. */
op_inline struct name_sum *name_add(struct adding *a, uint32_t name,
				    int64_t value)
{
	struct name_sum *sum = &a->of_name[name];

	if (op_unlikely(!sum->seen))
		(void)op_vec_push(&a->t->mem, &a->names, name);
	/* Without a branch: which frames recur is hard to predict. */
	add(&sum->cum, sum->seen == a->nr_stacks ? 0 : value);
	sum->seen = a->nr_stacks;
	return sum;
}

/* The frames of a location, which inlined calls are too; gives the innermost.
 */
static struct name_sum *location_add(struct adding *a, uint32_t location,
				     int64_t value)
{
	uint32_t n = op_frame_count(&a->m->dict.locations[location]);
	struct name_sum *sum = NULL;

	if (!op_steps(&a->steps, (uint64_t)n * STEPS_A_FRAME, a->err))
		return NULL;
	while (n--)
		sum = name_add(a,
			       op_frame_name(&a->t->names, a->m, location, n),
			       value);
	return sum;
}

static void stack_add(struct adding *a, const struct op_stack_sum *s)
{
	struct op_ids locs = op_list(&a->m->dict.stacks, s->stack);
	const uint32_t *only_name = a->only_name;
	struct name_sum *leaf = NULL;
	uint32_t last = OP_NO_ID;
	int64_t value = s->value;

	a->nr_stacks++;
	if (!op_steps(&a->steps, (uint64_t)locs.n * STEPS_A_FRAME, a->err))
		return;
	if (!locs.n) {
		add(&a->t->no_stack, value);
		leaf = name_add(a, a->no_stack, value);
	}
	for (const uint32_t *loc = locs.p + locs.n; loc > locs.p;) {
		uint32_t name = only_name[*--loc];

		if (op_unlikely(name == OP_NO_ID)) {
			leaf = location_add(a, *loc, value);
			if (a->err->code)
				return;
		} else if (name != last) {
			leaf = name_add(a, name, value);
		}
		last = name;
	}
	if (leaf)
		add(&leaf->flat, value);
}

/* Makes rows of what the names of the group have, and forgets it. */
static void group_end(struct adding *a, uint32_t group)
{
	struct op_top *t = a->t;

	if (!op_vec_reserve(&t->mem, &t->rows, a->names.n))
		return;
	for (size_t i = 0; i < a->names.n; i++) {
		struct name_sum *sum = &a->of_name[a->names.p[i]];

		t->rows.p[t->rows.n++] = (struct op_top_row){
			group, a->names.p[i], sum->flat, sum->cum
		};
		*sum = (struct name_sum){ 0 };
	}
	a->names.n = 0;
}

/* The sums of one group behind those of another; NULL without memory. */
static uint32_t *by_group(struct op_top *t)
{
	size_t n = t->sums.list.n;
	uint32_t *order = op_new_raw(&t->mem, uint32_t, n);
	uint32_t *next = op_new(&t->mem, uint32_t, t->groups.nr + (size_t)1);

	if (!order || !next)
		return NULL;
	for (size_t i = 0; i < n; i++)
		next[t->sums.list.p[i].group + 1]++;
	for (uint32_t g = 1; g < t->groups.nr; g++)
		next[g] += next[g - 1];
	for (size_t i = 0; i < n; i++)
		order[next[t->sums.list.p[i].group]++] = (uint32_t)i;
	return order;
}

static void names_add(struct adding *a)
{
	const struct op_stack_sum *sums = a->t->sums.list.p;
	size_t n = a->t->sums.list.n;
	uint32_t *order = by_group(a->t);

	for (size_t i = 0; order && i < n && !a->err->code; i++) {
		stack_add(a, &sums[order[i]]);
		if (i + 1 == n ||
		    sums[order[i]].group != sums[order[i + 1]].group)
			group_end(a, sums[order[i]].group);
	}
}

static int names_build(struct op_top *t, const struct op_model *m,
		       struct op_err *err)
{
	struct adding a = { .t = t, .m = m, .err = err };
	const struct op_dict *d = &m->dict;

	a.no_stack = op_text_put(&t->names.texts, op_view_z("(no stack)"), err);
	a.of_name = op_new(&t->mem, struct name_sum, t->names.texts.list.n);
	a.only_name = op_new_raw(&t->mem, uint32_t, d->nr[OP_LOCATIONS]);
	if (err->code)
		return err->code;
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++)
		a.only_name[i] = op_frame_count(&d->locations[i]) == 1 ?
					 op_frame_name(&t->names, m, i, 0) :
					 OP_NO_ID;
	names_add(&a);
	return err->code;
}

/* One row for each group. */
static int groups_build(struct op_top *t, struct op_err *err)
{
	uint32_t *of_group = op_new_ids(&t->mem, t->groups.nr);

	for (size_t i = 0; of_group && i < t->sums.list.n; i++) {
		const struct op_stack_sum *s = &t->sums.list.p[i];
		struct op_top_row fresh = { .group = s->group,
					    .name = OP_NO_ID };
		uint32_t *id = &of_group[s->group];

		if (*id == OP_NO_ID) {
			*id = (uint32_t)t->rows.n;
			if (!op_vec_push(&t->mem, &t->rows, fresh))
				break;
		}
		add(&t->rows.p[*id].flat, s->value);
		add(&t->rows.p[*id].cum, s->value);
	}
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
	op_arena_tells(&t->mem, err);
	return by->frame ? names_build(t, m, err) : groups_build(t, err);
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
