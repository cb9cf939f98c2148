// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/target.c: the profiles that events become. An event type of several
 * chunks goes into the same profiles. */
#include "fmt/jfr/target.h"

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/event_types.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/plan.h"
#include "model/semconv.h"

/* Addresses and timeouts are looked at, but not kept. */
static bool is_left_out(const struct op_jfr_step *s)
{
	return s->slot == OP_JFR_UNWANTED || s->slot == OP_JFR_N_ADDRESS ||
	       s->slot == OP_JFR_N_TIMEOUT || s->slot == OP_JFR_N_UNTIL;
}

/* The names of the fields that the profile does not have. */
static struct op_any left_out(struct op_jfr_chunk *c,
			      const struct op_jfr_plan *p)
{
	struct op_any v = { .kind = OP_ANY_ARRAY };

	v.array = op_new(&c->mem, struct op_any, p->steps.n);
	if (!v.array)
		return v;
	for (size_t i = 0; i < p->steps.n; i++) {
		if (!is_left_out(&p->steps.p[i]))
			continue;
		v.array[v.n].kind = OP_ANY_STRING;
		v.array[v.n++].bytes = p->steps.p[i].field->name;
	}
	return v;
}

/* What kind of events a profile is made of. */
static uint32_t event_attrs(struct op_jfr_chunk *c, const struct op_jfr_plan *p)
{
	static const struct op_view no_unit;
	struct op_any event = { .kind = OP_ANY_STRING, .bytes = p->event };
	struct op_any fields = left_out(c, p);
	struct op_builder *b = &c->j->b;
	uint32_t ids[2], n = 0;

	ids[n++] = op_build_attr(b, op_view_z(OP_ATTR_EVENT), &event, no_unit,
				 NULL);
	if (fields.n)
		ids[n++] = op_build_attr(b, op_view_z(OP_ATTR_EVENT_LEFT_OUT),
					 &fields, no_unit, NULL);
	return op_build_set(b, ids, n);
}

static uint32_t string(struct op_jfr *j, const char *s)
{
	return op_build_string(&j->b, op_view_z(s));
}

const struct op_jfr_target *op_jfr_target_find(const struct op_jfr *j,
					       const struct op_jfr_target *t)
{
	for (size_t i = 0; i < j->targets.n; i++) {
		const struct op_jfr_target *known = &j->targets.p[i];

		if (op_view_eq(known->event, t->event) &&
		    op_view_eq(known->type, t->type) &&
		    op_view_eq(known->unit, t->unit) &&
		    op_view_eq(known->period, t->period))
			return known;
	}
	return NULL;
}

/* The profile of an event type and measure, the same in every chunk. */
static uint32_t target(struct op_jfr_chunk *c, struct op_jfr_plan *p,
		       uint32_t i, uint32_t like)
{
	const struct op_jfr_profile_row *r = &p->profiles[i];
	struct op_jfr *j = c->j;
	struct op_jfr_target t = { .event = p->event,
				   .type = op_view_z(r->type),
				   .unit = op_view_z(r->unit),
				   .period = op_view_z(r->period),
				   .like = like };
	const struct op_jfr_target *known = op_jfr_target_find(j, &t);
	struct op_profile head = { 0 };

	if (known)
		return known->profile;
	head.attrs = event_attrs(c, p);
	head.sample_type.type = string(j, r->type);
	head.sample_type.unit = string(j, r->unit);
	if (r->period) {
		head.period_type.type = string(j, r->period);
		head.period_type.unit = string(j, "nanoseconds");
	}
	t.profile = like == OP_NO_ID ?
			    op_build_profile(&j->b, j->scope, &head) :
			    op_build_profile_like(&j->b, like, &head);
	t.event = op_jfr_kept(j, p->event);
	(void)op_vec_push(&j->mem, &j->targets, t);
	return t.profile;
}

void op_jfr_targets_make(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			 uint32_t first)
{
	if (p->ids[first] != OP_NO_ID)
		return;
	p->ids[first] = target(c, p, first, OP_NO_ID);
	for (uint32_t i = 1; i < p->nr_profiles && !p->splits; i++)
		p->ids[i] = target(c, p, i, p->apart ? OP_NO_ID : p->ids[0]);
}
