// SPDX-License-Identifier: Apache-2.0
/* record/process.c: processes: what BPF knows of them, and their resources. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "host/resource.h"
#include "model/semconv.h"
#include "record/recorder_int.h"

/* How often the mappings of a process are read again, at most. */
static const uint64_t reread_ns = 1000000000;

/* --- mappings ------------------------------------------------------------- */

struct op_host_space *op_rec_space(struct op_recorder *r, uint32_t pid)
{
	uint32_t i = op_host_process_find(&r->host, pid);

	return i == OP_NO_ID ? NULL : r->host.tasks.processes.p[i].space;
}

struct reread {
	struct op_recorder *r;
	uint32_t pid;
	bool has_begun;
};

/* The first one replaces all that was known. A process that has ended has none:
 * what is known of it stays. */
static void add_map(void *arg, const struct op_host_mmap *m)
{
	struct reread *t = arg;

	if (!t->has_begun)
		op_host_unmap_all(&t->r->host, t->pid);
	t->has_begun = true;
	op_host_mmap(&t->r->host, m);
}

void op_rec_reread(struct op_recorder *r, struct op_rec_process *p,
		   uint64_t now)
{
	struct reread t = { .r = r, .pid = p->pid };

	if (p->read_ns && now - p->read_ns < reread_ns)
		return;
	p->read_ns = now;
	op_proc_maps(&r->proc, p->pid, add_map, &t);
}

/* What runs already is read before the first sample: a process that ends soon
 * is gone when its first sample is looked at, and its children have its
 * mappings. */
static void scan_one(void *arg, uint32_t pid)
{
	op_rec_process(arg, pid, 0);
}

void op_rec_scan(struct op_recorder *r)
{
	op_proc_pids(&r->proc, scan_one, r);
}

/* --- what BPF knows ------------------------------------------------------- */

void op_rec_process_dirty(struct op_recorder *r, struct op_rec_process *p)
{
	if (!r->bpf || p->is_dirty)
		return;
	p->is_dirty = op_vec_push(&r->mem, &r->dirty, p->pid);
}

static void bpf_forget(struct op_recorder *r, struct op_rec_process *p)
{
	if (p->is_known)
		op_bpf_proc_drop(r->bpf, p->pid);
	if (p->nr)
		op_ranges_free(&r->ranges, p->first, p->nr);
	p->is_known = false;
	p->nr = 0;
	p->space = 0;
}

/* Starts over: every process comes back with its next sample. */
static void bpf_forget_all(struct op_recorder *r)
{
	for (size_t i = 0; i < r->host.tasks.processes.n; i++) {
		struct op_rec_process *p = r->host.tasks.processes.p[i].user;

		if (p)
			bpf_forget(r, p);
	}
	op_ranges_reset(&r->ranges);
}

/* Where it keeps the trace and span of each thread. */
static void thread_context_find(struct op_recorder *r, struct op_rec_process *p)
{
	if (!r->bpf || p->context.kind)
		return;
	op_thread_context_find(&r->proc, p->pid, &p->context);
	if (!p->context.kind)
		return;
	p->space = 0;
	op_rec_process_dirty(r, p);
}

/* When its context was published; 0: it has none. */
static uint64_t context_use(struct op_recorder *r, struct op_rec_process *p)
{
	struct op_err ignored = { 0 };
	struct op_arena mem = { .err = &ignored };
	struct op_context c = { 0 };

	if (!op_context_read(&r->proc, p->pid, &mem, &c, &ignored) &&
	    c.published_ns && op_thread_context_is_schema(c.schema_version))
		thread_context_find(r, p);
	op_arena_free(&mem);
	return c.published_ns;
}

static void bpf_write(struct op_recorder *r, struct op_rec_process *p,
		      struct op_host_space *s)
{
	struct op_bpf_range *ranges = op_bpf_ranges(r->bpf);
	struct op_bpf_proc row = { .nr = s->nr,
				   .tls = p->context.kind,
				   .tls_module = p->context.module,
				   .tls_offset = p->context.offset };
	uint32_t first;

	if (!op_ranges_alloc(&r->ranges, s->nr, &first)) {
		bpf_forget_all(r);
		if (!op_ranges_alloc(&r->ranges, s->nr, &first))
			return;
	}
	for (uint32_t i = 0; i < s->nr; i++) {
		struct op_host_map *m = &s->maps[i];
		struct op_rec_binary *b;

		op_rec_locate(&r->binaries, p->pid, m);
		b = op_rec_binary(&r->binaries, m->binary);
		ranges[first + i] = (struct op_bpf_range){
			.start = m->start,
			.end = m->end,
			.bias = m->start - m->base,
			.table = b && !b->has_no_table ? b->table :
							 OP_BPF_NO_TABLE,
		};
	}
	row.first = first;
	if (!op_bpf_proc_set(r->bpf, p->pid, &row)) {
		op_ranges_free(&r->ranges, first, s->nr);
		return;
	}
	if (p->nr)
		op_ranges_free(&r->ranges, p->first, p->nr);
	p->first = first;
	p->nr = s->nr;
	p->is_known = true;
	p->space = s->version;
}

