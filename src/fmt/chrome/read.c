// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/read.c: threads of a trace into the model.
 *
 * A process is a resource. Its slices are a profile, its samples another, what
 * V8 took a third: a time is in each at most once.
 */
#include "fmt/chrome/chrome_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/semconv.h"

/* --- places --- */

static void resource_make(struct op_chrome *c, struct op_chrome_process *p)
{
	struct op_resource head = { 0 };
	struct op_scope scope = { 0 };
	struct op_kv kv[2] = { 0 };
	uint32_t n = 0;

	if (p->pid.n) {
		kv[n].key = op_view_z("process.pid");
		kv[n].value.kind = OP_ANY_INT;
		if (!op_text_number(p->pid, &kv[n].value.num)) {
			kv[n].value.kind = OP_ANY_STRING;
			kv[n].value.bytes = p->pid;
		}
		n++;
	}
	if (p->name.n) {
		kv[n].key = op_view_z("process.title");
		kv[n].value.kind = OP_ANY_STRING;
		kv[n++].value.bytes = p->name;
	}
	head.attrs = p->told ? p->told->resource : (struct op_kvs){ kv, n };
	p->scope = op_build_scope(&c->b, op_build_resource(&c->b, &head, NULL),
				  &scope, NULL);
	p->made = true;
}

static uint32_t attr_of(struct op_chrome *c, struct op_view key,
			const struct op_any *v)
{
	return op_build_attr(&c->b, key, v, (struct op_view){ 0 }, NULL);
}

/* The attributes of a profile of another's trace. */
static uint32_t kind_attrs(struct op_chrome *c, enum op_chrome_kind kind)
{
	static const char *const names[] = { "slice", "sample", "v8" };
	struct op_any event = { .kind = OP_ANY_STRING };
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	uint32_t attrs[2];

	event.bytes = op_view_z(names[kind]);
	attrs[0] = attr_of(c, op_view_z(OP_ATTR_EVENT), &event);
	attrs[1] = attr_of(c, op_view_z(OP_ATTR_INTERVAL), &yes);
	return op_build_set(&c->b, attrs, 2);
}

static void profile_make(struct op_chrome *c, struct op_chrome_process *p,
			 enum op_chrome_kind kind)
{
	const struct op_metadata *told = p->told;
	struct op_view type = op_view_z("wall");
	struct op_view unit = op_view_z("nanoseconds");
	struct op_profile head = { 0 };

	if (!p->made)
		resource_make(c, p);
	if (told && kind == OP_CHROME_SLICES) {
		type = told->type;
		unit = told->unit;
		head.attrs = op_metadata_set(&c->b, told->attrs);
	} else {
		head.attrs = kind_attrs(c, kind);
	}
	head.sample_type.type = op_build_string(&c->b, type);
	head.sample_type.unit = op_build_string(&c->b, unit);
	p->profiles[kind] = (struct op_chrome_profile){
		.made = true,
		.is_timed = !told || kind != OP_CHROME_SLICES || told->is_timed,
		.id = op_build_profile(&c->b, p->scope, &head),
		.first = UINT64_MAX,
	};
}

static void thread_attrs(struct op_chrome *c, struct op_chrome_thread *t)
{
	struct op_any id = { .kind = OP_ANY_INT };
	struct op_any name = { .kind = OP_ANY_STRING, .bytes = t->name };
	uint32_t attrs[2], n = 0;

	t->has_set = true;
	if (t->is_told) {
		t->set = op_metadata_thread(&c->b, t->told);
		return;
	}
	if (op_text_number(t->tid, &id.num))
		attrs[n++] = attr_of(c, op_view_z(OP_ATTR_THREAD_ID), &id);
	else if (!name.bytes.n)
		name.bytes = t->tid;
	if (name.bytes.n)
		attrs[n++] = attr_of(c, op_view_z(OP_ATTR_THREAD_NAME), &name);
	t->set = op_build_set(&c->b, attrs, n);
}

/* --- observations --- */

/* Times before 0 do not exist: then all were moved. */
static uint64_t time_of(const struct op_chrome *c, int64_t ns)
{
	int64_t t = op_add_sat(ns, c->base_ns);

	return t < 0 ? 0 : (uint64_t)t;
}

