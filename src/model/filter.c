// SPDX-License-Identifier: Apache-2.0
/* model/filter.c: first a plan, which visits every sample and records what is
 * kept and which stacks that needs; then the import of exactly that. */
#include "model/filter.h"

#include <stdio.h>

#include "model/aggregate.h"
#include "model/merge.h"
#include "model/select.h"
#include "model/semconv.h"
#include "model/state_sums.h"

/* The plan for one profile. */
struct plan {
	bool keep;
	bool changed;
	bool first;  /* the first sample has timestamps */
	bool has[2]; /* samples without and with timestamps */
};

/* Of a sample whose observations do not add up. */
struct last {
	uint64_t time_ns;
	int64_t value;
};

struct filter {
	const struct op_model *in;
	const struct op_filter_opts *o;
	struct op_err *err;
	struct op_builder b;
	struct op_import im;
	struct op_frame_match focus, ignore, show_from;
	struct op_where_match where;
	struct op_arena mem;
	struct plan *plans; /* in the order of op_walk_next() */
	uint8_t *stacks;    /* to be imported */
	OP_VEC(struct last) lasts;
	struct op_state_sums states; /* of a profile whose stacks are edited */
	/* Profiles kept whole although they exceed the range. */
	struct op_walk whole;
	uint32_t nr_whole;
};

/* A profile and what is known about it. */
struct source {
	const struct op_profile *p;
	struct op_interval_kind kind;
	enum op_aggregator aggregator;
	bool has_time, overlaps, inside; /* of the profile's own range */
};

static bool has_range(const struct filter *f)
{
	return f->o->range.to != 0;
}

static struct source source_of(const struct filter *f,
			       const struct op_scope *scope,
			       const struct op_profile *p)
{
	struct op_range r = f->o->range;
	struct source s = {
		.p = p,
		.kind = op_interval_kind(f->in, scope, p),
		.aggregator = op_aggregator_of(f->in, p),
		.has_time = p->time_ns || p->duration_ns,
	};

	/* A profile without a duration is a point in time. */
	s.overlaps = p->time_ns < r.to &&
		     (op_profile_end(p) > r.from || p->time_ns >= r.from);
	s.inside = p->time_ns >= r.from && op_profile_end(p) <= r.to;
	return s;
}

/* --- the plan --- */

static bool stack_passes(struct filter *f, uint32_t stack)
{
	if (f->focus.re && !op_frame_match(&f->focus, stack, f->err))
		return false;
	if (f->show_from.re && !op_frame_match(&f->show_from, stack, f->err))
		return false;
	return !f->ignore.re || !op_frame_match(&f->ignore, stack, f->err);
}

/* The value of an observation: 1 if it has only a timestamp. */
static int64_t value_of(const struct op_profile *p, uint32_t i, uint32_t k)
{
	struct op_values v = op_sample_values(p, i);

	return v.n ? v.p[k] : 1;
}

/* Whether any observation of a sample is kept; records if one is changed. */
static bool times_pass(const struct filter *f, const struct source *s,
		       uint32_t i, struct plan *plan)
{
	struct op_times times = op_sample_times(s->p, i);
	bool found = false;

	for (uint32_t k = 0; k < times.n; k++) {
		int64_t before = value_of(s->p, i, k);
		int64_t value = before;
		uint64_t t = times.p[k];
		bool kept = op_interval_clip(s->kind, f->o->range, &value, &t);

		found |= kept;
		plan->changed |= !kept || value != before;
	}
	return found;
}

static bool sample_passes(struct filter *f, const struct source *s, uint32_t i,
			  struct plan *plan)
{
	if (!stack_passes(f, s->p->stack[i]))
		return false;
	if (f->o->where && !op_where_sample(&f->where, s->p, i, f->err))
		return false;
	if (f->o->drop_zeros && !op_sample_total(s->p, i))
		return false;
	if (!has_range(f))
		return true;
	if (op_sample_times(s->p, i).n)
		return times_pass(f, s, i, plan);
	return s->overlaps || !s->has_time;
}

static void plan_samples(struct filter *f, const struct source *s,
			 struct plan *plan)
{
	const struct op_profile *p = s->p;
	bool any = false;

