// SPDX-License-Identifier: Apache-2.0
/* query/stack_sums.c: adds up samples by group and stack. */
#include "query/stack_sums.h"

#include "base/hash.h"
#include "model/aggregate.h"
#include "query/default_profile.h"
#include "query/totals.h"

/* Observations without values are worth 1 each, as everywhere: values that are
 * all 1 may be left out. */
static int64_t last_value(const struct op_profile *p, uint32_t i)
{
	struct op_times t = op_sample_times(p, i);
	uint32_t last = 0;

	for (uint32_t k = 1; k < t.n; k++)
		if (t.p[k] >= t.p[last])
			last = k;
	return t.n ? op_observed(op_sample_values(p, i), last) :
		     op_sample_total(p, i);
}

int64_t op_sample_amount(enum op_aggregator a, const struct op_profile *p,
			 uint32_t i)
{
	return a == OP_LAST ? last_value(p, i) : op_sample_total(p, i);
}

struct adding {
	struct op_stack_sums *s;
	struct op_groups *groups;
	struct op_intern index;	   /* of group and stack, if there are labels */
	uint32_t *of_stack;	   /* by stack, if there are none */
	struct op_id_vec of_group; /* by group, if only labels are asked for */
	bool by_stack;
	struct op_err *err;
};

static bool sum_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_stack_sum *list = table, *k = key;

	return list[id].group == k->group && list[id].stack == k->stack;
}

static uint32_t sum_new(struct adding *a, struct op_stack_sum key)
{
	uint32_t id = (uint32_t)a->s->list.n;

	return op_vec_push(&a->s->mem, &a->s->list, key) ? id : OP_NO_ID;
}

static uint32_t sum_of_group(struct adding *a, struct op_stack_sum key)
{
	uint32_t *id;

	while (a->of_group.n <= key.group)
		if (!op_vec_push(&a->s->mem, &a->of_group, OP_NO_ID))
			return OP_NO_ID;
	id = &a->of_group.p[key.group];
	if (op_unlikely(*id == OP_NO_ID))
		*id = sum_new(a, key);
	return *id;
}

static uint32_t sum_of_stack(struct adding *a, struct op_stack_sum key)
{
	uint32_t *id = &a->of_stack[key.stack];

	if (*id == OP_NO_ID)
		*id = sum_new(a, key);
	return *id;
}

/* The number of the sum that a sample counts to; OP_NO_ID without memory. */
static uint32_t sum_of(struct adding *a, struct op_stack_sum key)
{
	uint64_t word = (uint64_t)key.group << 32 | key.stack;
	uint32_t hash, id;

	if (a->of_stack)
		return sum_of_stack(a, key);
	if (!a->by_stack)
		return sum_of_group(a, key);
	hash = op_hash_words(&word, 1);
	id = op_intern_find(&a->index, hash, sum_eq, a->s->list.p, &key);
	if (id != OP_NO_ID)
		return id;
	id = sum_new(a, key);
	if (id != OP_NO_ID && !op_intern_add(&a->index, &a->s->mem, hash, id))
		return OP_NO_ID;
	return id;
}

static void profile_add(struct adding *a, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	enum op_aggregator how = op_aggregator_of(a->groups->m, p);

	op_groups_profile(a->groups, w, a->err);
	a->s->nr_profiles++;
	a->s->nr_samples += p->nr_samples;
	a->s->nr_observations += op_profile_observations(p);
	for (uint32_t i = 0; i < p->nr_samples && !a->err->code; i++) {
		struct op_stack_sum key = {
			.group = op_groups_sample(a->groups, p, i, a->err),
			.stack = a->by_stack ? p->stack[i] : 0,
		};
		int64_t value = op_sample_amount(how, p, i);
		uint32_t id = sum_of(a, key);

		if (id == OP_NO_ID)
			return;
		a->s->list.p[id].value = op_add_sat(a->s->list.p[id].value,
						    value);
		a->s->total = op_add_sat(a->s->total, value);
	}
}

static void drop_zeros(struct op_stack_sums *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->list.n; i++)
		if (s->list.p[i].value)
			s->list.p[n++] = s->list.p[i];
	s->list.n = n;
}

int op_stack_sums(struct op_stack_sums *s, const struct op_model *m,
		  const struct op_profile *like, struct op_groups *groups,
		  struct op_err *err)
{
	struct adding a = { .s = s, .groups = groups, .err = err };
	struct op_walk w = { 0 };

	op_arena_tells(&s->mem, err);
	a.by_stack = groups->by.frame || !groups->by.nr_labels;
	if (!groups->by.nr_labels)
		a.of_stack = op_new_ids(&s->mem, m->dict.stacks.nr);
	while (!err->code && op_walk_next(m, &w))
		if (op_same_type(m, like, w.profile))
			profile_add(&a, &w);
	drop_zeros(s);
	return err->code;
}

void op_stack_sums_free(struct op_stack_sums *s)
{
	op_arena_free(&s->mem);
	*s = (struct op_stack_sums){ 0 };
}
