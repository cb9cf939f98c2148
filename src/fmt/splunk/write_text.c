// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/write_text.c: a record for each observation, its body a call
 * stack. Lines are made once for each location and each set of attributes. */
#include "fmt/splunk/write_int.h"

#include "model/semconv.h"

static struct op_view kept(struct op_splunk_writer *w, struct op_buf *buf)
{
	uint8_t *p = op_arena_alloc(&w->lines_mem, buf->n);
	struct op_view out = { 0 };

	if (!w->err->code)
		out = op_view(memcpy(p, buf->p ? buf->p : p, buf->n), buf->n);
	op_buf_free(buf);
	return out;
}

/* --- frames --- */

static void line_put(struct op_splunk_writer *w, struct op_buf *out,
		     const struct op_splunk_frame *f)
{
	if (!op_splunk_frame_write(f, w->frames, out))
		w->lost |= OP_SPLUNK_LOSS_NAME;
	op_buf_byte(out, '\n');
}

static void call_put(struct op_splunk_writer *w, struct op_buf *out,
		     const struct op_line *line)
{
	const struct op_function *fn = &w->m->dict.functions[line->function];
	struct op_splunk_frame f = {
		.function = op_string(w->m, fn->name),
		.file = op_string(w->m, fn->filename),
		.line = line->line,
		.column = line->column,
	};

	if (fn->system_name || fn->start_line)
		w->lost |= OP_SPLUNK_LOSS_FUNCTION;
	if (!f.function.n)
		f.function = op_string(w->m, fn->system_name);
	if (!f.function.n)
		f.function = op_view_z(OP_SPLUNK_UNKNOWN);
	if (w->frames == OP_SPLUNK_2021 && !op_splunk_scope_split(&f))
		w->lost |= OP_SPLUNK_LOSS_NAME;
	line_put(w, out, &f);
}

/* A frame without a name is called by its address, in its binary. */
static void address_put(struct op_splunk_writer *w, struct op_buf *out,
			const struct op_location *l)
{
	const struct op_mapping *mapping = &w->m->dict.mappings[l->mapping];
	struct op_buf name = { .err = w->err };
	struct op_splunk_frame f = {
		.function = op_view_z(OP_SPLUNK_UNKNOWN),
		.file = op_string(w->m, mapping->filename),
		.is_address = true,
	};

	if (l->address) {
		op_buf_printf(&name, "0x%llx", (unsigned long long)l->address);
		f.function = op_view(name.p, name.n);
	}
	line_put(w, out, &f);
	op_buf_free(&name);
}

static struct op_view frame_lines(struct op_splunk_writer *w, uint32_t id)
{
	const struct op_location *l = &w->m->dict.locations[id];
	struct op_buf out = { .err = w->err };

	if (w->frame_lines[id].p)
		return w->frame_lines[id];
	if (l->address || l->mapping || l->attrs)
		w->lost |= OP_SPLUNK_LOSS_ADDRESS;
	if (l->nr_lines > 1)
		w->lost |= OP_SPLUNK_LOSS_INLINED;
	for (uint32_t i = 0; i < l->nr_lines; i++)
		call_put(w, &out, &w->m->dict.lines[l->first_line + i]);
	if (!l->nr_lines)
		address_put(w, &out, l);
	return w->frame_lines[id] = kept(w, &out);
}

/* --- the thread --- */

static bool text_field(const struct op_splunk_writer *w,
		       const struct op_attr *a, const char *key,
		       struct op_view *out)
{
	if (!op_view_is(op_string(w->m, a->key), key) || a->unit ||
	    !op_any_text(w->m, &a->value).n)
		return false;
	*out = op_any_text(w->m, &a->value);
	return true;
}

static bool int_field(const struct op_splunk_writer *w, const struct op_attr *a,
		      const char *key, const char *unit, int64_t *out)
{
	if (!op_view_is(op_string(w->m, a->key), key) ||
	    !op_view_is(op_string(w->m, a->unit), unit) ||
	    a->value.kind != OP_ANY_INT || !a->value.num)
		return false;
	*out = a->value.num;
	return true;
}

static bool flag_field(const struct op_splunk_writer *w,
		       const struct op_attr *a, const char *key, bool *out)
{
	if (!op_view_is(op_string(w->m, a->key), key) || a->unit ||
	    a->value.kind != OP_ANY_BOOL || !a->value.flag)
		return false;
	return *out = true;
}

/* Takes an attribute that the lines before the frames have a place for. */
static bool thread_field(const struct op_splunk_writer *w,
			 const struct op_attr *a, struct op_splunk_thread *t,
			 struct op_view *state)
{
	return text_field(w, a, OP_ATTR_THREAD_NAME, &t->name) ||
	       text_field(w, a, OP_ATTR_THREAD_STATE, state) ||
	       text_field(w, a, SPLUNK_STATUS, &t->status) ||
	       int_field(w, a, OP_ATTR_THREAD_ID, "", &t->id) ||
	       int_field(w, a, SPLUNK_PRIO, "", &t->prio) ||
	       int_field(w, a, SPLUNK_OS_PRIO, "", &t->os_prio) ||
	       int_field(w, a, SPLUNK_OS_ID, "", (int64_t *)&t->nid) ||
	       int_field(w, a, SPLUNK_TID, "", (int64_t *)&t->tid) ||
	       int_field(w, a, SPLUNK_CPU_TIME, SPLUNK_NS,
			 (int64_t *)&t->cpu_ns) ||
	       int_field(w, a, SPLUNK_ELAPSED, SPLUNK_NS,
			 (int64_t *)&t->elapsed_ns) ||
	       flag_field(w, a, SPLUNK_DAEMON, &t->is_daemon);
}