	plan->first = p->nr_samples && op_sample_times(p, 0).n;
	for (uint32_t i = 0; i < p->nr_samples && !f->err->code; i++) {
		bool timed = op_sample_times(p, i).n;

		if (!sample_passes(f, s, i, plan)) {
			plan->changed = true;
			continue;
		}
		if (!any)
			plan->first = timed;
		any = true;
		plan->has[timed] = true;
		f->stacks[p->stack[i]] = 1;
	}
}

static void plan_profile(struct filter *f, const struct op_walk *w,
			 struct plan *plan)
{
	struct source s = source_of(f, w->scope, w->profile);

	if (f->o->where)
		op_where_profile(&f->where, w, f->err);
	plan_samples(f, &s, plan);
	plan->keep = !f->o->where || plan->has[false] || plan->has[true];
	if (op_frame_edit_is_set(&f->o->edit))
		plan->changed = true;
	if (plan->has[true] && f->o->aggregate)
		plan->changed = true;
	if (!has_range(f))
		return;
	if (!plan->has[false] && !plan->has[true] && s.has_time && !s.overlaps)
		plan->keep = false;
	if (plan->has[true] && s.has_time && !s.inside)
		plan->changed = true;
	if (plan->has[false] && (!s.has_time || !s.inside) && !f->nr_whole++)
		f->whole = *w;
}

/* Reports which profiles could not be split. */
static void plan_notes(const struct filter *f, bool any)
{
	const struct op_walk *w = &f->whole;
	char more[40] = "";
	char text[200];

	if (!f->o->note || !has_range(f))
		return;
	if (!any)
		f->o->note(f->o->ctx, "no profile is in the requested time "
				      "range");
	if (!f->nr_whole)
		return;
	if (f->nr_whole > 1)
		snprintf(more, sizeof(more), " and %u more", f->nr_whole - 1);
	snprintf(text, sizeof(text),
		 "profile %u.%u.%u%s: values without timestamps cannot be "
		 "split and are kept whole",
		 w->r, w->s, w->p, more);
	f->o->note(f->o->ctx, text);
}

static int plan_all(struct filter *f)
{
	struct op_walk w = { 0 };
	bool any_type = false, any = false;
	size_t n = 0;

	while (op_walk_next(f->in, &w))
		n++;
	f->plans = op_new(&f->mem, struct plan, n);
	f->stacks = op_new(&f->mem, uint8_t, f->in->dict.nr[OP_STACKS]);
	if (!f->plans || !f->stacks)
		return f->err->code;
	w = (struct op_walk){ 0 };
	for (n = 0; op_walk_next(f->in, &w) && !f->err->code; n++) {
		if (!op_type_selected(f->in, w.profile, f->o->types))
			continue;
		any_type = true;
		plan_profile(f, &w, &f->plans[n]);
		any |= f->plans[n].keep;
	}
	if (!f->err->code && f->o->types && !any_type)
		return op_type_fail(f->in, f->o->types, f->err);
	if (!f->err->code)
		plan_notes(f, any);
	return f->err->code;
}

/* --- the import --- */

/* The attributes of a profile without the one that says that values are totals
 * from the start. */
static uint32_t set_of_events(struct filter *f, uint32_t set)
{
	struct op_ids ids = op_list(&f->in->dict.sets, set);
	uint32_t out = 0;

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &f->in->dict.attrs[ids.p[i]];
		struct op_view key = op_string(f->in, a->key);

		if (ids.p[i] && !op_view_is(key, OP_ATTR_TEMPORALITY))
			out = op_build_set_with(
				&f->b, out,
				op_build_attr(&f->b, key, &a->value,
					      op_string(f->in, a->unit),
					      f->in));
	}
	return out;
}

/* The part of the profile's time range that is in the requested range. */
static void head_clip(const struct filter *f, const struct source *s,
		      struct op_profile *head)
{
	struct op_range r = f->o->range;
	uint64_t end = op_profile_end(head);

	if (!has_range(f) || !s->has_time || s->inside)
		return;
	head->time_ns = head->time_ns > r.from ? head->time_ns : r.from;
	end = end < r.to ? end : r.to;
	head->duration_ns = end > head->time_ns ? end - head->time_ns : 0;
}

