// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/read.c: profiles of the Firefox Profiler and of Gecko, by process
 * and thread.
 *
 * A process is a resource; what its threads did is one profile of a kind.
 * Profiles of other processes are inside of that of the first, as objects or as
 * strings that hold JSON; a list of what is still to be read takes the place of
 * recursion.
 */
#include "base/hash.h"
#include "fmt/firefox/firefox_int.h"
#include "fmt/viewer/stack_tree.h"
#include "model/semconv.h"

/* How many profiles one may be inside of. */
enum { MAX_LEVEL = 16 };

/* The newest processed profiles whose changes are known. */
enum { NEWEST_VERSION = 70 };

/* Since this version addresses of callers are in their call. */
enum { CALL_ADDRESS_VERSION = 38 };

/* --- profiles in profiles --- */

/* The reader of a value that may be a string with the JSON text of it. Offsets
 * in errors then are places in the string, give or take what is escaped. */
static struct op_json_in inside(struct op_gecko *r, struct op_json_in *in)
{
	struct op_json_in sub = *in;
	struct op_json_text raw;
	struct op_view text;
	uintptr_t at;

	if (op_json_peek(in) != '"') {
		sub.p = op_json_defer(in);
		return sub;
	}
	raw = op_json_extract_string(in);
	text = op_json_text_of(in, raw, &r->mem);
	at = (uintptr_t)(raw.raw.p - in->base);
	sub.p = text.p;
	sub.end = text.p + text.n;
	sub.base = (const uint8_t *)((uintptr_t)text.p - at);
	return sub;
}

static void doc_push(struct op_gecko *r, const struct op_gecko_doc *parent,
		     struct op_json_in *in)
{
	struct op_gecko_doc d = *parent;
	const uint8_t *at = (op_json_peek(in), in->p);

	d.in = inside(r, in);
	d.level++;
	d.meta = d.libs_at = d.threads = d.processes = d.shared_at = NULL;
	d.allocs = NULL;
	d.has_samples = false;
	if (d.level > MAX_LEVEL)
		op_fail_at(r->err, OP_ELIMIT, (uint64_t)(at - in->base),
			   "profiles nested more than %d deep", MAX_LEVEL);
	else if (!r->err->code)
		(void)op_vec_push(&r->mem, &r->docs, d);
}

/* --- meta --- */

static void units_take(struct op_gecko *r, struct op_json_in *in,
		       struct op_gecko_doc *d)
{
	bool first = true;

	if (!op_json_enter(in, '{'))
		return;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "time"))
			d->time_unit = op_json_extract_text(in, &r->mem);
		else if (op_json_is(key, "threadCPUDelta"))
			d->cpu_unit = op_json_extract_text(in, &r->mem);
		else
			op_json_skip(in);
	}
}

static void meta_take(struct op_gecko *r, struct op_gecko_doc *d)
{
	struct op_json_in in = op_gecko_at(&d->in, d->meta);
	bool first = true;

	if (!op_json_enter(&in, '{'))
		return;
	while (op_json_more(&in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(&in);

		if (op_json_is(key, "startTime"))
			d->start_ns = op_json_extract_scaled(&in, 6);
		else if (op_json_is(key, "interval"))
			d->interval_ns = op_json_extract_scaled(&in, 6);
		else if (op_json_is(key, "preprocessedProfileVersion"))
			d->version = op_json_extract_scaled(&in, 0);
		else if (op_json_is(key, "sampleUnits"))
			units_take(r, &in, d);
		else if (op_json_is(key, "oscpu"))
			d->os = op_json_extract_text(&in, &r->mem);
		else if (op_json_is(key, "CPUName"))
			d->cpu_name = op_json_extract_text(&in, &r->mem);
		else
			op_json_skip(&in);
	}
	if (d->version > NEWEST_VERSION && !r->err->code)
		op_note(r->opts,
			"format version %lld is newer than %d, the newest "
			"supported one",
			(long long)d->version, NEWEST_VERSION);
}

/* --- processes --- */

static bool process_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_gecko_process *p = table, *k = key;

	return p[id].doc == k->doc && op_view_eq(p[id].pid, k->pid) &&
	       op_view_eq(p[id].name, k->name) &&
	       op_view_eq(p[id].type, k->type);
}

