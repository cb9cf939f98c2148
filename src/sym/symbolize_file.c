// SPDX-License-Identifier: Apache-2.0
/* sym/symbolize_file.c: addresses in files.
 *
 * Mappings are many, and any number of paths lead to one file. So files are
 * found first and identified by device and inode; then each is read once, for
 * all its addresses in their order. */
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "sym/symbolize_int.h"

static const enum op_unresolved by_status[OP_FIND_NR] = {
	[OP_FIND_NO_FILE] = OP_NO_FILE,
	[OP_FIND_OTHER_BUILD] = OP_OTHER_BUILD,
	[OP_FIND_CHANGED] = OP_CHANGED,
	[OP_FIND_BROKEN] = OP_BROKEN,
};

/* --- finding --- */

static uint64_t thread_us(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static struct op_wanted wanted(const struct op_sym_work *w, uint32_t mapping)
{
	uint32_t name = w->m->dict.mappings[mapping].filename;

	return (struct op_wanted){ .path = op_string(w->m, name),
				   .ids = op_mapping_ids(w->m, mapping),
				   .time_ns = w->time_ns };
}

static bool file_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_sym_file *a =
		&((const struct op_sym_work *)table)->files.p[id];
	const struct op_sym_file *b = key;

	return a->dev == b->dev && a->ino == b->ino;
}

/* The number of an open file; OP_NO_ID without memory. The vDSO is 0, 0. */
static uint32_t file_id(struct op_sym_work *w, const struct op_binary *b,
			uint32_t mapping)
{
	const struct op_file *f = &b->files[OP_BINARY_MAIN];
	struct op_sym_file row = { .dev = f->dev,
				   .ino = f->ino,
				   .mapping = mapping };
	uint64_t words[] = { f->dev, f->ino };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&w->file_index, hash, file_eq, w, &row);

	if (id != OP_NO_ID)
		return id;
	id = row.id = (uint32_t)w->files.n;
	if (op_vec_push(&w->mem, &w->files, row) &&
	    op_intern_add(&w->file_index, &w->mem, hash, id))
		return id;
	return OP_NO_ID;
}

/* Converts a memory address to the file's by way of the mapping. No process has
 * memory at 0, so a mapping there has the file's addresses. */
static uint64_t vaddr_of(const struct op_elf *e, const struct op_mapping *m,
			 uint64_t address)
{
	uint64_t vaddr;

	if (m->start && address >= m->start && address < m->limit &&
	    op_elf_memory_to_vaddr(e, m->start, m->offset, address, &vaddr))
		return vaddr;
	return address;
}

static void fail_all(struct op_need *n, size_t nr, enum op_unresolved why)
{
	for (size_t i = 0; i < nr; i++)
		if (!n[i].is_known)
			n[i].why = why;
}

/* --- what is remembered --- */

static void identity_text(struct op_sym_work *w, struct op_view v)
{
	uint64_t n = v.n;

	op_buf_view(&w->identity, op_view(&n, sizeof(n)));
	op_buf_view(&w->identity, v);
}

static void identity_end(struct op_sym_work *w, uint32_t mapping)
{
	w->ids[mapping] = op_name_id(op_view(w->identity.p, w->identity.n));
	w->identity.n = 0;
}

/* That of the profile. */
static void identity_by_build(struct op_sym_work *w, uint32_t mapping,
			      const struct op_wanted *want)
{
	identity_text(w, want->path);
	identity_text(w, want->ids.gnu);
	identity_text(w, want->ids.go);
	identity_text(w, want->ids.htlhash);
	identity_end(w, mapping);
}

/* That of the file, if the profile has none. */
static void identity_by_file(struct op_sym_work *w, uint32_t mapping,
			     const struct op_file *f)
{
	uint64_t words[] = { f->dev, f->ino, f->mtime_ns, f->bytes.n };

	identity_text(w, op_view(words, sizeof(words)));
	identity_end(w, mapping);
}

static struct op_name_key key_of(const struct op_sym_work *w,
				 const struct op_need *n)
{
	const struct op_mapping *m = &w->m->dict.mappings[n->mapping];

	return (struct op_name_key){ .id = w->ids[n->mapping],
				     .start = m->start,
				     .limit = m->limit,
				     .offset = m->offset,
				     .address = n->address };
}

