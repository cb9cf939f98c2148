// SPDX-License-Identifier: Apache-2.0
/* fmt/speedscope/read.c: profiles of speedscope into the model.
 *
 * One of them is a thread, mostly: all of a unit become one profile, in which
 * the name tells them apart. Members come in any order, so the large ones are
 * passed first and gone through when it is known what they are.
 */
#include "base/hash.h"
#include "pb/json_extract.h"
#include "fmt/speedscope/speedscope_int.h"
#include "fmt/viewer/stack_tree.h"
#include "fmt/viewer/metadata.h"
#include "model/semconv.h"

struct frame {
	struct op_view name, file;
	int64_t line, column;
	uint32_t location; /* OP_NO_ID: not made yet */
};

struct unit {
	const char *name;
	const char *type, *unit; /* in the model */
	unsigned int digits;	 /* to nanoseconds */
	bool is_time;
};

/* The first is for all that are not known. */
static const struct unit units[] = {
	{ "none", "samples", "count", 0, false },
	{ "bytes", "space", "bytes", 0, false },
	{ "nanoseconds", "wall", "nanoseconds", 0, true },
	{ "microseconds", "wall", "nanoseconds", 3, true },
	{ "milliseconds", "wall", "nanoseconds", 6, true },
	{ "seconds", "wall", "nanoseconds", 9, true },
};

/* Profiles of the file that are one in the model. */
struct group {
	bool is_told;
	uint32_t number; /* of those that are told */
	const struct unit *unit;
	bool is_timed;
	uint32_t profile;
	uint64_t first, end;
};

/* A profile as it stands in the file. */
struct source {
	struct op_view name;
	const struct unit *unit;
	bool is_evented;
	const uint8_t *start, *end; /* values; NULL: it has none */
	const uint8_t *events, *samples, *weights;
	bool is_told;
	struct op_metadata told;
};

struct reader {
	struct op_view in;
	struct op_err *err;
	struct op_arena mem;
	struct op_builder b;
	struct op_stack_tree tree;
	OP_VEC(struct frame) frames;
	OP_VEC(struct group) groups;
	struct op_intern group_index;
	const uint8_t *shared, *profiles;

	/* of the profile at hand */
	const struct source *source;
	uint32_t group;
	uint32_t set;
	int64_t base_ns;
};

static struct op_json_in at_value(struct reader *r, const uint8_t *p)
{
	struct op_json_in in = op_json_in(r->in, r->err);

	in.p = p;
	return in;
}

/* --- frames --- */

static uint32_t location_of(void *ctx, uint32_t id)
{
	struct reader *r = ctx;
	struct frame *f = &r->frames.p[id];
	struct op_location none = { 0 };
	struct op_function row = { .start_line = f->line };
	struct op_line line = { .line = f->line, .column = f->column };

	if (f->location != OP_NO_ID)
		return f->location;
	row.name = op_build_string(&r->b, f->name);
	row.filename = op_build_string(&r->b, f->file);
	line.function = op_build_function(&r->b, &row);
	f->location = op_build_location(&r->b, &none, &line, 1);
	return f->location;
}

static void frame_take(struct reader *r, struct op_json_in *in)
{
	struct frame f = { .location = OP_NO_ID };
	bool first = true;

	op_json_take(in, '{', "expected a frame");
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "name"))
			f.name = op_json_extract_text(in, &r->mem);
		else if (op_json_is(key, "file"))
			f.file = op_json_extract_text(in, &r->mem);
		else if (op_json_is(key, "line"))
			f.line = op_json_extract_scaled(in, 0);
		else if (op_json_is(key, "col"))
			f.column = op_json_extract_scaled(in, 0);
		else
			op_json_skip(in);
	}
	if (!r->err->code)
		(void)op_vec_push(&r->mem, &r->frames, f);
}

static void frames_take(struct reader *r, struct op_json_in *in)
{
	bool first = true, first_frame = true;

	op_json_take(in, '{', "expected an object");
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (!op_json_is(key, "frames")) {
			op_json_skip(in);
			continue;
		}
		op_json_take(in, '[', "expected an array of frames");
		while (op_json_more(in, ']', &first_frame))
			frame_take(r, in);
	}
}

/* The number of a frame; 0 after a failure. */
static uint32_t frame_id(struct reader *r, struct op_json_in *in)
{
	const uint8_t *at = (op_json_peek(in), in->p);
	int64_t id = op_json_extract_scaled(in, 0);

	if (r->err->code || (id >= 0 && (uint64_t)id < r->frames.n))
		return r->err->code ? 0 : (uint32_t)id;
	op_fail_at(r->err, OP_EFORMAT, (uint64_t)(at - in->base),
		   "frame index %lld is out of range for a table of %zu",
		   (long long)id, r->frames.n);
	in->p = in->end;
	return 0;
}

