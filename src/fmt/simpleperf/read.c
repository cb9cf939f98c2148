// SPDX-License-Identifier: Apache-2.0
/* fmt/simpleperf/read.c: reports of simpleperf, Android's profiler.
 *
 * What samples refer to comes behind them, so that the records are gone through
 * twice. Each event is a profile, and periods that differ are another, as in
 * recordings of perf.
 */
#include "base/hash.h"
#include "fmt/format.h"
#include "fmt/native.h"
#include "fmt/simpleperf/simpleperf_int.h"
#include "model/builder.h"
#include "model/semconv.h"

struct event {
	struct op_view name;
	bool is_wanted;
	uint32_t profile, weights; /* OP_NO_ID: none */
	uint64_t first_period;
};

struct file {
	struct op_simpleperf_file row;
	uint32_t mapping; /* OP_NO_ID: not made yet */
	bool is_missing;  /* no record has it */
};

struct thread {
	struct op_simpleperf_thread row;
	uint32_t set; /* OP_NO_ID: not made yet */
};

/* A location that was made. */
struct place {
	struct op_simpleperf_call call;
	uint32_t location;
};

enum { NATIVE, KERNEL, JVM, NR_TYPES };

struct reader {
	struct op_view in;
	struct op_err *err;
	const struct op_read_opts *opts;
	const char *thread_text;
	bool recover;
	bool is_second; /* time that records are gone through */
	bool is_cut;	/* there is no end */
	struct op_arena mem;
	struct op_builder b;
	uint32_t scope;

	struct op_simpleperf_meta meta;
	struct op_simpleperf_lost lost;
	bool has_lost;
	OP_VEC(struct event) events;
	OP_VEC(struct file) files;
	OP_VEC(struct thread) threads;
	OP_VEC(struct place) places;
	struct op_intern file_index, thread_index, place_index;

	struct op_simpleperf_sample sample;
	struct op_id_vec stack;
	uint32_t type_sets[NR_TYPES];
	uint64_t first_ns, last_ns;
	uint64_t nr_samples, nr_switches, nr_unknown, nr_missing;
	uint64_t skipped_records, skipped_bytes;
};

/* --- records --- */

/* With --recover a record that is broken is skipped, and so is what is behind
 * the last whole one. */
static bool is_recovered(struct reader *r, uint64_t bytes)
{
	if (!r->recover || r->err->code != OP_EFORMAT)
		return false;
	*r->err = (struct op_err){ 0 };
	r->skipped_records += bytes > 0;
	r->skipped_bytes += bytes;
	return true;
}

/* Calls fn for each record. The place behind the last is the result. */
static size_t each_record(struct reader *r,
			  void (*fn)(struct reader *r,
				     const struct op_simpleperf_record *rec))
{
	size_t at = op_simpleperf_start(r->in, r->err), before;
	struct op_simpleperf_record rec;

	while (!r->err->code) {
		before = at;
		if (op_simpleperf_next(r->in, &at, &rec, r->err)) {
			fn(r, &rec);
			is_recovered(r, at - before);
			continue;
		}
		if (!r->err->code)
			return at;
		r->is_cut = at == before;
		if (r->is_cut)
			at = r->in.n;
		/* The first time is enough. */
		is_recovered(r, r->is_second ? 0 : at - before);
		if (r->is_cut)
			return at;
	}
	return at;
}

/* --- what is referred to --- */

static uint32_t id_hash(uint32_t id)
{
	uint64_t word = id;

	return op_hash_words(&word, 1);
}

static bool file_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct file *)table)[id].row.id ==
	       *(const uint32_t *)key;
}

static struct file *file_of(struct reader *r, uint32_t id)
{
	uint32_t ix = op_intern_find(&r->file_index, id_hash(id), file_eq,
				     r->files.p, &id);

	return ix == OP_NO_ID ? NULL : &r->files.p[ix];
}

