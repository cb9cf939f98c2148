// SPDX-License-Identifier: Apache-2.0
/* live/live.c: events as they happen, made into models, window by window. */
#include "live/live.h"

#include "model/semconv.h"

#define ATTR_STACK_END "otprof.stack.end"

/* --- windows -------------------------------------------------------------- */

static void window_begin(struct op_live *l, uint64_t now_ns)
{
	l->model = (struct op_model){ 0 };
	op_builder_init(&l->b, &l->model, l->err);
	if (l->opts.is_aggregate)
		l->b.timed = OP_TIMED_SUMS;
	l->window++;
	l->from_ns = l->last_ns = now_ns;
	l->nr_events = 0;
	for (size_t i = 0; i < op_countof(l->frame_sets); i++)
		l->frame_sets[i] = OP_NO_ID;
}

int op_live_init(struct op_live *l, const struct op_live_opts *opts,
		 uint64_t now_ns, struct op_err *err)
{
	*l = (struct op_live){ .opts = *opts, .err = err, .mem.err = err };
	window_begin(l, now_ns);
	return err->code;
}

void op_live_fini(struct op_live *l)
{
	for (size_t i = 0; i < l->processes.n; i++)
		op_arena_free(&l->processes.p[i].mem);
	for (size_t i = 0; i < l->binaries.n; i++)
		op_arena_free(&l->binaries.p[i].mem);
	op_model_free(&l->model);
	op_arena_free(&l->mem);
}

/* --- rows that live on ---------------------------------------------------- */

static struct op_view copy(struct op_arena *mem, struct op_view v)
{
	uint8_t *p = op_arena_alloc(mem, v.n);

	if (!p)
		return (struct op_view){ 0 };
	if (v.n)
		memcpy(p, v.p, v.n);
	return op_view(p, v.n);
}

/* Attributes of a process are texts and numbers. */
static void copy_attrs(struct op_arena *mem, const struct op_kvs *from,
		       struct op_kvs *to)
{
	*to = (struct op_kvs){ op_new(mem, struct op_kv, from->n), 0 };
	for (uint32_t i = 0; to->p && i < from->n; i++) {
		struct op_kv kv = from->p[i];

		kv.key = copy(mem, kv.key);
		if (kv.value.kind == OP_ANY_STRING)
			kv.value.bytes = copy(mem, kv.value.bytes);
		to->p[to->n++] = kv;
	}
}

uint32_t op_live_process(struct op_live *l, const struct op_kvs *attrs)
{
	struct op_live_process_row row = { 0 };
	uint32_t id;

	if (l->err->code)
		return OP_NO_ID;
	if (l->free_processes.n) {
		id = l->free_processes.p[--l->free_processes.n];
		l->processes.p[id] = row;
	} else {
		id = (uint32_t)l->processes.n;
		if (!op_vec_push(&l->mem, &l->processes, row))
			return OP_NO_ID;
	}
	op_live_process_attrs(l, id, attrs);
	return id;
}

void op_live_process_attrs(struct op_live *l, uint32_t process,
			   const struct op_kvs *attrs)
{
	struct op_live_process_row *p;

	if (l->err->code)
		return;
	p = &l->processes.p[process];
	op_arena_tells(&p->mem, l->err);
	op_arena_reset(&p->mem);
	copy_attrs(&p->mem, attrs, &p->attrs);
	if (p->window == l->window)
		op_build_resource_head(
			&l->b, p->resource,
			&(struct op_resource){ .attrs = p->attrs });
}

/* Rows stay until the window ends, which may refer to them. */
void op_live_process_drop(struct op_live *l, uint32_t process)
{
	if (!l->err->code)
		l->processes.p[process].is_leaving = true;
}

uint32_t op_live_binary(struct op_live *l, const struct op_live_binary *b)
{
	struct op_live_binary_row row = { .b = *b }, *to;
	uint32_t id;

	if (l->err->code)
		return OP_NO_ID;
	if (l->free_binaries.n) {
		id = l->free_binaries.p[--l->free_binaries.n];
		l->binaries.p[id] = row;
	} else {
		id = (uint32_t)l->binaries.n;
		if (!op_vec_push(&l->mem, &l->binaries, row))
			return OP_NO_ID;
	}
	to = &l->binaries.p[id];
	op_arena_tells(&to->mem, l->err);
	to->b.name = copy(&to->mem, b->name);
	to->b.build_id = copy(&to->mem, b->build_id);
	to->b.htlhash = copy(&to->mem, b->htlhash);
	return id;
}

void op_live_binary_drop(struct op_live *l, uint32_t binary)
{
	if (!l->err->code)
		l->binaries.p[binary].is_leaving = true;
}