/* --- heads --- */

static uint32_t place_make(struct reader *r, struct op_kvs attrs)
{
	struct op_resource resource = { .attrs = attrs };
	struct op_scope scope = { 0 };

	return op_build_scope(&r->b, op_build_resource(&r->b, &resource, NULL),
			      &scope, NULL);
}

static uint32_t interval_set(struct op_builder *b)
{
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	uint32_t attr = op_build_attr(b, op_view_z(OP_ATTR_INTERVAL), &yes,
				      (struct op_view){ 0 }, NULL);

	return op_build_set(b, &attr, 1);
}

static struct group group_make(struct reader *r, const struct source *s)
{
	struct group g = { .unit = s->unit, .is_timed = s->unit->is_time };
	struct op_view type = op_view_z(s->unit->type);
	struct op_view unit = op_view_z(s->unit->unit);
	struct op_profile head = { 0 };

	g.first = UINT64_MAX;
	if (s->is_told) {
		g.is_told = true;
		g.number = s->told.profile;
		g.is_timed = s->told.is_timed && s->unit->is_time;
		type = s->told.type;
		unit = s->told.unit;
		head.attrs = op_metadata_set(&r->b, s->told.attrs);
	} else if (g.is_timed) {
		head.attrs = interval_set(&r->b);
	}
	head.sample_type.type = op_build_string(&r->b, type);
	head.sample_type.unit = op_build_string(&r->b, unit);
	g.profile = op_build_profile(&r->b, place_make(r, s->told.resource),
				     &head);
	return g;
}

static bool group_eq(const void *table, uint32_t id, const void *key)
{
	const struct group *g = (const struct group *)table + id;
	const struct group *k = key;

	return g->is_told == k->is_told && g->number == k->number &&
	       (g->is_told ? g->unit == k->unit :
			     !strcmp(g->unit->type, k->unit->type));
}

static uint32_t group_of(struct reader *r, const struct source *s)
{
	struct group g = { .is_told = s->is_told,
			   .number = s->told.profile,
			   .unit = s->unit };
	uint64_t word = (uint64_t)g.number << 1 | g.is_told;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&r->group_index, hash, group_eq,
				     r->groups.p, &g);

	if (id != OP_NO_ID)
		return id;
	g = group_make(r, s);
	id = (uint32_t)r->groups.n;
	if (op_vec_push(&r->mem, &r->groups, g))
		op_intern_add(&r->group_index, &r->mem, hash, id);
	return id;
}

/* The thread: what we told, or else the name. */
static uint32_t thread_set(struct reader *r, const struct source *s)
{
	struct op_any name = { .kind = OP_ANY_STRING, .bytes = s->name };
	uint32_t attr;

	if (s->is_told)
		return op_metadata_thread(&r->b, s->told.thread);
	if (!s->name.n)
		return 0;
	attr = op_build_attr(&r->b, op_view_z(OP_ATTR_THREAD_NAME), &name,
			     (struct op_view){ 0 }, NULL);
	return op_build_set(&r->b, &attr, 1);
}

/* --- observations --- */

static uint64_t time_of(const struct reader *r, int64_t ns)
{
	int64_t t = op_add_sat(ns, r->base_ns);

	return t < 0 ? 0 : (uint64_t)t;
}

static void observe(struct reader *r, uint32_t node, int64_t weight, int64_t at)
{
	struct group *g = &r->groups.p[r->group];
	int64_t value = r->source->is_told && g->unit->is_time ?
				op_metadata_value(&r->source->told, weight) :
				weight;
	struct op_identity id = { .stack = op_tree_stack(&r->tree, node),
				  .set = r->set };
	uint32_t sample = op_build_sample(&r->b, g->profile, id);
	uint64_t from = time_of(r, at), to;

	if (!g->is_timed) {
		op_build_add(&r->b, g->profile, sample, value);
		return;
	}
	op_build_observe(&r->b, g->profile, sample, value, from);
	to = from + (uint64_t)(weight > 0 ? weight : 1);
	g->first = from < g->first ? from : g->first;
	g->end = to > g->end ? to : g->end;
}

/* --- evented --- */

struct open {
	uint32_t frame, node, serial;
};

struct sweep {
	OP_VEC(struct open) stack;
	int64_t now;
	uint32_t next_serial;
	/* what has not been told yet */
	uint32_t node, serial;
	int64_t from, to;
};

