// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/read.c: profiles that are events into a model.
 *
 * An event of a type with a clock has a time, and is an observation; one
 * without is an aggregate. What a type's events have decides what the type
 * becomes, so they are gone through twice:
 *
 *	aggregates with sums        two profiles: name/count, name/unit
 *	other aggregates            name/unit
 *	events that only last       name/ns (or what the unit has for it)
 *	events that last and have a value   two: name/unit, name/ns
 *	other events                name/unit
 */
#include "fmt/otlp_events/otlp_events_int.h"

#include <stdio.h>

#include "fmt/draft/read.h"
#include "fmt/otlp/fields.h"

struct clock {
	uint64_t frequency, start;
	int64_t ticks; /* since the start, of the event before */
};

struct type {
	struct op_value_type value_type;
	uint32_t set;
	uint64_t def; /* the value of an event that has none */
	bool has_clock;
	uint64_t clock;
	/* What its events are. */
	bool plain, timed, sums, values, durations;
	uint32_t ids[2][2]; /* profiles: without and with times; two each */
};

struct event {
	uint64_t type, stack, link, duration, value, count, sum;
	int64_t time;
	bool has_link;
	struct op_id_vec attrs;
	const uint8_t *at;
};

struct profile {
	struct op_profile head;
	OP_VEC(struct type) types;
	OP_VEC(struct clock) clocks;
	struct op_draft_numbers comments;
	struct op_id_vec attrs; /* of all profiles, then of one type */
	struct event event;
	bool placeholders;
};

/* --- types and clocks --- */

static void clock_read(struct op_draft *r, struct op_cur c, struct profile *p)
{
	struct clock k = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(CLOCK_FREQUENCY, OP_PB_VARINT))
			k.frequency = f.v;
		if (op_pb_key(&f) == OP_PB(CLOCK_TIME, OP_PB_I64))
			k.start = f.v;
	}
	(void)op_vec_push(&r->scratch, &p->clocks, k);
}

/* common: how many attributes all profiles have. */
static void type_read(struct op_draft *r, struct op_cur c, struct profile *p,
		      size_t common)
{
	struct type t = { 0 };
	struct op_pb_field f;

	p->attrs.n = common;
	while (op_pb_next(&c, &f)) {
		if (f.num == TYPE_ATTRIBUTES)
			op_draft_attrs_add(r, op_pb_sub(&c, &f), &p->attrs);
		else if (f.wire != OP_PB_VARINT)
			continue;
		else if (f.num == TYPE_NAME)
			t.value_type.type = op_draft_string(r, &f);
		else if (f.num == TYPE_UNIT)
			t.value_type.unit = op_draft_string(r, &f);
		else if (f.num == TYPE_DEFAULT)
			t.def = f.v;
		else if (f.num == TYPE_CLOCK) {
			t.has_clock = true;
			t.clock = f.v;
			if (f.v >= p->clocks.n)
				op_draft_fail(r, f.bytes.p, "clock", f.v,
					      p->clocks.n);
		}
	}
	t.set = op_build_set(&r->b, p->attrs.p, (uint32_t)p->attrs.n);
	(void)op_vec_push(&r->scratch, &p->types, t);
}

static void head_read(struct op_draft *r, struct op_cur c, struct profile *p)
{
	const uint8_t *at = c.p;
	struct op_pb_field f;
	uint64_t end = 0;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(EVENTS_CLOCK, OP_PB_LEN))
			clock_read(r, op_pb_sub(&c, &f), p);
		else if (op_pb_key(&f) == OP_PB(EVENTS_TIME, OP_PB_I64))
			end = f.v;
		else if (op_pb_key(&f) == OP_PB(EVENTS_DURATION, OP_PB_VARINT))
			p->head.duration_ns = (int64_t)f.v > 0 ? f.v : 0;
		else if (f.num == EVENTS_COMMENT)
			op_draft_numbers(r, op_pb_sub(&c, &f), &p->comments);
	}
	if (end && end < p->head.duration_ns)
		p->head.duration_ns = end;
	p->head.time_ns = end ? end - p->head.duration_ns : 0;
	op_draft_comments(r, &p->comments, at, &p->attrs);
}

/* --- events --- */

static struct type *event_read(struct op_draft *r, struct op_cur c,
			       struct profile *p)
{
	struct event *e = &p->event;
	struct op_pb_field f;

	*e = (struct event){ .at = c.p, .attrs = e->attrs };
	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		switch (f.num) {
		case EVENT_TYPE:
			e->type = f.v;
			break;
		case EVENT_STACK:
			e->stack = f.v;
			break;
		case EVENT_LINK:
			e->link = f.v;
			e->has_link = true;
			break;
		case EVENT_TIME:
			e->time = (int64_t)f.v;
			break;
		case EVENT_DURATION:
			e->duration = f.v;
			break;
		case EVENT_VALUE:
			e->value = f.v;
			break;
		case EVENT_COUNT:
			e->count = f.v;
			break;
		case EVENT_SUM:
			e->sum = f.v;
			break;
		}
	}
	if (r->err->code)
		return NULL;
	if (e->type < p->types.n)
		return &p->types.p[e->type];
	op_draft_fail(r, e->at, "event type", e->type, p->types.n);
	return NULL;
}

