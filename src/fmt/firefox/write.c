// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/write.c: processed profiles of version 48, which later versions
 * of the viewer bring up to date.
 *
 * Every thread of every profile is a thread with tables of its own:
 *
 *	samples      stack, time in ms, weight
 *	stackTable   frame and prefix: a call tree
 *	frameTable   func
 *	funcTable    name and file in stringArray, line
 *	stringArray
 *	otprof       what the model said, to be read back (viewer/metadata.h)
 */
#include "base/hash.h"
#include "fmt/viewer/call_list.h"
#include "fmt/firefox/firefox_int.h"
#include "fmt/viewer/json_sink.h"

/* Which rows of a table a thread has, and as what. */
struct subset {
	uint32_t *as;	       /* of each row of the table; OP_NO_ID: not */
	struct op_id_vec rows; /* of the table */
};

struct strings {
	struct op_intern index;
	OP_VEC(struct op_view) rows;
};

struct writer {
	const struct op_model *m;
	struct op_err *err;
	struct op_json_sink out;
	struct op_arena mem;
	struct op_frames frames;
	struct op_call_list calls;
	struct op_id_vec path;
	struct op_walk walk;
	struct op_tracks tracks;
	uint64_t base, nr_lost;
	uint32_t nr_threads, nr_profiles;
	uint32_t profile; /* the number of that at hand */
	/* of the thread at hand */
	struct op_arena thread_mem;
	struct subset stack_table, frame_table;
	struct strings strings;
};

/* --- tables of a thread --- */

/* The number of a row in the thread; true if it is new there. */
static bool subset_put(struct writer *w, struct subset *s, uint32_t row)
{
	if (s->as[row] != OP_NO_ID)
		return false;
	s->as[row] = (uint32_t)s->rows.n;
	(void)op_vec_push(&w->mem, &s->rows, row);
	return true;
}

static void subset_clear(struct subset *s)
{
	for (size_t i = 0; i < s->rows.n; i++)
		s->as[s->rows.p[i]] = OP_NO_ID;
	s->rows.n = 0;
}

/* A call and those above it, which come first. */
static void call_put(struct writer *w, uint32_t call)
{
	w->path.n = 0;
	for (; call && w->stack_table.as[call] == OP_NO_ID;
	     call = w->calls.rows.p[call].parent)
		if (!op_vec_push(&w->mem, &w->path, call))
			return;
	for (size_t i = w->path.n; i-- && !w->err->code;) {
		subset_put(w, &w->stack_table, w->path.p[i]);
		subset_put(w, &w->frame_table,
			   w->calls.rows.p[w->path.p[i]].frame);
	}
}

static bool string_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_view *rows = table;

	return op_view_eq(rows[id], *(const struct op_view *)key);
}

static uint32_t string_put(struct writer *w, struct op_view v)
{
	struct strings *s = &w->strings;
	uint32_t hash = op_hash32(v.p, v.n);
	uint32_t id = op_intern_find(&s->index, hash, string_eq, s->rows.p, &v);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)s->rows.n;
	if (op_vec_push(&w->thread_mem, &s->rows, v))
		op_intern_add(&s->index, &w->thread_mem, hash, id);
	return id;
}

/* --- columns --- */

static void open_column(struct writer *w, const char *key)
{
	op_json_key_open(&w->out.json, key, '[');
}

static void close_column(struct writer *w)
{
	op_json_close(&w->out.json, ']');
}

/* A column that says the same n times; a negative number is null. */
static void same_column(struct writer *w, const char *key, size_t n, int64_t v)
{
	open_column(w, key);
	for (size_t i = 0; i < n && !w->err->code; i++) {
		if (v < 0)
			op_json_null(&w->out.json);
		else
			op_json_int(&w->out.json, v);
	}
	close_column(w);
}

/* A table of these columns without a row. */
static void empty_table(struct writer *w, const char *key,
			const char *const *columns)
{
	op_json_key_open(&w->out.json, key, '{');
	for (; *columns; columns++)
		same_column(w, *columns, 0, 0);
	op_json_key_uint(&w->out.json, "length", 0);
	op_json_close(&w->out.json, '}');
}

static void id_or_null(struct op_json *j, bool is, uint64_t v)
{
	if (is)
		op_json_uint(j, v);
	else
		op_json_null(j);
}