static void run_end(struct reader *r, struct sweep *s)
{
	if (s->to > s->from)
		observe(r, s->node, s->to - s->from, s->from);
	s->from = s->to = 0;
}

/* What is innermost was at work until then. */
static void advance(struct reader *r, struct sweep *s, int64_t at)
{
	const struct open *top;

	if (s->stack.n && at > s->now) {
		top = &s->stack.p[s->stack.n - 1];
		if (s->serial != top->serial || s->to != s->now) {
			run_end(r, s);
			s->node = top->node;
			s->serial = top->serial;
			s->from = s->now;
		}
		s->to = at;
	}
	s->now = at;
}

struct event {
	int type;
	uint32_t frame;
	int64_t at;
};

static struct event event_take(struct reader *r, struct op_json_in *in)
{
	struct event e = { 0 };
	bool first = true;

	op_json_take(in, '{', "expected an event");
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "type")) {
			struct op_view t = op_json_extract_id(in);

			e.type = t.n == 1 ? *t.p : 0;
		} else if (op_json_is(key, "frame")) {
			e.frame = frame_id(r, in);
		} else if (op_json_is(key, "at")) {
			e.at = op_json_extract_scaled(in,
						      r->source->unit->digits);
		} else {
			op_json_skip(in);
		}
	}
	return e;
}

static void event_put(struct reader *r, struct sweep *s, const struct event *e,
		      struct op_json_in *in, const uint8_t *at)
{
	struct open o = { .frame = e->frame, .serial = ++s->next_serial };
	size_t n = s->stack.n;

	if (!r->frames.n) {
		op_json_bad(in, at, "an event, but there are no frames");
	} else if (e->at < s->now) {
		op_json_bad(in, at,
			    "an event is earlier than the previous one");
	} else if (e->type == 'O') {
		advance(r, s, e->at);
		o.node = op_tree_child(&r->tree, n ? s->stack.p[n - 1].node : 0,
				       e->frame);
		(void)op_vec_push(&r->mem, &s->stack, o);
	} else if (e->type != 'C') {
		op_json_bad(in, at, "an event is neither O nor C");
	} else if (!n || s->stack.p[n - 1].frame != e->frame) {
		op_json_bad(in, at,
			    "a frame is closed that is not the innermost");
	} else {
		advance(r, s, e->at);
		s->stack.n--;
	}
}

static int64_t value_at(struct reader *r, const uint8_t *p)
{
	struct op_json_in in = at_value(r, p);

	return op_json_extract_scaled(&in, r->source->unit->digits);
}

static void evented(struct reader *r, const struct source *src)
{
	struct op_json_in in = at_value(r, src->events);
	struct sweep s = { .now = INT64_MIN };
	bool first = true;
	int64_t end;

	op_json_take(&in, '[', "expected an array of events");
	while (op_json_more(&in, ']', &first)) {
		const uint8_t *at = in.p;
		struct event e = event_take(r, &in);

		if (r->err->code)
			break;
		event_put(r, &s, &e, &in, at);
	}
	end = src->end && !r->err->code ? value_at(r, src->end) : s.now;
	if (!r->err->code && s.stack.n && end > s.now)
		advance(r, &s, end);
	if (!r->err->code)
		run_end(r, &s);
}

/* --- sampled --- */

static uint32_t stack_take(struct reader *r, struct op_json_in *in)
{
	uint32_t node = 0;
	bool first = true;

	op_json_take(in, '[', "expected an array of frames");
	while (op_json_more(in, ']', &first)) {
		uint32_t frame = frame_id(r, in);

		if (!r->err->code)
			node = op_tree_child(&r->tree, node, frame);
	}
	return node;
}

/* Stacks and weights are gone through side by side. */
static void sampled(struct reader *r, const struct source *src)
{
	struct op_json_in in = at_value(r, src->samples);
	struct op_json_in weights = at_value(r, src->weights);
	bool first = true, first_weight = true, has_weight;
	int64_t now = src->start ? value_at(r, src->start) : 0;

	op_json_take(&in, '[', "expected an array of samples");
	op_json_take(&weights, '[', "expected an array of weights");
	while (op_json_more(&in, ']', &first)) {
		const uint8_t *at = in.p;
		uint32_t node = stack_take(r, &in);
		int64_t weight;

		has_weight = op_json_more(&weights, ']', &first_weight);
		if (r->err->code)
			return;
		if (!has_weight) {
			op_json_bad(&in, at, "a sample without a weight");
			return;
		}
		weight = op_json_extract_scaled(&weights, src->unit->digits);
		/* Time of which no stack is known is a gap. */
		if (!r->err->code && (node || !src->unit->is_time))
			observe(r, node, weight, now);
		now = op_add_sat(now, weight > 0 ? weight : 0);
	}
	if (!r->err->code && op_json_more(&weights, ']', &first_weight))
		op_json_bad(&weights, weights.p, "a weight without a sample");
}

