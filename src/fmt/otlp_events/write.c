// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/write.c: a model as profiles that are events.
 *
 * A profile is an event type, and so are two that the reader makes of one
 * (read.c). The period of a profile is the default value of its type, if it is
 * of that type; then an aggregate is a number of events, where that is whole.
 *
 * All observations of a message share a clock that counts nanoseconds, and are
 * written in the order of their times. */
#include "fmt/otlp_events/otlp_events_int.h"

#include <stdlib.h>

#include "fmt/draft/write.h"

/* What the events of a type hold. */
enum shape {
	SHAPE_VALUES,	 /* values, or counts of the default value */
	SHAPE_COUNTS,	 /* counts: the unit says so */
	SHAPE_SUMS,	 /* the next profile has the sums */
	SHAPE_LASTS,	 /* durations */
	SHAPE_LASTS_TOO, /* the next profile has the durations */
};

struct type {
	const struct op_profile *p;
	enum shape shape;
	uint64_t def;
	uint32_t unit; /* string */
	bool timed;
};

struct timed {
	uint64_t time;
	uint32_t type, sample, k;
};

struct group {
	const struct op_profile *p;
	uint32_t n;
	const struct op_any *comments;
	OP_VEC(struct type) types;
	OP_VEC(struct timed) times;
};

/* --- what goes together --- */

static bool same(const struct op_draft_writer *w, const struct op_profile *a,
		 const struct op_profile *b)
{
	return a->time_ns == b->time_ns && a->duration_ns == b->duration_ns &&
	       op_draft_comments_of(w->m, a) == op_draft_comments_of(w->m, b);
}

static bool is_timed(const struct op_profile *p)
{
	return p->time_at && p->time_at[p->nr_samples];
}

static int64_t value_of(const struct op_profile *p, uint32_t i, uint32_t k)
{
	struct op_values v = op_sample_values(p, i);

	if (!op_sample_times(p, i).n)
		return op_sample_total(p, i);
	return k < v.n ? v.p[k] : 1;
}

/* What values a profile has. */
struct seen {
	bool zero, negative, positive;
};

static struct seen look(const struct op_profile *p)
{
	struct seen s = { 0 };

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t n = op_sample_times(p, i).n;

		for (uint32_t k = 0; k < (n ? n : 1); k++) {
			int64_t v = value_of(p, i, k);

			s.zero |= !v;
			s.negative |= v < 0;
			s.positive |= v > 0;
		}
	}
	return s;
}

static bool is_unit(const struct op_draft_writer *w, const struct op_profile *p,
		    const char *unit)
{
	return op_view_is(op_string(w->m, p->sample_type.unit), unit);
}

static bool has_period(const struct op_profile *p)
{
	return p->period || p->period_type.type || p->period_type.unit;
}

/* The default value of a type; 0 if there can be none. */
static uint64_t default_of(const struct op_profile *p, struct seen s)
{
	if (p->period <= 0 || p->period_type.type != p->sample_type.type ||
	    p->period_type.unit != p->sample_type.unit || s.zero)
		return 0;
	return (uint64_t)p->period;
}

/* Whether the next profile is of the same events. */
static bool is_twin(const struct op_profile *p, const struct op_profile *next)
{
	return p->nr_samples && p->attrs == next->attrs && !has_period(next) &&
	       p->sample_type.type == next->sample_type.type &&
	       op_draft_same_samples(p, next);
}

/* Whether some samples have times and others not. */
static bool is_mixed(const struct op_profile *p)
{
	for (uint32_t i = 0; is_timed(p) && i < p->nr_samples; i++)
		if (!op_sample_times(p, i).n)
			return true;
	return false;
}

static struct type type_of(struct op_draft_writer *w,
			   const struct op_profile *p,
			   const struct op_profile *next)
{
	struct seen s = look(p), n = { 0 };
	struct type t = { .p = p,
			  .timed = is_timed(p),
			  .unit = p->sample_type.unit,
			  .def = default_of(p, s) };
	bool mixed = is_mixed(p);
	bool twin = next && !mixed && is_twin(p, next);

	if (twin)
		n = look(next);
	if (t.timed && !mixed) {
		if (twin && is_unit(w, next, EVENTS_UNIT_NS) && n.positive &&
		    !n.negative && (t.def || s.positive || s.negative))
			t.shape = SHAPE_LASTS_TOO;
		else if ((is_unit(w, p, EVENTS_UNIT_NS) ||
			  is_unit(w, p, "nanoseconds")) &&
			 !t.def && s.positive && !s.negative)
			t.shape = SHAPE_LASTS;
	} else if (!mixed && is_unit(w, p, EVENTS_UNIT_COUNT)) {
		t.shape = SHAPE_COUNTS;
		if (twin && !has_period(p) && (n.positive || n.negative)) {
			t.shape = SHAPE_SUMS;
			t.unit = next->sample_type.unit;
		}
	}
	if (has_period(p) && !t.def)
		w->lost |= OP_DRAFT_LOST_PERIOD;
	if (p->payload.n)
		w->lost |= OP_DRAFT_LOST_PROFILE;
	return t;
}

