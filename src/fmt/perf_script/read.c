// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/read.c: the text that perf script prints.
 *
 * As with other readers of it, a line that is neither of those that are known
 * is passed over; how many there were is told. */
#include <stdio.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "fmt/format.h"
#include "fmt/native.h"
#include "fmt/perf_script/line.h"
#include "model/builder.h"
#include "model/semconv.h"

struct event {
	struct op_view name;
	uint32_t profile, weights; /* OP_NO_ID: none */
	uint64_t first_period;
	bool is_timed, is_wanted;
};

/* A text that became a row. */
struct text {
	struct op_view v;
	uint32_t id;
};

struct texts {
	struct op_intern index;
	OP_VEC(struct text) rows;
};

struct script {
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem;
	const struct op_read_opts *opts;
	const char *thread;
	uint32_t scope;
	OP_VEC(struct event) events;
	struct texts frames, threads;

	bool in_sample;
	struct op_script_head head;
	struct op_id_vec stack;
	OP_VEC(struct op_line) lines; /* of calls that are inlined */
	uint64_t first_ns, last_ns;
	uint64_t nr_samples, nr_skipped;
};

static void nomem(struct script *s)
{
	op_fail(s->err, OP_ENOMEM, "no memory for a text of perf script");
}

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	return op_view_eq(((const struct text *)table)[id].v,
			  *(const struct op_view *)key);
}

static uint32_t text_find(const struct texts *t, struct op_view v,
			  uint32_t *hash)
{
	uint32_t id;

	*hash = op_hash32(v.p, v.n);
	id = op_intern_find(&t->index, *hash, text_eq, t->rows.p, &v);
	return id == OP_NO_ID ? OP_NO_ID : t->rows.p[id].id;
}

static void text_add(struct script *s, struct texts *t, struct op_view v,
		     uint32_t hash, uint32_t id)
{
	struct text row = { v, id };

	if (!op_vec_push(&s->mem, &t->rows, row) ||
	    !op_intern_add(&t->index, &s->mem, hash, (uint32_t)t->rows.n - 1))
		nomem(s);
}

/* --- frames --- */

static uint32_t attr(struct script *s, const char *key, const struct op_any *v)
{
	return op_build_attr(&s->b, op_view_z(key), v, (struct op_view){ 0 },
			     NULL);
}

static uint32_t text_attr(struct script *s, const char *key, struct op_view v)
{
	struct op_any any = { .kind = OP_ANY_STRING, .bytes = v };

	return attr(s, key, &any);
}

static uint32_t int_attr(struct script *s, const char *key, int64_t num)
{
	struct op_any any = { .kind = OP_ANY_INT, .num = num };

	return attr(s, key, &any);
}

static void call_add(struct script *s, const struct op_script_frame *f,
		     struct op_view file, int64_t nr)
{
	struct op_function function = { .name = op_build_string(&s->b,
								f->symbol) };
	struct op_line line = { .line = nr };

	if (!f->symbol.n)
		return;
	function.filename = op_build_string(&s->b, file);
	line.function = op_build_function(&s->b, &function);
	if (!op_vec_push(&s->mem, &s->lines, line))
		nomem(s);
}

static uint32_t location_make(struct script *s, const struct op_script_frame *f)
{
	struct op_location row = { .address = f->address };
	struct op_mapping mapping = { 0 };
	bool in_kernel = f->address >= (uint64_t)1 << 63 ||
			 op_is_kernel_file(f->file);

	row.attrs = op_native_frame_set(&s->b, in_kernel);
	if (f->file.n) {
		mapping.filename = op_build_string(&s->b, f->file);
		row.mapping = op_build_mapping(&s->b, &mapping);
	}
	return op_build_location(&s->b, &row, s->lines.p, (uint32_t)s->lines.n);
}

/* The source line of a frame stands on the next line of the text. */
static struct op_view with_source(struct op_view in, size_t *at,
				  struct op_view line, struct op_view *file,
				  int64_t *nr)
{
	struct op_script_frame ignored;
	struct op_view next;
	size_t then = *at;

	if (!op_script_next(in, &then, &next) || !next.n ||
	    op_script_frame(next, &ignored) ||
	    !op_script_source(next, file, nr))
		return line;
	*at = then;
	return op_view(line.p, (size_t)(next.p + next.n - line.p));
}

