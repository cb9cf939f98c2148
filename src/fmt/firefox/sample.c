// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/sample.c: samples and allocations of a thread.
 *
 *	samples            stack, time or timeDeltas (ms), weight, weightType,
 *	                   threadCPUDelta
 *	jsAllocations      stack, time, weight in bytes, className
 *	nativeAllocations  stack, time, weight; below 0 it is what was freed
 *
 * Up to version 28 the weight was called duration. In raw profiles allocations
 * are markers, whose data have the stack in a samples table of one row.
 *
 * A row without a stack was taken as well, when none could be walked: it counts
 * like all others.
 */
#include "base/hash.h"
#include "fmt/firefox/firefox_int.h"
#include "model/semconv.h"

/* --- profiles --- */

struct type {
	const char *type, *unit;
	const char *event; /* of the table, where it is not the samples */
};

static const struct type types[OP_GECKO_NR_EVENTS] = {
	[OP_GECKO_SAMPLES] = { "samples", "count", NULL },
	[OP_GECKO_WALL] = { "wall", "nanoseconds", NULL },
	[OP_GECKO_SPACE] = { "space", "bytes", NULL },
	[OP_GECKO_CPU] = { "cpu", "nanoseconds", NULL },
	[OP_GECKO_CYCLES] = { "cycles", "count", NULL },
	[OP_GECKO_ALLOC] = { "alloc_space", "bytes", "jsAllocations" },
	[OP_GECKO_MALLOC] = { "malloc_space", "bytes", "nativeAllocations" },
	[OP_GECKO_FREE] = { "free_space", "bytes", "nativeAllocations" },
};

static struct op_value_type value_type(struct op_gecko *r, struct op_view type,
				       struct op_view unit)
{
	return (struct op_value_type){ op_build_string(&r->b, type),
				       op_build_string(&r->b, unit) };
}

static uint32_t event_attrs(struct op_gecko *r, enum op_gecko_event event)
{
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	struct op_any name = { .kind = OP_ANY_STRING,
			       .bytes = op_view_z(types[event].event) };
	struct op_view key = op_view_z(OP_ATTR_EVENT);
	uint32_t attr;

	if (event == OP_GECKO_WALL)
		attr = op_build_attr(&r->b, op_view_z(OP_ATTR_INTERVAL), &yes,
				     (struct op_view){ 0 }, NULL);
	else if (types[event].event)
		attr = op_build_attr(&r->b, key, &name, (struct op_view){ 0 },
				     NULL);
	else
		return 0;
	return op_build_set(&r->b, &attr, 1);
}

static uint32_t told_scope(struct op_gecko *r, const struct op_metadata *told)
{
	struct op_resource resource = { .attrs = told->resource };
	struct op_scope scope = { 0 };

	return op_build_scope(&r->b, op_build_resource(&r->b, &resource, NULL),
			      &scope, NULL);
}

static uint32_t told_profile(struct op_gecko *r, const struct op_metadata *told)
{
	struct op_profile head = {
		.sample_type = value_type(r, told->type, told->unit),
		.attrs = op_metadata_set(&r->b, told->attrs),
	};

	return op_build_profile(&r->b, told_scope(r, told), &head);
}

static uint32_t profile_make(struct op_gecko *r,
			     const struct op_gecko_thread *t,
			     enum op_gecko_event event)
{
	struct op_gecko_process *p = &r->processes.p[t->process];
	const struct type *type = &types[event];
	struct op_profile head = {
		.sample_type = value_type(r, op_view_z(type->type),
					  op_view_z(type->unit)),
		.attrs = event_attrs(r, event),
	};

	if (event == OP_GECKO_SAMPLES && t->doc->interval_ns > 0) {
		head.period_type = value_type(r, op_view_z("wall"),
					      op_view_z("nanoseconds"));
		head.period = t->doc->interval_ns;
	}
	if (p->scope == OP_NO_ID)
		op_gecko_scope_make(r, t->doc, p);
	return op_build_profile(&r->b, p->scope, &head);
}

static uint32_t group_add(struct op_gecko *r, struct op_gecko_group g)
{
	g.first = UINT64_MAX;
	if (!op_vec_push(&r->mem, &r->groups, g))
		return OP_NO_ID;
	return (uint32_t)r->groups.n - 1;
}

