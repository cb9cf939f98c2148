// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/facts.c: the profiles, and what the file says of the machine. */
#include "fmt/perf/facts.h"

#include "fmt/perf/event.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/sample_batch.h"
#include "model/semconv.h"

void op_perf_fact(struct op_perf *f, const char *key, const struct op_any *v)
{
	struct op_kv kv = { .key = op_view_z(key), .value = *v };

	for (size_t i = 0; i < f->head.facts.n; i++)
		if (op_view_is(f->head.facts.p[i].key, key))
			return;
	(void)op_vec_push(&f->mem, &f->head.facts, kv);
}

uint64_t op_perf_wall(const struct op_perf *f, uint64_t time)
{
	return f->clock.is_known ? time - f->clock.clock_ns + f->clock.wall_ns :
				   time;
}

/* --- profiles --- */

static struct op_value_type value_type(struct op_perf *f, struct op_view type,
				       const char *unit)
{
	return (struct op_value_type){
		op_build_string(&f->b, type),
		op_build_string(&f->b, op_view_z(unit)),
	};
}

/* What the period of an event counts. */
static struct op_value_type period_type(struct op_perf *f,
					const struct op_perf_event *e)
{
	if (e->is_clock)
		return value_type(f, op_view_z("cpu"), "nanoseconds");
	return value_type(f, e->name, "count");
}

static void profile_begin(struct op_perf *f, struct op_perf_event *e)
{
	struct op_profile head = {
		.sample_type = value_type(f, op_view_z("samples"), "count"),
		.period_type = period_type(f, e),
	};

	e->profile = op_build_profile(&f->b, f->scope, &head);
}

/* Periods that are not all the same become values. Those before the first
 * that differs are told now. */
static void weights_begin(struct op_perf *f, struct op_perf_event *e)
{
	struct op_profile head = { .sample_type = period_type(f, e) };

	e->weights = op_build_profile_like(&f->b, e->profile, &head);
	op_build_fill_like(&f->b, e->weights, (int64_t)e->first_period);
}

void op_perf_widen(struct op_perf *f, uint64_t ns)
{
	if (ns < f->first_ns)
		f->first_ns = ns;
	if (ns > f->last_ns)
		f->last_ns = ns;
}

static void observe(struct op_perf *f, struct op_perf_event *e, uint32_t sample,
		    uint64_t time)
{
	uint64_t ns = op_perf_wall(f, time);

	op_build_observe(&f->b, e->profile, sample, 1, ns);
	op_perf_widen(f, ns);
}

void op_perf_profile(struct op_perf *f, struct op_perf_event *e,
		     uint64_t period)
{
	if (op_likely(e->profile != OP_NO_ID))
		return;
	profile_begin(f, e);
	e->first_period = period;
}

void op_perf_observe(struct op_perf *f, struct op_perf_event *e,
		     const struct op_perf_pending *w, uint32_t sample)
{
	if (op_unlikely(w->period != e->first_period && e->weights == OP_NO_ID))
		weights_begin(f, e);
	if (op_unlikely(e->time_at == OP_PERF_NOWHERE)) {
		op_build_add(&f->b, e->profile, sample, 1);
		if (e->weights != OP_NO_ID)
			op_build_add(&f->b, e->weights, sample,
				     (int64_t)w->period);
		return;
	}
	observe(f, e, sample, w->time);
	if (e->weights != OP_NO_ID)
		op_build_observe_like(&f->b, e->weights, (int64_t)w->period);
}

/* --- at the end --- */

static uint32_t with_text(struct op_perf *f, uint32_t set, const char *key,
			  struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = text };
	uint32_t attr = op_build_attr(&f->b, op_view_z(key), &v,
				      (struct op_view){ 0 }, NULL);

	return op_build_set_with(&f->b, set, attr);
}

static uint32_t with_count(struct op_perf *f, uint32_t set, const char *key,
			   uint64_t n)
{
	struct op_any v = { .kind = OP_ANY_INT, .num = (int64_t)n };
	uint32_t attr;

	if (!n)
		return set;
	attr = op_build_attr(&f->b, op_view_z(key), &v, (struct op_view){ 0 },
			     NULL);
	return op_build_set_with(&f->b, set, attr);
}

/* The clock that times are of, unless they are those of the wall. */
static const char *clock_name(const struct op_perf *f,
			      const struct op_perf_event *e)
{
	static const char *const names[] = {
		NULL, "monotonic", NULL,       NULL, "monotonic_raw",
		NULL, NULL,	   "boottime",
	};
	const uint64_t has_clock = (uint64_t)1 << 25;

	if (f->clock.is_known || e->time_at == OP_PERF_NOWHERE)
		return NULL;
	if (!(e->flags & has_clock))
		return "boot";
	if (e->clock < 0 || (size_t)e->clock >= op_countof(names))
		return "other";
	return names[e->clock];
}

static uint32_t profile_attrs(struct op_perf *f, const struct op_perf_event *e,
			      struct op_view name)
{
	uint32_t set = with_text(f, 0, OP_ATTR_EVENT, name);
	const char *clock = clock_name(f, e);

	if (clock)
		set = with_text(f, set, OP_ATTR_CLOCK, op_view_z(clock));
	set = with_count(f, set, "perf.lost_records", e->lost_records);
	return with_count(f, set, "perf.lost_samples", e->lost_samples);
}

static void profile_end(struct op_perf *f, const struct op_perf_event *e,
			uint32_t profile)
{
	bool is_event = profile == e->profile || profile == e->weights;
	struct op_view name = is_event || e->is_switch ? e->name :
							 op_view_z("SWITCH");
	uint32_t attrs = profile_attrs(f, e, name);
	struct op_profile *p = op_build_profile_head(&f->b, profile);

	p->attrs = attrs;
	if (p->period_type.type && e->weights == OP_NO_ID)
		p->period = (int64_t)e->first_period;
	if (f->first_ns > f->last_ns)
		return;
	p->time_ns = f->first_ns;
	/* An observation lies before the end. */
	p->duration_ns = f->last_ns - f->first_ns + 1;
}

/* The event that says where threads left their CPU, or any. */
static const struct op_perf_event *switch_event(const struct op_perf *f)
{
	for (size_t i = 0; i < f->events.rows.n; i++)
		if (f->events.rows.p[i].is_switch)
			return &f->events.rows.p[i];
	return f->events.rows.p;
}

void op_perf_facts_end(struct op_perf *f)
{
	struct op_resource head = { .attrs = { f->head.facts.p,
					       (uint32_t)f->head.facts.n } };

	op_build_resource_head(&f->b, f->resource, &head);
	for (int i = 0; i < 2 && !f->err->code; i++)
		if (f->switches.intervals[i] != OP_NO_ID)
			profile_end(f, switch_event(f),
				    f->switches.intervals[i]);
	for (size_t i = 0; i < f->events.rows.n && !f->err->code; i++) {
		const struct op_perf_event *e = &f->events.rows.p[i];

		if (e->profile != OP_NO_ID)
			profile_end(f, e, e->profile);
		if (e->weights != OP_NO_ID)
			profile_end(f, e, e->weights);
	}
}
