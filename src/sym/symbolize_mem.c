// SPDX-License-Identifier: Apache-2.0
/* sym/symbolize_mem.c: addresses without a binary: the kernel and JIT code. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "model/semconv.h"
#include "sym/symbolize_int.h"

enum {
	PID_MANY = UINT32_MAX,
	MAX_PROCESSES = 64,
	KERNEL_TEXT = 256 << 20,
	MAP_TEXT = 256 << 20,
};

bool op_is_kernel(uint64_t address)
{
	return address >> 63;
}

bool op_is_jit(struct op_view v)
{
	static const char *const starts[] = { "//anon", "[anon",
					      "/memfd:", "/dev/zero",
					      "/tmp/perf-" };

	if (!v.n)
		return true;
	for (size_t i = 0; i < op_countof(starts); i++) {
		size_t n = strlen(starts[i]);

		if (v.n >= n && !memcmp(v.p, starts[i], n))
			return true;
	}
	return false;
}

/* --- the kernel --- */

/* Reads all of a file of unknown size. */
static bool read_text(const char *path, struct op_buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		uint8_t *to = op_buf_add(out, 65536);

		if (!to)
			break;
		do
			got = read(fd, to, 65536);
		while (got < 0 && errno == EINTR);
		out->n -= 65536 - (got > 0 ? (size_t)got : 0);
	}
	if (fd >= 0)
		close(fd);
	return !got && !out->err->code;
}

static bool is_running_build(const struct op_memory *m,
			     const struct op_build_ids *ids)
{
	const char *path = m->o->notes ? m->o->notes : "/sys/kernel/notes";
	struct op_err err = { 0 };
	struct op_buf notes = { .err = &err, .limit = 1 << 20 };
	struct op_view id;
	bool same = false;

	if (ids->gnu.n && read_text(path, &notes))
		same = op_elf_note_in(op_view(notes.p, notes.n), 4, "GNU",
				      NT_GNU_BUILD_ID, &id) &&
		       op_hex_is(ids->gnu, id);
	op_buf_free(&notes);
	return same;
}

/* Whether a mapping shows that the profile is of this boot. */
static bool is_this_boot(const struct op_memory *m, uint32_t mapping)
{
	const struct op_mapping *row = &m->m->dict.mappings[mapping];
	struct op_build_ids ids;

	if (!op_is_kernel(row->start) ||
	    (row->start != m->kernel.text && row->start != m->kernel.stext))
		return false;
	ids = op_mapping_ids(m->m, mapping);
	return is_running_build(m, &ids);
}

static bool has_kernel(const struct op_memory *m)
{
	uint32_t nr = m->m->dict.nr[OP_MAPPINGS];
	bool any = false;

	for (uint32_t i = 1; i < nr; i++)
		any |= op_is_kernel(m->m->dict.mappings[i].start);
	return any;
}

static void kernel_read(struct op_memory *m)
{
	const char *path = m->o->kallsyms ? m->o->kallsyms : "/proc/kallsyms";

	op_arena_tells(&m->mem, &m->kernel_err);
	m->kernel.symbols.mem = &m->mem;
	m->kernel_text = (struct op_buf){ .limit = KERNEL_TEXT,
					  .err = &m->kernel_err };
	m->kernel_read = read_text(path, &m->kernel_text) &&
			 !op_kallsyms_read(&m->kernel,
					   op_view(m->kernel_text.p,
						   m->kernel_text.n),
					   &m->kernel_err);
}

/* The symbols are read once, and compared with each model. */
static void kernel_compare(struct op_memory *m, struct op_err *err)
{
	uint32_t nr = m->m->dict.nr[OP_MAPPINGS];

	m->kernel_compared = true;
	if (!has_kernel(m))
		return;
	if (!m->kernel_tried) {
		m->kernel_tried = true;
		kernel_read(m);
		if (m->kernel_err.code == OP_ENOMEM)
			*err = m->kernel_err;
	}
	for (uint32_t i = 1; m->kernel_read && i < nr && !m->kernel_ok; i++)
		m->kernel_ok = is_this_boot(m, i);
}

enum op_unresolved op_memory_kernel(struct op_memory *m, uint64_t address,
				    struct op_view *name, struct op_err *err)
{
	const struct op_symbol *s;

	if (!m->kernel_compared)
		kernel_compare(m, err);
	if (!m->kernel_ok)
		return OP_OTHER_KERNEL;
	s = op_symtab_find(&m->kernel.symbols, address);
	if (!s)
		return OP_NO_SYMBOL;
	*name = op_symbol_name(s);
	return OP_RESOLVED;
}

/* --- code made at run time --- */

static uint32_t pid_of_any(const struct op_any *v)
{
	if (v->kind != OP_ANY_INT || v->num <= 0 || v->num > INT32_MAX)
		return 0;
	return (uint32_t)v->num;
}