static uint32_t profiles_of(const struct type *t)
{
	return t->shape == SHAPE_SUMS || t->shape == SHAPE_LASTS_TOO ? 2 : 1;
}

/* --- places --- */

/* The attributes of a type: those of the profile but for the comments. */
static struct op_ids attrs_of(struct op_draft_writer *w, const struct group *g,
			      const struct op_profile *p)
{
	struct op_ids ids = op_list(&w->m->dict.sets, p->attrs);

	w->rest.n = 0;
	for (uint32_t i = 0; i < ids.n; i++)
		if (&w->m->dict.attrs[ids.p[i]].value != g->comments)
			(void)op_vec_push(&w->mem, &w->rest, ids.p[i]);
	return (struct op_ids){ w->rest.p, (uint32_t)w->rest.n };
}

static uint64_t time_of(struct op_draft_writer *w, uint64_t time_ns)
{
	if (time_ns <= INT64_MAX)
		return time_ns;
	w->lost |= OP_DRAFT_LOST_TIMES;
	return INT64_MAX;
}

static void place_type(struct op_draft_writer *w, struct group *g,
		       uint32_t type)
{
	const struct op_profile *p = g->types.p[type].p;

	op_draft_place_string(w, p->sample_type.type);
	op_draft_place_string(w, g->types.p[type].unit);
	op_draft_place_list(w, attrs_of(w, g, p));
	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++) {
		struct op_times t = op_sample_times(p, i);

		op_draft_place_stack(w, p->stack[i]);
		op_draft_place_set(w, p->set[i]);
		op_draft_place_link(w, p->link[i]);
		for (uint32_t k = 0; g->types.p[type].timed && k < t.n; k++) {
			struct timed e = { time_of(w, t.p[k]), type, i, k };

			(void)op_vec_push(&w->message, &g->times, e);
		}
	}
}

static void type_add(struct op_draft_writer *w, struct group *g, struct type t)
{
	if (op_vec_push(&w->message, &g->types, t))
		place_type(w, g, (uint32_t)g->types.n - 1);
}

static int timed_cmp(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->sample != y->sample)
		return x->sample < y->sample ? -1 : 1;
	return x->k < y->k ? -1 : x->k > y->k;
}

static void group_place(struct op_draft_writer *w, struct group *g)
{
	const struct op_any *list = g->comments;

	op_draft_place_stack(w, 0); /* the first is empty */
	for (uint32_t i = 0; list && i < list->n; i++)
		op_draft_place_text(w, op_any_text(w->m, &list->array[i]));
	for (uint32_t i = 0; i < g->n && !w->err->code;) {
		struct type t = type_of(w, &g->p[i],
					i + 1 < g->n ? &g->p[i + 1] : NULL);

		type_add(w, g, t);
		if (is_mixed(t.p)) {
			t.timed = false;
			type_add(w, g, t);
		}
		i += profiles_of(&t);
	}
	op_draft_order_mappings(w);
	if (g->times.n)
		qsort(g->times.p, g->times.n, sizeof(*g->times.p), timed_cmp);
}

/* --- writing, from the end --- */

/* A field that says by being there that it is zero. */
static void explicit_uint(struct op_pbw *p, uint32_t num, uint64_t v)
{
	op_pbw_varint(p, v);
	op_pbw_varint(p, OP_PB(num, OP_PB_VARINT));
}

static void event_end(struct op_draft_writer *w, const struct type *t,
		      uint32_t type, uint32_t i, size_t end)
{
	const struct op_profile *p = t->p;
	struct op_pbw *b = w->w;

	op_draft_list_write(w, EVENT_ATTRIBUTES,
			    op_list(&w->m->dict.sets, p->set[i]));
	if (p->link[i])
		explicit_uint(b, EVENT_LINK,
			      op_draft_place_link(w, p->link[i]));
	op_pbw_uint(b, EVENT_STACK, w->rows[OP_STACKS].of[p->stack[i]]);
	op_pbw_uint(b, EVENT_TYPE, type);
	op_pbw_len(b, EVENTS_EVENT, end);
}

