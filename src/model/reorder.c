// SPDX-License-Identifier: Apache-2.0
/* model/reorder.c: gives a model the order of op_normalise() in place.
 *
 * Rows of such a model are unique, so that none has to be looked up: each gets
 * the next ID of its table when it is first visited, and a copy with the new
 * IDs is appended to a new table. Large data is not copied: frames and columns
 * of samples get their new IDs in place. A stack stays where it is among the
 * frames, which are then no longer in the order of stacks.
 *
 * Rows must be visited in the order in which import.c visits them. */
#include "model/builder_int.h"
#include "model/merge.h"

struct reorder {
	struct op_model *m;
	const struct op_dict *from;
	struct op_dict to;
	uint32_t *map[OP_NR_TABLES]; /* new IDs; OP_NO_ID: not visited yet */
	uint32_t *set_map;
	struct op_arena scratch;
};

/* --- room --- */

static bool maps_new(struct reorder *r)
{
	for (int t = 0; t < OP_NR_TABLES; t++) {
		r->map[t] = op_new_ids(&r->scratch, r->from->nr[t]);
		if (!r->map[t])
			return false;
	}
	r->set_map = op_new_ids(&r->scratch, r->from->sets.nr);
	return r->set_map != NULL;
}

/* At least as large as the result, so that nothing can fail later. */
static bool tables_new(struct reorder *r)
{
	struct op_arena *mem = &r->m->mem;
	const struct op_dict *from = r->from;
	const uint32_t *nr = from->nr;
	struct op_dict *to = &r->to;

	to->mappings = op_new_raw(mem, struct op_mapping, nr[OP_MAPPINGS]);
	to->locations = op_new_raw(mem, struct op_location, nr[OP_LOCATIONS]);
	to->lines = op_new_raw(mem, struct op_line, from->nr_lines);
	to->functions = op_new_raw(mem, struct op_function, nr[OP_FUNCTIONS]);
	to->links = op_new_raw(mem, struct op_link, nr[OP_LINKS]);
	to->strings = op_new_raw(mem, struct op_view, nr[OP_STRINGS]);
	to->attrs = op_new_raw(mem, struct op_attr, nr[OP_ATTRS]);
	to->stacks.at = op_new_raw(mem, uint32_t, nr[OP_STACKS] + (size_t)1);
	to->stacks.end = op_new_raw(mem, uint32_t, nr[OP_STACKS]);
	to->stacks.items = from->stacks.items;
	to->sets.at = op_new_raw(mem, uint32_t, from->sets.nr + (size_t)1);
	to->sets.items = op_new_raw(mem, uint32_t,
				    from->sets.at[from->sets.nr]);
	return to->mappings && to->locations && to->lines && to->functions &&
	       to->links && to->strings && to->attrs && to->stacks.at &&
	       to->stacks.end && to->sets.at && to->sets.items;
}

/* --- rows --- */

/* The new ID of a row; true if it is visited for the first time. */
static bool is_new(struct reorder *r, enum op_table t, uint32_t id,
		   uint32_t *new_id)
{
	uint32_t *to = &r->map[t][id];
	bool first = *to == OP_NO_ID;

	if (first)
		*to = r->to.nr[t]++;
	*new_id = *to;
	return first;
}

static uint32_t string_of(struct reorder *r, uint32_t id)
{
	uint32_t to;

	if (is_new(r, OP_STRINGS, id, &to))
		r->to.strings[to] = r->from->strings[id];
	return to;
}

static uint32_t link_of(struct reorder *r, uint32_t id)
{
	uint32_t to;

	if (is_new(r, OP_LINKS, id, &to))
		r->to.links[to] = r->from->links[id];
	return to;
}

static void kvs_renumber(struct reorder *r, struct op_kv *kvs, uint32_t n);

/* The depth that readers allow limits the recursion. */
static void any_renumber(struct reorder *r, struct op_any *v)
{
	if (v->kind == OP_ANY_STRING_ID)
		v->string_id = string_of(r, v->string_id);
	else if (v->kind == OP_ANY_KVLIST)
		kvs_renumber(r, v->kvlist, v->n);
	else if (v->kind == OP_ANY_ARRAY)
		for (uint32_t i = 0; i < v->n; i++)
			any_renumber(r, &v->array[i]);
}

static void kvs_renumber(struct reorder *r, struct op_kv *kvs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		kvs[i].key_id = string_of(r, kvs[i].key_id);
		any_renumber(r, &kvs[i].value);
	}
}

static uint32_t attr_of(struct reorder *r, uint32_t id)
{
	struct op_attr row = r->from->attrs[id];
	uint32_t to;

	if (is_new(r, OP_ATTRS, id, &to)) {
		row.key = string_of(r, row.key);
		row.unit = string_of(r, row.unit);
		any_renumber(r, &row.value);
		r->to.attrs[to] = row;
	}
	return to;
}

static uint32_t set_of(struct reorder *r, uint32_t id)
{
	struct op_lists *sets = &r->to.sets;
	struct op_ids attrs;
	uint32_t at, n = 0;

	if (op_likely(r->set_map[id] != OP_NO_ID))
		return r->set_map[id];
	attrs = op_list(&r->from->sets, id);
	at = sets->at[sets->nr];
	for (uint32_t i = 0; i < attrs.n; i++) {
		uint32_t attr = attr_of(r, attrs.p[i]);

		if (attr) /* the zero attribute has no meaning */
			sets->items[at + n++] = attr;
	}
	r->set_map[id] = sets->nr++;
	sets->at[sets->nr] = at + op_set_sort(sets->items + at, n);
	return r->set_map[id];
}

