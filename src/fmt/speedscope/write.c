// SPDX-License-Identifier: Apache-2.0
/* fmt/speedscope/write.c: every thread of every profile as a profile.
 *
 * What is time and has times is evented, on a time axis. Everything else is
 * sampled: weights in the order of their times, where there are such.
 */
#include "fmt/viewer/json_sink.h"
#include "fmt/speedscope/speedscope_int.h"
#include "fmt/viewer/metadata.h"

struct writer {
	const struct op_model *m;
	struct op_err *err;
	struct op_json_sink out;
	struct op_arena mem;
	struct op_frames frames;
	struct op_id_vec path;
	struct op_buf label;
	struct op_walk walk;
	struct op_tracks tracks;
	uint32_t nr_profiles, profile;
	uint64_t base, nr_lost;
};

/* --- names --- */

static void label_add(struct writer *w, struct op_view v)
{
	if (w->label.n && v.n)
		op_buf_byte(&w->label, ' ');
	op_buf_view(&w->label, v);
}

/* What tells a thread from the others of the file. */
static struct op_view label(struct writer *w, const struct op_track *t)
{
	struct op_type_text type = op_type_text(w->m, w->walk.profile);
	struct op_view name = op_track_name(w->m, t);
	int64_t id;

	w->label.n = 0;
	if (w->m->nr_resources > 1)
		label_add(w, op_process_name(w->m, w->walk.resource));
	if (w->nr_profiles > 1)
		label_add(w, op_view_z(type.s));
	label_add(w, name);
	if (!name.n && op_track_id(w->m, t, &id)) {
		label_add(w, op_view_z("thread"));
		op_buf_printf(&w->label, " %lld", (long long)id);
	}
	if (!w->label.n)
		label_add(w, op_view_z(type.s));
	if (t->lane)
		op_buf_printf(&w->label, " (%u)", t->lane + 1);
	return op_view(w->label.p, w->label.n);
}

static const char *unit_of(const struct writer *w)
{
	struct op_view unit = op_string(w->m,
					w->walk.profile->sample_type.unit);

	if (w->tracks.value_ns)
		return "nanoseconds";
	return op_view_is(unit, "bytes") ? "bytes" : "none";
}

/* --- profiles --- */

static void put_event(void *ctx, bool begins, uint32_t frame, uint64_t at)
{
	struct writer *w = ctx;
	struct op_json *j = &w->out.json;

	op_json_open(j, '{');
	op_json_key_z(j, "type", begins ? "O" : "C");
	op_json_key_uint(j, "frame", frame);
	op_json_key_uint(j, "at", at - w->base);
	op_json_close(j, '}');
}

static void put_evented(struct writer *w, const struct op_track *t)
{
	struct op_json *j = &w->out.json;
	size_t n = t->spans.n;
	uint64_t start = n ? t->spans.p[0].from - w->base : 0;
	uint64_t end = n ? t->spans.p[n - 1].to - w->base : 0;

	op_json_key_uint(j, "startValue", start);
	op_json_key_uint(j, "endValue", end);
	op_json_key_open(j, "events", '[');
	op_chart(&w->frames, t, put_event, w);
	op_json_close(j, ']');
}

static void put_stack(struct writer *w, uint32_t stack)
{
	op_frames_stack(&w->frames, stack, &w->mem, &w->path);
	if (!w->err->code)
		op_json_ids(&w->out.json, w->path.p, w->path.n);
}

/* Spans of no length have no weight: speedscope wants more than 0. */
static void put_sampled(struct writer *w, const struct op_track *t)
{
	struct op_json *j = &w->out.json;
	uint64_t total = 0;

	op_json_key_open(j, "samples", '[');
	for (size_t i = 0; i < t->spans.n && !w->err->code; i++)
		if (t->spans.p[i].to > t->spans.p[i].from)
			put_stack(w, t->spans.p[i].stack);
	op_json_close(j, ']');
	op_json_key_open(j, "weights", '[');
	for (size_t i = 0; i < t->spans.n && !w->err->code; i++) {
		uint64_t n = t->spans.p[i].to - t->spans.p[i].from;

		total += n;
		if (n)
			op_json_uint(j, n);
	}
	op_json_close(j, ']');
	op_json_key_uint(j, "startValue", 0);
	op_json_key_uint(j, "endValue", total);
}

static void put_track(struct writer *w, const struct op_track *t)
{
	bool is_evented = w->tracks.is_timed && w->tracks.value_ns;
	struct op_telling how = { w->profile, w->tracks.is_timed,
				  w->tracks.value_ns, w->base };
	struct op_json *j = &w->out.json;

	op_json_open(j, '{');
	op_json_key_z(j, "type", is_evented ? "evented" : "sampled");
	op_json_key_text(j, "name", label(w, t));
	op_json_key_z(j, "unit", unit_of(w));
	if (is_evented)
		put_evented(w, t);
	else
		put_sampled(w, t);
	op_metadata_write_track(j, w->m, &w->walk, how, t);
	op_json_close(j, '}');
}

static void put_profiles(struct writer *w)
{
	struct op_walk count = { 0 };

	while (op_walk_next(w->m, &count))
		w->nr_profiles++;
	while (!w->err->code && op_walk_next(w->m, &w->walk)) {
		op_tracks_init(&w->tracks, w->m, &w->walk, w->err);
		for (size_t i = 0; i < w->tracks.rows.n && !w->err->code; i++)
			put_track(w, &w->tracks.rows.p[i]);
		w->nr_lost += w->tracks.nr_lost;
		op_tracks_fini(&w->tracks);
		w->profile++;
	}
}

/* --- the file --- */

static void put_frame(struct op_json *j, const struct op_frame *f)
{
	op_json_open(j, '{');
	op_json_key_text(j, "name", f->name);
	if (f->file.n)
		op_json_key_text(j, "file", f->file);
	if (f->line > 0)
		op_json_key_uint(j, "line", (uint64_t)f->line);
	if (f->line > 0 && f->column > 0)
		op_json_key_uint(j, "col", (uint64_t)f->column);
	op_json_close(j, '}');
}

/* Behind the profiles: they say what frames there are. */
static void put_frames(struct writer *w)
{
	struct op_json *j = &w->out.json;

	op_json_key_open(j, "shared", '{');
	op_json_key_open(j, "frames", '[');
	for (size_t i = 0; i < w->frames.rows.n && !w->err->code; i++)
		put_frame(j, &w->frames.rows.p[i]);
	op_json_close(j, ']');
	op_json_close(j, '}');
}

int op_speedscope_write(const struct op_model *m,
			const struct op_write_opts *opts, struct op_sink *sink,
			struct op_err *err)
{
	struct writer w = {
		.m = m, .err = err, .mem.err = err, .label.err = err
	};
	struct op_json *j = &w.out.json;

	op_frames_init(&w.frames, m, err);
	w.base = op_tracks_base(m);
	op_json_sink_open(&w.out, sink, err);
	op_json_open(j, '{');
	op_json_key_z(j, "$schema", OP_SPEEDSCOPE_SCHEMA);
	op_json_key_z(j, "exporter", "otprof " OTPROF_VERSION);
	op_json_key_uint(j, "activeProfileIndex", 0);
	op_json_key_open(j, "profiles", '[');
	put_profiles(&w);
	op_json_close(j, ']');
	put_frames(&w);
	op_json_close(j, '}');
	op_json_sink_close(&w.out);
	if (!err->code)
		op_note_lost(opts, w.nr_lost);
	op_buf_free(&w.label);
	op_frames_fini(&w.frames);
	op_arena_free(&w.mem);
	return err->code;
}