static struct file *file_push(struct reader *r, const struct file *f)
{
	if (op_vec_push(&r->mem, &r->files, *f) &&
	    op_intern_add(&r->file_index, &r->mem, id_hash(f->row.id),
			  (uint32_t)r->files.n - 1))
		return &r->files.p[r->files.n - 1];
	return NULL;
}

static void file_add(struct reader *r, const struct op_simpleperf_record *rec)
{
	struct file f = { .mapping = OP_NO_ID };

	op_simpleperf_file(rec, &r->mem, &f.row, r->err);
	if (r->err->code)
		return;
	if (file_of(r, f.row.id))
		op_fail_at(r->err, OP_EFORMAT, rec->at, "duplicate file %u",
			   f.row.id);
	else
		file_push(r, &f);
}

static bool thread_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct thread *)table)[id].row.id ==
	       *(const uint32_t *)key;
}

/* One that no record names is made. A thread that comes again has another
 * name from there on; the last is taken. */
static struct thread *thread_of(struct reader *r, uint32_t id)
{
	struct thread t = { .row.id = id, .set = OP_NO_ID };
	uint32_t ix = op_intern_find(&r->thread_index, id_hash(id), thread_eq,
				     r->threads.p, &id);

	if (ix != OP_NO_ID)
		return &r->threads.p[ix];
	if (!op_vec_push(&r->mem, &r->threads, t) ||
	    !op_intern_add(&r->thread_index, &r->mem, id_hash(id),
			   (uint32_t)r->threads.n - 1))
		return NULL;
	return &r->threads.p[r->threads.n - 1];
}

static void thread_add(struct reader *r, const struct op_simpleperf_record *rec)
{
	struct op_simpleperf_thread row;
	struct thread *t;

	op_simpleperf_thread(rec, &row, r->err);
	t = r->err->code ? NULL : thread_of(r, row.id);
	if (t)
		t->row = row;
}

static void reference_read(struct reader *r,
			   const struct op_simpleperf_record *rec)
{
	switch (rec->kind) {
	case OP_SIMPLEPERF_FILE:
		file_add(r, rec);
		break;
	case OP_SIMPLEPERF_THREAD:
		thread_add(r, rec);
		break;
	case OP_SIMPLEPERF_META:
		op_simpleperf_meta(rec, &r->mem, &r->meta, r->err);
		break;
	case OP_SIMPLEPERF_LOST:
		op_simpleperf_lost(rec, &r->lost, r->err);
		r->has_lost = true;
		break;
	case OP_SIMPLEPERF_SWITCH:
		r->nr_switches++;
		break;
	case OP_SIMPLEPERF_SAMPLE:
		break;
	default:
		r->nr_unknown++;
	}
}

/* --- attributes --- */

static uint32_t attr(struct reader *r, const char *key, const struct op_any *v)
{
	return op_build_attr(&r->b, op_view_z(key), v, (struct op_view){ 0 },
			     NULL);
}

static uint32_t text_attr(struct reader *r, const char *key, struct op_view v)
{
	struct op_any any = { .kind = OP_ANY_STRING, .bytes = v };

	return attr(r, key, &any);
}

static uint32_t int_attr(struct reader *r, const char *key, int64_t num)
{
	struct op_any any = { .kind = OP_ANY_INT, .num = num };

	return attr(r, key, &any);
}

static void scope_make(struct reader *r)
{
	const struct op_simpleperf_meta *m = &r->meta;
	const struct {
		const char *key;
		struct op_view v;
	} facts[] = {
		{ "simpleperf.app_package_name", m->package },
		{ "simpleperf.app_type", m->app_type },
		{ "android.os.api_level", m->sdk_version },
		{ "simpleperf.android_build_type", m->build_type },
	};
	struct op_scope scope = { .name = op_view_z("simpleperf") };
	struct op_resource resource = { 0 };
	struct op_kv kv[op_countof(facts) + 1] = { 0 };
	uint32_t n = 0;

	for (size_t i = 0; i < op_countof(facts); i++) {
		if (!facts[i].v.n)
			continue;
		kv[n].key = op_view_z(facts[i].key);
		kv[n].value.kind = OP_ANY_STRING;
		kv[n++].value.bytes = facts[i].v;
	}
	if (m->has_offcpu) {
		kv[n].key = op_view_z("simpleperf.trace_offcpu");
		kv[n].value.kind = OP_ANY_BOOL;
		kv[n++].value.flag = m->is_offcpu;
	}
	resource.attrs = (struct op_kvs){ kv, n };
	r->scope = op_build_scope(
		&r->b, op_build_resource(&r->b, &resource, NULL), &scope, NULL);
}

