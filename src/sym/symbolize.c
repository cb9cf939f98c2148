// SPDX-License-Identifier: Apache-2.0
/* sym/symbolize.c: selects the locations that need names, and stores the
 * results. */
#include "sym/symbolize.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/semconv.h"
#include "sym/symbolize_int.h"

const char *const op_unresolved_codes[OP_NR_UNRESOLVED] = {
	[OP_RESOLVED] = "",
	[OP_NO_FILE] = "no-file",
	[OP_OTHER_BUILD] = "other-build",
	[OP_CHANGED] = "changed",
	[OP_BROKEN] = "broken",
	[OP_NO_SYMBOL] = "no-symbol",
	[OP_OTHER_KERNEL] = "other-kernel",
	[OP_NO_MAP] = "no-map",
	[OP_NO_BUILD_ID] = "no-build-id",
	[OP_TOO_COSTLY] = "too-costly",
};

static const char *const reasons[OP_NR_UNRESOLVED] = {
	[OP_NO_FILE] = "file not found",
	[OP_OTHER_BUILD] = "the file found is another build",
	[OP_CHANGED] = "the file is newer than the profile",
	[OP_BROKEN] = "not a valid ELF file",
	[OP_NO_SYMBOL] = "no symbols at these addresses",
	[OP_OTHER_KERNEL] = "not known to be the running kernel, or the kernel "
			    "hides its addresses",
	[OP_NO_MAP] = "code generated at run time, without a trusted perf map",
	[OP_NO_BUILD_ID] = "the profile has no build ID of it",
	[OP_TOO_COSTLY] = "looking them up took too much time or memory",
};

enum { MAX_NOTES = 20 };

struct work {
	struct op_sym_work w;
	struct op_memory *memory;
	uint32_t unresolved_key;
	uint32_t unresolved[OP_NR_UNRESOLVED]; /* attributes; 0: not created */
	uint64_t nr_notes;
};

/* --- which locations --- */

static bool has_name(const struct op_model *m, const struct op_location *l)
{
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		uint32_t id = m->dict.lines[l->first_line + i].function;
		const struct op_function *f = &m->dict.functions[id];

		if (op_string(m, f->name).n || op_string(m, f->system_name).n)
			return true;
	}
	return false;
}

static int compare(const void *pa, const void *pb)
{
	const struct op_need *a = pa, *b = pb;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->location > b->location) - (a->location < b->location);
}

static void needs_sort(struct op_sym_work *w)
{
	if (w->needs.n)
		qsort(w->needs.p, w->needs.n, sizeof(*w->needs.p), compare);
}

static int needs_find(struct op_sym_work *w)
{
	const struct op_dict *d = &w->m->dict;

	for (uint32_t i = 1; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];
		struct op_need n = { .address = l->address,
				     .mapping = l->mapping,
				     .location = i,
				     .file = OP_NO_ID };

		if (has_name(w->m, l)) {
			w->r->nr_kept++;
			continue;
		}
		if (l->address && !op_vec_push(&w->mem, &w->needs, n))
			return w->err->code;
	}
	needs_sort(w);
	return OP_OK;
}

/* --- what a mapping is --- */

static struct op_view id_text(const struct op_model *m, uint32_t set,
			      const char *key)
{
	const struct op_attr *a = op_set_find(m, set, key);

	return a ? op_any_text(m, &a->value) : (struct op_view){ 0 };
}

struct op_build_ids op_mapping_ids(const struct op_model *m, uint32_t mapping)
{
	uint32_t set = m->dict.mappings[mapping].attrs;

	return (struct op_build_ids){
		id_text(m, set, OP_ATTR_BUILD_ID_GNU),
		id_text(m, set, OP_ATTR_BUILD_ID_GO),
		id_text(m, set, OP_ATTR_BUILD_ID_HTLHASH),
	};
}

static uint64_t last_time(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t last = 0;

	while (op_walk_next(m, &w))
		if (w.profile->time_ns && op_profile_end(w.profile) > last)
			last = op_profile_end(w.profile);
	return last;
}

/* --- results --- */