/* Several events in one are an aggregate, unless they have a time. */
static bool is_timed(const struct type *t, const struct event *e)
{
	return t->has_clock && (e->count <= 1 || e->time);
}

/* The value that a timed event gives itself; 0 if none. */
static uint64_t own_value(const struct type *t, const struct event *e)
{
	if (e->value || e->sum)
		return e->value ? e->value : e->sum;
	return e->count > 1 && !t->def ? e->count : 0;
}

static void event_note(struct type *t, const struct event *e)
{
	if (is_timed(t, e)) {
		t->timed = true;
		t->values |= t->def || own_value(t, e);
		t->durations |= e->duration != 0;
	} else {
		t->plain = true;
		t->sums |= e->sum && e->sum != e->count * t->def;
	}
}

/* --- values --- */

/* An aggregate without sums: what it is worth. */
static int64_t plain_value(const struct type *t, const struct event *e)
{
	uint64_t v = e->value ? e->value : e->sum;

	if (!v && e->count)
		v = t->def ? e->count * t->def : e->count;
	else if (!v)
		v = t->def;
	return (int64_t)v;
}

static int64_t sum_value(const struct type *t, const struct event *e)
{
	if (e->sum || e->value)
		return (int64_t)(e->sum ? e->sum : e->value);
	return (int64_t)(e->count * t->def);
}

static int64_t timed_value(const struct type *t, const struct event *e)
{
	uint64_t own = own_value(t, e);

	if (!own)
		own = (e->count > 1 ? e->count : 1) * t->def;
	return t->values ? (int64_t)own : 1;
}

/* No event that lasts is shorter than a nanosecond. */
static int64_t duration_ns(const struct clock *k, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks * EVENTS_SECOND /
			       k->frequency;

	if (ticks && !ns)
		ns = 1;
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* Times count from the event of the clock before, in the order of the file. */
static uint64_t time_ns(struct op_draft *r, struct clock *k,
			const struct event *e)
{
	bool fits = !__builtin_add_overflow(k->ticks, e->time, &k->ticks);
	__int128 ns = (__int128)k->ticks * EVENTS_SECOND;

	if (!k->frequency) {
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(e->at - r->file.base),
			   "an event refers to a clock without a frequency");
		return 0;
	}
	/* Rounded down, also before the start. */
	ns = ns >= 0 ? ns / k->frequency :
		       -((-ns + (k->frequency - 1)) / k->frequency);
	ns += k->start;
	if (fits && ns >= 0 && ns <= INT64_MAX)
		return (uint64_t)ns;
	op_fail_at(r->err, OP_EFORMAT, (uint64_t)(e->at - r->file.base),
		   "an event before 1970 or after 2262");
	return 0;
}

/* --- building --- */

static bool is_ns(struct op_draft *r, uint32_t unit)
{
	struct op_view v = r->b.strings.p[unit];

	return op_view_is(v, EVENTS_UNIT_NS) || op_view_is(v, "nanoseconds");
}

static uint32_t profile_new(struct op_draft *r, const struct profile *p,
			    const struct type *t, uint32_t unit, uint32_t scope)
{
	struct op_profile head = p->head;

	head.attrs = t->set;
	head.sample_type = t->value_type;
	head.sample_type.unit = unit;
	if (t->def && t->def <= INT64_MAX && unit == t->value_type.unit &&
	    !t->sums) {
		head.period = (int64_t)t->def;
		head.period_type = t->value_type;
	}
	return op_build_profile(&r->b, scope, &head);
}

static uint32_t profile_like(struct op_draft *r, const struct profile *p,
			     const struct type *t, uint32_t unit, uint32_t like)
{
	struct op_profile head = p->head;

	head.attrs = t->set;
	head.sample_type = t->value_type;
	head.sample_type.unit = unit;
	return op_build_profile_like(&r->b, like, &head);
}

static void type_build(struct op_draft *r, const struct profile *p,
		       struct type *t, uint32_t scope)
{
	uint32_t count = op_build_string(&r->b, op_view_z(EVENTS_UNIT_COUNT));
	uint32_t ns = op_build_string(&r->b, op_view_z(EVENTS_UNIT_NS));
	uint32_t unit = t->value_type.unit;

	if (r->err->code)
		return;
	if (t->plain || !t->timed)
		t->ids[0][0] = profile_new(r, p, t, t->sums ? count : unit,
					   scope);
	if (t->sums)
		t->ids[0][1] = profile_like(r, p, t, unit, t->ids[0][0]);
	if (!t->timed)
		return;
	if (t->durations && !t->values && !is_ns(r, unit))
		unit = ns;
	t->ids[1][0] = profile_new(r, p, t, unit, scope);
	if (t->durations && t->values)
		t->ids[1][1] = profile_like(r, p, t, ns, t->ids[1][0]);
}