static bool told_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_gecko_group *g = table, *k = key;

	return g[id].number == k->number && g[id].event == k->event &&
	       g[id].is_timed == k->is_timed;
}

/* What we wrote has a number in common for all threads of a profile. */
static uint32_t told_group(struct op_gecko *r, const struct op_gecko_thread *t,
			   struct op_gecko_group g)
{
	uint64_t words[] = { t->told.profile, g.event, g.is_timed };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id;

	g.number = t->told.profile;
	id = op_intern_find(&r->told_index, hash, told_eq, r->groups.p, &g);
	if (id != OP_NO_ID)
		return id;
	g.profile = told_profile(r, &t->told);
	id = group_add(r, g);
	if (id != OP_NO_ID)
		op_intern_add(&r->told_index, &r->mem, hash, id);
	return id;
}

static uint32_t group_of(struct op_gecko *r, const struct op_gecko_thread *t,
			 enum op_gecko_event event, bool is_timed)
{
	struct op_gecko_group g = { .event = event, .is_timed = is_timed };
	uint32_t *known;

	if (t->is_told)
		return told_group(r, t, g);
	known = &r->processes.p[t->process].groups[event][is_timed];
	if (*known == OP_NO_ID) {
		g.profile = profile_make(r, t, event);
		*known = group_add(r, g);
	}
	return *known;
}

/* --- observations --- */

struct observation {
	enum op_gecko_event event;
	int64_t row;  /* of the stack table */
	bool is_call; /* see op_gecko_stack() */
	struct op_view class;
	int64_t value, time_ns; /* OP_GECKO_NONE: without a time */
};

static uint64_t time_of(struct op_gecko *r, const struct op_gecko_thread *t,
			int64_t ns)
{
	int64_t at = op_add_sat(t->doc->start_ns, ns);

	r->nr_early += at < 0;
	return at < 0 ? 0 : (uint64_t)at;
}

static uint32_t set_of(struct op_gecko *r, struct op_gecko_thread *t,
		       struct op_view class)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = class };
	uint32_t set = op_gecko_thread_set(r, t);

	if (!class.n)
		return set;
	return op_build_set_with(&r->b, set,
				 op_build_attr(&r->b,
					       op_view_z("firefox.class"), &v,
					       (struct op_view){ 0 }, NULL));
}

static void observe(struct op_gecko *r, struct op_gecko_thread *t,
		    const struct observation *o)
{
	struct op_identity identity = {
		.stack = op_gecko_stack(r, t->tables, o->row, o->is_call),
		.set = set_of(r, t, o->class),
	};
	bool is_timed = o->time_ns != OP_GECKO_NONE;
	int64_t value = t->is_told && o->event == OP_GECKO_WALL ?
				op_metadata_value(&t->told, o->value) :
				o->value;
	uint32_t id = r->err->code ? OP_NO_ID :
				     group_of(r, t, o->event, is_timed);
	struct op_gecko_group *g;
	uint64_t from, to;
	uint32_t sample;

	if (id == OP_NO_ID)
		return;
	g = &r->groups.p[id];
	sample = op_build_sample(&r->b, g->profile, identity);
	if (!is_timed) {
		op_build_add(&r->b, g->profile, sample, value);
		return;
	}
	from = time_of(r, t, o->time_ns);
	op_build_observe(&r->b, g->profile, sample, value, from);
	to = from + 1;
	if (o->event == OP_GECKO_WALL && o->value > 1)
		to = from + (uint64_t)o->value;
	g->first = from < g->first ? from : g->first;
	g->end = to > g->end ? to : g->end;
}

static bool is_wanted(const struct op_gecko *r, enum op_gecko_event event)
{
	if (r->wanted)
		return r->wanted & 1u << event;
	return event != OP_GECKO_CPU && event != OP_GECKO_CYCLES;
}

/* --- tables of samples --- */

enum {
	STACK,
	TIME,
	DELTA,
	WEIGHT,
	DURATION, /* what the weight was called before */
	CPU,
	CLASS,
	NR_COLUMNS
};

