// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/write.c: profiles as begin and end events.
 *
 * Each profile is a process and each of its tracks a thread, since a thread
 * of a trace does one thing at a time. Ids are those that the model has, or
 * made up; events "otprof.profile" and "otprof.thread", which viewers do not
 * know, say what the model had, so that reading gives it back.
 */
#include "base/hash.h"
#include "fmt/chrome/chrome_int.h"
#include "fmt/viewer/json_sink.h"

/* Numbers that are taken. */
struct ids {
	struct op_intern index;
	OP_VEC(int64_t) rows;
	int64_t next;
};

struct writer {
	const struct op_model *m;
	struct op_err *err;
	struct op_json_sink out;
	struct op_arena mem;
	struct op_frames frames;
	struct ids pids, tids;
	struct op_tracks tracks;
	struct op_walk walk;
	uint64_t base;
	uint64_t nr_lost;
	uint32_t nr_profiles, nr_strange;
	struct op_type_text strange;
	/* of the track at hand */
	int64_t pid, tid;
	bool is_timed;
};

/* --- ids --- */

static bool id_eq(const void *table, uint32_t id, const void *key)
{
	return ((const int64_t *)table)[id] == *(const int64_t *)key;
}

/* The number that is wanted, or one that nobody has. */
static int64_t take_id(struct writer *w, struct ids *ids, int64_t want)
{
	for (;; want = ++ids->next) {
		uint64_t word = (uint64_t)want;
		uint32_t hash = op_hash_words(&word, 1);

		if (w->err->code)
			return 0;
		if (op_intern_find(&ids->index, hash, id_eq, ids->rows.p,
				   &want) != OP_NO_ID)
			continue;
		if (op_vec_push(&w->mem, &ids->rows, want))
			op_intern_add(&ids->index, &w->mem, hash,
				      (uint32_t)ids->rows.n - 1);
		return want;
	}
}

/* --- metadata --- */

static void int_field(struct op_json *j, const char *key, int64_t v)
{
	op_json_key(j, key);
	op_json_int(j, v);
}

/* {"ph":"M","name":...,"args":{ , to be closed by meta_end(). */
static struct op_json *meta(struct writer *w, const char *name)
{
	struct op_json *j = &w->out.json;

	op_json_open(j, '{');
	op_json_key_z(j, "ph", "M");
	op_json_key_z(j, "name", name);
	int_field(j, "pid", w->pid);
	int_field(j, "tid", w->tid);
	op_json_key_uint(j, "ts", 0);
	op_json_key_open(j, "args", '{');
	return j;
}

static void meta_end(struct op_json *j)
{
	op_json_close(j, '}');
	op_json_close(j, '}');
}

static void put_process(struct writer *w)
{
	const struct op_profile *p = w->walk.profile;
	struct op_view name = op_process_name(w->m, w->walk.resource);
	struct op_json *j;

	if (name.n) {
		j = meta(w, "process_name");
		op_json_key_text(j, "name", name);
		meta_end(j);
	}
	j = meta(w, "process_labels");
	op_json_key_z(j, "labels", op_type_text(w->m, p).s);
	meta_end(j);
	j = meta(w, OP_CHROME_PROFILE);
	op_metadata_write(j, w->m, &w->walk,
			  (struct op_telling){ w->nr_profiles++, w->is_timed,
					       w->tracks.value_ns, 0 });
	meta_end(j);
}

static void put_thread(struct writer *w, const struct op_track *t)
{
	struct op_view name = op_track_name(w->m, t);
	struct op_json *j;

	if (name.n) {
		j = meta(w, "thread_name");
		op_json_key_text(j, "name", name);
		meta_end(j);
	}
	j = meta(w, OP_CHROME_THREAD);
	op_json_key(j, "thread");
	op_metadata_write_thread(j, w->m, t->id, t->name);
	meta_end(j);
}

/* --- events --- */