enum op_unresolved op_sym_put(struct op_sym_work *w, uint32_t location,
			      const struct op_sym_frame *f, size_t n)
{
	struct op_location *l = &w->m->dict.locations[location];
	size_t first = w->rows.lines.n;

	if (w->m->mem.used > w->most_used)
		return OP_TOO_COSTLY;
	for (size_t i = 0; i < n && !w->err->code; i++)
		op_rows_frame(&w->rows, &f[i]);
	if (w->err->code) {
		w->rows.lines.n = first;
		return OP_RESOLVED;
	}
	l->first_line = (uint32_t)first;
	l->nr_lines = (uint32_t)n;
	w->r->nr_frames += n;
	w->flags[l->mapping] |= OP_HAS_NAMES;
	if (n > 1)
		w->flags[l->mapping] |= OP_HAS_INLINES;
	if (f[0].line)
		w->flags[l->mapping] |= OP_HAS_LINES;
	return OP_RESOLVED;
}

static void outcome(struct work *k, const struct op_need *n)
{
	struct op_sym_work *w = &k->w;
	struct op_location *l = &w->m->dict.locations[n->location];
	struct op_any code = { .kind = OP_ANY_STRING };

	w->r->nr[n->why]++;
	w->r->nr_unchecked += n->is_unchecked && !n->why;
	if (!k->unresolved_key)
		k->unresolved_key = op_rows_string(
			&w->rows, op_view_z(OP_ATTR_UNRESOLVED));
	if (n->why && !k->unresolved[n->why]) {
		code.bytes = op_view_z(op_unresolved_codes[n->why]);
		k->unresolved[n->why] = op_rows_attr(&w->rows,
						     OP_ATTR_UNRESOLVED, code);
	}
	if (!w->err->code)
		l->attrs = op_rows_set(&w->rows, l->attrs, k->unresolved_key,
				       k->unresolved[n->why]);
}

/* Only names that may be mangled are worth a request. */
static void readable(struct op_sym_work *w, struct op_sym_frame *f,
		     struct op_need *n)
{
	bool was_slow = false;

	if (!w->o->program || !f->name.n || f->name.p[0] != '_')
		return;
	f->readable = op_helper_name(w->helper, f->name, &was_slow, w->err);
	if (was_slow)
		n->lost |= OP_ASK_NO_NAMES;
}

static void in_memory(struct work *k, struct op_need *n)
{
	struct op_sym_work *w = &k->w;
	struct op_sym_frame f = { 0 };

	if (op_is_kernel(n->address))
		n->why = op_memory_kernel(k->memory, n->address, &f.name,
					  w->err);
	else if (w->o->named_builds_only)
		n->why = OP_NO_BUILD_ID;
	else
		n->why = op_memory_jit(k->memory, n->location, &f.name, w->err);
	if (n->why || w->err->code)
		return;
	readable(w, &f, n);
	n->why = op_sym_put(w, n->location, &f, 1);
}

/* --- a mapping --- */

/* pprof profiles declare for each mapping what it has. Updated last: the sets
 * of mappings are read while names are looked up. */
static void flags_put(struct op_sym_work *w, uint32_t mapping)
{
	static const struct {
		const char *key;
		int flag;
	} flags[] = {
		{ OP_ATTR_HAS_FUNCTIONS, OP_HAS_NAMES },
		{ OP_ATTR_HAS_FILENAMES, OP_HAS_LINES },
		{ OP_ATTR_HAS_LINE_NUMBERS, OP_HAS_LINES },
		{ OP_ATTR_HAS_INLINE_FRAMES, OP_HAS_INLINES },
	};
	struct op_mapping *m = &w->m->dict.mappings[mapping];
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };

	for (size_t i = 0; i < op_countof(flags); i++) {
		uint32_t attr;

		if (!(w->flags[mapping] & flags[i].flag))
			continue;
		if (!w->flag_attrs[i])
			w->flag_attrs[i] = op_rows_attr(&w->rows, flags[i].key,
							yes);
		attr = w->flag_attrs[i];
		if (w->err->code)
			return;
		m->attrs = op_rows_set(&w->rows, m->attrs,
				       w->rows.attrs.p[attr].key, attr);
	}
}