static const struct op_gecko_column named[NR_COLUMNS] = {
	[STACK] = { .name = "stack", .kind = OP_GECKO_ID },
	[TIME] = { .name = "time", .kind = OP_GECKO_NUMBER, .digits = 6 },
	[DELTA] = { .name = "timeDeltas",
		    .kind = OP_GECKO_NUMBER,
		    /* ms to ns */ .digits = 6 },
	[WEIGHT] = { .name = "weight", .kind = OP_GECKO_NUMBER },
	[DURATION] = { .name = "duration", .kind = OP_GECKO_NUMBER },
	[CPU] = { .name = "threadCPUDelta",
		  .kind = OP_GECKO_NUMBER,
		  .digits = 3 },
	[CLASS] = { .name = "className", .kind = OP_GECKO_PLACE },
};

struct samples {
	struct op_gecko_table table;
	struct op_gecko_column columns[NR_COLUMNS];
	const struct op_gecko_column *weight; /* NULL: each is 1 */
	const struct op_gecko_column *time;   /* NULL: it has none */
	size_t nr;
	enum op_gecko_event event;
	int64_t one; /* what 1 is as a value */
	int64_t now;
};

static void bad_table(struct op_gecko *r, const struct op_gecko_thread *t,
		      const struct samples *s, const char *what)
{
	op_fail_at(r->err, OP_EFORMAT,
		   (uint64_t)(s->table.at - t->doc->in.base), "%s", what);
}

static bool is_there(const struct op_gecko_column *c)
{
	return c->at || c->index != OP_GECKO_NO_INDEX;
}

/* A weight or a time that one row has all must have. */
static bool is_full(const struct op_gecko_column *c, size_t nr)
{
	if (!c)
		return true;
	for (size_t i = 0; i < nr; i++)
		if (op_gecko_cell(c, i) == OP_GECKO_NONE)
			return false;
	return true;
}

static void rows_check(struct op_gecko *r, const struct op_gecko_thread *t,
		       struct samples *s)
{
	s->nr = op_gecko_rows(s->columns, NR_COLUMNS);
	if (r->err->code)
		return;
	if (s->table.length != OP_GECKO_NONE && !s->table.data &&
	    s->table.length != (int64_t)s->nr)
		bad_table(r, t, s,
			  "the number of rows differs from the table's length");
	else if (s->nr && !is_there(&s->columns[STACK]))
		bad_table(r, t, s, "the table has no stack column");
	else if (!is_full(s->time, s->nr))
		bad_table(r, t, s, "a table row has no time");
	else if (!is_full(s->weight, s->nr))
		bad_table(r, t, s, "a table row has no weight");
	r->nr_rounded += s->table.nr_rounded;
}

/* A size profile has its bytes in place of times. */
static bool is_timed(const struct op_gecko_thread *t)
{
	if (t->is_told)
		return t->told.is_timed;
	return !op_view_is(t->doc->time_unit, "bytes");
}

static void columns_choose(const struct op_gecko_thread *t, struct samples *s)
{
	struct op_gecko_column *c = s->columns;

	if (is_there(&c[WEIGHT]))
		s->weight = &c[WEIGHT];
	else if (is_there(&c[DURATION]))
		s->weight = &c[DURATION];
	if (!is_timed(t))
		c[TIME].at = c[DELTA].at = NULL;
	else if (is_there(&c[TIME]))
		s->time = &c[TIME];
	else if (is_there(&c[DELTA]))
		s->time = &c[DELTA];
	if (s->event == OP_GECKO_WALL)
		c[WEIGHT].digits = c[DURATION].digits = 6;
}

static void weight_choose(struct op_gecko *r, const struct op_gecko_thread *t,
			  struct samples *s)
{
	struct op_view type = s->table.weight_type;

	if (op_view_is(type, "tracing-ms"))
		s->event = OP_GECKO_WALL;
	else if (op_view_is(type, "bytes"))
		s->event = OP_GECKO_SPACE;
	else if (type.n && !op_view_is(type, "samples"))
		bad_table(r, t, s, "an unknown weightType");
}