static void put_event(void *ctx, bool begins, uint32_t frame, uint64_t at)
{
	struct writer *w = ctx;
	struct op_json *j = &w->out.json;
	struct op_view cat = op_frame_attr(&w->frames, frame);

	op_json_open(j, '{');
	op_json_key_z(j, "ph", begins ? "B" : "E");
	int_field(j, "pid", w->pid);
	int_field(j, "tid", w->tid);
	op_json_key(j, "ts");
	op_json_decimal(j, w->is_timed ? at - w->base : at, 3);
	op_json_key_text(j, "name", w->frames.rows.p[frame].name);
	if (cat.n)
		op_json_key_text(j, "cat", cat);
	op_json_close(j, '}');
}

static void put_tracks(struct writer *w, bool with_id)
{
	for (size_t i = 0; i < w->tracks.rows.n && !w->err->code; i++) {
		const struct op_track *t = &w->tracks.rows.p[i];
		int64_t id = w->tids.next + 1;

		if (with_id != (op_track_id(w->m, t, &id) && !t->lane))
			continue;
		w->tid = take_id(w, &w->tids, id);
		put_thread(w, t);
		op_chart(&w->frames, t, put_event, w);
	}
}

/* Of those that are no time the first is told of by name. */
static void tell_unit(struct writer *w)
{
	if (w->tracks.value_ns)
		return;
	if (!w->nr_strange++)
		w->strange = op_type_text(w->m, w->walk.profile);
}

static void put_profile(struct writer *w)
{
	struct op_tracks *t = &w->tracks;

	if (!op_process_id(w->m, w->walk.resource, &w->pid))
		w->pid = ++w->pids.next;
	w->pid = take_id(w, &w->pids, w->pid);
	w->tid = 0;
	w->tids = (struct ids){ .next = 0 };
	op_tracks_init(t, w->m, &w->walk, w->err);
	w->is_timed = t->is_timed;
	if (!w->err->code)
		put_process(w);
	/* Those first that have an id, for nobody else to have it. */
	put_tracks(w, true);
	put_tracks(w, false);
	w->nr_lost += t->nr_lost;
	tell_unit(w);
	op_tracks_fini(t);
}

/* --- the file --- */

static void notes(struct writer *w, const struct op_write_opts *opts)
{
	struct op_buf text = { .err = w->err };

	op_note_lost(opts, w->nr_lost);
	if (!w->nr_strange || !opts || !opts->note)
		return;
	op_buf_z(&text, w->strange.s);
	if (w->nr_strange > 1)
		op_buf_printf(&text, " and %u more are", w->nr_strange - 1);
	else
		op_buf_z(&text, " is");
	op_buf_z(&text, " shown as time: 1 as a nanosecond");
	op_buf_byte(&text, 0);
	if (!w->err->code)
		opts->note(opts->ctx, (const char *)text.p);
	op_buf_free(&text);
}

int op_chrome_write(const struct op_model *m, const struct op_write_opts *opts,
		    struct op_sink *sink, struct op_err *err)
{
	struct writer w = { .m = m, .err = err, .mem.err = err };
	struct op_json *j = &w.out.json;

	op_frames_init(&w.frames, m, err);
	w.frames.attr = OP_ATTR_CATEGORY;
	w.base = op_tracks_base(m);
	op_json_sink_open(&w.out, sink, err);
	op_json_open(j, '{');
	op_json_key_z(j, "displayTimeUnit", "ns");
	if (w.base) {
		op_json_key_open(j, "otherData", '{');
		op_json_key(j, OP_CHROME_BASE);
		op_json_uint_text(j, w.base);
		op_json_close(j, '}');
	}
	op_json_key_open(j, "traceEvents", '[');
	while (!err->code && op_walk_next(m, &w.walk))
		put_profile(&w);
	op_json_close(j, ']');
	op_json_close(j, '}');
	op_json_sink_close(&w.out);
	if (!err->code)
		notes(&w, opts);
	op_frames_fini(&w.frames);
	op_arena_free(&w.mem);
	return err->code;
}
