// SPDX-License-Identifier: Apache-2.0
#include "sym/symbolize.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/semconv.h"
#include "sym/cache.h"
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
};

static const char *const reasons[OP_NR_UNRESOLVED] = {
	[OP_NO_FILE] = "the file is not here",
	[OP_OTHER_BUILD] = "what is here is of another build",
	[OP_CHANGED] = "the file is newer than the profile",
	[OP_BROKEN] = "it cannot be read as an ELF file",
	[OP_NO_SYMBOL] = "there is no symbol for them",
	[OP_OTHER_KERNEL] = "it is not known to be the running kernel, or that "
			    "hides its addresses",
	[OP_NO_MAP] = "code made at run time, and no perf map of it that can "
		      "be trusted",
};

static const enum op_unresolved by_status[OP_FIND_NR] = {
	[OP_FIND_NO_FILE] = OP_NO_FILE,
	[OP_FIND_OTHER_BUILD] = OP_OTHER_BUILD,
	[OP_FIND_CHANGED] = OP_CHANGED,
	[OP_FIND_BROKEN] = OP_BROKEN,
};

enum { HAS_NAMES = 1, HAS_LINES = 2, HAS_INLINES = 4, MOST_NOTES = 20 };

/* A location that needs names. */
struct need {
	uint64_t address;
	uint32_t mapping, location;
};

struct work {
	struct op_model *m;
	const struct op_symbolize_opts *o;
	struct op_symbolize_result *r;
	struct op_err *err;
	struct op_arena mem;
	OP_VEC(struct need) needs;
	struct op_cache cache;
	struct op_memory memory;
	struct op_rows rows;
	uint32_t unresolved_key;
	uint32_t unresolved[OP_NR_UNRESOLVED]; /* attributes; 0: not made */
	uint64_t nr_notes;
	uint8_t *flags; /* a byte a mapping: HAS_ */
	/* Of the mapping at hand. */
	uint64_t here[OP_NR_UNRESOLVED];
	uint64_t nr_here;
	bool is_unchecked;
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
	const struct need *a = pa, *b = pb;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->location > b->location) - (a->location < b->location);
}

/* A binary is asked for all its addresses at once, in their order. */
static int needs_find(struct work *w)
{
	const struct op_dict *d = &w->m->dict;

	for (uint32_t i = 1; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];

		if (has_name(w->m, l)) {
			w->r->nr_kept++;
			continue;
		}
		if (l->address &&
		    !op_vec_push(&w->mem, &w->needs,
				 ((struct need){ l->address, l->mapping, i })))
			return op_fail(w->err, OP_ENOMEM,
				       "no memory for symbols");
	}
	if (w->needs.n)
		qsort(w->needs.p, w->needs.n, sizeof(*w->needs.p), compare);
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

/* An address that lies in its mapping in memory is the file's by way of that.
 * No process has memory at 0, so a mapping there has the file's addresses. */
static uint64_t vaddr_of(const struct op_binary *b, const struct op_mapping *m,
			 uint64_t address)
{
	uint64_t vaddr;

	if (m->start && address >= m->start && address < m->limit &&
	    op_elf_memory_to_vaddr(&b->elf, m->start, m->offset, address,
				   &vaddr))
		return vaddr;
	return address;
}

/* --- results --- */

static void frames_put(struct work *w, uint32_t location,
		       const struct op_sym_frame *f, size_t n)
{
	struct op_location *l = &w->m->dict.locations[location];
	size_t first = w->rows.lines.n;

	for (size_t i = 0; i < n && !w->err->code; i++)
		op_rows_frame(&w->rows, &f[i]);
	if (w->err->code) {
		w->rows.lines.n = first;
		return;
	}
	l->first_line = (uint32_t)first;
	l->nr_lines = (uint32_t)n;
	w->r->nr_frames += n;
	w->flags[l->mapping] |= HAS_NAMES;
	if (n > 1)
		w->flags[l->mapping] |= HAS_INLINES;
	if (f[0].at.line)
		w->flags[l->mapping] |= HAS_LINES;
}

static void outcome(struct work *w, uint32_t location, enum op_unresolved why)
{
	struct op_location *l = &w->m->dict.locations[location];
	struct op_any code = { .kind = OP_ANY_STRING };

	w->r->nr[why]++;
	w->here[why]++;
	w->nr_here++;
	if (!w->unresolved_key)
		w->unresolved_key = op_rows_string(
			&w->rows, op_view_z(OP_ATTR_UNRESOLVED));
	if (why && !w->unresolved[why]) {
		code.bytes = op_view_z(op_unresolved_codes[why]);
		w->unresolved[why] = op_rows_attr(&w->rows, OP_ATTR_UNRESOLVED,
						  code);
	}
	if (!w->err->code)
		l->attrs = op_rows_set(&w->rows, l->attrs, w->unresolved_key,
				       w->unresolved[why]);
}

static enum op_unresolved in_binary(struct work *w, struct op_binary *b,
				    const struct need *n)
{
	const struct op_mapping *m = &w->m->dict.mappings[n->mapping];
	struct op_sym_frame f[OP_LINES_MOST];
	size_t nr;

	if (!op_binary_is_open(b))
		return by_status[b->status];
	nr = op_binary_frames(b, vaddr_of(b, m, n->address), f, OP_LINES_MOST);
	if (!nr)
		return OP_NO_SYMBOL;
	frames_put(w, n->location, f, nr);
	if (b->status == OP_FIND_UNCHECKED) {
		w->r->nr_unchecked++;
		w->is_unchecked = true;
	}
	return OP_RESOLVED;
}

static enum op_unresolved in_memory(struct work *w, const struct need *n)
{
	struct op_sym_frame f = { 0 };
	enum op_unresolved why;