void op_rec_process_flush(struct op_recorder *r)
{
	for (size_t i = 0; i < r->dirty.n; i++) {
		uint32_t at = op_host_process_find(&r->host, r->dirty.p[i]);
		struct op_host_process *h;
		struct op_rec_process *p;

		if (at == OP_NO_ID)
			continue;
		h = &r->host.tasks.processes.p[at];
		p = h->user;
		if (!p || !p->is_dirty)
			continue;
		p->is_dirty = false;
		if (h->space && h->space->nr && !h->ended &&
		    h->space->version != p->space)
			bpf_write(r, p, h->space);
	}
	r->dirty.n = 0;
}

/* --- targets -------------------------------------------------------------- */

void op_rec_target(struct op_recorder *r, uint32_t pid)
{
	struct op_rec_process *p = op_rec_process(r, pid, 0);

	if (!p)
		return;
	p->is_target = true;
	op_bpf_target_add(r->bpf, pid);
}

void op_rec_forked(struct op_recorder *r, uint32_t from, uint32_t to)
{
	uint32_t i = op_host_process_find(&r->host, from);
	struct op_rec_process *p;

	if (from == to || i == OP_NO_ID)
		return;
	p = r->host.tasks.processes.p[i].user;
	if (p && p->is_target)
		op_rec_target(r, to);
}

/* --- filters -------------------------------------------------------------- */

static void filter_init(const struct op_recorder *r, struct op_rec_process *p)
{
	struct op_proc_stat st;

	p->is_wanted = true;
	p->start_ticks = 0;
	if (r->opts.uid < 0 && r->opts.min_age_s <= 0)
		return;
	if (op_proc_stat(&r->proc, p->pid, &st)) {
		p->is_wanted = r->opts.uid < 0 || st.uid == r->opts.uid;
		p->start_ticks = st.start_ticks;
	} else {
		p->is_wanted = false;
	}
}

static bool is_old_enough(const struct op_recorder *r,
			  const struct op_rec_process *p)
{
	double ticks = (double)sysconf(_SC_CLK_TCK);
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (double)t.tv_sec - (double)p->start_ticks / ticks >=
	       r->opts.min_age_s;
}

bool op_rec_is_wanted(struct op_recorder *r, const struct op_rec_process *p,
		      struct op_view thread)
{
	if (!p->is_wanted || (r->opts.min_age_s > 0 && !is_old_enough(r, p)))
		return false;
	return !r->opts.comm || op_regex_matches(r->opts.comm, thread, r->err);
}

/* --- resources ------------------------------------------------------------ */

/* What is known of a process that is gone. */
static void resource_guess(const struct op_recorder *r, uint32_t pid,
			   struct op_view thread, struct op_resource_attrs *a)
{
	uint32_t i = op_host_process_find(&r->host, pid);
	struct op_view name = i == OP_NO_ID ? (struct op_view){ 0 } :
					      op_host_program(&r->host, i);
	struct op_kv id = {
		.key = op_view_z(OP_ATTR_PID),
		.value = { .kind = OP_ANY_INT, .num = pid },
	};

	for (size_t k = name.n; k > 0; k--)
		if (name.p[k - 1] == '/') {
			name = op_view(name.p + k, name.n - k);
			break;
		}
	if (!name.n)
		name = thread;
	(void)op_vec_push(a->mem, &a->kvs, id);
	op_resource_text(a, op_view_z("process.executable.name"), name);
	op_resource_text(a, op_view_z("service.name"), name);
}

struct asked {
	struct op_proc *proc;
	bool has_context;
};

static void context_resource(void *arg, uint32_t pid,
			     struct op_resource_attrs *out)
{
	struct asked *asked = arg;
	size_t before = out->kvs.n;

	op_context_resource(asked->proc, pid, out);
	asked->has_context = out->kvs.n > before;
}

/* False: the process is gone. */
static bool resource_read(struct op_recorder *r, struct op_rec_process *p,
			  struct op_resource_attrs *a)
{
	struct asked asked = { .proc = &r->proc };
	struct op_resource_opts o = { .env = r->opts.env,
				      .context = context_resource,
				      .arg = &asked };

	if (op_resource_read(&r->proc, p->pid, &o, a))
		return false;
	if (asked.has_context)
		p->watch.published_ns = context_use(r, p);
	return true;
}