/* --- stacks --- */

/* simpleperf marks code of the Java VM only if it is asked to. */
static bool is_java(const struct op_simpleperf_call *c, struct op_view path)
{
	static const char *const ends[] = { ".jar",  ".dex", ".vdex",
					    ".odex", ".oat", "app cache]" };

	if (c->type == OP_SIMPLEPERF_INTERPRETED ||
	    c->type == OP_SIMPLEPERF_JIT)
		return true;
	for (size_t i = 0; i < op_countof(ends); i++)
		if (op_view_ends(path, ends[i]))
			return true;
	return false;
}

static uint32_t type_set(struct reader *r, const struct op_simpleperf_call *c,
			 struct op_view path)
{
	static const char *const names[] = { "native", "kernel", "jvm" };
	int type = is_java(c, path) ? JVM : NATIVE;

	if (type == NATIVE && op_is_kernel_file(path))
		type = KERNEL;
	if (r->type_sets[type] == OP_NO_ID)
		r->type_sets[type] = op_frame_type_set(&r->b, names[type]);
	return r->type_sets[type];
}

static uint32_t mapping_of(struct reader *r, struct file *f)
{
	struct op_mapping row = { 0 };

	if (f->mapping == OP_NO_ID) {
		row.filename = op_build_string(&r->b, f->row.path);
		f->mapping = op_build_mapping(&r->b, &row);
	}
	return f->mapping;
}

static uint32_t function_of(struct reader *r, const struct file *f,
			    uint32_t symbol)
{
	struct op_function row = {
		.name = op_build_string(&r->b, f->row.symbols.p[symbol]),
	};

	if (symbol < f->row.mangled.n &&
	    !op_view_eq(f->row.mangled.p[symbol], f->row.symbols.p[symbol]))
		row.system_name = op_build_string(&r->b,
						  f->row.mangled.p[symbol]);
	return op_build_function(&r->b, &row);
}

/* A report that is cut off has no files: they get names that tell them
 * apart. */
static struct file *file_missing(struct reader *r, uint32_t id, uint64_t at)
{
	struct file f = { .row.id = id, .mapping = OP_NO_ID };
	struct op_buf name = { .err = r->err };

	if (!r->recover) {
		op_fail_at(r->err, OP_EFORMAT, at, "file %u is missing", id);
		return NULL;
	}
	op_buf_printf(&name, "file %u", id);
	f.row.path = op_view(name.p, name.n);
	f.is_missing = true;
	mapping_of(r, &f);
	op_buf_free(&name);
	f.row.path = (struct op_view){ 0 };
	r->nr_missing++;
	return file_push(r, &f);
}

static uint32_t location_make(struct reader *r,
			      const struct op_simpleperf_call *c, uint64_t at)
{
	struct file *f = file_of(r, c->file);
	bool has_symbol = c->symbol >= 0;
	struct op_location row = { .address = c->address };
	struct op_line line = { 0 };

	if (!f)
		f = file_missing(r, c->file, at);
	if (!f)
		return 0;
	has_symbol &= !f->is_missing;
	if (has_symbol && (uint32_t)c->symbol >= f->row.symbols.n) {
		op_fail_at(r->err, OP_EFORMAT, at,
			   "refers to symbol %d of file %u, which has only %zu",
			   c->symbol, c->file, f->row.symbols.n);
		return 0;
	}
	row.attrs = type_set(r, c, f->row.path);
	row.mapping = mapping_of(r, f);
	if (!has_symbol)
		return op_build_location(&r->b, &row, NULL, 0);
	line.function = function_of(r, f, (uint32_t)c->symbol);
	return op_build_location(&r->b, &row, &line, 1);
}