static void put_stack_table(struct writer *w)
{
	const struct subset *s = &w->stack_table;
	struct op_json *j = &w->out.json;

	op_json_key_open(j, "stackTable", '{');
	open_column(w, "frame");
	for (size_t i = 0; i < s->rows.n && !w->err->code; i++) {
		const struct op_call *call = &w->calls.rows.p[s->rows.p[i]];

		op_json_uint(j, w->frame_table.as[call->frame]);
	}
	close_column(w);
	open_column(w, "prefix");
	for (size_t i = 0; i < s->rows.n && !w->err->code; i++) {
		uint32_t parent = w->calls.rows.p[s->rows.p[i]].parent;

		id_or_null(j, parent, parent ? s->as[parent] : 0);
	}
	close_column(w);
	same_column(w, "category", s->rows.n, 0);
	same_column(w, "subcategory", s->rows.n, 0);
	op_json_key_uint(j, "length", s->rows.n);
	op_json_close(j, '}');
}

static void put_frame_table(struct writer *w)
{
	size_t n = w->frame_table.rows.n;
	struct op_json *j = &w->out.json;

	op_json_key_open(j, "frameTable", '{');
	open_column(w, "address");
	for (size_t i = 0; i < n && !w->err->code; i++)
		op_json_int(j, -1);
	close_column(w);
	same_column(w, "inlineDepth", n, 0);
	same_column(w, "category", n, 0);
	same_column(w, "subcategory", n, 0);
	open_column(w, "func");
	for (size_t i = 0; i < n && !w->err->code; i++)
		op_json_uint(j, i);
	close_column(w);
	same_column(w, "nativeSymbol", n, -1);
	same_column(w, "innerWindowID", n, 0);
	same_column(w, "implementation", n, -1);
	same_column(w, "line", n, -1);
	same_column(w, "column", n, -1);
	op_json_key_uint(j, "length", n);
	op_json_close(j, '}');
}

static const struct op_frame *frame_at(const struct writer *w, size_t i)
{
	return &w->frames.rows.p[w->frame_table.rows.p[i]];
}

static void false_column(struct writer *w, const char *key, size_t n)
{
	open_column(w, key);
	for (size_t i = 0; i < n && !w->err->code; i++)
		op_json_bool(&w->out.json, false);
	close_column(w);
}

static void place_columns(struct writer *w, size_t n)
{
	struct op_json *j = &w->out.json;

	open_column(w, "fileName");
	for (size_t i = 0; i < n && !w->err->code; i++) {
		struct op_view file = frame_at(w, i)->file;

		id_or_null(j, file.n, file.n ? string_put(w, file) : 0);
	}
	close_column(w);
	open_column(w, "lineNumber");
	for (size_t i = 0; i < n && !w->err->code; i++)
		id_or_null(j, frame_at(w, i)->line > 0,
			   (uint64_t)frame_at(w, i)->line);
	close_column(w);
	open_column(w, "columnNumber");
	for (size_t i = 0; i < n && !w->err->code; i++)
		id_or_null(j, frame_at(w, i)->column > 0,
			   (uint64_t)frame_at(w, i)->column);
	close_column(w);
}

static void put_func_table(struct writer *w)
{
	size_t n = w->frame_table.rows.n;
	struct op_json *j = &w->out.json;

	op_json_key_open(j, "funcTable", '{');
	open_column(w, "name");
	for (size_t i = 0; i < n && !w->err->code; i++)
		op_json_uint(j, string_put(w, frame_at(w, i)->name));
	close_column(w);
	false_column(w, "isJS", n);
	false_column(w, "relevantForJS", n);
	open_column(w, "resource");
	for (size_t i = 0; i < n && !w->err->code; i++)
		op_json_int(j, -1);
	close_column(w);
	place_columns(w, n);
	op_json_key_uint(j, "length", n);
	op_json_close(j, '}');
}

static void put_strings(struct writer *w)
{
	open_column(w, "stringArray");
	for (size_t i = 0; i < w->strings.rows.n && !w->err->code; i++)
		op_json_string(&w->out.json, w->strings.rows.p[i]);
	close_column(w);
}

/* --- samples --- */

