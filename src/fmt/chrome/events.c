// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/events.c: the text of a trace into lists of events by thread. */
#include "fmt/chrome/chrome_int.h"

#include "base/hash.h"

/* --- threads and processes --- */

static bool process_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_chrome_process *rows = table;

	return op_view_eq(rows[id].pid, *(const struct op_view *)key);
}

static uint32_t process_of(struct op_chrome *c, struct op_view pid)
{
	struct op_chrome_process row = { .pid = pid };
	uint32_t hash = op_hash32(pid.p, pid.n);
	uint32_t id = op_intern_find(&c->process_index, hash, process_eq,
				     c->processes.p, &pid);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)c->processes.n;
	if (op_vec_push(&c->mem, &c->processes, row))
		op_intern_add(&c->process_index, &c->mem, hash, id);
	return id;
}

struct thread_key {
	const struct op_chrome *c;
	struct op_view pid, tid;
};

static bool is_thread(const struct op_chrome *c, uint32_t id,
		      struct op_view pid, struct op_view tid)
{
	const struct op_chrome_thread *t = &c->threads.p[id];

	return op_view_eq(t->tid, tid) &&
	       op_view_eq(c->processes.p[t->process].pid, pid);
}

static bool thread_eq(const void *table, uint32_t id, const void *key)
{
	const struct thread_key *k = key;

	(void)table;
	return is_thread(k->c, id, k->pid, k->tid);
}

static uint32_t thread_find(struct op_chrome *c, struct op_view pid,
			    struct op_view tid)
{
	struct thread_key key = { c, pid, tid };
	uint64_t words[] = { op_hash32(pid.p, pid.n), op_hash32(tid.p, tid.n) };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&c->thread_index, hash, thread_eq, NULL,
				     &key);
	struct op_chrome_thread row = { .tid = tid };

	if (id != OP_NO_ID)
		return id;
	row.process = process_of(c, pid);
	id = (uint32_t)c->threads.n;
	if (c->err->code || !op_vec_push(&c->mem, &c->threads, row) ||
	    !op_intern_add(&c->thread_index, &c->mem, hash, id))
		return 0;
	return id;
}

uint32_t op_chrome_thread(struct op_chrome *c, struct op_view pid,
			  struct op_view tid)
{
	uint32_t last = c->last_thread;

	if (op_unlikely(last >= c->threads.n || !is_thread(c, last, pid, tid)))
		c->last_thread = thread_find(c, pid, tid);
	return c->last_thread;
}

/* --- frames --- */

static bool frame_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_chrome_frame *row =
		(const struct op_chrome_frame *)table + id;
	const struct op_chrome_frame *k = key;

	return op_view_eq(row->name.raw, k->name.raw) &&
	       op_view_eq(row->cat.raw, k->cat.raw);
}

static uint32_t category_set(struct op_chrome *c, struct op_view cat)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = cat };
	uint32_t attr;

	if (!cat.n)
		return 0;
	attr = op_build_attr(&c->b, op_view_z(OP_ATTR_CATEGORY), &v,
			     (struct op_view){ 0 }, NULL);
	return op_build_set(&c->b, &attr, 1);
}

/* Texts have been checked when they were read. */
static struct op_view text_of(struct op_chrome *c, struct op_json_text t)
{
	struct op_json_in in = op_json_in(c->in, c->err);

	return op_json_text_of(&in, t, &c->mem);
}

uint32_t op_chrome_location(void *ctx, uint32_t frame)
{
	struct op_chrome *c = ctx;
	struct op_chrome_frame *row = &c->frames.p[frame];
	struct op_function f = { 0 };
	struct op_location l = { 0 };
	struct op_line line = { 0 };

	if (op_likely(row->location != OP_NO_ID))
		return row->location;
	f.name = op_build_string(&c->b, text_of(c, row->name));
	line.function = op_build_function(&c->b, &f);
	l.attrs = category_set(c, text_of(c, row->cat));
	row->location = op_build_location(&c->b, &l, &line, 1);
	return row->location;
}

static bool name_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_chrome_frame *rows = table;

	return op_view_eq(rows[id].name.raw, *(const struct op_view *)key);
}