static struct op_kvs resource_attrs(const struct op_recorder *r,
				    struct op_resource_attrs *a)
{
	op_resource_text(a, op_view_z("host.name"), op_view_z(r->host_name));
	return (struct op_kvs){ a->kvs.p, (uint32_t)a->kvs.n };
}

uint32_t op_rec_resource(struct op_recorder *r, struct op_rec_process *p,
			 struct op_view thread)
{
	struct op_err gone = { 0 };
	struct op_arena mem = { .err = &gone };
	struct op_resource_attrs a = { .mem = &mem };
	struct op_kvs attrs;

	if (p->live != OP_NO_ID)
		return p->live;
	if (!resource_read(r, p, &a)) {
		mem.err = r->err;
		a.kvs.n = 0;
		resource_guess(r, p->pid, thread, &a);
	}
	attrs = resource_attrs(r, &a);
	p->live = op_live_process(&r->live, &attrs);
	op_arena_free(&mem);
	r->counts.processes++;
	return p->live;
}

/* With the context that the process has published meanwhile. */
static void resource_renew(struct op_recorder *r, struct op_rec_process *p)
{
	struct op_err gone = { 0 };
	struct op_arena mem = { .err = &gone };
	struct op_resource_attrs a = { .mem = &mem };
	struct op_kvs attrs;

	if (resource_read(r, p, &a)) {
		attrs = resource_attrs(r, &a);
		op_live_process_attrs(&r->live, p->live, &attrs);
	}
	op_arena_free(&mem);
}

/* The resource is asked for a context when it is made. */
static void context_look(struct op_recorder *r, struct op_rec_process *p,
			 uint64_t now)
{
	uint64_t published_ns;

	if (!now || !op_context_is_due(&p->watch, now))
		return;
	published_ns = context_use(r, p);
	if (published_ns && published_ns != p->watch.published_ns &&
	    p->live != OP_NO_ID)
		resource_renew(r, p);
}

/* --- processes ------------------------------------------------------------ */

void op_rec_process_gone(void *arg, struct op_host_process *h)
{
	struct op_rec_process *p = h->user;
	struct op_recorder *r = arg;

	if (!p)
		return;
	if (r->bpf)
		bpf_forget(r, p);
	if (p->is_target)
		op_bpf_target_drop(r->bpf, p->pid);
	if (p->live != OP_NO_ID)
		op_live_process_drop(&r->live, p->live);
	if (p->code != OP_NO_ID)
		op_live_binary_drop(&r->live, p->code);
	op_heap_free(p);
	h->user = NULL;
}

struct op_rec_process *op_rec_process(struct op_recorder *r, uint32_t pid,
				      uint64_t now)
{
	uint32_t i = op_host_process(&r->host, pid);
	struct op_host_process *h;
	struct op_rec_process *p;

	if (i == OP_NO_ID)
		return NULL;
	h = &r->host.tasks.processes.p[i];
	p = h->user;
	if (!p) {
		p = op_heap_resize(NULL, sizeof(*p), r->err);
		if (!p)
			return NULL;
		*p = (struct op_rec_process){ .pid = pid,
					      .live = OP_NO_ID,
					      .code = OP_NO_ID };
		p->of = h->version;
		h->user = p;
		filter_init(r, p);
		if (!h->is_born && !h->space) {
			p->read_ns = now;
			op_proc_read(&r->proc, pid, &r->host);
			h = &r->host.tasks.processes.p[i];
		}
	}
	if (p->of != h->version) {
		/* It has another program now. */
		p->of = h->version;
		filter_init(r, p);
		if (p->live != OP_NO_ID)
			op_live_process_drop(&r->live, p->live);
		p->live = OP_NO_ID;
		p->context = (struct op_thread_context){ 0 };
		p->watch = (struct op_context_watch){ 0 };
	}
	context_look(r, p, now);
	return p;
}

/* Code that was made at run time is no binary: addresses are those of the
 * process. It gets the name that perf gives it, that of the file which may have
 * names for it. */
static uint32_t code_row(struct op_recorder *r, struct op_rec_process *p)
{
	char name[40];
	int n;

	if (p->code != OP_NO_ID)
		return p->code;
	n = snprintf(name, sizeof(name), "/tmp/perf-%u.map", p->pid);
	p->code = op_live_binary(
		&r->live,
		&(struct op_live_binary){ .name = op_view(name, (size_t)n) });
	return p->code;
}

uint32_t op_rec_process_row(struct op_recorder *r, struct op_rec_process *p,
			    struct op_host_map *m)
{
	const uint32_t *rows;

	if (r->host.maps.binaries.p[m->binary].kind == OP_BINARY_CODE)
		return code_row(r, p);
	rows = op_rec_rows(&r->binaries, m);
	return rows ? *rows : OP_NO_ID;
}