/* Weights of time are milliseconds. */
static const char *weight_type(const struct writer *w)
{
	struct op_view unit = op_string(w->m,
					w->walk.profile->sample_type.unit);

	if (w->tracks.value_ns)
		return "tracing-ms";
	return op_view_is(unit, "bytes") ? "bytes" : "samples";
}

/* Without times a sample a millisecond. */
static void put_times(struct writer *w, const struct op_track *t)
{
	struct op_json *j = &w->out.json;

	open_column(w, "time");
	for (size_t i = 0; i < t->spans.n && !w->err->code; i++) {
		if (w->tracks.is_timed)
			op_json_decimal(j, t->spans.p[i].from - w->base, 6);
		else
			op_json_uint(j, i);
	}
	close_column(w);
}

static void put_samples(struct writer *w, const struct op_track *t)
{
	struct op_json *j = &w->out.json;

	op_json_key_open(j, "samples", '{');
	op_json_key_z(j, "weightType", weight_type(w));
	open_column(w, "weight");
	for (size_t i = 0; i < t->spans.n && !w->err->code; i++)
		op_json_decimal(j, t->spans.p[i].to - t->spans.p[i].from,
				w->tracks.value_ns ? 6 : 0);
	close_column(w);
	open_column(w, "stack");
	for (size_t i = 0; i < t->spans.n && !w->err->code; i++) {
		uint32_t call = op_call_of(&w->calls, t->spans.p[i].stack);

		op_json_uint(j, w->stack_table.as[call]);
	}
	close_column(w);
	put_times(w, t);
	op_json_key_uint(j, "length", t->spans.n);
	op_json_close(j, '}');
}

/* --- threads --- */

/* The name, with the type where there are several. */
static void put_name(struct writer *w, const struct op_track *t)
{
	struct op_type_text type = op_type_text(w->m, w->walk.profile);
	struct op_view name = op_track_name(w->m, t);
	struct op_buf text = { .err = w->err };
	int64_t id;

	op_buf_view(&text, name);
	if (!name.n && op_track_id(w->m, t, &id))
		op_buf_printf(&text, "thread %lld", (long long)id);
	if (!text.n || w->nr_profiles > 1)
		op_buf_printf(&text, "%s%s", text.n ? " " : "", type.s);
	if (t->lane)
		op_buf_printf(&text, " (%u)", t->lane + 1);
	op_json_key_text(&w->out.json, "name", op_view(text.p, text.n));
	op_buf_free(&text);
}

static void null_field(struct op_json *j, const char *key)
{
	op_json_key(j, key);
	op_json_null(j);
}

static void put_thread_head(struct writer *w, const struct op_track *t)
{
	struct op_json *j = &w->out.json;
	int64_t id = w->nr_threads, pid = w->walk.r;

	op_track_id(w->m, t, &id);
	op_process_id(w->m, w->walk.resource, &pid);
	op_json_key_z(j, "processType", "default");
	op_json_key_text(j, "processName",
			 op_process_name(w->m, w->walk.resource));
	op_json_key_uint(j, "processStartupTime", 0);
	null_field(j, "processShutdownTime");
	op_json_key_uint(j, "registerTime", 0);
	null_field(j, "unregisterTime");
	same_column(w, "pausedRanges", 0, 0);
	put_name(w, t);
	op_json_key(j, "isMainThread");
	op_json_bool(j, t == &w->tracks.rows.p[0]);
	op_json_key(j, "pid");
	op_json_int_text(j, pid);
	op_json_key(j, "tid");
	op_json_int(j, id);
}

static void put_thread(struct writer *w, const struct op_track *t)
{
	struct op_telling how = { w->profile, w->tracks.is_timed,
				  w->tracks.value_ns, 0 };
	static const char *const markers[] = { "data",	  "name",  "startTime",
					       "endTime", "phase", "category",
					       NULL };
	static const char *const resources[] = { "lib", "name", "host", "type",
						 NULL };
	static const char *const symbols[] = { "libIndex", "address", "name",
					       "functionSize", NULL };

	for (size_t i = 0; i < t->spans.n && !w->err->code; i++)
		call_put(w, op_call_of(&w->calls, t->spans.p[i].stack));
	if (w->err->code)
		return;
	op_json_open(&w->out.json, '{');
	put_thread_head(w, t);
	put_samples(w, t);
	empty_table(w, "markers", markers);
	put_stack_table(w);
	put_frame_table(w);
	put_func_table(w);
	empty_table(w, "resourceTable", resources);
	empty_table(w, "nativeSymbols", symbols);
	put_strings(w);
	/* Times have their base in meta. */
	op_metadata_write_track(&w->out.json, w->m, &w->walk, how, t);
	op_json_close(&w->out.json, '}');
	subset_clear(&w->stack_table);
	subset_clear(&w->frame_table);
	w->strings = (struct strings){ 0 };
	op_arena_reset(&w->thread_mem);
	w->nr_threads++;
}