static bool place_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_simpleperf_call *a =
		&((const struct place *)table)[id].call;
	const struct op_simpleperf_call *b = key;

	return a->address == b->address && a->file == b->file &&
	       a->symbol == b->symbol && a->type == b->type;
}

static uint32_t location_of(struct reader *r,
			    const struct op_simpleperf_call *c, uint64_t at)
{
	uint64_t words[] = { c->address, (uint64_t)c->file << 32 | c->type,
			     (uint32_t)c->symbol };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t ix = op_intern_find(&r->place_index, hash, place_eq,
				     r->places.p, c);
	struct place p = { .call = *c };

	if (ix != OP_NO_ID)
		return r->places.p[ix].location;
	p.location = location_make(r, c, at);
	if (r->err->code)
		return 0;
	if (op_vec_push(&r->mem, &r->places, p))
		op_intern_add(&r->place_index, &r->mem, hash,
			      (uint32_t)r->places.n - 1);
	return p.location;
}

static uint32_t stack_of(struct reader *r, uint64_t at)
{
	const struct op_simpleperf_sample *s = &r->sample;

	r->stack.n = 0;
	for (size_t i = 0; i < s->calls.n && !r->err->code; i++) {
		uint32_t id = location_of(r, &s->calls.p[i], at);

		(void)op_vec_push(&r->mem, &r->stack, id);
	}
	return op_build_stack(&r->b, r->stack.p, (uint32_t)r->stack.n);
}

static uint32_t thread_set(struct reader *r, struct thread *t)
{
	uint32_t ids[3], n = 0;

	if (t->set != OP_NO_ID)
		return t->set;
	ids[n++] = int_attr(r, OP_ATTR_THREAD_ID, t->row.id);
	if (t->row.name.n)
		ids[n++] = text_attr(r, OP_ATTR_THREAD_NAME, t->row.name);
	if (t->row.process)
		ids[n++] = int_attr(r, OP_ATTR_PID, t->row.process);
	t->set = op_build_set(&r->b, ids, n);
	return t->set;
}

/* Why a stack has no more frames. */
static uint32_t with_error(struct reader *r, uint32_t set)
{
	static const char *const names[] = {
		"",
		"unknown",
		"not_enough_stack",
		"memory_invalid",
		"unwind_info",
		"invalid_map",
		"max_frame_exceeded",
		"repeated_frame",
		"invalid_elf",
	};
	uint32_t error = r->sample.unwind_error;

	if (!error)
		return set;
	if (error >= op_countof(names))
		error = 1;
	return op_build_set_with(&r->b, set,
				 text_attr(r, "perf.stack.end",
					   op_view_z(names[error])));
}

/* --- profiles --- */

static bool is_clock(struct op_view name)
{
	const uint8_t *colon = name.n ? memchr(name.p, ':', name.n) : NULL;

	if (colon)
		name.n = (size_t)(colon - name.p);
	return op_view_is(name, "cpu-clock") || op_view_is(name, "task-clock");
}

static struct op_value_type type_of(struct reader *r, struct op_view type,
				    const char *unit)
{
	return (struct op_value_type){
		op_build_string(&r->b, type),
		op_build_string(&r->b, op_view_z(unit)),
	};
}

static struct op_value_type period_type(struct reader *r, const struct event *e)
{
	if (is_clock(e->name))
		return type_of(r, op_view_z("cpu"), "nanoseconds");
	return type_of(r, e->name.n ? e->name : op_view_z("events"), "count");
}