static void kv_add(struct op_kv *kv, uint32_t *n, const char *key,
		   struct op_view text)
{
	if (!text.n)
		return;
	kv[*n].key = op_view_z(key);
	kv[*n].value.kind = OP_ANY_STRING;
	kv[(*n)++].value.bytes = text;
}

void op_gecko_scope_make(struct op_gecko *r, const struct op_gecko_doc *d,
			 struct op_gecko_process *p)
{
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_kv kv[5] = { 0 };
	uint32_t n = 0;
	int64_t pid;

	kv_add(kv, &n, OP_ATTR_PID, p->pid);
	if (op_text_number(p->pid, &pid))
		kv[0].value = (struct op_any){ .kind = OP_ANY_INT, .num = pid };
	kv_add(kv, &n, "process.title", p->name);
	kv_add(kv, &n, "firefox.process.type", p->type);
	kv_add(kv, &n, "os.description", d->os);
	kv_add(kv, &n, "host.cpu.model.name", d->cpu_name);
	resource.attrs = (struct op_kvs){ kv, n };
	p->scope = op_build_scope(
		&r->b, op_build_resource(&r->b, &resource, NULL), &scope, NULL);
}

static uint32_t process_of(struct op_gecko *r, const struct op_gecko_thread *t)
{
	struct op_gecko_process p = { .pid = t->pid,
				      .name = t->process_name,
				      .type = t->process_type,
				      .doc = t->doc->number };
	uint64_t words[] = { p.doc, op_hash32(p.pid.p, p.pid.n),
			     op_hash32(p.name.p, p.name.n) };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&r->process_index, hash, process_eq,
				     r->processes.p, &p);

	if (id != OP_NO_ID)
		return id;
	memset(p.groups, 0xff, sizeof(p.groups));
	p.scope = OP_NO_ID;
	id = (uint32_t)r->processes.n;
	if (op_vec_push(&r->mem, &r->processes, p))
		op_intern_add(&r->process_index, &r->mem, hash, id);
	return id;
}

/* --- threads --- */

static uint32_t attr_of(struct op_gecko *r, const char *key,
			const struct op_any *v)
{
	return op_build_attr(&r->b, op_view_z(key), v, (struct op_view){ 0 },
			     NULL);
}

/* An id is a number, but for threads that were merged. */
static uint32_t set_make(struct op_gecko *r, const struct op_gecko_thread *t)
{
	struct op_any id = { .kind = OP_ANY_STRING, .bytes = t->tid };
	struct op_any name = { .kind = OP_ANY_STRING, .bytes = t->name };
	uint32_t attrs[2], n = 0;
	int64_t number;

	if (t->is_told)
		return op_metadata_thread(&r->b, t->told.thread);
	if (op_text_number(t->tid, &number))
		id = (struct op_any){ .kind = OP_ANY_INT, .num = number };
	if (t->tid.n)
		attrs[n++] = attr_of(r, OP_ATTR_THREAD_ID, &id);
	if (t->name.n)
		attrs[n++] = attr_of(r, OP_ATTR_THREAD_NAME, &name);
	return op_build_set(&r->b, attrs, n);
}

uint32_t op_gecko_thread_set(struct op_gecko *r, struct op_gecko_thread *t)
{
	if (t->set == OP_NO_ID)
		t->set = set_make(r, t);
	return t->set;
}

/* Names outlive the thread. */
static struct op_view text_take(struct op_gecko *r, struct op_json_in *in)
{
	return op_json_extract_text(in, &r->mem);
}

static void member_take(struct op_gecko *r, struct op_json_in *in,
			struct op_gecko_thread *t, struct op_gecko_tables *own)
{
	struct op_json_text key = op_json_extract_key(in);