static void note(struct work *k, const struct op_need *of, uint64_t nr,
		 uint64_t all, const char *what)
{
	const struct op_sym_work *w = &k->w;
	struct op_view file = op_string(
		w->m, w->m->dict.mappings[of->mapping].filename);
	char text[512];

	if (!nr || k->nr_notes++ >= MAX_NOTES || !w->o->note)
		return;
	if (!file.n)
		file = op_view_z("code without a file");
	snprintf(text, sizeof(text), "%.*s: %llu of %llu addresses %s",
		 file.n < 300 ? (int)file.n : 300, file.p,
		 (unsigned long long)nr, (unsigned long long)all, what);
	w->o->note(w->o->ctx, text);
}

struct counts {
	uint64_t by_why[OP_NR_UNRESOLVED];
	uint64_t unchecked, without_lines, without_names;
};

static void count(struct counts *c, const struct op_need *n)
{
	c->by_why[n->why]++;
	if (n->why)
		return;
	c->unchecked += n->is_unchecked;
	c->without_lines += (n->lost & OP_ASK_NO_LINES) != 0;
	c->without_names += (n->lost & OP_ASK_NO_NAMES) != 0;
}

/* Reports about the addresses of one mapping. */
static void notes(struct work *k, const struct op_need *n, size_t nr)
{
	struct counts c = { 0 };
	char text[160];

	for (size_t i = 0; i < nr; i++)
		count(&c, &n[i]);
	for (int i = OP_RESOLVED + 1; i < OP_NR_UNRESOLVED; i++) {
		if (!c.by_why[i])
			continue;
		snprintf(text, sizeof(text), "have no name: %s", reasons[i]);
		note(k, n, c.by_why[i], nr, text);
	}
	note(k, n, c.unchecked, nr,
	     "are symbolized with the current file: the profile has no build "
	     "ID for it");
	note(k, n, c.without_lines, nr,
	     "have symbol names only: reading line numbers took too much time "
	     "or memory");
	note(k, n, c.without_names, nr,
	     "keep mangled names: demangling took too much time or memory");
}

/* The number of addresses from i on that are of the same mapping. */
static size_t same_mapping(const struct op_sym_work *w, size_t i)
{
	size_t to = i;

	while (to < w->needs.n &&
	       w->needs.p[to].mapping == w->needs.p[i].mapping)
		to++;
	return to - i;
}

/* Resolves addresses without a file, and finds the file of the others. Those of
 * the kernel are the last of a mapping. */
static void mapping_find(struct work *k, struct op_need *n, size_t nr)
{
	struct op_sym_work *w = &k->w;
	uint32_t mapping = n->mapping;
	struct op_view file = op_string(w->m,
					w->m->dict.mappings[mapping].filename);
	struct op_build_ids ids = op_mapping_ids(w->m, mapping);
	bool is_jit = op_is_jit(file) && !op_build_ids_known(&ids);
	bool is_known = op_build_ids_known(&ids) || !w->o->named_builds_only;
	size_t in_file = 0;

	while (!is_jit && in_file < nr && !op_is_kernel(n[in_file].address))
		in_file++;
	if (in_file && is_known)
		op_sym_find(w, n, in_file);
	for (size_t i = 0; i < in_file && !is_known; i++)
		n[i].why = OP_NO_BUILD_ID;
	for (size_t i = in_file; i < nr && !w->err->code; i++)
		in_memory(k, &n[i]);
}

static void last_note(struct work *k)
{
	char text[80];

	if (k->nr_notes <= MAX_NOTES || !k->w.o->note)
		return;
	snprintf(text, sizeof(text), "%llu more files lack names",
		 (unsigned long long)(k->nr_notes - MAX_NOTES));
	k->w.o->note(k->w.o->ctx, text);
}

