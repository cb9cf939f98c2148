// SPDX-License-Identifier: Apache-2.0
/* model/import.c: copies rows of one model into the builder of another. */
#include "model/builder_int.h"
#include "model/merge.h"
#include "model/semconv.h"

static bool map_new(struct op_import *im, uint32_t **map, uint32_t nr)
{
	*map = op_new_ids(&im->scratch, nr);
	return *map != NULL;
}

bool op_import_init(struct op_import *im, struct op_builder *to,
		    const struct op_model *from)
{
	bool ok = true;

	*im = (struct op_import){ .to = to,
				  .from = from,
				  .scratch.err = to->err };
	for (int t = 0; t < OP_NR_TABLES; t++)
		ok &= map_new(im, &im->map[t], from->dict.nr[t]);
	ok &= map_new(im, &im->set_map, from->dict.sets.nr);
	return ok;
}

void op_import_fini(struct op_import *im)
{
	op_arena_free(&im->scratch);
}

void op_mark_stacks(const struct op_model *m, uint8_t *stacks)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			stacks[w.profile->stack[i]] = 1;
}

void op_mark_mappings(const struct op_dict *d, const uint8_t *stacks,
		      uint8_t *mappings)
{
	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		struct op_ids locs = op_list(&d->stacks, i);

		for (uint32_t k = 0; stacks[i] && k < locs.n; k++)
			mappings[d->locations[locs.p[k]].mapping] = 1;
	}
}

void op_import_mappings(struct op_import *im, const uint8_t *stacks)
{
	const struct op_dict *d = &im->from->dict;
	uint32_t nr_stacks = stacks ? 0 : d->stacks.nr;
	uint8_t *all = op_new(&im->scratch, uint8_t, nr_stacks);
	uint8_t *mappings = op_new(&im->scratch, uint8_t, d->nr[OP_MAPPINGS]);

	if (!all || !mappings)
		return;
	if (!stacks)
		op_mark_stacks(im->from, all);
	op_mark_mappings(d, stacks ? stacks : all, mappings);
	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++)
		if (mappings[i])
			op_import_mapping(im, i);
	op_arena_drop(&im->scratch, mappings, d->nr[OP_MAPPINGS]);
	op_arena_drop(&im->scratch, all, nr_stacks);
}

uint32_t op_import_string(struct op_import *im, uint32_t id)
{
	uint32_t *to = &im->map[OP_STRINGS][id];

	if (*to == OP_NO_ID)
		*to = op_build_string(im->to, op_string(im->from, id));
	return *to;
}

uint32_t op_import_function(struct op_import *im, uint32_t id)
{
	uint32_t *to = &im->map[OP_FUNCTIONS][id];
	struct op_function row = im->from->dict.functions[id];

	if (*to != OP_NO_ID)
		return *to;
	row.name = op_import_string(im, row.name);
	row.system_name = op_import_string(im, row.system_name);
	row.filename = op_import_string(im, row.filename);
	*to = op_build_function(im->to, &row);
	return *to;
}

uint32_t op_import_mapping(struct op_import *im, uint32_t id)
{
	uint32_t *to = &im->map[OP_MAPPINGS][id];
	struct op_mapping row = im->from->dict.mappings[id];

	if (*to != OP_NO_ID)
		return *to;
	row.filename = op_import_string(im, row.filename);
	row.attrs = op_import_set(im, row.attrs);
	*to = op_build_mapping(im->to, &row);
	return *to;
}

uint32_t op_import_location(struct op_import *im, uint32_t id)
{
	const struct op_dict *d = &im->from->dict;
	uint32_t *to = &im->map[OP_LOCATIONS][id];
	struct op_location row = d->locations[id];

	if (op_likely(*to != OP_NO_ID))
		return *to;
	im->lines.n = 0;
	if (!op_vec_reserve(&im->scratch, &im->lines, row.nr_lines))
		return 0;
	for (uint32_t i = 0; i < row.nr_lines; i++) {
		struct op_line line = d->lines[row.first_line + i];

		line.function = op_import_function(im, line.function);
		im->lines.p[i] = line;
	}
	row.mapping = op_import_mapping(im, row.mapping);
	row.attrs = op_import_set(im, row.attrs);
	*to = op_build_location(im->to, &row, im->lines.p, row.nr_lines);
	return *to;
}

uint32_t op_import_stack(struct op_import *im, uint32_t id)
{
	uint32_t *to = &im->map[OP_STACKS][id];
	struct op_ids locs = op_list(&im->from->dict.stacks, id);

	if (*to != OP_NO_ID)
		return *to;
	im->ids.n = 0;
	if (!op_vec_reserve(&im->scratch, &im->ids, locs.n))
		return 0;
	for (uint32_t i = 0; i < locs.n; i++) {
		uint32_t known = im->map[OP_LOCATIONS][locs.p[i]];

		im->ids.p[i] = op_likely(known != OP_NO_ID) ?
				       known :
				       op_import_location(im, locs.p[i]);
	}
	*to = op_build_stack(im->to, im->ids.p, locs.n);
	return *to;
}