	if (op_json_is(key, "name"))
		t->name = text_take(r, in);
	else if (op_json_is(key, "tid"))
		t->tid = op_json_extract_id(in);
	else if (op_json_is(key, "pid"))
		t->pid = op_json_extract_id(in);
	else if (op_json_is(key, "processName"))
		t->process_name = text_take(r, in);
	else if (op_json_is(key, "processType"))
		t->process_type = text_take(r, in);
	else if (op_json_is(key, "samples"))
		t->samples = op_json_defer(in);
	else if (op_json_is(key, "markers"))
		t->markers = op_json_defer(in);
	else if (op_json_is(key, "jsAllocations"))
		t->js_allocs = op_json_defer(in);
	else if (op_json_is(key, "nativeAllocations"))
		t->native_allocs = op_json_defer(in);
	else if (op_json_is(key, "otprof") && op_json_peek(in) == '{') {
		t->told = op_metadata_read(in, &r->mem);
		t->is_told = true;
	} else if (op_json_is(key, "libs") && op_json_peek(in) == '[') {
		op_gecko_libs_take(in, &r->thread_mem, &t->libs);
		t->has_libs = true;
	} else if (!op_gecko_tables_member(own, key, in))
		op_json_skip(in);
}

/* Tables are the thread's or shared, but for strings and sources: these may be
 * shared alone. */
static struct op_gecko_tables *tables_choose(struct op_gecko *r,
					     struct op_gecko_thread *t,
					     struct op_gecko_tables *own)
{
	struct op_gecko_tables *shared = t->doc->shared;

	if (!own->has_stacks && shared)
		return shared;
	if (shared && !own->has_strings)
		own->strings = shared->strings;
	if (shared && !own->source_name.n)
		own->source_name = shared->source_name;
	own->libs = t->has_libs ? &t->libs : t->doc->libs;
	own->has_return_addresses = own->frame[OP_GECKO_LOCATION].n ||
				    t->doc->version < CALL_ADDRESS_VERSION;
	op_gecko_tables_ready(own, r->err);
	return own;
}

static void thread_read(struct op_gecko *r, const struct op_gecko_doc *d,
			struct op_json_in *in)
{
	struct op_gecko_tables own = { .mem = &r->thread_mem };
	struct op_gecko_thread t = { .doc = d, .set = OP_NO_ID };
	bool first = true;

	op_arena_reset(&r->thread_mem);
	own.at = (uint64_t)(in->p - in->base);
	op_json_take(in, '{', "expected a thread");
	while (op_json_more(in, '}', &first))
		member_take(r, in, &t, &own);
	if (r->err->code || (r->thread && !op_view_holds(t.name, r->thread)))
		return;
	t.tables = tables_choose(r, &t, &own);
	if (!t.is_told)
		t.process = process_of(r, &t);
	if (!r->err->code)
		op_gecko_samples(r, &t);
}

/* --- documents --- */

static void doc_member(struct op_json_in *in, struct op_gecko_doc *d,
		       const uint8_t **profile)
{
	struct op_json_text key = op_json_extract_key(in);

	if (op_json_is(key, "meta"))
		d->meta = op_json_defer(in);
	else if (op_json_is(key, "libs"))
		d->libs_at = op_json_defer(in);
	else if (op_json_is(key, "threads"))
		d->threads = op_json_defer(in);
	else if (op_json_is(key, "processes"))
		d->processes = op_json_defer(in);
	else if (op_json_is(key, "shared"))
		d->shared_at = op_json_defer(in);
	else if (op_json_is(key, "allocations"))
		d->allocs = op_json_defer(in);
	else if (op_json_is(key, "profile") && op_json_peek(in) == '{')
		*profile = op_json_defer(in);
	else {
		d->has_samples |= op_json_is(key, "samples");
		op_json_skip(in);
	}
}

