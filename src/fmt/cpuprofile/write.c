// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/write.c: the profiles of one type as V8 has them.
 *
 * The format holds one thread. Several stand one behind the other then, and
 * their times are lost. A sample lasts until the next; where nothing is, and
 * at the end, stands a sample of the root.
 */
#include "fmt/cpuprofile/cpuprofile_int.h"

#include <stdio.h>

#include "fmt/cpuprofile/v8.h"
#include "fmt/viewer/call_list.h"
#include "fmt/viewer/json_sink.h"
#include "query/default_profile.h"

/* Of row n of the call tree the id is n + 1, as V8 counts. */
struct step {
	uint64_t at;
	uint32_t call;
};

struct writer {
	const struct op_model *m;
	struct op_err *err;
	struct op_json_sink out;
	struct op_arena mem;
	struct op_frames frames;
	struct op_call_list calls;
	OP_VEC(struct step) steps;
	uint64_t nr_lost;
	uint32_t nr_tracks; /* with anything in them */
	uint64_t now;
	bool is_time;
};

/* --- steps --- */

static void step_add(struct writer *w, uint64_t at, uint32_t call)
{
	struct step s = { at, call };

	if (!w->err->code)
		(void)op_vec_push(&w->mem, &w->steps, s);
}

/* Behind what is there, unless it is alone: then where its times are. */
static void track_add(struct writer *w, const struct op_track *t, bool alone)
{
	if (t->spans.n)
		w->nr_tracks++;
	for (size_t i = 0; i < t->spans.n && !w->err->code; i++) {
		const struct op_span *s = &t->spans.p[i];
		uint64_t from = alone ? s->from : w->now;
		uint64_t length = s->to - s->from;

		if (w->steps.n && from > w->now)
			step_add(w, w->now, 0);
		step_add(w, from, op_call_of(&w->calls, s->stack));
		w->now = from + length < from ? UINT64_MAX : from + length;
	}
}

static size_t tracks_of(struct writer *w, const struct op_walk *walk, bool add,
			bool alone)
{
	struct op_tracks t;
	size_t nr = 0;

	op_tracks_init(&t, w->m, walk, w->err);
	for (size_t i = 0; i < t.rows.n && !w->err->code; i++) {
		nr += t.rows.p[i].spans.n != 0;
		if (add)
			track_add(w, &t.rows.p[i], alone);
	}
	if (add) {
		w->nr_lost += t.nr_lost;
		w->is_time = t.value_ns;
	}
	op_tracks_fini(&t);
	return nr;
}

static void steps(struct writer *w, const struct op_profile *chosen)
{
	struct op_walk walk = { 0 };
	size_t nr = 0;

	while (!w->err->code && op_walk_next(w->m, &walk))
		if (op_same_type(w->m, walk.profile, chosen))
			nr += tracks_of(w, &walk, false, false);
	walk = (struct op_walk){ 0 };
	while (!w->err->code && op_walk_next(w->m, &walk))
		if (op_same_type(w->m, walk.profile, chosen))
			tracks_of(w, &walk, true, nr <= 1);
	if (w->steps.n)
		step_add(w, w->now, 0);
}

/* --- JSON --- */

/* Counted from 0 there, and -1 is unknown. */
static void int_field(struct op_json *j, const char *key, int64_t v)
{
	op_json_key(j, key);
	op_json_int(j, v - 1);
}

static void put_node(struct writer *w, uint32_t id, uint32_t hits)
{
	static const struct op_frame none;
	struct op_json *j = &w->out.json;
	const struct op_call *call = &w->calls.rows.p[id];
	const struct op_frame *f = id ? &w->frames.rows.p[call->frame] : &none;

	op_json_open(j, '{');
	op_json_key_uint(j, "id", (uint64_t)id + 1);
	op_json_key_open(j, "callFrame", '{');
	op_json_key_text(j, "functionName",
			 id ? f->name : op_view_z(OP_V8_ROOT));
	op_json_key_z(j, "scriptId", "0");
	op_json_key_text(j, "url", f->file);
	int_field(j, "lineNumber", f->line);
	int_field(j, "columnNumber", f->column);
	op_json_close(j, '}');
	op_json_key_uint(j, "hitCount", hits);
	op_json_key_open(j, "children", '[');
	for (uint32_t k = call->first_child; k; k = w->calls.rows.p[k].next)
		op_json_uint(j, (uint64_t)k + 1);
	op_json_close(j, ']');
	op_json_close(j, '}');
}