/* --- the file --- */

static void put_meta(struct writer *w)
{
	static const char *const extensions[] = { "id", "name", "baseURL",
						  NULL };
	struct op_json *j = &w->out.json;

	op_json_key_open(j, "meta", '{');
	op_json_key_uint(j, "interval", 1);
	op_json_key(j, "startTime");
	op_json_decimal(j, w->base, 6);
	op_json_key_uint(j, "processType", 0);
	empty_table(w, "extensions", extensions);
	op_json_key_open(j, "categories", '[');
	op_json_open(j, '{');
	op_json_key_z(j, "name", "Other");
	op_json_key_z(j, "color", "grey");
	op_json_key_open(j, "subcategories", '[');
	op_json_z(j, "Other");
	op_json_close(j, ']');
	op_json_close(j, '}');
	op_json_close(j, ']');
	op_json_key_z(j, "product", "otprof");
	op_json_key_z(j, "importedFrom", "otprof " OTPROF_VERSION);
	op_json_key_uint(j, "stackwalk", 1);
	op_json_key_uint(j, "version", 27);
	op_json_key_uint(j, "preprocessedProfileVersion", 48);
	op_json_key(j, "symbolicated");
	op_json_bool(j, true);
	same_column(w, "markerSchema", 0, 0);
	op_json_close(j, '}');
	same_column(w, "libs", 0, 0);
	same_column(w, "pages", 0, 0);
}

/* Rows of the tables for each stack of the model, before a thread asks. */
static void tables_make(struct writer *w)
{
	struct op_walk walk = { 0 };

	while (!w->err->code && op_walk_next(w->m, &walk)) {
		w->nr_profiles++;
		for (uint32_t i = 0;
		     i < walk.profile->nr_samples && !w->err->code; i++)
			op_call_of(&w->calls, walk.profile->stack[i]);
	}
	w->stack_table.as = op_new_ids(&w->mem, w->calls.rows.n);
	w->frame_table.as = op_new_ids(&w->mem, w->frames.rows.n);
}

static void put_threads(struct writer *w)
{
	op_json_key_open(&w->out.json, "threads", '[');
	while (!w->err->code && op_walk_next(w->m, &w->walk)) {
		op_tracks_init(&w->tracks, w->m, &w->walk, w->err);
		for (size_t i = 0; i < w->tracks.rows.n && !w->err->code; i++)
			put_thread(w, &w->tracks.rows.p[i]);
		w->nr_lost += w->tracks.nr_lost;
		op_tracks_fini(&w->tracks);
		w->profile++;
	}
	op_json_close(&w->out.json, ']');
}

int op_gecko_write(const struct op_model *m, const struct op_write_opts *opts,
		   struct op_sink *sink, struct op_err *err)
{
	struct writer w = {
		.m = m, .err = err, .mem.err = err, .thread_mem.err = err
	};

	op_frames_init(&w.frames, m, err);
	op_call_list_init(&w.calls, &w.frames);
	if (!err->code)
		tables_make(&w);
	w.base = op_tracks_base(m);
	op_json_sink_open(&w.out, sink, err);
	op_json_open(&w.out.json, '{');
	put_meta(&w);
	if (!err->code)
		put_threads(&w);
	op_json_close(&w.out.json, '}');
	op_json_sink_close(&w.out);
	if (!err->code)
		op_note_lost(opts, w.nr_lost);
	op_arena_free(&w.thread_mem);
	op_call_list_fini(&w.calls);
	op_frames_fini(&w.frames);
	op_arena_free(&w.mem);
	return err->code;
}