/* Gives names to needs of a mapping that were looked up before; how many. */
static size_t remembered(struct op_sym_work *w, struct op_need *n, size_t nr)
{
	struct op_sym_frame frames[OP_LINES_MAX];
	struct op_name_result r;
	size_t known = 0;

	for (size_t i = 0; i < nr && !w->err->code; i++) {
		struct op_name_key key = key_of(w, &n[i]);

		if (!op_name_cache_find(w->cache, &key, frames, &r))
			continue;
		n[i].is_known = true;
		n[i].file = OP_NO_ID;
		n[i].lost = r.lost;
		n[i].why = r.nr ? op_sym_put(w, n[i].location, r.frames, r.nr) :
				  (enum op_unresolved)r.why;
		known++;
	}
	w->r->nr_remembered += known;
	return known;
}

static void remember(struct op_sym_work *w, const struct op_need *n,
		     const struct op_sym_frame *frames, size_t nr)
{
	struct op_name_key key = key_of(w, n);
	struct op_name_result r = { .why = n->why,
				    .lost = n->lost,
				    .is_brief = n->why == OP_TOO_COSTLY,
				    .nr = nr,
				    .frames = frames };

	if (w->cache->max_bytes)
		op_name_cache_put(w->cache, &key, &r);
}

static void found(struct op_sym_work *w, const struct op_binary *b,
		  struct op_need *n, size_t nr)
{
	const struct op_mapping *m = &w->m->dict.mappings[n->mapping];
	uint32_t file;

	if (!op_binary_is_open(b)) {
		fail_all(n, nr, by_status[b->status]);
		return;
	}
	file = file_id(w, b, n->mapping);
	if (file == OP_NO_ID)
		return;
	for (size_t i = 0; i < nr; i++) {
		n[i].is_unchecked = b->status == OP_FIND_UNCHECKED;
		if (n[i].is_known)
			continue;
		w->files.p[file].nr++;
		n[i].file = file;
		n[i].vaddr = vaddr_of(&b->elfs[OP_BINARY_MAIN], m,
				      n[i].address);
	}
}

/* A profile may name any number of files, but the time to look for them is
 * limited. Servers that the user named are exempt. */
static bool may_find(const struct op_sym_work *w)
{
	enum { MAX_US = 1000000 };
	const struct op_debuginfod *server = w->o->find.server;

	return w->find_us < MAX_US || (server && server->client);
}

void op_sym_find(struct op_sym_work *w, struct op_need *n, size_t nr)
{
	struct op_wanted want = wanted(w, n->mapping);
	bool has_ids = op_build_ids_known(&want.ids);
	uint64_t begin = thread_us();
	struct op_binary b;

	if (has_ids) {
		identity_by_build(w, n->mapping, &want);
		if (remembered(w, n, nr) == nr)
			return;
	}
	if (!may_find(w)) {
		fail_all(n, nr, OP_TOO_COSTLY);
		return;
	}
	w->r->nr_searched++;
	op_binary_find(&b, &w->o->find, &want);
	if (!has_ids && op_binary_is_open(&b)) {
		identity_by_file(w, n->mapping, &b.files[OP_BINARY_MAIN]);
		remembered(w, n, nr);
	}
	found(w, &b, n, nr);
	op_binary_close(&b);
	w->find_us += thread_us() - begin;
}

/* --- asking --- */

struct asking {
	struct op_sym_work *w;
	struct op_need *needs;
};

static void answer(void *ctx, size_t i, enum op_helper_result result,
		   uint32_t flags, const struct op_sym_frame *frames, size_t nr)
{
	const struct asking *a = ctx;
	struct op_need *n = &a->needs[i];

	if (a->w->err->code)
		return;
	n->lost = flags;
	if (result == OP_HELPER_TOO_COSTLY)
		n->why = OP_TOO_COSTLY;
	else if (!nr)
		n->why = OP_NO_SYMBOL;
	remember(a->w, n, frames, n->why ? 0 : nr);
	if (!n->why)
		n->why = op_sym_put(a->w, n->location, frames, nr);
}