/* The others are attributes of the record. */
static void set_split(struct op_splunk_writer *w, uint32_t set,
		      struct op_splunk_thread *t, struct op_view *state)
{
	struct op_ids ids = op_list(&w->m->dict.sets, set);
	struct op_kvs *rest = &w->set_attrs[set];

	rest->p = op_new(&w->lines_mem, struct op_kv, ids.n);
	if (!rest->p)
		return;
	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &w->m->dict.attrs[ids.p[i]];
		struct op_view key = op_string(w->m, a->key);

		if (thread_field(w, a, t, state))
			continue;
		if (op_splunk_is_reserved(key)) {
			w->lost |= OP_SPLUNK_LOSS_KEY;
			continue;
		}
		if (a->unit)
			w->lost |= OP_SPLUNK_LOSS_UNIT;
		rest->p[rest->n++] = (struct op_kv){ .key = key,
						     .value = a->value };
	}
}

static struct op_view thread_lines(struct op_splunk_writer *w, uint32_t set)
{
	struct op_splunk_thread t = { 0 };
	struct op_buf out = { .err = w->err };
	struct op_view state = { 0 };

	if (w->thread_lines[set].p)
		return w->thread_lines[set];
	set_split(w, set, &t, &state);
	if (!op_splunk_thread_write(&t, &out))
		w->lost |= OP_SPLUNK_LOSS_NAME;
	op_buf_byte(&out, '\n');
	if (!op_splunk_state_write(state, &out))
		w->lost |= OP_SPLUNK_LOSS_NAME;
	op_buf_byte(&out, '\n');
	return w->thread_lines[set] = kept(w, &out);
}

/* --- records --- */

static uint8_t *put(uint8_t *p, struct op_view v)
{
	if (v.n)
		memcpy(p, v.p, v.n);
	return p + v.n;
}

static struct op_view body_of(struct op_splunk_writer *w, uint32_t stack,
			      uint32_t set)
{
	struct op_ids frames = op_list(&w->m->dict.stacks, stack);
	struct op_view head = thread_lines(w, set);
	size_t n = head.n;
	uint8_t *body, *p;

	for (uint32_t i = 0; i < frames.n && !w->err->code; i++)
		n += frame_lines(w, frames.p[i]).n;
	if (w->err->code)
		return (struct op_view){ 0 };
	p = body = op_arena_alloc(&w->mem, n);
	if (!body)
		return (struct op_view){ 0 };
	p = put(p, head);
	for (uint32_t i = 0; i < frames.n; i++)
		p = put(p, w->frame_lines[frames.p[i]]);
	return op_view(body, n);
}

static void value_add(struct op_splunk_writer *w, struct op_splunk_new *rec,
		      int64_t value)
{
	if (w->data == OP_SPLUNK_DATA_ALLOCATION) {
		rec->more[rec->nr_more++] = op_splunk_kv_int(SPLUNK_ALLOCATED,
							     value);
		return;
	}
	if (value == 1)
		return;
	w->told |= OP_SPLUNK_TOLD_VALUE;
	rec->more[rec->nr_more++] = op_splunk_kv_int(SPLUNK_VALUE, value);
}

/* The observation at a time, or without one, which then is in the time of the
 * profile. */
static void observation_write(struct op_splunk_writer *w, uint32_t i,
			      int64_t value, uint64_t time_ns)
{
	const struct op_profile *p = w->walk.profile;
	struct op_splunk_new rec = {
		.time_ns = time_ns ? time_ns : p->time_ns,
		.link = p->link[i],
		.body = body_of(w, p->stack[i], p->set[i]),
		.attrs = w->set_attrs[p->set[i]],
	};

	if (!time_ns)
		rec.more[rec.nr_more++] = op_splunk_kv_bool(SPLUNK_UNTIMED,
							    true);
	value_add(w, &rec, value);
	if (!w->err->code)
		op_splunk_record_add(w, &rec);
}

static bool lines_init(struct op_splunk_writer *w)
{
	const struct op_dict *d = &w->m->dict;
	struct op_arena *mem = &w->lines_mem;

	if (w->frame_lines)
		return true;
	w->frame_lines = op_new(mem, struct op_view, d->nr[OP_LOCATIONS]);
	w->thread_lines = op_new(mem, struct op_view, d->sets.nr);
	w->set_attrs = op_new(mem, struct op_kvs, d->sets.nr);
	return !w->err->code;
}

void op_splunk_text_write(struct op_splunk_writer *w)
{
	const struct op_profile *p = w->walk.profile;

	if (!lines_init(w))
		return;
	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++) {
		struct op_values v = op_sample_values(p, i);
		struct op_times t = op_sample_times(p, i);

		if (!t.n)
			observation_write(w, i, op_sample_total(p, i), 0);
		for (uint32_t k = 0; k < t.n && !w->err->code; k++)
			observation_write(w, i, k < v.n ? v.p[k] : 1, t.p[k]);
	}
}