static void put_nodes(struct writer *w)
{
	uint32_t *hits = op_new(&w->mem, uint32_t, w->calls.rows.n);

	if (!hits)
		return;
	for (size_t i = 0; i < w->steps.n; i++)
		hits[w->steps.p[i].call]++;
	op_json_key_open(&w->out.json, "nodes", '[');
	for (uint32_t i = 0; i < w->calls.rows.n && !w->err->code; i++)
		put_node(w, i, hits[i]);
	op_json_close(&w->out.json, ']');
}

static void put_samples(struct writer *w)
{
	struct op_json *j = &w->out.json;
	uint64_t start = w->steps.n ? w->steps.p[0].at / 1000 * 1000 : 0;
	uint64_t before = start;

	op_json_key(j, "startTime");
	op_json_decimal(j, start, 3);
	op_json_key(j, "endTime");
	op_json_decimal(j, w->steps.n ? w->now : 0, 3);
	op_json_key_open(j, "samples", '[');
	for (size_t i = 0; i < w->steps.n && !w->err->code; i++)
		op_json_uint(j, (uint64_t)w->steps.p[i].call + 1);
	op_json_close(j, ']');
	op_json_key_open(j, "timeDeltas", '[');
	for (size_t i = 0; i < w->steps.n && !w->err->code; i++) {
		op_json_decimal(j, w->steps.p[i].at - before, 3);
		before = w->steps.p[i].at;
	}
	op_json_close(j, ']');
}

/* --- the file --- */

static void notes(struct writer *w, const struct op_write_opts *opts,
		  const struct op_profile *chosen)
{
	struct op_buf text = { .err = w->err };
	uint32_t nr;

	if (!opts || !opts->note || !chosen)
		return;
	nr = op_other_types(w->m, chosen, &text);
	op_buf_z(&text, nr == 1 ? " is left out" : " are left out");
	op_buf_z(&text, ": a CPU profile holds one type");
	op_buf_byte(&text, 0);
	if (nr && !w->err->code)
		opts->note(opts->ctx, (const char *)text.p);
	text.n = 0;
	op_buf_printf(&text, "%s is shown as time: 1 as a nanosecond",
		      op_type_text(w->m, chosen).s);
	op_buf_byte(&text, 0);
	if (!w->is_time && !w->err->code)
		opts->note(opts->ctx, (const char *)text.p);
	op_buf_free(&text);
	if (w->nr_tracks > 1)
		opts->note(opts->ctx, "a CPU profile holds one thread: several "
				      "are written one after the other");
	op_note_lost(opts, w->nr_lost);
}

int op_cpuprofile_write(const struct op_model *m,
			const struct op_write_opts *opts, struct op_sink *sink,
			struct op_err *err)
{
	const struct op_profile *chosen = op_default_profile(m);
	struct writer w = {
		.m = m, .err = err, .mem.err = err, .is_time = true
	};

	op_frames_init(&w.frames, m, err);
	op_call_list_init(&w.calls, &w.frames);
	if (!err->code && chosen)
		steps(&w, chosen);
	op_json_sink_open(&w.out, sink, err);
	op_json_open(&w.out.json, '{');
	if (!err->code)
		put_nodes(&w);
	if (!err->code)
		put_samples(&w);
	op_json_close(&w.out.json, '}');
	op_json_sink_close(&w.out);
	if (!err->code)
		notes(&w, opts, chosen);
	op_call_list_fini(&w.calls);
	op_frames_fini(&w.frames);
	op_arena_free(&w.mem);
	return err->code;
}
