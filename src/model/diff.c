// SPDX-License-Identifier: Apache-2.0
/* model/diff.c: the values after minus those before, as a model. */
#include "model/diff.h"

#include <math.h>

#include "base/budget.h"
#include "base/hash.h"
#include "model/filter.h"
#include "model/label.h"
#include "model/merge.h"
#include "model/semconv.h"

/* A name needs lookups in three tables. */
enum { STEPS_A_LINE = 100 };

/* A sample type and unit of either side. Events of it are told apart if one
 * side has several: two files rarely name the only one alike. */
struct diff_type {
	struct op_value_type type;
	uint32_t event[2]; /* of the first profile, by side; OP_NO_ID: none */
	bool has_events;
};

struct diff_target {
	struct op_value_type type;
	uint32_t event; /* 0: all */
};

/* One side, which becomes one profile per type. */
struct side {
	const struct op_diff_opts *o;
	struct op_err *err;
	struct op_builder b;
	struct op_import im[2]; /* of both sides: types come from both */
	int which;		/* samples come from this one */
	struct op_arena mem;
	uint32_t *stacks; /* by name; OP_NO_ID: not looked up yet */
	struct op_id_vec names;
	struct op_intern types, target_index;
	OP_VEC(struct diff_type) seen;
	OP_VEC(struct diff_target) targets;
};

/* --- what resources and scopes have in common --- */

static bool has_attr(const struct op_model *m, const struct op_resource *r,
		     const struct op_model *from, const struct op_kv *kv)
{
	for (uint32_t i = 0; i < r->attrs.n; i++)
		if (op_view_eq(op_kv_key(m, &r->attrs.p[i]),
			       op_kv_key(from, kv)))
			return op_any_eq(m, &r->attrs.p[i].value, from,
					 &kv->value);
	return false;
}

static bool all_have_attr(const struct op_model *const *sides,
			  const struct op_model *from, const struct op_kv *kv)
{
	for (int i = 0; i < 2; i++)
		for (uint32_t r = 0; r < sides[i]->nr_resources; r++)
			if (!has_attr(sides[i], &sides[i]->resources[r], from,
				      kv))
				return false;
	return true;
}

static uint32_t resource_put(struct side *s,
			     const struct op_model *const *sides)
{
	const struct op_model *from = sides[!sides[0]->nr_resources];
	struct op_resource head = { 0 };
	struct op_kvs all = { 0 };

	if (from->nr_resources)
		all = from->resources[0].attrs;
	head.attrs.p = op_new(&s->mem, struct op_kv, all.n);
	if (!head.attrs.p)
		return 0;
	for (uint32_t i = 0; i < all.n; i++)
		if (all_have_attr(sides, from, &all.p[i]))
			head.attrs.p[head.attrs.n++] = all.p[i];
	return op_build_resource(&s->b, &head, from);
}

static uint32_t scope_put(struct side *s, const struct op_model *const *sides,
			  uint32_t resource)
{
	struct op_scope head = { 0 };
	const struct op_scope *one = NULL;

	for (int i = 0; i < 2; i++) {
		struct op_walk w = { 0 };

		while (op_walk_next(sides[i], &w)) {
			if (!one)
				one = w.scope;
			if (!op_view_eq(one->name, w.scope->name) ||
			    !op_view_eq(one->version, w.scope->version))
				return op_build_scope(&s->b, resource, &head,
						      NULL);
		}
	}
	if (one) {
		head.name = one->name;
		head.version = one->version;
	}
	return op_build_scope(&s->b, resource, &head, NULL);
}

/* --- stacks by names --- */

/* The identity of a frame: its function, or its address if it has no name. */
static void name_put(struct side *s, const struct op_location *l,
		     const struct op_line *line)
{
	struct op_import *im = &s->im[s->which];
	const struct op_dict *d = &im->from->dict;
	struct op_location row = { 0 };
	struct op_function fn = { 0 };
	struct op_line named = { 0 };
	uint32_t id;

	if (line)
		fn = d->functions[line->function];
	fn = (struct op_function){
		.name = op_import_string(im,
					 fn.name ? fn.name : fn.system_name),
	};
	if (!fn.name) {
		struct op_mapping map = {
			.filename = op_import_string(
				im, d->mappings[l->mapping].filename),
		};

		row.address = l->address;
		row.mapping = op_build_mapping(&s->b, &map);
	}
	named.function = op_build_function(&s->b, &fn);
	id = op_build_location(&s->b, &row, &named, fn.name ? 1 : 0);
	(void)op_vec_push(&s->mem, &s->names, id);
}