static uint32_t profile_new(struct filter *f, const struct source *s,
			    const struct plan *plan, uint32_t scope, bool timed)
{
	static const struct op_view none;
	struct op_profile from = *s->p;
	bool same = !plan->changed && timed == plan->first;
	bool is_sum = timed && f->o->aggregate &&
		      s->aggregator == OP_CUMULATIVE;
	struct op_profile head;

	if (is_sum)
		from.attrs = 0;
	head = op_import_head(&f->im, &from);
	if (is_sum)
		head.attrs = set_of_events(f, s->p->attrs);
	if (timed)
		head_clip(f, s, &head);
	if (!same)
		head.id_len = 0;
	if (!same || f->o->drop_payloads)
		head.payload = head.payload_format = none;
	return op_build_profile(&f->b, scope, &head);
}

static void last_put(struct filter *f, uint32_t sample, int64_t value,
		     uint64_t t)
{
	struct last fresh = { t, value };

	if (sample >= f->lasts.n)
		(void)op_vec_push(&f->mem, &f->lasts, fresh);
	else if (t >= f->lasts.p[sample].time_ns)
		f->lasts.p[sample] = fresh;
}

/* Whether samples that become equal are states, which do not follow one
 * another. */
static bool joins_states(const struct filter *f, const struct source *s)
{
	return s->aggregator == OP_LAST && op_frame_edit_is_set(&f->o->edit);
}

static void observe(struct filter *f, const struct source *s, uint32_t profile,
		    uint32_t sample, int64_t value, uint64_t t)
{
	if (!f->o->aggregate)
		op_build_observe(&f->b, profile, sample, value, t);
	else if (s->aggregator == OP_LAST)
		last_put(f, sample, value, t);
	else
		op_build_add(&f->b, profile, sample, value);
}

static void sample_put(struct filter *f, const struct source *s, uint32_t i,
		       uint32_t profile)
{
	const struct op_profile *p = s->p;
	struct op_values values = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);
	struct op_identity id = {
		.stack = op_import_stack(&f->im, p->stack[i]),
		.set = op_import_set(&f->im, p->set[i]),
		.link = op_import_link(&f->im, p->link[i]),
	};
	uint32_t sample = op_build_sample(&f->b, profile, id);

	for (uint32_t k = 0; k < times.n; k++) {
		int64_t value = value_of(p, i, k);
		uint64_t t = times.p[k];

		if (has_range(f) &&
		    !op_interval_clip(s->kind, f->o->range, &value, &t))
			continue;
		if (joins_states(f, s))
			op_state_sums_add(
				&f->states,
				(struct op_identity){ p->stack[i], p->set[i],
						      p->link[i] },
				(struct op_state_value){ t, value, sample, 0 },
				f->err);
		else
			observe(f, s, profile, sample, value, t);
	}
	for (uint32_t k = 0; !times.n && k < values.n; k++)
		op_build_add(&f->b, profile, sample, values.p[k]);
}

static void states_put(struct filter *f, const struct source *s,
		       uint32_t profile)
{
	const struct op_state_sums *x = &f->states;

	if (!f->err->code)
		op_state_sums_make(&f->states, f->err);
	for (size_t i = 0; i < x->list.n && !f->err->code; i++)
		observe(f, s, profile, x->list.p[i].sample, x->list.p[i].value,
			x->list.p[i].time_ns);
	op_state_sums_free(&f->states);
}

/* The samples of one shape. */
static void shape_put(struct filter *f, const struct source *s,
		      const struct plan *plan, uint32_t scope, bool timed)
{
	uint32_t profile = profile_new(f, s, plan, scope, timed);
	struct plan ignored = { 0 };

	f->lasts.n = 0;
	for (uint32_t i = 0; i < s->p->nr_samples && !f->err->code; i++)
		if ((op_sample_times(s->p, i).n != 0) == timed &&
		    sample_passes(f, s, i, &ignored))
			sample_put(f, s, i, profile);
	states_put(f, s, profile);
	for (uint32_t i = 0; i < f->lasts.n; i++)
		op_build_add(&f->b, profile, i, f->lasts.p[i].value);
}

/* The resource, scope and profile of the result: added with their first row. */
struct place {
	bool has_resource, has_scope;
	uint32_t resource, scope;
};

static void resource_put(struct filter *f, const struct op_resource *r,
			 struct place *at)
{
	if (!at->has_resource)
		at->resource = op_build_resource(&f->b, r, f->in);
	at->has_resource = true;
}