static uint32_t pid_of_resource(const struct op_model *m,
				const struct op_resource *r)
{
	for (uint32_t i = 0; i < r->attrs.n; i++)
		if (op_view_is(op_kv_key(m, &r->attrs.p[i]), OP_ATTR_PID))
			return pid_of_any(&r->attrs.p[i].value);
	return 0;
}

/* When a resource says that its process started; 0: it does not. */
static uint64_t start_of_resource(const struct op_model *m,
				  const struct op_resource *r)
{
	struct op_err ignored = { 0 };
	struct op_time t = { 0 };
	char text[40] = "";

	for (uint32_t i = 0; i < r->attrs.n; i++) {
		struct op_view v = op_any_text(m, &r->attrs.p[i].value);

		if (v.n && v.n < sizeof(text) &&
		    op_view_is(op_kv_key(m, &r->attrs.p[i]),
			       OP_ATTR_CREATION_TIME))
			memcpy(text, v.p, v.n);
	}
	if (!*text || op_time_parse(text, &t, &ignored) || t.kind != OP_TIME_AT)
		return 0;
	return t.ns;
}

/* When a process started; 0: not known. False if two had the same PID. */
static bool start_of_pid(const struct op_model *m, uint32_t pid, uint64_t *out)
{
	*out = 0;
	for (uint32_t i = 0; i < m->nr_resources; i++) {
		const struct op_resource *r = &m->resources[i];
		uint64_t start;

		if (pid_of_resource(m, r) != pid)
			continue;
		start = start_of_resource(m, r);
		if (start && *out && start != *out)
			return false;
		if (start)
			*out = start;
	}
	return true;
}

static void pid_note(uint32_t *at, uint32_t pid)
{
	*at = !*at || *at == pid ? pid : PID_MANY;
}

/* The process of each stack. */
static void pids_of_stacks(const struct op_model *m, uint32_t *stacks)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w)) {
		uint32_t of_all = pid_of_resource(m, w.resource);

		for (uint32_t i = 0; i < w.profile->nr_samples; i++) {
			const struct op_attr *a = op_set_find(
				m, w.profile->set[i], OP_ATTR_PID);
			uint32_t pid = a ? pid_of_any(&a->value) : of_all;

			pid_note(&stacks[w.profile->stack[i]],
				 pid ? pid : PID_MANY);
		}
	}
}

/* The process of each location: another process may have other code at the same
 * address. */
static bool pids_read(struct op_memory *m)
{
	const struct op_dict *d = &m->m->dict;
	uint32_t *stacks = op_new(m->model_mem, uint32_t, d->stacks.nr);

	m->pids = op_new(m->model_mem, uint32_t, d->nr[OP_LOCATIONS]);
	if (!m->pids || !stacks)
		return false;
	pids_of_stacks(m->m, stacks);
	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		struct op_ids frames = op_list(&d->stacks, i);

		for (uint32_t k = 0; stacks[i] && k < frames.n; k++)
			pid_note(&m->pids[frames.p[k]], stacks[i]);
	}
	return true;
}