static uint32_t function_of(struct reorder *r, uint32_t id)
{
	struct op_function row = r->from->functions[id];
	uint32_t to;

	if (is_new(r, OP_FUNCTIONS, id, &to)) {
		row.name = string_of(r, row.name);
		row.system_name = string_of(r, row.system_name);
		row.filename = string_of(r, row.filename);
		r->to.functions[to] = row;
	}
	return to;
}

static uint32_t mapping_of(struct reorder *r, uint32_t id)
{
	struct op_mapping row = r->from->mappings[id];
	uint32_t to;

	if (is_new(r, OP_MAPPINGS, id, &to)) {
		row.filename = string_of(r, row.filename);
		row.attrs = set_of(r, row.attrs);
		r->to.mappings[to] = row;
	}
	return to;
}

static uint32_t location_of(struct reorder *r, uint32_t id)
{
	struct op_location row = r->from->locations[id];
	uint32_t first = row.first_line;
	uint32_t to;

	if (is_new(r, OP_LOCATIONS, id, &to)) {
		row.first_line = r->to.nr_lines;
		for (uint32_t i = 0; i < row.nr_lines; i++) {
			struct op_line line = r->from->lines[first + i];

			line.function = function_of(r, line.function);
			r->to.lines[r->to.nr_lines++] = line;
		}
		row.mapping = mapping_of(r, row.mapping);
		row.attrs = set_of(r, row.attrs);
		r->to.locations[to] = row;
	}
	return to;
}

static uint32_t stack_of(struct reorder *r, uint32_t id)
{
	const uint32_t *known = r->map[OP_LOCATIONS];
	uint32_t at = r->from->stacks.at[id], end = r->from->stacks.end[id];
	uint32_t *frames = r->to.stacks.items;
	uint32_t to;

	if (!is_new(r, OP_STACKS, id, &to))
		return to;
	for (uint32_t i = at; i < end; i++)
		frames[i] = op_likely(known[frames[i]] != OP_NO_ID) ?
				    known[frames[i]] :
				    location_of(r, frames[i]);
	r->to.stacks.at[to] = at;
	r->to.stacks.end[to] = end;
	return to;
}

/* --- the order --- */

/* The zero rows, and the mappings, which keep the order of their table. */
static bool begin(struct reorder *r)
{
	uint32_t nr = r->from->nr[OP_MAPPINGS];
	uint8_t *stacks = op_new(&r->scratch, uint8_t, r->from->stacks.nr);
	uint8_t *mappings = op_new(&r->scratch, uint8_t, nr);

	if (!stacks || !mappings)
		return false;
	r->to.sets.at[0] = 0;
	set_of(r, 0);
	attr_of(r, 0);
	link_of(r, 0);
	location_of(r, 0);
	function_of(r, 0);
	stack_of(r, 0);
	if (!r->m->normal) {
		op_mark_stacks(r->m, stacks);
		op_mark_mappings(r->from, stacks, mappings);
	}
	for (uint32_t i = 0; i < nr; i++)
		if (r->m->normal || mappings[i])
			mapping_of(r, i);
	return true;
}

/* Whether an earlier profile of the scope has the same samples, in the same
 * memory: then they already have their new IDs. */
static bool is_shared(const struct op_scope *s, uint32_t p)
{
	for (uint32_t i = 0; i < p; i++)
		if (s->profiles[i].stack == s->profiles[p].stack)
			return true;
	return false;
}

static void type_renumber(struct reorder *r, struct op_value_type *t)
{
	t->type = string_of(r, t->type);
	t->unit = string_of(r, t->unit);
}

static void scope_renumber(struct reorder *r, struct op_scope *s)
{
	kvs_renumber(r, s->attrs.p, s->attrs.n);
	for (uint32_t i = 0; i < s->nr_profiles; i++) {
		struct op_profile *p = &s->profiles[i];

		type_renumber(r, &p->sample_type);
		type_renumber(r, &p->period_type);
		p->attrs = set_of(r, p->attrs);
		for (uint32_t k = 0; !is_shared(s, i) && k < p->nr_samples;
		     k++) {
			p->stack[k] = stack_of(r, p->stack[k]);
			p->set[k] = set_of(r, p->set[k]);
			p->link[k] = link_of(r, p->link[k]);
		}
	}
}

static void finish(struct reorder *r)
{
	const struct op_lists *old = &r->from->stacks;
	struct op_dict *to = &r->to;

	to->stacks.nr = to->nr[OP_STACKS];
	to->stacks.at[to->stacks.nr] = old->at[old->nr];
	to->sets = op_lists(to->sets.at, to->sets.items, to->sets.nr);
	r->m->dict = *to;
	r->m->normal = true;
}

int op_reorder(struct op_model *m, struct op_err *err)
{
	struct reorder r = { .m = m, .from = &m->dict, .scratch.err = err };

	op_arena_tells(&m->mem, err);
	if (maps_new(&r) && tables_new(&r) && begin(&r)) {
		for (uint32_t i = 0; i < m->nr_resources; i++) {
			struct op_resource *res = &m->resources[i];

			kvs_renumber(&r, res->attrs.p, res->attrs.n);
			for (uint32_t s = 0; s < res->nr_scopes; s++)
				scope_renumber(&r, &res->scopes[s]);
		}
		finish(&r);
	}
	op_arena_free(&r.scratch);
	return err->code;
}