	if (op_is_kernel(n->address))
		why = op_memory_kernel(&w->memory, n->address, &f.name, w->err);
	else
		why = op_memory_jit(&w->memory, n->location, &f.name, w->err);
	if (!why)
		frames_put(w, n->location, &f, 1);
	return why;
}

/* --- a mapping --- */

/* A pprof profile says of each mapping what it has. Done last: while names are
 * looked for, the sets of mappings are read. */
static void flags_put(struct work *w, uint32_t mapping)
{
	static const struct {
		const char *key;
		int flag;
	} flags[] = {
		{ OP_ATTR_HAS_FUNCTIONS, HAS_NAMES },
		{ OP_ATTR_HAS_FILENAMES, HAS_LINES },
		{ OP_ATTR_HAS_LINE_NUMBERS, HAS_LINES },
		{ OP_ATTR_HAS_INLINE_FRAMES, HAS_INLINES },
	};
	struct op_mapping *m = &w->m->dict.mappings[mapping];
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };

	for (size_t i = 0; i < op_countof(flags); i++) {
		uint32_t attr;

		if (!(w->flags[mapping] & flags[i].flag))
			continue;
		attr = op_rows_attr(&w->rows, flags[i].key, yes);
		if (w->err->code)
			return;
		m->attrs = op_rows_set(&w->rows, m->attrs,
				       w->rows.attrs.p[attr].key, attr);
	}
}

static void note(struct work *w, uint32_t mapping, uint64_t nr, const char *why)
{
	struct op_view file = op_string(w->m,
					w->m->dict.mappings[mapping].filename);
	char text[512];

	if (w->nr_notes++ >= MOST_NOTES || !w->o->note)
		return;
	if (!file.n)
		file = op_view_z("code in no file");
	snprintf(text, sizeof(text), "%.*s: %llu of %llu addresses %s",
		 file.n < 300 ? (int)file.n : 300, file.p,
		 (unsigned long long)nr, (unsigned long long)w->nr_here, why);
	w->o->note(w->o->ctx, text);
}

static void notes(struct work *w, uint32_t mapping)
{
	char text[160];

	for (int i = OP_RESOLVED + 1; i < OP_NR_UNRESOLVED; i++) {
		if (!w->here[i])
			continue;
		snprintf(text, sizeof(text), "have no name: %s", reasons[i]);
		note(w, mapping, w->here[i], text);
	}
	if (w->is_unchecked)
		note(w, mapping, w->here[OP_RESOLVED],
		     "are named by the file that is there now: the profile "
		     "names no build of it");
}

/* All locations of one mapping, from i on; gives the first of the next. */
static size_t mapping_do(struct work *w, size_t i)
{
	uint32_t mapping = w->needs.p[i].mapping;
	struct op_view file = op_string(w->m,
					w->m->dict.mappings[mapping].filename);
	struct op_wanted want = { .path = file,
				  .ids = op_mapping_ids(w->m, mapping),
				  .time_ns = w->memory.time_ns };
	bool has_id = want.ids.gnu.n || want.ids.go.n || want.ids.htlhash.n;
	bool is_jit = op_is_jit(file) && !has_id;
	struct op_binary *b = NULL;

	memset(w->here, 0, sizeof(w->here));
	w->nr_here = 0;
	w->is_unchecked = false;
	for (; i < w->needs.n && w->needs.p[i].mapping == mapping &&
	       !w->err->code;
	     i++) {
		const struct need *n = &w->needs.p[i];
		enum op_unresolved why;

		if (is_jit || op_is_kernel(n->address)) {
			why = in_memory(w, n);
		} else {
			if (!b)
				b = op_cache_get(&w->cache, &want, w->err);
			if (!b)
				break;
			why = in_binary(w, b, n);
		}
		if (!w->err->code)
			outcome(w, n->location, why);
	}
	if (!w->err->code)
		notes(w, mapping);
	return i;
}

static void last_note(struct work *w)
{
	char text[80];

	if (w->nr_notes <= MOST_NOTES || !w->o->note)
		return;
	snprintf(text, sizeof(text), "%llu more files lack names",
		 (unsigned long long)(w->nr_notes - MOST_NOTES));
	w->o->note(w->o->ctx, text);
}

static void run(struct work *w)
{
	uint32_t nr = w->m->dict.nr[OP_MAPPINGS];

	w->flags = op_new(&w->mem, uint8_t, nr);
	if (!w->flags) {
		op_fail(w->err, OP_ENOMEM, "no memory for symbols");
		return;
	}
	if (needs_find(w) || !w->needs.n ||
	    op_rows_init(&w->rows, w->m, w->err))
		return;
	for (size_t i = 0; i < w->needs.n && !w->err->code;)
		i = mapping_do(w, i);
	for (uint32_t i = 1; i < nr && !w->err->code; i++)
		if (w->flags[i])
			flags_put(w, i);
	last_note(w);
}

int op_symbolize(struct op_model *m, const struct op_symbolize_opts *opts,
		 struct op_symbolize_result *result, struct op_err *err)
{
	struct op_symbolize_opts o = { 0 };
	struct op_symbolize_result r = { 0 };
	struct work w = { .m = m, .o = &o, .r = &r, .err = err };

	if (opts)
		o = *opts;
	w.cache.find = o.find;
	w.cache.max_bytes = o.cache_bytes;
	w.memory.o = &o;
	w.memory.m = m;
	w.memory.time_ns = last_time(m);
	run(&w);
	if (w.rows.m)
		op_rows_finish(&w.rows);
	r.nr_opened = w.cache.nr_opened;
	op_cache_free(&w.cache);
	op_memory_fini(&w.memory);
	op_arena_free(&w.mem);
	if (result)
		*result = r;
	return err->code;
}