static uint32_t stack_by_names(struct side *s, uint32_t stack)
{
	const struct op_dict *d = &s->im[s->which].from->dict;
	struct op_ids locs = op_list(&d->stacks, stack);

	if (s->stacks[stack] != OP_NO_ID)
		return s->stacks[stack];
	s->names.n = 0;
	for (uint32_t i = 0; i < locs.n && !s->err->code; i++) {
		const struct op_location *l = &d->locations[locs.p[i]];

		op_work((uint64_t)l->nr_lines * STEPS_A_LINE, s->err);
		for (uint32_t k = 0; k < l->nr_lines && !s->err->code; k++)
			name_put(s, l, &d->lines[l->first_line + k]);
		if (!l->nr_lines)
			name_put(s, l, NULL);
	}
	s->stacks[stack] = op_build_stack(&s->b, s->names.p,
					  (uint32_t)s->names.n);
	return s->stacks[stack];
}

static struct op_identity identity(struct side *s, const struct op_profile *p,
				   uint32_t i)
{
	struct op_import *im = &s->im[s->which];

	if (!s->o->exact)
		return (struct op_identity){ .stack = stack_by_names(
						     s, p->stack[i]) };
	return (struct op_identity){
		.stack = op_import_stack(im, p->stack[i]),
		.set = op_import_set(im, p->set[i]),
		.link = op_import_link(im, p->link[i]),
	};
}

/* --- one profile for each type --- */

/* A set, and the name of the event in addition. */
static uint32_t event_set(struct op_builder *b, uint32_t set,
			  struct op_view event)
{
	struct op_any name = { .kind = OP_ANY_STRING, .bytes = event };
	uint32_t id = op_build_attr(b, op_view_z(OP_ATTR_EVENT), &name,
				    (struct op_view){ 0 }, NULL);

	return op_build_set_with(b, set, id);
}

static bool type_eq(const void *table, uint32_t id, const void *key)
{
	const struct diff_type *a = (const struct diff_type *)table + id;
	const struct op_value_type *b = key;

	return a->type.type == b->type && a->type.unit == b->unit;
}

static struct op_value_type type_of(struct op_import *im,
				    const struct op_profile *p)
{
	return (struct op_value_type){
		op_import_string(im, p->sample_type.type),
		op_import_string(im, p->sample_type.unit),
	};
}

static uint32_t type_hash(struct op_value_type type, uint32_t event)
{
	uint64_t words[] = { (uint64_t)type.type << 32 | type.unit, event };

	return op_hash_words(words, op_countof(words));
}

/* The type of a profile, noted if it is new; NULL without memory. */
static struct diff_type *type_put(struct side *s, struct op_value_type type)
{
	struct diff_type fresh = { type, { OP_NO_ID, OP_NO_ID }, false };
	uint32_t hash = type_hash(type, 0);
	uint32_t id = op_intern_find(&s->types, hash, type_eq, s->seen.p,
				     &type);

	if (id != OP_NO_ID)
		return &s->seen.p[id];
	if (s->err->code || !op_vec_push(&s->mem, &s->seen, fresh) ||
	    !op_intern_add(&s->types, &s->mem, hash, (uint32_t)s->seen.n - 1))
		return NULL;
	return &s->seen.p[s->seen.n - 1];
}

static void events_note(struct side *s, int which, const struct op_profile *p)
{
	struct op_import *im = &s->im[which];
	struct diff_type *t = type_put(s, type_of(im, p));
	uint32_t event = op_build_string(&s->b, op_profile_event(im->from, p));

	if (!t)
		return;
	if (t->event[which] == OP_NO_ID)
		t->event[which] = event;
	t->has_events |= t->event[which] != event;
}

static bool target_eq(const void *table, uint32_t id, const void *key)
{
	const struct diff_target *a = (const struct diff_target *)table + id;
	const struct diff_target *b = key;

	return a->type.type == b->type.type && a->type.unit == b->type.unit &&
	       a->event == b->event;
}