/* --- profiles --- */

static const struct unit *unit_of(struct op_view name)
{
	for (size_t i = 0; i < op_countof(units); i++)
		if (op_view_is(name, units[i].name))
			return &units[i];
	return &units[0];
}

static void told_take(struct reader *r, struct op_json_in *in, struct source *s)
{
	op_json_peek(in);
	s->told = op_metadata_read(in, &r->mem);
	s->is_told = !r->err->code;
}

static void member_take(struct reader *r, struct op_json_in *in,
			struct op_json_text key, struct source *s)
{
	if (op_json_is(key, "type"))
		s->is_evented = op_view_is(op_json_extract_id(in), "evented");
	else if (op_json_is(key, "name"))
		s->name = op_json_extract_text(in, &r->mem);
	else if (op_json_is(key, "unit"))
		s->unit = unit_of(op_json_extract_id(in));
	else if (op_json_is(key, "startValue"))
		s->start = op_json_defer(in);
	else if (op_json_is(key, "endValue"))
		s->end = op_json_defer(in);
	else if (op_json_is(key, "events"))
		s->events = op_json_defer(in);
	else if (op_json_is(key, "samples"))
		s->samples = op_json_defer(in);
	else if (op_json_is(key, "weights"))
		s->weights = op_json_defer(in);
	else if (op_json_is(key, "otprof"))
		told_take(r, in, s);
	else
		op_json_skip(in);
}

static void profile_put(struct reader *r, const struct source *s)
{
	r->source = s;
	r->group = group_of(r, s);
	r->set = thread_set(r, s);
	r->base_ns = s->told.base_ns;
	/* There is no time before 0. */
	if (s->start && !r->base_ns) {
		int64_t start = value_at(r, s->start);

		r->base_ns = start < 0 ? -start : 0;
	}
	if (r->err->code)
		return;
	if (s->is_evented)
		evented(r, s);
	else
		sampled(r, s);
}

static void profile_take(struct reader *r, struct op_json_in *in)
{
	const uint8_t *at = in->p;
	struct source s = { .unit = &units[0] };
	bool first = true;

	op_json_take(in, '{', "expected a profile");
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		member_take(r, in, key, &s);
	}
	if (r->err->code)
		return;
	if (s.is_evented ? !s.events : !s.samples || !s.weights)
		op_json_bad(in, at,
			    "a profile has neither events nor samples and "
			    "weights");
	else
		profile_put(r, &s);
}

static void top_take(struct reader *r)
{
	struct op_json_in in = op_json_start(r->in, r->err);
	bool first = true;

	op_json_peek(&in);
	op_json_take(&in, '{', "expected an object");
	while (op_json_more(&in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(&in);

		if (op_json_is(key, "shared"))
			r->shared = op_json_defer(&in);
		else if (op_json_is(key, "profiles"))
			r->profiles = op_json_defer(&in);
		else
			op_json_skip(&in);
	}
	if (!r->err->code)
		op_json_finish(&in);
	if (!r->err->code && (!r->shared || !r->profiles))
		op_fail_at(r->err, OP_EFORMAT, 0, "no %s",
			   r->shared ? "profiles" : "shared frames");
}

static void profiles_take(struct reader *r)
{
	struct op_json_in in = at_value(r, r->shared);
	bool first = true;

	frames_take(r, &in);
	in = at_value(r, r->profiles);
	op_json_take(&in, '[', "expected an array of profiles");
	while (op_json_more(&in, ']', &first))
		profile_take(r, &in);
	for (size_t i = 0; i < r->groups.n && !r->err->code; i++) {
		const struct group *g = &r->groups.p[i];
		struct op_profile *head = op_build_profile_head(&r->b,
								g->profile);

		if (g->end) {
			head->time_ns = g->first;
			head->duration_ns = g->end - g->first;
		}
	}
}

int op_speedscope_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct reader r = { .in = in, .err = err, .mem.err = err };
	struct op_model m = { 0 };

	if (opts)
		m.mem.quota = r.mem.quota = opts->mem_quota;
	op_builder_init(&r.b, &m, err);
	op_tree_init(&r.tree, &r.b, &r.mem, location_of, &r);
	if (!err->code)
		top_take(&r);
	if (!err->code)
		profiles_take(&r);
	op_tree_note(&r.tree, opts);
	op_builder_finish(&r.b);
	op_arena_free(&r.mem);
	return op_model_deliver(&m, fn, ctx, err);
}