/* perf names such a mapping after its map: /tmp/perf-123.map */
static uint32_t pid_in_name(struct op_view v)
{
	static const char start[] = "/tmp/perf-";
	size_t n = sizeof(start) - 1;
	uint64_t pid = 0;

	if (v.n <= n || memcmp(v.p, start, n))
		return 0;
	for (; n < v.n && v.p[n] >= '0' && v.p[n] <= '9'; n++) {
		pid = pid * 10 + (v.p[n] - '0');
		if (pid > INT32_MAX)
			return 0;
	}
	return op_view_is(op_view(v.p + n, v.n - n), ".map") ? (uint32_t)pid :
							       0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void jit_forget(struct op_memory *m, struct op_jit_process *p)
{
	m->jit_used -= p->bytes;
	p->bytes = 0;
	op_buf_free(&p->text);
	op_arena_free(&p->mem);
	p->st = (struct stat){ 0 };
	p->text = (struct op_buf){ .limit = MAP_TEXT, .err = &p->err };
	p->jit = (struct op_jit){ .mem = &p->mem };
}

/* Whether all maps fit into the memory that there is for them, perhaps without
 * those that this model does not need. */
static bool jit_fits(struct op_memory *m, struct op_jit_process *p)
{
	p->bytes = p->text.cap + p->mem.used;
	m->jit_used += p->bytes;
	for (struct op_jit_process *q = m->processes;
	     q && m->o->jit_bytes && m->jit_used > m->o->jit_bytes; q = q->next)
		if (q->call < m->call)
			jit_forget(m, q);
	return !m->o->jit_bytes ||
	       (m->jit_used <= m->o->jit_bytes && p->jit.codes.n < p->jit.max);
}

static void jit_parse(struct op_jit_process *p, int fd, bool is_dump)
{
	struct op_view text;

	if (op_jit_map_take(fd, &p->text))
		return;
	text = op_view(p->text.p, p->text.n);
	if (is_dump)
		op_jit_dump(&p->jit, text, &p->err);
	else
		op_jit_perf_map(&p->jit, text, &p->err);
}

/* The perf map, which most runtimes write; else the jitdump file that perf
 * inject reads. */
static int jit_open(struct op_jit_process *p, struct op_jit_place *at,
		    struct stat *st)
{
	int fd = op_jit_map_open(at, st, &p->err);

	if (fd < 0 && p->err.code == OP_EIO) {
		p->err = (struct op_err){ 0 };
		at->is_dump = true;
		fd = op_jit_map_open(at, st, &p->err);
	}
	return fd;
}

/* Not read again if it has not changed. A part of a map that is too large would
 * have names of code that was replaced. */
static void jit_read(struct op_memory *m, struct op_jit_process *p,
		     struct op_jit_place at)
{
	size_t half = m->o->jit_bytes / 2;
	struct stat st;
	int fd;

	p->err = (struct op_err){ 0 };
	op_arena_tells(&p->mem, &p->err);
	fd = jit_open(p, &at, &st);
	if (fd >= 0 && ((p->st.st_nlink && is_same_file(&st, &p->st)) ||
			(half && (uint64_t)st.st_size > half))) {
		close(fd);
		if (half && (uint64_t)st.st_size > half)
			jit_forget(m, p);
		return;
	}
	jit_forget(m, p);
	if (fd < 0)
		return;
	p->st = st;
	if (half)
		p->jit.max = half / sizeof(struct op_jit_code);
	jit_parse(p, fd, at.is_dump);
	op_jit_finish(&p->jit);
	if (p->err.code == OP_ENOMEM || !jit_fits(m, p))
		jit_forget(m, p);
}

/* One that no location of this model needed yet. */
static struct op_jit_process *process_reuse(struct op_memory *m)
{
	struct op_jit_process *p = m->processes, *old = NULL;

	for (; p; p = p->next)
		if (p->call < m->call && (!old || p->call < old->call))
			old = p;
	if (old)
		jit_forget(m, old);
	return old;
}

static struct op_jit_process *process_new(struct op_memory *m)
{
	struct op_jit_process *p;

	if (m->nr_processes == MAX_PROCESSES)
		return process_reuse(m);
	p = op_new(&m->mem, struct op_jit_process, 1);
	if (!p)
		return NULL;
	p->mem.err = &p->err;
	jit_forget(m, p);
	p->next = m->processes;
	m->processes = p;
	m->nr_processes++;
	return p;
}

static struct op_jit_process *process(struct op_memory *m, uint32_t pid,
				      struct op_err *err)
{
	struct op_jit_place at = { .proc = m->o->proc,
				   .pid = pid,
				   .before_ns = m->time_ns };
	struct op_jit_process *p = m->processes;

	op_arena_tells(&m->mem, err);
	while (p && p->pid != pid)
		p = p->next;
	if (p && p->call == m->call)
		return p;
	if (!p)
		p = process_new(m);
	if (!p)
		return NULL;
	p->pid = pid;
	p->call = m->call;
	if (start_of_pid(m->m, pid, &at.since_ns))
		jit_read(m, p, at);
	else
		jit_forget(m, p);
	if (p->err.code == OP_ENOMEM)
		*err = p->err;
	return p;
}

enum op_unresolved op_memory_jit(struct op_memory *m, uint32_t location,
				 struct op_view *name, struct op_err *err)
{
	const struct op_dict *d = &m->m->dict;
	const struct op_location *l = &d->locations[location];
	uint32_t file = d->mappings[l->mapping].filename;
	uint32_t pid = pid_in_name(op_string(m->m, file));
	struct op_jit_process *p;

	if (!pid) {
		if (!m->pids && !pids_read(m))
			return OP_NO_MAP;
		pid = m->pids[location];
	}
	if (!pid || pid == PID_MANY)
		return OP_NO_MAP;
	p = process(m, pid, err);
	if (!p || !p->jit.codes.n)
		return OP_NO_MAP;
	*name = op_jit_find(&p->jit, l->address, OP_JIT_NOW);
	return name->n ? OP_RESOLVED : OP_NO_SYMBOL;
}

void op_memory_begin(struct op_memory *m, struct op_model *model,
		     struct op_arena *mem, uint64_t time_ns)
{
	m->m = model;
	m->model_mem = mem;
	m->time_ns = time_ns;
	m->call++;
	m->kernel_compared = m->kernel_ok = false;
	m->pids = NULL;
}

void op_memory_fini(struct op_memory *m)
{
	for (struct op_jit_process *p = m->processes; p; p = p->next)
		jit_forget(m, p);
	op_buf_free(&m->kernel_text);
	op_arena_free(&m->mem);
}