/* How many rows the allocations of a recording have. */
static uint64_t sites_count(struct op_json_in in)
{
	bool first = true, first_site = true;
	uint64_t nr = 0;

	if (!op_json_enter(&in, '{'))
		return 0;
	while (op_json_more(&in, '}', &first)) {
		if (!op_json_is(op_json_extract_key(&in), "sites") ||
		    op_json_peek(&in) != '[') {
			op_json_skip(&in);
			continue;
		}
		in.p++;
		for (; op_json_more(&in, ']', &first_site); nr++)
			op_json_skip(&in);
	}
	return nr;
}

/* Finds the parts. The tools of older Firefoxes wrote a profile as a member of
 * their recordings, beside tables of their own. */
static void doc_scan(struct op_gecko *r, struct op_gecko_doc *d)
{
	const uint8_t *profile = NULL;
	struct op_json_in in = d->in;
	bool first = true, is_last = !d->level;

	op_json_peek(&in);
	op_json_take(&in, '{', "expected an object");
	while (op_json_more(&in, '}', &first))
		doc_member(&in, d, &profile);
	if (!r->err->code && is_last)
		op_json_finish(&in);
	if (r->err->code || d->threads || !profile)
		return;
	if (d->allocs)
		r->nr_allocs += sites_count(op_gecko_at(&in, d->allocs));
	in = op_gecko_at(&in, profile + 1);
	first = true;
	while (op_json_more(&in, '}', &first))
		doc_member(&in, d, &profile);
}

static void libs_read(struct op_gecko *r, struct op_gecko_doc *d)
{
	struct op_json_in in = op_gecko_at(&d->in, d->libs_at);

	d->libs = op_new(&r->mem, struct op_gecko_libs, 1);
	if (!d->libs || !d->libs_at)
		return;
	in = inside(r, &in);
	if (!r->err->code)
		op_gecko_libs_take(&in, &r->mem, d->libs);
}

static void shared_read(struct op_gecko *r, struct op_gecko_doc *d)
{
	struct op_json_in in = op_gecko_at(&d->in, d->shared_at);
	bool first = true;

	d->shared = NULL;
	if (!d->shared_at || !op_json_enter(&in, '{'))
		return;
	d->shared = op_new(&r->mem, struct op_gecko_tables, 1);
	if (!d->shared)
		return;
	d->shared->mem = &r->mem;
	d->shared->libs = d->libs;
	while (op_json_more(&in, '}', &first))
		if (!op_gecko_tables_member(d->shared, op_json_extract_key(&in),
					    &in))
			op_json_skip(&in);
	op_gecko_tables_ready(d->shared, r->err);
}

/* A string among the threads is the profile of another process. */
static void threads_read(struct op_gecko *r, const struct op_gecko_doc *d)
{
	struct op_json_in in = op_gecko_at(&d->in, d->threads);
	bool first = true;

	op_json_take(&in, '[', "expected an array of threads");
	while (op_json_more(&in, ']', &first)) {
		if (op_json_peek(&in) == '"')
			doc_push(r, d, &in);
		else
			thread_read(r, d, &in);
	}
}

static void processes_read(struct op_gecko *r, const struct op_gecko_doc *d)
{
	struct op_json_in in = op_gecko_at(&d->in, d->processes);
	bool first = true;

	if (!d->processes || !op_json_enter(&in, '['))
		return;
	while (op_json_more(&in, ']', &first))
		doc_push(r, d, &in);
}

static void doc_read(struct op_gecko *r, size_t number)
{
	struct op_gecko_doc d = r->docs.p[number];
	struct op_json_in in = d.in;

	doc_scan(r, &d);
	if (r->err->code)
		return;
	if (!d.threads && d.has_samples && d.level) {
		thread_read(r, &d, &in);
		return;
	}
	if (!d.threads) {
		op_fail_at(r->err, OP_EFORMAT, (uint64_t)(in.p - in.base),
			   "a profile without threads");
		return;
	}
	d.number = (uint32_t)number;
	if (d.meta)
		meta_take(r, &d);
	if (!r->err->code)
		libs_read(r, &d);
	if (!r->err->code)
		shared_read(r, &d);
	if (!r->err->code)
		threads_read(r, &d);
	if (!r->err->code)
		processes_read(r, &d);
}