static void sweep(struct op_live *l)
{
	for (uint32_t i = 0; i < l->processes.n; i++) {
		struct op_live_process_row *p = &l->processes.p[i];

		if (p->is_leaving && !p->is_free &&
		    op_vec_push(&l->mem, &l->free_processes, i)) {
			op_arena_free(&p->mem);
			p->is_free = true;
		}
	}
	for (uint32_t i = 0; i < l->binaries.n; i++) {
		struct op_live_binary_row *b = &l->binaries.p[i];

		if (b->is_leaving && !b->is_free &&
		    op_vec_push(&l->mem, &l->free_binaries, i)) {
			op_arena_free(&b->mem);
			b->is_free = true;
		}
	}
}

/* --- rows of the window --------------------------------------------------- */

static void attr_add(struct op_live *l, const char *key, const struct op_any *v,
		     const char *unit)
{
	(void)op_vec_push(&l->mem, &l->attrs,
			  op_build_attr(&l->b, op_view_z(key), v,
					op_view_z(unit), NULL));
}

static void attr_text(struct op_live *l, const char *key, struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = text };

	if (text.n)
		attr_add(l, key, &v, "");
}

static void attr_int(struct op_live *l, const char *key, int64_t num)
{
	struct op_any v = { .kind = OP_ANY_INT, .num = num };

	attr_add(l, key, &v, "");
}

static void attr_ns(struct op_live *l, const char *key, uint64_t ns)
{
	struct op_any v = { .kind = OP_ANY_INT, .num = (int64_t)ns };

	attr_add(l, key, &v, "ns");
}

/* The set of what was added. */
static uint32_t attrs_end(struct op_live *l)
{
	uint32_t set = op_build_set(&l->b, l->attrs.p, (uint32_t)l->attrs.n);

	l->attrs.n = 0;
	return set;
}

static struct op_value_type value_type(struct op_live *l, const char *name,
				       const char *unit)
{
	return (struct op_value_type){
		op_build_string(&l->b, op_view_z(name ? name : "")),
		op_build_string(&l->b, op_view_z(unit ? unit : "")),
	};
}

/* The resource of a process and its scope. */
static void process_begin(struct op_live *l, struct op_live_process_row *p)
{
	struct op_resource resource = {
		.attrs = p->attrs,
		.schema_url = op_view_z(OP_SCHEMA_URL),
	};
	struct op_scope scope = {
		.name = op_view_z(l->opts.scope_name),
		.version = op_view_z(l->opts.scope_version),
	};

	p->resource = op_build_resource(&l->b, &resource, NULL);
	p->scope = op_build_scope(&l->b, p->resource, &scope, NULL);
	for (uint32_t i = 0; i < l->opts.nr_types; i++)
		p->profiles[i] = OP_NO_ID;
	p->window = l->window;
}

static uint32_t profile_of(struct op_live *l, struct op_live_process_row *p,
			   uint32_t type)
{
	const struct op_live_type *t = &l->opts.types[type];
	struct op_profile head = { .period = t->period };

	if (p->window != l->window)
		process_begin(l, p);
	if (p->profiles[type] == OP_NO_ID) {
		head.sample_type = value_type(l, t->name, t->unit);
		head.period_type = value_type(l, t->period_name,
					      t->period_unit);
		if (t->attr_key) {
			attr_text(l, t->attr_key, op_view_z(t->attr_text));
			head.attrs = attrs_end(l);
		}
		p->profiles[type] = op_build_profile(&l->b, p->scope, &head);
	}
	return p->profiles[type];
}

static uint32_t mapping_of(struct op_live *l, uint32_t binary)
{
	struct op_live_binary_row *row = &l->binaries.p[binary];
	struct op_mapping m = { .start = row->b.start,
				.limit = row->b.limit,
				.offset = row->b.offset };

	if (row->window == l->window)
		return row->mapping;
	m.filename = op_build_string(&l->b, row->b.name);
	attr_text(l, OP_ATTR_BUILD_ID_GNU, row->b.build_id);
	attr_text(l, OP_ATTR_BUILD_ID_HTLHASH, row->b.htlhash);
	m.attrs = attrs_end(l);
	row->mapping = op_build_mapping(&l->b, &m);
	row->window = l->window;
	return row->mapping;
}

static uint32_t frame_set(struct op_live *l, bool is_kernel)
{
	if (l->frame_sets[is_kernel] == OP_NO_ID) {
		attr_text(l, OP_ATTR_FRAME_TYPE,
			  op_view_z(is_kernel ? "kernel" : "native"));
		l->frame_sets[is_kernel] = attrs_end(l);
	}
	return l->frame_sets[is_kernel];
}

static uint32_t stack_of(struct op_live *l, const struct op_event *e)
{
	l->locations.n = 0;
	if (!op_vec_reserve(&l->mem, &l->locations, e->nr_frames))
		return 0;
	for (uint32_t i = 0; i < e->nr_frames; i++) {
		const struct op_live_frame *f = &e->frames[i];
		struct op_location row = {
			.address = f->address,
			.attrs = frame_set(l, f->is_kernel),
		};

		if (f->binary != OP_NO_ID)
			row.mapping = mapping_of(l, f->binary);
		l->locations.p[l->locations.n++] = op_build_location(
			&l->b, &row, NULL, 0);
	}
	return op_build_stack(&l->b, l->locations.p, e->nr_frames);
}

