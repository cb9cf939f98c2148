// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/alloc_objects.c: alloc_objects without times. An allocation is an
 * observation of alloc_objects and one of alloc_space, at the same time: who
 * wants to know when finds it in the latter. */
#include "fmt/jfr/alloc_objects.h"

#include "fmt/jfr/jfr_int.h"
#include "model/obs.h"

static int64_t total(const struct op_profile *p, uint32_t i)
{
	uint32_t n = p->packed_times ? op_obs_count(p->packed_times, i) : 0;
	struct op_obs_values values;
	int64_t sum = 0;

	if (!p->packed_times)
		return op_sample_total(p, i);
	if (!p->packed_values)
		return n;
	op_obs_values(&values, p->packed_values, i);
	while (n--)
		sum = op_add_sat(sum, (int64_t)op_obs_next_value(&values));
	return sum;
}

static bool sum_up(struct op_arena *mem, struct op_profile *p)
{
	int64_t *values = op_new_raw(mem, int64_t, p->nr_samples);
	uint32_t *at = op_new_raw(mem, uint32_t, (size_t)p->nr_samples + 1);

	if (!values || !at)
		return false;
	at[0] = 0;
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		values[i] = total(p, i);
		at[i + 1] = i + 1;
	}
	p->value_at = at;
	p->values = values;
	p->time_at = NULL;
	p->times = NULL;
	p->packed_times = p->packed_values = NULL;
	p->observed = NULL;
	return true;
}

static bool is_type(const struct op_model *m, const struct op_profile *p,
		    const char *type)
{
	return op_view_is(op_string(m, p->sample_type.type), type);
}

/* Whether another profile of the same samples has their times. */
static bool has_space(const struct op_model *m, const struct op_scope *s,
		      const struct op_profile *p)
{
	for (uint32_t i = 0; i < s->nr_profiles; i++)
		if (s->profiles[i].stack == p->stack &&
		    is_type(m, &s->profiles[i], "alloc_space"))
			return true;
	return false;
}

int op_jfr_objects_sum(struct op_model *m, struct op_err *err)
{
	struct op_scope *s = m->resources[0].scopes;

	op_arena_tells(&m->mem, err);
	for (uint32_t i = 0; i < s->nr_profiles; i++) {
		struct op_profile *p = &s->profiles[i];

		if (is_type(m, p, "alloc_objects") && has_space(m, s, p) &&
		    !sum_up(&m->mem, p))
			return err->code;
	}
	return OP_OK;
}
