// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/read_text.c: a body that is a call stack, as one observation. */
#include "fmt/splunk/read.h"
#include "model/semconv.h"

/* --- the thread --- */

static uint32_t with_text(struct op_splunk_reader *r, uint32_t set,
			  const char *key, struct op_view v)
{
	if (!v.n)
		return set;
	return op_build_set_with(&r->b, set, op_splunk_attr_text(r, key, v));
}

static uint32_t with_int(struct op_splunk_reader *r, uint32_t set,
			 const char *key, int64_t v, const char *unit)
{
	const struct op_any any = { .kind = OP_ANY_INT, .num = v };

	if (!v)
		return set;
	return op_build_set_with(&r->b, set,
				 op_build_attr(&r->b, op_view_z(key), &any,
					       op_view_z(unit), NULL));
}

static uint32_t thread_set(struct op_splunk_reader *r,
			   const struct op_splunk_thread *t)
{
	struct op_any yes = { .kind = OP_ANY_BOOL };
	uint32_t set = 0;

	yes.num = 1;
	set = with_text(r, set, OP_ATTR_THREAD_NAME, t->name);
	set = with_int(r, set, OP_ATTR_THREAD_ID, t->id, "");
	set = with_int(r, set, SPLUNK_OS_ID, (int64_t)t->nid, "");
	set = with_int(r, set, SPLUNK_TID, (int64_t)t->tid, "");
	set = with_int(r, set, SPLUNK_PRIO, t->prio, "");
	set = with_int(r, set, SPLUNK_OS_PRIO, t->os_prio, "");
	set = with_int(r, set, SPLUNK_CPU_TIME, (int64_t)t->cpu_ns, SPLUNK_NS);
	set = with_int(r, set, SPLUNK_ELAPSED, (int64_t)t->elapsed_ns,
		       SPLUNK_NS);
	set = with_text(r, set, SPLUNK_STATUS, t->status);
	if (t->is_daemon)
		set = op_build_set_with(
			&r->b, set,
			op_build_attr(&r->b, op_view_z(SPLUNK_DAEMON), &yes,
				      (struct op_view){ 0 }, NULL));
	return set;
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
	set = with_text(r, thread_set(r, &t), OP_ATTR_THREAD_STATE,
			op_splunk_state_parse(state));
	op_splunk_row_add(r, &r->thread_lines, &r->once,
			  (struct op_splunk_row){ key, state.p != NULL, set });
	return set;
}

/* --- frames --- */

static uint32_t location_make(struct op_splunk_reader *r,
			      const struct op_splunk_frame *f)
{
	const struct op_location row = { 0 };
	const struct op_function function = {
		.name = op_build_string(&r->b, f->function),
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
		op_splunk_row_add(r, &r->frame_lines, &r->once,
				  (struct op_splunk_row){ line, how, id });
	}
	if (!op_vec_push(&r->once, &r->stack, id))
		op_splunk_nomem(r);
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

/* set and all attributes of another. */
static uint32_t both_sets(struct op_splunk_reader *r, uint32_t set,
			  uint32_t other)
{
	for (uint32_t i = 0; !r->err->code; i++) {
		uint32_t at = r->b.set_at.p[other] + i;

		if (at >= r->b.set_at.p[other + 1])
			break;
		set = op_build_set_with(&r->b, set, r->b.members.p[at]);
	}
	return set;
}

void op_splunk_text_read(struct op_splunk_reader *r, struct op_view body)
{
	enum op_splunk_frames how = grammar(r);
	struct op_splunk_seen seen = { .value = value_of(&r->rec),
				       .time_ns = time_of(&r->rec) };
	struct op_splunk_kind kind = op_splunk_kind_of(r);
	struct op_view line;

	/* An empty body has no lines. */
	seen.id.set = both_sets(r, lines_set(r, &body), r->rec.set);
	r->stack.n = 0;
	while (op_splunk_line_next(&body, &line) && !r->err->code)
		frame_add(r, line, how);
	seen.id.stack = op_build_stack(&r->b, r->stack.p, (uint32_t)r->stack.n);
	seen.id.link = link_of(r);
	if (!r->err->code)
		op_splunk_observe(r, &kind, &seen);
}