static void scope_put(struct filter *f, const struct op_resource *r,
		      const struct op_scope *s, struct place *at)
{
	resource_put(f, r, at);
	if (!at->has_scope)
		at->scope = op_build_scope(&f->b, at->resource, s, f->in);
	at->has_scope = true;
}

static void profile_put(struct filter *f, const struct op_walk *w,
			const struct plan *plan, uint32_t to)
{
	struct source s = source_of(f, w->scope, w->profile);

	if (f->o->where)
		op_where_profile(&f->where, w, f->err);
	shape_put(f, &s, plan, to, plan->first);
	if (plan->has[!plan->first])
		shape_put(f, &s, plan, to, !plan->first);
}

static void import_all(struct filter *f)
{
	/* Otherwise it was empty from the start. */
	bool chooses = f->o->types || f->o->where || has_range(f);
	const struct plan *plan = f->plans;
	struct op_walk w = { 0 };

	for (w.r = 0; w.r < f->in->nr_resources; w.r++) {
		struct place at = { 0 };

		w.resource = &f->in->resources[w.r];
		if (!chooses)
			resource_put(f, w.resource, &at);
		for (w.s = 0; w.s < w.resource->nr_scopes; w.s++) {
			w.scope = &w.resource->scopes[w.s];
			at.has_scope = false;
			if (!chooses)
				scope_put(f, w.resource, w.scope, &at);
			for (w.p = 0; w.p < w.scope->nr_profiles;
			     w.p++, plan++) {
				w.profile = &w.scope->profiles[w.p];
				if (!plan->keep || f->err->code)
					continue;
				scope_put(f, w.resource, w.scope, &at);
				profile_put(f, &w, plan, at.scope);
			}
		}
	}
}

static int patterns_init(struct filter *f)
{
	if (op_frame_match_init(&f->focus, f->in, f->o->focus, f->err) ||
	    op_frame_match_init(&f->ignore, f->in, f->o->ignore, f->err) ||
	    op_frame_match_init(&f->show_from, f->in, f->o->edit.show_from,
				f->err))
		return f->err->code;
	return f->o->where ? op_where_match_init(&f->where, f->o->where, f->in,
						 f->err) :
			     OP_OK;
}

int op_filter(const struct op_model *in, const struct op_filter_opts *opts,
	      struct op_model *out, struct op_err *err)
{
	struct filter f = { .in = in, .o = opts, .err = err, .mem.err = err };

	if (!patterns_init(&f) && !plan_all(&f) &&
	    !op_builder_init(&f.b, out, err)) {
		if (op_import_init(&f.im, &f.b, in)) {
			op_import_mappings(&f.im, f.stacks);
			if (op_frame_edit_is_set(&opts->edit))
				op_import_edited(&f.im, f.stacks, &opts->edit,
						 err);
			import_all(&f);
		}
		op_import_fini(&f.im);
		if (!op_builder_finish(&f.b)) {
			out->dialect = in->dialect;
			out->dialect_note = in->dialect_note;
			/* Hidden frames leave unused mappings. */
			out->normal = !op_frame_edit_is_set(&opts->edit);
		}
	}
	op_frame_match_fini(&f.focus);
	op_frame_match_fini(&f.ignore);
	op_frame_match_fini(&f.show_from);
	op_where_match_fini(&f.where);
	op_arena_free(&f.mem);
	return err->code;
}

/* --- the span of a model --- */

static void span_take(struct op_range *r, bool *any, uint64_t from, uint64_t to)
{
	if (!*any || from < r->from)
		r->from = from;
	if (!*any || to > r->to)
		r->to = to;
	*any = true;
}

static void span_times(struct op_range *r, bool *any,
		       const struct op_profile *p)
{
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_times times = op_sample_times(p, i);

		for (uint32_t k = 0; k < times.n; k++)
			span_take(r, any, times.p[k],
				  times.p[k] + (times.p[k] < UINT64_MAX));
	}
}

bool op_model_span(const struct op_model *m, struct op_range *out)
{
	struct op_walk w = { 0 };
	struct op_range r = { 0 };
	bool any = false;

	while (op_walk_next(m, &w)) {
		const struct op_profile *p = w.profile;

		if (p->time_ns || p->duration_ns)
			span_take(&r, &any, p->time_ns, op_profile_end(p));
		if (!p->duration_ns)
			span_times(&r, &any, p);
	}
	if (any)
		*out = r;
	return any;
}
