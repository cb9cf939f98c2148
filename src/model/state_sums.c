// SPDX-License-Identifier: Apache-2.0
/* model/state_sums.c: adds up states. */
#include "model/state_sums.h"

#include <stdlib.h>

#include "model/builder_int.h"

static bool identity_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_identity *a = (const struct op_identity *)table + id;

	return !memcmp(a, key, sizeof(*a)); /* no padding */
}

static uint32_t state_of(struct op_state_sums *s, struct op_identity key)
{
	uint32_t hash = op_identity_hash(&key);
	uint32_t id = op_intern_find(&s->index, hash, identity_eq, s->states.p,
				     &key);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)s->states.n;
	if (!op_vec_push(&s->mem, &s->states, key) ||
	    !op_intern_add(&s->index, &s->mem, hash, id))
		return 0;
	return id;
}

void op_state_sums_add(struct op_state_sums *s, struct op_identity state,
		       struct op_state_value v, struct op_err *err)
{
	op_arena_tells(&s->mem, err);
	v.state = state_of(s, state);
	if (!err->code)
		(void)op_vec_push(&s->mem, &s->list, v);
}

static int order_cmp(const void *a, const void *b, void *list)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct op_state_value *x = (struct op_state_value *)list + i;
	const struct op_state_value *y = (struct op_state_value *)list + k;

	if (x->sample != y->sample)
		return x->sample < y->sample ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* Sums may not fit in between, as long as they do in the end. */
static int64_t saturated(__int128 v)
{
	if (v > INT64_MAX)
		return INT64_MAX;
	return v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

int op_state_sums_make(struct op_state_sums *s, struct op_err *err)
{
	struct op_arena mem = { .err = err };
	size_t n = s->list.n;
	uint32_t *order = op_new_raw(&mem, uint32_t, n);
	struct op_state_value *v = op_new(&mem, struct op_state_value, n);
	int64_t *latest = op_new(&mem, int64_t, s->states.n);
	__int128 sum = 0;

	if (!order || !v || !latest)
		n = 0;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), order_cmp, s->list.p);
	for (size_t i = 0; i < n; i++)
		v[i] = s->list.p[order[i]];
	for (size_t i = 0; i < n; i++) {
		int64_t value = v[i].value;

		if (!i || v[i].sample != v[i - 1].sample)
			sum = 0;
		sum += (__int128)value - latest[v[i].state];
		latest[v[i].state] = value;
		s->list.p[i] = v[i];
		s->list.p[i].value = saturated(sum);
	}
	op_arena_free(&mem);
	return err->code;
}

void op_state_sums_free(struct op_state_sums *s)
{
	op_arena_free(&s->mem);
	*s = (struct op_state_sums){ 0 };
}