/* Reads the table, of samples or of allocations, that stands at p. */
static void table_read(struct op_gecko *r, const struct op_gecko_thread *t,
		       const uint8_t *p, struct samples *s)
{
	struct op_json_in in = op_gecko_at(&t->doc->in, p);

	memcpy(s->columns, named, sizeof(named));
	op_gecko_table_open(&in, &s->table, s->columns, NR_COLUMNS);
	if (s->event == OP_GECKO_SAMPLES)
		weight_choose(r, t, s);
	columns_choose(t, s);
	if (!r->err->code)
		op_gecko_table_load(&in, &r->thread_mem, &s->table, s->columns,
				    NR_COLUMNS);
	rows_check(r, t, s);
	s->one = s->event == OP_GECKO_WALL ? 1000000 : 1;
}

/* The time of the next row. */
static int64_t next_time(struct samples *s, size_t row)
{
	if (!s->time)
		return OP_GECKO_NONE;
	if (s->time == &s->columns[DELTA])
		s->now = op_add_sat(s->now, s->time->p[row]);
	else
		s->now = s->time->p[row];
	return s->now;
}

/* --- samples --- */

/* The unit of CPU times: its event, and how many of a thousandth it is. */
static enum op_gecko_event cpu_event(const struct op_gecko_doc *d, int64_t *one)
{
	*one = 1000;
	if (op_view_is(d->cpu_unit, "\u00b5s") ||
	    op_view_is(d->cpu_unit, "\u03bcs"))
		*one = 1;
	else if (op_view_is(d->cpu_unit, "variable CPU cycles"))
		return OP_GECKO_CYCLES;
	else if (!op_view_is(d->cpu_unit, "ns"))
		return OP_GECKO_NR_EVENTS;
	return OP_GECKO_CPU;
}

/* CPU time since the sample before. */
static void cpu_add(struct op_gecko *r, struct op_gecko_thread *t,
		    const struct samples *s, struct observation o, size_t row)
{
	int64_t value = op_gecko_cell(&s->columns[CPU], row), one;

	o.event = cpu_event(t->doc, &one);
	/* Of the first there is none before. */
	if (!row || value == OP_GECKO_NONE || value <= 0)
		return;
	if (o.event == OP_GECKO_NR_EVENTS || !is_wanted(r, o.event)) {
		r->nr_cpu += !r->wanted || o.event == OP_GECKO_NR_EVENTS;
		return;
	}
	o.value = value / one;
	observe(r, t, &o);
}

static void samples_read(struct op_gecko *r, struct op_gecko_thread *t)
{
	struct samples s = { .event = OP_GECKO_SAMPLES };

	table_read(r, t, t->samples, &s);
	for (size_t i = 0; i < s.nr && !r->err->code; i++) {
		struct observation o = {
			.event = s.event,
			.row = op_gecko_cell(&s.columns[STACK], i),
			.value = s.weight ? s.weight->p[i] : s.one,
			.time_ns = next_time(&s, i),
		};

		if (is_wanted(r, OP_GECKO_SAMPLES))
			observe(r, t, &o);
		cpu_add(r, t, &s, o, i);
	}
}

/* --- allocations --- */

/* What is freed is an event of its own. */
static void alloc_add(struct op_gecko *r, struct op_gecko_thread *t,
		      struct observation o)
{
	if (o.event == OP_GECKO_MALLOC && o.value < 0) {
		o.event = OP_GECKO_FREE;
		o.value = -o.value;
	}
	observe(r, t, &o);
}

static void allocs_read(struct op_gecko *r, struct op_gecko_thread *t,
			const uint8_t *p, enum op_gecko_event event)
{
	struct samples s = { .event = event };
	struct op_json_in in = t->doc->in;

	table_read(r, t, p, &s);
	for (size_t i = 0; i < s.nr && !r->err->code; i++) {
		int64_t class = op_gecko_cell(&s.columns[CLASS], i);
		struct observation o = {
			.event = event,
			.row = op_gecko_cell(&s.columns[STACK], i),
			.is_call = true,
			.value = s.weight ? s.weight->p[i] : 1,
			.time_ns = next_time(&s, i),
		};

		if (class != OP_GECKO_NONE) {
			in = op_gecko_at(&in, in.base + class);
			o.class = op_json_extract_text(&in, &r->thread_mem);
		}
		alloc_add(r, t, o);
	}
}

/* --- allocations as markers --- */