/* The profile of this type in the side; added if it is new. */
static uint32_t target_of(struct side *s, struct op_import *im,
			  const struct op_profile *p, uint32_t scope)
{
	struct op_view event = op_profile_event(im->from, p);
	struct diff_target key = { .type = type_of(im, p) };
	struct diff_type *t = type_put(s, key.type);
	struct op_profile head = { .sample_type = key.type };
	uint32_t hash, id;

	if (t && t->has_events)
		key.event = op_build_string(&s->b, event);
	hash = type_hash(key.type, key.event);
	id = op_intern_find(&s->target_index, hash, target_eq, s->targets.p,
			    &key);
	if (id != OP_NO_ID || s->err->code)
		return id;
	if (op_vec_push(&s->mem, &s->targets, key))
		op_intern_add(&s->target_index, &s->mem, hash,
			      (uint32_t)s->targets.n - 1);
	if (key.event)
		head.attrs = event_set(&s->b, 0, event);
	return op_build_profile(&s->b, scope, &head);
}

static void profile_join(struct side *s, const struct op_profile *p,
			 uint32_t scope)
{
	uint32_t to = target_of(s, &s->im[s->which], p, scope);

	if (s->err->code)
		return;
	op_profile_widen(op_build_profile_head(&s->b, to), p);
	for (uint32_t i = 0; i < p->nr_samples && !s->err->code; i++)
		op_build_add(&s->b, to,
			     op_build_sample(&s->b, to, identity(s, p, i)),
			     op_sample_total(p, i));
}

static void side_fill(struct side *s, const struct op_model *const *sides)
{
	uint32_t resource, scope;
	struct op_walk w = { 0 };

	if (s->o->exact)
		op_import_mappings(&s->im[s->which], NULL);
	resource = resource_put(s, sides);
	scope = scope_put(s, sides, resource);
	for (int i = 0; i < 2; i++) {
		w = (struct op_walk){ 0 };
		while (op_walk_next(sides[i], &w) && !s->err->code)
			events_note(s, i, w.profile);
	}
	for (int i = 0; i < 2; i++) {
		w = (struct op_walk){ 0 };
		while (op_walk_next(sides[i], &w) && !s->err->code)
			target_of(s, &s->im[i], w.profile, scope);
	}
	w = (struct op_walk){ 0 };
	while (op_walk_next(sides[s->which], &w) && !s->err->code)
		profile_join(s, w.profile, scope);
}

static int side_make(const struct op_model *const *sides, int which,
		     const struct op_diff_opts *o, struct op_model *out,
		     struct op_err *err)
{
	struct side s = { .o = o, .err = err, .which = which, .mem.err = err };
	uint32_t nr = sides[which]->dict.nr[OP_STACKS];
	bool ok;

	if (op_builder_init(&s.b, out, err))
		return err->code;
	ok = op_import_init(&s.im[0], &s.b, sides[0]);
	ok &= op_import_init(&s.im[1], &s.b, sides[1]);
	s.stacks = op_new_ids(&s.mem, nr);
	if (ok && s.stacks)
		side_fill(&s, sides);
	op_import_fini(&s.im[0]);
	op_import_fini(&s.im[1]);
	op_arena_free(&s.mem);
	if (!op_builder_finish(&s.b))
		out->normal = true;
	return err->code;
}

/* --- sides --- */

int op_sum_up(const struct op_model *m, struct op_model *out,
	      struct op_err *err)
{
	struct op_filter_opts o = { .aggregate = true, .drop_payloads = true };
	struct op_model *one[] = { (struct op_model *)m };
	struct op_model merged = { .mem.quota = out->mem.quota };

	if (!op_merge(one, 1, &merged, err))
		op_filter(&merged, &o, out, err);
	op_model_free(&merged);
	return err->code;
}

int64_t op_scale_sat(int64_t v, double factor)
{
	double x = (double)v * factor;

	if (factor == 1)
		return v;
	if (x >= 0x1p63)
		return INT64_MAX;
	return x < -0x1p63 ? INT64_MIN : llround(x);
}

