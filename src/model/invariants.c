// SPDX-License-Identifier: Apache-2.0
/* model/invariants.c: checks the numbered invariants of model.h. */
#include "model/invariants.h"

#include "base/assert.h"
#include "model/model.h"

void op_model_assert_tables(const struct op_model *m)
{
	for (int t = 0; t < OP_NR_TABLES; t++)
		op_assert(m->dict.nr[t]);
	op_assert(m->dict.sets.nr);
}

/* The highest of n IDs; without branches, so that it vectorizes. */
static uint32_t highest(const uint32_t *ids, uint32_t n)
{
	uint32_t high = 0;

	for (uint32_t i = 0; i < n; i++)
		high = ids[i] > high ? ids[i] : high;
	return high;
}

static void lists_assert(const struct op_lists *l, uint32_t nr_items)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		struct op_ids ids = op_list(l, i);

		op_assert(!ids.n || highest(ids.p, ids.n) < nr_items);
	}
}

static void rows_assert(const struct op_dict *d)
{
	uint32_t nr_strings = d->nr[OP_STRINGS];

	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++) {
		op_assert(d->mappings[i].filename < nr_strings);
		op_assert(d->mappings[i].attrs < d->sets.nr);
	}
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];

		op_assert(l->mapping < d->nr[OP_MAPPINGS]);
		op_assert(l->attrs < d->sets.nr);
		op_assert(l->first_line <= d->nr_lines &&
			  l->nr_lines <= d->nr_lines - l->first_line);
	}
	for (uint32_t i = 0; i < d->nr_lines; i++)
		op_assert(d->lines[i].function < d->nr[OP_FUNCTIONS]);
	for (uint32_t i = 0; i < d->nr[OP_FUNCTIONS]; i++) {
		op_assert(d->functions[i].name < nr_strings);
		op_assert(d->functions[i].system_name < nr_strings);
		op_assert(d->functions[i].filename < nr_strings);
	}
	for (uint32_t i = 0; i < d->nr[OP_ATTRS]; i++) {
		op_assert(d->attrs[i].key < nr_strings);
		op_assert(d->attrs[i].unit < nr_strings);
	}
}

/* Values and timestamps mostly have the same offsets, in the same array. */
static void observations_assert(const struct op_profile *p)
{
	if (!p->value_at || !p->time_at || p->value_at == p->time_at)
		return;
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t values = p->value_at[i + 1] - p->value_at[i];
		uint32_t times = p->time_at[i + 1] - p->time_at[i];

		op_assert(values == times || !values || !times);
	}
}

static void profile_assert(const struct op_dict *d, const struct op_profile *p)
{
	op_assert(p->sample_type.type < d->nr[OP_STRINGS]);
	op_assert(p->sample_type.unit < d->nr[OP_STRINGS]);
	op_assert(p->period_type.type < d->nr[OP_STRINGS]);
	op_assert(p->period_type.unit < d->nr[OP_STRINGS]);
	op_assert(p->attrs < d->sets.nr);
	op_assert(highest(p->stack, p->nr_samples) < d->stacks.nr);
	op_assert(highest(p->set, p->nr_samples) < d->sets.nr);
	op_assert(highest(p->link, p->nr_samples) < d->nr[OP_LINKS]);
	observations_assert(p);
}

void op_model_assert(const struct op_model *m)
{
	const struct op_dict *d = &m->dict;

	op_model_assert_tables(m);
	rows_assert(d);
	lists_assert(&d->stacks, d->nr[OP_LOCATIONS]);
	lists_assert(&d->sets, d->nr[OP_ATTRS]);
	for (uint32_t i = 0; i < m->nr_resources; i++)
		for (uint32_t j = 0; j < m->resources[i].nr_scopes; j++) {
			const struct op_scope *s = &m->resources[i].scopes[j];

			for (uint32_t k = 0; k < s->nr_profiles; k++)
				profile_assert(d, &s->profiles[k]);
		}
}