static void timed_write(struct op_draft_writer *w, const struct group *g,
			size_t at)
{
	const struct timed *e = &g->times.p[at];
	const struct type *t = &g->types.p[e->type];
	uint64_t value = (uint64_t)value_of(t->p, e->sample, e->k);
	uint64_t before = at ? e[-1].time : e->time;
	struct op_pbw *b = w->w;
	size_t end = op_pbw_mark(b);

	if (t->shape != SHAPE_LASTS) {
		bool all_ones = !t->p->value_at && !t->def &&
				t->shape == SHAPE_VALUES;

		if (value != t->def && !all_ones)
			op_pbw_uint(b, EVENT_VALUE, value);
	}
	if (t->shape == SHAPE_LASTS)
		op_pbw_uint(b, EVENT_DURATION, value);
	if (t->shape == SHAPE_LASTS_TOO)
		op_pbw_uint(b, EVENT_DURATION,
			    (uint64_t)value_of(t->p + 1, e->sample, e->k));
	op_pbw_uint(b, EVENT_TIME, e->time - before);
	event_end(w, t, e->type, e->sample, end);
}

/* A sample without times. */
static void plain_write(struct op_draft_writer *w, const struct group *g,
			uint32_t type, uint32_t i)
{
	const struct type *t = &g->types.p[type];
	uint64_t value = (uint64_t)op_sample_total(t->p, i);
	struct op_pbw *b = w->w;
	size_t end = op_pbw_mark(b);

	if (t->shape == SHAPE_SUMS) {
		op_pbw_uint(b, EVENT_SUM,
			    (uint64_t)op_sample_total(t->p + 1, i));
		op_pbw_uint(b, EVENT_COUNT, value);
	} else if (t->def && (int64_t)value > 0 && !(value % t->def)) {
		op_pbw_uint(b, EVENT_COUNT, value / t->def);
	} else if (t->shape == SHAPE_COUNTS && !t->def) {
		op_pbw_uint(b, EVENT_COUNT, value);
	} else {
		op_pbw_uint(b, EVENT_VALUE, value);
	}
	event_end(w, t, type, i, end);
}

static void events_write(struct op_draft_writer *w, const struct group *g)
{
	for (size_t i = g->times.n; i-- && !w->err->code;)
		timed_write(w, g, i);
	for (uint32_t t = (uint32_t)g->types.n; t--;) {
		const struct op_profile *p = g->types.p[t].p;

		if (g->types.p[t].timed)
			continue;
		for (uint32_t i = p->nr_samples; i-- && !w->err->code;)
			if (!op_sample_times(p, i).n)
				plain_write(w, g, t, i);
	}
}

static void types_write(struct op_draft_writer *w, const struct group *g)
{
	struct op_pbw *b = w->w;

	for (size_t i = g->types.n; i-- && !w->err->code;) {
		const struct type *t = &g->types.p[i];
		size_t end = op_pbw_mark(b);

		op_draft_list_write(w, TYPE_ATTRIBUTES, attrs_of(w, g, t->p));
		op_pbw_uint(b, TYPE_DEFAULT, t->def);
		if (t->timed)
			explicit_uint(b, TYPE_CLOCK, 0);
		op_pbw_uint(b, TYPE_UNIT, op_draft_place_string(w, t->unit));
		op_pbw_uint(b, TYPE_NAME,
			    op_draft_place_string(w, t->p->sample_type.type));
		op_pbw_len(b, EVENTS_TYPE, end);
	}
}

static void clock_write(struct op_draft_writer *w, const struct group *g)
{
	struct op_pbw *b = w->w;
	size_t end = op_pbw_mark(b);

	if (!g->times.n)
		return;
	op_pbw_fixed64(b, CLOCK_TIME, g->times.p[0].time);
	op_pbw_uint(b, CLOCK_FREQUENCY, EVENTS_SECOND);
	op_pbw_len(b, EVENTS_CLOCK, end);
}

static void profile_write(struct op_draft_writer *w, const struct op_profile *p,
			  uint32_t n)
{
	static const enum op_table tables[] = { OP_STRINGS,   OP_LINKS,
						OP_ATTRS,     OP_MAPPINGS,
						OP_FUNCTIONS, OP_LOCATIONS,
						OP_STACKS };
	struct group g = { .p = p,
			   .n = n,
			   .comments = op_draft_comments_of(w->m, p) };
	struct op_pbw *b = w->w;

	group_place(w, &g);
	op_draft_comments_write(w, EVENTS_COMMENT, g.comments);
	op_pbw_uint(b, EVENTS_DURATION, p->duration_ns);
	op_pbw_fixed64(b, EVENTS_TIME, op_profile_end(p));
	clock_write(w, &g);
	for (size_t i = 0; i < op_countof(tables); i++)
		op_draft_table_write(w, tables[i]);
	types_write(w, &g);
	events_write(w, &g);
}

int op_events_encode(const struct op_model *m, const struct op_write_opts *opts,
		     struct op_pbw *out)
{
	struct op_draft_writer w = { .m = m,
				     .layout = &op_events_layout,
				     .err = out->err,
				     .w = out,
				     .drops_ids = true };

	op_draft_write(&w, same, profile_write);
	op_draft_say_lost(&w, opts, "otlp-events");
	return out->err->code;
}