static void frame_add(struct script *s, const struct op_script_frame *f,
		      struct op_view text, struct op_view file, int64_t nr)
{
	uint32_t hash = 0, id = OP_NO_ID;
	/* What is inlined makes a frame another than its text says. */
	bool is_plain = !s->lines.n && !f->is_inlined;

	if (is_plain)
		id = text_find(&s->frames, text, &hash);
	if (id == OP_NO_ID) {
		call_add(s, f, file, nr);
		if (f->is_inlined)
			return;
		id = location_make(s, f);
		s->lines.n = 0;
		if (is_plain)
			text_add(s, &s->frames, text, hash, id);
	}
	if (!op_vec_push(&s->mem, &s->stack, id))
		nomem(s);
}

/* --- samples --- */

static bool in_list(const char *list, struct op_view word)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (op_view_eq(op_view(list, n), word))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static bool is_wanted(const struct script *s, struct op_view name)
{
	static const char option[] = "event=";
	const char *const *set = s->opts ? s->opts->settings : NULL;
	bool any = false;

	for (; set && *set; set++) {
		if (strncmp(*set, option, sizeof(option) - 1))
			continue;
		any = true;
		if (in_list(*set + sizeof(option) - 1, name))
			return true;
	}
	return !any;
}

static uint32_t event_of(struct script *s, const struct op_script_head *h)
{
	struct event row = { .name = h->event,
			     .profile = OP_NO_ID,
			     .weights = OP_NO_ID,
			     .is_timed = h->has_time,
			     .is_wanted = is_wanted(s, h->event) };

	for (uint32_t i = 0; i < s->events.n; i++)
		if (op_view_eq(s->events.p[i].name, h->event) &&
		    s->events.p[i].is_timed == h->has_time)
			return i;
	if (s->events.n == 4096)
		op_fail(s->err, OP_ELIMIT, "more than 4096 events");
	else if (!op_vec_push(&s->mem, &s->events, row))
		nomem(s);
	return (uint32_t)s->events.n - 1;
}

static bool is_clock(struct op_view name)
{
	static const char *const names[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < op_countof(names); i++) {
		size_t n = strlen(names[i]);

		if (name.n >= n && !memcmp(name.p, names[i], n) &&
		    (name.n == n || name.p[n] == ':'))
			return true;
	}
	return false;
}

static struct op_value_type type_of(struct script *s, struct op_view type,
				    const char *unit)
{
	return (struct op_value_type){
		op_build_string(&s->b, type),
		op_build_string(&s->b, op_view_z(unit)),
	};
}

static struct op_value_type period_type(struct script *s, const struct event *e)
{
	if (is_clock(e->name))
		return type_of(s, op_view_z("cpu"), "nanoseconds");
	return type_of(s, e->name.n ? e->name : op_view_z("events"), "count");
}

static uint32_t event_attrs(struct script *s, const struct event *e)
{
	uint32_t ids[2], n = 0;

	if (e->name.n)
		ids[n++] = text_attr(s, OP_ATTR_EVENT, e->name);
	if (e->is_timed)
		ids[n++] = text_attr(s, OP_ATTR_CLOCK, op_view_z("boot"));
	return op_build_set(&s->b, ids, n);
}

static void profile_begin(struct script *s, struct event *e,
			  const struct op_script_head *h)
{
	struct op_profile head = {
		.sample_type = type_of(s, op_view_z("samples"), "count"),
		.attrs = event_attrs(s, e),
	};

	if (h->has_period)
		head.period_type = period_type(s, e);
	e->profile = op_build_profile(&s->b, s->scope, &head);
	e->first_period = h->period;
}

/* As in recordings: periods that differ become values. */
static void weights_begin(struct script *s, struct event *e)
{
	struct op_profile head = { .sample_type = period_type(s, e),
				   .attrs = event_attrs(s, e) };

	e->weights = op_build_profile_like(&s->b, e->profile, &head);
	op_build_fill_like(&s->b, e->weights, (int64_t)e->first_period);
}