/* The model is not shared here and can be changed in place. */
static void normalize(struct op_model *before, const struct op_model *after)
{
	struct op_walk a = { 0 }, b = { 0 };

	while (op_walk_next(before, &a) && op_walk_next(after, &b)) {
		int64_t was = op_profile_total(a.profile);
		int64_t is = op_profile_total(b.profile);
		double factor = was && is ? (double)is / (double)was : 1;

		for (uint32_t i = 0; i < a.profile->nr_samples; i++)
			a.profile->values[i] = op_scale_sat(
				a.profile->values[i], factor);
	}
}

int op_diff_sides(const struct op_model *a, const struct op_model *b,
		  const struct op_diff_opts *opts, struct op_model *before,
		  struct op_model *after, struct op_err *err)
{
	struct op_model sum[2] = { { .mem.quota = before->mem.quota },
				   { .mem.quota = after->mem.quota } };
	const struct op_model *sides[] = { &sum[0], &sum[1] };

	if (!op_sum_up(a, &sum[0], err) && !op_sum_up(b, &sum[1], err) &&
	    !side_make(sides, 0, opts, before, err) &&
	    !side_make(sides, 1, opts, after, err) && opts->normalize)
		normalize(before, after);
	op_model_free(&sum[0]);
	op_model_free(&sum[1]);
	return err->code;
}

/* --- difference --- */

static uint32_t diff_set(struct op_builder *b)
{
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	uint32_t id = op_build_attr(b, op_view_z(OP_ATTR_DIFF), &yes,
				    (struct op_view){ 0 }, NULL);

	return op_build_set(b, &id, 1);
}

static void samples_add(struct op_import *im, const struct op_profile *p,
			uint32_t to, bool minus)
{
	for (uint32_t i = 0; i < p->nr_samples && !im->to->err->code; i++) {
		struct op_identity id = {
			.stack = op_import_stack(im, p->stack[i]),
			.set = op_import_set(im, p->set[i]),
			.link = op_import_link(im, p->link[i]),
		};
		uint32_t sample = op_build_sample(im->to, to, id);
		int64_t v = p->values[i];

		/* The smallest number cannot be negated: it is subtracted in
		 * two steps. */
		if (minus && v == INT64_MIN)
			op_build_add(im->to, to, sample, 1);
		if (minus)
			v = v == INT64_MIN ? INT64_MAX : -v;
		op_build_add(im->to, to, sample, v);
	}
}

static void subtract(struct op_import *im, const struct op_model *before,
		     const struct op_model *after)
{
	struct op_builder *b = im->to;
	const struct op_resource *r = before->resources;
	uint32_t resource, scope, set;
	struct op_walk was = { 0 }, is = { 0 };

	op_import_mappings(&im[1], NULL);
	op_import_mappings(&im[0], NULL);
	resource = op_build_resource(b, r, before);
	scope = op_build_scope(b, resource, r->scopes, before);
	set = diff_set(b);
	while (op_walk_next(before, &was) && op_walk_next(after, &is) &&
	       !b->err->code) {
		bool has_after = is.profile->time_ns || is.profile->duration_ns;
		struct op_profile head = op_import_head(
			&im[has_after], has_after ? is.profile : was.profile);
		struct op_view event = op_profile_event(after, is.profile);
		uint32_t to;

		head.attrs = event.n ? event_set(b, set, event) : set;
		to = op_build_profile(b, scope, &head);
		samples_add(&im[1], is.profile, to, false);
		samples_add(&im[0], was.profile, to, true);
	}
}

int op_diff(const struct op_model *a, const struct op_model *b,
	    const struct op_diff_opts *opts, struct op_model *out,
	    struct op_err *err)
{
	struct op_filter_opts changed = { .drop_zeros = true };
	size_t quota = out->mem.quota;
	struct op_model before = { .mem.quota = quota };
	struct op_model after = { .mem.quota = quota };
	struct op_model all = { .mem.quota = quota };
	struct op_import im[2] = { 0 };
	struct op_builder build;

	if (!op_diff_sides(a, b, opts, &before, &after, err) &&
	    !op_builder_init(&build, &all, err)) {
		if (op_import_init(&im[0], &build, &before) &&
		    op_import_init(&im[1], &build, &after))
			subtract(im, &before, &after);
		op_import_fini(&im[0]);
		op_import_fini(&im[1]);
		if (!op_builder_finish(&build))
			op_filter(&all, &changed, out, err);
	}
	op_model_free(&all);
	op_model_free(&before);
	op_model_free(&after);
	return err->code;
}
