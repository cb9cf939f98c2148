// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/read_text.c: a body that is a call stack, as one observation. */
#include "fmt/splunk/read_int.h"
#include "model/semconv.h"

/* --- the thread --- */

/* Attributes of a thread as they come. */
struct few {
	uint32_t ids[16];
	uint32_t n;
};

static void text_add(struct op_splunk_reader *r, struct few *to,
		     const char *key, struct op_view v)
{
	if (v.n)
		to->ids[to->n++] = op_splunk_attr_text(r, key, v);
}

static void int_add(struct op_splunk_reader *r, struct few *to, const char *key,
		    int64_t v, const char *unit)
{
	const struct op_any any = { .kind = OP_ANY_INT, .num = v };

	if (v)
		to->ids[to->n++] = op_build_attr(&r->b, op_view_z(key), &any,
						 op_view_z(unit), NULL);
}

static void daemon_add(struct op_splunk_reader *r, struct few *to)
{
	struct op_any yes = { .kind = OP_ANY_BOOL };

	yes.num = 1;
	to->ids[to->n++] = op_build_attr(&r->b, op_view_z(SPLUNK_DAEMON), &yes,
					 (struct op_view){ 0 }, NULL);
}

static uint32_t thread_set(struct op_splunk_reader *r,
			   const struct op_splunk_thread *t,
			   struct op_view state)
{
	struct few to = { .n = 0 };

	text_add(r, &to, OP_ATTR_THREAD_NAME, t->name);
	int_add(r, &to, OP_ATTR_THREAD_ID, t->id, "");
	int_add(r, &to, SPLUNK_OS_ID, (int64_t)t->nid, "");
	int_add(r, &to, SPLUNK_TID, (int64_t)t->tid, "");
	int_add(r, &to, SPLUNK_PRIO, t->prio, "");
	int_add(r, &to, SPLUNK_OS_PRIO, t->os_prio, "");
	int_add(r, &to, SPLUNK_CPU_TIME, (int64_t)t->cpu_ns, SPLUNK_NS);
	int_add(r, &to, SPLUNK_ELAPSED, (int64_t)t->elapsed_ns, SPLUNK_NS);
	text_add(r, &to, SPLUNK_STATUS, t->status);
	text_add(r, &to, OP_ATTR_THREAD_STATE, state);
	if (t->is_daemon)
		daemon_add(r, &to);
	return op_build_set(&r->b, to.ids, to.n);
}

/* The set of the two lines before the frames, which are taken. A second line
 * that can only be a frame is one. */
static uint32_t lines_set(struct op_splunk_reader *r, struct op_view *text)
{
	struct op_view whole = *text, first = { 0 }, state = { 0 }, rest, key;
	struct op_splunk_thread t;
	uint32_t set;

	op_splunk_line_next(text, &first);
	rest = *text;
	if (op_splunk_line_next(&rest, &state) && !op_splunk_is_frame(state))
		*text = rest;
	else
		state = (struct op_view){ 0 };
	key = op_view(whole.p, state.p ? (size_t)(state.p - whole.p) + state.n :
					 first.n);
	set = op_splunk_row_find(&r->thread_lines, key, state.p != NULL);
	if (set != OP_NO_ID)
		return set;
	t = op_splunk_thread_parse(first);
	set = thread_set(r, &t, op_splunk_state_parse(state));
	op_splunk_row_add(&r->thread_lines, &r->once,
			  (struct op_splunk_row){ key, state.p != NULL, set });
	return set;
}

/* --- frames --- */

static uint32_t name_make(struct op_splunk_reader *r,
			  const struct op_splunk_frame *f)
{
	struct op_buf name = { .err = r->err };
	uint32_t id;

	if (!f->scope.n)
		return op_build_string(&r->b, f->function);
	op_buf_view(&name, f->scope);
	op_buf_z(&name, "::");
	op_buf_view(&name, f->function);
	id = op_build_string(&r->b, op_view(name.p, name.n));
	op_buf_free(&name);
	return id;
}

static uint32_t location_make(struct op_splunk_reader *r,
			      const struct op_splunk_frame *f)
{
	const struct op_location row = { 0 };
	const struct op_function function = {
		.name = name_make(r, f),
		.filename = op_build_string(&r->b, f->file),
	};
	const struct op_line line = {
		.line = f->line,
		.column = f->column,
		.function = op_build_function(&r->b, &function),
	};

	return op_build_location(&r->b, &row, &line, 1);
}

static void frame_add(struct op_splunk_reader *r, struct op_view line,
		      enum op_splunk_frames how)
{
	struct op_splunk_frame f;
	uint32_t id = op_splunk_row_find(&r->frame_lines, line, how);

	if (id == OP_NO_ID) {
		if (!op_splunk_frame_parse(line, how, &f)) {
			r->nr_remarks += line.n != 0;
			return;
		}
		r->nr_ranges += f.is_range;
		id = location_make(r, &f);
		op_splunk_row_add(&r->frame_lines, &r->once,
				  (struct op_splunk_row){ line, how, id });
	}
	(void)op_vec_push(&r->once, &r->stack, id);
}

/* Who says what kind of data it is writes frames as 1.4 has them. */
static enum op_splunk_frames grammar(const struct op_splunk_reader *r)
{
	if (r->has_frames)
		return r->frames;
	if (r->head.has_frames)
		return r->head.frames;
	return r->rec.format.n ? OP_SPLUNK_1_4 : OP_SPLUNK_2021;
}

/* --- the observation --- */

static int64_t value_of(const struct op_splunk_record *rec)
{
	if (rec->has_value)
		return rec->value;
	return rec->has_allocated ? rec->allocated : 1;
}

static uint64_t time_of(const struct op_splunk_record *rec)
{
	if (rec->is_untimed)
		return 0;
	return rec->log->time_ns ? rec->log->time_ns : rec->log->observed_ns;
}

static uint32_t link_of(struct op_splunk_reader *r)
{
	const struct op_log *log = r->rec.log;
	struct op_link link = { 0 };

	if (log->trace_id.n == sizeof(link.trace_id))
		memcpy(link.trace_id, log->trace_id.p, sizeof(link.trace_id));
	if (log->span_id.n == sizeof(link.span_id))
		memcpy(link.span_id, log->span_id.p, sizeof(link.span_id));
	return op_build_link(&r->b, &link);
}

void op_splunk_text_read(struct op_splunk_reader *r, struct op_view body)
{
	enum op_splunk_frames how = grammar(r);
	struct op_splunk_seen seen = { .value = value_of(&r->rec),
				       .time_ns = time_of(&r->rec) };
	struct op_splunk_kind kind = op_splunk_kind_of(r);
	struct op_view line;

	/* An empty body has no lines. */
	seen.id.set = op_splunk_set_with(r, lines_set(r, &body));
	r->stack.n = 0;
	while (op_splunk_line_next(&body, &line) && !r->err->code)
		frame_add(r, line, how);
	seen.id.stack = op_build_stack(&r->b, r->stack.p, (uint32_t)r->stack.n);
	seen.id.link = link_of(r);
	if (!r->err->code)
		op_splunk_observe(r, &kind, &seen);
}