/* --- what is asked for --- */

static const struct {
	const char *name;
	unsigned int events; /* a bit for each */
} kinds[] = {
	{ "samples",
	  1u << OP_GECKO_SAMPLES | 1u << OP_GECKO_WALL | 1u << OP_GECKO_SPACE },
	{ "cpu", 1u << OP_GECKO_CPU | 1u << OP_GECKO_CYCLES },
	{ "alloc", 1u << OP_GECKO_ALLOC },
	{ "nativemem", 1u << OP_GECKO_MALLOC | 1u << OP_GECKO_FREE },
};

static unsigned int events_named(struct op_view word, struct op_err *err)
{
	for (size_t i = 0; i < op_countof(kinds); i++)
		if (op_view_is(word, kinds[i].name))
			return kinds[i].events;
	op_fail(err, OP_EUSAGE,
		"--event %.*s: Firefox profiles have samples, cpu, alloc and "
		"nativemem",
		(int)(word.n < 60 ? word.n : 60), (const char *)word.p);
	return 0;
}

static void opts_read(struct op_gecko *r, const char *const *settings)
{
	struct op_setting_words w = { settings, NULL };
	struct op_view word;

	r->thread = op_setting(settings, "thread");
	while (!r->err->code && op_setting_word(&w, "event", &word))
		r->wanted |= events_named(word, r->err);
}

/* --- all of it --- */

static void heads_end(struct op_gecko *r)
{
	for (size_t i = 0; i < r->groups.n && !r->err->code; i++) {
		const struct op_gecko_group *g = &r->groups.p[i];
		struct op_profile *head = op_build_profile_head(&r->b,
								g->profile);

		if (g->end) {
			head->time_ns = g->first;
			head->duration_ns = g->end - g->first;
		}
	}
}

static void notes(struct op_gecko *r)
{
	if (r->is_cut)
		op_note_skipped(
			r->opts, r->err,
			"stacks of more than %d frames are truncated at the "
			"leaf",
			OP_TREE_DEPTH);
	if (r->nr_cpu)
		op_note_skipped(r->opts, r->err,
				"CPU times of %llu samples skipped: --event "
				"samples,cpu reads them",
				(unsigned long long)r->nr_cpu);
	if (r->nr_allocs)
		op_note_skipped(r->opts, r->err,
				"%llu allocations of the recording skipped",
				(unsigned long long)r->nr_allocs);
	if (r->nr_rounded)
		op_note(r->opts, "%llu weights rounded to integers",
			(unsigned long long)r->nr_rounded);
	if (r->nr_early)
		op_note(r->opts, "%llu timestamps before 1970 read as 1970",
			(unsigned long long)r->nr_early);
}

int op_gecko_read(struct op_view in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_gecko r = { .err = err,
			      .mem.err = err,
			      .thread_mem.err = err,
			      .opts = opts,
			      .frame_sets = { OP_NO_ID, OP_NO_ID } };
	struct op_gecko_doc first = { .version = -1 };
	struct op_model m = { 0 };

	if (opts) {
		m.mem.quota = r.mem.quota = opts->mem_quota;
		r.thread_mem.quota = opts->mem_quota;
	}
	op_builder_init(&r.b, &m, err);
	opts_read(&r, opts ? opts->settings : NULL);
	first.in = op_json_start(in, err);
	if (!err->code)
		(void)op_vec_push(&r.mem, &r.docs, first);
	for (size_t i = 0; i < r.docs.n && !err->code; i++)
		doc_read(&r, i);
	heads_end(&r);
	if (!err->code)
		notes(&r);
	op_builder_finish(&r.b);
	op_arena_free(&r.thread_mem);
	op_arena_free(&r.mem);
	return op_model_deliver(&m, fn, ctx, err);
}