static uint32_t event_attrs(struct reader *r, const struct event *e)
{
	uint32_t ids[3], n = 0;

	ids[n++] = text_attr(r, OP_ATTR_CLOCK, op_view_z("monotonic"));
	if (e->name.n)
		ids[n++] = text_attr(r, OP_ATTR_EVENT, e->name);
	if (r->lost.lost)
		ids[n++] = int_attr(r, "perf.lost_records",
				    (int64_t)r->lost.lost);
	return op_build_set(&r->b, ids, n);
}

static void profile_begin(struct reader *r, struct event *e, uint64_t period)
{
	struct op_profile head = {
		.sample_type = type_of(r, op_view_z("samples"), "count"),
		.period_type = period_type(r, e),
		.attrs = event_attrs(r, e),
	};

	e->profile = op_build_profile(&r->b, r->scope, &head);
	e->first_period = period;
}

/* Periods that differ become values. */
static void weights_begin(struct reader *r, struct event *e)
{
	struct op_profile head = { .sample_type = period_type(r, e),
				   .attrs = event_attrs(r, e) };

	e->weights = op_build_profile_like(&r->b, e->profile, &head);
	op_build_fill_like(&r->b, e->weights, (int64_t)e->first_period);
}

static void observe(struct reader *r, struct event *e, struct op_identity id)
{
	uint64_t time_ns = r->sample.time_ns, period = r->sample.count;
	uint32_t sample;

	if (period > INT64_MAX)
		period = INT64_MAX;
	if (e->profile == OP_NO_ID)
		profile_begin(r, e, period);
	sample = op_build_sample(&r->b, e->profile, id);
	if (period != e->first_period && e->weights == OP_NO_ID)
		weights_begin(r, e);
	op_build_observe(&r->b, e->profile, sample, 1, time_ns);
	if (e->weights != OP_NO_ID)
		op_build_observe_like(&r->b, e->weights, (int64_t)period);
	r->first_ns = time_ns < r->first_ns ? time_ns : r->first_ns;
	r->last_ns = time_ns > r->last_ns ? time_ns : r->last_ns;
}

static bool is_asked(const struct reader *r, const struct event *e,
		     const struct thread *t)
{
	return e->is_wanted && (!r->thread_text || !t->row.name.n ||
				op_view_holds(t->row.name, r->thread_text));
}

static void sample_read(struct reader *r,
			const struct op_simpleperf_record *rec)
{
	struct op_simpleperf_sample *s = &r->sample;
	struct op_identity id = { 0 };
	struct thread *t;

	if (rec->kind != OP_SIMPLEPERF_SAMPLE)
		return;
	op_simpleperf_sample(rec, &r->mem, s, r->err);
	if (!r->err->code && s->event >= r->events.n)
		op_fail_at(r->err, OP_EFORMAT, rec->at,
			   "event index %u is out of range for a table of %zu",
			   s->event, r->events.n);
	t = r->err->code ? NULL : thread_of(r, (uint32_t)s->thread);
	if (!t)
		return;
	if (is_asked(r, &r->events.p[s->event], t)) {
		id.stack = stack_of(r, rec->at);
		id.set = with_error(r, thread_set(r, t));
		if (r->err->code)
			return;
		observe(r, &r->events.p[s->event], id);
	}
	r->nr_samples++;
}

/* --- options --- */

static bool is_wanted(const struct reader *r, struct op_view name)
{
	struct op_setting_words w = { r->opts ? r->opts->settings : NULL,
				      NULL };
	struct op_view word;
	bool any = false;

	while (op_setting_word(&w, "event", &word)) {
		if (op_view_eq(word, name))
			return true;
		any = true;
	}
	return !any;
}

/* A report without the names of events has one, which has no name. */
static void events_make(struct reader *r)
{
	size_t nr = r->meta.events.n;

	for (size_t i = 0; i < nr || !i; i++) {
		struct event e = { .profile = OP_NO_ID, .weights = OP_NO_ID };

		if (i < nr)
			e.name = r->meta.events.p[i];
		e.is_wanted = is_wanted(r, e.name);
		(void)op_vec_push(&r->mem, &r->events, e);
	}
}

