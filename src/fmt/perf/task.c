// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/task.c: processes and threads, as records tell of them. */
#include "fmt/perf/task.h"

#include <stdio.h>

#include "base/hash.h"
#include "fmt/perf/map.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"

static bool thread_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_perf_thread *)table)[id].tid ==
	       *(const uint32_t *)key;
}

static bool process_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_perf_process *)table)[id].pid ==
	       *(const uint32_t *)key;
}

static uint32_t hash_of(uint32_t id)
{
	uint64_t word = id;

	return op_hash_words(&word, 1);
}

uint32_t op_perf_process(struct op_perf *f, uint32_t pid)
{
	struct op_perf_process row = { .pid = pid, .is_fresh = true };
	uint32_t id = op_intern_find(&f->tasks.process_index, hash_of(pid),
				     process_eq, f->tasks.processes.p, &pid);

	if (op_likely(id != OP_NO_ID))
		return id;
	id = (uint32_t)f->tasks.processes.n;
	if (!op_vec_push(&f->mem, &f->tasks.processes, row) ||
	    !op_intern_add(&f->tasks.process_index, &f->mem, hash_of(pid), id))
		return OP_NO_ID;
	return id;
}

/* A thread is of the process that the last record says. */
static void thread_move(struct op_perf_thread *t, uint32_t pid)
{
	t->pid = pid;
	t->set = OP_NO_ID;
}

uint32_t op_perf_thread(struct op_perf *f, uint32_t pid, uint32_t tid)
{
	struct op_perf_thread row = { .tid = tid, .pid = pid, .set = OP_NO_ID };
	uint32_t id = op_intern_find(&f->tasks.thread_index, hash_of(tid),
				     thread_eq, f->tasks.threads.p, &tid);

	if (op_likely(id != OP_NO_ID)) {
		if (op_unlikely(f->tasks.threads.p[id].pid != pid))
			thread_move(&f->tasks.threads.p[id], pid);
		return id;
	}
	id = (uint32_t)f->tasks.threads.n;
	/* What runs when nothing does. */
	if (!tid)
		row.name = op_view_z("swapper");
	if (!op_vec_push(&f->mem, &f->tasks.threads, row) ||
	    !op_intern_add(&f->tasks.thread_index, &f->mem, hash_of(tid), id))
		return OP_NO_ID;
	return id;
}

uint32_t op_perf_thread_find(const struct op_perf *f, uint32_t tid)
{
	return op_intern_find(&f->tasks.thread_index, hash_of(tid), thread_eq,
			      f->tasks.threads.p, &tid);
}

static void thread_name(struct op_perf *f, uint32_t thread, struct op_view name)
{
	struct op_perf_thread *t = &f->tasks.threads.p[thread];

	if (op_view_eq(t->name, name))
		return;
	t->name = op_perf_kept(f, name);
	t->set = OP_NO_ID;
}

/* 8 u32 pid, tid; 16 name. */
void op_perf_comm(struct op_perf *f, const struct op_perf_record *r)
{
	struct op_perf_process *p;
	uint32_t pid, thread, process;

	if (r->size < 17) {
		op_perf_bad(f, r, "truncated thread name");
		return;
	}
	pid = op_perf_u32(f, r->p + 8);
	thread = op_perf_thread(f, pid, op_perf_u32(f, r->p + 12));
	process = op_perf_process(f, pid);
	if (f->err->code)
		return;
	thread_name(f, thread, op_perf_text(r->p + 16, r->size - 16u));
	if (!(r->misc & OP_PERF_EXEC))
		return;
	/* A new program. While it is being loaded callers are still those of
	 * the old one, so that what was mapped stays until it is replaced. */
	p = &f->tasks.processes.p[process];
	p->is_fresh = true;
}

/* The child begins with what the parent has. */
static void process_fork(struct op_perf *f, uint32_t pid, uint32_t parent_pid)
{
	uint32_t child = op_perf_process(f, pid);
	uint32_t parent = op_perf_process(f, parent_pid);
	struct op_perf_process *c, *p;

	if (f->err->code)
		return;
	c = &f->tasks.processes.p[child];
	p = &f->tasks.processes.p[parent];
	/* Counted first, in case they are the same already. */
	if (p->space)
		p->space->nr_users++;
	op_perf_space_drop(f, c->space);
	c->space = p->space;
	c->program = p->program;
	c->is_fresh = p->is_fresh;
	c->version++;
	c->nr_threads = 1;
	c->is_born = true;
}