/* A stack that has only a number for a name. */
static uint32_t placeholder(struct op_draft *r, uint64_t i)
{
	struct op_location location = { 0 };
	struct op_function function = { 0 };
	struct op_line line = { 0 };
	char name[40];
	uint32_t id;

	snprintf(name, sizeof(name), "stack %llu", (unsigned long long)i);
	function.name = op_build_string(&r->b, op_view_z(name));
	line.function = op_build_function(&r->b, &function);
	id = op_build_location(&r->b, &location, &line, 1);
	return op_build_stack(&r->b, &id, 1);
}

static uint32_t stack_of(struct op_draft *r, const struct profile *p)
{
	const struct event *e = &p->event;

	if (r->tables[OP_STACKS].rows.n)
		return op_draft_stack(r, e->stack, e->at);
	if (!e->stack)
		return 0;
	return p->placeholders ? placeholder(r, e->stack) :
				 op_draft_stack(r, e->stack, e->at);
}

static struct op_identity identity_of(struct op_draft *r, struct op_cur c,
				      struct profile *p)
{
	struct event *e = &p->event;
	struct op_identity id = { 0 };
	struct op_pb_field f;

	e->attrs.n = 0;
	while (op_pb_next(&c, &f))
		if (f.num == EVENT_ATTRIBUTES)
			op_draft_attrs_add(r, op_pb_sub(&c, &f), &e->attrs);
	id.stack = stack_of(r, p);
	id.set = op_draft_set(r, &e->attrs);
	if (e->has_link && e->link >= r->tables[OP_LINKS].rows.n)
		op_draft_fail(r, e->at, "link", e->link,
			      r->tables[OP_LINKS].rows.n);
	else if (e->has_link)
		id.link = op_draft_link(r, e->link, e->at);
	return id;
}

static void event_build(struct op_draft *r, struct op_cur c, struct profile *p)
{
	struct type *t = event_read(r, c, p);
	const struct event *e = &p->event;
	struct op_builder *b = &r->b;
	struct op_identity id;
	uint64_t time = 0;
	const uint32_t *ids;
	uint32_t sample;

	if (!t)
		return;
	id = identity_of(r, c, p);
	if (t->has_clock && (is_timed(t, e) || e->time))
		time = time_ns(r, &p->clocks.p[t->clock], e);
	if (r->err->code)
		return;
	ids = t->ids[is_timed(t, e)];
	sample = op_build_sample(b, ids[0], id);
	if (!is_timed(t, e) && t->sums) {
		op_build_add(b, ids[0], sample, (int64_t)e->count);
		op_build_add(b, ids[1], sample, sum_value(t, e));
	} else if (!is_timed(t, e)) {
		op_build_add(b, ids[0], sample, plain_value(t, e));
	} else {
		int64_t ns = duration_ns(&p->clocks.p[t->clock], e->duration);
		bool lasts = t->durations && !t->values;

		op_build_observe(b, ids[0], sample,
				 lasts ? ns : timed_value(t, e), time);
		if (t->durations && t->values)
			op_build_observe_like(b, ids[1], ns);
	}
}

static void profile_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	struct profile *p = r->ctx;
	struct op_cur again = c;
	struct op_pb_field f;
	size_t common;

	p->head = (struct op_profile){ 0 };
	p->types.n = p->clocks.n = p->comments.n = p->attrs.n = 0;
	op_draft_tables(r, c);
	head_read(r, c, p);
	common = p->attrs.n;
	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(EVENTS_TYPE, OP_PB_LEN))
			type_read(r, op_pb_sub(&c, &f), p, common);
	op_draft_mappings(r);
	c = again;
	while (op_pb_next(&c, &f)) {
		struct type *t = NULL;

		if (op_pb_key(&f) == OP_PB(EVENTS_EVENT, OP_PB_LEN))
			t = event_read(r, op_pb_sub(&c, &f), p);
		if (t)
			event_note(t, &p->event);
	}
	for (size_t i = 0; i < p->types.n && !r->err->code; i++)
		type_build(r, p, &p->types.p[i], scope);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(EVENTS_EVENT, OP_PB_LEN))
			event_build(r, op_pb_sub(&again, &f), p);
}

int op_events_decode_as(struct op_model *m, struct op_view msg,
			const struct op_events_opts *opts, struct op_err *err)
{
	struct op_draft r = { .layout = &op_events_layout };
	struct profile p = { 0 };

	r.ctx = &p;
	p.placeholders = opts && opts->placeholders;
	if (opts && opts->bare)
		return op_draft_read_bare(&r, m, op_cur(msg, err),
					  profile_read);
	return op_draft_read(&r, m, op_cur(msg, err), profile_read);
}

int op_events_decode(struct op_model *m, struct op_view msg, struct op_err *err)
{
	return op_events_decode_as(m, msg, NULL, err);
}