struct marker {
	struct op_view type, class;
	const uint8_t *size, *stack; /* values; NULL: it has none */
};

static struct marker marker_take(struct op_gecko *r, struct op_json_in *in)
{
	struct marker m = { 0 };
	bool first = true;

	if (!op_json_enter(in, '{'))
		return m;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "type"))
			m.type = op_json_extract_id(in);
		else if (op_json_is(key, "className"))
			m.class = op_json_extract_text(in, &r->thread_mem);
		else if (op_json_is(key, "stack"))
			m.stack = op_json_defer(in);
		else if (op_json_is(key, "size"))
			m.size = op_json_defer(in);
		else
			op_json_skip(in);
	}
	return m;
}

/* The row of the stack table in { "samples": { schema, data: [[row]] } }. */
static int64_t marker_stack(struct op_gecko *r, const struct op_gecko_thread *t,
			    const uint8_t *p)
{
	struct op_json_in in = op_gecko_at(&t->doc->in, p);
	struct op_gecko_column c = named[STACK];
	struct op_gecko_table table;
	bool first = true;

	if (!p || !op_json_enter(&in, '{'))
		return OP_GECKO_NONE;
	while (op_json_more(&in, '}', &first)) {
		if (!op_json_is(op_json_extract_key(&in), "samples")) {
			op_json_skip(&in);
			continue;
		}
		op_gecko_table_open(&in, &table, &c, 1);
		if (!r->err->code)
			op_gecko_table_load(&in, &r->thread_mem, &table, &c, 1);
	}
	return op_gecko_cell(&c, 0);
}

static void marker_read(struct op_gecko *r, struct op_gecko_thread *t,
			struct op_json_in *in, int64_t time)
{
	struct marker m = marker_take(r, in);
	struct observation o = { .time_ns = time,
				 .is_call = true,
				 .class = m.class };
	struct op_json_in size = op_gecko_at(in, m.size);

	if (op_view_is(m.type, "JS allocation"))
		o.event = OP_GECKO_ALLOC;
	else if (op_view_is(m.type, "Native allocation"))
		o.event = OP_GECKO_MALLOC;
	else
		return;
	if (!is_wanted(r, o.event) || !m.size)
		return;
	o.value = op_json_extract_scaled(&size, 0);
	o.row = marker_stack(r, t, m.stack);
	alloc_add(r, t, o);
}

static void markers_read(struct op_gecko *r, struct op_gecko_thread *t)
{
	struct op_json_in in = op_gecko_at(&t->doc->in, t->markers);
	struct op_gecko_column c[] = {
		{ .name = "data", .kind = OP_GECKO_PLACE },
		{ .name = "startTime", .kind = OP_GECKO_NUMBER, .digits = 6 },
		{ .name = "time", .kind = OP_GECKO_NUMBER, .digits = 6 },
	};
	size_t nr = op_countof(c);
	struct op_gecko_table table;

	op_gecko_table_open(&in, &table, c, nr);
	/* Of a processed profile they are not among the markers. */
	if (!table.data || r->err->code)
		return;
	op_gecko_table_load(&in, &r->thread_mem, &table, c, nr);
	for (size_t i = 0; i < c[0].n && !r->err->code; i++) {
		int64_t time = op_gecko_cell(&c[1], i);

		if (time == OP_GECKO_NONE)
			time = op_gecko_cell(&c[2], i);
		if (c[0].p[i] == OP_GECKO_NONE)
			continue;
		in = op_gecko_at(&in, in.base + c[0].p[i]);
		marker_read(r, t, &in, time);
	}
}

void op_gecko_samples(struct op_gecko *r, struct op_gecko_thread *t)
{
	if (t->samples)
		samples_read(r, t);
	if (t->js_allocs && is_wanted(r, OP_GECKO_ALLOC))
		allocs_read(r, t, t->js_allocs, OP_GECKO_ALLOC);
	if (t->native_allocs && is_wanted(r, OP_GECKO_MALLOC))
		allocs_read(r, t, t->native_allocs, OP_GECKO_MALLOC);
	if (t->markers &&
	    (is_wanted(r, OP_GECKO_ALLOC) || is_wanted(r, OP_GECKO_MALLOC)))
		markers_read(r, t);
}
