// SPDX-License-Identifier: Apache-2.0
/* model/unpack.c: converts packed observations to arrays. */
#include "model/model.h"
#include "model/obs.h"

/* The offset of the observations of each sample, and of the end of the last;
 * NULL without memory. */
static uint32_t *starts(struct op_arena *mem, const struct op_obs *times,
			uint32_t nr)
{
	uint32_t *at = op_new_raw(mem, uint32_t, (size_t)nr + 1);
	uint64_t end = 0;

	if (!at)
		return NULL;
	for (uint32_t i = 0; i < nr; i++) {
		at[i] = (uint32_t)end;
		end += op_obs_count(times, i);
	}
	at[nr] = (uint32_t)end;
	return end > UINT32_MAX ? NULL : at;
}

/* The lists of all samples, one after the other. */
static uint64_t *lists_get(struct op_arena *mem, const struct op_obs *c,
			   op_obs_get_fn *get, const uint32_t *at, uint32_t nr)
{
	uint64_t *out = op_new_raw(mem, uint64_t, at[nr]);

	for (uint32_t i = 0; out && i < nr; i++) {
		op_obs_hint(c, i);
		get(c, i, out + at[i]);
	}
	return out;
}

bool op_profile_unpack(struct op_arena *mem, struct op_profile *p,
		       const struct op_profile *before)
{
	const struct op_obs *times = p->packed_times;
	const struct op_obs *values = p->packed_values;

	if (before && before->time_at) {
		p->time_at = before->time_at;
		p->times = before->times;
	} else {
		p->time_at = starts(mem, times, p->nr_samples);
		p->times = p->time_at ? lists_get(mem, times, op_obs_get_times,
						  p->time_at, p->nr_samples) :
					NULL;
	}
	if (!p->times)
		return false;
	if (values) {
		p->value_at = p->time_at;
		p->values = (int64_t *)lists_get(mem, values, op_obs_get_values,
						 p->time_at, p->nr_samples);
	}
	p->packed_times = p->packed_values = NULL;
	return !values || p->values;
}

int op_model_unpack(struct op_model *m, struct op_err *err)
{
	const struct op_profile *before = NULL;
	const struct op_obs *times = NULL;
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w)) {
		struct op_profile *p =
			&m->resources[w.r].scopes[w.s].profiles[w.p];

		/* Return before anything is written: many threads may read a
		 * model without packed data. */
		if (!p->packed_times)
			continue;
		op_arena_tells(&m->mem, err);
		if (p->packed_times != times)
			before = NULL;
		times = p->packed_times;
		if (!op_profile_unpack(&m->mem, p, before))
			return err->code;
		before = p;
	}
	return OP_OK;
}