/* The first frame of a name, which is this one if there is none before. */
static uint32_t name_id(struct op_chrome *c, struct op_view name, uint32_t id)
{
	uint32_t hash = op_hash32(name.p, name.n);
	uint32_t found = op_intern_find(&c->name_index, hash, name_eq,
					c->frames.p, &name);

	if (found != OP_NO_ID)
		return found;
	op_intern_add(&c->name_index, &c->mem, hash, id);
	return id;
}

uint32_t op_chrome_frame(struct op_chrome *c, struct op_json_text name,
			 struct op_json_text cat)
{
	struct op_chrome_frame row = { name, cat, OP_NO_ID, 0 };
	uint64_t words[] = { op_hash32(name.raw.p, name.raw.n),
			     op_hash32(cat.raw.p, cat.raw.n) };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&c->frame_index, hash, frame_eq,
				     c->frames.p, &row);

	if (op_likely(id != OP_NO_ID))
		return id;
	id = (uint32_t)c->frames.n;
	row.name_id = name_id(c, name.raw, id);
	if (op_vec_push(&c->mem, &c->frames, row))
		op_intern_add(&c->frame_index, &c->mem, hash, id);
	return id;
}

/* --- an event --- */

static struct op_json_text string_or_none(struct op_json_in *in)
{
	if (op_likely(op_json_peek(in) == '"'))
		return op_json_extract_string(in);
	op_json_skip(in);
	return (struct op_json_text){ 0 };
}

op_inline bool is_key(const uint8_t *k, const char *name, size_t n)
{
	return !memcmp(k, name, n);
}

static void two_letters(struct op_chrome_event *e, const uint8_t *k,
			struct op_json_in *in)
{
	if (is_key(k, "ph", 2)) {
		struct op_view ph = string_or_none(in).raw;

		e->ph = ph.n == 1 ? *ph.p : 0;
	} else if (is_key(k, "ts", 2)) {
		e->ts = op_json_extract_scaled(in, 3);
		e->has_ts = true;
	} else if (is_key(k, "id", 2)) {
		e->id = op_json_extract_id(in);
	} else if (is_key(k, "sf", 2)) {
		e->sf = op_json_extract_id(in);
	} else {
		op_json_skip(in);
	}
}

static void three_letters(struct op_chrome_event *e, const uint8_t *k,
			  struct op_json_in *in)
{
	if (is_key(k, "pid", 3)) {
		e->pid = op_json_extract_id(in);
	} else if (is_key(k, "tid", 3)) {
		e->tid = op_json_extract_id(in);
	} else if (is_key(k, "cat", 3)) {
		e->cat = string_or_none(in);
	} else if (is_key(k, "dur", 3)) {
		e->dur = op_json_extract_scaled(in, 3);
		e->has_dur = true;
	} else {
		op_json_skip(in);
	}
}

static void four_letters(struct op_chrome_event *e, const uint8_t *k,
			 struct op_json_in *in)
{
	int64_t ns;

	if (is_key(k, "name", 4)) {
		e->name = string_or_none(in);
	} else if (is_key(k, "args", 4)) {
		e->args = op_json_defer(in);
	} else if (is_key(k, "tdur", 4)) {
		ns = op_json_extract_scaled(in, 3);
		if (!e->has_dur)
			e->dur = ns;
	} else {
		op_json_skip(in);
	}
}

static void event_take(struct op_json_in *in, struct op_chrome_event *e)
{
	bool first = true;

	op_json_take(in, '{', "expected an event");
	while (op_json_more(in, '}', &first)) {
		struct op_view key = op_json_extract_key(in).raw;

		if (key.n == 2)
			two_letters(e, key.p, in);
		else if (key.n == 3)
			three_letters(e, key.p, in);
		else if (key.n == 4)
			four_letters(e, key.p, in);
		else if (op_view_is(key, "stack"))
			e->stack = op_json_defer(in);
		else
			op_json_skip(in);
	}
}

/* --- what becomes of it --- */