/* Restores the order of mappings. */
static void outcomes(struct work *k)
{
	struct op_sym_work *w = &k->w;
	uint32_t nr = w->m->dict.nr[OP_MAPPINGS];

	needs_sort(w);
	for (size_t i = 0, n; i < w->needs.n && !w->err->code; i += n) {
		n = same_mapping(w, i);
		for (size_t at = i; at < i + n && !w->err->code; at++)
			outcome(k, &w->needs.p[at]);
		if (!w->err->code)
			notes(k, &w->needs.p[i], n);
	}
	for (uint32_t i = 1; i < nr && !w->err->code; i++)
		if (w->flags[i])
			flags_put(w, i);
	last_note(k);
}

/* Names may make a model larger, within a limit. */
static size_t most_used(const struct op_sym_work *w)
{
	enum { SOME = 96 << 20, EACH = 256 };

	return w->m->mem.used + SOME + w->needs.n * EACH;
}

static void run(struct work *k)
{
	struct op_sym_work *w = &k->w;

	w->flags = op_new(&w->mem, uint8_t, w->m->dict.nr[OP_MAPPINGS]);
	w->ids = op_new(&w->mem, struct op_name_id, w->m->dict.nr[OP_MAPPINGS]);
	if (!w->flags || !w->ids)
		return;
	if (needs_find(w) || !w->needs.n ||
	    op_rows_init(&w->rows, w->m, w->err))
		return;
	w->rows.demangles = !w->o->program;
	w->most_used = most_used(w);
	for (size_t i = 0, n; i < w->needs.n && !w->err->code; i += n) {
		n = same_mapping(w, i);
		mapping_find(k, &w->needs.p[i], n);
	}
	if (!w->err->code)
		op_sym_ask(w);
	if (!w->err->code)
		outcomes(k);
}

static void names_init(struct op_names *n, const struct op_symbolize_opts *opts,
		       size_t max_bytes)
{
	memset(n, 0, sizeof(*n));
	if (opts)
		n->o = *opts;
	n->helper.program = n->o.program;
	n->helper.limits = n->o.limits;
	n->memory.o = &n->o;
	n->memory.mem.err = OP_IGNORED;
	op_name_cache_init(&n->cache, max_bytes);
}

static void names_fini(struct op_names *n)
{
	op_helper_close(&n->helper);
	op_memory_fini(&n->memory);
	op_name_cache_fini(&n->cache);
}

struct op_names *op_names_new(const struct op_symbolize_opts *opts,
			      size_t max_bytes, struct op_err *err)
{
	struct op_names *n = op_heap_resize(NULL, sizeof(*n), err);

	if (n)
		names_init(n, opts, max_bytes);
	return n;
}

void op_names_free(struct op_names *n)
{
	if (!n)
		return;
	names_fini(n);
	op_heap_free(n);
}

size_t op_names_bytes(const struct op_names *n)
{
	return n->cache.bytes;
}

uint64_t op_names_helper_us(const struct op_names *n)
{
	return op_helper_spent_us(&n->helper);
}

int op_symbolize_with(struct op_names *n, struct op_model *m,
		      struct op_symbolize_result *result, struct op_err *err)
{
	struct op_symbolize_result r = { 0 };
	struct work k = {
		.w = { .m = m,
		       .o = &n->o,
		       .r = &r,
		       .err = err,
		       .mem.err = err,
		       .helper = &n->helper,
		       .cache = &n->cache,
		       .identity.err = err },
		.memory = &n->memory,
	};

	op_arena_tells(&m->mem, err);
	op_helper_renew(&n->helper);
	op_name_cache_begin(&n->cache);
	k.w.time_ns = last_time(m);
	op_memory_begin(&n->memory, m, &k.w.mem, k.w.time_ns);
	run(&k);
	if (k.w.rows.m)
		op_rows_finish(&k.w.rows);
	op_buf_free(&k.w.identity);
	op_arena_free(&k.w.mem);
	if (result)
		*result = r;
	return err->code;
}

int op_symbolize(struct op_model *m, const struct op_symbolize_opts *opts,
		 struct op_symbolize_result *result, struct op_err *err)
{
	struct op_names n;

	names_init(&n, opts, 0);
	op_symbolize_with(&n, m, result, err);
	names_fini(&n);
	return err->code;
}