uint32_t op_import_link(struct op_import *im, uint32_t id)
{
	uint32_t *to = &im->map[OP_LINKS][id];

	if (*to == OP_NO_ID)
		*to = op_build_link(im->to, &im->from->dict.links[id]);
	return *to;
}

static uint32_t import_attr(struct op_import *im, uint32_t id)
{
	uint32_t *to = &im->map[OP_ATTRS][id];
	const struct op_attr *row = &im->from->dict.attrs[id];

	if (*to == OP_NO_ID)
		*to = op_build_attr(im->to, op_string(im->from, row->key),
				    &row->value, op_string(im->from, row->unit),
				    im->from);
	return *to;
}

static bool is_of_window(const struct op_model *m, uint32_t attr)
{
	static const char prefix[] = OP_ATTRS_OF_WINDOW;
	struct op_view key = op_string(m, m->dict.attrs[attr].key);

	return key.n >= sizeof(prefix) - 1 &&
	       !memcmp(key.p, prefix, sizeof(prefix) - 1);
}

static uint32_t import_attrs(struct op_import *im, struct op_ids attrs,
			     bool is_lasting)
{
	/* Not im->ids, which may contain an unfinished stack. */
	uint32_t *ids = op_new_raw(&im->scratch, uint32_t, attrs.n);
	uint32_t n = 0, set;

	if (!ids)
		return 0;
	for (uint32_t i = 0; i < attrs.n; i++) {
		if (is_lasting && is_of_window(im->from, attrs.p[i]))
			continue;
		ids[n] = import_attr(im, attrs.p[i]);
		n += ids[n] != 0; /* the zero attribute has no meaning */
	}
	set = op_build_set(im->to, ids, n);
	op_arena_drop(&im->scratch, ids, attrs.n * sizeof(*ids));
	return set;
}

uint32_t op_import_set(struct op_import *im, uint32_t id)
{
	uint32_t *to = &im->set_map[id];

	if (*to == OP_NO_ID)
		*to = import_attrs(im, op_list(&im->from->dict.sets, id),
				   false);
	return *to;
}

uint32_t op_import_lasting_set(struct op_import *im, uint32_t id)
{
	return import_attrs(im, op_list(&im->from->dict.sets, id), true);
}

static struct op_value_type import_type(struct op_import *im,
					struct op_value_type t)
{
	t.type = op_import_string(im, t.type);
	t.unit = op_import_string(im, t.unit);
	return t;
}

struct op_profile op_import_head(struct op_import *im,
				 const struct op_profile *p)
{
	struct op_profile head = {
		.sample_type = import_type(im, p->sample_type),
		.period_type = import_type(im, p->period_type),
		.period = p->period,
		.time_ns = p->time_ns,
		.duration_ns = p->duration_ns,
		.attrs = op_import_set(im, p->attrs),
		.dropped_attrs = p->dropped_attrs,
		.id_len = p->id_len,
		.payload_format = p->payload_format,
		.payload = p->payload,
	};

	memcpy(head.id, p->id, sizeof(head.id));
	return head;
}

static void import_sample(struct op_import *im, const struct op_profile *p,
			  uint32_t i, uint32_t profile)
{
	struct op_values values = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);
	struct op_identity id = {
		.stack = op_import_stack(im, p->stack[i]),
		.set = op_import_set(im, p->set[i]),
		.link = op_import_link(im, p->link[i]),
	};
	uint32_t sample = op_build_sample(im->to, profile, id);

	for (uint32_t k = 0; k < times.n; k++)
		op_build_observe(im->to, profile, sample,
				 values.n ? values.p[k] : 1, times.p[k]);
	for (uint32_t k = 0; !times.n && k < values.n; k++)
		op_build_add(im->to, profile, sample, values.p[k]);
	if (p->observed && !im->to->err->code)
		op_build_count(im->to, im->to->profiles.p[profile], sample,
			       p->observed[i]);
}

void op_import_samples(struct op_import *im, const struct op_profile *p,
		       struct op_build_pair *to)
{
	bool first = p->nr_samples && op_sample_times(p, 0).n;
	bool both = false;

	for (uint32_t i = 0; i < p->nr_samples && !both; i++)
		both = (op_sample_times(p, i).n != 0) != first;
	/* One shape after the other, so that another import visits the result
	 * in the order in which it was made. */
	op_import_samples_of(im, p, first, op_build_pair_id(im->to, to, first));
	if (both)
		op_import_samples_of(im, p, !first,
				     op_build_pair_id(im->to, to, !first));
}

void op_import_samples_of(struct op_import *im, const struct op_profile *p,
			  bool timed, uint32_t profile)
{
	op_build_reserve_samples(im->to, profile, p->nr_samples);
	for (uint32_t i = 0; i < p->nr_samples && !im->to->err->code; i++)
		if ((op_sample_times(p, i).n != 0) == timed)
			import_sample(im, p, i, profile);
}