static void ask_here(struct asking *a, struct op_binary *b, size_t nr)
{
	struct op_sym_frame frames[OP_LINES_MAX];

	if (op_binary_load(b, a->w->err))
		return;
	for (size_t i = 0; i < nr && !a->w->err->code; i++) {
		size_t n = op_binary_frames(b, a->needs[i].vaddr, frames,
					    OP_LINES_MAX);

		answer(a, i, OP_HELPER_FRAMES, 0, frames, n);
	}
}

/* Split units are opened by name, and so never from another root. */
static bool may_split(const struct op_find *f, const struct op_binary *b)
{
	return !b->is_kept && (!f->root || op_view_is(op_view_z(f->root), "/"));
}

static void ask_helper(struct asking *a, struct op_binary *b, size_t nr)
{
	struct op_sym_work *w = a->w;
	uint64_t *vaddrs = op_new_raw(&w->mem, uint64_t, nr);
	struct op_helper_binary binary = {
		.may_split = may_split(&w->o->find, b),
	};
	struct op_helper_question q = { .binary = &binary,
					.vaddrs = vaddrs,
					.nr = nr,
					.fn = answer,
					.ctx = a };

	if (!vaddrs)
		return;
	for (size_t i = 0; i < nr; i++)
		vaddrs[i] = a->needs[i].vaddr;
	for (int i = 0; i < OP_BINARY_FILES; i++)
		binary.fds[i] = b->files[i].bytes.n ? b->files[i].fd : -1;
	op_helper_ask(w->helper, &q, w->err);
	op_arena_drop(&w->mem, vaddrs, nr * sizeof(*vaddrs));
}

/* It was opened before; if it has changed since, its build is unknown. */
static void file_ask(struct op_sym_work *w, struct op_need *n, size_t nr)
{
	const struct op_sym_file *f = &w->files.p[n->file];
	struct op_wanted want = wanted(w, f->mapping);
	struct asking a = { w, n };
	uint64_t begin = thread_us();
	struct op_binary b;

	op_binary_find_all(&b, &w->o->find, &want);
	w->find_us += thread_us() - begin;
	if (!op_binary_is_open(&b)) {
		fail_all(n, nr, by_status[b.status]);
	} else if (b.files[OP_BINARY_MAIN].dev != f->dev ||
		   b.files[OP_BINARY_MAIN].ino != f->ino) {
		fail_all(n, nr, OP_CHANGED);
	} else {
		w->r->nr_opened++;
		if (w->o->program)
			ask_helper(&a, &b, nr);
		else
			ask_here(&a, &b, nr);
	}
	op_binary_close(&b);
}

static int by_size(const void *pa, const void *pb)
{
	const struct op_sym_file *a = pa, *b = pb;

	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* Files with the most addresses come first: if the time is not enough for all
 * files, the most important ones are done. */
static bool files_sort(struct op_sym_work *w)
{
	uint32_t *place = op_new_raw(&w->mem, uint32_t, w->files.n);

	if (!place)
		return false;
	if (w->files.n)
		qsort(w->files.p, w->files.n, sizeof(*w->files.p), by_size);
	for (uint32_t i = 0; i < w->files.n; i++)
		place[w->files.p[i].id] = i;
	for (size_t i = 0; i < w->needs.n; i++)
		if (w->needs.p[i].file != OP_NO_ID)
			w->needs.p[i].file = place[w->needs.p[i].file];
	return true;
}

static int by_file(const void *pa, const void *pb)
{
	const struct op_need *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return (a->location > b->location) - (a->location < b->location);
}

void op_sym_ask(struct op_sym_work *w)
{
	size_t i = 0, to;

	if (!files_sort(w))
		return;
	qsort(w->needs.p, w->needs.n, sizeof(*w->needs.p), by_file);
	/* Addresses without a file have the highest number. */
	while (i < w->needs.n && w->needs.p[i].file != OP_NO_ID &&
	       !w->err->code) {
		for (to = i; to < w->needs.n; to++)
			if (w->needs.p[to].file != w->needs.p[i].file)
				break;
		file_ask(w, &w->needs.p[i], to - i);
		i = to;
	}
}