/* 8 u32 pid, parent's pid, tid, parent's tid; 24 u64 time. */
void op_perf_fork(struct op_perf *f, const struct op_perf_record *r)
{
	uint32_t pid, parent_pid, parent, thread, process;

	if (r->size < 32) {
		op_perf_bad(f, r, "truncated thread start");
		return;
	}
	pid = op_perf_u32(f, r->p + 8);
	parent_pid = op_perf_u32(f, r->p + 12);
	parent = op_perf_thread(f, parent_pid, op_perf_u32(f, r->p + 20));
	thread = op_perf_thread(f, pid, op_perf_u32(f, r->p + 16));
	process = op_perf_process(f, pid);
	if (f->err->code)
		return;
	if (parent != thread)
		thread_name(f, thread, f->tasks.threads.p[parent].name);
	f->tasks.threads.p[thread].state = OP_PERF_UNKNOWN;
	if (pid != parent_pid)
		process_fork(f, pid, parent_pid);
	else
		f->tasks.processes.p[process].nr_threads++;
}

/* A process that has ended may still be met for a while: the kernel samples it
 * until it is gone. What it had mapped is forgotten when many others have
 * ended since. */
static void process_end(struct op_perf *f, uint32_t process)
{
	uint32_t *slot = &f->tasks.ended[f->tasks.nr_ended++ % OP_PERF_ENDED];
	struct op_perf_process *old = &f->tasks.processes.p[*slot];

	if (f->tasks.nr_ended > OP_PERF_ENDED && !old->nr_threads) {
		op_perf_space_drop(f, old->space);
		old->space = NULL;
	}
	*slot = process;
}

/* Only of a process whose start was seen all threads are known. */
void op_perf_exit(struct op_perf *f, const struct op_perf_record *r)
{
	struct op_perf_process *p;
	uint32_t process, thread;

	if (r->size < 32) {
		op_perf_bad(f, r, "truncated thread end");
		return;
	}
	process = op_perf_process(f, op_perf_u32(f, r->p + 8));
	if (f->err->code)
		return;
	thread = op_perf_thread_find(f, op_perf_u32(f, r->p + 16));
	if (thread != OP_NO_ID)
		f->tasks.threads.p[thread].state = OP_PERF_GONE;
	p = &f->tasks.processes.p[process];
	if (p->is_born && p->nr_threads && !--p->nr_threads &&
	    !f->losses.lost_records)
		process_end(f, process);
}

/* --- mappings --- */

static bool begins(struct op_view v, const char *s)
{
	size_t n = strlen(s);

	return v.n >= n && !memcmp(v.p, s, n);
}

/* Code that was made at run time is named by the file that says what it is,
 * which perf looks for too. */
static void code_name(struct op_perf_dso *d, uint32_t pid, char *text, size_t n)
{
	if (!begins(d->name, "//anon") && !begins(d->name, "/dev/zero") &&
	    !begins(d->name, "/anon_hugepage") && d->name.n)
		return;
	snprintf(text, n, "/tmp/perf-%d.map", (int32_t)pid);
	d->name = op_view_z(text);
	d->kind = OP_PERF_CODE;
}

/* Of the kernel only what it can execute after its start is recorded, but its
 * first callers are in what comes behind that. */
static void kernel_grow(const struct op_perf *f, struct op_perf_map *map)
{
	const uint64_t most = (uint64_t)1 << 30;
	uint64_t end = map->start + most < most ? UINT64_MAX :
						  map->start + most;
	uint64_t next = op_perf_map_next(&f->maps.kernel, map->end);

	if (end > next)
		end = next;
	if (end > map->end)
		map->end = end;
}

/* "[kernel.kallsyms]_text" says what its address is of. */
static void kernel_name(struct op_perf_dso *d)
{
	const uint8_t *end = d->name.n ? memchr(d->name.p, ']', d->name.n) :
					 NULL;

	if (end && d->name.p[0] == '[')
		d->name.n = (size_t)(end + 1 - d->name.p);
	d->kind = OP_PERF_OF_KERNEL;
}

static void user_map(struct op_perf *f, uint32_t pid, struct op_perf_map *map,
		     struct op_perf_dso *dso)
{
	uint32_t process = op_perf_process(f, pid);
	struct op_perf_process *p;
	char text[40];

	code_name(dso, pid, text, sizeof(text));
	if (dso->name.p[0] == '[' && !op_view_is(dso->name, "[vdso]"))
		dso->kind = OP_PERF_CODE;
	map->base = dso->kind == OP_PERF_CODE ? map->start : map->offset;
	map->dso = op_perf_dso(f, dso);
	if (f->err->code)
		return;
	p = &f->tasks.processes.p[process];
	if (p->is_fresh && dso->kind == OP_PERF_FILE && dso->name.p[0] == '/') {
		p->is_fresh = false;
		p->program = f->maps.dsos.p[map->dso].name;
		p->version++;
	}
	if (op_perf_space_own(f, &p->space))
		op_perf_map_add(f, p->space, map);
}