static void thread_attrs(struct op_live *l, const struct op_event *e)
{
	const struct op_event_thread *t = e->thread;
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };

	attr_int(l, OP_ATTR_THREAD_OS_ID, e->tid);
	attr_int(l, OP_ATTR_THREAD_TID, e->tid);
	attr_int(l, OP_ATTR_THREAD_PRIO, t->prio);
	attr_int(l, OP_ATTR_THREAD_OS_PRIO, t->os_prio);
	attr_ns(l, OP_ATTR_THREAD_CPU_TIME, t->cpu_ns);
	attr_ns(l, OP_ATTR_THREAD_ELAPSED, t->elapsed_ns);
	attr_text(l, OP_ATTR_THREAD_STATUS, op_view_z(t->status));
	if (e->quality)
		attr_add(l, OP_ATTR_THREAD_TRUNCATED, &yes, "");
}

static uint32_t set_of(struct op_live *l, const struct op_event *e)
{
	if (e->tid)
		attr_int(l, OP_ATTR_THREAD_ID,
			 e->thread ? e->thread->index : e->tid);
	if (e->thread)
		thread_attrs(l, e);
	attr_text(l, OP_ATTR_THREAD_NAME, e->thread_name);
	if (e->cpu != OP_NO_ID)
		attr_int(l, "cpu.logical_number", e->cpu);
	if (e->state)
		attr_text(l, OP_ATTR_THREAD_STATE, op_view_z(e->state));
	if (e->quality)
		attr_text(l, ATTR_STACK_END, op_view_z(e->quality));
	return attrs_end(l);
}

static uint32_t link_of(struct op_live *l, const struct op_event *e)
{
	struct op_link row = { .trace_len = sizeof(e->trace_id),
			       .span_len = sizeof(e->span_id) };

	if (!e->has_link)
		return 0;
	memcpy(row.trace_id, e->trace_id, sizeof(row.trace_id));
	memcpy(row.span_id, e->span_id, sizeof(row.span_id));
	return op_build_link(&l->b, &row);
}

void op_live_add(struct op_live *l, const struct op_event *e)
{
	struct op_identity id;
	uint32_t profile, sample;

	if (l->err->code)
		return;
	profile = profile_of(l, &l->processes.p[e->process], e->type);
	id = (struct op_identity){ stack_of(l, e), set_of(l, e),
				   link_of(l, e) };
	sample = op_build_sample(&l->b, profile, id);
	op_build_observe(&l->b, profile, sample, e->value, e->time_ns);
	l->nr_events++;
	if (e->time_ns < l->from_ns)
		l->from_ns = e->time_ns;
	if (e->time_ns > l->last_ns)
		l->last_ns = e->time_ns;
}

void op_live_profile_attr(struct op_live *l, uint32_t process, uint32_t type,
			  const char *key, int64_t value)
{
	const struct op_any v = { .kind = OP_ANY_INT, .num = value };
	const struct op_live_process_row *p;
	struct op_profile *head;
	uint32_t attr;

	if (l->err->code)
		return;
	p = &l->processes.p[process];
	if (p->window != l->window || p->profiles[type] == OP_NO_ID)
		return;
	attr = op_build_attr(&l->b, op_view_z(key), &v, op_view_z(""), NULL);
	head = op_build_profile_head(&l->b, p->profiles[type]);
	head->attrs = op_build_set_with(&l->b, head->attrs, attr);
}

/* When the window was. An event may have happened before it began, and have
 * been seen after: times of events have to be within. */
static void profiles_end(struct op_live *l, uint64_t now_ns)
{
	uint64_t end = now_ns > l->last_ns ? now_ns : l->last_ns + 1;

	for (size_t i = 0; i < l->processes.n; i++) {
		struct op_live_process_row *p = &l->processes.p[i];

		if (p->window != l->window)
			continue;
		for (uint32_t t = 0; t < l->opts.nr_types; t++) {
			struct op_profile *head;

			if (p->profiles[t] == OP_NO_ID)
				continue;
			head = op_build_profile_head(&l->b, p->profiles[t]);
			head->time_ns = l->from_ns;
			head->duration_ns = end - l->from_ns;
		}
	}
}

int op_live_take(struct op_live *l, uint64_t now_ns, struct op_model *out)
{
	*out = (struct op_model){ 0 };
	if (l->err->code)
		return l->err->code;
	profiles_end(l, now_ns);
	if (!op_builder_finish(&l->b)) {
		*out = l->model;
		l->model = (struct op_model){ 0 };
		sweep(l);
		window_begin(l, now_ns);
	}
	if (l->err->code)
		op_model_free(out);
	return l->err->code;
}