void op_chrome_observe(struct op_chrome *c, enum op_chrome_kind kind,
		       const struct op_chrome_run *run)
{
	struct op_chrome_thread *t = &c->threads.p[run->thread];
	struct op_chrome_process *p = &c->processes.p[t->process];
	struct op_identity id = { .stack = run->stack };
	uint64_t from = time_of(c, run->from), to = time_of(c, run->to);
	struct op_chrome_profile *prof = &p->profiles[kind];
	int64_t value = (int64_t)(to - from);
	uint32_t sample;

	if (op_unlikely(!prof->made))
		profile_make(c, p, kind);
	if (op_unlikely(!t->has_set))
		thread_attrs(c, t);
	if (p->told && kind == OP_CHROME_SLICES)
		value = op_metadata_value(p->told, value);
	id.set = t->set;
	sample = op_build_sample(&c->b, prof->id, id);
	if (op_unlikely(!prof->is_timed)) {
		op_build_add(&c->b, prof->id, sample, value);
		return;
	}
	op_build_observe(&c->b, prof->id, sample, value, from);
	if (from < prof->first)
		prof->first = from;
	/* A profile's time has each of its timestamps. */
	if (to + (to == from) > prof->end)
		prof->end = to + (to == from);
}

static int sample_cmp(const void *a, const void *b)
{
	const struct op_chrome_sample *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void stack_frame_bad(struct op_chrome *c, uint32_t row)
{
	const uint8_t *at = c->stack_frames.rows.p[row].key.p;

	op_fail_at(c->err, OP_EFORMAT, (uint64_t)(at - c->in.p),
		   "a stack frame is its own ancestor");
}

/* Each lasts until the next one of its thread. */
static void samples(struct op_chrome *c, uint32_t thread)
{
	struct op_chrome_thread *t = &c->threads.p[thread];

	if (t->samples.n)
		qsort(t->samples.p, t->samples.n, sizeof(*t->samples.p),
		      sample_cmp);
	for (size_t i = 0; i < t->samples.n && !c->err->code; i++) {
		const struct op_chrome_sample *s = &t->samples.p[i];
		const struct op_chrome_sample *next = i + 1 < t->samples.n ?
							      s + 1 :
							      s;
		struct op_chrome_run run = { thread, 0, s->ts, next->ts };
		uint32_t node = s->node;

		if (s->row != OP_NO_ID)
			node = op_call_node(&c->stack_frames, s->row);
		if (node == OP_NO_ID) {
			stack_frame_bad(c, s->row);
			return;
		}
		run.stack = op_tree_stack(&c->tree, node);
		op_chrome_observe(c, OP_CHROME_SAMPLES, &run);
	}
}

struct v8_ctx {
	struct op_chrome *c;
	struct op_chrome_v8 *v;
};

/* A trace that begins in the middle of a profile has lost its start: then the
 * last sample is at the end. */
static void v8_start(struct op_chrome_v8 *c)
{
	struct op_v8 *v = &c->v8;

	if (v->has_start)
		return;
	v->start_ns = v->has_end ? v->end_ns : c->first_ns;
	for (size_t i = 0; v->has_end && i < v->deltas.n; i++)
		v->start_ns = op_add_sat(v->start_ns, -v->deltas.p[i]);
	v->has_end = false;
}

static void v8_sample(void *ctx, struct op_v8_sample s)
{
	struct v8_ctx *v = ctx;
	struct op_chrome_run run = { v->v->thread, 0, s.time_ns,
				     op_add_sat(s.time_ns, s.length_ns) };

	if (!s.node && !s.is_missing)
		return;
	run.stack = op_tree_stack(&v->v->v8.tree, s.node);
	op_chrome_observe(v->c, OP_CHROME_V8, &run);
}

/* --- notes --- */

static void put_count(struct op_buf *text, uint64_t n, const char *one,
		      const char *many)
{
	if (n)
		op_buf_printf(text, "%s%llu %s", text->n ? ", " : "",
			      (unsigned long long)n, n == 1 ? one : many);
}

static void tell(const struct op_read_opts *opts, struct op_buf *text,
		 const char *end)
{
	if (text->n && !text->err->code)
		op_note(opts, "%.*s%s", (int)text->n, (const char *)text->p,
			end);
	text->n = 0;
}

static void tell_skipped(const struct op_read_opts *opts, struct op_buf *text)
{
	if (text->n)
		op_note_skipped(opts, text->err, "%.*s skipped", (int)text->n,
				(const char *)text->p);
	text->n = 0;
}

static void notes(struct op_chrome *c, const struct op_read_opts *opts)
{
	const struct op_chrome_counts *n = &c->counts;
	struct op_buf text = { .err = c->err };

	put_count(&text, n->async, "async event", "async events");
	put_count(&text, n->instant, "instant event", "instant events");
	put_count(&text, n->counter, "counter event", "counter events");
	put_count(&text, n->flow, "flow event", "flow events");
	put_count(&text, n->object, "object event", "object events");
	put_count(&text, n->other, "other event", "other events");
	put_count(&text, n->no_time, "event without a timestamp",
		  "events without a timestamp");
	put_count(&text, n->lone_ends, "end without a begin",
		  "ends without a begin");
	tell_skipped(opts, &text);
	put_count(&text, n->open_ends, "slice without an end",
		  "slices without an end");
	tell(opts, &text, ": closed at the last event");
	put_count(&text, n->cut, "slice overlaps too many others",
		  "slices overlap too many others");
	tell(opts, &text, ": truncated");
	if (c->first_ns < 0)
		op_buf_printf(&text, "negative timestamps: all moved %lld ns",
			      -(long long)c->first_ns);
	tell(opts, &text, " later");
	op_buf_free(&text);
	op_tree_note(&c->tree, opts);
	for (size_t i = 0; i < c->v8.n; i++) {
		op_tree_note(&c->v8.p[i]->v8.tree, opts);
		op_v8_note(&c->v8.p[i]->v8, opts);
	}
}

/* --- the file --- */

static void heads(struct op_chrome *c)
{
	for (size_t i = 0; i < c->processes.n; i++) {
		for (int k = 0; k < OP_CHROME_NR_KINDS; k++) {
			struct op_chrome_profile *p =
				&c->processes.p[i].profiles[k];
			struct op_profile *head;

			if (!p->made || !p->is_timed)
				continue;
			head = op_build_profile_head(&c->b, p->id);
			head->time_ns = p->first;
			head->duration_ns = p->end - p->first;
		}
	}
}

static bool open_names_new(struct op_chrome *c)
{
	c->open_names = op_new_ids(&c->mem, c->frames.n);
	return c->open_names;
}

static void build(struct op_chrome *c)
{
	if (!open_names_new(c))
		return;
	if (c->first_ns < 0 && !c->base_ns)
		c->base_ns = -c->first_ns;
	for (uint32_t i = 0; i < c->threads.n && !c->err->code; i++) {
		op_chrome_slices(c, i);
		samples(c, i);
	}
	for (size_t i = 0; i < c->v8.n && !c->err->code; i++) {
		struct v8_ctx ctx = { c, c->v8.p[i] };

		v8_start(c->v8.p[i]);
		op_v8_emit(&c->v8.p[i]->v8, c->in.p, v8_sample, &ctx);
	}
	if (!c->err->code)
		heads(c);
}

int op_chrome_read(struct op_view in, const struct op_read_opts *opts,
		   op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_chrome c = { .in = in, .err = err, .mem.err = err };
	struct op_model m = { 0 };

	if (opts)
		m.mem.quota = c.mem.quota = opts->mem_quota;
	op_builder_init(&c.b, &m, err);
	op_tree_init(&c.tree, &c.b, &c.mem, op_chrome_location, &c);
	c.stack_frames.tree = &c.tree;
	if (!err->code)
		op_chrome_events(&c);
	if (!err->code)
		build(&c);
	if (!err->code)
		notes(&c, opts);
	op_builder_finish(&c.b);
	op_arena_free(&c.mem);
	m.normal = true;
	return op_model_deliver(&m, fn, ctx, err);
}