/* 8 u32 pid, tid; 16 u64 start, bytes, offset; then MMAP: 40 name; MMAP2: 40
 * the inode, or u8 n and 44 u8 id[n], 64 protection and flags, 72 name. */
void op_perf_mmap(struct op_perf *f, const struct op_perf_record *r)
{
	enum { EXECUTE = 4 };
	bool is_new = r->type == OP_PERF_MMAP2;
	unsigned int name_at = is_new ? 72 : 40, mode = r->misc & OP_PERF_MODE;
	struct op_perf_map map = { .mapping = OP_NO_ID };
	struct op_perf_dso dso = { 0 };

	if (r->size <= name_at) {
		op_perf_bad(f, r, "truncated mapping");
		return;
	}
	map.start = op_perf_u64(f, r->p + 16);
	map.end = map.start + op_perf_u64(f, r->p + 24);
	map.offset = op_perf_u64(f, r->p + 32);
	dso.name = op_perf_text(r->p + name_at, r->size - name_at);
	if (map.end < map.start)
		map.end = UINT64_MAX;
	if (is_new && r->misc & OP_PERF_HAS_ID) {
		dso.id_len = r->p[40] < sizeof(dso.id) ? r->p[40] :
							 sizeof(dso.id);
		memcpy(dso.id, r->p + 44, dso.id_len);
	} else if (is_new) {
		dso.inode = op_perf_u64(f, r->p + 48);
	}
	if (mode == OP_PERF_KERNEL) {
		kernel_name(&dso);
		if (op_view_is(dso.name, "[kernel.kallsyms]"))
			kernel_grow(f, &map);
		map.base = map.start;
		map.dso = op_perf_dso(f, &dso);
		if (!f->err->code)
			op_perf_map_add(f, &f->maps.kernel, &map);
	} else if (mode == OP_PERF_IN_USER || !mode) {
		if (is_new ? !(op_perf_u32(f, r->p + 64) & EXECUTE) :
			     r->misc & OP_PERF_DATA)
			return;
		user_map(f, op_perf_u32(f, r->p + 8), &map, &dso);
	}
}

/* 8 u64 start; 16 u32 bytes; 20 u16 kind, flags; 24 name. */
void op_perf_ksymbol(struct op_perf *f, const struct op_perf_record *r)
{
	enum { GONE = 1 };
	struct op_perf_dso dso = { .kind = OP_PERF_OF_KERNEL };
	struct op_perf_map map = { .mapping = OP_NO_ID };

	if (r->size <= 24) {
		op_perf_bad(f, r, "truncated kernel symbol");
		return;
	}
	map.start = map.base = op_perf_u64(f, r->p + 8);
	map.end = map.start + op_perf_u32(f, r->p + 16);
	if (map.end < map.start)
		return;
	dso.name = op_perf_text(r->p + 24, r->size - 24u);
	if (op_perf_u16(f, r->p + 22) & GONE) {
		op_perf_map_cut(f, &f->maps.kernel, map.start, map.end);
		return;
	}
	map.dso = op_perf_dso(f, &dso);
	if (!f->err->code)
		op_perf_map_add(f, &f->maps.kernel, &map);
}

/* --- cgroups --- */

static bool cgroup_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_perf_cgroup *)table)[id].id ==
	       *(const uint64_t *)key;
}

struct op_view op_perf_cgroup(const struct op_perf *f, uint64_t id)
{
	uint32_t found = op_intern_find(&f->tasks.cgroup_index,
					op_hash_words(&id, 1), cgroup_eq,
					f->tasks.cgroups.p, &id);

	return found == OP_NO_ID ? (struct op_view){ 0 } :
				   f->tasks.cgroups.p[found].path;
}

/* 8 u64 id; 16 path. */
void op_perf_cgroup_add(struct op_perf *f, const struct op_perf_record *r)
{
	struct op_perf_cgroup row;

	if (r->size <= 16) {
		op_perf_bad(f, r, "truncated cgroup");
		return;
	}
	row.id = op_perf_u64(f, r->p + 8);
	if (op_perf_cgroup(f, row.id).n)
		return;
	row.path = op_perf_kept(f, op_perf_text(r->p + 16, r->size - 16u));
	if (op_vec_push(&f->mem, &f->tasks.cgroups, row))
		op_intern_add(&f->tasks.cgroup_index, &f->mem,
			      op_hash_words(&row.id, 1),
			      (uint32_t)f->tasks.cgroups.n - 1);
}