static uint32_t thread_set(struct script *s, const struct op_script_head *h)
{
	uint32_t hash, ids[4], n = 0, set;

	set = text_find(&s->threads, h->who, &hash);
	if (set != OP_NO_ID)
		return set;
	ids[n++] = int_attr(s, OP_ATTR_THREAD_ID, h->tid);
	if (h->comm.n)
		ids[n++] = text_attr(s, OP_ATTR_THREAD_NAME, h->comm);
	if (h->pid >= 0)
		ids[n++] = int_attr(s, "process.pid", h->pid);
	if (h->cpu >= 0)
		ids[n++] = int_attr(s, "cpu.logical_number", h->cpu);
	set = op_build_set(&s->b, ids, n);
	text_add(s, &s->threads, h->who, hash, set);
	return set;
}

static void observe(struct script *s, struct event *e,
		    const struct op_script_head *h, uint32_t sample)
{
	if (h->period != e->first_period && e->weights == OP_NO_ID)
		weights_begin(s, e);
	if (!h->has_time) {
		op_build_add(&s->b, e->profile, sample, 1);
		if (e->weights != OP_NO_ID)
			op_build_add(&s->b, e->weights, sample,
				     (int64_t)h->period);
		return;
	}
	op_build_observe(&s->b, e->profile, sample, 1, h->time_ns);
	if (e->weights != OP_NO_ID)
		op_build_observe_like(&s->b, e->weights, (int64_t)h->period);
	if (h->time_ns < s->first_ns)
		s->first_ns = h->time_ns;
	if (h->time_ns > s->last_ns)
		s->last_ns = h->time_ns;
}

static void sample_end(struct script *s)
{
	struct op_identity id = { 0 };
	struct event *e;
	uint32_t ix, sample;

	if (!s->in_sample || s->err->code)
		return;
	s->in_sample = false;
	ix = event_of(s, &s->head);
	if (s->err->code)
		return;
	e = &s->events.p[ix];
	if (e->profile == OP_NO_ID)
		profile_begin(s, e, &s->head);
	id.stack = op_build_stack(&s->b, s->stack.p, (uint32_t)s->stack.n);
	id.set = thread_set(s, &s->head);
	sample = op_build_sample(&s->b, e->profile, id);
	observe(s, e, &s->head, sample);
}

static bool holds(struct op_view v, const char *part)
{
	size_t n = strlen(part);

	return !n || !v.n || (v.n >= n && memmem(v.p, v.n, part, n));
}

/* Frames of what is not wanted are passed over too. */
static void sample_begin(struct script *s, const struct op_script_head *h)
{
	struct op_script_frame f;
	uint32_t ix = event_of(s, h);

	s->stack.n = s->lines.n = 0;
	s->nr_samples++;
	if (s->err->code)
		return;
	s->head = *h;
	s->in_sample = s->events.p[ix].is_wanted &&
		       (!s->thread || holds(h->comm, s->thread));
	/* Without callers the frame stands on the line itself. */
	if (s->in_sample && h->more.n && op_script_frame(h->more, &f) &&
	    (f.file.n || f.symbol.n))
		frame_add(s, &f, h->more, (struct op_view){ 0 }, 0);
}

static bool is_comment(struct op_view line)
{
	return line.n && line.p[0] == '#';
}

static bool begins_blank(struct op_view line)
{
	return line.n && (line.p[0] == ' ' || line.p[0] == '\t');
}

/* A record that was asked for with --show-mmap-events and the like. */
static bool is_record(const struct op_script_head *h)
{
	static const char start[] = "PERF_RECORD_";
	size_t n = sizeof(start) - 1;

	return (h->event.n > n && !memcmp(h->event.p, start, n)) ||
	       (h->more.n > n && !memcmp(h->more.p, start, n));
}

static void line_read(struct script *s, struct op_view in, size_t *at,
		      struct op_view line, bool *in_text)
{
	struct op_script_frame f;
	struct op_script_head h;
	struct op_view file = { 0 };
	int64_t nr = 0;

	if (!op_script_trim(line).n) {
		sample_end(s);
		*in_text = false;
	} else if (*in_text && begins_blank(line) &&
		   op_script_frame(line, &f)) {
		line = with_source(in, at, line, &file, &nr);
		if (s->in_sample)
			frame_add(s, &f, line, file, nr);
	} else if (is_comment(line)) {
		return;
	} else if (op_script_head(line, &h)) {
		sample_end(s);
		if (is_record(&h))
			return;
		sample_begin(s, &h);
		/* A line with its own frame has no others. */
		*in_text = !s->stack.n;
	} else {
		s->nr_skipped++;
	}
}