static void slice_put(struct op_chrome *c, const struct op_chrome_event *e,
		      int64_t dur)
{
	uint32_t thread = op_chrome_thread(c, e->pid, e->tid);
	struct op_chrome_slice s = { .ts = e->ts, .dur = dur };

	s.frame = dur == OP_CHROME_END && !e->name.raw.n ?
			  OP_NO_ID :
			  op_chrome_frame(c, e->name, e->cat);
	if (!c->err->code)
		(void)op_vec_push(&c->mem, &c->threads.p[thread].slices, s);
}

static void count(struct op_chrome_counts *n, int ph)
{
	if (ph && strchr("bneSTpF", ph))
		n->async++;
	else if (ph && strchr("iIRr", ph))
		n->instant++;
	else if (ph == 'C')
		n->counter++;
	else if (ph && strchr("stf", ph))
		n->flow++;
	else if (ph && strchr("NOD", ph))
		n->object++;
	else
		n->other++;
}

static void event_put(struct op_chrome *c, struct op_json_in *in,
		      const struct op_chrome_event *e)
{
	if (e->ph == 'M') {
		op_chrome_metadata(c, in, e);
		return;
	}
	if (op_unlikely(e->ph && strchr("PIi", e->ph)) &&
	    op_chrome_is_v8(c, in, e))
		return;
	if (!strchr("BEXP", e->ph ? e->ph : ' ')) {
		count(&c->counts, e->ph);
		return;
	}
	if (!e->has_ts) {
		c->counts.no_time++;
		return;
	}
	if (e->ts < c->first_ns)
		c->first_ns = e->ts;
	switch (e->ph) {
	case 'X':
		slice_put(c, e, e->dur < 0 ? 0 : e->dur);
		break;
	case 'B':
		slice_put(c, e, OP_CHROME_BEGIN);
		break;
	case 'E':
		slice_put(c, e, OP_CHROME_END);
		break;
	default:
		op_chrome_sample(c, in, e);
	}
}

/* --- the file --- */

/* A list of events. In a bare one the end may be missing, and a comma may
 * stand before it: programs that are killed leave such. */
static void events_take(struct op_chrome *c, struct op_json_in *in, bool bare)
{
	bool first = true;

	op_json_take(in, '[', "expected an array of events");
	for (;;) {
		struct op_chrome_event e = { 0 };

		if (bare && !first && op_json_peek(in) == ',') {
			in->p++;
			first = true;
		}
		op_json_peek(in);
		if (bare && in->p == in->end)
			return;
		if (!op_json_more(in, ']', &first))
			return;
		event_take(in, &e);
		if (in->err->code)
			return;
		event_put(c, in, &e);
		if (op_unlikely(in->err->code))
			return;
	}
}

static void samples_take(struct op_chrome *c, struct op_json_in *in)
{
	bool first = true;

	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first)) {
		struct op_chrome_event e = { 0 };

		event_take(in, &e);
		if (in->err->code)
			return;
		if (e.ts < c->first_ns)
			c->first_ns = e.ts;
		op_chrome_sample(c, in, &e);
	}
}

static void other_data(struct op_chrome *c, struct op_json_in *in)
{
	bool first = true;

	if (!op_json_enter(in, '{'))
		return;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, OP_CHROME_BASE))
			c->base_ns = op_json_extract_scaled(in, 0);
		else
			op_json_skip(in);
	}
}

static void object_take(struct op_chrome *c, struct op_json_in *in)
{
	bool first = true, has_events = false;

	in->p++;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "traceEvents")) {
			events_take(c, in, false);
			has_events = true;
		} else if (op_json_is(key, "samples")) {
			samples_take(c, in);
		} else if (op_json_is(key, "stackFrames")) {
			op_chrome_stack_frames(c, in);
		} else if (op_json_is(key, "otherData")) {
			other_data(c, in);
		} else {
			op_json_skip(in);
		}
	}
	if (!has_events && !c->err->code)
		op_fail_at(c->err, OP_EFORMAT, 0, "no traceEvents");
}

void op_chrome_events(struct op_chrome *c)
{
	struct op_json_in in = op_json_start(c->in, c->err);
	int first = op_json_peek(&in);

	if (first == '{')
		object_take(c, &in);
	else if (first == '[')
		events_take(c, &in, true);
	else
		op_json_bad(&in, in.p, "expected an object or an array");
	if (!c->err->code)
		op_json_finish(&in);
}