/* Fails if --event names one that the report does not have. */
static void asked_check(struct reader *r)
{
	struct op_setting_words w = { r->opts ? r->opts->settings : NULL,
				      NULL };
	struct op_view word;

	while (op_setting_word(&w, "event", &word)) {
		size_t i = 0;

		while (i < r->events.n &&
		       !op_view_eq(r->events.p[i].name, word))
			i++;
		if (i == r->events.n)
			op_fail(r->err, OP_EUSAGE,
				"--event %.*s: the report has no such event",
				(int)(word.n < 60 ? word.n : 60),
				(const char *)word.p);
	}
}

/* --- all of it --- */

static void heads_end(struct reader *r)
{
	for (size_t i = 0; i < r->events.n; i++) {
		const struct event *e = &r->events.p[i];
		const uint32_t ids[] = { e->profile, e->weights };

		for (size_t k = 0; k < op_countof(ids); k++) {
			struct op_profile *p;

			if (ids[k] == OP_NO_ID)
				continue;
			p = op_build_profile_head(&r->b, ids[k]);
			p->time_ns = r->first_ns;
			/* An observation lies before the end. */
			p->duration_ns = r->last_ns - r->first_ns + 1;
			if (e->weights == OP_NO_ID)
				p->period = (int64_t)e->first_period;
			else
				p->period_type = (struct op_value_type){ 0 };
		}
	}
}

static void notes(struct reader *r, size_t end)
{
	const struct op_read_opts *opts = r->opts;

	if (r->skipped_bytes)
		op_note_skipped(opts, r->err,
				"recovered: %llu records, %llu bytes skipped",
				(unsigned long long)r->skipped_records,
				(unsigned long long)r->skipped_bytes);
	else if (r->is_cut)
		op_note_skipped(opts, r->err,
				"recovered: the report has no end");
	else if (end < r->in.n)
		op_note_skipped(opts, r->err,
				"%zu bytes after the last record skipped",
				r->in.n - end);
	if (r->nr_missing)
		op_note_skipped(opts, r->err, "%llu files are missing",
				(unsigned long long)r->nr_missing);
	if (r->nr_unknown)
		op_note_skipped(opts, r->err, "%llu unknown records skipped",
				(unsigned long long)r->nr_unknown);
	if (r->nr_switches)
		op_note_skipped(opts, r->err, "%llu context switches skipped",
				(unsigned long long)r->nr_switches);
	if (r->lost.lost)
		op_note(opts, "%llu records were lost in recording",
			(unsigned long long)r->lost.lost);
	if (r->has_lost && r->lost.samples != r->nr_samples)
		op_note(opts, "the report declares %llu samples, but has %llu",
			(unsigned long long)r->lost.samples,
			(unsigned long long)r->nr_samples);
}

static void report_read(struct reader *r)
{
	size_t end = each_record(r, reference_read);

	if (r->err->code)
		return;
	scope_make(r);
	events_make(r);
	if (!r->err->code)
		asked_check(r);
	r->is_second = true;
	if (!r->err->code)
		each_record(r, sample_read);
	if (r->err->code)
		return;
	heads_end(r);
	notes(r, end);
}

int op_simpleperf_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err)
{
	const char *const *settings = opts ? opts->settings : NULL;
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };
	struct reader r = {
		.in = in,
		.err = err,
		.opts = opts,
		.mem = { .err = err, .quota = m.mem.quota },
		.thread_text = op_setting(settings, "thread"),
		.recover = op_setting_is_on(settings, "recover", err),
		.type_sets = { OP_NO_ID, OP_NO_ID, OP_NO_ID },
		.first_ns = UINT64_MAX,
	};

	op_builder_init(&r.b, &m, err);
	if (!err->code)
		report_read(&r);
	op_arena_free(&r.mem);
	op_builder_finish(&r.b);
	return op_model_deliver(&m, fn, ctx, err);
}