/* Fails if --event names one that never came. */
static void asked_check(struct script *s)
{
	static const char option[] = "event=";
	const char *const *set = s->opts ? s->opts->settings : NULL;

	for (; set && *set; set++) {
		const char *list = *set + sizeof(option) - 1;

		if (strncmp(*set, option, sizeof(option) - 1))
			continue;
		while (*list) {
			size_t n = strcspn(list, ","), i = 0;

			while (i < s->events.n &&
			       !op_view_eq(s->events.p[i].name,
					   op_view(list, n)))
				i++;
			if (n && i == s->events.n)
				op_fail(s->err, OP_EUSAGE,
					"--event %.*s: the text has no such "
					"event",
					(int)(n < 60 ? n : 60), list);
			list += n + (list[n] == ',');
		}
	}
}

static void heads_end(struct script *s)
{
	for (size_t i = 0; i < s->events.n; i++) {
		const struct event *e = &s->events.p[i];
		const uint32_t ids[] = { e->profile, e->weights };

		for (size_t k = 0; k < op_countof(ids); k++) {
			struct op_profile *p;

			if (ids[k] == OP_NO_ID)
				continue;
			p = op_build_profile_head(&s->b, ids[k]);
			if (p->period_type.type && e->weights == OP_NO_ID)
				p->period = (int64_t)e->first_period;
			if (!e->is_timed)
				continue;
			p->time_ns = s->first_ns;
			/* An observation lies before the end. */
			p->duration_ns = s->last_ns - s->first_ns + 1;
		}
	}
}

static void text_read(struct script *s, struct op_view in)
{
	static const struct op_resource no_resource;
	struct op_scope scope = { .name = op_view_z("perf") };
	struct op_view line;
	bool in_text = false;
	size_t at = 0;

	s->scope = op_build_scope(&s->b,
				  op_build_resource(&s->b, &no_resource, NULL),
				  &scope, NULL);
	while (!s->err->code && op_script_next(in, &at, &line))
		line_read(s, in, &at, line, &in_text);
	sample_end(s);
	if (!s->nr_samples && !s->err->code)
		op_fail_at(s->err, OP_EFORMAT, 0,
			   "no sample as perf script prints them");
	if (!s->err->code)
		asked_check(s);
	heads_end(s);
}

static int script_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };
	struct script s = {
		.err = err,
		.opts = opts,
		.thread = op_setting(opts ? opts->settings : NULL, "thread"),
		.first_ns = UINT64_MAX,
	};

	op_builder_init(&s.b, &m, err);
	text_read(&s, in);
	if (s.nr_skipped)
		op_note_skipped(opts, err, "%llu unknown lines skipped",
				(unsigned long long)s.nr_skipped);
	op_arena_free(&s.mem);
	if (op_builder_finish(&s.b)) {
		op_model_free(&m);
		return err->code;
	}
	return fn(ctx, &m, err);
}

/* The first lines: a head that has a time or an event, and then a frame, or
 * the end of the sample. */
static int script_sniff(struct op_view in)
{
	enum { ENOUGH = 60 };
	struct op_script_head h;
	struct op_script_frame f;
	struct op_view line;
	size_t at = 0;
	int nr = 0;

	while (nr++ < ENOUGH && op_script_next(in, &at, &line)) {
		if (!op_script_trim(line).n || is_comment(line))
			continue;
		if (!op_script_head(line, &h) ||
		    (!h.has_time && !h.event.n && !h.comm.n))
			return 0;
		if (is_record(&h))
			continue;
		if (h.has_time && h.event.n)
			return 80;
		return op_script_next(in, &at, &line) && begins_blank(line) &&
				       op_script_frame(line, &f) ?
			       70 :
			       0;
	}
	return 0;
}

static const struct op_format_opt script_opts[] = {
	{ "event", "NAME,...",
	  "jfr, perf, simpleperf, firefox: only these events", false },
	{ "thread", "TEXT",
	  "jfr, perf, simpleperf, firefox: only threads whose name holds this",
	  false },
	{ 0 },
};

const struct op_format op_format_perf_script = {
	.name = "perf-script",
	.summary = "what perf script prints, text",
	.endings = { ".perf" },
	.copies = true,
	.opts = script_opts,
	.sniff = script_sniff,
	.read = script_read,
};
