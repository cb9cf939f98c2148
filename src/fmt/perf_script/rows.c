// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/rows.c: frames, threads and events as rows of the model. */
#include "base/hash.h"
#include "fmt/native.h"
#include "fmt/perf_script/perf_script_int.h"
#include "model/semconv.h"

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	return op_view_eq(((const struct op_script_text *)table)[id].v,
			  *(const struct op_view *)key);
}

static uint32_t text_find(const struct op_script_texts *t, struct op_view v,
			  uint32_t *hash)
{
	uint32_t id;

	*hash = op_hash32(v.p, v.n);
	id = op_intern_find(&t->index, *hash, text_eq, t->rows.p, &v);
	return id == OP_NO_ID ? OP_NO_ID : t->rows.p[id].id;
}

static void text_add(struct op_script *s, struct op_script_texts *t,
		     struct op_view v, uint32_t hash, uint32_t id)
{
	struct op_script_text row = { v, id };

	if (op_vec_push(&s->mem, &t->rows, row))
		op_intern_add(&t->index, &s->mem, hash,
			      (uint32_t)t->rows.n - 1);
}

/* --- frames --- */

static uint32_t attr(struct op_script *s, const char *key,
		     const struct op_any *v)
{
	return op_build_attr(&s->b, op_view_z(key), v, (struct op_view){ 0 },
			     NULL);
}

static uint32_t text_attr(struct op_script *s, const char *key,
			  struct op_view v)
{
	struct op_any any = { .kind = OP_ANY_STRING, .bytes = v };

	return attr(s, key, &any);
}

static uint32_t int_attr(struct op_script *s, const char *key, int64_t num)
{
	struct op_any any = { .kind = OP_ANY_INT, .num = num };

	return attr(s, key, &any);
}

static void call_add(struct op_script *s, const struct op_script_frame *f,
		     struct op_view file, int64_t nr)
{
	struct op_function function = { .name = op_build_string(&s->b,
								f->symbol) };
	struct op_line line = { .line = nr };

	if (!f->symbol.n)
		return;
	function.filename = op_build_string(&s->b, file);
	line.function = op_build_function(&s->b, &function);
	(void)op_vec_push(&s->mem, &s->lines, line);
}

static uint32_t location_make(struct op_script *s,
			      const struct op_script_frame *f)
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

void op_script_frame_add(struct op_script *s, const struct op_script_frame *f,
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
	(void)op_vec_push(&s->mem, &s->stack, id);
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

static bool is_wanted(const struct op_script *s, struct op_view name)
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

static uint32_t event_of(struct op_script *s, const struct op_script_head *h)
{
	struct op_script_event row = { .name = h->event,
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
	else
		(void)op_vec_push(&s->mem, &s->events, row);
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

static struct op_value_type type_of(struct op_script *s, struct op_view type,
				    const char *unit)
{
	return (struct op_value_type){
		op_build_string(&s->b, type),
		op_build_string(&s->b, op_view_z(unit)),
	};
}

static struct op_value_type period_type(struct op_script *s,
					const struct op_script_event *e)
{
	if (is_clock(e->name))
		return type_of(s, op_view_z("cpu"), "nanoseconds");
	return type_of(s, e->name.n ? e->name : op_view_z("events"), "count");
}

static uint32_t event_attrs(struct op_script *s,
			    const struct op_script_event *e)
{
	uint32_t ids[2], n = 0;

	if (e->name.n)
		ids[n++] = text_attr(s, OP_ATTR_EVENT, e->name);
	if (e->is_timed)
		ids[n++] = text_attr(s, OP_ATTR_CLOCK, op_view_z("boot"));
	return op_build_set(&s->b, ids, n);
}

static void profile_begin(struct op_script *s, struct op_script_event *e,
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
static void weights_begin(struct op_script *s, struct op_script_event *e)
{
	struct op_profile head = { .sample_type = period_type(s, e),
				   .attrs = event_attrs(s, e) };

	e->weights = op_build_profile_like(&s->b, e->profile, &head);
	op_build_fill_like(&s->b, e->weights, (int64_t)e->first_period);
}

static uint32_t thread_set(struct op_script *s, const struct op_script_head *h)
{
	uint32_t hash, ids[4], n = 0, set;

	set = text_find(&s->threads, h->who, &hash);
	if (set != OP_NO_ID)
		return set;
	if (h->has_ids)
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

static void observe(struct op_script *s, struct op_script_event *e,
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

void op_script_sample_begin(struct op_script *s, const struct op_script_head *h)
{
	uint32_t ix = event_of(s, h);

	s->stack.n = s->lines.n = 0;
	s->has_own_frame = s->in_sample = false;
	s->nr_samples++;
	if (s->err->code)
		return;
	s->head = *h;
	s->in_sample = s->events.p[ix].is_wanted;
}

void op_script_sample_end(struct op_script *s)
{
	struct op_identity id = { 0 };
	struct op_script_event *e;
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

void op_script_profiles_end(struct op_script *s)
{
	for (size_t i = 0; i < s->events.n; i++) {
		const struct op_script_event *e = &s->events.p[i];
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
